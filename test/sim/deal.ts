import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { nothing, type SeedRequest, type SeedResult } from './seeds.ts'

export interface Deal extends Omit<SeedRequest, 'seed'> {
  readonly start: number
  readonly seeds: number
  /** Number of processes. */
  readonly jobs: number
  /** Called for each world, in the order of their ends; returning false stops the deal. */
  readonly onResult: (result: SeedResult) => boolean
}

/** Plays the seeds in several processes; each gets the next seed when it has played one. */
export async function dealSeeds({ start, seeds, jobs, onResult, ...request }: Deal): Promise<void> {
  let next = start
  let isOver = false
  const take = (): number | null => (isOver || next >= start + seeds ? null : next++)

  /** Deals to one process until there are no seeds left, and to another one if it ends. */
  async function dealToOne(): Promise<void> {
    let child: ChildProcess | null = null
    for (let seed = take(); seed !== null; seed = take()) {
      child ??= fork(worker, { stdio: 'inherit', env })
      const result = await ask(child, { ...request, seed })
      if (result.failure !== null && !child.connected) child = null
      if (!onResult(result)) isOver = true
    }
    child?.disconnect()
  }

  await Promise.all(Array.from({ length: Math.min(jobs, seeds) }, dealToOne))
}

/** Modules are compiled once per change instead of once per process. */
const env = {
  ...process.env,
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/sim', import.meta.url)),
}

const worker = fileURLToPath(new URL('worker.ts', import.meta.url))

/** Resolves with the result of a world. A process that ends without one has failed in it. */
function ask(child: ChildProcess, request: SeedRequest): Promise<SeedResult> {
  return new Promise((resolve) => {
    const onMessage = (result: SeedResult): void => {
      child.off('exit', onExit)
      resolve(result)
    }
    const onExit = (code: number | null, signal: string | null): void => {
      child.off('message', onMessage)
      const failure = { invariant: 'the process survives', detail: `it ended with ${code ?? signal}` }
      resolve({ ...nothing, seed: request.seed, failure })
    }
    child.once('message', onMessage)
    child.once('exit', onExit)
    child.send(request)
  })
}
