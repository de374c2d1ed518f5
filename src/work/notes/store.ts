import type { ReadTx } from '../../db/port.ts'
import { findRow, findRows, table } from '../../db/table.ts'
import type { Note } from './contract.ts'

export const notes = table<Note>('notes', {
  json: ['extra'],
  stream: (row) => `run:${row.runId}`,
})

export const findNoteById = (tx: ReadTx, id: string): Promise<Note | undefined> => findRow(tx, notes, id)

/** Lists the notes with this number: each brief of a run may have one. */
export const listNotesNumbered = (tx: ReadTx, runId: string, number: number): Promise<Note[]> =>
  findRows(tx, notes, 'run_id = ? AND number = ? ORDER BY created_at, id', [runId, number])

/** Returns the number of the next note of a brief. Notes of earlier releases have higher ones. */
export async function nextNoteNumber(tx: ReadTx, briefId: string): Promise<number> {
  const [newest] = await findRows(tx, notes, 'brief_id = ? ORDER BY number DESC LIMIT 1', [briefId])
  return (newest?.number ?? 0) + 1
}

export const listNotesOfRun = (tx: ReadTx, runId: string): Promise<Note[]> =>
  findRows(tx, notes, 'run_id = ? ORDER BY created_at, id', [runId])

export const listNotesOfBrief = (tx: ReadTx, briefId: string): Promise<Note[]> =>
  findRows(tx, notes, 'brief_id = ? ORDER BY number', [briefId])

/** Lists the escalated notes of a brief that its playbook settles: no question was asked about them. */
export const listRoutedNotes = (tx: ReadTx, briefId: string): Promise<Note[]> =>
  findRows(tx, notes, "brief_id = ? AND status = 'escalated' AND question_id IS NULL ORDER BY number", [briefId])

/** Lists the notes of a run that its playbook has and has not settled. */
export const listHandedNotes = (tx: ReadTx, runId: string): Promise<Note[]> =>
  findRows(
    tx,
    notes,
    "run_id = ? AND status = 'escalated' AND question_id IS NULL AND handed_at IS NOT NULL ORDER BY created_at, id",
    [runId],
  )

/** Lists the notes that are neither settled by the agent nor answered from above. */
export const listUnsettledNotes = (tx: ReadTx, briefId: string): Promise<Note[]> =>
  findRows(tx, notes, "brief_id = ? AND status <> 'resolved' ORDER BY number", [briefId])
