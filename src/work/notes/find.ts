import type { ReadTx } from '../../db/port.ts'
import { notFound, refusal } from '../../kernel/errors.ts'
import { findBrief, listBriefsById } from '../briefs/store.ts'
import { type Note, noteName, noteNumber } from './contract.ts'
import { findNoteById, listNotesNumbered } from './store.ts'

export interface NotePlace {
  readonly runId: string
  /** The brief that the caller named. */
  readonly briefId?: string | undefined
  /** The brief of the agent that asks: its own notes come before those of others. */
  readonly ownBriefId?: string | undefined
}

/**
 * Finds a note by its id, or by its number in its brief. A number alone is enough where only one brief of the run has it,
 * as every note of an earlier release had one of its own in its run.
 */
export async function requireNote(tx: ReadTx, place: NotePlace, reference: string): Promise<Note> {
  const byId = await findNoteById(tx, reference)
  if (byId !== undefined && byId.runId === place.runId && isOf(byId, place.briefId)) return byId
  const number = noteNumber(reference)
  const all = number === null ? [] : await listNotesNumbered(tx, place.runId, number)
  const found = all.filter((note) => isOf(note, place.briefId))
  const own = found.find(({ briefId }) => briefId === place.ownBriefId)
  const note = own ?? found[0]
  if (note === undefined)
    throw notFound('note', reference, 'They are called note_001 and so on, by brief; "agency note list" shows them.')
  if (own === undefined && found.length > 1) throw await ambiguous(tx, found)
  return note
}

const isOf = (note: Note, briefId: string | undefined): boolean => briefId === undefined || note.briefId === briefId

async function ambiguous(tx: ReadTx, found: readonly Note[]) {
  const known = await listBriefsById(
    tx,
    found.map(({ briefId }) => briefId),
  )
  const keys = new Map(known.map(({ id, key }) => [id, key]))
  const candidates = found.map(({ id, briefId }) => ({ id, brief_id: briefId, brief: keys.get(briefId) ?? briefId }))
  const name = noteName(found[0] as Note)
  return refusal(
    'conflict',
    `${found.length} briefs have a ${name}: ${candidates.map(({ id, brief }) => `${brief} (${id})`).join(', ')}`,
    { hint: 'Name the brief with --brief, or give the id of the note.', data: { candidates } },
  )
}

/** Returns the brief whose notes an agent means first: its own, or of a verifier the one that it verifies. */
export const ownBriefOf = async (tx: ReadTx, briefId: string): Promise<string> =>
  (await findBrief(tx, briefId))?.verifies ?? briefId
