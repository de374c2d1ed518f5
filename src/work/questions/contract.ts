import { z } from 'zod'

import { bug } from '../../kernel/errors.ts'
import { operation } from '../../operations/contract.ts'
import { OfOrganisation } from '../../org/references.contract.ts'
import { Decisions, UndoSeconds } from '../decisions/contract.ts'
import { questionEndpoints } from './endpoints.ts'
import { QuestionFacts } from './facts.contract.ts'

export const questionKinds = [
  'requirement',
  'technical',
  'workflow',
  'conflict',
  'budget',
  'delegation',
  'failure',
] as const
export const QuestionKind = z.enum(questionKinds)
export type QuestionKind = z.infer<typeof QuestionKind>

export const questionStatuses = ['open', 'with_lead', 'with_operator', 'answered', 'withdrawn'] as const
export const QuestionStatus = z.enum(questionStatuses)
export type QuestionStatus = z.infer<typeof QuestionStatus>

export const QuestionOption = z.object({
  key: z.string().min(1).max(64),
  label: z.string().min(1).max(200),
  detail: z.string().max(2_000),
})
export type QuestionOption = z.infer<typeof QuestionOption>

/**
 * A place on the way up: a tier or role of the playbook, a seat, the lead of the organisation, or the operator. `name` is
 * the name that hops and events show.
 */
export const Rung = z.object({
  kind: z.enum(['tier', 'role', 'seat', 'lead', 'operator']),
  name: z.string(),
  positionId: z.number().int().nullable().default(null).describe('Of a seat, and of the lead: its seat'),
})
export type Rung = z.infer<typeof Rung>

/** One step upward: the sender and the receiver, who has the question from then on, or the reason why it was skipped. */
export const Hop = z.object({
  from: z.string(),
  to: z.string(),
  rank: z.number().int(),
  at: z.string(),
  skipped: z
    .enum(['vacant', 'person', 'no_runtime', 'not_taken', 'asker'])
    .optional()
    .describe(
      'Why the question went on at once. vacant: nobody was there; person: only an agent is asked; no_runtime: no agent of this run can answer; not_taken: the playbook has nobody for it; asker: the persona that asks has got the seat',
    ),
})
export type Hop = z.infer<typeof Hop>

/** The limit that stopped the brief, if one did: an answer resets this counter and no other. */
export const questionClasses = [
  'asked',
  'note',
  'bad_output',
  'verification',
  'crash',
  'interrupted',
  'budget',
  'gate',
  'permission',
  'secret',
  'fault',
  'checks',
  'merge',
] as const
export const QuestionClass = z.enum(questionClasses)
export type QuestionClass = z.infer<typeof QuestionClass>

/** A decision that only a higher authority can make. */
export const Question = z.object({
  id: z.string(),
  runId: z.string().nullable().describe('Null: the question belongs to the organisation'),
  organisationId: z.number().int().nullable().describe('Present if the question belongs to no run'),
  briefId: z.string().nullable(),
  attemptId: z.string().nullable().describe('The attempt whose report asked it; its questions are shown together'),
  key: z.string().nullable().describe('The name that its playbook gave the question'),
  noteId: z.string().nullable(),
  delegationId: z.string().nullable(),
  kind: QuestionKind,
  class: QuestionClass.nullable(),
  text: z.string(),
  context: z.string(),
  options: z.array(QuestionOption),
  recommendation: z.string().nullable().describe('The key of an option'),
  risk: z.enum(['low', 'medium', 'high']),
  status: QuestionStatus,
  answer: z.string().nullable(),
  answeredBy: z.string().nullable(),
  askedBy: z.string(),
  hops: z.array(Hop),
  ladder: z.array(Rung).describe('The rungs that have not had it yet'),
  resolveBriefId: z
    .string()
    .nullable()
    .describe('The brief of the rung that has it; null: the operator, or nobody yet'),
  currentPositionId: z.number().int().nullable(),
  acknowledgedAt: z.string().nullable(),
  createdAt: z.string(),
  answeredAt: z.string().nullable(),
})
export type Question = z.infer<typeof Question>

/** A question with the decisions that wait to take effect, or could not. */
export const DecidedQuestion = Question.extend({ decisions: Decisions })
export type DecidedQuestion = z.infer<typeof DecidedQuestion>

/** A question as it is shown, with the facts that its answer rests on. */
export const QuestionView = DecidedQuestion.extend({
  facts: QuestionFacts.nullable().describe('Null: an agent asks, or it is far down a list; show the question alone'),
})
export type QuestionView = z.infer<typeof QuestionView>

/** Returns the run of a question that is about a brief, a note, a budget or a check. */
export function runIdOf({ id, runId }: Pick<Question, 'id' | 'runId'>): string {
  if (runId === null) throw bug(`question ${id} belongs to no run`)
  return runId
}

/** Reports whether a question takes an answer in own words. About checks, these are a setup command, where one helps. */
export const takesOwnWords = ({ class: cause, options }: Pick<Question, 'class' | 'options'>): boolean =>
  cause === 'checks' ? options.some(({ key }) => key === 'setup') : cause !== 'gate'

/** The fields of a question that an agent may set; the engine sets the others. */
export const Ask = z.strictObject({
  text: z.string().trim().min(1).max(4_000),
  context: z.string().max(20_000).default(''),
  kind: z.enum(['requirement', 'technical', 'workflow', 'conflict']).default('requirement'),
  options: z.array(QuestionOption).max(10).default([]),
  recommendation: z.string().max(64).nullable().default(null),
  risk: z.enum(['low', 'medium', 'high']).default('medium'),
})
export type Ask = z.infer<typeof Ask>

/** One of several questions. An empty one is refused by `nameEmptyAsks`, because a path counts from zero. */
export const AskInSet = Ask.extend({ text: z.string().trim().max(4_000) })

export function nameEmptyAsks(asks: readonly Ask[], issues: z.RefinementCtx): void {
  for (const [index, { text }] of asks.entries())
    if (text === '')
      issues.addIssue({
        code: 'custom',
        path: [index, 'text'],
        message: `question ${index + 1} of ${asks.length} is empty: say what is to be decided`,
      })
}

export const questionOperations = {
  list: operation({
    name: 'question.list',
    summary: 'List unanswered questions, oldest first',
    ...questionEndpoints.list,
    input: z.strictObject({
      runId: z.string().optional(),
      organisationId: OfOrganisation,
      all: z.stringbool().optional().describe('Include answered questions'),
      limit: z.coerce.number().int().min(1).max(500).default(100),
    }),
    output: z.object({ questions: z.array(QuestionView), total: z.number().int() }),
    allow: ['operator'],
  }),
  show: operation({
    name: 'question.show',
    summary: 'Show a question with its options',
    ...questionEndpoints.show,
    input: z.strictObject({ questionId: z.string() }),
    output: QuestionView,
    allow: ['operator', 'agent'],
  }),
  answer: operation({
    name: 'question.answer',
    summary: 'Answer a question with the key of an option or with free text; an agent answers those that name its seat',
    ...questionEndpoints.answer,
    input: z.strictObject({
      questionId: z.string(),
      answer: z.string().trim().min(1).max(10_000),
      undoSeconds: UndoSeconds,
    }),
    output: DecidedQuestion,
    allow: ['operator', 'agent'],
    tool: 'question_answer',
  }),
  acknowledge: operation({
    name: 'question.acknowledge',
    summary: 'Acknowledge a question without answering it',
    ...questionEndpoints.acknowledge,
    input: z.strictObject({ questionId: z.string() }),
    output: Question,
    allow: ['operator'],
  }),
}
