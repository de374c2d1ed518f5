import type { Actor } from '../kernel/actor.ts'
import type { Clock } from '../kernel/clock.ts'
import { type AgencyError, refusal } from '../kernel/errors.ts'
import { createRateLimit } from '../kernel/rate.ts'
import { createSlots } from '../kernel/slots.ts'
import type { Operation } from '../operations/contract.ts'

/** The limits of the bodies of one sender. */
export interface BodyLimits {
  readonly maxBytes: number
  /** Values in the body, counted with their keys: checking them takes far longer than reading their bytes. */
  readonly maxNodes: number
  /** Bytes of all bodies of the sender that have not arrived completely yet. */
  readonly maxPendingBytes: number
  /** The time in which a body has to arrive. */
  readonly timeoutMs: number
}

/** A place among the bodies that one sender sends at the same time. */
export interface BodySlot {
  readonly limits: BodyLimits
  /** Counts bytes that have arrived; throws if the sender keeps too many. */
  add(bytes: number): void
  release(): void
}

export interface SenderLimits {
  /** Counts a request of an agent; throws if its attempt sends too many. */
  countRequest(by: Actor, operation: Operation): void
  /** Counts the bytes that an agent asks to store; throws if its attempt stores too much. */
  countStored(by: Actor, bytes: number): void
  /** Null: a sender that is not identified yet, which has the code of a link to send. */
  openBody(by: Actor | null): BodySlot
  /** Takes a place among the live streams of the sender; throws if it has too many. */
  openStream(by: Actor): () => void
}

const agentBytes = 256 * 1024
const bodiesAtOnce = 8
/** More than the connections over TCP: a user of the machine who keeps the operator from signing in needs all of these. */
const unknownAtOnce = 512
const streamsAtOnce = 16
/** The operator's browsers and terminals; the limit protects the daemon from a fault of a program. */
const operatorStreamsAtOnce = 256

/**
 * Creates the limits of one sender: the bytes that the daemon reads, holds and stores for it. An attempt gets little: its agent may
 * be hostile, and others wait while the daemon works for it. The operator gets as much as the memory of the daemon
 * allows.
 */
export function createSenderLimits({ clock, maxBodyBytes }: { clock: Clock; maxBodyBytes: number }): SenderLimits {
  const operatorBody: BodyLimits = {
    maxBytes: maxBodyBytes,
    maxNodes: 100_000,
    maxPendingBytes: 2 * maxBodyBytes,
    timeoutMs: 60_000,
  }
  const agentBody: BodyLimits = {
    maxBytes: Math.min(maxBodyBytes, agentBytes),
    maxNodes: 8_000,
    maxPendingBytes: 4 * agentBytes,
    timeoutMs: 20_000,
  }
  const unknownBody: BodyLimits = {
    maxBytes: 1_000,
    maxNodes: 10,
    maxPendingBytes: unknownAtOnce * 1_000,
    timeoutMs: 10_000,
  }
  const bodies = { agent: createSlots(bodiesAtOnce), operator: createSlots(64), unknown: createSlots(unknownAtOnce) }
  const streams = { agent: createSlots(streamsAtOnce), operator: createSlots(operatorStreamsAtOnce) }
  const pending = new Map<string, number>()
  const reads = createRateLimit({ perSecond: 50, burst: 500, clock })
  const writes = createRateLimit({ perSecond: 20, burst: 300, clock })
  const stored = createRateLimit({ perSecond: 32 * 1024, burst: 8 * 1024 * 1024, clock })
  const own = new Map<string, ReturnType<typeof createRateLimit>>()

  const limitOf = ({ name, method, agentRate }: Operation): ReturnType<typeof createRateLimit> => {
    if (agentRate === undefined) return method === 'GET' ? reads : writes
    const limit = own.get(name) ?? createRateLimit({ ...agentRate, clock })
    own.set(name, limit)
    return limit
  }

  return {
    countRequest(by, operation) {
      if (by.kind !== 'agent' || limitOf(operation).take(by.attemptId)) return
      throw tooMany(`this attempt has called ${operation.name} too often`, 'Wait before you call it again.')
    },

    countStored(by, bytes) {
      if (by.kind !== 'agent' || stored.take(by.attemptId, bytes)) return
      throw tooMany('this attempt has sent too much to be stored', 'Send less: put large texts into files.')
    },

    openBody(by) {
      const key = keyOf(by)
      const free = bodies[kindOf(by)].take(key)
      if (free === null)
        throw tooMany('too many bodies are being sent at the same time', 'Send them one after the other.')
      const limits = { agent: agentBody, operator: operatorBody, unknown: unknownBody }[kindOf(by)]
      let own = 0
      const count = (bytes: number): number => {
        own += bytes
        const total = (pending.get(key) ?? 0) + bytes
        if (total === 0) pending.delete(key)
        else pending.set(key, total)
        return total
      }
      return {
        limits,
        add(bytes) {
          if (count(bytes) > limits.maxPendingBytes)
            throw tooMany('too many bytes are being sent at the same time', 'Send the bodies one after the other.')
        },
        release() {
          free()
          count(-own)
        },
      }
    },

    openStream(by) {
      const free = streams[by.kind === 'agent' ? 'agent' : 'operator'].take(keyOf(by))
      if (free === null) throw tooMany('too many live streams are open', 'Close one of them.')
      return free
    },
  }
}

const kindOf = (by: Actor | null) => (by === null ? 'unknown' : by.kind === 'agent' ? 'agent' : 'operator')
const keyOf = (by: Actor | null): string => (by?.kind === 'agent' ? by.attemptId : (by?.kind ?? 'unknown'))

const tooMany = (message: string, hint: string): AgencyError => refusal('rate_limited', message, { hint })
