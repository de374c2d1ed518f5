import type { Db, Stream } from '../db/port.ts'
import type { Event, EventKind, EventLevel } from './contract.ts'
import { type EventPage, readFeedPage, readStreamPage } from './store.ts'

export interface Following {
  /** One thing's own events by their sequence, or null: everything, by position. */
  stream: Stream | null
  after: number
  kinds?: readonly EventKind[] | undefined
  level?: EventLevel | undefined
  signal: AbortSignal
  /** Asked before each read; once true, the feed ends with what is there then. */
  until?: () => Promise<boolean>
}

export interface Feed {
  /** Every event after the place, once, as it is committed. The reader pulls: nothing is kept for a slow one. */
  follow(following: Following): AsyncIterable<Event>
  /** The same in bunches, as they were read. */
  followPages(following: Following): AsyncIterable<readonly Event[]>
}

const pageSize = 100

export function createFeed({ db }: { db: Db }): Feed {
  const readPage = ({ stream, kinds, level }: Following, after: number): Promise<EventPage> =>
    db.read((tx) => {
      const query = { after, limit: pageSize, kind: kinds === undefined ? undefined : [...kinds], level }
      return stream === null ? readFeedPage(tx, query) : readStreamPage(tx, stream, query)
    })

  async function* followPages(following: Following): AsyncGenerator<readonly Event[]> {
    const { signal } = following
    const bell = createBell()
    const stopListening = db.onCommit(bell.ring)
    signal.addEventListener('abort', bell.ring)
    try {
      let after = following.after
      while (!signal.aborted) {
        // Before the read: a commit that comes while we read rings again, and is not missed.
        bell.silence()
        const last = (await following.until?.()) ?? false
        const page = await readPage(following, after)
        if (signal.aborted) return
        after = page.after
        if (page.events.length > 0) yield page.events
        if (page.events.length === pageSize) continue
        if (last) return
        await bell.rung()
      }
    } finally {
      stopListening()
      signal.removeEventListener('abort', bell.ring)
    }
  }

  async function* follow(following: Following): AsyncGenerator<Event> {
    for await (const page of followPages(following)) {
      for (const event of page) {
        if (following.signal.aborted) return
        yield event
      }
    }
  }

  return { follow, followPages }
}

/** Rung any number of times, it is heard once. */
function createBell(): { ring(): void; silence(): void; rung(): Promise<void> } {
  let ringing = false
  let hear: (() => void) | null = null
  return {
    ring() {
      ringing = true
      hear?.()
      hear = null
    },
    silence() {
      ringing = false
    },
    rung: () =>
      new Promise<void>((resolve) => {
        if (ringing) resolve()
        else hear = resolve
      }),
  }
}
