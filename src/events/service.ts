import type { Db, ReadTx, Tx } from '../db/port.ts'
import { type Actor, actorName, type AgentActor } from '../kernel/actor.ts'
import type { Clock } from '../kernel/clock.ts'
import { refusal } from '../kernel/errors.ts'
import { createRateLimit } from '../kernel/rate.ts'
import { appendEvent } from './append.ts'
import type { Event, EventFilter, LogLine } from './contract.ts'
import type { Feed } from './feed.ts'
import { listStreamEvents, newestSeq, readFeedPage, readNewest } from './store.ts'

export interface EventDeps {
  db: Db
  clock: Clock
  feed: Feed
  /** Resolves a run by its id or a unique prefix. */
  resolveRun: (by: Actor, prefix: string) => Promise<string>
  hasRunEnded: (runId: string) => Promise<boolean>
  /** Throws `stale_fence` unless the attempt is the current one of its brief; returns the tags of the brief's events. */
  checkFence: (tx: Tx, by: AgentActor) => Promise<{ readonly tier?: string; readonly workstream?: string }>
}

type PagedFilter = EventFilter & { latest?: boolean | undefined }
type FeedFilter = PagedFilter & { before?: number | undefined; text?: string | undefined }
type RunFilter = PagedFilter & { runId: string }

export type Events = ReturnType<typeof createEvents>

export function createEvents({ db, clock, feed, resolveRun, hasRunEnded, checkFence }: EventDeps) {
  // People read the log; an agent that writes more than this is malfunctioning and would fill the store.
  const logLimit = createRateLimit({ perSecond: 20, burst: 200, clock })

  /** Resolves a run for an actor. An agent learns nothing about other runs, not even whether they exist. */
  async function runFor(by: Actor, prefix: string): Promise<string> {
    if (by.kind !== 'agent') return resolveRun(by, prefix)
    if (prefix !== '' && by.runId.startsWith(prefix)) return by.runId
    throw refusal('forbidden', 'an agent can read only the events of its own run', { hint: `Your run is ${by.runId}.` })
  }

  return {
    list: (_: Actor, filter: FeedFilter): Promise<{ events: Event[] }> =>
      db.read(async (tx) => ({
        events:
          filter.before !== undefined || startsAtNewest(filter)
            ? await readNewest(tx, filter)
            : (await readFeedPage(tx, filter)).events,
      })),

    async ofRun(by: Actor, filter: RunFilter): Promise<{ events: Event[] }> {
      const runId = await runFor(by, filter.runId)
      return {
        events: await db.read(async (tx) =>
          listStreamEvents(tx, `run:${runId}`, { ...filter, after: await beginOf(tx, runId, filter) }),
        ),
      }
    },

    /** Yields all events as they happen. */
    async *follow(filter: FeedFilter, signal: AbortSignal): AsyncGenerator<readonly Event[]> {
      let after = filter.after ?? 0
      if (startsAtNewest(filter)) {
        const newest = await db.read((tx) => readNewest(tx, filter))
        if (newest.length > 0) yield newest
        after = newest.at(-1)?.position ?? 0
      }
      yield* feed.followPages({
        stream: null,
        after,
        kinds: filter.kind,
        level: filter.level,
        text: filter.text,
        signal,
      })
    },

    /** Yields the events of one run as they happen, until it ends; resolves once the run is found. */
    async followRun(by: Actor, filter: RunFilter, signal: AbortSignal): Promise<AsyncIterable<readonly Event[]>> {
      const runId = await runFor(by, filter.runId)
      return feed.followPages({
        stream: `run:${runId}`,
        after: (await db.read((tx) => beginOf(tx, runId, filter))) ?? 0,
        kinds: filter.kind,
        level: filter.level,
        signal,
        until: () => hasRunEnded(runId),
      })
    },

    async log(by: Actor, line: LogLine): Promise<{ seq: number }> {
      if (by.kind !== 'agent') throw refusal('forbidden', 'only an agent can write to the log of its run')
      if (!logLimit.take(by.attemptId))
        throw refusal('rate_limited', 'this attempt has written too many log lines at once', {
          hint: 'The limit is 20 lines per second: combine several lines into one, or write fewer.',
        })
      const stream = `run:${by.runId}` as const
      return db.write([stream], async (tx) => {
        const tags = await checkFence(tx, by)
        const { runId, briefId, attemptId } = by
        const { kind, level, message } = line
        return {
          seq: await appendEvent(tx, stream, {
            kind,
            by: actorName(by),
            runId,
            briefId,
            attemptId,
            ...tags,
            level,
            message,
          }),
        }
      })
    },
  }
}

/** Returns the number after which the events of a run are listed. */
const beginOf = async (tx: ReadTx, runId: string, filter: RunFilter): Promise<number | undefined> =>
  startsAtNewest(filter) ? Math.max(0, (await newestSeq(tx, `run:${runId}`)) - filter.limit) : filter.after

/**
 * Reports whether to start at the newest page: a request with a position continues from there, as a reconnecting
 * browser does.
 */
const startsAtNewest = (filter: FeedFilter): boolean => filter.latest === true && filter.after === undefined
