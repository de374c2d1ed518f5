import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

import type { Actor, AgentActor, OperatorActor } from '../kernel/actor.ts'
import { type Clock, isoAt } from '../kernel/clock.ts'
import { refusal } from '../kernel/errors.ts'
import {
  type AgentId,
  type AttemptId,
  type BriefId,
  operatorPersona,
  randomToken,
  type PersonaId,
  type RunId,
} from '../kernel/ids.ts'

/** The stored state of the attempt that a token names. */
export interface AttemptStanding {
  runId: string
  briefId: string
  agentId: number
  personaId: number
  fence: number
  ended: boolean
  /** The fence of its brief's newest attempt. */
  newestFence: number
}

/** The way by which a request reached the daemon. */
export type Via = 'tcp' | 'socket' | FromBox

/** The request came through the socket of a box that was opened for this attempt; null: for no attempt. */
export interface FromBox {
  readonly attemptId: string | null
}

export interface CredentialOptions {
  operatorToken: string
  /** Signs attempt tokens, which are not stored. */
  chainKey: Uint8Array
  clock: Clock
  findAttempt: (attemptId: string) => Promise<AttemptStanding | undefined>
}

export interface Credentials {
  /**
   * Returns the actor of a bearer token; throws `unauthenticated` or `stale_fence`. The token of a boxed attempt is valid
   * in its own box only, and in a box no other token is valid.
   */
  ofBearer(token: string, via: Via): Promise<Actor>
  /** Returns the attempt whose agent has this token, without asking the store; null for any other token. */
  attemptOf(token: string): AttemptId | null
  /** Makes a token valid in one box only, from now on; returns its attempt. */
  bindToBox(token: string): AttemptId | null
  /** Creates a one-time code for `/enter?code=…`; `whenGone` is called when the code is no longer valid. */
  createLink(path: string, whenGone?: () => void): { code: string; expiresAt: string }
  /** Returns the path that the link leads to, once per link. */
  redeemLink(code: string): string | undefined
}

const linkMs = 10 * 60_000
/** More attempts than ever have an agent at the same time. */
const maxBoxed = 10_000
/** No operator needs more unused links; the oldest are dropped. */
const maxLinks = 100

const operator: OperatorActor = { kind: 'operator', personaId: operatorPersona }

export function createCredentials({ operatorToken, chainKey, clock, findAttempt }: CredentialOptions): Credentials {
  const boxed = new Set<AttemptId>()
  const links = new Map<string, { path: string; expiresMs: number; whenGone: () => void }>()
  const dropLink = (code: string): string | undefined => {
    const link = links.get(code)
    if (link === undefined || !links.delete(code)) return undefined
    link.whenGone()
    return link.expiresMs > clock.nowMs() ? link.path : undefined
  }

  return {
    async ofBearer(token, via) {
      if (token.startsWith('agt_')) return agentOf(token, via)
      if (!isSame(token, operatorToken)) throw unknownToken()
      if (typeof via === 'object') throw elsewhere('the operator’s token is not valid in a box')
      return operator
    },

    attemptOf: (token) => signedBy(token)?.attemptId ?? null,

    bindToBox(token) {
      const attemptId = signedBy(token)?.attemptId ?? null
      if (attemptId === null) return null
      boxed.add(attemptId)
      if (boxed.size > maxBoxed) boxed.delete(boxed.keys().next().value as AttemptId)
      return attemptId
    },

    createLink(path, whenGone = () => {}) {
      const code = `lnk_${randomToken()}`
      const expiresMs = clock.nowMs() + linkMs
      links.set(code, { path, expiresMs, whenGone })
      if (links.size > maxLinks) dropLink(links.keys().next().value as string)
      clock.after(linkMs, () => void dropLink(code))
      return { code, expiresAt: isoAt(expiresMs) }
    },

    redeemLink: dropLink,
  }

  /** Returns the content of an agent's token; null if this installation has not signed it. */
  function signedBy(token: string): { attemptId: AttemptId; fence: number } | null {
    const [, attemptId, fence] = /^agt_([a-z0-9_]{1,64})\.(\d{1,15})\.[\w-]+$/.exec(token) ?? []
    if (attemptId === undefined || !isSame(token, createAttemptToken(chainKey, attemptId, Number(fence)))) return null
    return { attemptId: attemptId as AttemptId, fence: Number(fence) }
  }

  async function agentOf(token: string, via: Via): Promise<AgentActor> {
    const signed = signedBy(token)
    if (signed === null) throw unknownToken()
    const { attemptId, fence } = signed
    const attempt = await findAttempt(attemptId)
    if (attempt === undefined || attempt.fence !== fence) throw unknownToken()
    if (typeof via === 'object' ? via.attemptId !== attemptId : boxed.has(attemptId))
      throw elsewhere(`the token of attempt ${attemptId} is valid in the box of this attempt only`)
    // Checked before the attempt's end: a successor explains better why this attempt must stop.
    if (attempt.newestFence > attempt.fence)
      throw refusal('stale_fence', `attempt ${attemptId} is no longer the current attempt of ${attempt.briefId}`, {
        hint: 'Stop: another attempt has taken over this brief.',
      })
    if (attempt.ended)
      throw refusal('unauthenticated', `this token has expired: attempt ${attemptId} has ended`, {
        hint: 'Stop: this attempt has nothing more to do.',
      })
    return {
      kind: 'agent',
      personaId: attempt.personaId as PersonaId,
      agentId: attempt.agentId as AgentId,
      runId: attempt.runId as RunId,
      briefId: attempt.briefId as BriefId,
      attemptId,
      fence: attempt.fence,
    }
  }
}

/** Creates the AGENCY_TOKEN of an attempt's agent: valid for that attempt, as long as it is the newest of its brief. */
export const createAttemptToken = (key: Uint8Array, attemptId: string, fence: number): string =>
  `agt_${attemptId}.${fence}.${mac(key, `attempt\n${attemptId}\n${fence}`)}`

const mac = (key: Uint8Array | string, text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url')

/**
 * Compares in constant time, wherever the texts differ; hashes first, because only equal lengths can be compared this
 * way.
 */
const isSame = (given: string, expected: string): boolean => timingSafeEqual(hash(given), hash(expected))
const hash = (text: string): Buffer => createHash('sha256').update(text).digest()

const elsewhere = (message: string): Error =>
  refusal('unauthenticated', message, { hint: 'Send requests to the AGENCY_SOCKET of the box.' })

const unknownToken = (): Error =>
  refusal('unauthenticated', 'the token is not valid for this daemon', {
    hint: 'The operator’s token is in operator.token of AGENCY_HOME, an agent’s in its AGENCY_TOKEN.',
  })
