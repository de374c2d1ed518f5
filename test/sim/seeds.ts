import type { WithGit } from './repositories/open.ts'
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
  readonly withGit: WithGit
  /** The organisation has a lead that answers questions. */
  readonly withLead: boolean
  /** The number of processes that share the store; drawn without it. */
  readonly workers: number | undefined
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
  readonly workers: number
  /** Processor time of the world. */
  readonly cpuMs: number
  readonly faults: readonly (readonly [string, number])[]
}

/** The result of a world whose process has ended. */
export const nothing = { hash: '', events: 0, lives: 0, workers: 0, cpuMs: 0, faults: [] } as const
