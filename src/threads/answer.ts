import { parentPort, workerData } from 'node:worker_threads'

/** Runs the entry of a worker thread: posts the result of `work` on the thread's input, or the message of its error. */
export function answerWith<Input, Output>(work: (input: Input) => Output | Promise<Output>): void {
  void attempt(() => work(workerData as Input)).then((result) => parentPort?.postMessage(result, []))
}

async function attempt<T>(work: () => T | Promise<T>): Promise<{ value: T } | { error: string }> {
  try {
    return { value: await work() }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}
