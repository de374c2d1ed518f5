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

export interface CredentialOptions {
  operatorToken: string
  /** Signs attempt tokens, which are not stored. */
  chainKey: Uint8Array
  clock: Clock
  findAttempt: (attemptId: string) => Promise<AttemptStanding | undefined>
}

export interface Credentials {
  /** Returns the actor of a bearer token; throws `unauthenticated` or `stale_fence`. */
  ofBearer(token: string): Promise<Actor>
  /** Returns the attempt whose agent has this token, without asking the store; null for any other token. */
  attemptOf(token: string): AttemptId | null
  /** Returns the actor of a session cookie's value. */
  ofSession(session: string): OperatorActor
  /** Creates a cookie's value for a browser that signed in by a link. */
  createSession(): { value: string; maxAgeSeconds: number }
  /** Creates a one-time code for `/enter?code=…`. */
  createLink(path: string): { code: string; expiresAt: string }
  /** Returns the path that the link leads to, once per link. */
  redeemLink(code: string): string | undefined
}

const sessionMs = 30 * 24 * 3_600_000
const linkMs = 10 * 60_000
/** No operator needs more unused links; the oldest are dropped. */
const maxLinks = 100

const operator: OperatorActor = { kind: 'operator', personaId: operatorPersona }

export function createCredentials({ operatorToken, chainKey, clock, findAttempt }: CredentialOptions): Credentials {
  const links = new Map<string, { path: string; expiresMs: number }>()
  const sessionMac = (expiresMs: number): string => mac(operatorToken, `session\n${expiresMs}`)

  return {
    async ofBearer(token) {
      if (token.startsWith('agt_')) return agentOf(token)
      if (!isSame(token, operatorToken)) throw unknownToken()
      return operator
    },

    attemptOf: (token) => signedBy(token)?.attemptId ?? null,

    ofSession(session) {
      const [, expires, given] = /^ses_(\d{1,16})\.([\w-]+)$/.exec(session) ?? []
      if (expires === undefined || given === undefined || !isSame(given, sessionMac(Number(expires))))
        throw signInAgain('this browser is not signed in')
      if (Number(expires) <= clock.nowMs()) throw signInAgain('the session of this browser has expired')
      return operator
    },

    createSession() {
      const expiresMs = clock.nowMs() + sessionMs
      return { value: `ses_${expiresMs}.${sessionMac(expiresMs)}`, maxAgeSeconds: sessionMs / 1_000 }
    },

    createLink(path) {
      const code = `lnk_${randomToken()}`
      const expiresMs = clock.nowMs() + linkMs
      links.set(code, { path, expiresMs })
      if (links.size > maxLinks) links.delete(links.keys().next().value as string)
      return { code, expiresAt: isoAt(expiresMs) }
    },

    redeemLink(code) {
      const link = links.get(code)
      links.delete(code)
      return link !== undefined && link.expiresMs > clock.nowMs() ? link.path : undefined
    },
  }

  /** Returns the content of an agent's token; null if this installation has not signed it. */
  function signedBy(token: string): { attemptId: AttemptId; fence: number } | null {
    const [, attemptId, fence] = /^agt_([a-z0-9_]{1,64})\.(\d{1,15})\.[\w-]+$/.exec(token) ?? []
    if (attemptId === undefined || !isSame(token, createAttemptToken(chainKey, attemptId, Number(fence)))) return null
    return { attemptId: attemptId as AttemptId, fence: Number(fence) }
  }

  async function agentOf(token: string): Promise<AgentActor> {
    const signed = signedBy(token)
    if (signed === null) throw unknownToken()
    const { attemptId, fence } = signed
    const attempt = await findAttempt(attemptId)
    if (attempt === undefined || attempt.fence !== fence) throw unknownToken()
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

const unknownToken = (): Error =>
  refusal('unauthenticated', 'the token is not valid for this daemon', {
    hint: 'The operator’s token is in operator.token of AGENCY_HOME, an agent’s in its AGENCY_TOKEN.',
  })

const signInAgain = (message: string): Error =>
  refusal('unauthenticated', message, { hint: 'Run "agency open" for a sign-in link.' })
