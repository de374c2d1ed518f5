import type { CliContext } from '../../../cli/context.ts'
import type { Client } from '../../../client/client.ts'
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
  const leave = new AbortController()
  const onInterrupt = (): void => leave.abort()
  // Once: a second Ctrl-C ends even a command that hangs.
  process.once('SIGINT', onInterrupt)
  const watching: Watching = {
    client,
    runId: run.id,
    level: options.level ?? run.configuration.team?.log_level ?? 'normal',
    seen: (options.from ?? 1) - 1,
    print: options.json
      ? (event) => context.out(JSON.stringify(event))
      : inItsTier(run, (event) => context.out(formatEvent(context, event))),
    signal: leave.signal,
  }
  try {
    const ended = run.ended_at === null ? await followLive(watching) : run
    if (ended !== null) {
      await printRest(watching)
      return ended.status === 'done' ? 0 : 1
    }
  } finally {
    process.off('SIGINT', onInterrupt)
  }
  context.err(`\nagency: no longer watching; the run goes on (agency watch ${run.id})`)
  return 130
}

/** What does not say whose it is belongs to whoever has its brief; in a run of tiers, else to the first of them. */
export function inItsTier(
  { playbook }: Pick<Wire<Run>, 'playbook'>,
  print: (event: EventLine) => void,
  tiers = new Map<string, string>(),
): (event: EventLine) => void {
  if (playbook !== 'tiered') return print
  return (event) => {
    const { brief_id: brief, tier } = event
    if (brief !== null && tier !== null && tier !== 'GATE') tiers.set(brief, tier)
    print({ ...event, tier: tier ?? tiers.get(brief ?? '') ?? 'T1' })
  }
}

interface Watching {
  client: Client
  runId: string
  level: string
  /** The last event that was printed, by its sequence. */
  seen: number
  print(event: EventLine): void
  signal: AbortSignal
}

/** The run once it has ended, or null when the watcher left first. */
async function followLive(watching: Watching): Promise<Wire<Run> | null> {
  const { client, runId, level, signal } = watching
  const lookUp = (): Promise<Wire<Run>> => client.get<Wire<Run>>(`/runs/${runId}`)
  const messages = client.follow(`/runs/${runId}/events`, { level }, { lastId: String(watching.seen), signal })
  for await (const message of messages) {
    const event = message === 'open' ? null : (JSON.parse(message.data) as EventLine)
    if (event !== null) show(watching, event)
    // Looked up after each connection too: it may have ended while nobody listened, with every event already seen.
    if (event !== null && event.kind !== 'run_status') continue
    const run = await lookUp()
    if (run.ended_at !== null) return run
  }
  return signal.aborted ? null : await lookUp()
}

async function printRest(watching: Watching): Promise<void> {
  for (;;) {
    const { events } = await watching.client.get<{ events: EventLine[] }>(`/runs/${watching.runId}/events`, {
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
