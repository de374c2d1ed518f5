import type { CliContext } from '../../../cli/context.ts'
import type { Client } from '../../../cli/client.ts'
import type { Wire } from '../../../cli/wire.ts'
import { type EventLine, formatEvent } from '../../../events/cli.ts'
import type { Run } from '../contract.ts'

export interface WatchOptions {
  level?: 'normal' | 'verbose'
  from?: number
  json?: true
}

const pageSize = 1_000

/** Follows a run to its end. Exit 0: done; 1: failed or cancelled; 130: the watcher left, the run goes on. */
export async function watchRun(context: CliContext, id: string, options: WatchOptions): Promise<number> {
  const client = context.api()
  const run = await client.get<Wire<Run>>(`/runs/${encodeURIComponent(id)}`)
  const path = `/runs/${run.id}/events`
  const level = options.level ?? 'normal'
  let last = (options.from ?? 1) - 1
  const print = (event: EventLine): void => {
    if (event.seq <= last) return
    last = event.seq
    context.out(options.json ? JSON.stringify(event) : formatEvent(context, event))
  }
  const leave = new AbortController()
  const onInterrupt = (): void => leave.abort()
  // Once: a second Ctrl-C ends even a command that hangs.
  process.once('SIGINT', onInterrupt)
  try {
    const ended =
      run.ended_at === null ? await followLive(client, run.id, path, level, () => last, print, leave.signal) : run
    if (ended === null) {
      context.err(`\nagency: no longer watching; the run goes on (agency watch ${run.id})`)
      return 130
    }
    for await (const event of pages(client, path, level, () => last)) print(event)
    return ended.status === 'done' ? 0 : 1
  } finally {
    process.off('SIGINT', onInterrupt)
  }
}

/** The run once it has ended, or null when the watcher left first. */
async function followLive(
  client: Client,
  id: string,
  path: string,
  level: string,
  last: () => number,
  print: (event: EventLine) => void,
  signal: AbortSignal,
): Promise<Wire<Run> | null> {
  for await (const message of client.follow(path, { level }, { lastId: String(last()), signal })) {
    const event = message === 'open' ? null : (JSON.parse(message.data) as EventLine)
    if (event !== null) print(event)
    // Looked up after each connection too: it may have ended while nobody listened, with every event already seen.
    if (event !== null && event.kind !== 'run_status') continue
    const run = await client.get<Wire<Run>>(`/runs/${id}`)
    if (run.ended_at !== null) return run
  }
  return signal.aborted ? null : await client.get<Wire<Run>>(`/runs/${id}`)
}

async function* pages(client: Client, path: string, level: string, last: () => number): AsyncGenerator<EventLine> {
  for (;;) {
    const { events } = await client.get<{ events: EventLine[] }>(path, { level, after: last(), limit: pageSize })
    yield* events
    if (events.length < pageSize) return
  }
}
