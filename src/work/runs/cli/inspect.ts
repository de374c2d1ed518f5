import { printAnswer } from '../../../cli/answers.ts'
import type { inspectCommand } from '../../../cli/commands/inspect.ts'
import type { CliContext } from '../../../cli/context.ts'
import { viewOf } from '../../../cli/playbook-views.ts'
import type { Handler, OptionsFor } from '../../../cli/declare.ts'
import { ago, bold, duration, faint, plain, signText, stateOf, statusText, visible } from '../../../cli/terminal.ts'
import type { Wire } from '../../../cli/wire.ts'
import { type EventLine, formatEvent } from '../../../events/cli.ts'
import { checkedInWarning } from '../../../kernel/checked-in.ts'
import { refusal } from '../../../kernel/errors.ts'
import { endOfOutput, shorten } from '../../../kernel/text.ts'
import type { Attempt } from '../../attempts/contract.ts'
import { attemptText as attemptState } from '../../../kernel/attempt-state.ts'
import type { HeldBrief } from '../../briefs/contract.ts'
import type { Check } from '../../evidence/contract.ts'
import { modelLine } from '../../spends/cli.ts'
import { runEndpoints } from '../endpoints.ts'
import {
  briefHistory,
  failingOf,
  fetchBrief,
  fetchEscalations,
  hopsOf,
  fetchInspection,
  findBrief,
  type Inspection,
  ofBrief,
} from './inspection.ts'
import { progressText, runText } from './state.ts'
import { inputLines } from './input-lines.ts'
import { namedOrNewest } from './newest.ts'
import { artifactLine, boxText, placeText, viewNames, views } from './views.ts'

type InspectOptions = OptionsFor<typeof inspectCommand>

/** Limits of the text output; --json carries everything that the daemon sent. */
const eventsShown = 10
const briefsShown = 100

export const inspectRun: Handler<typeof inspectCommand> = async (context, run, options) => {
  if (options.schemas) return (await import('../../../cli/offline.ts')).printSchemas(context)
  if (options.tiers) return (await import('../../../team/cli/tiers.ts')).showTiers(context, run, options)
  return inspectOne(context, await namedOrNewest(context, run), options)
}

async function inspectOne(context: CliContext, id: string, options: InspectOptions): Promise<number> {
  if (options.history && options.brief === undefined)
    throw refusal('invalid_input', '--history needs --brief', { hint: 'agency inspect --help' })
  if (options.config) return printAnswer(context, options, runEndpoints.configuration, { run_id: id })
  const fetched = await fetchInspection(context, id)
  const whole = options.failing ? failingOf(fetched) : fetched
  const view = viewOf(whole.run)
  if (options.tier !== undefined) return showLevel(context, whole, options.tier, options)
  if (options.escalations) whole.escalations = await fetchEscalations(context, whole.run.id, view?.rankOf)
  const shown = options.brief === undefined ? whole : ofBrief(whole, findBrief(whole, options.brief))
  const history = options.history ? await briefHistory(context, whole.run.id, shown.briefs[0]?.id ?? '') : null
  if (history !== null) shown.events = history
  const wanted = viewNames.filter((name) => options[name])
  const one = options.brief === undefined || wanted.length > 0 ? undefined : shown.briefs[0]
  const found = one === undefined ? null : await fetchBrief(context, shown, one)
  if (options.json && found !== null) context.json({ ...found, ...shown })
  else if (options.json && wanted.length === 0 && view !== undefined)
    context.json({
      ...shown,
      ...view.summary(shown),
      escalations: [
        ...(await fetchEscalations(context, whole.run.id, view.rankOf)),
        ...hopsOf(shown.questions, view.rankOf),
      ],
    })
  else if (options.json) {
    const parts = wanted.map((name) => [name, views[name].of(shown)])
    context.json(wanted.length > 0 ? { run_id: whole.run.id, ...Object.fromEntries(parts) } : shown)
  } else if (wanted.length > 0)
    for (const name of wanted) {
      const more = name === 'verdicts' ? (view?.verdictLines(context, shown) ?? []) : []
      for (const line of [...views[name].lines(context, shown), ...more]) context.out(line)
    }
  else if (context.isTty && process.stdin.isTTY && !options.plain && options.brief === undefined)
    return (await import('./walk.ts')).walkRun(context, whole, options)
  else {
    print(context, shown, options)
    if (found !== null) context.out(`result\n${visible(JSON.stringify(found.result, null, 2)).replace(/^/gm, '  ')}`)
  }
  return 0
}

function showLevel(context: CliContext, whole: Inspection, level: string, { json }: InspectOptions): number {
  const view = viewOf(whole.run)
  if (view === undefined)
    throw refusal('invalid_input', `run ${whole.run.id} is ${whole.run.playbook}: it has no tiers`)
  if (json) context.json(view.ofLevel(whole, level))
  else for (const line of view.levelLines(context, whole, level)) context.out(line)
  return 0
}

function print(context: CliContext, shown: Inspection, { brief, history, failing }: InspectOptions): void {
  const { run } = shown
  context.out(
    [
      bold(context, run.id),
      runText(context, shown.state),
      run.playbook,
      ...(run.priority === 'medium' ? [] : [`${run.priority} priority`]),
      ...(run.simulated ? ['simulated'] : []),
    ].join('  '),
  )
  const took = duration(
    (run.ended_at === null ? context.nowMs() : Date.parse(run.ended_at)) - Date.parse(run.started_at),
  )
  context.out(`goal     ${plain(run.goal_anchor)}`)
  context.out(`mission  ${run.mission_id}`)
  context.out(
    `started  ${ago(run.started_at, context.nowMs())}, ${run.ended_at === null ? 'running for' : 'took'} ${took}`,
  )
  if (run.input_tokens + run.output_tokens > 0)
    context.out(`tokens   ${run.input_tokens} in, ${run.output_tokens} out${run.simulated ? ' (simulated)' : ''}`)
  if (brief === undefined) for (const spent of shown.spends) context.out(`cost     ${modelLine(spent)}`)
  context.out(`briefs   ${progressText(shown.progress)} done`)
  const { continues } = run.configuration
  if (continues !== undefined)
    context.out(`${continues.kind === 'fork' ? 'fork of ' : 'continues'} ${continues.run_id}: ${plain(continues.note)}`)
  for (const { id, kind, status } of shown.continued_by)
    context.out(`next     ${kind === 'fork' ? 'forked as' : 'continued by'} ${id}, ${status}`)
  if (run.summary !== null) context.out(`summary  ${plain(run.summary)}`)
  if (shown.waits_for !== null) context.out(`waits    for ${plain(shown.waits_for)}`)
  for (const line of waitingLines(shown)) context.out(line)
  if (brief !== undefined && shown.briefs[0] !== undefined) printDetails(context, shown.briefs[0])
  const view = viewOf(run)
  if (failing && shown.briefs.length === 0) context.out('no brief fails or is blocked')
  else if (view !== undefined && brief === undefined && !failing)
    for (const line of view.overview(context, shown)) context.out(line)
  else printBriefs(context, shown)
  const all = history ? shown.events : shown.events.filter(({ level }) => level === 'normal')
  const newest = history ? all : all.slice(-eventsShown)
  if (newest.length === 0) return
  context.out(
    `events${newest.length < all.length ? ` (newest ${eventsShown}; "agency watch ${run.id}" shows all)` : ''}`,
  )
  const printEvent = (event: EventLine): void => context.out(`  ${formatEvent(context, event)}`)
  newest.forEach(view?.tagged(printEvent, shown) ?? printEvent)
}

function printBriefs(context: CliContext, shown: Inspection): void {
  const { run } = shown
  context.out('briefs')
  const briefs = shown.briefs.slice(0, briefsShown)
  const more = shown.briefs.length - briefs.length
  briefs.forEach((brief, index) => printBrief(context, shown, brief, more === 0 && index === briefs.length - 1))
  if (more > 0) context.out(`└ and ${more} more ("agency inspect ${run.id} --json" has all)`)
  if (shown.artifacts.length > 0) context.out('artifacts')
  for (const artifact of shown.artifacts) context.out(artifactLine(artifact))
}

/** Lists what the run waits for: the check of its result, and the decisions of a person, each with its command. */
function waitingLines({ gates, questions, proofs }: Inspection): string[] {
  return [
    ...proofs
      .filter(({ status }) => status === 'waiting')
      .map(({ head }) => `proof    open: all evidence has to hold on the merged result ${head.slice(0, 12)}`),
    ...gates
      .filter((gate) => gate.status === 'pending' && gate.approver === 'operator')
      .map((gate) =>
        gate.gate === 'manual'
          ? `paused   ${plain(gate.summary.produced)} (agency resume ${gate.run_id})`
          : `gate     ${plain(gate.gate)}: pending review (agency approve ${gate.id})`,
      ),
    ...questions
      .filter((question) => question.answered_at === null)
      .map((question) => `question ${shorten(plain(question.text), 120)} (agency answer ${question.id} <answer>)`),
  ]
}

/** Prints one brief by itself: its objective, and how often each limit was used. */
function printDetails(context: CliContext, brief: Wire<HeldBrief>): void {
  const used = [
    `attempts ${brief.attempts}`,
    `crash_retries ${brief.crash_retries}/${brief.crash_limit}`,
    `retries_used ${brief.retries_used}/${brief.retry_budget}`,
    `verification_failures ${brief.verification_failures}/${brief.verification_limit}`,
  ]
  context.out(`limits   ${used.join(', ')}`)
  context.out(`objective\n${visible(brief.objective).replace(/^/gm, '  ')}`)
  if (brief.rejection_reason !== null) context.out(`rejected ${plain(brief.rejection_reason)}`)
  for (const each of brief.guidance) context.out(`guidance ${plain(each.question)}: ${plain(each.answer)} (${each.by})`)
}

function printBrief(context: CliContext, shown: Inspection, brief: Wire<HeldBrief>, isLast: boolean): void {
  const held = brief.held_by === null ? '' : `  held: ${plain(brief.held_by)}`
  const status = statusText(context, brief.status, brief.held_by === null ? stateOf(brief.status) : 'waiting')
  context.out(
    `${isLast ? '└' : '├'} ${status}  ${bold(context, plain(brief.key))}  ${shorten(plain(brief.title), 80)}  ${faint(context, brief.id)}${held}`,
  )
  const stem = isLast ? ' ' : '│'
  if (brief.failure !== null) context.out(`${stem}   ${plain(brief.failure)}`)
  const attempts = shown.attempts.filter((attempt) => attempt.brief_id === brief.id)
  attempts.forEach((attempt, index) => {
    const last = index === attempts.length - 1
    context.out(`${stem} ${last ? '└' : '├'} ${attemptText(context, attempt)}`)
    const below = `${stem} ${last ? ' ' : '│'}   `
    for (const line of inputLines(attempt.inputs_seen)) context.out(`${below}${faint(context, line)}`)
    const warning = checkedInWarning(attempt.checked_in)
    if (warning !== null) context.out(`${below}${signText(context, 'waiting')} ${warning}`)
    if (attempt.contradiction !== null)
      context.out(
        `${below}${signText(context, 'bad')} its reports contradict each other: ${plain(attempt.contradiction)}`,
      )
    for (const odd of attempt.odd) context.out(`${below}${signText(context, 'waiting')} ${plain(odd.text)}`)
    for (const check of shown.evidence.filter((each) => each.attempt_id === attempt.id)) {
      context.out(`${below}${checkText(context, check)}`)
      for (const line of check.passed ? [] : endLines(check.output)) context.out(`${below}  ${faint(context, line)}`)
    }
  })
}

function attemptText(context: CliContext, attempt: Wire<Attempt>): string {
  const state = attempt.outcome === null ? 'working' : attempt.outcome === 'ok' ? 'good' : 'bad'
  const words = [
    `${signText(context, state)} attempt ${attempt.fence}`,
    attemptState(attempt),
    attempt.runtime,
    ...(attempt.simulated ? ['simulated'] : []),
    ...(attempt.boxed ? [] : ['not boxed']),
    ...placeText(attempt),
    faint(context, attempt.id),
  ]
  return `${words.join('  ')}${attempt.detail === null ? '' : `  ${plain(attempt.detail)}`}`
}

function checkText(context: CliContext, check: Wire<Check>): string {
  const sign = signText(context, check.passed ? 'good' : 'bad')
  return `${sign} ${shorten(plain(describe(check.evidence)), 200)}: ${plain(check.detail)}${boxText(check)}`
}

/** Returns the last lines of the output of a failed check, which say why it failed. */
const endLines = (output: string): string[] =>
  output.trim() === ''
    ? []
    : endOfOutput(output, { lines: 5, characters: 1_000 })
        .split('\n')
        .map((line) => `| ${shorten(plain(line), 200)}`)

/** Describes evidence as `describeEvidence` of the contract does, which would load zod. */
function describe(evidence: Wire<Check>['evidence']): string {
  if (evidence.kind === 'command') return `$ ${evidence.run}`
  if (evidence.kind === 'file') return `file ${evidence.path}`
  if (evidence.kind === 'git') return evidence.path === '.' ? 'git' : `git in ${evidence.path}`
  if (evidence.kind === 'schema') return `schema of ${evidence.path}`
  if (evidence.kind === 'http') return `GET ${evidence.url}`
  return evidence.path === undefined ? 'every reported output exists' : `output ${evidence.path}`
}
