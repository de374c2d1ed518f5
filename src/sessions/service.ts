import { createHmac, timingSafeEqual } from 'node:crypto'

import type { Db, ReadTx, Tx } from '../db/port.ts'
import type { Actor, OperatorActor } from '../kernel/actor.ts'
import { type Clock, isoAt } from '../kernel/clock.ts'
import { type AgencyError, notFound, refusal } from '../kernel/errors.ts'
import { operatorPersona, randomToken } from '../kernel/ids.ts'
import { shorten } from '../kernel/text.ts'
import type { SessionRecord } from './contract.ts'
import { deleteSession, findSession, insertSession, listSessions, type SessionRow, touchSession } from './store.ts'

export interface SessionDeps {
  readonly db: Db
  readonly clock: Clock
  /** Keys the hashes: a new operator token ends every session. */
  readonly operatorToken: string
}

/** Secrets of a browser that has signed in. Neither is worth anything without the other. */
export interface NewSession {
  /** The browser sends it with every request to a host of this name, whatever the port. */
  readonly cookie: string
  /** Scripts of the page keep it, and no other origin can read it. */
  readonly page: string
  readonly maxAgeSeconds: number
}

export type Sessions = ReturnType<typeof createSessions>

const day = 24 * 3_600_000
export const longestMs = 30 * day
export const longestIdleMs = 7 * day
/** The time of the last use is written at most once in this time. */
const touchMs = 60_000
/** No operator uses more browsers; those that were not used for the longest time are signed out. */
const maxSessions = 50

/** Signs browsers in and out, and tells which of them may act as the operator. */
export function createSessions({ db, clock, operatorToken }: SessionDeps) {
  const streams = new Map<string, Set<() => void>>()
  const macOf = (kind: 'cookie' | 'page', id: string, secret: string): string =>
    createHmac('sha256', operatorToken).update(`${kind}\n${id}\n${secret}`).digest('base64url')
  const isValid = (row: SessionRow): boolean => expiresMs(row) > clock.nowMs()

  const remove = async (rowsOf: (tx: ReadTx) => Promise<SessionRow[]>): Promise<SessionRow[]> => {
    const removed = await db.write([], async (tx) => {
      tx.makesNothingReady()
      const rows = await rowsOf(tx)
      for (const { id } of rows) await deleteSession(tx, id)
      return rows
    })
    for (const { id } of removed) for (const end of streams.get(id) ?? []) end()
    return removed
  }

  return {
    async open({ userAgent, port }: { userAgent: string; port: number }): Promise<NewSession> {
      const id = `ses_${randomToken().slice(0, 12)}`
      const [cookie, page] = [randomToken(), randomToken()]
      const at = clock.at()
      const row = { id, cookieMac: macOf('cookie', id, cookie), pageMac: macOf('page', id, page), port }
      await remove(async (tx) => surplusOf(await listSessions(tx), isValid))
      await db.write([], async (tx: Tx) => {
        tx.makesNothingReady()
        await insertSession(tx, { ...row, userAgent: shorten(userAgent, 300), createdAt: at, usedAt: at })
      })
      return { cookie: `${id}.${cookie}`, page, maxAgeSeconds: longestMs / 1_000 }
    },

    /** Returns the operator if both secrets belong to a session of this port; throws `unauthenticated` otherwise. */
    async identify(cookie: string, page: string | undefined, port: number): Promise<OperatorActor> {
      const [, id, secret] = /^(ses_[0-9a-z]{12})\.([0-9a-z]{32})$/.exec(cookie) ?? []
      const row = id === undefined ? undefined : await db.read((tx) => findSession(tx, id))
      if (id === undefined || secret === undefined || row === undefined)
        throw signInAgain('this browser is not signed in')
      if (row.port !== port || !isSame(row.cookieMac, macOf('cookie', id, secret)))
        throw signInAgain('this browser is not signed in')
      if (!isSame(row.pageMac, macOf('page', id, page ?? '')))
        throw signInAgain('this tab has not the secret of the page that signed in')
      if (!isValid(row)) throw signInAgain('the session of this browser has expired')
      if (clock.nowMs() - Date.parse(row.usedAt) >= touchMs)
        await db.write([], async (tx) => {
          tx.makesNothingReady()
          await touchSession(tx, id, clock.at())
        })
      return { kind: 'operator', personaId: operatorPersona, sessionId: id }
    },

    async list(by: Actor): Promise<SessionRecord[]> {
      const rows = await db.read(listSessions)
      return rows.filter(isValid).map((row) => ({
        id: row.id,
        userAgent: row.userAgent,
        createdAt: row.createdAt,
        usedAt: row.usedAt,
        expiresAt: isoAt(expiresMs(row)),
        isCurrent: row.id === sessionOf(by),
      }))
    },

    async revoke(id: string): Promise<number> {
      const removed = await remove(async (tx) => (await listSessions(tx)).filter((row) => row.id === id))
      if (removed.length === 0) throw notFound('session', id, 'Run "agency sessions" to list them.')
      return removed.length
    },

    revokeAll: async (): Promise<number> => (await remove(listSessions)).length,

    /**
     * Ends the sessions of other ports. Another program may listen there now, to which an open tab has sent its secrets.
     */
    revokeOtherPorts: async (port: number): Promise<number> =>
      (await remove(async (tx) => (await listSessions(tx)).filter((row) => row.port !== port))).length,

    async signOut(by: Actor): Promise<number> {
      const id = sessionOf(by)
      if (id === undefined)
        throw refusal('unsupported', 'this request has no session: a token cannot be signed out', {
          hint: 'Run "agency sessions revoke --all" to sign every browser out.',
        })
      return (await remove(async (tx) => (await listSessions(tx)).filter((row) => row.id === id))).length
    },

    /** Calls back when the actor's session ends; the returned function stops that. A token has no session. */
    onEnd(by: Actor, end: () => void): () => void {
      const id = sessionOf(by)
      if (id === undefined) return () => {}
      const ends = streams.get(id) ?? new Set()
      streams.set(id, ends.add(end))
      // The browser connects again, unless the session has expired meanwhile.
      const cancel = clock.after(day, end)
      return () => {
        cancel()
        ends.delete(end)
        if (ends.size === 0) streams.delete(id)
      }
    },
  }
}

const sessionOf = (by: Actor): string | undefined => (by.kind === 'operator' ? by.sessionId : undefined)

const expiresMs = ({ createdAt, usedAt }: SessionRow): number =>
  Math.min(Date.parse(createdAt) + longestMs, Date.parse(usedAt) + longestIdleMs)

/** Returns the sessions that have expired, and those that one more would make too many. */
const surplusOf = (rows: readonly SessionRow[], isValid: (row: SessionRow) => boolean): SessionRow[] => {
  const valid = rows.filter(isValid)
  return [...rows.filter((row) => !isValid(row)), ...valid.slice(maxSessions - 1)]
}

/** Compares in constant time; both are hashes of the same length. */
const isSame = (given: string, expected: string): boolean => {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

const signInAgain = (message: string): AgencyError =>
  refusal('unauthenticated', message, { hint: 'Run "agency open" for a sign-in link.' })
