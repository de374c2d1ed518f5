import type { Db } from '../../../db/port.ts'
import { isAgentAtWork } from '../../../kernel/attempt-state.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Attempt } from '../../attempts/contract.ts'
import { findAttempt } from '../../attempts/store.ts'

interface Waiting {
  db: Db
  clock: Clock
  /** Aborted when the daemon stops: all waits end then. */
  stopping?: AbortSignal
}

/** Checks again after every commit until there is a result, or until the timeout; then null. */
export async function until<T>(
  { db, clock, stopping }: Waiting,
  ms: number,
  check: () => Promise<T | null>,
): Promise<T | null> {
  let wake = (): void => {}
  let isLate = stopping?.aborted ?? false
  const giveUp = (): void => {
    isLate = true
    wake()
  }
  const stop = db.onCommit(() => wake())
  const cancel = clock.after(ms, giveUp)
  stopping?.addEventListener('abort', giveUp)
  try {
    for (;;) {
      // Armed before the check, so that a commit during the check triggers another one.
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = resolve
      const result = await check()
      if (result !== null || isLate) return result
      await promise
    }
  } finally {
    stop()
    cancel()
    stopping?.removeEventListener('abort', giveUp)
  }
}

const endTimeoutMs = 10 * 60_000

/** Resolves to the attempt once the end of its agent is recorded; the check of its evidence may take hours. */
export async function untilAgentEnded(parts: Waiting, attemptId: string): Promise<Attempt> {
  const recorded = await until(parts, endTimeoutMs, async () => {
    const attempt = await parts.db.read((tx) => findAttempt(tx, attemptId))
    return attempt === undefined || isAgentAtWork(attempt) ? null : attempt
  })
  if (recorded === null) throw new Error(`the end of ${attemptId} was never recorded`)
  return recorded
}
