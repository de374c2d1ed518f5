import { column, columns, json, text } from '../../db/columns.ts'
import type { ReadTx } from '../../db/port.ts'
import { findRow, findRows, table } from '../../db/table.ts'
import { openTx, sqlOf } from '../../db/tx.ts'
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

/**
 * Returns the content of the newest version of each document that exists, in the order of the names. A file that an agent gave the name of a document
 * does not replace the document.
 */
export async function findDocuments(
  tx: ReadTx,
  runId: string,
  names: readonly string[],
): Promise<Record<string, unknown>> {
  if (names.length === 0) return {}
  const marks = names.map(() => '?').join(', ')
  const rows = await documents.all(
    openTx(tx).sqlFor('artifacts'),
    `SELECT a.name, a.content FROM artifacts a WHERE a.run_id = ? AND a.name IN (${marks}) AND a.content IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM artifacts n WHERE n.run_id = a.run_id AND n.name = a.name AND n.version > a.version AND n.content IS NOT NULL)`,
    [runId, ...names],
  )
  const found = new Map(rows.map(({ name, content }) => [name, content]))
  return Object.fromEntries(names.filter((name) => found.has(name)).map((name) => [name, found.get(name)]))
}

const documents = columns({ name: text, content: json<unknown>() })

/** Lists the names of a brief's artifacts, each once. */
export const listNamesOfBrief = (tx: ReadTx, briefId: string): Promise<string[]> =>
  column('name', text).all(sqlOf(tx), 'SELECT DISTINCT name FROM artifacts WHERE brief_id = ? ORDER BY name', [briefId])

export const findArtifact = (tx: ReadTx, id: string): Promise<Artifact | undefined> => findRow(tx, artifacts, id)
