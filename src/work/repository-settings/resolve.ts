import { refusal } from '../../kernel/errors.ts'
import { redact } from '../../secrets/redact.ts'
import type { Run } from '../runs/contract.ts'
import { automaticSetup, type ChecksPlace, type HostChecks, type RepositorySettings } from './contract.ts'

/** How the evidence of a run in a repository is checked. */
export interface Checks {
  readonly place: ChecksPlace
  /** Prepares a fresh checkout; null: found from its lockfile. */
  readonly setup: string | null
  /** The directories that a fresh checkout contains; empty: all. */
  readonly paths: readonly string[]
  /** With `host`: its commands run outside any box, in a checkout that its own setup prepared; all others do not. */
  readonly host: HostChecks | null
}

/** Decides how a run is checked. The setup of the run, its plan or its team comes before that of the repository. */
export function resolveChecks(
  { configuration }: Pick<Run, 'configuration'>,
  settings: Pick<RepositorySettings, 'checks' | 'setup' | 'paths'> | undefined,
  host: HostChecks | null,
): Checks {
  return {
    place: host === null ? (settings?.checks ?? 'checkout') : 'host',
    setup: configuration.setup === undefined ? (settings?.setup ?? null) : configuration.setup,
    paths: settings?.paths ?? [],
    host,
  }
}

/** Returns the setup as it is stored: null for `auto`. Refuses one with a secret, because every screen shows it. */
export function storedSetup(text: string): string | null {
  const command = text.trim()
  if (redact(command) !== command)
    throw refusal('invalid_input', 'the setup command contains a secret, and it is stored and shown', {
      hint: 'Keep it in a file of the tool, such as .npmrc, and name the file under setup.files in config.yaml.',
    })
  return command === automaticSetup ? null : command
}
