import type { Event } from '../../src/events/contract.ts'

/** What a log keeps of an event; its data is asked for again when somebody looks at the line. */
export type Line = Pick<
  Event,
  'position' | 'seq' | 'at' | 'kind' | 'by' | 'level' | 'tier' | 'code' | 'message' | 'runId' | 'briefId' | 'attemptId'
>

export interface LogSource {
  /** `seq` within a run, `position` in the feed of everything. */
  readonly place: 'seq' | 'position'
  /** Whether places rise by one, so that a missing event shows. The feed's have gaps, and may come a little out of order. */
  readonly gapless: boolean
  newest(): Promise<readonly Event[]>
  /** The next page after a place, oldest first, at most `pageSize`. */
  after(place: number): Promise<readonly Event[]>
}

export interface LogState {
  /** Oldest first, each once. */
  readonly lines: readonly Line[]
  readonly phase: 'loading' | 'ready' | 'failed'
  /** Everything from the first event on is here. */
  readonly whole: boolean
  readonly error: unknown
}

export interface Log {
  state(): LogState
  subscribe(listener: () => void): () => void
  /** Fetches the newest lines, or after a break what was missed since the last one. */
  catchUp(): Promise<void>
  receive(events: readonly Event[]): void
  /** One more page at the beginning. */
  loadOlder(): Promise<void>
}

export const pageSize = 1_000

/** With several writers the feed is not strictly by place, so that pages must reach a little into each other. */
const overlap = 100

/** A log keeps at most this many lines; the older ones stay in the store. */
export const maxLines = 200_000

export function createLog(source: LogSource): Log {
  const listeners = new Set<() => void>()
  let state: LogState = { lines: [], phase: 'loading', whole: false, error: null }
  /** Between the newest line here and what is being sent now, events may be missing. */
  let behind = true
  let early: Event[] = []
  let catchingUp: Promise<void> | null = null
  let loadingOlder: Promise<void> | null = null
  /** Everything from this place on was looked at. */
  let floor = 0
  /** Where to read on: the place of the last event got, which in the feed need not be the highest. */
  let reached = 0
  const known = new Set<number>()

  const set = (patch: Partial<LogState>): void => {
    state = { ...state, ...patch }
    for (const listener of listeners) listener()
  }

  const unknown = (events: readonly Event[]): Line[] => {
    const fresh = events.filter((event) => !known.has(event[source.place]))
    for (const event of fresh) known.add(event[source.place])
    return fresh.map(toLine)
  }

  const append = (events: readonly Event[]): void => {
    reached = events.at(-1)?.[source.place] ?? reached
    const fresh = unknown(events)
    if (fresh.length === 0) return
    const lines = compareByAge([...state.lines, ...fresh], source.place)
    if (lines.length <= maxLines) return set({ lines })
    set({ lines: lines.slice(lines.length - maxLines), whole: false })
  }

  const seed = async (): Promise<void> => {
    const newest = await source.newest()
    append(newest)
    floor = state.lines[0]?.[source.place] ?? 1
    set({ whole: floor === 1 })
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
      const begin = Math.max(0, floor - 1 - (pageSize - overlap))
      const page = await source.after(begin)
      floor = begin + 1
      set({ lines: compareByAge([...unknown(page), ...state.lines], source.place), whole: begin === 0, error: null })
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
    receive: (events) => {
      const next = events.find((event) => !known.has(event[source.place]))
      if (next === undefined) return
      if (source.gapless && next[source.place] > reached + 1) behind = true
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

/** Nearly always they are already: then this is one look at each. */
function compareByAge(lines: Line[], place: 'seq' | 'position'): Line[] {
  const isOrdered = lines.every((line, index) => index === 0 || (lines[index - 1]?.[place] ?? 0) < line[place])
  return isOrdered ? lines : lines.sort((a, b) => a[place] - b[place])
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
