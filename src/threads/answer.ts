import { parentPort } from 'node:worker_threads'

import { AgencyError } from '../kernel/errors.ts'
import type { WorkerResult } from './run-in-worker.ts'

/** Runs the entry of a worker thread: answers each input with the result of `work`, or the message of its error. */
export function answerWith<Input, Output>(work: (input: Input) => Output | Promise<Output>): void {
  parentPort?.on('message', (input: Input) => {
    void attempt(() => work(input)).then((result) => parentPort?.postMessage(result, []))
  })
  parentPort?.postMessage('ready', [])
}

async function attempt<T>(work: () => T | Promise<T>): Promise<WorkerResult<T>> {
  try {
    return { value: await work() }
  } catch (error) {
    if (error instanceof AgencyError && error.code !== 'bug')
      return { error: error.message, refusal: { code: error.code, hint: error.hint } }
    return { error: error instanceof Error ? error.message : String(error) }
  }
}
