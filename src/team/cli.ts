import type { CliContext } from '../cli/context.ts'
import { faultLine } from '../cli/faults.ts'
import { readInput } from '../cli/input.ts'
import type { Wire } from '../cli/wire.ts'
import { ApiError } from '../operations/problem.ts'
import type { Fault } from '../documents/contract.ts'

export const readTeamOption = (file: string): Promise<string> => readInput(file, 'team', '--team FILE')

/**
 * Prints the faults of the team file that made a run impossible, and returns false for any other error; `file` is the
 * one that was sent.
 */
export function printTeamFaults(context: CliContext, error: unknown, file: string | undefined): boolean {
  const { file: named, faults } = (error instanceof ApiError ? error.problem.data : undefined) ?? {}
  if (typeof named !== 'string' || !Array.isArray(faults)) return false
  // The daemon knows the name of the home's team file; of any other file it has only the text.
  for (const fault of faults as Wire<Fault>[]) context.err(faultLine(fault, file ?? named))
  return true
}
