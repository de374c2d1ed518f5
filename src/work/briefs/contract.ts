import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { Evidence } from '../evidence/contract.ts'
import { briefStatuses } from './states.ts'

export const BriefStatus = z.enum(briefStatuses)

const Text = (max: number) => z.string().trim().min(1).max(max)

/** What the operator or a playbook asks for; the engine adds the rest. */
export const BriefSpec = z.strictObject({
  key: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, { error: 'must be lower-case letters, digits and hyphens' })
    .describe('Names the brief within its run'),
  title: Text(200).optional(),
  objective: Text(50_000),
  context: z.string().max(200_000).optional(),
  evidence: z.array(Evidence).max(50).optional(),
  after: z.array(z.string()).max(1_000).default([]).describe('Keys of briefs that must be verified first'),
  runtime: z.string().max(64).optional(),
  runtimeOptions: z.record(z.string(), z.unknown()).optional(),
})
export type BriefSpec = z.infer<typeof BriefSpec>

/** One of our agents’ failed proofs, sent along with the next attempt. */
export const Correction = z.object({ evidence: z.string(), detail: z.string() })
export type Correction = z.infer<typeof Correction>

export const Brief = z.object({
  id: z.string(),
  runId: z.string(),
  missionId: z.string(),
  key: z.string(),
  number: z.number().int().nullable().describe('Its place in the plan'),
  title: z.string(),
  objective: z.string(),
  context: z.string(),
  evidence: z.array(Evidence),
  personaId: z.number().int(),
  runtime: z.string(),
  runtimeOptions: z.record(z.string(), z.unknown()),
  status: BriefStatus,
  heldBy: z.string().nullable().describe('Why a pending brief waits: pause, gate:…, dependency_failed:…'),
  unmetDependencies: z.number().int(),
  attempts: z.number().int().describe('How often it was launched; the newest attempt’s fence'),
  attemptId: z.string().nullable().describe('The newest attempt'),
  crashRetries: z.number().int(),
  crashLimit: z.number().int(),
  retriesUsed: z.number().int(),
  retryBudget: z.number().int(),
  interruptions: z.number().int().describe('Deaths of ours in a row without an ended attempt'),
  corrections: z.array(Correction),
  failure: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type Brief = z.infer<typeof Brief>

export const Dependency = z.object({ runId: z.string(), briefId: z.string(), afterId: z.string(), met: z.boolean() })
export type Dependency = z.infer<typeof Dependency>

export const briefOperations = {
  list: operation({
    name: 'brief.list',
    summary: 'Briefs in one state, over all runs, the newest change first',
    method: 'GET',
    path: '/briefs',
    input: z.strictObject({ status: BriefStatus, limit: z.coerce.number().int().min(1).max(500).default(50) }),
    output: z.object({ briefs: z.array(Brief) }),
    allow: ['operator'],
  }),
  show: operation({
    name: 'brief.show',
    summary: 'One brief with its state',
    method: 'GET',
    path: '/briefs/:brief_id',
    input: z.strictObject({ briefId: z.string() }),
    output: Brief,
    allow: ['operator', 'agent'],
  }),
  update: operation({
    name: 'brief.update',
    summary: 'Cancel a brief; any other change of state is the engine’s',
    method: 'PATCH',
    path: '/briefs/:brief_id',
    input: z.strictObject({ briefId: z.string(), status: BriefStatus, reason: z.string().max(2_000).optional() }),
    output: Brief,
    allow: ['operator'],
  }),
}
