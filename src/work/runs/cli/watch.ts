import type { watchCommand } from '../../../cli/commands/watch.ts'
import type { Handler } from '../../../cli/declare.ts'
import { viewOf } from '../../../cli/playbook-views.ts'
import type { Client } from '../../../client/client.ts'
import type { Wire } from '../../../cli/wire.ts'
import { type EventLine, formatEvent } from '../../../events/cli.ts'
import { eventEndpoints } from '../../../events/endpoints.ts'
import type { Run } from '../contract.ts'
import { runEndpoints } from '../endpoints.ts'

const pageSize = 1_000

/** Follows a run to its end. Exit 0: done; 1: failed or cancelled; 130: the watcher left, the run continues. */
export const watchRun: Handler<typeof watchCommand> = async (context, id, options) => {
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
    print: options.json
      ? (event) => context.out(JSON.stringify(event))
      : (viewOf(run)?.tagged(printEvent) ?? printEvent),
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
    if (event !== null) show(watching, event)
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

function show(watching: Watching, event: EventLine): void {
  if (event.seq <= watching.seen) return
  watching.seen = event.seq
  watching.print(event)
}
