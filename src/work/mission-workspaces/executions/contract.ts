import { z } from 'zod'

import { operation } from '../../../operations/contract.ts'
import { Denied, Finding, Outcome } from '../../attempts/contract.ts'
import { AgentMode } from '../../runs/contract.ts'
import { executionEndpoints } from './endpoints.ts'

const missionId = z.string().describe('The mission: its id, or enough of its beginning to be the only one')

/** What both kinds of execution take. */
const common = {
  missionId,
  timeoutMinutes: z
    .number()
    .positive()
    .max(1_440)
    .default(15)
    .describe('It is ended after this; the limit of the workspace counts too'),
  tokenBudget: z.number().int().positive().max(1e12).default(50_000).describe('Tokens it may use'),
  model: z.string().min(1).max(200).optional().describe('For runtimes that let one choose'),
  runtime: z.string().max(64).optional().describe('Which kind of agent; claude is short for claude-code'),
  runtimeOptions: z.record(z.string(), z.unknown()).default({}),
}

export const Execute = z.strictObject({
  ...common,
  prompt: z.string().trim().min(1).max(20_000),
  mode: AgentMode.default('yolo'),
  contextFiles: z
    .array(z.string().min(1).max(4_096))
    .max(50)
    .default([])
    .describe('Files it is to read first; they must be readable from inside'),
})
export type Execute = z.infer<typeof Execute>

export const Review = z.strictObject({
  ...common,
  focus: z.string().trim().min(1).max(2_000).optional().describe('What to look for above all'),
})
export type Review = z.infer<typeof Review>

/** What git and the records say about it; nothing of it is an agent’s word, but for what it printed and found. */
export const Execution = z.object({
  runId: z.string(),
  missionId: z.string(),
  workspace: z.string(),
  kind: z.enum(['execute', 'review']),
  status: z
    .enum(['queued', 'running', 'waiting', 'done', 'failed', 'cancelled'])
    .describe('waiting: something has to be decided first, see needs_approval and question_id'),
  mode: AgentMode.describe('Under which it worked'),
  filesCreated: z.array(z.string()).nullable().describe('Null where git cannot say'),
  filesModified: z.array(z.string()).nullable(),
  filesDeleted: z.array(z.string()).nullable(),
  stdout: z.string().describe('The last 200,000 characters'),
  stderr: z.string(),
  exitCode: z.number().int().nullable().describe('124: it took too long; null: it has not ended'),
  tokensUsed: z.number().int(),
  cost: z.number().describe('US dollars'),
  outcome: Outcome.nullable(),
  detail: z.string().nullable(),
  durationMs: z.number().int().nullable(),
  needsApproval: z.array(Denied).describe('What it wanted to do and was not allowed to'),
  questionId: z.string().nullable(),
  budgetExceeded: z.boolean(),
  findings: z.array(Finding).nullable().describe('Of a review; null where it reported none in a form that can be read'),
})
export type Execution = z.infer<typeof Execution>

export const executionOperations = {
  execute: operation({
    name: 'workspace.exec',
    summary: 'Let an agent do one thing in a mission’s workspace; where somebody works there, it is queued',
    ...executionEndpoints.execute,
    input: Execute,
    output: Execution,
    allow: ['operator'],
  }),
  review: operation({
    name: 'workspace.review',
    summary: 'Let an agent look at a mission’s workspace and say what it finds; nothing is changed',
    ...executionEndpoints.review,
    input: Review,
    output: Execution,
    allow: ['operator'],
  }),
  execution: operation({
    name: 'workspace.execution',
    summary: 'What became of an execution',
    ...executionEndpoints.execution,
    input: z.strictObject({
      runId: z.string().describe('The run that it is'),
      waitSeconds: z.coerce
        .number()
        .min(0)
        .max(20)
        .default(0)
        .describe('Answer only when it has ended or waits, but no later than this'),
    }),
    output: Execution,
    allow: ['operator'],
  }),
}
