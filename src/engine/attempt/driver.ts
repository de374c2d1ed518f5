import type { Stop } from './classify.ts'
import type { Claimed } from './start.ts'

/**
 * Brings an agent to work on a claimed brief and records how it ended. `spawn` starts a process for each attempt; a
 * driver that hands the brief to an agent which is alive already has the same port.
 */
export interface AttemptDriver {
  start(claimed: Claimed): LiveAttempt
}

/** An attempt whose agent belongs to this process, from the claim to the record of the agent's end. */
export interface LiveAttempt {
  readonly attemptId: string
  readonly organisationId: number
  /** Resolves when the agent's end is recorded: to the attempt if this process is to check its evidence now. */
  readonly ended: Promise<Claimed | null>
  /** Restarts the idle deadline, because the agent did something. */
  touch(): void
  /** Notes whether the store has failed the newest request of the agent. */
  noteStoreTrouble(hasTrouble: boolean): void
  stop(why: Stop): void
}
