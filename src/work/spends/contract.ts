import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { OrgReference, PersonaReference } from '../../org/references.contract.ts'
import { spendEndpoints } from './endpoints.ts'

/** One model call as reported, with its cost: of an attempt, or of a live agent outside any run. */
export const Spend = z.object({
  id: z.string(),
  runId: z.string().nullable(),
  missionId: z.string().nullable(),
  organisationId: z.number().int(),
  briefId: z.string().nullable(),
  attemptId: z.string().nullable(),
  agentId: z.number().int().nullable().describe('The live agent that made the call outside any run'),
  personaId: z.number().int(),
  provider: z.string().nullable(),
  model: z.string().nullable(),
  inputTokens: z.number().int().describe('All of them, those read from or written to a cache too'),
  outputTokens: z.number().int(),
  cacheReadTokens: z.number().int(),
  cacheWriteTokens: z.number().int(),
  costMicros: z.number().int().nullable().describe('Millionths of a US dollar; null: no price is known'),
  simulated: z.boolean(),
  claimed: z.boolean().describe('The agent reported it about itself: it counts for its run and mission only'),
  at: z.string(),
})
export type Spend = z.infer<typeof Spend>

/** The sum of the calls of one model. */
export const ModelCost = z.object({
  provider: z.string().nullable(),
  model: z.string().nullable(),
  simulated: z.boolean(),
  claimed: z.boolean().describe('Reported by agents about themselves'),
  calls: z.number().int(),
  unpricedCalls: z.number().int().describe('Calls without a known price, which no sum of money includes'),
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
  cacheReadTokens: z.number().int(),
  cacheWriteTokens: z.number().int(),
  costMicros: z.number().int().describe('Millionths of a US dollar, of the calls whose price is known'),
})
export type ModelCost = z.infer<typeof ModelCost>

export const spendOperations = {
  summary: operation({
    name: 'spend.summary',
    summary: 'Sum the cost of model calls by model: of a run, a mission, an organisation, a persona, or of everything',
    ...spendEndpoints.summary,
    input: z.strictObject({
      runId: z.string().optional(),
      missionId: z.string().optional(),
      organisation: OrgReference.optional(),
      persona: PersonaReference.optional(),
      since: z.iso.datetime().optional().describe('Only calls at this time, in UTC, or later'),
    }),
    output: z.object({
      models: z.array(ModelCost),
      calls: z.number().int().describe('Simulated calls are in no sum but their own'),
      unpricedCalls: z.number().int(),
      tokens: z.number().int(),
      costMicros: z.number().int(),
      simulatedCalls: z.number().int(),
      simulatedTokens: z.number().int(),
    }),
    allow: ['operator'],
  }),
  list: operation({
    name: 'spend.list',
    summary: 'List the model calls of a run, newest first',
    ...spendEndpoints.list,
    input: z.strictObject({ runId: z.string(), limit: z.coerce.number().int().min(1).max(1_000).default(200) }),
    output: z.object({ spends: z.array(Spend) }),
    allow: ['operator'],
  }),
}
