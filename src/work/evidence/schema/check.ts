import { Worker } from 'node:worker_threads'

import { entryPath } from '../../../entries.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Fitting } from './fit.ts'

export type Fit = { readonly misfits: readonly string[] } | { readonly trouble: string }

/** A document is compared in milliseconds; what takes longer is a pattern that tries every way there is. */
const timeoutMs = 10_000
const maxMemoryMb = 256

/** Compares in a thread with little memory and little time: both texts may be made to waste them. */
export async function checkFit(fitting: Fitting, clock: Clock): Promise<Fit> {
  const worker = new Worker(entryPath('schema-check'), {
    workerData: fitting,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb, maxYoungGenerationSizeMb: 32 },
  })
  const { promise, resolve } = Promise.withResolvers<Fit>()
  worker.once('message', (fit: Fit) => resolve(fit))
  worker.once('error', (error) => resolve({ trouble: `it took too much: ${error.message}` }))
  const cancel = clock.after(timeoutMs, () => resolve({ trouble: `not compared within ${timeoutMs / 1_000} s` }))
  try {
    return await promise
  } finally {
    cancel()
    await worker.terminate()
  }
}
