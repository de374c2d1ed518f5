import { Worker } from 'node:worker_threads'

import { type EntryName, entryPath } from '../entries.ts'
import type { Clock } from '../kernel/clock.ts'

export interface WorkerLimits {
  readonly clock: Clock
  readonly timeoutMs: number
  readonly maxMemoryMb: number
}

/** The result of a worker thread, or the reason why there is none. */
export type WorkerResult<T> = { readonly value: T } | { readonly error: string }

/**
 * Processes untrusted input in a worker thread of its own: it can use up neither our time nor our memory, and code that
 * never ends (a regular expression that backtracks through every combination) can be stopped only from another thread.
 */
export async function runInWorker<T>(entry: EntryName, input: unknown, limits: WorkerLimits): Promise<WorkerResult<T>> {
  const worker = new Worker(entryPath(entry), {
    workerData: input,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: limits.maxMemoryMb, maxYoungGenerationSizeMb: 64 },
  })
  const { promise, resolve } = Promise.withResolvers<WorkerResult<T>>()
  worker.once('message', (result: WorkerResult<T>) => resolve(result))
  worker.once('error', (error) => resolve({ error: `it exceeded its limits: ${error.message}` }))
  worker.once('exit', () => resolve({ error: 'it ended without a result' }))
  const late = `it took more than ${limits.timeoutMs / 1_000} s`
  const cancel = limits.clock.after(limits.timeoutMs, () => resolve({ error: late }))
  try {
    return await promise
  } finally {
    cancel()
    await worker.terminate()
  }
}
