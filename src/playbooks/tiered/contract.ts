import { z } from 'zod'

import { TierName, tierNames } from '../../team/contract.ts'
import type { Brief } from '../../work/briefs/contract.ts'

/**
 * The outputs of the steps of a tiered run. They are documents: their names are those of the JSON that agents write and
 * people read. Fields that are not listed here are dropped.
 */

/** The fields that this playbook keeps with its briefs. */
export const BriefData = z.strictObject({
  tier: TierName,
  workstream: z.string().nullable(),
  label: z.string().nullable().describe('Its name in the live log'),
  personality: z.string().nullable().describe('The file of the talent pool that its agent is cast from'),
  files: z.array(z.string()).describe('The files it may touch, if that was agreed'),
  flow: z.enum(['swarm', 'pipeline']).nullable(),
  replaces: z.string().nullable().describe('The brief that it replaces'),
  opaque: z.boolean().describe('Its agent may split the work without showing it'),
})
export type BriefData = z.infer<typeof BriefData>

/** Returns the data of a brief, which were checked when they were written. */
export const dataOfBrief = ({ data }: Pick<Brief, 'data'>): BriefData => data as BriefData

const Line = (max = 2_000) => z.string().trim().min(1).max(max)
const Prose = z.string().max(50_000)
const Lines = z.array(Line()).max(1_000)

/** A name that becomes part of keys and branches. */
export const Name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,59}$/, { error: 'must be lower-case letters, digits and hyphens, at most 60' })
  // Names are looked up in objects, which have a property of this name by default.
  .refine((name) => name !== 'constructor', { error: '"constructor" is reserved' })

const TierRef = z.enum(tierNames)

const FileProof = z.object({
  kind: z.literal('file'),
  path: Line(1_000),
  contains: z.string().max(10_000).optional(),
  min_bytes: z.number().int().min(0).optional(),
})
const ArtifactProof = z.object({ kind: z.literal('artifact'), path: Line(1_000).optional() })
const SchemaProof = z.object({
  kind: z.literal('schema'),
  path: Line(1_000),
  schema: z.record(z.string(), z.unknown()).optional(),
  schema_path: Line(1_000).optional(),
})

/** Evidence that a planner may ask for. Programs are excluded: only the operator decides which commands run as proof. */
export const Proof = z.discriminatedUnion('kind', [FileProof, ArtifactProof, SchemaProof], {
  error: 'must be of kind file, artifact or schema: a planner may ask for no other evidence',
})
export type Proof = z.infer<typeof Proof>

export const complexities = ['high', 'medium', 'low'] as const

export const Workstream = z.object({
  id: Name,
  name: Line(200),
  domain: Line(100).describe('Its subject in one word: backend, infra, docs'),
  tier_path: z.array(TierRef).min(1).max(10).describe('The tiers it goes through below T1, such as t2, t3, t4, t5'),
  parallel_group: Line(100),
  t2_specialist: Line(200).nullable().default(null).describe('A personality of the talent pool'),
  notes: Prose.default(''),
  evidence_required: z.array(Proof).max(50).default([]).describe('Evidence that it is done, where the path has no t3'),
})
export type Workstream = z.infer<typeof Workstream>

export const TierPlan = z.object({
  run_id: Line(100),
  goal_anchor: z.string().min(1).max(20_000).describe('The goal, word for word'),
  complexity: z.enum(complexities),
  retry_budget_multiplier: z.number().int().min(1).max(2),
  workstreams: z.array(Workstream).min(1).max(5_000),
  parallelism: z.object({
    groups: z.record(z.string().min(1).max(100), z.array(Name).max(5_000)),
    sequence: z.array(Line(100)).min(1).max(5_000),
  }),
  self_critique_summary: Prose.default(''),
})
export type TierPlan = z.infer<typeof TierPlan>

/** The plan after its author's own critique. */
export const CriticisedPlan = TierPlan.extend({
  self_critique_summary: Line(50_000).describe('Risks and gaps of the plan, and your changes because of them'),
})

export const DomainBoundaries = z.object({
  domains: z
    .array(z.object({ domain: Line(100), owns: Lines, excludes: Lines.default([]), interfaces: Lines.default([]) }))
    .min(1)
    .max(5_000),
})
export type DomainBoundaries = z.infer<typeof DomainBoundaries>

export const SharedAssumptions = z.object({
  auth_approach: Prose.default(''),
  data_formats: Lines.default([]),
  api_patterns: Lines.default([]),
  conventions: Lines.default([]),
  constraints: Lines.default([]),
})
export type SharedAssumptions = z.infer<typeof SharedAssumptions>

export const Bounds = z.object({ domain_boundaries: DomainBoundaries, shared_assumptions: SharedAssumptions })
export type Bounds = z.infer<typeof Bounds>

export const Component = z.object({ name: Line(200), purpose: Line() })
export const InterfaceContract = z.object({
  name: Line(200),
  provided_by: Line(200),
  used_by: z.array(Line(200)).max(1_000).default([]),
  contract: Line(20_000).describe('The promise: signatures, formats, errors'),
})

export const Squad = z.object({ id: Name, name: Line(200), scope: Line(5_000) })
export type Squad = z.infer<typeof Squad>

export const Proposal = z.object({
  domain: Line(100),
  components: z.array(Component).min(1).max(500),
  interface_contracts: z.array(InterfaceContract).max(500).default([]),
  decisions: Lines.default([]),
  open_conflicts: Lines.default([]),
  t3_squads: z.array(Squad).min(1).max(100).describe('The squads that build it; each has its own lead'),
})
export type Proposal = z.infer<typeof Proposal>

export const Conflict = z.object({
  workstreams: z.array(Name).min(1).max(5_000).describe('Workstreams whose proposals conflict'),
  about: Line(5_000),
})
export type Conflict = z.infer<typeof Conflict>

export const Architecture = z.object({
  overview: Line(50_000),
  slices: z
    .record(Name, z.object({ summary: Line(20_000), components: z.array(Component).max(500).default([]) }))
    .describe('By workstream'),
  interface_contracts: z.array(InterfaceContract).max(2_000).default([]),
})
export type Architecture = z.infer<typeof Architecture>

export const Synthesis = z.object({
  conflicts: z
    .array(Conflict)
    .max(1_000)
    .default([])
    .describe('Conflicts to settle first; empty when the proposals fit together'),
  canonical_architecture: Architecture.optional(),
})
export type Synthesis = z.infer<typeof Synthesis>

export const IntegrationSummary = z.object({ summary: Line(50_000), concerns: Lines.default([]) })
export type IntegrationSummary = z.infer<typeof IntegrationSummary>

export const Acceptance = z.object({
  decision: z.enum(['accept', 'reject']),
  reason: Line(20_000),
  workstreams: z
    .array(Name)
    .max(5_000)
    .default([])
    .describe('With reject: the workstreams to repeat; an empty list means all'),
  action: z
    .enum(['rework', 'replan'])
    .default('rework')
    .describe('With reject: rework repeats the same tasks, replan restarts the workstreams'),
})
export type Acceptance = z.infer<typeof Acceptance>

export const Task = z.object({
  id: Name,
  title: Line(200),
  scope: Line(500).describe('Its single subject'),
  objective: Line(50_000),
  files: z.array(Line(1_000)).max(500).default([]).describe('Files that it creates or changes'),
  mode: z.enum(['swarm', 'pipeline']).default('swarm').describe('pipeline: it builds on the results of others'),
  depends_on: z.array(Name).max(50).default([]).describe('Ids of tasks of this list'),
  evidence_required: z.array(Proof).max(50).default([]),
  agent_personality: Line(200).nullable().default(null).describe('A personality of the talent pool'),
})
export type Task = z.infer<typeof Task>

export const TaskList = z.object({ tasks: z.array(Task).max(2_000) })
export type TaskList = z.infer<typeof TaskList>

export const SliceResult = z.object({
  verifier_id: z.string().max(200),
  scope: Line(500),
  verdict: z.enum(['pass', 'fail']),
  issues: Lines.default([]),
  notes: Prose.default(''),
})
export type SliceResult = z.infer<typeof SliceResult>

/** Scope of an issue that does not belong to a single slice. */
export const integrationScope = 'integration'

export const JointVerdict = z.object({
  t5_results: z.array(SliceResult).min(1).max(2_000),
  joint_verdict: z.enum(['pass', 'partial', 'fail']),
  failed_scopes: z.array(Line(500)).max(2_000).default([]),
  summary: Line(50_000),
})
export type JointVerdict = z.infer<typeof JointVerdict>

export const Resolution = z.object({
  decision: z
    .enum(['answer', 'replace', 'hand_up'])
    .describe('answer: it continues with your answer; replace: other work instead; hand_up: the decision is not yours'),
  answer: Prose.optional(),
  tasks: z.array(Task).max(500).optional().describe('With replace, for a task'),
  squads: z
    .array(Squad.extend({ workstream: Name.optional().describe('Where several share the domain') }))
    .max(100)
    .optional()
    .describe('With replace, for squads'),
  reason: Line(20_000),
})
export type Resolution = z.infer<typeof Resolution>

/** By phase: the shape of `output` in a step's report. T4 delivers files, T5 a verdict. */
export const outputs = {
  t1_plan: TierPlan,
  t1_critique: CriticisedPlan,
  t1_accept: Acceptance,
  t2_lead: Bounds,
  t2_specialist: Proposal,
  t2_conflict: Proposal,
  t2_synthesis: Synthesis,
  t2_summary: IntegrationSummary,
  t3_plan: TaskList,
  t3_mesh: TaskList,
  t3_verdict: JointVerdict,
  resolve: Resolution,
} as const
export type StepPhase = keyof typeof outputs

export const phases = [...(Object.keys(outputs) as StepPhase[]), 't4', 't5'] as const
export type Phase = StepPhase | 't4' | 't5'
