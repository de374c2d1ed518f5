import { z } from 'zod'

import { NotifierName } from '../adapters/notify/contract.ts'
import { laterRuntimes } from '../adapters/runtime/contract.ts'
import { laterVcsAdapters, vcsAdapters } from '../adapters/vcs/contract.ts'
import { FileOptions } from '../documents/options.contract.ts'

export const tierNames = ['t1', 't2', 't3', 't4', 't5'] as const
export const TierName = z.enum(tierNames)
export type TierName = z.infer<typeof TierName>

/** The amount of reasoning that a task needs. Only a team file maps it to a model. */
export const capabilities = ['reasoning-heavy', 'capable', 'fast-cheap'] as const
export const Capability = z.enum(capabilities)
export type Capability = z.infer<typeof Capability>

/** The runtime behind `standard`: a model with Agency's own tools, and no program around it. */
export const standardRuntime = 'llm'

export interface TierDuty {
  readonly role: string
  readonly owns: string
  readonly capability: Capability
  readonly runtime: 'standard' | 'coding_agent'
}

/** The purpose of each tier, and its defaults unless the team states others. */
export const tierDuties: Readonly<Record<TierName, TierDuty>> = {
  t1: {
    role: 'Visionary',
    owns: 'goal, constraints, dispatch plan, final acceptance',
    capability: 'reasoning-heavy',
    runtime: 'standard',
  },
  t2: {
    role: 'Architect',
    owns: 'system design, interface contracts, workstream boundaries',
    capability: 'reasoning-heavy',
    runtime: 'standard',
  },
  t3: {
    role: 'Squad Lead',
    owns: 'workstream delivery, T4 management, quality gate',
    capability: 'capable',
    runtime: 'standard',
  },
  t4: {
    role: 'Implementer',
    owns: 'one atomic task: one file, function or test',
    capability: 'fast-cheap',
    runtime: 'coding_agent',
  },
  t5: { role: 'Verifier', owns: 'correctness and intent alignment', capability: 'capable', runtime: 'coding_agent' },
}

const whole = (min: number, max: number) => z.number().int().min(min).max(max)
const Minutes = z.number().positive().max(100_000).nullable()
const Options = z.record(z.string(), z.unknown())
const unsupported = (name: string): string => `${name} is not supported yet`

/** Names have hyphens here; users of other tools write `claude_code`. */
const RuntimeName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,63}$/, { error: 'is not the name of a runtime' })
  .refine((name) => !laterRuntimes.includes(name), { error: ({ input }) => unsupported(String(input)) })
const CodingAgent = RuntimeName.transform((name) => name.replaceAll('_', '-'))
const TierRuntime = RuntimeName.transform((name) =>
  name === 'coding_agent' || name === 'coding-agent' ? 'coding_agent' : name.replaceAll('_', '-'),
)

/** A model and its provider. The provider defines both names. */
export const ModelChoice = z.strictObject({
  provider: z.string().regex(/^[A-Za-z0-9][\w.-]{0,63}$/, { error: 'is not the name of a provider' }),
  model: z.string().regex(/^[A-Za-z0-9][\w.:@/[\]+-]{0,199}$/, { error: 'is not the name of a model' }),
})
export type ModelChoice = z.infer<typeof ModelChoice>

/** One choice, or several among which a tier's `provider` selects; the first applies to all tiers that name none. */
const ModelChoices = z.union([ModelChoice, z.array(ModelChoice).min(1).max(20)])

const Gate = z.boolean().default(false)
const InspectionGates = z.strictObject({
  t1Plan: z
    .boolean()
    .default(true)
    .refine((on) => on, { error: 't1_plan gate is mandatory' }),
  t2Lead: Gate,
  t2Synthesis: z.boolean().default(true),
  t3Plan: Gate,
  t5Verdict: Gate,
  gateTimeoutMinutes: Minutes.optional(),
})

const Visibility = z
  .strictObject({
    strictMode: z.boolean().default(false),
    logLevel: z.enum(['normal', 'verbose']).default('normal'),
    inspectionGates: InspectionGates.prefault({}),
    gateTimeoutMinutes: Minutes.default(null),
  })
  .superRefine(({ gateTimeoutMinutes: outer, inspectionGates: { gateTimeoutMinutes: inner } }, context) => {
    if (outer === null || inner === undefined || inner === outer) return
    context.addIssue({
      code: 'custom',
      path: ['inspectionGates', 'gateTimeoutMinutes'],
      message: `is ${inner} here and ${outer} in visibility; set it only once`,
    })
  })

const Cap = whole(1, 1_000).nullable()
const Limits = z.strictObject({
  crashRetries: whole(0, 20).default(3),
  verificationFailures: whole(0, 20).default(5),
  retryBudget: whole(0, 20).default(3),
  similarEscalations: whole(1, 100).default(3),
  t2ConflictCycleLimit: whole(0, 20).default(2),
  t3MeshTimeoutMinutes: Minutes.default(10),
  maxParallelAgents: whole(1, 1_000).default(8),
  maxParallel: z
    .strictObject({
      t1: Cap.default(null),
      t2: Cap.default(null),
      t3: Cap.default(null),
      t4: Cap.default(5),
      t5: Cap.default(null),
    })
    .prefault({}),
  pipelineRequires: z.enum(['completed', 'verified']).default('completed'),
})

const Tier = z.strictObject({
  provider: ModelChoice.shape.provider.optional(),
  runtime: TierRuntime.optional(),
  capability: Capability.optional(),
  options: FileOptions.optional(),
})

/**
 * A team file may come from anybody, so it names notifiers of the configuration and defines none: a definition starts a
 * program, or sends a secret of this machine to an address.
 */
const NotifierNames = z
  .array(
    z.unknown().transform((entry, context): string => {
      const named = NotifierName.safeParse(entry)
      if (named.success) return named.data
      const message =
        typeof entry === 'object'
          ? 'must be the name of a notifier of config.yaml; move this entry to "notify:" there, with a name and "team_only: true", and write its name here'
          : 'is not the name of a notifier of config.yaml'
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }),
  )
  .max(50)

const AbsolutePath = z.string().startsWith('/', 'must be an absolute path').max(4_096).nullable().default(null)

/** A team file. Every key is optional; unknown keys are refused. */
export const Team = z.strictObject({
  visibility: Visibility.prefault({}),
  limits: Limits.prefault({}),
  capabilities: z
    .strictObject({
      'reasoning-heavy': ModelChoices.optional(),
      capable: ModelChoices.optional(),
      'fast-cheap': ModelChoices.optional(),
    })
    .prefault({}),
  tiers: z
    .strictObject({
      t1: Tier.prefault({}),
      t2: Tier.prefault({}),
      t3: Tier.prefault({}),
      t4: Tier.prefault({}),
      t5: Tier.prefault({}),
    })
    .prefault({}),
  runtime: z
    .strictObject({
      codingAgent: CodingAgent.nullable().default(null),
      nativeTeams: z.boolean().default(false),
      options: FileOptions.default({}),
    })
    .prefault({}),
  notify: NotifierNames.default([]),
  vcs: z
    .strictObject({
      adapter: z
        .string()
        .default('bare')
        .superRefine((name, context) => {
          if ((vcsAdapters as readonly string[]).includes(name)) return
          const message = laterVcsAdapters.includes(name) ? unsupported(name) : `must be ${vcsAdapters.join(' or ')}`
          context.addIssue({ code: 'custom', message })
        }),
      remote: z
        .string()
        .nullable()
        .default(null)
        .refine((remote) => remote === null, { error: 'a remote to push to is not supported yet' }),
      main: z.string().min(1).max(200).optional(),
    })
    .prefault({}),
  talent: z.strictObject({ path: AbsolutePath, registry: AbsolutePath }).prefault({}),
  setup: z.string().trim().min(1, 'is empty').max(4_000).optional(),
})
export type Team = z.infer<typeof Team>

export const ResolvedTier = z.object({
  role: z.string(),
  owns: z.string(),
  capability: Capability,
  runtime: z.string().describe('The name of a runtime'),
  runtimeOptions: Options,
  opaque: z.boolean().describe('Whether its agents divide their work among themselves, invisibly to Agency'),
  why: z.string().describe('The reason for this runtime'),
})
export type ResolvedTier = z.infer<typeof ResolvedTier>

/** A team as a run uses it: fixed when the run starts, whatever happens to the file later. */
export const ResolvedTeam = z.object({
  strict: z.boolean(),
  gates: z.object({
    t1Plan: z.boolean(),
    t2Lead: z.boolean(),
    t2Synthesis: z.boolean(),
    t3Plan: z.boolean(),
    t5Verdict: z.boolean(),
  }),
  gateTimeoutMinutes: z.number().nullable(),
  logLevel: z.enum(['normal', 'verbose']),
  limits: z.object({
    crashRetries: z.number().int(),
    verificationFailures: z.number().int(),
    retryBudget: z.number().int(),
    similarEscalations: z.number().int(),
    t2ConflictCycleLimit: z.number().int(),
    t3MeshTimeoutMinutes: z.number().nullable(),
    maxParallelAgents: z.number().int(),
    maxParallel: z.object({
      t1: z.number().int().nullable(),
      t2: z.number().int().nullable(),
      t3: z.number().int().nullable(),
      t4: z.number().int().nullable(),
      t5: z.number().int().nullable(),
    }),
    pipelineRequires: z.enum(['completed', 'verified']),
  }),
  tiers: z.object({ t1: ResolvedTier, t2: ResolvedTier, t3: ResolvedTier, t4: ResolvedTier, t5: ResolvedTier }),
  notify: z.array(z.unknown()).default([]).describe('Names of notifiers of config.yaml that receive its messages too'),
  vcs: z.object({ adapter: z.string(), main: z.string().nullable() }),
  talent: z.object({ path: z.string().nullable(), registry: z.string().nullable() }),
  setup: z.string().optional().describe('Makes a fresh checkout runnable; auto: found from its lockfile'),
  warnings: z.array(z.string()),
})
export type ResolvedTeam = z.infer<typeof ResolvedTeam>
