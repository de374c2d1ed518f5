import { z } from 'zod'

import { camelCase, snakeCase } from '../../kernel/text.ts'
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

export const ResolutionSource = z.enum([
  'agent',
  'owner',
  'solution_architect',
  'escalation_resolution',
  'lead',
  'operator',
])
export type ResolutionSource = z.infer<typeof ResolutionSource>

/** An assumption or a doubt, recorded while working. All notes must be settled before the work is done. */
export const Note = z.object({
  id: z.string(),
  runId: z.string(),
  briefId: z.string(),
  attemptId: z.string().nullable(),
  agentId: z.number().int().nullable(),
  number: z.number().int().describe('Its place in its brief: note_001 is 1'),
  status: NoteStatus,
  category: NoteCategory.nullable(),
  description: z.string(),
  context: z.string(),
  resolution: z.string().nullable(),
  resolvedBy: z.enum(['agent_self', 'workflow_executor', 'user']).nullable(),
  resolutionSource: ResolutionSource.nullable(),
  escalationReason: z.string().nullable(),
  questionId: z.string().nullable(),
  extra: z.record(z.string(), z.unknown()).describe('Further fields, as its author gave them'),
  createdAt: z.string(),
  resolvedAt: z.string().nullable(),
  handedAt: z.string().nullable().describe('When it was handed to the playbook, if it was'),
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
  noteId: z.string().describe('note_001, in its brief'),
  timestamp: z.string(),
  ...Note.omit({ number: true, createdAt: true, resolvedAt: true, handedAt: true }).shape,
  resolutionTimestamp: z.string().nullable(),
})
export type NoteView = z.infer<typeof NoteView>

export const showNote = (note: Note): NoteView => {
  const { number: _, createdAt, resolvedAt, handedAt: __, ...rest } = note
  return { noteId: noteName(note), ...rest, timestamp: createdAt, resolutionTimestamp: resolvedAt }
}

const noteId = z.string().max(64).describe('Its id, or note_001 in its brief')
const briefId = z.string().max(100).optional().describe('The brief of the note: its id, or its key with the run')
const runId = z
  .string()
  .max(100)
  .optional()
  .describe('Required for the operator, unless the id of a brief or a note is given; an agent uses its own run')
const text = (max: number) => z.string().trim().min(1).max(max)

/** The fields that only Agency sets, and `extra` itself: a file may contain a note as Agency shows it. */
const ownFields: ReadonlySet<string> = new Set(Object.keys(NoteView.shape).map(snakeCase))
/** Longer texts belong into files. */
const maxExtra = 10_000

/** Returns the fields that Agency does not know, as their author gave them. */
export function extraOf(given: object, known: { readonly shape: object }): Record<string, unknown> {
  const further = (fields: object): [string, unknown][] =>
    Object.entries(fields).filter(([name]) => !Object.hasOwn(known.shape, name) && !ownFields.has(name))
  const { extra } = given as { readonly extra?: unknown }
  return Object.fromEntries([
    ...(typeof extra === 'object' && extra !== null && !Array.isArray(extra) ? further(extra) : []),
    ...further(given),
  ])
}

/** Returns the names of given fields that only Agency sets. */
export const claimedOf = (given: object, known: { readonly shape: object }): string[] =>
  Object.keys(given).filter(
    (name) => ownFields.has(name) && name !== 'extra' && !Object.hasOwn(known.shape, camelCase(name)),
  )

/** Returns the reason why the further fields of a note are refused, or null. */
export const faultOfExtra = (extra: Readonly<Record<string, unknown>>): string | null =>
  JSON.stringify(extra).length > maxExtra ? `the further fields of a note have at most ${maxExtra} characters` : null

const ReportedFields = z.looseObject({
  noteId: z.string().max(64).optional().describe('note_001, if it exists already'),
  description: text(4_000).optional(),
  context: text(10_000).optional(),
  category: NoteCategory.optional(),
  status: NoteStatus.default('open'),
  resolution: text(10_000).optional().describe('With status resolved'),
  escalationReason: text(4_000).optional().describe('With status escalated'),
})

/**
 * A note in a report, as in the tools: a new one, or one that exists already, by its name or its description. Unknown
 * fields are kept.
 */
export const ReportedNote = ReportedFields.refine(
  ({ noteId: name, description }) => name !== undefined || description !== undefined,
  {
    error: 'a new note has a description',
    path: ['description'],
  },
)
  .refine(({ status, resolution }) => status !== 'resolved' || resolution !== undefined, {
    error: 'a resolved note has a resolution',
    path: ['resolution'],
  })
  .refine(({ status, escalationReason }) => status !== 'escalated' || escalationReason !== undefined, {
    error: 'an escalated note has an escalation_reason',
    path: ['escalationReason'],
  })
  .refine((note) => faultOfExtra(extraOf(note, ReportedFields)) === null, {
    error: `the further fields of a note have at most ${maxExtra} characters`,
  })
export type ReportedNote = z.infer<typeof ReportedNote>

export const noteOperations = {
  add: operation({
    name: 'note.add',
    summary: 'Record an assumption or a doubt about your brief',
    ...noteEndpoints.add,
    // Fields that Agency does not know are kept in `extra`.
    input: z.looseObject({
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
    input: z.strictObject({ noteId, briefId, runId }),
    output: NoteView,
    allow: ['operator', 'agent'],
  }),
  resolve: operation({
    name: 'note.resolve',
    summary: 'Resolve a note; an agent may only resolve consistency, bug, implementation and documentation',
    ...noteEndpoints.resolve,
    input: z.strictObject({ noteId, briefId, runId, resolution: text(10_000), category: NoteCategory.optional() }),
    output: NoteView,
    allow: ['operator', 'agent'],
    agentRate: { perSecond: 1, burst: 60 },
    tool: 'note_resolve',
  }),
  escalate: operation({
    name: 'note.escalate',
    summary: 'Escalate a note: it becomes a question to a higher authority',
    ...noteEndpoints.escalate,
    input: z.strictObject({ noteId, briefId, runId, reason: text(4_000), category: NoteCategory.optional() }),
    output: NoteView,
    allow: ['operator', 'agent'],
    agentRate: { perSecond: 1, burst: 60 },
    tool: 'note_escalate',
  }),
}
