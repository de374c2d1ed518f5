import type { Evidence } from '../../../src/work/evidence/contract.ts'
import type { History, Row } from '../history.ts'
import type { World } from '../world.ts'
import { nameOf, stepsInto } from './brief.ts'

/** Checks that verified work has passed evidence, a verdict if one is required, and no open notes. */
export function watchVerified(world: World): void {
  world.history.watch((event, history) => {
    for (const { after } of stepsInto(event, 'verified')) check(world, history, after as Row)
    for (const { after } of stepsInto(event, 'done'))
      if (event.steps.every((step) => step.before?.['status'] !== 'verified')) check(world, history, after as Row)
  })
}

function check(world: World, history: History, brief: Row): void {
  const runId = brief['run_id'] as string
  const refuse = (why: string): void =>
    history.fail('nothing is verified without proof', `${nameOf(brief)} is verified ${why}`)
  const attempt = history.row('attempts', brief['attempt_id'] as string)
  if (attempt === undefined || attempt['fence'] !== brief['attempts']) return refuse('without its newest attempt')
  const isPart = attempt['outcome'] === 'partial_output' && restOf(history, brief) !== undefined
  if (attempt['outcome'] !== 'ok' && !isPart) refuse(`although its attempt ended ${attempt['outcome']}`)
  if (brief['kind'] === 'verify') return
  const evidence = JSON.parse(brief['evidence'] as string) as Evidence[]
  const rounds = history.of('checks', runId).filter((row) => row['attempt_id'] === attempt['id'])
  const checks = rounds.filter((row) => row['round'] === 'delivered')
  const passed = new Set(checks.filter((row) => row['passed'] === 1).map((row) => row['evidence']))
  for (const each of evidence) if (!passed.has(JSON.stringify(each))) refuse(`without proof of ${JSON.stringify(each)}`)
  if (!isPart && checks.length !== evidence.length)
    refuse(`with ${checks.length} of ${evidence.length} items of evidence checked`)
  const unsteady = rounds.find((row) => row['round'] === 'again' && row['passed'] === 0)
  if (unsteady !== undefined) refuse(`although ${unsteady['evidence']} failed the second time`)
  for (const note of history.of('notes', runId))
    if (note['brief_id'] === brief['id'] && note['status'] !== 'resolved') refuse(`with note ${note['number']} open`)
  if (brief['verify'] === 'agent') checkVerdict(history, brief, attempt, refuse)
  void checkTruth(world, brief, evidence, refuse)
}

/** Returns the remainder brief of the newest attempt. */
const restOf = (history: History, brief: Row): Row | undefined =>
  history
    .of('briefs', brief['run_id'] as string)
    .find((each) => each['key'] === `${brief['key']}:rest:${brief['attempts']}` && each['remainder_of'] !== null)

function checkVerdict(history: History, brief: Row, attempt: Row, refuse: (why: string) => void): void {
  const verdicts = history
    .of('verdicts', brief['run_id'] as string)
    .filter((row) => row['brief_id'] === brief['id'] && row['attempt'] === brief['attempts'])
  const [verdict] = verdicts
  if (verdict === undefined) return refuse('without a verdict')
  if (verdicts.length > 1) refuse('with more than one verdict')
  if (verdict['verdict'] !== 'pass') refuse(`after the verdict ${verdict['verdict']}`)
  if (verdict['doer_id'] !== attempt['agent_id']) refuse('by a verdict about another agent’s work')
  if (verdict['verifier_id'] === attempt['agent_id']) refuse('by the agent that did the work')
  const judge = history.row('briefs', verdict['verifier_brief_id'] as string)
  if (judge?.['kind'] !== 'verify' || judge['verifies'] !== brief['id']) refuse('by an agent that is not its verifier')
  if (judge?.['verifies_attempt'] !== brief['attempts']) refuse('by a verdict about another attempt')
}

/** Checks the files themselves, unless an agent that could not be killed may have changed them. */
async function checkTruth(
  world: World,
  brief: Row,
  evidence: readonly Evidence[],
  refuse: (why: string) => void,
): Promise<void> {
  // Of work in a clone the commit counts.
  if (world.faults.has('survivor') || (world.git !== null && brief['start_commit'] !== null)) return
  for (const each of evidence) {
    if (each.kind !== 'file') continue
    const file = await world.files.get((brief['remainder_of'] ?? brief['id']) as string)?.read(each.path, 10_000)
    if (!file?.text.includes(each.contains ?? '')) refuse(`although ${each.path} does not contain the required text`)
  }
}
