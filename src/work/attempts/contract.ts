import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { Evidence, Odd } from '../evidence/contract.ts'
import { BriefSpec, Correction, Guidance } from '../briefs/contract.ts'
import { NoteCategory, ReportedNote } from '../notes/contract.ts'
import { Ask, AskInSet, nameEmptyAsks } from '../questions/contract.ts'
import { Judgement } from '../verdicts/contract.ts'
import { attemptEndpoints } from './endpoints.ts'

export const outcomes = [
  'ok',
  'partial_output',
  'bad_output',
  'blocked',
  'crash',
  'timeout',
  'budget',
  'interrupted',
] as const
export const Outcome = z.enum(outcomes)
export type Outcome = z.infer<typeof Outcome>

export const Assumption = z.strictObject({
  text: z.string().trim().min(1).max(4_000),
  category: NoteCategory.optional(),
})

/** One finding of a reviewer. */
export const Finding = z.strictObject({
  severity: z.enum(['critical', 'high', 'medium', 'low', 'info']),
  file: z.string().max(1_000),
  line: z.number().int().min(1).nullable().default(null),
  suggestion: z.string().trim().min(1).max(4_000),
})
export type Finding = z.infer<typeof Finding>

/** An agent's report at the end of its attempt. It is a claim, not a fact: the engine checks the evidence itself. */
export const Report = z
  .strictObject({
    status: z.enum(['done', 'partial', 'blocked']),
    summary: z.string().trim().min(1).max(20_000),
    outputs: z
      .array(z.string().min(1).max(1_000))
      .max(500)
      .default([])
      .describe('Paths of the files you produced, inside the workspace'),
    assumptions: z
      .array(z.union([z.string().trim().min(1).max(4_000), Assumption]))
      .max(100)
      .optional()
      .describe('Your assumptions; each becomes a note that must be settled'),
    notes: z
      .array(ReportedNote)
      .max(100)
      .optional()
      .describe('Notes, as with the tools: new ones, or the outcome of those that you have written'),
    question: Ask.optional().describe('With status blocked: the decision that you need'),
    questions: z
      .array(AskInSet)
      .min(1)
      .max(10)
      .superRefine(nameEmptyAsks)
      .optional()
      .describe('With status blocked: several decisions that you need; you continue when all are answered'),
    remaining: z.string().trim().min(1).max(20_000).optional().describe('With status partial: the remaining work'),
    verdict: Judgement.optional().describe('For a verifier: the verdict'),
    findings: z.array(Finding).max(500).optional().describe('For a reviewer: the findings; [] for none'),
    output: z.unknown().optional().describe('Data that your brief asks for, in the given shape'),
    plan: z.array(BriefSpec).min(1).max(10_000).optional().describe('For a planner: the planned briefs'),
  })
  .refine(({ status, remaining }) => status !== 'done' || remaining === undefined, {
    error: 'done with remaining work: report partial',
    path: ['remaining'],
  })
  .refine(({ question, questions }) => question === undefined || questions === undefined, {
    error: 'give one "question", or all of them in "questions"',
    path: ['questions'],
  })
export type Report = z.infer<typeof Report>

/** Returns the questions of a report, in its order. */
export const asksOf = ({ question, questions }: Pick<Report, 'question' | 'questions'>): readonly Ask[] =>
  questions ?? (question === undefined ? [] : [question])

export const hasAsked = (report: Report | null): boolean => report !== null && asksOf(report).length > 0

export const Usage = z.object({
  inputTokens: z.number().int().min(0),
  outputTokens: z.number().int().min(0),
})
export type Usage = z.infer<typeof Usage>

/** The highest observed use of the machine by an attempt’s processes and files. */
export const Used = z.object({
  memoryMb: z.number(),
  processes: z.number().int(),
  diskMb: z.number(),
  violations: z
    .array(z.string())
    .optional()
    .describe('Files of Agency in the workspace that it changed, where no box prevented it; they were put back'),
})

export const Denied = z.object({
  rule: z.string().describe('The rule that allows it, in the runtime’s own syntax'),
  what: z.string(),
})

/** The result of an agent before its evidence is checked: recorded first, so that no death of the daemon loses it. */
export const Ending = z.object({
  outcome: z.enum(['ok', 'partial_output']),
  detail: z.string(),
  refused: z
    .object({ by: z.string(), reason: z.string() })
    .nullable()
    .describe('The limit that ended it: another attempt would be refused before its first call'),
  denied: z.array(Denied).describe('Operations that its runtime denied'),
})
export type Ending = z.infer<typeof Ending>

export const CheckedIn = z
  .enum(['checkout', 'copy', 'workspace', 'host'])
  .describe(
    'Where its evidence was checked. checkout: a fresh checkout of its commit; copy: a copy of its workspace, which is no repository; workspace: its own workspace, where untracked files may have helped; host: outside any box',
  )
export type CheckedIn = z.infer<typeof CheckedIn>

/** A file that was handed to an attempt: an output of a brief that its brief waits for or receives. */
export const InputSeen = z.object({
  brief: z.string().describe('The brief that made it: a part of the one with the key, or its rest'),
  key: z.string().describe('The key of the brief in whose folder it is'),
  attempt: z.number().int().describe('The attempt of that brief whose output it is'),
  path: z.string().describe('Its path below `.agency/inputs/<key>/`'),
  sha256: z.string(),
  bytes: z.number().int(),
})
export type InputSeen = z.infer<typeof InputSeen>

export const Attempt = z.object({
  id: z.string(),
  runId: z.string(),
  briefId: z.string(),
  agentId: z.number().int(),
  fence: z.number().int(),
  worker: z.string().describe('The process that runs it'),
  runtime: z.string(),
  simulated: z.boolean(),
  boxed: z.boolean(),
  status: z
    .enum(['launching', 'running', 'reported', 'examining', 'ended'])
    .describe('reported: its agent has ended, its evidence is not checked yet; examining: `worker` checks it'),
  pid: z.number().int().nullable(),
  outcome: Outcome.nullable(),
  detail: z.string().nullable().describe('The reason for this outcome, in one line'),
  report: Report.nullable(),
  outputs: z
    .array(z.object({ path: z.string(), sha256: z.string() }))
    .describe('The reported files that existed when the evidence was checked'),
  inputsSeen: z.array(InputSeen).describe('The files that were handed to it below `.agency/inputs/`'),
  promptSha256: z.string().nullable(),
  systemPromptSha256: z.string().nullable().describe('Of its system prompt; null: it had none'),
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
  costMicros: z.number().int().describe('Millionths of a US dollar, of the calls whose price is known'),
  budgeted: z.boolean().describe('It has reserved a part of a budget, which is returned when its agent ends'),
  session: z.string().nullable().describe('The session that a later attempt can resume'),
  exitCode: z.number().int().nullable(),
  used: Used.nullable().describe('Peak use of the machine; null: not measured'),
  denied: z.array(Denied).describe('Operations that it attempted and that were denied'),
  ending: Ending.nullable().describe('From the end of its agent on, if there is a report to check'),
  heldBy: z
    .string()
    .nullable()
    .describe('What the check of its evidence waits for: question:<id>, checks:<repository>'),
  checkedIn: CheckedIn.nullable(),
  odd: z.array(Odd).describe('Its changes that may weaken a proof'),
  contradiction: z.string().nullable().describe('Why its reports contradict each other; null: they do not'),
  createdAt: z.string(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
})
export type Attempt = z.infer<typeof Attempt>

export const attemptOperations = {
  brief: operation({
    name: 'attempt.brief',
    summary: 'Show your brief: objective, context, required evidence, and the failures of the last attempt',
    ...attemptEndpoints.brief,
    input: z.strictObject({}),
    output: z.object({
      briefId: z.string(),
      runId: z.string(),
      attemptId: z.string(),
      attempt: z.number().int(),
      objective: z.string(),
      context: z.string(),
      evidence: z.array(Evidence),
      corrections: z.array(Correction),
      guidance: z.array(Guidance),
      inputsSeen: z.array(InputSeen).describe('The files of other briefs below `.agency/inputs/`'),
      kind: z.enum(['work', 'plan', 'verify']),
    }),
    allow: ['agent'],
    tool: 'brief',
  }),
  report: operation({
    name: 'attempt.report',
    summary:
      'Report the end of your attempt: a summary and the files that prove it. Of work the last report counts, of a verifier the first',
    ...attemptEndpoints.report,
    input: Report,
    output: z.object({ accepted: z.literal(true), note: z.string() }),
    allow: ['agent'],
    agentRate: { perSecond: 0.2, burst: 10 },
    tool: 'report',
  }),
  output: operation({
    name: 'attempt.output',
    summary: 'Read the stored output of an attempt, during the attempt and afterwards',
    ...attemptEndpoints.output,
    input: z.strictObject({
      attemptId: z.string(),
      after: z.coerce
        .number()
        .int()
        .min(0)
        .optional()
        .describe('Continue at this byte, the `next` of the previous answer; default: the end of the output'),
    }),
    output: z.object({
      attemptId: z.string(),
      from: z.number().int().describe('Where the text begins, in bytes'),
      text: z.string().describe('Without secrets; with the escape sequences that it was printed with'),
      next: z.number().int(),
      ended: z.boolean().describe('No more output follows'),
    }),
    allow: ['operator'],
  }),
}
