import type { ReadTx } from '../../db/port.ts'
import { findRow, findRows, table } from '../../db/table.ts'
import type { Note } from './contract.ts'

export const notes = table<Note>('notes', {
  json: ['extra'],
  stream: (row) => `run:${row.runId}`,
})

export const findNoteById = (tx: ReadTx, id: string): Promise<Note | undefined> => findRow(tx, notes, id)

export async function findNote(tx: ReadTx, runId: string, number: number): Promise<Note | undefined> {
  return (await findRows(tx, notes, 'run_id = ? AND number = ?', [runId, number]))[0]
}

export const listNotesOfRun = (tx: ReadTx, runId: string): Promise<Note[]> =>
  findRows(tx, notes, 'run_id = ? ORDER BY number', [runId])

export const listNotesOfBrief = (tx: ReadTx, briefId: string): Promise<Note[]> =>
  findRows(tx, notes, 'brief_id = ? ORDER BY number', [briefId])

/** Lists the notes that are neither settled by the agent nor answered from above. */
export const listUnsettledNotes = (tx: ReadTx, briefId: string): Promise<Note[]> =>
  findRows(tx, notes, "brief_id = ? AND status <> 'resolved' ORDER BY number", [briefId])
