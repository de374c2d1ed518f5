import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { noteEndpoints } from './endpoints.ts'

export const noteCategories = [
  'technology',
  'architecture',
  'security',
  'requirements',
  'conflict',
  'consistency',
  'bug',
  'implementation',
  'documentation',
] as const
export const NoteCategory = z.enum(noteCategories)
export type NoteCategory = z.infer<typeof NoteCategory>

/** Categories that an agent may settle itself; all others, and notes without a category, are escalated. */
export const ownCategories: readonly NoteCategory[] = ['consistency', 'bug', 'implementation', 'documentation']

export const NoteStatus = z.enum(['open', 'resolved', 'escalated'])
export type NoteStatus = z.infer<typeof NoteStatus>

/** An assumption or a doubt, recorded while working. All notes must be settled before the work is done. */
export const Note = z.object({
  id: z.string(),
  runId: z.string(),
  briefId: z.string(),
  attemptId: z.string().nullable(),
  agentId: z.number().int().nullable(),
  number: z.number().int().describe('Its place in the run: note_001 is 1'),
  status: NoteStatus,
  category: NoteCategory.nullable(),
  description: z.string(),
  context: z.string(),
  resolution: z.string().nullable(),
  resolvedBy: z.enum(['agent_self', 'workflow_executor', 'user']).nullable(),
  resolutionSource: z
    .enum(['agent', 'owner', 'solution_architect', 'escalation_resolution', 'lead', 'operator'])
    .nullable(),
  escalationReason: z.string().nullable(),
  questionId: z.string().nullable(),
  extra: z.record(z.string(), z.unknown()),
  createdAt: z.string(),
  resolvedAt: z.string().nullable(),
})
export type Note = z.infer<typeof Note>

export const noteName = (note: Pick<Note, 'number'>): string => `note_${String(note.number).padStart(3, '0')}`

/** Returns the number in a name such as `note_001`; null for any other text. */
export const noteNumber = (name: string): number | null => {
  const digits = /^note_0*(\d{1,9})$/.exec(name.trim().toLowerCase())?.[1]
  return digits === undefined ? null : Number(digits)
}

/** A note as it is shown: named by its number. */
export const NoteView = z.object({
  noteId: z.string().describe('note_001, in its run'),
  timestamp: z.string(),
  ...Note.omit({ id: true, number: true, createdAt: true, resolvedAt: true }).shape,
  resolutionTimestamp: z.string().nullable(),
})
export type NoteView = z.infer<typeof NoteView>

export const showNote = (note: Note): NoteView => {
  const { id: _, number: __, createdAt, resolvedAt, ...rest } = note
  return { noteId: noteName(note), ...rest, timestamp: createdAt, resolutionTimestamp: resolvedAt }
}

const noteId = z.string().max(64).describe('note_001')
const runId = z
  .string()
  .max(100)
  .optional()
  .describe('Required for the operator, unless a brief id is given; an agent uses its own run')
const text = (max: number) => z.string().trim().min(1).max(max)

export const noteOperations = {
  add: operation({
    name: 'note.add',
    summary: 'Record an assumption or a doubt about your brief',
    ...noteEndpoints.add,
    input: z.strictObject({
      description: text(4_000),
      context: text(10_000),
      category: NoteCategory.optional(),
      status: NoteStatus.default('open').describe('open; settle it with resolve or escalate'),
      briefId: z
        .string()
        .max(100)
        .optional()
        .describe('For the operator only: the brief’s id, or its key with the run'),
      runId,
    }),
    output: NoteView,
    allow: ['operator', 'agent'],
    agentRate: { perSecond: 1, burst: 60 },
    tool: 'note_add',
  }),
  list: operation({
    name: 'note.list',
    summary: 'List the notes of a run or a brief',
    ...noteEndpoints.list,
    input: z.strictObject({
      runId,
      briefId: z.string().max(100).optional().describe('Its id, or its key with the run'),
      status: NoteStatus.optional(),
    }),
    output: z.object({ notes: z.array(NoteView) }),
    allow: ['operator', 'agent'],
    agentRate: { perSecond: 5, burst: 100 },
    tool: 'note_list',
  }),
  show: operation({
    name: 'note.show',
    summary: 'Show a note',
    ...noteEndpoints.show,
    input: z.strictObject({ noteId, runId }),
    output: NoteView,
    allow: ['operator', 'agent'],
  }),
  resolve: operation({
    name: 'note.resolve',
    summary: 'Resolve a note; an agent may only resolve consistency, bug, implementation and documentation',
    ...noteEndpoints.resolve,
    input: z.strictObject({ noteId, runId, resolution: text(10_000), category: NoteCategory.optional() }),
    output: NoteView,
    allow: ['operator', 'agent'],
    agentRate: { perSecond: 1, burst: 60 },
    tool: 'note_resolve',
  }),
  escalate: operation({
    name: 'note.escalate',
    summary: 'Escalate a note: it becomes a question to a higher authority',
    ...noteEndpoints.escalate,
    input: z.strictObject({ noteId, runId, reason: text(4_000), category: NoteCategory.optional() }),
    output: NoteView,
    allow: ['operator', 'agent'],
    agentRate: { perSecond: 1, burst: 60 },
    tool: 'note_escalate',
  }),
}
