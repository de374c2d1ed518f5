import { injectBug } from './bugs/inject.ts'
import type { WorldPlaybook } from './simulate.ts'
import type { Failure } from './world.ts'

/** The world that a process is to play. */
export interface SeedRequest {
  readonly seed: number
  readonly playbook: WorldPlaybook
  readonly bug: string | undefined
  /** Without the kinds of faults that were added later. */
  readonly isPlain: boolean
  /** Runs have repositories. */
  readonly withGit: boolean
  /** The result has a hash over all events. */
  readonly withLog: boolean
}

/** The result of one world, as it is sent to the process that deals the seeds. */
export interface SeedResult {
  readonly seed: number
  readonly failure: Failure | null
  readonly hash: string
  readonly events: number
  readonly lives: number
  readonly faults: readonly (readonly [string, number])[]
}

/** A process that plays the seeds it is sent, one after the other: `deal.ts` starts one for each core. */
let current: number | null = null
let injected: string | undefined

process.on('message', (request: SeedRequest) => {
  void play(request).then(answer)
})
process.on('disconnect', () => process.exit(0))
// Errors thrown outside any awaited call. The process is in an unknown state, so it ends.
process.on('uncaughtException', (error: unknown) => {
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const failure = { invariant: 'every error is handled', detail }
  answer({ seed: current ?? 0, failure, hash: '', events: 0, lives: 0, faults: [] }, () => process.exit(1))
})

async function play({ seed, playbook, bug, isPlain, withGit, withLog }: SeedRequest): Promise<SeedResult> {
  current = seed
  if (bug !== undefined && injected === undefined) injectBug((injected = bug))
  // Imported after the injection, so that every importer gets the module with the bug.
  const { simulate } = await import('./simulate.ts')
  const { failure, hash, events, lives, faults } = await simulate(seed, playbook, { isPlain, withGit, withLog })
  return { seed, failure, hash, events, lives, faults: [...faults] }
}

function answer(result: SeedResult, sent: () => void = () => {}): void {
  process.send?.(result, sent)
}
