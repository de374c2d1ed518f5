import { z } from 'zod'

import { isGlob } from '../../kernel/glob.ts'
import { runStates } from '../../kernel/run-state.ts'
import { operation } from '../../operations/contract.ts'
import { OfOrganisation } from '../../org/references.contract.ts'
import { ResolvedTeam } from '../../team/contract.ts'
import { Amendment } from '../amendments/contract.ts'
import { PersonaInRun } from '../agents/contract.ts'
import { Artifact } from '../artifacts/contract.ts'
import { Attempt } from '../attempts/contract.ts'
import { BriefSpec, HeldBrief, Dependency } from '../briefs/contract.ts'
import { Check, Evidence } from '../evidence/contract.ts'
import { GateView } from '../gates/contract.ts'
import { PlaybookName, Priority } from '../missions/contract.ts'
import { NoteView } from '../notes/contract.ts'
import { Part } from '../parts/contract.ts'
import { SetupCommand } from '../repository-settings/contract.ts'
import { Proof } from '../proofs/contract.ts'
import { trustFields } from '../trusted-files/contract.ts'
import { DecidedQuestion } from '../questions/contract.ts'
import { Verdict } from '../verdicts/contract.ts'
import { ModelCost } from '../spends/contract.ts'
import { Event } from '../../events/contract.ts'
import { runEndpoints } from './endpoints.ts'

export const RunStatus = z.enum(['planning', 'running', 'gated', 'paused', 'accepting', 'done', 'failed', 'cancelled'])
export type RunStatus = z.infer<typeof RunStatus>

export const AgentMode = z
  .enum(['yolo', 'cautious', 'plan_only'])
  .describe('yolo: everything inside its box; cautious: asks before irreversible operations; plan_only: read only')

/** The source and the target of a run’s work. */
export const RunRepository = z.object({
  path: z.string(),
  mirror: z.string(),
  branch: z.string().describe('The branch into which the result is merged'),
  base: z.string().describe('The commit that the run began with'),
  warnings: z.array(z.string()),
})
export type RunRepository = z.infer<typeof RunRepository>

/**
 * Why a mission has a run that is one step of it: the mission continues when the run ends, and the handler of this
 * purpose applies the output.
 */
export const RunPurpose = z.object({
  kind: z.enum(['execute', 'review']),
  contextFiles: z.array(z.string()),
})
export type RunPurpose = z.infer<typeof RunPurpose>

/** Some tens of agents at work are a decision of the operator, who knows neither their number nor their cost before. */
export const largePlanDefault = 40

/** Reports whether agents have planned so much work that the operator is asked before it starts. */
export const isLargePlan = (count: number, { largePlan = largePlanDefault }: Pick<RunConfiguration, 'largePlan'>) =>
  count > largePlan

/** The beginning of a run that continues an ended one: the work that it keeps, and the start of its own work. */
export const Continuation = z.object({
  runId: z.string(),
  kind: z.enum(['retry', 'fork']).describe('fork: with other settings'),
  from: z.string().nullable().describe('The key of the brief from which it begins; null: none was named'),
  commit: z.string().nullable().describe('The commit that its work begins with; null: it has none of the other run'),
  kept: z
    .array(z.object({ id: z.string(), key: z.string() }))
    .describe('The accepted briefs whose work it keeps, also those that the other run had kept'),
  receives: z
    .record(z.string(), z.array(z.string()))
    .describe('By key of a brief: the briefs of earlier runs whose outputs it is handed'),
  planned: z.boolean().describe('Agents planned its briefs, so their evidence alone is no proof to the operator'),
  note: z.string().describe('What it keeps and begins with, in a sentence'),
  reason: z.string().nullable().describe('The operator’s words'),
})
export type Continuation = z.infer<typeof Continuation>

/** Settings of the whole run, fixed when it starts. */
export const RunConfiguration = z.object({
  runtime: z.string(),
  runtimeOptions: z.record(z.string(), z.unknown()),
  evidence: z.array(Evidence),
  idleMinutes: z.number().nullable(),
  hardMinutes: z.number().nullable(),
  crashRetries: z.number().int(),
  retryBudget: z.number().int(),
  verify: z.enum(['auto', 'all', 'none']).describe('auto: a verifier judges briefs without checkable evidence'),
  verificationLimit: z.number().int(),
  verifierRuntime: z.string().nullable(),
  verifierOptions: z.record(z.string(), z.unknown()).nullable(),
  planner: z.boolean().describe('An agent writes the plan first'),
  planGate: z.boolean(),
  largePlan: z.number().int().optional().describe('A plan of its agents with more briefs waits for approval'),
  acceptance: z.enum(['auto', 'operator']),
  onLimit: z.enum(['ask', 'fail']),
  gateTimeoutMinutes: z.number().nullable(),
  questionReminderMinutes: z
    .number()
    .nullable()
    .optional()
    .describe('The operator is reminded of an unanswered question after this time; null: never; absent: 60'),
  approvalsNeeded: z.number().int(),
  tokenBudget: z.number().int().nullable(),
  costLimit: z.number().nullable(),
  mode: AgentMode,
  verifierMode: AgentMode.optional().describe('What its verifiers may do; without one, plan_only: they only read'),
  workspace: z
    .string()
    .nullable()
    .describe('The mission’s workspace, below the workspace root; null: one for each brief'),
  purpose: RunPurpose.optional().describe('It is one step of its mission, which goes on when it ends'),
  clone: z
    .object({ mirror: z.string(), branch: z.string(), start: z.string() })
    .optional()
    .describe('The repository that the workspace is a clone of'),
  setup: z
    .string()
    .nullable()
    .optional()
    .describe('Makes a fresh checkout runnable; null: found from its lockfile; absent: as set for the repository'),
  protected: z.array(z.string()).optional().describe('Globs of files that its work may not change'),
  readable: z.array(z.string()).optional().describe('Further files and folders of this machine that its boxes show'),
  reverts: z
    .object({ runId: z.string(), commit: z.string() })
    .optional()
    .describe('The run whose landed result it takes back, and the commit of the result'),
  continues: Continuation.optional(),
  team: ResolvedTeam.optional().describe('Gates, limits and the cast of each tier; for tiered runs'),
})
export type RunConfiguration = z.infer<typeof RunConfiguration>

export const Run = z.object({
  id: z.string(),
  missionId: z.string(),
  organisationId: z.number().int(),
  playbook: PlaybookName,
  status: RunStatus,
  priority: Priority.describe('Ready briefs of a run with a higher priority start first'),
  goalAnchor: z.string().describe('The goal in the operator’s words, never changed'),
  simulated: z.boolean(),
  configuration: RunConfiguration,
  briefsTotal: z.number().int(),
  briefsOpen: z.number().int(),
  briefsVerified: z.number().int().describe('Of the open ones: those that wait only to be accepted'),
  briefsDone: z.number().int(),
  briefsFailed: z.number().int(),
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
  costMicros: z.number().int().describe('Millionths of a US dollar, of the calls whose price is known'),
  unpricedCalls: z.number().int().describe('Model calls without a known price'),
  heldBy: z.string().nullable().describe('The reason why the run waits: gate:<id>, question:<id>, proof, landing'),
  abandoned: z.boolean().describe('The operator gave up on a brief: the run fails when its agents have ended'),
  gatesPending: z.number().int(),
  questionsOpen: z.number().int(),
  notesTotal: z.number().int(),
  repository: RunRepository.nullable(),
  head: z.string().nullable().describe('The newest commit of its integration branch'),
  summary: z.string().nullable(),
  continues: z.string().nullable().describe('The ended run whose work it continues or begins with'),
  claimOrder: z.string().describe('Its place in the order of claims: priority, start, id'),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  dismissedAt: z.string().nullable().describe('When the operator dismissed the failed run from the inbox'),
  updatedAt: z.string(),
})
export type Run = z.infer<typeof Run>

/** Orders the claims of runs: by priority, then by age. The digit is the rank of the priority, from 0 for urgent. */
export const claimOrderOf = ({ priority, startedAt, id }: Pick<Run, 'priority' | 'startedAt' | 'id'>): string =>
  `${rankOf(priority)}:${startedAt}:${id}`

export const rankOf = (priority: Priority): number => Priority.options.toReversed().indexOf(priority)

/** A completed run of this installation, used to estimate the next. */
export interface PastRun {
  readonly simulated: boolean
  readonly tokens: number
  readonly costMicros: number
  readonly minutes: number
  /** The number of briefs and their tokens, by cap key. */
  readonly byCapKey: Readonly<
    Record<string, { readonly briefs: number; readonly tokens: number; readonly costMicros: number }>
  >
}

export const WaitsFor = z
  .string()
  .nullable()
  .describe('The reason why nothing of it is at work, with the next command where there is one; null: something is')

/** The state in which a run is shown: it also tells whether the run waits, and whether it waits for the operator. */
export const RunState = z
  .enum(runStates)
  .describe(
    'waits_for_you: a gate or question is open for the operator; waits: nothing is at work, for another reason; stopped: a stop is in force; otherwise its status',
  )

/** The briefs of a run that count; the same figures everywhere. */
export const RunProgress = z.object({
  done: z.number().int().describe('Done or verified: verified ones wait only to be accepted'),
  total: z.number().int().describe('All but the dropped ones'),
  dropped: z.number().int().describe('Replaced by others, or cancelled on purpose while the run went on'),
})

/** The shown state of a run, derived from its decisions, stops and agents. */
export const RunStanding = z.object({
  state: RunState,
  decisions: z.number().int().describe('Its gates and questions that wait for the operator'),
  progress: RunProgress,
  waitsFor: WaitsFor,
})
export type RunStanding = z.infer<typeof RunStanding>

/** A run without its configuration, which can contain a plan of thousands of briefs. */
export const RunLine = Run.omit({ configuration: true }).extend({
  ...RunStanding.shape,
  capKeys: z.array(z.string()).optional().describe('The cap keys of its briefs so far, where its playbook has some'),
})
export type RunLine = z.infer<typeof RunLine>

/** Only the operator names such paths, by a flag or a request: neither a plan nor a team file does. */
export const ReadablePaths = z
  .array(z.string().startsWith('/', 'must be an absolute path').max(4_096))
  .max(100)
  .describe('Further files and folders of this machine that the boxes of its agents show, read-only')

const Minutes = z.number().positive().max(100_000).nullable()

export const CreateRun = z.strictObject({
  goal: z.string().trim().min(1).max(20_000),
  playbook: PlaybookName.optional(),
  organisationId: z.number().int().positive().default(1),
  priority: Priority.optional().describe('Runs of higher priority start first; default: that of the mission'),
  missionId: z.string().optional().describe('Run this mission from the backlog; without one, one is made'),
  runtime: z
    .string()
    .max(64)
    .optional()
    .describe('The runtime of its agents: claude-code, program, or scripted (simulated)'),
  runtimeOptions: z
    .record(z.string(), z.unknown())
    .default({})
    .describe(
      'For claude-code {model, max_turns}; for program {command: [program, argument …]}; for scripted {scenario}',
    ),
  evidence: z
    .array(Evidence)
    .max(50)
    .default([])
    .describe('The proof, for tiered of every task; without any, every reported output must exist'),
  briefs: z.array(BriefSpec).max(10_000).default([]).describe('Several briefs instead of one made from the goal'),
  idleMinutes: Minutes.optional().describe('An attempt silent for this long is ended; null: never'),
  hardMinutes: Minutes.optional().describe('No attempt lasts longer; null: no limit'),
  crashRetries: z.number().int().min(0).max(20).optional().describe('Launches again after a crash'),
  retryBudget: z.number().int().min(0).max(20).optional().describe('Retries after failed evidence'),
  verify: z
    .enum(['auto', 'all', 'none'])
    .optional()
    .describe('auto: a verifier judges briefs without checkable evidence; all: every brief'),
  verificationLimit: z.number().int().min(0).max(20).optional().describe('Retries after a failing verdict'),
  verifierRuntime: z.string().max(64).optional().describe('The runtime of verifiers; default: the runtime of the work'),
  verifierOptions: z.record(z.string(), z.unknown()).optional(),
  planner: z.boolean().default(false).describe('An agent writes the plan first'),
  planGate: z.boolean().default(false).describe('Nothing starts before the plan is approved'),
  largePlan: z
    .number()
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe(`A plan that agents wrote with more briefs waits for approval; default ${largePlanDefault}`),
  acceptance: z.enum(['auto', 'operator']).optional().describe('operator: the result waits for your approval'),
  onLimit: z
    .enum(['ask', 'fail'])
    .optional()
    .describe('A brief that used up its limits: ask the operator, or fail the run'),
  gateTimeoutMinutes: Minutes.optional().describe('An undecided gate is rejected after this time; null: never'),
  approvalsNeeded: z.number().int().min(1).max(20).default(1).describe('Number of people who must approve a gate'),
  tokenBudget: z.number().int().positive().max(1e12).optional().describe('Tokens the whole run may use'),
  costLimit: z.number().positive().max(1e6).optional().describe('US dollars the whole run may cost'),
  repo: z
    .string()
    .min(1)
    .max(4_096)
    .optional()
    .describe('A git repository on the daemon’s machine: work happens in clones of it'),
  base: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('The branch to start from and merge to; without one, the one checked out'),
  setup: SetupCommand.optional(),
  protected: z
    .array(z.string().trim().min(1).max(500).refine(isGlob, { error: 'must have at most six *' }))
    .max(100)
    .optional()
    .describe('Files of the repository that the work may not change: paths, directories or globs from its top'),
  readable: ReadablePaths.optional(),
  mode: AgentMode.optional(),
  verifierMode: AgentMode.optional().describe('What verifiers may do; default: plan_only, they only read'),
  workspace: z.string().min(1).max(500).optional().describe('A mission’s workspace to work in'),
  team: z
    .string()
    .max(100_000)
    .optional()
    .describe('For tiered: a team file, as YAML; without one, team.yaml of the home, or the defaults'),
  strict: z.boolean().default(false).describe('For tiered: every gate is on, whatever the team file says'),
  fork: z
    .strictObject({
      runId: z.string().max(100),
      from: z.string().max(100).optional().describe('A brief, by its key or id: begin with its result'),
    })
    .optional()
    .describe('Begin with the commit of an ended run instead of the newest one of the branch'),
  ...trustFields,
})
export type CreateRun = z.infer<typeof CreateRun>

const runId = z.string().describe('The id or a unique prefix')

export const runOperations = {
  create: operation({
    name: 'run.create',
    summary: 'Start a run towards a goal',
    ...runEndpoints.create,
    input: CreateRun,
    output: Run,
    allow: ['operator'],
  }),
  list: operation({
    name: 'run.list',
    summary: 'Runs, newest first',
    ...runEndpoints.list,
    input: z.strictObject({
      state: RunState.optional(),
      order: z.enum(['newest', 'open_first']).default('newest').describe('open_first: runs that have ended come last'),
      dismissed: z.stringbool().optional().describe('false: only runs that were not dismissed from the inbox'),
      organisationId: OfOrganisation,
      limit: z.coerce.number().int().min(1).max(500).default(50),
      before: z.string().optional().describe('For the next page: the id of the last run'),
    }),
    output: z.object({
      runs: z.array(RunLine),
      counts: z.record(z.string(), z.number().int()).describe('The number of runs in each state'),
    }),
    allow: ['operator'],
  }),
  show: operation({
    name: 'run.show',
    summary: 'One run',
    ...runEndpoints.show,
    input: z.strictObject({ runId }),
    output: Run.extend(RunStanding.shape),
    allow: ['operator'],
  }),
  update: operation({
    name: 'run.update',
    summary: 'Nothing of a run can be changed from outside: its goal is fixed when it starts',
    ...runEndpoints.update,
    input: z.strictObject({
      runId,
      goalAnchor: z.string().max(20_000).describe('Immutable: any other value is refused'),
    }),
    output: Run,
    allow: ['operator'],
  }),
  configuration: operation({
    name: 'run.configuration',
    summary: 'Show the configuration of a run: limits, gates, and the cast of each tier',
    ...runEndpoints.configuration,
    input: z.strictObject({ runId }),
    output: RunConfiguration,
    allow: ['operator'],
  }),
  inspect: operation({
    name: 'run.inspect',
    summary: 'A run with its briefs, attempts, checked evidence, gates, questions, verdicts, notes and newest events',
    ...runEndpoints.inspect,
    input: z.strictObject({ runId, events: z.coerce.number().int().min(0).max(1_000).default(200) }),
    output: z.object({
      run: Run,
      status: RunStatus,
      ...RunStanding.shape,
      briefs: z.array(HeldBrief),
      dependencies: z.array(Dependency).describe('Pairs of briefs of which one waits for the other; at most 20,000'),
      attempts: z.array(Attempt),
      evidence: z.array(Check),
      artifacts: z.array(Artifact),
      documents: z.record(z.string(), z.unknown()).describe('The newest version of each document, by name'),
      parts: z.array(Part).describe('The parts of a tiered run: waves, workstreams, squads'),
      amendments: z.array(Amendment),
      gates: z.array(GateView),
      questions: z.array(DecidedQuestion),
      verdicts: z.array(Verdict),
      proofs: z.array(Proof).describe('The checks of all evidence on its merged result'),
      notes: z.array(NoteView),
      personas: z.array(PersonaInRun).describe('The personas that work on its briefs'),
      spends: z.array(ModelCost).describe('The cost of its model calls, by model'),
      continuedBy: z
        .array(z.object({ id: z.string(), status: RunStatus, kind: Continuation.shape.kind }))
        .describe('The runs that continue it or begin with its work, oldest first; at most 50'),
      events: z.array(Event),
    }),
    allow: ['operator'],
  }),
  retry: operation({
    name: 'run.retry',
    summary: 'Start a run that keeps the accepted work of an ended run and does the rest of it again',
    ...runEndpoints.retry,
    input: z.strictObject({
      runId,
      from: z.string().max(100).optional().describe('A brief, by its key or id: it and what depends on it, too'),
      reason: z.string().trim().min(1).max(2_000).optional().describe('Advice that its agents are given'),
      anyway: z.boolean().default(false).describe('Although another run that continues it is open'),
    }),
    output: Run,
    allow: ['operator'],
  }),
  dismiss: operation({
    name: 'run.dismiss',
    summary: 'Take a failed run out of the inbox; it stays in the list of runs',
    ...runEndpoints.dismiss,
    input: z.strictObject({ runId }),
    output: Run,
    allow: ['operator'],
  }),
  cancel: operation({
    name: 'run.cancel',
    summary: 'Stop a run: its agents are ended, its open briefs cancelled',
    ...runEndpoints.cancel,
    input: z.strictObject({ runId, reason: z.string().max(2_000).optional() }),
    output: Run,
    allow: ['operator'],
  }),
}
