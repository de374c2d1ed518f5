import type { ReadTx } from '../../db/port.ts'
import { findRows, table } from '../../db/table.ts'
import { sqlOf } from '../../db/tx.ts'
import type { Artifact } from './contract.ts'

export const artifacts = table<Artifact>('artifacts', { stream: (row) => `run:${row.runId}` })

export const listArtifacts = (tx: ReadTx, runId: string): Promise<Artifact[]> =>
  findRows(tx, artifacts, 'run_id = ? ORDER BY at, name, version', [runId])

export async function newestVersion(
  tx: ReadTx,
  runId: string,
  name: string,
): Promise<{ version: number; sha256: string } | undefined> {
  const row = await sqlOf(tx).get(
    'SELECT version, sha256 FROM artifacts WHERE run_id = ? AND name = ? ORDER BY version DESC LIMIT 1',
    [runId, name],
  )
  return row === undefined ? undefined : { version: row['version'] as number, sha256: row['sha256'] as string }
}
