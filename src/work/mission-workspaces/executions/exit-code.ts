import type { Attempt } from '../../attempts/contract.ts'

/** Returns the exit code of a step as `timeout` reports it: 124 when it took too long. */
export const exitCodeOf = ({ outcome, exitCode }: Pick<Attempt, 'outcome' | 'exitCode'>): number =>
  outcome === 'timeout' ? 124 : (exitCode ?? 1)
