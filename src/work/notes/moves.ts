import { inserted, record, updated } from '../../events/change.ts'
import { shorten } from '../../kernel/text.ts'
import { redact } from '../../secrets/redact.ts'
import type { Attempt, Report } from '../attempts/contract.ts'
import type { Brief } from '../briefs/contract.ts'
import { type Note, type NoteCategory, noteName, ownCategories } from './contract.ts'
import { listNotesOfBrief, listUnsettledNotes, notes } from './store.ts'
import { askQuestion } from '../questions/ask.ts'
import type { RunScope } from '../scope.ts'
import { touchRun } from '../runs/moves.ts'

export interface NewNote {
  briefId: string
  attemptId: string | null
  agentId: number | null
  description: string
  context: string
  category: NoteCategory | null
}

export async function addNote(scope: RunScope, wanted: NewNote): Promise<Note> {
  const { run, tx } = scope
  const note: Note = {
    ...wanted,
    id: scope.ids.next('note'),
    runId: run.id,
    description: redact(wanted.description),
    context: redact(wanted.context),
    number: run.notesTotal + 1,
    status: 'open',
    resolution: null,
    resolvedBy: null,
    resolutionSource: null,
    escalationReason: null,
    questionId: null,
    extra: {},
    createdAt: tx.at,
    resolvedAt: null,
  }
  await touchRun(
    scope,
    { notesTotal: note.number },
    {
      kind: 'note_created',
      code: 'NOTE',
      briefId: note.briefId,
      attemptId: note.attemptId,
      message: `${noteName(note)}: ${shorten(note.description, 300)}`,
      data: { note_id: noteName(note), category: note.category },
    },
    [inserted(notes, note)],
  )
  return note
}

/** Turns a note that its author may not settle into a question to a higher authority. */
export async function escalateNote(scope: RunScope, brief: Brief, note: Note, reason: string): Promise<Note> {
  const clean = redact(reason)
  const question = await askQuestion(scope, {
    brief,
    kind: kindOf(note.category),
    class: 'note',
    text: note.description,
    context: [note.context, clean].filter(Boolean).join('\n'),
    options: [
      { key: 'confirm', label: 'Confirmed', detail: 'The work continues as assumed.' },
      { key: 'abandon', label: 'Give up', detail: 'The brief fails, and the run with it.' },
    ],
    recommendation: null,
    risk: note.category === 'security' || note.category === 'architecture' ? 'high' : 'medium',
    noteId: note.id,
    askedBy: note.agentId === null ? 'operator' : `agent:${note.agentId}`,
  })
  const patch = {
    status: 'escalated' as const,
    category: note.category,
    escalationReason: clean,
    questionId: question.id,
  }
  await record(
    scope.tx,
    {
      kind: 'note_escalated',
      code: 'ESCALATE',
      by: scope.by,
      runId: note.runId,
      briefId: note.briefId,
      message: `${noteName(note)} → ${question.hops.at(-1)?.to ?? 'operator'}`,
      data: { note_id: noteName(note), question_id: question.id, category: note.category },
    },
    [updated(notes, note, patch)],
  )
  return { ...note, ...patch }
}

/** Settles a note: by its author, if allowed, or by an answer from above. */
export async function resolveNote(
  scope: RunScope,
  note: Note,
  resolution: string,
  source: 'agent' | 'operator',
  category?: NoteCategory,
): Promise<void> {
  const resolvedBy = source === 'agent' ? ('agent_self' as const) : ('user' as const)
  const clean = redact(resolution)
  await record(
    scope.tx,
    {
      kind: 'note_resolved',
      code: 'NOTE',
      by: scope.by,
      runId: note.runId,
      briefId: note.briefId,
      message: `${noteName(note)}: ${shorten(clean, 300)}`,
      data: { note_id: noteName(note), resolved_by: resolvedBy, category: category ?? note.category },
    },
    [
      updated(notes, note, {
        status: 'resolved',
        resolution: clean,
        resolvedBy,
        resolutionSource: source,
        resolvedAt: scope.tx.at,
        ...(category === undefined ? {} : { category }),
      }),
    ],
  )
}

const kindOf = (category: NoteCategory | null) =>
  category === 'conflict'
    ? ('conflict' as const)
    : category === 'requirements' || category === null
      ? ('requirement' as const)
      : ('technical' as const)

export interface Review {
  /** Notes that wait for an answer from above. */
  escalated: Note[]
  /** Unsettled notes that the agent may settle itself. */
  open: Note[]
}

/**
 * Checks that every assumption is settled before the work counts as done. Assumptions of the report become notes; an
 * open note without a category, or with one that the agent may not settle, is escalated.
 */
export async function reviewNotes(scope: RunScope, brief: Brief, attempt: Attempt, report: Report): Promise<Review> {
  await noteAssumptions(scope, brief, attempt, report)
  if (scope.run.notesTotal === 0) return { escalated: [], open: [] }
  const review: Review = { escalated: [], open: [] }
  for (const note of await listUnsettledNotes(scope.tx, brief.id)) {
    if (note.status === 'escalated') review.escalated.push(note)
    else if (note.category !== null && ownCategories.includes(note.category)) review.open.push(note)
    else review.escalated.push(await escalateNote(scope, brief, note, 'open when the work was reported'))
  }
  return review
}

async function noteAssumptions(scope: RunScope, brief: Brief, attempt: Attempt, report: Report): Promise<void> {
  if (report.assumptions === undefined || report.assumptions.length === 0) return
  const known = new Set((await listNotesOfBrief(scope.tx, brief.id)).map((note) => note.description))
  for (const assumption of report.assumptions) {
    const { text, category } = typeof assumption === 'string' ? { text: assumption, category: undefined } : assumption
    const description = redact(text)
    // A second attempt repeats the same assumption, which was settled before.
    if (known.has(description)) continue
    known.add(description)
    await addNote(scope, {
      briefId: brief.id,
      attemptId: attempt.id,
      agentId: attempt.agentId,
      description,
      context: `assumed in attempt ${attempt.fence}`,
      category: category ?? null,
    })
  }
}
