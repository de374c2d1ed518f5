import type { Db, ReadTx } from '../../db/port.ts'
import { answerQuestion } from '../questions/answer.ts'
import { resolveNotes } from './hand-over.ts'
import { addNote, escalateNote, resolveNote } from './moves.ts'
import { type RunScope, type ScopeParts, scopeOf } from '../scope.ts'
import { type Actor, actorName } from '../../kernel/actor.ts'
import { notFound, refusal } from '../../kernel/errors.ts'
import { checkFence } from '../attempts/store.ts'
import type { Brief } from '../briefs/contract.ts'
import { endStatuses } from '../briefs/states.ts'
import { findBrief, findBriefByKey } from '../briefs/store.ts'
import type { Run } from '../runs/contract.ts'
import { findRun } from '../runs/store.ts'
import {
  claimedOf,
  extraOf,
  faultOfExtra,
  type Note,
  type NoteCategory,
  noteName,
  noteOperations,
  type NoteView,
  type NoteStatus,
  showNote,
} from './contract.ts'
import { ownBriefOf, requireNote } from './find.ts'
import { refusalOfOwnDecision, resolvedAlready, whereAsked } from './rules.ts'
import { findNoteById, listNotesOfBrief, listNotesOfRun } from './store.ts'

export interface NoteDeps {
  db: Db
  scopes: ScopeParts
  /** Reports that the agent of this attempt is alive. */
  touch: (attemptId: string) => void
  resolveRun: (prefix: string) => Promise<string>
}

export type Notes = ReturnType<typeof createNotes>

interface Place {
  runId?: string | undefined
  briefId?: string | undefined
  noteId?: string | undefined
}

/** An agent that writes more notes than this no longer works. */
const maxNotesOfBrief = 1_000
/** Every list of notes contains all of their texts, and others wait while it is made. */
const maxTextOfAgents = 1_000_000

/** Manages assumptions until they are settled. An agent reads the notes of its run and writes those of its own brief. */
export function createNotes({ db, scopes, touch, resolveRun }: NoteDeps) {
  const runOf = async (by: Actor, { runId, briefId, noteId }: Place): Promise<string> => {
    if (by.kind === 'agent') {
      touch(by.attemptId)
      // An agent must not learn whether another run exists.
      if (runId !== undefined && runId !== by.runId) throw notFound('run', runId)
      return by.runId
    }
    if (runId !== undefined) return resolveRun(runId)
    const note = noteId === undefined ? undefined : await db.read((tx) => findNoteById(tx, noteId))
    if (note !== undefined) return note.runId
    if (briefId === undefined)
      throw refusal('invalid_input', 'run_id: notes are numbered within a brief; a run or a brief is required', {
        hint: 'Name it with --run, or a brief with --brief; the id of a note needs neither.',
      })
    const brief = await db.read((tx) => findBrief(tx, briefId))
    if (brief === undefined) throw notFound('brief', briefId, 'A key needs its run beside it.')
    return brief.runId
  }

  async function write<T>(by: Actor, place: Place, work: (scope: RunScope) => Promise<T>): Promise<T> {
    const runId = await runOf(by, place)
    const { organisationId } = await db.read((tx) => requireRun(tx, runId))
    // An operator's answer can end a run and its mission.
    const streams = by.kind === 'agent' ? [] : ([`org:${organisationId}`] as const)
    return db.write([`run:${runId}`, ...streams], async (tx) => {
      if (by.kind === 'agent') await checkFence(tx, by)
      return work(scopeOf(scopes, tx, await requireRun(tx, runId), actorName(by)))
    })
  }

  return {
    add: async (
      by: Actor,
      input: Place & { description: string; context: string; category?: NoteCategory | undefined; status: NoteStatus },
    ): Promise<NoteView> => {
      if (input.status !== 'open')
        throw refusal('invalid_input', `status: a new note is open, not ${input.status}`, {
          hint: 'Settle it with "agency note resolve NOTE RESOLUTION" or "agency note escalate NOTE REASON".',
        })
      const [claimed] = claimedOf(input, noteOperations.add.input)
      if (claimed !== undefined) throw refusal('invalid_input', `${claimed}: Agency sets this field of a note itself`)
      const extra = extraOf(input, noteOperations.add.input)
      const tooLong = faultOfExtra(extra)
      if (tooLong !== null) throw refusal('too_large', tooLong, { hint: 'Put long texts into files.' })
      return write(by, input, async (scope) => {
        const brief = await briefToNote(scope, by, input.briefId)
        const known = await listNotesOfBrief(scope.tx, brief.id)
        if (known.length >= maxNotesOfBrief)
          throw refusal('too_large', `${brief.key} has ${maxNotesOfBrief} notes already`)
        if (by.kind === 'agent' && lengthOf(known) >= maxTextOfAgents)
          throw refusal('too_large', `the notes of ${brief.key} are ${maxTextOfAgents} characters long already`, {
            hint: 'Put long texts into files, and name them in the note.',
          })
        const note = await addNote(scope, {
          briefId: brief.id,
          attemptId: by.kind === 'agent' ? by.attemptId : null,
          agentId: by.kind === 'agent' ? by.agentId : null,
          description: input.description,
          context: input.context,
          category: input.category ?? null,
          extra,
        })
        return showNote(note)
      })
    },

    async list(by: Actor, { status, ...place }: Place & { status?: NoteStatus | undefined }) {
      const runId = await runOf(by, place)
      const found = await db.read(async (tx) => {
        const briefId = await briefToList(tx, by, runId, place)
        return briefId === null ? listNotesOfRun(tx, runId) : listNotesOfBrief(tx, briefId)
      })
      return { notes: found.filter((note) => status === undefined || note.status === status).map(showNote) }
    },

    async show(by: Actor, place: Place & { noteId: string }): Promise<NoteView> {
      const runId = await runOf(by, place)
      return showNote(await db.read((tx) => findNamed(tx, by, runId, place)))
    },

    resolve: (
      by: Actor,
      { resolution, category, ...place }: Place & Settling & { resolution: string },
    ): Promise<NoteView> =>
      write(by, place, async (scope) => {
        const note = await noteToSettle(scope, by, place)
        const refused = by.kind === 'agent' ? refusalOfOwnDecision(scope.playbook, note, category) : null
        if (refused !== null) throw refused
        // A note with an open question is answered through the question, so that question, note and brief get the same answer.
        if (note.status === 'escalated' && note.questionId !== null)
          await answerQuestion(scope, note.questionId, actorName(by), resolution)
        else if (note.status === 'escalated') await resolveRouted(scope, note, actorName(by), resolution)
        else await resolveNote(scope, note, resolution, by.kind === 'agent' ? 'agent' : 'operator', { category })
        return showNote((await findNoteById(scope.tx, note.id)) as Note)
      }),

    escalate: (by: Actor, { reason, category, ...place }: Place & Settling & { reason: string }): Promise<NoteView> =>
      write(by, place, async (scope) => {
        const note = await noteToSettle(scope, by, place)
        if (note.status === 'escalated')
          throw refusal('illegal_transition', `${noteName(note)} is escalated already`, {
            hint: `${whereAsked(note)}.`,
            data: { from: note.status, to: 'escalated' },
          })
        const brief = await requireBrief(scope.tx, note.runId, note.briefId)
        if (endStatuses.includes(brief.status))
          throw refusal('illegal_transition', `${brief.key} is ${brief.status} and no longer waits for the answer`)
        const decided = category === undefined ? note : { ...note, category }
        return showNote(await escalateNote(scope, brief, decided, reason))
      }),
  }
}

const lengthOf = (notes: readonly Note[]): number =>
  notes.reduce((sum, { description, context, resolution }) => sum + `${description}${context}${resolution}`.length, 0)

interface Settling {
  noteId: string
  category?: NoteCategory | undefined
}

/** Returns the brief of a new note: an agent's own. An agent must be working on it. */
async function briefToNote(scope: RunScope, by: Actor, reference: string | undefined): Promise<Brief> {
  const { tx, run } = scope
  if (by.kind !== 'agent' && reference === undefined)
    throw refusal('invalid_input', 'brief_id: a note needs a brief', { hint: 'Name it with --brief.' })
  const brief = await requireBrief(tx, run.id, by.kind === 'agent' ? (reference ?? by.briefId) : (reference as string))
  if (by.kind === 'agent') checkOwn(by.briefId, brief.id)
  if (brief.kind === 'verify')
    throw refusal('forbidden', 'a verifier writes no notes: its doubts belong in its verdict')
  // Its start may not have been recorded yet, but an agent with a valid token is working.
  const isAtWork = brief.status === 'working' || brief.status === 'completion_drive_review'
  if (!isAtWork && !(by.kind === 'agent' && brief.status === 'assigned'))
    throw refusal(
      'illegal_transition',
      `notes only in working or completion_drive_review; ${brief.key} is ${brief.status}`,
      {
        data: { status: brief.status },
      },
    )
  return brief
}

/** Null means the notes of the whole run. The default of an agent is its own brief, the default of a verifier the verified brief. */
async function briefToList(tx: ReadTx, by: Actor, runId: string, { briefId, ...place }: Place): Promise<string | null> {
  if (briefId !== undefined) return (await requireBrief(tx, runId, briefId)).id
  if (by.kind !== 'agent' || place.runId !== undefined) return null
  return (await findBrief(tx, by.briefId))?.verifies ?? by.briefId
}

/** An agent that names a number alone means a note of its own brief. */
const findNamed = async (tx: ReadTx, by: Actor, runId: string, { noteId, briefId }: Place & { noteId: string }) =>
  requireNote(
    tx,
    {
      runId,
      ...(briefId === undefined ? {} : { briefId: (await requireBrief(tx, runId, briefId)).id }),
      ...(by.kind === 'agent' ? { ownBriefId: await ownBriefOf(tx, by.briefId) } : {}),
    },
    noteId,
  )

async function noteToSettle({ tx, run }: RunScope, by: Actor, place: Place & { noteId: string }): Promise<Note> {
  const note = await findNamed(tx, by, run.id, place)
  if (by.kind === 'agent') checkOwn(by.briefId, note.briefId)
  if (note.status === 'resolved') throw resolvedAlready(note)
  return note
}

const checkOwn = (own: string, other: string): void => {
  if (own !== other) throw refusal('forbidden', 'an agent can write notes only about its own brief')
}

/** The operator may settle a note before the playbook does. */
const resolveRouted = async (scope: RunScope, { id, runId, briefId }: Note, by: string, resolution: string) =>
  resolveNotes(scope, {
    brief: await requireBrief(scope.tx, runId, briefId),
    notes: [{ id, resolution }],
    source: 'operator',
    by,
  })

async function requireBrief(tx: ReadTx, runId: string, reference: string): Promise<Brief> {
  const brief = (await findBrief(tx, reference)) ?? (await findBriefByKey(tx, runId, reference))
  if (brief === undefined || brief.runId !== runId) throw notFound('brief', reference)
  return brief
}

async function requireRun(tx: ReadTx, id: string): Promise<Run> {
  const run = await findRun(tx, id)
  if (run === undefined) throw notFound('run', id)
  return run
}
