import { sleep } from '../kernel/clock.ts'
import { AgencyError } from '../kernel/errors.ts'
import type { EngineDeps } from './deps.ts'

/**
 * Retries while the disk is full or the server is unreachable: the work is done, only its record is missing. After a
 * request to stop it tries once more and leaves the record to the next start.
 */
export async function persist<T>(deps: EngineDeps, work: () => Promise<T>): Promise<T> {
  for (let wait = 500; ; wait = Math.min(wait * 2, 30_000)) {
    try {
      return await work()
    } catch (error) {
      if (!isPassing(error) || deps.stopped?.aborted === true) throw error
      deps.log.error('the store does not take a record; trying again', { error: String(error), waitMs: wait })
      await Promise.race([sleep(deps.clock, wait), aborted(deps.stopped)])
    }
  }
}

/** Reports whether the store caused the error, so that a retry can succeed. */
export const isPassing = (error: unknown): boolean =>
  error instanceof AgencyError && (error.code === 'store_full' || error.code === 'store_unusable')

const aborted = (signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }))
