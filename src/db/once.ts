import { AsyncLocalStorage } from 'node:async_hooks'

import { bug, refusal } from '../kernel/errors.ts'
import { columns, json, text } from './columns.ts'
import type { Tx } from './port.ts'
import { openTx, sqlOf } from './tx.ts'

interface Once {
  key: string
  digest: string
  /**
   * True after the first write: a second write of the same request is not covered, since no request should need two.
   */
  used: boolean
}

const pending = new AsyncLocalStorage<Once>()
const writing = new AsyncLocalStorage<true>()

/**
 * Runs work that serves many requests outside the context of any of them: a writer loop or a listener that one request
 * started would otherwise use that request's key for work of other requests.
 */
export const outsideRequests: <T>(work: () => T) => T = AsyncLocalStorage.snapshot()

export const runOnce = <T>(key: string, digest: string, work: () => Promise<T>): Promise<T> =>
  pending.run({ key, digest, used: false }, work)

export const claimOnce = (): Once | undefined => {
  const once = pending.getStore()
  if (once === undefined || once.used) return undefined
  once.used = true
  return once
}

/** Marks the callback of a write, so that a write inside it throws at once instead of deadlocking. */
export function guardNesting<T>(work: () => Promise<T>): Promise<T> {
  return writing.run(true, work)
}

export function refuseNesting(): void {
  if (writing.getStore() === true)
    throw bug('db.write or db.read was called inside a db.write callback; pass tx to the inner function instead')
}

/** Runs the transaction's body, or returns the stored answer if its key has been used before. */
export async function answerOnce<T>(tx: Tx, once: Once, work: () => Promise<T>): Promise<T> {
  const sql = openTx(tx).sqlFor('answers')
  const seen = await answers.first(sql, 'SELECT digest, answer FROM answers WHERE key = ?', [once.key])
  if (seen !== undefined) {
    if (seen.digest !== once.digest)
      throw refusal('idempotency_key_reused', 'this Idempotency-Key was used for another request', {
        hint: 'Use a new key for a new request; repeat a key only with the same body.',
      })
    return seen.answer as T
  }
  const answer = await work()
  await sql.run('INSERT INTO answers (key, digest, answer, at) VALUES (?, ?, ?, ?)', [
    once.key,
    once.digest,
    JSON.stringify(answer ?? null),
    tx.at,
  ])
  return answer
}

const answers = columns({ digest: text, answer: json<unknown>() })

/** Deletes the answers stored before that time, except the one under the key `kept`. */
export async function forgetAnswers(tx: Tx, before: string, kept: string): Promise<void> {
  await sqlOf(tx).run('DELETE FROM answers WHERE at < ? AND key <> ?', [before, kept])
}

/**
 * Removes a text that is the value of a field from the stored answers, which then have null there: a repeated request
 * gets an answer without it, and is not carried out again.
 */
export async function forgetInAnswers(tx: Tx, field: string, text: string): Promise<void> {
  const name = JSON.stringify(field)
  const value = JSON.stringify(text)
  await sqlOf(tx).run('UPDATE answers SET answer = replace(answer, ?, ?) WHERE replace(answer, ?, ?) <> answer', [
    `${name}:${value}`,
    `${name}:null`,
    `${name}:${value}`,
    `${name}:null`,
  ])
}
