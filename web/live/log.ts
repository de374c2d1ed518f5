import type { Event } from '../../src/events/contract.ts'

/** The part of an event that a log holds; its data is fetched when the line is opened. */
export type Line = Pick<
  Event,
  'position' | 'seq' | 'at' | 'kind' | 'by' | 'level' | 'tier' | 'code' | 'message' | 'runId' | 'briefId' | 'attemptId'
>

export interface LogSource {
  /** `seq` within a run, `position` in the feed of all events. */
  readonly lineKey: 'seq' | 'position'
  /**
   * Whether the numbers rise by one, so that a missing event is noticed. Those of the feed have gaps, and its events may
   * come slightly out of order.
   */
  readonly gapless: boolean
  newest(): Promise<readonly Event[]>
  /** Fetches the next page after a number, oldest first, at most `pageSize`. */
  after(number: number): Promise<readonly Event[]>
  /** Fetches the newest page before a number, oldest first; fewer than `pageSize` are the beginning of the log. */
  before(number: number): Promise<readonly Event[]>
  /** Reports whether an event of the stream of all events belongs to the log. */
  accepts(event: Event): boolean
}

export interface LogState {
  /** Oldest first, each once. */
  readonly lines: readonly Line[]
  readonly phase: 'loading' | 'ready' | 'failed'
  /** All events from the first one on are loaded. */
  readonly whole: boolean
  readonly error: unknown
}

export interface Log {
  state(): LogState
  subscribe(listener: () => void): () => void
  /** Fetches the newest lines, or after an interruption the lines missed since the last one. */
  catchUp(): Promise<void>
  receive(events: readonly Event[]): void
  /** Fetches one more page at the beginning. */
  loadOlder(): Promise<void>
}

export const pageSize = 1_000

/** A log holds at most this many lines; older ones stay in the store. */
export const maxLines = 200_000

export function createLog(source: LogSource): Log {
  const listeners = new Set<() => void>()
  let state: LogState = { lines: [], phase: 'loading', whole: false, error: null }
  /** Events may be missing between the newest line here and the events that arrive now. */
  let behind = true
  let early: Event[] = []
  let catchingUp: Promise<void> | null = null
  let loadingOlder: Promise<void> | null = null
  /** The number to continue reading after: that of the last event received, which in the feed need not be the highest. */
  let reached = 0
  const known = new Set<number>()

  const set = (patch: Partial<LogState>): void => {
    state = { ...state, ...patch }
    for (const listener of listeners) listener()
  }

  const unknown = (events: readonly Event[]): Line[] => {
    const fresh = events.filter((event) => !known.has(event[source.lineKey]))
    for (const event of fresh) known.add(event[source.lineKey])
    return fresh.map(toLine)
  }

  const append = (events: readonly Event[]): void => {
    reached = events.at(-1)?.[source.lineKey] ?? reached
    const fresh = unknown(events)
    if (fresh.length === 0) return
    const lines = sortLines([...state.lines, ...fresh], source.lineKey)
    if (lines.length <= maxLines) return set({ lines })
    set({ lines: lines.slice(lines.length - maxLines), whole: false })
  }

  const seed = async (): Promise<void> => {
    const newest = await source.newest()
    append(newest)
    set({ whole: newest.length < pageSize })
  }

  const fetchMissed = async (): Promise<void> => {
    try {
      if (state.lines.length === 0) await seed()
      let page: readonly Event[]
      do {
        page = await source.after(reached)
        append(page)
      } while (page.length === pageSize)
      append(early)
      behind = false
      set({ phase: 'ready', error: null })
    } catch (error) {
      set({ phase: state.lines.length === 0 ? 'failed' : 'ready', error })
    } finally {
      early = []
      catchingUp = null
    }
  }

  const catchUp = (): Promise<void> => {
    behind = true
    return (catchingUp ??= fetchMissed())
  }

  const fetchOlder = async (): Promise<void> => {
    try {
      const page = await source.before(state.lines[0]?.[source.lineKey] ?? 1)
      set({
        lines: sortLines([...unknown(page), ...state.lines], source.lineKey),
        whole: page.length < pageSize,
        error: null,
      })
    } catch (error) {
      set({ error })
    } finally {
      loadingOlder = null
    }
  }

  return {
    state: () => state,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    catchUp,
    receive: (received) => {
      const events = received.filter(source.accepts)
      const next = events.find((event) => !known.has(event[source.lineKey]))
      if (next === undefined) return
      if (source.gapless && next[source.lineKey] > reached + 1) behind = true
      if (!behind) return append(events)
      early.push(...events)
      void catchUp()
    },
    loadOlder: () => {
      if (state.whole || state.lines.length === 0 || state.lines.length >= maxLines) return Promise.resolve()
      return (loadingOlder ??= fetchOlder())
    },
  }
}

/** Sorts lines by their number. They nearly always are sorted already: then this is one comparison per line. */
function sortLines(lines: Line[], lineKey: 'seq' | 'position'): Line[] {
  const isOrdered = lines.every((line, index) => index === 0 || (lines[index - 1]?.[lineKey] ?? 0) < line[lineKey])
  return isOrdered ? lines : lines.sort((a, b) => a[lineKey] - b[lineKey])
}

const toLine = (event: Event): Line => ({
  position: event.position,
  seq: event.seq,
  at: event.at,
  kind: event.kind,
  by: event.by,
  level: event.level,
  tier: event.tier,
  code: event.code,
  message: event.message,
  runId: event.runId,
  briefId: event.briefId,
  attemptId: event.attemptId,
})
