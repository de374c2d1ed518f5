import type { watchCommand } from '../../../cli/commands/watch.ts'
import type { CliContext } from '../../../cli/context.ts'
import type { Handler } from '../../../cli/declare.ts'
import { viewOf } from '../../../cli/playbook-views.ts'
import { createPrompter, type Prompter } from '../../../cli/prompter.ts'
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
import { type DecisionsHere, decideHere } from './decide-here.ts'
import { namedOrNewest } from './newest.ts'

const pageSize = 1_000

/** Follows a run to its end. Exit 0: done; 1: failed or cancelled; 130: the watcher left, the run continues. */
export const watchRun: Handler<typeof watchCommand> = async (context, run, options) =>
  followRun(context, await namedOrNewest(context, run), options, true)

/** With `hasHints`, a gate or a question that waits for the operator is followed by the command that decides it. */
export async function followRun(
  context: CliContext,
  id: string,
  options: { level?: string; from?: number; json?: true },
  hasHints: boolean,
): Promise<number> {
  const client = context.api()
  const run = await client.call<Wire<Run>>(runEndpoints.show, { run_id: id })
  const leave = new AbortController()
  const prompter = hasHints && !options.json ? prompterOf(() => leave.abort()) : null
  const printEvent = (event: EventLine): void => {
    const write = (): void => context.out(formatEvent(context, event))
    if (prompter === null) write()
    else prompter.above(write)
  }
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
    here: prompter === null ? null : decideHere(context, prompter, leave.signal),
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
    // A question that is still open would hold the input.
    leave.abort()
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
  /** Null: a decision is left to another place. */
  readonly hint: ((line: string) => void) | null
  /** Asks for decisions on this terminal; null where nobody can type. */
  readonly here: DecisionsHere | null
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
    if (event !== null && show(watching, event)) await offerDecision(watching, event)
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

/** Offers a decision that still waits for the operator: an older event may have been decided long ago. */
async function offerDecision({ client, runId, hint, here }: Watching, event: EventLine): Promise<void> {
  here?.note(event)
  if (hint === null) return
  const { kind, data } = event
  if (kind === 'gate_pending' && data['approver'] === 'operator') {
    const id = data['gate_id']
    const { gates } = await client.call<{ gates: Wire<GateView>[] }>(gateEndpoints.ofRun, { run_id: runId })
    const gate = gates.find((each) => each.id === id && each.status === 'pending')
    if (gate === undefined) return
    if (here !== null) here.gate(gate)
    else hint(`  in another terminal: agency approve ${gate.id}, or agency reject ${gate.id} --reason "…"`)
  }
  if (kind === 'question_asked' || kind === 'question_routed') {
    const id = String(data['question_id'])
    const question = await client.call<Wire<Question>>(questionEndpoints.show, { question_id: id })
    if (question.status !== 'with_operator') return
    if (here !== null) here.question(question)
    else hint(`  in another terminal: agency answer ${id} ${answersTo(question)}`)
  }
}

/** Prompts go to standard error, as standard output may be read by a script. */
function prompterOf(onInterrupt: () => void): Prompter | null {
  const { stdin, stderr } = process
  return stdin.isTTY && stderr.isTTY ? createPrompter({ input: stdin, output: stderr, onInterrupt }) : null
}

/** Returns what a question takes as an answer: own words, except about gates and checks, and the keys of its options. */
function answersTo({ class: cause, options }: Wire<Question>): string {
  const words = cause === 'gate' || cause === 'checks' ? [] : ['"…"']
  const [first = '"…"', ...others] = [...words, ...options.map(({ key }) => plain(key))]
  return others.length === 0 ? first : `${first}   (or: ${others.join(', ')})`
}
