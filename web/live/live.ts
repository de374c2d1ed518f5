import type { QueryClient } from '@tanstack/react-query'

import { Event, eventKinds } from '../../src/events/contract.ts'
import { operations } from '../../src/operations/all.contract.ts'
import { fromWire } from '../../src/operations/wire.ts'
import { call, isSignedOut, requestOf, Unreachable } from '../client.ts'
import { after, nowMs } from '../clock.ts'
import { createInvalidation } from './invalidation.ts'

export type Connection =
  | { readonly state: 'connecting' | 'live' | 'signed_out' }
  /** What is shown is from `since`. */
  | { readonly state: 'reconnecting' | 'offline'; readonly since: number }

/** Somebody who follows events: told what came, and when to look for what was missed in between. */
export interface Follower {
  opened(): void
  received(events: readonly Event[]): void
}

export interface Live {
  start(): void
  connection(): Connection
  subscribe(listener: () => void): () => void
  follow(follower: Follower): () => void
  /** An answer said 401: nothing more is asked until the browser has signed in again. */
  signedOut(): void
  /** Asks at once instead of at the next try. */
  retry(): void
}

/** The browser's own reconnection waits about three seconds; ours only steps in where the browser gives up. */
const retryMs = [500, 1_000, 2_000, 5_000]

const gatherMs = 50

/**
 * One stream of everything per visible tab. It invalidates answers and feeds the open log, nothing else: what the page
 * shows always comes from the same operations that a reload would ask.
 */
export function createLive(queryClient: QueryClient): Live {
  const invalidation = createInvalidation(queryClient)
  const listeners = new Set<() => void>()
  const followers = new Set<Follower>()
  let connection: Connection = { state: 'connecting' }
  let source: EventSource | null = null
  let failures = 0
  let cancelRetry = (): void => {}
  let round = 0
  let received: Event[] = []

  const set = (next: Connection): void => {
    connection = next
    for (const listener of listeners) listener()
  }

  /** A stream that starts now: what happened before is in the answers, which are asked for again once it is open. */
  const connect = async (): Promise<void> => {
    const mine = (round += 1)
    cancelRetry()
    source?.close()
    source = null
    let position: number
    try {
      const newest = await call(operations.event.list, { latest: 'true', limit: 1 })
      position = newest.events.at(-1)?.position ?? 0
    } catch (error) {
      if (mine === round) failed(error)
      return
    }
    if (mine === round) open(position)
  }

  const open = (position: number): void => {
    const opened = new EventSource(requestOf(operations.event.list, { after: position }).path)
    source = opened
    opened.onopen = () => {
      failures = 0
      set({ state: 'live' })
      void queryClient.invalidateQueries()
      for (const follower of followers) follower.opened()
    }
    const read = (message: MessageEvent<string>): void => receive(fromWire(Event, JSON.parse(message.data)) as Event)
    // Each kind is an event of its own name, and there is no listening to all names.
    for (const kind of eventKinds) opened.addEventListener(kind, read)
    opened.onerror = () => {
      if (source !== opened) return
      lost('reconnecting')
      if (opened.readyState === EventSource.CLOSED) void connect()
      else void probe()
    }
  }

  /** Gathered for a moment: a burst of a thousand lines is one change of the page, not a thousand. */
  const receive = (event: Event): void => {
    invalidation.add(event)
    if (received.push(event) > 1) return
    after(gatherMs, () => {
      const events = received
      received = []
      for (const follower of followers) follower.received(events)
    })
  }

  /** The browser is trying again by itself; whether anybody is there decides what the page says meanwhile. */
  const probe = async (): Promise<void> => {
    try {
      await call(operations.daemon.whoami, {})
    } catch (error) {
      if (source?.readyState === EventSource.OPEN) return
      if (error instanceof Unreachable) lost('offline')
      else failed(error)
    }
  }

  const failed = (error: unknown): void => {
    if (isSignedOut(error)) return signedOut()
    lost(error instanceof Unreachable ? 'offline' : 'reconnecting')
    cancelRetry = after(retryMs[Math.min(failures, retryMs.length - 1)] ?? 0, () => void connect())
    failures += 1
  }

  const lost = (state: 'reconnecting' | 'offline'): void => {
    set({ state, since: 'since' in connection ? connection.since : nowMs() })
  }

  const signedOut = (): void => {
    round += 1
    cancelRetry()
    source?.close()
    source = null
    if (connection.state !== 'signed_out') set({ state: 'signed_out' })
  }

  return {
    start: () => {
      void connect()
      // A browser keeps six connections to one address over HTTP/1.1: a hidden tab must not hold one for ever.
      document.addEventListener('visibilitychange', () => {
        if (document.visibilityState === 'visible') return void connect()
        round += 1
        cancelRetry()
        source?.close()
        source = null
      })
      // Signing in happens in another tab, so coming back to this one is the moment to try again.
      window.addEventListener('focus', () => {
        if (connection.state === 'signed_out') void connect()
      })
    },
    connection: () => connection,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    follow: (follower) => {
      followers.add(follower)
      return () => followers.delete(follower)
    },
    signedOut,
    retry: () => void connect(),
  }
}
