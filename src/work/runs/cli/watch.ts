import type { watchCommand } from '../../../cli/commands/watch.ts'
import type { CliContext } from '../../../cli/context.ts'
import type { Handler } from '../../../cli/declare.ts'
import { viewOf } from '../../../cli/playbook-views.ts'
import { plain } from '../../../cli/terminal.ts'
import type { Client } from '../../../client/client.ts'
import type { Wire } from '../../../cli/wire.ts'
import { type EventLine, formatEvent } from '../../../events/cli.ts'
import { eventEndpoints } from '../../../events/endpoints.ts'
import type { GateView } from '../../gates/contract.ts'
import { gateEndpoints } from '../../gates/endpoints.ts'
import type { Question } from '../../questions/contract.ts'
import { questionEndpoints } from '../../questions/endpoints.ts'
import type { Run } from '../contract.ts'
import { runEndpoints } from '../endpoints.ts'

const pageSize = 1_000

/** Follows a run to its end. Exit 0: done; 1: failed or cancelled; 130: the watcher left, the run continues. */
export const watchRun: Handler<typeof watchCommand> = (context, id, options) => followRun(context, id, options, true)

/** With `hasHints`, a gate or a question that waits for the operator is followed by the command that decides it. */
export async function followRun(
  context: CliContext,
  id: string,
  options: { level?: string; from?: number; json?: true },
  hasHints: boolean,
): Promise<number> {
  const client = context.api()
  const run = await client.call<Wire<Run>>(runEndpoints.show, { run_id: id })
  const printEvent = (event: EventLine): void => context.out(formatEvent(context, event))
  const leave = new AbortController()
  const onInterrupt = (): void => leave.abort()
  // Once: a second Ctrl-C ends the command even if it hangs.
  process.once('SIGINT', onInterrupt)
  const watching: Watching = {
    client,
    runId: run.id,
    level: options.level ?? run.configuration.team?.log_level ?? 'normal',
    seen: (options.from ?? 1) - 1,
    print: options.json ? (event) => context.jsonLine(event) : (viewOf(run)?.tagged(printEvent) ?? printEvent),
    hint: hasHints && !options.json ? (line) => context.err(line) : null,
    signal: leave.signal,
  }
  // Followed from the middle on, the log has begun elsewhere.
  if (run.simulated && !options.json && (options.from ?? 1) === 1)
    context.out('simulated: no agent does this work, and no model is called')
  try {
    const ended = run.ended_at === null ? await followLive(watching) : run
    if (ended !== null) {
      await printRest(watching)
      return ended.status === 'done' ? 0 : 1
    }
  } finally {
    process.off('SIGINT', onInterrupt)
  }
  context.err(`\nagency: no longer watching; the run continues (agency watch ${run.id})`)
  return 130
}

interface Watching {
  client: Client
  runId: string
  level: string
  /** The sequence number of the last printed event. */
  seen: number
  print(event: EventLine): void
  /** Null: whoever watches is told nothing more. */
  readonly hint: ((line: string) => void) | null
  signal: AbortSignal
}

/** Returns the run once it has ended, or null when the watcher left first. */
async function followLive(watching: Watching): Promise<Wire<Run> | null> {
  const { client, runId, level, signal } = watching
  const fetchRun = (): Promise<Wire<Run>> => client.call<Wire<Run>>(runEndpoints.show, { run_id: runId })
  const input = { run_id: runId, level }
  const messages = client.follow(eventEndpoints.ofRun, input, { lastId: String(watching.seen), signal })
  for await (const message of messages) {
    const event = message === 'open' ? null : (JSON.parse(message.data) as EventLine)
    if (event !== null && show(watching, event)) await hintAt(watching, event)
    // Fetched after each connection too: the run may have ended during a disconnection, with every event already seen.
    if (event !== null && event.kind !== 'run_status') continue
    const run = await fetchRun()
    if (run.ended_at !== null) return run
  }
  return signal.aborted ? null : await fetchRun()
}

async function printRest(watching: Watching): Promise<void> {
  for (;;) {
    const { events } = await watching.client.call<{ events: EventLine[] }>(eventEndpoints.ofRun, {
      run_id: watching.runId,
      level: watching.level,
      after: watching.seen,
      limit: pageSize,
    })
    for (const event of events) show(watching, event)
    if (events.length < pageSize) return
  }
}

/** Returns false for an event that was printed before. */
function show(watching: Watching, event: EventLine): boolean {
  if (event.seq <= watching.seen) return false
  watching.seen = event.seq
  watching.print(event)
  return true
}

/** Tells the watcher what to type if the run still waits for it: an older event may have been decided long ago. */
async function hintAt({ client, runId, hint }: Watching, { kind, data }: EventLine): Promise<void> {
  if (hint === null) return
  if (kind === 'gate_pending' && data['approver'] === 'operator') {
    const id = data['gate_id']
    const { gates } = await client.call<{ gates: Wire<GateView>[] }>(gateEndpoints.ofRun, { run_id: runId })
    if (gates.some((gate) => gate.id === id && gate.status === 'pending'))
      hint(`  in another terminal: agency approve ${id}, or agency reject ${id} --reason "…"`)
  }
  if (kind === 'question_asked') {
    const id = String(data['question_id'])
    const question = await client.call<Wire<Question>>(questionEndpoints.show, { question_id: id })
    if (question.status === 'with_operator') hint(`  in another terminal: agency answer ${id} ${answersTo(question)}`)
  }
}

/** Returns what a question takes as an answer: own words, except about gates and checks, and the keys of its options. */
function answersTo({ class: cause, options }: Wire<Question>): string {
  const words = cause === 'gate' || cause === 'checks' ? [] : ['"…"']
  const [first = '"…"', ...others] = [...words, ...options.map(({ key }) => plain(key))]
  return others.length === 0 ? first : `${first}   (or: ${others.join(', ')})`
}
