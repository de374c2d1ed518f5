import type { Clock } from '../../kernel/clock.ts'
import { shorten, shortenMiddle } from '../../kernel/text.ts'
import { redact } from '../../secrets/redact.ts'
import type { Finding, Output } from '../../work/evidence/record.ts'
import type { CommandResult, Workspace } from '../../workspaces/port.ts'

export type Found = Pick<Finding, 'passed' | 'detail' | 'output' | 'sha256' | 'boxed' | 'end' | 'setup'> &
  Partial<Pick<Finding, 'durationMs'>>

/** The place where evidence is checked. */
export interface Scene {
  /** Where files are looked at. */
  readonly files: Workspace
  /** Where processes are started. */
  readonly workspace: Workspace
  readonly outputs: readonly Output[]
  /** Reported outputs that do not exist. */
  readonly missing: readonly string[]
  readonly mayRunCommands: boolean
  readonly clock: Clock
  /** Ports on which Agency itself listens: an answer from there proves nothing. */
  readonly ourPorts: readonly number[]
  /** The commit that the work began with, if it is known. */
  readonly since?: string | null
  /** Ends the processes of a check. */
  readonly signal?: AbortSignal
}

/** Something could not be checked, for a reason that is not the agent's: the check is repeated. */
export class Unchecked extends Error {}

export const seen = (passed: boolean, detail: string, more: Partial<Found> = {}): Found => ({
  passed,
  detail,
  output: '',
  sha256: null,
  boxed: false,
  ...more,
})

export const notRun = (): Found => seen(false, 'not run: no sandbox is available for commands of this runtime')

/** The number of bytes of a text that are searched. */
export const searchedBytes = 1_000_000

const keptOutput = 4_000
/** Returns the part of a text that is stored: its beginning and its end, without secrets. */
export const kept = (text: string): string => shortenMiddle(redact(text), keptOutput)

/** Returns the part of an output that is stored, and its last lines. */
export function keptOf({
  output,
  cut,
}: Pick<CommandResult, 'output' | 'cut'>): Pick<Found, 'output'> & { end: string } {
  if (cut === undefined) return { output: kept(output), end: lastLines(output) }
  const middle = `\n… the output has ${cut.bytes} bytes, and most of them are left out …\n`
  const half = (keptOutput - middle.length) / 2
  const begin = redact(output.slice(0, searchedForSecrets)).slice(0, half)
  return { output: `${begin}${middle}${redact(cut.end).slice(-half)}`, end: lastLines(cut.end) }
}

/** Some secrets have many lines; only the beginning of so much text is kept. */
const searchedForSecrets = 64 * 1024

const keptLines = 5
/** Returns the last lines of a text without secrets: there a program says why it failed. */
export const lastLines = (text: string): string => {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return redact(lines.slice(-keptLines).join('\n')).slice(-endLength)
}
const endLength = 600

export const quoted = (text: string): string => `"${shorten(text, 80)}"`
