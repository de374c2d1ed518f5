import type { Tx } from '../../db/port.ts'
import { inserted, record, updated } from '../../events/change.ts'
import { shorten } from '../../kernel/text.ts'
import type { RepositorySettings } from './contract.ts'
import { findRepositorySettings, repositorySettings } from './store.ts'

export type SettingsPatch = Partial<Pick<RepositorySettings, 'checks' | 'setup' | 'paths'>>

/** Remembers how work on a repository is checked. The caller has locked the stream `system`. */
export async function saveRepositorySettings(
  tx: Tx,
  path: string,
  patch: SettingsPatch,
  by: string,
): Promise<RepositorySettings> {
  const known = await findRepositorySettings(tx, path)
  const before = known ?? { path, checks: 'checkout' as const, setup: null, paths: [] }
  const stamp = { updatedBy: by, updatedAt: tx.at }
  const after: RepositorySettings = { ...before, ...patch, ...stamp }
  const event = {
    kind: 'checks_set' as const,
    by,
    code: 'CHECKS',
    message: `${path}: ${describeSettings(after)}`,
    data: { path, checks: after.checks, setup: after.setup, paths: after.paths },
  }
  await record(tx, event, [
    known === undefined
      ? inserted(repositorySettings, after)
      : updated(repositorySettings, known, { ...patch, ...stamp }),
  ])
  return after
}

const describeSettings = ({ checks, setup, paths }: RepositorySettings): string => {
  const parts = paths.length === 0 ? '' : ` of ${shorten(paths.join(', '), 200)}`
  if (checks === 'workspace') return 'work is checked in the agent’s workspace, not in a fresh checkout'
  return `work is checked in a fresh checkout${parts}, ${setup === null ? 'set up from its lockfile' : `after ${shorten(setup, 200)}`}`
}
