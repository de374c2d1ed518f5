import { sleep } from '../kernel/clock.ts'
import { AgencyError } from '../kernel/errors.ts'
import type { EngineDeps } from './deps.ts'

/**
 * A full disk or an unreachable server is waited out: the work is done, only its record is missing. Who is told to stop
 * tries once more and leaves it to the next start.
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

/** It is the store's trouble, and nobody else's. */
export const isPassing = (error: unknown): boolean =>
  error instanceof AgencyError && (error.code === 'store_full' || error.code === 'store_unusable')

const aborted = (signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }))
