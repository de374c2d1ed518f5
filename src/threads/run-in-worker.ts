import { Worker } from 'node:worker_threads'

import { type EntryName, entryPath } from '../entries.ts'
import type { Clock } from '../kernel/clock.ts'

export interface ThoughtLimits {
  readonly clock: Clock
  readonly timeoutMs: number
  readonly maxMemoryMb: number
}

/** What a thread answers, or why it does not. */
export type Thought<T> = { readonly answer: T } | { readonly trouble: string }

/**
 * Lets a thread of its own think about what somebody else wrote: it can take neither our time nor our memory, and what
 * never ends (a pattern that tries every way there is) can be ended only from outside.
 */
export async function think<T>(entry: EntryName, about: unknown, limits: ThoughtLimits): Promise<Thought<T>> {
  const worker = new Worker(entryPath(entry), {
    workerData: about,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: limits.maxMemoryMb, maxYoungGenerationSizeMb: 64 },
  })
  const { promise, resolve } = Promise.withResolvers<Thought<T>>()
  worker.once('message', (thought: Thought<T>) => resolve(thought))
  worker.once('error', (error) => resolve({ trouble: `it took too much: ${error.message}` }))
  worker.once('exit', () => resolve({ trouble: 'it gave no answer' }))
  const late = `it took more than ${limits.timeoutMs / 1_000} s`
  const cancel = limits.clock.after(limits.timeoutMs, () => resolve({ trouble: late }))
  try {
    return await promise
  } finally {
    cancel()
    await worker.terminate()
  }
}
