import { column, text } from '../../db/columns.ts'
import type { ReadTx } from '../../db/port.ts'
import { findRows, table } from '../../db/table.ts'
import { sqlOf } from '../../db/tx.ts'
import type { Artifact } from './contract.ts'

export const artifacts = table<Artifact>('artifacts', { stream: (row) => `run:${row.runId}` })

export const listArtifacts = (tx: ReadTx, runId: string): Promise<Artifact[]> =>
  findRows(tx, artifacts, 'run_id = ? ORDER BY at, name, version', [runId])

export async function newestVersion(tx: ReadTx, runId: string, name: string): Promise<Artifact | undefined> {
  const [newest] = await findRows(
    tx,
    artifacts,
    'run_id = ? AND name = ? ORDER BY version DESC LIMIT 1',
    [runId, name],
    (columns) => columns['name'] === name && columns['run_id'] === runId,
  )
  return newest
}

/** A file that an agent gave the name of a document does not replace the document. */
export async function newestDocument(tx: ReadTx, runId: string, name: string): Promise<string | null> {
  const [newest] = await findRows(
    tx,
    artifacts,
    'run_id = ? AND name = ? AND content IS NOT NULL ORDER BY version DESC LIMIT 1',
    [runId, name],
  )
  return newest?.content ?? null
}

/** Lists the names of a brief's artifacts, each once. */
export const listNamesOfBrief = (tx: ReadTx, briefId: string): Promise<string[]> =>
  column('name', text).all(sqlOf(tx), 'SELECT DISTINCT name FROM artifacts WHERE brief_id = ? ORDER BY name', [briefId])
