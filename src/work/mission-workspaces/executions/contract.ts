import { z } from 'zod'

import { operation } from '../../../operations/contract.ts'
import { Denied, Finding, Outcome } from '../../attempts/contract.ts'
import { AgentMode, ReadablePaths } from '../../runs/contract.ts'
import { executionEndpoints } from './endpoints.ts'

const missionId = z.string().describe('The mission: its id, or enough of its beginning to be the only one')

/** The input of both kinds of execution. */
const common = {
  missionId,
  timeoutMinutes: z
    .number()
    .positive()
    .max(1_440)
    .default(15)
    .describe('Timeout; the limit of the workspace applies too'),
  tokenBudget: z.number().int().positive().max(1e12).default(50_000).describe('Maximum number of tokens'),
  model: z.string().min(1).max(200).optional().describe('For runtimes with a choice of models'),
  runtime: z.string().max(64).optional().describe('The runtime of the agent; claude is short for claude-code'),
  runtimeOptions: z.record(z.string(), z.unknown()).default({}),
  readable: ReadablePaths.optional(),
}

export const Execute = z.strictObject({
  ...common,
  prompt: z.string().trim().min(1).max(20_000),
  mode: AgentMode.default('yolo'),
  contextFiles: z
    .array(z.string().min(1).max(4_096))
    .max(50)
    .default([])
    .describe('Files to read first; they must be readable from inside'),
})
export type Execute = z.infer<typeof Execute>

export const Review = z.strictObject({
  ...common,
  focus: z.string().trim().min(1).max(2_000).optional().describe('The main subject of the review'),
})
export type Review = z.infer<typeof Review>

/** The result according to git and the records; only the output and the findings come from the agent itself. */
export const Execution = z.object({
  runId: z.string(),
  missionId: z.string(),
  workspace: z.string(),
  kind: z.enum(['execute', 'review']),
  status: z
    .enum(['queued', 'running', 'waiting', 'done', 'failed', 'cancelled'])
    .describe('waiting: a decision is needed first, see needs_approval and question_id'),
  mode: AgentMode.describe('The mode of the agent'),
  filesCreated: z.array(z.string()).nullable().describe('Null if git failed'),
  filesModified: z.array(z.string()).nullable(),
  filesDeleted: z.array(z.string()).nullable(),
  stdout: z.string().describe('The last 200,000 characters'),
  stderr: z.string(),
  exitCode: z.number().int().nullable().describe('124: it exceeded its timeout; null: it has not ended'),
  tokensUsed: z.number().int(),
  cost: z.number().describe('US dollars'),
  outcome: Outcome.nullable(),
  detail: z.string().nullable(),
  durationMs: z.number().int().nullable(),
  needsApproval: z.array(Denied).describe('Actions that were denied'),
  questionId: z.string().nullable(),
  budgetExceeded: z.boolean(),
  findings: z.array(Finding).nullable().describe('Findings of a review; null if it reported none in a readable form'),
})
export type Execution = z.infer<typeof Execution>

export const executionOperations = {
  execute: operation({
    name: 'workspace.exec',
    summary: 'Let an agent do one step in a mission’s workspace; it is queued while another run works there',
    ...executionEndpoints.execute,
    input: Execute,
    output: Execution,
    allow: ['operator'],
  }),
  review: operation({
    name: 'workspace.review',
    summary: 'Let an agent review a mission’s workspace and report findings; nothing is changed',
    ...executionEndpoints.review,
    input: Review,
    output: Execution,
    allow: ['operator'],
  }),
  execution: operation({
    name: 'workspace.execution',
    summary: 'Show the result of an execution',
    ...executionEndpoints.execution,
    input: z.strictObject({
      runId: z.string().describe('The run of the execution'),
      waitSeconds: z.coerce
        .number()
        .min(0)
        .max(20)
        .default(0)
        .describe('Respond when it has ended or waits, but no later than this'),
    }),
    output: Execution,
    allow: ['operator'],
  }),
}
