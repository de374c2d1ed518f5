import { Worker } from 'node:worker_threads'

import { type EntryName, entryPath } from '../entries.ts'
import type { Clock } from '../kernel/clock.ts'
import type { ErrorCode } from '../kernel/errors.ts'

export interface WorkerLimits {
  readonly clock: Clock
  readonly timeoutMs: number
  readonly maxMemoryMb: number
  /** Keeps the thread for some time, for the next input: a start takes longer than most inputs. */
  readonly isKept?: true
}

/** The result of a worker thread, or the reason why there is none; `refusal` if the input was refused. */
export type WorkerResult<T> =
  | { readonly value: T }
  | { readonly error: string; readonly refusal?: { readonly code: ErrorCode; readonly hint: string | undefined } }

/** Threads of one entry at the same time; further inputs wait. */
const threadsAtOnce = 3
const startMs = 60_000
const keptMs = 30_000

/**
 * Processes untrusted input in a worker thread: it can use up neither our time nor our memory, and code that never ends
 * (a regular expression that backtracks through every combination) can be stopped only from another thread.
 */
export async function runInWorker<T>(entry: EntryName, input: unknown, limits: WorkerLimits): Promise<WorkerResult<T>> {
  const { clock, timeoutMs, isKept } = limits
  await takeTurn(entry)
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
    giveTurn(entry)
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

const turns = new Map<EntryName, { running: number; waiting: (() => void)[] }>()

async function takeTurn(entry: EntryName): Promise<void> {
  const turn = turns.get(entry) ?? { running: 0, waiting: [] }
  turns.set(entry, turn)
  if (turn.running < threadsAtOnce) turn.running++
  else await new Promise<void>((resolve) => turn.waiting.push(resolve))
}

/** Hands the turn to the input that waits longest. */
function giveTurn(entry: EntryName): void {
  const turn = turns.get(entry)
  const next = turn?.waiting.shift()
  if (next !== undefined) next()
  else if (turn !== undefined) turn.running--
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
