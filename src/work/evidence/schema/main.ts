import { parentPort, workerData } from 'node:worker_threads'

import { type Fitting, misfits } from './fit.ts'

/** A thread of its own: a pattern that takes for ever can be ended only from outside. */
function answer(): { misfits: string[] } | { trouble: string } {
  try {
    return { misfits: misfits(workerData as Fitting) }
  } catch (error) {
    return { trouble: error instanceof Error ? error.message : String(error) }
  }
}

parentPort?.postMessage(answer(), [])
