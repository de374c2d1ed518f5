import { inserted, record, updated } from '../../events/change.ts'
import { shorten } from '../../kernel/text.ts'
import { redact, redactDeeply } from '../../secrets/redact.ts'
import type { Brief } from '../briefs/contract.ts'
import { type Note, type NoteCategory, noteName, type ResolutionSource } from './contract.ts'
import { nextNoteNumber, notes } from './store.ts'
import { askQuestion } from '../questions/ask.ts'
import type { Question } from '../questions/contract.ts'
import { asksSeat } from '../questions/resolution.contract.ts'
import type { RunScope } from '../scope.ts'
import { touchRun } from '../runs/moves.ts'

export interface NewNote {
  briefId: string
  attemptId: string | null
  agentId: number | null
  description: string
  context: string
  category: NoteCategory | null
  extra?: Record<string, unknown>
}

/** Adds a note with the next number of its brief. */
export async function addNote(scope: RunScope, wanted: NewNote): Promise<Note> {
  const { run, tx } = scope
  const note: Note = {
    ...wanted,
    id: scope.ids.next('note'),
    runId: run.id,
    description: redact(wanted.description),
    context: redact(wanted.context),
    number: await nextNoteNumber(tx, wanted.briefId),
    status: 'open',
    resolution: null,
    resolvedBy: null,
    resolutionSource: null,
    escalationReason: null,
    questionId: null,
    extra: redactDeeply(wanted.extra ?? {}),
    createdAt: tx.at,
    resolvedAt: null,
    handedAt: null,
  }
  await touchRun(
    scope,
    { notesTotal: run.notesTotal + 1 },
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

/**
 * Escalates a note that its author may not settle. It becomes a question to a higher authority, unless the playbook has a
 * route for its category: then it is handed over when the brief stops.
 */
export async function escalateNote(scope: RunScope, brief: Brief, note: Note, reason: string): Promise<Note> {
  const clean = redact(reason)
  const route = routeOf(scope, brief, note.category)
  const question = route === null ? await askAboutNote(scope, brief, note, clean) : null
  const patch = {
    status: 'escalated' as const,
    category: note.category,
    escalationReason: clean,
    questionId: question?.id ?? null,
  }
  await record(
    scope.tx,
    {
      kind: 'note_escalated',
      code: 'ESCALATE',
      by: scope.by,
      runId: note.runId,
      briefId: note.briefId,
      message: `${noteName(note)} → ${route ?? question?.hops.at(-1)?.to ?? 'operator'}`,
      data: {
        note_id: noteName(note),
        question_id: patch.questionId,
        category: note.category,
        ...(route === null ? {} : { route }),
      },
    },
    [updated(notes, note, patch)],
  )
  return { ...note, ...patch }
}

/** Returns the role that settles a note; null: it becomes a question. Briefs that the engine made are no playbook's. */
const routeOf = ({ playbook }: RunScope, brief: Brief, category: NoteCategory | null): string | null =>
  category === null || brief.repairs !== null || asksSeat(brief) ? null : (playbook.noteRoutes?.[category] ?? null)

const askAboutNote = (scope: RunScope, brief: Brief, note: Note, reason: string): Promise<Question> =>
  askQuestion(scope, {
    brief,
    kind: kindOf(note.category),
    class: 'note',
    text: note.description,
    context: [note.context, reason].filter(Boolean).join('\n'),
    options: [
      { key: 'confirm', label: 'Confirmed', detail: 'The work continues as assumed.' },
      { key: 'abandon', label: 'Give up', detail: 'The brief fails, and the run with it.' },
    ],
    recommendation: null,
    risk: note.category === 'security' || note.category === 'architecture' ? 'high' : 'medium',
    noteId: note.id,
    askedBy: note.agentId === null ? 'operator' : `agent:${note.agentId}`,
  })

/** Settles a note: by its author, if allowed, or by an answer from above. */
export async function resolveNote(
  scope: RunScope,
  note: Note,
  resolution: string,
  source: ResolutionSource,
  { category, by = scope.by }: { category?: NoteCategory | undefined; by?: string } = {},
): Promise<Note> {
  const clean = redact(resolution)
  const patch = {
    status: 'resolved' as const,
    resolution: clean,
    resolvedBy: resolvers[source] ?? ('workflow_executor' as const),
    resolutionSource: source,
    resolvedAt: scope.tx.at,
    ...(category === undefined ? {} : { category }),
  }
  await record(
    scope.tx,
    {
      kind: 'note_resolved',
      code: 'NOTE',
      by,
      runId: note.runId,
      briefId: note.briefId,
      message: `${noteName(note)}: ${shorten(clean, 300)}`,
      data: {
        note_id: noteName(note),
        resolved_by: patch.resolvedBy,
        resolution_source: source,
        category: category ?? note.category,
      },
    },
    [updated(notes, note, patch)],
  )
  return { ...note, ...patch }
}

/** An answer that comes neither from the author nor from the operator comes from the work above the brief. */
const resolvers: Partial<Record<ResolutionSource, NonNullable<Note['resolvedBy']>>> = {
  agent: 'agent_self',
  operator: 'user',
}

const kindOf = (category: NoteCategory | null) =>
  category === 'conflict'
    ? ('conflict' as const)
    : category === 'requirements' || category === null
      ? ('requirement' as const)
      : ('technical' as const)
