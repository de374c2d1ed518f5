import type { Clock } from '../../kernel/clock.ts'
import { shorten } from '../../kernel/text.ts'
import { redact } from '../../secrets/redact.ts'
import type { Finding, Output } from '../../work/evidence/record.ts'
import type { Workspace } from '../../workspaces/port.ts'

export type Found = Pick<Finding, 'passed' | 'detail' | 'output' | 'sha256' | 'boxed'>

/** Where evidence is looked for. */
export interface Scene {
  readonly workspace: Workspace
  readonly outputs: readonly Output[]
  /** Reported, but not there. */
  readonly missing: readonly string[]
  readonly mayRunCommands: boolean
  readonly clock: Clock
  /** Where we listen ourselves: what answers there proves nothing. */
  readonly ourPorts: readonly number[]
}

export const seen = (passed: boolean, detail: string, more: Partial<Found> = {}): Found => ({
  passed,
  detail,
  output: '',
  sha256: null,
  boxed: false,
  ...more,
})

export const notRun = (): Found => seen(false, 'not run: no sandbox is available for commands of this runtime')

/** How much of a text is searched for what it must contain. */
export const searchedBytes = 1_000_000

const keptOutput = 4_000
/** What is stored of a text: its beginning, without secrets. */
export const kept = (text: string): string => shorten(redact(text), keptOutput)

export const quoted = (text: string): string => `"${shorten(text, 80)}"`
