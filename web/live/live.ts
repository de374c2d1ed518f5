import type { QueryClient } from '@tanstack/react-query'

import { Event, eventKinds } from '../../src/events/contract.ts'
import type { StreamMessage } from '../../src/kernel/event-stream.ts'
import { operations } from '../../src/operations/all.contract.ts'
import { fromWire } from '../../src/operations/wire.ts'
import { call, follow, isSignedOut, Unreachable } from '../client.ts'
import { after, nowMs } from '../clock.ts'
import { createInvalidation } from './invalidation.ts'

export type Connection =
  | { readonly state: 'connecting' | 'live' | 'signed_out' }
  /** The page shows data from `since`. */
  | { readonly state: 'reconnecting' | 'offline'; readonly since: number }

/** A subscriber to events: receives new ones, and learns when the stream opened so that it can fetch those it missed. */
export interface Follower {
  opened(): void
  received(events: readonly Event[]): void
}

export interface Live {
  start(): void
  connection(): Connection
  subscribe(listener: () => void): () => void
  follow(follower: Follower): () => void
  /** Call it after a response with status 401: no request is sent until the browser has signed in again. */
  signedOut(): void
  /** Connects at once instead of at the next retry. */
  retry(): void
}

const retryMs = [500, 1_000, 2_000, 5_000]

const gatherMs = 50

/**
 * One stream of all events per visible tab. It only invalidates responses and feeds the open log: the data on the page
 * always comes from the same operations that a reload would call.
 */
export function createLive(queryClient: QueryClient): Live {
  const invalidation = createInvalidation(queryClient)
  const listeners = new Set<() => void>()
  const followers = new Set<Follower>()
  let connection: Connection = { state: 'connecting' }
  let stream: AbortController | null = null
  let failures = 0
  let cancelRetry = (): void => {}
  let round = 0
  let received: Event[] = []

  const set = (next: Connection): void => {
    connection = next
    for (const listener of listeners) listener()
  }

  /** Opens a stream that starts now. Earlier events are covered by the responses, which are refetched once it is open. */
  const connect = async (): Promise<void> => {
    const mine = (round += 1)
    cancelRetry()
    closeStream()
    let position: number
    try {
      const newest = await call(operations.event.list, { latest: 'true', limit: 1 })
      position = newest.events.at(-1)?.position ?? 0
    } catch (error) {
      if (mine === round) failed(error)
      return
    }
    if (mine === round) await open(position, mine)
  }

  const closeStream = (): void => {
    stream?.abort()
    stream = null
  }

  const open = async (position: number, mine: number): Promise<void> => {
    const own = new AbortController()
    stream = own
    const opened = (): void => {
      failures = 0
      set({ state: 'live' })
      void queryClient.invalidateQueries()
      for (const follower of followers) follower.opened()
    }
    const received = ({ event, data }: StreamMessage): void => {
      if (mine === round && isKind(event)) receive(fromWire(Event, JSON.parse(data)) as Event)
    }
    try {
      await follow(operations.event.list, { after: position }, { opened, received }, own.signal)
    } catch (error) {
      if (mine !== round) return
      if (!(error instanceof Unreachable) || connection.state !== 'live') return failed(error)
    }
    if (mine !== round) return
    // It was open and has ended: whether the daemon still answers is known from the next request.
    lost('reconnecting')
    cancelRetry = after(retryMs[0] ?? 0, () => void connect())
  }

  /** Collects events for a moment: a burst of a thousand lines is one update of the page, not a thousand. */
  const receive = (event: Event): void => {
    invalidation.add(event)
    if (received.push(event) > 1) return
    after(gatherMs, () => {
      const events = received
      received = []
      for (const follower of followers) follower.received(events)
    })
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
    closeStream()
    if (connection.state !== 'signed_out') set({ state: 'signed_out' })
  }

  return {
    start: () => {
      void connect()
      // A browser allows six connections to one address over HTTP/1.1: a hidden tab must not occupy one permanently.
      document.addEventListener('visibilitychange', () => {
        if (document.visibilityState === 'visible') return void connect()
        round += 1
        cancelRetry()
        closeStream()
      })
      // Signing in happens in another tab, so this tab retries when it gets the focus back.
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

const isKind = (name: string): boolean => (eventKinds as readonly string[]).includes(name)
