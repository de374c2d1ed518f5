import type { Db, Tx } from '../db/port.ts'
import { type Actor, actorName, type AgentActor } from '../kernel/actor.ts'
import type { Clock } from '../kernel/clock.ts'
import { refusal } from '../kernel/errors.ts'
import { createRateLimit } from '../kernel/rate.ts'
import { appendEvent } from './append.ts'
import type { Event, EventFilter, LogLine } from './contract.ts'
import type { Feed } from './feed.ts'
import { listStreamEvents, readFeedPage, readNewest } from './store.ts'

export interface EventDeps {
  db: Db
  clock: Clock
  feed: Feed
  /** From an id or enough of its beginning. */
  resolveRun: (by: Actor, prefix: string) => Promise<string>
  hasRunEnded: (runId: string) => Promise<boolean>
  /** Throws `stale_fence` unless the attempt is the one at work on its brief; says where that brief belongs. */
  checkFence: (tx: Tx, by: AgentActor) => Promise<{ tier: string | null; workstream: string | null }>
}

type FeedFilter = EventFilter & { latest?: boolean | undefined }
type RunFilter = EventFilter & { runId: string }

export type Events = ReturnType<typeof createEvents>

export function createEvents({ db, clock, feed, resolveRun, hasRunEnded, checkFence }: EventDeps) {
  // A person reads along; an agent that writes more than this has lost its way, and would fill the store.
  const logLimit = createRateLimit({ perSecond: 20, burst: 200, clock })

  /** An agent learns nothing about other runs, not even whether they exist. */
  async function runFor(by: Actor, prefix: string): Promise<string> {
    if (by.kind !== 'agent') return resolveRun(by, prefix)
    if (prefix !== '' && by.runId.startsWith(prefix)) return by.runId
    throw refusal('forbidden', 'an agent sees the events of its own run only', { hint: `Your run is ${by.runId}.` })
  }

  return {
    list: (_: Actor, filter: FeedFilter): Promise<{ events: Event[] }> =>
      db.read(async (tx) => ({
        events: startsAtNewest(filter) ? await readNewest(tx, filter) : (await readFeedPage(tx, filter)).events,
      })),

    async ofRun(by: Actor, filter: RunFilter): Promise<{ events: Event[] }> {
      const runId = await runFor(by, filter.runId)
      return { events: await db.read((tx) => listStreamEvents(tx, `run:${runId}`, filter)) }
    },

    /** Everything as it happens. */
    async *follow(filter: FeedFilter, signal: AbortSignal): AsyncGenerator<readonly Event[]> {
      let after = filter.after ?? 0
      if (startsAtNewest(filter)) {
        const newest = await db.read((tx) => readNewest(tx, filter))
        if (newest.length > 0) yield newest
        after = newest.at(-1)?.position ?? 0
      }
      yield* feed.followPages({ stream: null, after, kinds: filter.kind, level: filter.level, signal })
    },

    /** One run as it happens, to its end; resolves once it is known which. */
    async followRun(by: Actor, filter: RunFilter, signal: AbortSignal): Promise<AsyncIterable<readonly Event[]>> {
      const runId = await runFor(by, filter.runId)
      return feed.followPages({
        stream: `run:${runId}`,
        after: filter.after ?? 0,
        kinds: filter.kind,
        level: filter.level,
        signal,
        until: () => hasRunEnded(runId),
      })
    },

    async log(by: Actor, line: LogLine): Promise<{ seq: number }> {
      if (by.kind !== 'agent') throw refusal('forbidden', 'only an agent writes to the log of its run')
      if (!logLimit.take(by.attemptId))
        throw refusal('rate_limited', 'too many log lines at once', {
          hint: 'Twenty a second are kept; put several into one, or leave some out.',
        })
      const stream = `run:${by.runId}` as const
      return db.write([stream], async (tx) => {
        const { tier, workstream } = await checkFence(tx, by)
        const { runId, briefId, attemptId } = by
        const { kind, level, message } = line
        return {
          seq: await appendEvent(tx, stream, {
            kind,
            by: actorName(by),
            runId,
            briefId,
            attemptId,
            tier: tier?.toUpperCase() ?? null,
            workstream,
            level,
            message,
          }),
        }
      })
    },
  }
}

/** Whoever names a place wants to go on from there, as a browser does that reconnects. */
const startsAtNewest = (filter: FeedFilter): boolean => filter.latest === true && filter.after === undefined
