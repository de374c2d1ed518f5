import type { CliContext } from '../../../cli/context.ts'
import { ago, bold, bytesText, duration, faint, plain, signText, stateOf, statusText } from '../../../cli/terminal.ts'
import type { Wire } from '../../../cli/wire.ts'
import { type EventLine, formatEvent } from '../../../events/cli.ts'
import { refusal } from '../../../kernel/errors.ts'
import { shorten } from '../../../kernel/text.ts'
import type { Artifact } from '../../artifacts/contract.ts'
import type { Attempt } from '../../attempts/contract.ts'
import type { Brief } from '../../briefs/contract.ts'
import type { Check } from '../../evidence/contract.ts'
import type { Run } from '../contract.ts'

export interface InspectOptions {
  brief?: string
  history?: true
  artifacts?: true
  json?: true
}

interface Inspection {
  run: Wire<Run>
  status: string
  briefs: Wire<Brief>[]
  attempts: Wire<Attempt>[]
  evidence: Wire<Check>[]
  artifacts: Wire<Artifact>[]
  events: EventLine[]
}

/** How much a person is shown; --json carries all that the daemon sent. */
const eventsShown = 10
const briefsShown = 100

export async function inspectRun(context: CliContext, id: string, options: InspectOptions): Promise<number> {
  if (options.history && options.brief === undefined)
    throw refusal('invalid_input', '--history needs --brief', { hint: 'agency inspect --help' })
  const whole = await context.api().get<Inspection>(`/runs/${encodeURIComponent(id)}/inspect`)
  const shown = options.brief === undefined ? whole : ofBrief(whole, findBrief(whole, options.brief))
  const history = options.history ? await briefHistory(context, whole.run.id, shown.briefs[0]?.id ?? '') : null
  if (history !== null) shown.events = history
  if (options.json) {
    context.json(options.artifacts ? { run_id: whole.run.id, artifacts: shown.artifacts } : shown)
    return 0
  }
  if (options.artifacts) printArtifacts(context, shown.artifacts)
  else print(context, shown, options.history === true)
  return 0
}

function print(context: CliContext, shown: Inspection, wholeHistory: boolean): void {
  const { run } = shown
  context.out(
    [
      bold(context, run.id),
      statusText(context, run.status),
      run.playbook,
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
  if (run.summary !== null) context.out(`summary  ${plain(run.summary)}`)
  context.out('briefs')
  const briefs = shown.briefs.slice(0, briefsShown)
  const more = shown.briefs.length - briefs.length
  briefs.forEach((brief, index) => printBrief(context, shown, brief, more === 0 && index === briefs.length - 1))
  if (more > 0) context.out(`└ and ${more} more (agency inspect ${run.id} --json has all)`)
  if (shown.artifacts.length > 0) {
    context.out('artifacts')
    printArtifacts(context, shown.artifacts)
  }
  const all = wholeHistory ? shown.events : shown.events.filter(({ level }) => level === 'normal')
  const newest = wholeHistory ? all : all.slice(-eventsShown)
  if (newest.length === 0) return
  context.out(`events${newest.length < all.length ? ` (newest ${eventsShown}; agency watch ${run.id} shows all)` : ''}`)
  for (const event of newest) context.out(`  ${formatEvent(context, event)}`)
}

function printBrief(context: CliContext, shown: Inspection, brief: Wire<Brief>, isLast: boolean): void {
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
    for (const check of shown.evidence.filter((each) => each.attempt_id === attempt.id))
      context.out(`${stem} ${last ? ' ' : '│'}   ${checkText(context, check)}`)
  })
}

function attemptText(context: CliContext, attempt: Wire<Attempt>): string {
  const state = attempt.outcome === null ? 'working' : attempt.outcome === 'ok' ? 'good' : 'bad'
  const words = [
    `${signText(context, state)} attempt ${attempt.fence}`,
    attempt.outcome ?? attempt.status,
    attempt.runtime,
    ...(attempt.simulated ? ['simulated'] : []),
    ...(attempt.boxed ? [] : ['not boxed']),
    faint(context, attempt.id),
  ]
  return `${words.join('  ')}${attempt.detail === null ? '' : `  ${plain(attempt.detail)}`}`
}

function checkText(context: CliContext, check: Wire<Check>): string {
  const sign = signText(context, check.passed ? 'good' : 'bad')
  const box = /^(command|git|http)$/.test(check.kind) && !check.boxed ? '  (not boxed)' : ''
  return `${sign} ${shorten(plain(describe(check.evidence)), 200)}: ${plain(check.detail)}${box}`
}

/** As `describeEvidence` of the contract, which would bring zod along. */
function describe(evidence: Wire<Check>['evidence']): string {
  if (evidence.kind === 'command') return `$ ${evidence.run}`
  if (evidence.kind === 'file') return `file ${evidence.path}`
  if (evidence.kind === 'git') return evidence.path === '.' ? 'git' : `git in ${evidence.path}`
  if (evidence.kind === 'schema') return `schema of ${evidence.path}`
  if (evidence.kind === 'http') return `GET ${evidence.url}`
  return evidence.path === undefined ? 'every reported output exists' : `output ${evidence.path}`
}

function printArtifacts(context: CliContext, artifacts: Wire<Artifact>[]): void {
  if (artifacts.length === 0) context.out('no artifacts')
  for (const artifact of artifacts)
    context.out(
      `  ${plain(artifact.name)}  v${artifact.version}  ${bytesText(artifact.bytes)}  sha256 ${artifact.sha256.slice(0, 12)}…  ${plain(artifact.path)}`,
    )
}

function findBrief(shown: Inspection, wanted: string): Wire<Brief> {
  const exact = shown.briefs.filter((brief) => brief.id === wanted || brief.key === wanted)
  const found =
    exact.length > 0
      ? exact
      : shown.briefs.filter((brief) => brief.id.startsWith(wanted) || brief.id.startsWith(`brf_${wanted}`))
  if (found.length === 1) return found[0] as Wire<Brief>
  if (found.length === 0)
    throw refusal('not_found', `no brief "${wanted}" in ${shown.run.id}`, {
      hint: `Its briefs: ${shown.briefs
        .slice(0, 20)
        .map((brief) => brief.key)
        .join(', ')}`,
    })
  throw refusal('invalid_input', `"${wanted}" is the beginning of ${found.length} briefs`, {
    hint: found
      .slice(0, 5)
      .map((brief) => brief.id)
      .join(', '),
  })
}

const ofBrief = (whole: Inspection, brief: Wire<Brief>): Inspection => ({
  ...whole,
  briefs: [brief],
  attempts: whole.attempts.filter((attempt) => attempt.brief_id === brief.id),
  evidence: whole.evidence.filter((check) => check.brief_id === brief.id),
  artifacts: whole.artifacts.filter((artifact) => artifact.brief_id === brief.id),
  events: whole.events.filter((event) => event.brief_id === brief.id),
})

async function briefHistory(context: CliContext, runId: string, briefId: string): Promise<EventLine[]> {
  const found: EventLine[] = []
  for (let after = 0; ;) {
    const { events } = await context
      .api()
      .get<{ events: EventLine[] }>(`/runs/${runId}/events`, { after, limit: 1_000 })
    found.push(...events.filter((event) => event.brief_id === briefId))
    if (events.length < 1_000) return found
    after = events.at(-1)?.seq ?? 0
  }
}
