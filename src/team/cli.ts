import { Refused } from '../client/client.ts'
import type { CliContext } from '../cli/context.ts'
import { readInput } from '../cli/input.ts'
import { plain } from '../cli/terminal.ts'
import type { Wire } from '../cli/wire.ts'
import type { Fault } from '../org/document/contract.ts'

export const readTeamOption = (file: string): Promise<string> => readInput(file, 'team', '--team FILE')

/** Every line of a team file that made a run impossible, if that is what it was; `file` is the one that was sent. */
export function tellTeamFaults(context: CliContext, error: unknown, file: string | undefined): boolean {
  const { file: named, faults } = (error instanceof Refused ? error.problem.data : undefined) ?? {}
  if (typeof named !== 'string' || !Array.isArray(faults)) return false
  // The daemon knows the home's file by its name, and of another one only the text.
  for (const line of faultLines(faults as Wire<Fault>[], file ?? named)) context.err(line)
  return true
}

export const faultLines = (faults: readonly Wire<Fault>[], file: string): string[] =>
  faults.map(
    ({ line, column, severity, message }) =>
      `${file === '-' ? 'stdin' : file}:${line}:${column}: ${severity}: ${plain(message)}`,
  )
