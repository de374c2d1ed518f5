import type { Db } from '../../../db/port.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Attempt } from '../../attempts/contract.ts'
import { findAttempt } from '../../attempts/store.ts'

interface Waiting {
  db: Db
  clock: Clock
  /** Aborted when we stop: nobody is kept waiting then. */
  stopping?: AbortSignal
}

/** Asks again after every commit until there is an answer, or until it is late; then null. */
export async function until<T>(
  { db, clock, stopping }: Waiting,
  ms: number,
  look: () => Promise<T | null>,
): Promise<T | null> {
  let ring = (): void => {}
  let isLate = stopping?.aborted ?? false
  const giveUp = (): void => {
    isLate = true
    ring()
  }
  const stop = db.onCommit(() => ring())
  const cancel = clock.after(ms, giveUp)
  stopping?.addEventListener('abort', giveUp)
  try {
    for (;;) {
      // Armed before the look: what is committed during it rings too.
      const { promise, resolve } = Promise.withResolvers<void>()
      ring = resolve
      const found = await look()
      if (found !== null || isLate) return found
      await promise
    }
  } finally {
    stop()
    cancel()
    stopping?.removeEventListener('abort', giveUp)
  }
}

const patience = 10 * 60_000

/** The attempt as it was recorded at its end. */
export async function untilEnded(parts: Waiting, attemptId: string): Promise<Attempt> {
  const recorded = await until(parts, patience, async () => {
    const attempt = await parts.db.read((tx) => findAttempt(tx, attemptId))
    return attempt?.status === 'ended' ? attempt : null
  })
  if (recorded === null) throw new Error(`the end of ${attemptId} was never recorded`)
  return recorded
}
