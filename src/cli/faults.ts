import type { Fault } from '../documents/contract.ts'
import { plain } from './terminal.ts'
import type { Wire } from './wire.ts'

/** Formats a fault of a file as compilers do: `team.yaml:4:7: error: message`. */
export function faultLine(
  { severity, message, line, column }: Pick<Wire<Fault>, 'severity' | 'message' | 'line' | 'column'>,
  file: string | undefined,
): string {
  const name = file === undefined || file === '-' ? 'stdin' : file
  return `${name}${line === null ? '' : `:${line}:${column}`}: ${severity}: ${plain(message)}`
}
