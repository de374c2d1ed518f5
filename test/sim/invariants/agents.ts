import type { History, Row, SeenEvent } from '../history.ts'
import { changed } from '../../../src/workspaces/handed-files.ts'
import type { World } from '../world.ts'
import { nameOf } from './brief.ts'

/** Checks that only live attempts write, that outcomes match the agents' behaviour and verdicts their verifiers'. */
export function watchAgents(world: World): void {
  world.history.watch((event, history) => {
    if (event.by.startsWith('agent:')) checkWriter(event, history)
    for (const { table, before, after } of event.steps) {
      if (table === 'attempts' && before?.['status'] === 'ended' && !isLateSpending(event, before, after))
        history.fail('an ended attempt does not change', `${before['id']} changes by ${event.kind}`)
      if (table === 'attempts' && after?.['status'] === 'ended' && before?.['status'] !== 'ended')
        checkOutcome(world, after)
      if (table === 'verdicts' && after !== null) checkVerdict(world, after)
    }
  })
}

/**
 * Reports whether an event adds the calls of an agent whose attempt was ended from outside, by a decision or by another
 * process: they were made before the agent was interrupted, so they count.
 */
const isLateSpending = ({ kind }: SeenEvent, before: Row, after: Row | null): boolean =>
  kind === 'spent' &&
  Object.entries(after ?? {}).every(([column, value]) => value === before[column] || sums.has(column))

const sums = new Set(['input_tokens', 'output_tokens', 'cost_micros'])

function checkWriter(event: SeenEvent, history: History): void {
  const refuse = (why: string): void =>
    history.fail('only the newest live attempt writes', `${event.by} writes "${event.kind}" ${why}`)
  const attempt = event.attemptId === null ? undefined : history.row('attempts', event.attemptId)
  const writer = attempt ?? newestOf(history, Number(event.by.slice('agent:'.length)))
  if (writer === undefined) return refuse('without an attempt')
  const brief = history.row('briefs', writer['brief_id'] as string) as Row
  if (writer['status'] === 'ended') refuse(`after its attempt at ${nameOf(brief)} has ended`)
  if (writer['fence'] !== brief['attempts'])
    refuse(`with fence ${writer['fence']} when ${brief['attempts']} is the newest`)
}

const newestOf = (history: History, agentId: number): Row | undefined =>
  [...history.rows('attempts').values()].find((attempt) => attempt['agent_id'] === agentId)

/** Returns the outcomes of the earlier agents in the workspace of an attempt; a verifier is in that of the work. */
const outcomesBefore = ({ history }: World, attempt: Row): string[] =>
  [...history.rows('attempts').values()]
    .filter(
      (each) =>
        each['brief_id'] === history.row('briefs', attempt['brief_id'] as string)?.['verifies'] ||
        (each['brief_id'] === attempt['brief_id'] && Number(each['fence']) < Number(attempt['fence'])),
    )
    .flatMap((each) => {
      const { outcomes = [], reported } = history.playedBy(each['id'] as string) ?? {}
      return [...outcomes, ...(reported === undefined ? [] : [reported])]
    })

function checkOutcome(world: World, attempt: Row): void {
  const outcome = attempt['outcome'] as string
  const played = world.history.playedBy(attempt['id'] as string)
  const refuse = (why: string): void =>
    world.fail('an outcome matches the behaviour of the agent', `${attempt['id']} is ${outcome}: ${why}`)
  const hadTrouble =
    world.boots > 1 ||
    ['stop', 'full disk', 'lost answer', 'failed read', 'playbook throws', 'agent meets its quota'].some((fault) =>
      world.faults.has(fault),
    ) ||
    world.acts.all.some((act) => act.kind === 'stop')
  if (outcome === 'interrupted') {
    const wasInterrupted =
      hadTrouble || played?.outcomes.includes('interrupted') || world.acts.all.some((act) => act.kind !== 'pause')
    if (!wasInterrupted) refuse('no interruption occurred')
    return
  }
  if (played === undefined) return isSpoilt(world, attempt) ? undefined : refuse('no agent was launched')
  const possible: readonly string[] = [
    ...played.outcomes,
    // When the daemon dies, a report through the API can get lost, or be all that is known of the attempt.
    ...(hadTrouble ? ['bad_output'] : []),
    ...(isLimited(world) ? ['budget'] : []),
    // Work that git refuses, or that is not in the commit, is sent back.
    ...(world.git === null ? [] : ['bad_output']),
    // The first report counts if the agent is ended, by a death of the daemon or by a budget, before its next one.
    ...((hadTrouble || isLimited(world)) && played.reported !== undefined ? [played.reported, 'bad_output'] : []),
    // An agent that cannot be killed shares the workspace with its successor, and so the file with the report.
    ...(world.faults.has('survivor') ? outcomesBefore(world, attempt) : []),
    // Work without reported outputs has no hash by which a change of its files is found.
    // In a clone of its own a verifier changes nothing that counts.
    ...((played.cutShort ?? played.name) === 'meddles' && (world.git !== null || !hasHash(world, attempt))
      ? ['ok']
      : []),
    // Another agent may have spoilt the work that a verifier checks.
    ...(['good', 'refuses', 'misses something'].includes(played.name) || world.faults.has('agent meddles')
      ? ['bad_output']
      : []),
  ]
  if (!possible.includes(outcome)) refuse(`the behaviour of its agent was "${played.name}"`)
}

/**
 * Reports whether an attempt was not launched because a file that it would be handed was changed after its verdict: by an
 * agent that could not be killed, or by a verifier in the directory of the work.
 */
const isSpoilt = ({ faults }: World, { outcome, detail }: Row): boolean =>
  outcome === 'blocked' &&
  String(detail).endsWith(`cannot be handed over: ${changed}`) &&
  (faults.has('survivor') || faults.has('agent meddles'))

const hasHash = ({ history }: World, attempt: Row): boolean =>
  String(history.row('briefs', attempt['brief_id'] as string)?.['evidence']).includes('"sha256"')

const isLimited = ({ history }: World): boolean => history.rows('budgets').size > 0

function checkVerdict(world: World, verdict: Row): void {
  const subject = world.history.row('briefs', verdict['brief_id'] as string) as Row
  const verifier = world.history.row('briefs', verdict['verifier_brief_id'] as string) as Row
  if (subject['status'] !== 'ready_for_verification' || subject['attempts'] !== verifier['verifies_attempt'])
    world.fail(
      'a verdict is about work that waits for it',
      `${nameOf(subject)} is ${subject['status']} in attempt ${subject['attempts']}, and attempt ${verifier['verifies_attempt']} was judged`,
    )
  const judge = [...world.history.rows('attempts').values()].find(
    (attempt) => attempt['agent_id'] === verdict['verifier_id'],
  )
  const played = judge === undefined ? undefined : world.history.playedBy(judge['id'] as string)
  const behaviour = played?.cutShort ?? played?.name
  const refuses = behaviour === 'refuses' || behaviour === 'misses something'
  if ((verdict['verdict'] !== 'pass') === refuses) return
  world.fail('a verdict matches its verifier', `${verdict['verdict']} from a verifier with "${behaviour}"`)
}
