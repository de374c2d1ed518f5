import { parentPort, workerData } from 'node:worker_threads'

/** What a thread's entry does: answers what it was asked, or says why it cannot. */
export function answerWith<Question, Answer>(work: (question: Question) => Answer | Promise<Answer>): void {
  void attempt(() => work(workerData as Question)).then((said) => parentPort?.postMessage(said, []))
}

async function attempt<T>(work: () => T | Promise<T>): Promise<{ answer: T } | { trouble: string }> {
  try {
    return { answer: await work() }
  } catch (error) {
    return { trouble: error instanceof Error ? error.message : String(error) }
  }
}
