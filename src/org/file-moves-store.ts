import { columns, integer, text } from '../db/columns.ts'
import type { ReadTx, Tx } from '../db/port.ts'
import { nextCounter, sqlOf } from '../db/tx.ts'

/** A file to be moved from the staging directory to its target; both paths are relative to the data root. */
export interface FileMove {
  id: number
  source: string
  target: string
}

export async function insertFileMoves(tx: Tx, moves: readonly Omit<FileMove, 'id'>[]): Promise<FileMove[]> {
  if (moves.length === 0) return []
  const first = await nextCounter(tx, 'file_moves', moves.length)
  const rows = moves.map((move, index) => ({ id: first + index, ...move }))
  for (let from = 0; from < rows.length; from += 200) {
    const some = rows.slice(from, from + 200)
    await sqlOf(tx).run(
      `INSERT INTO file_moves (id, source, target, created_at) VALUES ${some.map(() => '(?, ?, ?, ?)').join(', ')}`,
      some.flatMap((row) => [row.id, row.source, row.target, tx.at]),
    )
  }
  return rows
}

const fileMoves = columns({ id: integer, source: text, target: text })

export const listFileMoves = (tx: ReadTx): Promise<FileMove[]> =>
  fileMoves.all(sqlOf(tx), 'SELECT id, source, target FROM file_moves ORDER BY id')

export async function deleteFileMoves(tx: Tx, ids: readonly number[]): Promise<void> {
  for (let from = 0; from < ids.length; from += 500) {
    const some = ids.slice(from, from + 500)
    await sqlOf(tx).run(`DELETE FROM file_moves WHERE id IN (${some.map(() => '?').join(', ')})`, some)
  }
}
