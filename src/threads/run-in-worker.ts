import { Worker } from 'node:worker_threads'

import { type EntryName, entryPath } from '../entries.ts'
import type { Clock } from '../kernel/clock.ts'
import type { ErrorCode } from '../kernel/errors.ts'
import { createQueue, type Queue } from '../kernel/queue.ts'

export interface WorkerLimits {
  readonly clock: Clock
  readonly timeoutMs: number
  readonly maxMemoryMb: number
  /** Keeps the thread for some time, for the next input: a start takes longer than most inputs. */
  readonly isKept?: true
  /** The input comes from an agent: it waits for other agents, and nothing else waits for it. */
  readonly byAgent?: boolean
}

/** The result of a worker thread, or the reason why there is none; `refusal` if the input was refused. */
export type WorkerResult<T> =
  | { readonly value: T }
  | { readonly error: string; readonly refusal?: { readonly code: ErrorCode; readonly hint: string | undefined } }

/** Threads of one entry at the same time; further inputs wait. Those of agents, which may be hostile, share one thread. */
const threads = { atOnce: 3, maxWaiting: Infinity }
const agentThreads = { atOnce: 1, maxWaiting: 8 }
const startMs = 60_000
const keptMs = 30_000

/**
 * Processes untrusted input in a worker thread: it can use up neither our time nor our memory, and code that never ends
 * (a regular expression that backtracks through every combination) can be stopped only from another thread.
 */
export async function runInWorker<T>(entry: EntryName, input: unknown, limits: WorkerLimits): Promise<WorkerResult<T>> {
  const { clock, timeoutMs, isKept, byAgent = false } = limits
  const giveTurn = await queueOf(entry, byAgent).take()
  if (giveTurn === null) return { error: 'too many texts of agents wait', refusal: waitsTooLong }
  const thread = takeKept(entry) ?? startThread(entry, limits)
  const { promise, resolve } = Promise.withResolvers<WorkerResult<T>>()
  const cancelStart = clock.after(startMs, () => resolve({ error: 'its thread could not be started' }))
  let cancel = (): void => {}
  thread.worker.ref()
  thread.onResult = (result) => resolve(result as WorkerResult<T>)
  thread.worker.postMessage(input, [])
  // The time to load the code of the thread is not the input's.
  void thread.ready.then(() => {
    cancelStart()
    cancel = clock.after(timeoutMs, () => resolve({ error: `it took more than ${timeoutMs / 1_000} s` }))
  })
  try {
    const result = await promise
    const mayStay = isKept === true && ('value' in result || result.refusal !== undefined)
    if (mayStay) keep(entry, thread, clock)
    else await thread.worker.terminate()
    return result
  } finally {
    cancelStart()
    cancel()
    giveTurn()
  }
}

interface Thread {
  readonly worker: Worker
  readonly ready: Promise<void>
  /** Called with each result, and with the reason when the thread ends. */
  onResult: (result: WorkerResult<unknown>) => void
}

function startThread(entry: EntryName, { maxMemoryMb }: WorkerLimits): Thread {
  const worker = new Worker(entryPath(entry), {
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb, maxYoungGenerationSizeMb: 64 },
  })
  const { promise: ready, resolve } = Promise.withResolvers<void>()
  const thread: Thread = { worker, ready, onResult: () => {} }
  worker.on('message', (message: 'ready' | WorkerResult<unknown>) =>
    message === 'ready' ? resolve() : thread.onResult(message),
  )
  worker.on('error', (error) => thread.onResult({ error: `it exceeded its limits: ${error.message}` }))
  worker.on('exit', () => {
    kept.get(entry)?.delete(thread)
    thread.onResult({ error: 'it ended without a result' })
  })
  return thread
}

const waitsTooLong = { code: 'rate_limited', hint: 'Wait before you send it again.' } as const

const queues = new Map<string, Queue>()

function queueOf(entry: EntryName, byAgent: boolean): Queue {
  const key = `${entry} ${byAgent}`
  const queue = queues.get(key) ?? createQueue(byAgent ? agentThreads : threads)
  queues.set(key, queue)
  return queue
}

const kept = new Map<EntryName, Set<Thread>>()

function takeKept(entry: EntryName): Thread | undefined {
  const thread = kept.get(entry)?.values().next().value
  if (thread !== undefined) kept.get(entry)?.delete(thread)
  return thread
}

function keep(entry: EntryName, thread: Thread, clock: Clock): void {
  const all = kept.get(entry) ?? new Set()
  kept.set(entry, all.add(thread))
  thread.worker.unref()
  clock.after(keptMs, () => {
    if (all.delete(thread)) void thread.worker.terminate()
  })
}
