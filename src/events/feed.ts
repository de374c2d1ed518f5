import type { Db, Stream } from '../db/port.ts'
import type { Event, EventKind, EventLevel } from './contract.ts'
import { type EventPage, readFeedPage, readStreamPage } from './store.ts'

export interface Subscription {
  /** A stream, to get its events by sequence; or null for all events, by position. */
  stream: Stream | null
  after: number
  kinds?: readonly EventKind[] | undefined
  level?: EventLevel | undefined
  text?: string | undefined
  signal: AbortSignal
  /** Called before each read; once it resolves to true, the feed ends with the events that exist then. */
  until?: () => Promise<boolean>
}

export interface Feed {
  /**
   * Yields every event after the position once, as it is committed. The reader pulls: nothing is buffered for a slow
   * one.
   */
  follow(subscription: Subscription): AsyncIterable<Event>
  /** Yields the same events in pages, as they were read. */
  followPages(subscription: Subscription): AsyncIterable<readonly Event[]>
}

const pageSize = 100

export function createFeed({ db }: { db: Db }): Feed {
  const readPage = ({ stream, kinds, level, text }: Subscription, after: number): Promise<EventPage> =>
    db.read((tx) => {
      const query = { after, limit: pageSize, kind: kinds === undefined ? undefined : [...kinds], level, text }
      return stream === null ? readFeedPage(tx, query) : readStreamPage(tx, stream, query)
    })

  async function* followPages(subscription: Subscription): AsyncGenerator<readonly Event[]> {
    const { signal } = subscription
    const wakeUp = createWakeUp()
    const stopListening = db.onCommit(wakeUp.set)
    signal.addEventListener('abort', wakeUp.set)
    try {
      let after = subscription.after
      while (!signal.aborted) {
        // Cleared before the read: a commit during the read sets it again and is not missed.
        wakeUp.clear()
        const last = (await subscription.until?.()) ?? false
        const page = await readPage(subscription, after)
        if (signal.aborted) return
        after = page.after
        if (page.events.length > 0) yield page.events
        if (page.events.length === pageSize) continue
        if (last) return
        await wakeUp.wait()
      }
    } finally {
      stopListening()
      signal.removeEventListener('abort', wakeUp.set)
    }
  }

  async function* follow(subscription: Subscription): AsyncGenerator<Event> {
    for await (const page of followPages(subscription)) {
      for (const event of page) {
        if (subscription.signal.aborted) return
        yield event
      }
    }
  }

  return { follow, followPages }
}

/** Creates a flag to wait for; set any number of times, it wakes the waiting reader once. */
function createWakeUp(): { set(): void; clear(): void; wait(): Promise<void> } {
  let isSet = false
  let wake: (() => void) | null = null
  return {
    set() {
      isSet = true
      wake?.()
      wake = null
    },
    clear() {
      isSet = false
    },
    wait: () =>
      new Promise<void>((resolve) => {
        if (isSet) resolve()
        else wake = resolve
      }),
  }
}
