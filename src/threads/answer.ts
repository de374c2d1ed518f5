import { parentPort, workerData } from 'node:worker_threads'

/** What a thread's entry does: answers what it was asked, or says why it cannot. */
export function answerWith<Question, Answer>(work: (question: Question) => Answer): void {
  parentPort?.postMessage(
    attempt(() => work(workerData as Question)),
    [],
  )
}

function attempt<T>(work: () => T): { answer: T } | { trouble: string } {
  try {
    return { answer: work() }
  } catch (error) {
    return { trouble: error instanceof Error ? error.message : String(error) }
  }
}
