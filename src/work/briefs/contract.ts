import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { AmendmentRecord } from '../amendments/record.contract.ts'
import { Evidence } from '../evidence/contract.ts'
import { briefStatuses } from './states.ts'
import { briefEndpoints } from './endpoints.ts'

export const BriefStatus = z.enum(briefStatuses)

const Text = (max: number) => z.string().trim().min(1).max(max)

/** How a brief reaches its agent: an agent is started for each attempt, or a live agent receives it. */
export const Dispatch = z.enum(['spawn', 'deliver'])
export type Dispatch = z.infer<typeof Dispatch>

/** Those for which there is a driver. */
export const usableDispatches: readonly Dispatch[] = ['spawn']

export const VerifyPolicy = z.enum(['none', 'agent'])

/** A brief as the operator or a playbook specifies it; the engine adds the rest. */
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
  dispatch: Dispatch.optional().describe('spawn, the default: an agent is started for each attempt'),
  persona: z.string().min(1).max(200).optional().describe('The persona that does it: slug or unique name'),
  verifier: z.string().min(1).max(200).optional().describe('The persona that verifies it; never the one that does it'),
  verify: VerifyPolicy.optional().describe('agent: a verifier judges it; none: its evidence is sufficient'),
  retryBudget: z.number().int().min(0).max(20).optional().describe('Retries after failed evidence'),
  verificationLimit: z.number().int().min(0).max(20).optional().describe('Retries after a failing verdict'),
  tokenBudget: z.number().int().positive().max(1e12).optional().describe('Tokens it may use over all attempts'),
  costLimit: z.number().positive().max(1e6).optional().describe('US dollars it may cost over all attempts'),
})
export type BriefSpec = z.infer<typeof BriefSpec>

/** A failed check of an earlier attempt, passed to the next attempt. */
export const Correction = z.object({
  evidence: z.string(),
  detail: z.string(),
  output: z.string().optional().describe('The last lines of the output of a check that failed, without secrets'),
})
export type Correction = z.infer<typeof Correction>

/** An answer from above, passed to every later attempt. */
export const Guidance = z.object({ question: z.string(), answer: z.string(), by: z.string() })
export type Guidance = z.infer<typeof Guidance>

/**
 * Reasons that are stored with a brief; each ends by its own event, and the others stay. A kind that a later part adds
 * needs an entry here and a text in the dashboard.
 */
export const holdKinds = ['dependency_failed', 'budget', 'checks', 'merge', 'workspace'] as const
export type HoldKind = (typeof holdKinds)[number]

export interface Hold {
  readonly kind: HoldKind
  /**
   * dependency_failed: the brief; budget: `brief` for its own, otherwise the scope; checks: the path of the repository;
   * empty for the others.
   */
  readonly subject: string
}
export type BriefHold = Hold & { readonly runId: string; readonly briefId: string }

/** Reasons that are derived when a brief is read, beside those that are stored. */
const derivedKinds = [
  'pause',
  'gate',
  'dependencies',
  'sibling_failed',
  'stop',
  'provider',
  'budget_reserved',
  'seat',
] as const

export const WaitReason = z.object({
  kind: z.enum([...holdKinds, ...derivedKinds]),
  subject: z.string().describe('The brief, gate, budget, repository, provider or seat that it waits for, or empty'),
})
export type WaitReason = z.infer<typeof WaitReason>

export const Brief = z.object({
  id: z.string(),
  runId: z.string(),
  missionId: z.string(),
  kind: z.enum(['work', 'plan', 'verify']).describe('verify: judges another brief'),
  key: z.string(),
  number: z.number().int().nullable().describe('Its place in the plan'),
  title: z.string(),
  objective: z.string(),
  context: z.string(),
  evidence: z.array(Evidence),
  checkable: z
    .boolean()
    .describe('Whether the operator declared evidence for it: a planner’s evidence alone never replaces a verifier'),
  verify: VerifyPolicy,
  verifyFixed: z
    .boolean()
    .describe('Its author chose `verify`; otherwise evidence that held before the work leads to a verifier'),
  verifies: z.string().nullable().describe('The brief that this one judges'),
  verifiesAttempt: z.number().int().nullable(),
  personaId: z.number().int(),
  positionId: z
    .number()
    .int()
    .nullable()
    .describe('The seat that it is done for: at most one agent works for a seat at a time'),
  dispatch: Dispatch.describe('spawn: an agent is started for each attempt'),
  verifierId: z.number().int().nullable().describe('The persona that judges it, where one was named'),
  runtime: z.string(),
  provider: z.string().describe('The provider whose quota its launches use'),
  runtimeOptions: z.record(z.string(), z.unknown()),
  status: BriefStatus,
  holdCount: z.number().int().describe('Number of stored reasons for which it waits'),
  unmetDependencies: z.number().int(),
  attempts: z.number().int().describe('Number of launches; the fence of the newest attempt'),
  attemptId: z.string().nullable().describe('The newest attempt'),
  crashRetries: z.number().int(),
  crashLimit: z.number().int(),
  retriesUsed: z.number().int(),
  retryBudget: z.number().int(),
  verificationFailures: z.number().int(),
  verificationLimit: z.number().int(),
  similarEscalations: z.number().int(),
  interruptions: z
    .number()
    .int()
    .describe('Consecutive interruptions by a death or stop of the daemon, without an ended attempt between'),
  corrections: z.array(Correction),
  guidance: z.array(Guidance),
  rejectionReason: z.string().nullable().describe('The reason of the gate that last sent it back'),
  repairs: z.string().nullable().describe('The failed proof of the merged result that it mends'),
  remainderOf: z.string().nullable().describe('The brief whose unfinished part this is'),
  tokensUsed: z.number().int(),
  costMicros: z.number().int(),
  startCommit: z.string().nullable().describe('The commit that its clone began with'),
  branch: z.string().nullable().describe('Its branch, where that is not named after its id'),
  branchCommit: z.string().nullable().describe('The collected commit of its branch'),
  allowed: z.array(z.string()).describe('Rules of operations that were denied to its agents and are allowed now'),
  failure: z.string().nullable(),
  phase: z.string().nullable().describe('Its step in the playbook: names its prompt and its output'),
  part: z.string().nullable().describe('The part it belongs to: a workstream, a squad …'),
  ownerId: z.string().nullable().describe('The brief whose author is responsible for this one'),
  inputs: z.record(z.string(), z.unknown()).describe('Its inputs, as data'),
  receives: z
    .array(z.string())
    .describe('Ids of briefs whose outputs it is handed, beside those of the briefs that it depends on'),
  capKey: z.string().nullable().describe('Briefs of a run with the same key share a cap of agents at work'),
  groupKey: z.string().nullable().describe('Briefs of a run that its playbook asks for together'),
  startsAfterFailure: z.boolean().describe('It may start although another brief of its run has failed'),
  data: z.record(z.string(), z.unknown()).describe('The fields of its playbook, such as tier and workstream'),
  escalations: z.number().int().describe('Number of answers that it got from above'),
  claimOrder: z.string().describe('The place of its run in the order of claims'),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type Brief = z.infer<typeof Brief>

/** A brief with the limits that it has of its own and the reasons why it waits. */
export const HeldBrief = Brief.extend({
  tokenBudget: z.number().int().nullable().describe('Limit of its own budget'),
  costLimitMicros: z.number().int().nullable().describe('Limit of its own budget, in millionths of a US dollar'),
  heldBy: z.string().nullable().describe('The first reason why it waits: pause, gate:…, dependency_failed:…'),
  holds: z.array(WaitReason).describe('All reasons why it waits, the most important first'),
})
export type HeldBrief = z.infer<typeof HeldBrief>

/** A brief with the context that its agent sees. */
export const BriefView = HeldBrief.extend({
  goalAnchor: z.string().describe('The goal of its run, in the operator’s words'),
  ownerBriefId: z.string().nullable().describe('As owner_id'),
  agentPersonality: z.string().nullable().describe('The file of the talent pool that its agent is cast from'),
  dependsOn: z.array(z.string()).describe('Ids of the briefs it depends on, finished ones included'),
  outputs: z.array(z.string()).describe('Names of its artifacts'),
  evidenceRequired: z.array(Evidence).describe('As evidence'),
  amendments: z.array(AmendmentRecord).describe('Changes of the path of its workstream'),
})
export type BriefView = z.infer<typeof BriefView>

export const Dependency = z.object({ runId: z.string(), briefId: z.string(), afterId: z.string(), met: z.boolean() })
export type Dependency = z.infer<typeof Dependency>

export const briefOperations = {
  list: operation({
    name: 'brief.list',
    summary: 'List briefs of all runs in one state, latest change first',
    ...briefEndpoints.list,
    input: z.strictObject({ status: BriefStatus, limit: z.coerce.number().int().min(1).max(500).default(50) }),
    output: z.object({ briefs: z.array(HeldBrief) }),
    allow: ['operator'],
  }),
  show: operation({
    name: 'brief.show',
    summary: 'Show a brief with its state',
    ...briefEndpoints.show,
    input: z.strictObject({ briefId: z.string() }),
    output: BriefView,
    allow: ['operator', 'agent'],
  }),
  update: operation({
    name: 'brief.update',
    summary: 'Cancel a brief; only the engine makes other changes of state',
    ...briefEndpoints.update,
    input: z.strictObject({
      briefId: z.string(),
      status: BriefStatus.optional(),
      reason: z.string().max(2_000).optional(),
      goalAnchor: z.string().max(20_000).optional().describe('Immutable: any other value is refused'),
    }),
    output: HeldBrief,
    allow: ['operator'],
  }),
}
