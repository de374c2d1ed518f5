import { inserted, record, updated } from '../../events/change.ts'
import { z } from 'zod'

import { AgencyError, bug, refusal } from '../../kernel/errors.ts'
import { systemPersona } from '../../kernel/ids.ts'
import { shorten } from '../../kernel/text.ts'
import { type Brief, type BriefSpec, type Dependency, usableDispatches } from './contract.ts'
import { briefs, dependencies } from './store.ts'
import { microsOf, ownBudgetOf } from '../budgets/limits.ts'
import { runs } from '../runs/store.ts'
import { castAll, seatOf } from './cast.ts'
import type { RunScope } from '../scope.ts'

/** Creates the briefs of a plan, in the order of the plan. */
export async function createBriefs(scope: RunScope, specs: readonly BriefSpec[]): Promise<void> {
  checkPlan(specs)
  // Sorted, because briefs created at the same time are listed and claimed by id: so they keep the order of the plan.
  const sorted = specs.map(() => scope.ids.next('brief')).sort()
  const ids = new Map(specs.map((spec, index) => [spec.key, sorted[index]]))
  const { run, tx } = scope
  const people = await peopleOf(scope, specs)
  const created = specs.map((spec, index) => plannedBrief(scope, spec, ids.get(spec.key) as string, index + 1, people))
  const edges = specs.flatMap((spec) =>
    spec.after.map((key): Dependency => ({
      runId: run.id,
      briefId: ids.get(spec.key) as string,
      afterId: ids.get(key) as string,
      met: false,
    })),
  )
  // Each brief has an event, so that its history begins with its own; the dependencies are stored once all briefs
  // exist.
  for (const [index, brief] of created.entries()) {
    const { tokenBudget: tokens = null, costLimit: usd = null } = specs[index] as BriefSpec
    await record(
      tx,
      {
        kind: 'brief_created',
        by: scope.by,
        runId: run.id,
        briefId: brief.id,
        level: 'verbose',
        message: `${brief.key}: ${brief.title}${brief.checkable ? '' : ' (no checkable evidence)'}`,
        data: { to: 'pending', checkable: brief.checkable, verify: brief.verify },
      },
      [inserted(briefs, brief), ...ownBudgetOf(brief, { tokenLimit: tokens, costLimitMicros: microsOf(usd) })],
    )
  }
  const planned = specs.length === 1 ? '1 brief planned' : `${specs.length} briefs planned`
  await countBriefs(scope, created, edges, planned)
}

/** Adds new briefs to the run's counters and stores the dependencies between them: all of them exist by now. */
export async function countBriefs(
  scope: RunScope,
  created: readonly Pick<Brief, 'kind'>[],
  edges: readonly Dependency[],
  message: string,
): Promise<void> {
  const { run, tx } = scope
  const work = created.filter(({ kind }) => kind === 'work').length
  const counters = { briefsTotal: run.briefsTotal + work, briefsOpen: run.briefsOpen + created.length }
  scope.run = { ...run, ...counters }
  await record(
    tx,
    {
      kind: 'run_status',
      by: scope.by,
      runId: run.id,
      level: 'verbose',
      message,
      data: { from: run.status, to: run.status },
    },
    [updated(runs, run, counters), ...edges.map((edge) => inserted(dependencies, edge))],
  )
}

/** The personas that a plan names, and their seats. */
interface People {
  readonly cast: ReadonlyMap<string, number>
  readonly seats: ReadonlyMap<number, number | null>
}

export async function peopleOf({ tx, run }: RunScope, specs: readonly BriefSpec[]): Promise<People> {
  const cast = await castAll(tx, specs)
  const seats = new Map<number, number | null>()
  for (const personaId of cast.values()) seats.set(personaId, await seatOf(tx, run.organisationId, personaId))
  return { cast, seats }
}

/** Returns the brief that a plan describes. */
export function plannedBrief(
  scope: RunScope,
  spec: BriefSpec,
  id: string,
  number: number,
  { cast, seats }: People,
): Brief {
  const { configuration } = scope.run
  // A planner's evidence is added to the operator's; an operator's own plan replaces the configured evidence.
  const evidence = configuration.planner
    ? [...configuration.evidence, ...(spec.evidence ?? [])]
    : (spec.evidence ?? configuration.evidence)
  // A planner must not turn off the verifier by evidence of its own choice.
  const isPlanned = configuration.planner || configuration.continues?.planned === true
  const checkable = (isPlanned ? configuration.evidence : evidence).length > 0
  const judged = configuration.verify === 'all' || (configuration.verify === 'auto' && !checkable)
  const personaId = spec.persona === undefined ? systemPersona : (cast.get(spec.persona) ?? systemPersona)
  const verifierId = spec.verifier === undefined ? null : (cast.get(spec.verifier) ?? null)
  return {
    ...newBrief(scope, { id, key: spec.key, number: scope.run.briefsTotal + number, objective: spec.objective }),
    ...(spec.title === undefined ? {} : { title: spec.title }),
    context: spec.context ?? '',
    // Without declared evidence, the reported files are required. The changes of a single step are read from git
    // instead.
    evidence: evidence.length > 0 || configuration.purpose !== undefined ? evidence : [{ kind: 'artifact' }],
    checkable,
    verify: spec.verify ?? (spec.verifier !== undefined || judged ? 'agent' : 'none'),
    verifyFixed: spec.verify !== undefined,
    personaId,
    positionId: seats.get(personaId) ?? null,
    dispatch: spec.dispatch ?? 'spawn',
    verifierId: verifierId === personaId ? null : verifierId,
    runtime: spec.runtime ?? configuration.runtime,
    provider: scope.providerOf(
      spec.runtime ?? configuration.runtime,
      spec.runtimeOptions ?? configuration.runtimeOptions,
    ),
    runtimeOptions: spec.runtimeOptions ?? configuration.runtimeOptions,
    receives: configuration.continues?.receives[spec.key] ?? [],
    unmetDependencies: spec.after.length,
    retryBudget: spec.retryBudget ?? configuration.retryBudget,
    verificationLimit: spec.verificationLimit ?? configuration.verificationLimit,
  }
}

/** Returns a brief with default values. */
export function newBrief(
  scope: RunScope,
  given: Pick<Brief, 'id' | 'key' | 'number' | 'objective'> & Partial<Brief>,
): Brief {
  const { run, tx } = scope
  const { configuration } = run
  return {
    runId: run.id,
    missionId: run.missionId,
    kind: 'work',
    title: shorten(given.objective.split('\n')[0] as string, 120),
    context: '',
    evidence: [],
    checkable: true,
    verify: 'none',
    verifyFixed: false,
    verifies: null,
    verifiesAttempt: null,
    personaId: systemPersona,
    positionId: null,
    dispatch: 'spawn',
    verifierId: null,
    runtime: configuration.runtime,
    provider: scope.providerOf(configuration.runtime, configuration.runtimeOptions),
    runtimeOptions: configuration.runtimeOptions,
    status: 'pending',
    holdCount: 0,
    unmetDependencies: 0,
    attempts: 0,
    attemptId: null,
    crashRetries: 0,
    crashLimit: configuration.crashRetries,
    retriesUsed: 0,
    retryBudget: configuration.retryBudget,
    verificationFailures: 0,
    verificationLimit: configuration.verificationLimit,
    similarEscalations: 0,
    interruptions: 0,
    corrections: [],
    guidance: [],
    rejectionReason: null,
    repairs: null,
    remainderOf: null,
    tokensUsed: 0,
    costMicros: 0,
    startCommit: null,
    branch: null,
    branchCommit: null,
    allowed: [],
    failure: null,
    phase: null,
    part: null,
    ownerId: null,
    inputs: {},
    receives: [],
    capKey: null,
    groupKey: null,
    startsAfterFailure: false,
    escalations: 0,
    claimOrder: run.claimOrder,
    createdAt: tx.at,
    updatedAt: tx.at,
    ...given,
    data: checkData(scope, given.key, given.data ?? {}),
  }
}

/** Returns the data of a brief as its playbook declares them; a fault is the playbook's, and names brief and field. */
export function checkData({ playbook }: Pick<RunScope, 'playbook'>, key: string, data: Brief['data']): Brief['data'] {
  const checked = (playbook.briefData ?? noData).safeParse(data)
  if (checked.success) return checked.data
  const [issue] = checked.error.issues
  const field = ['data', ...(issue?.path ?? [])].join('.')
  throw bug(`the playbook "${playbook.name}" made brief "${key}" with a wrong ${field}: ${issue?.message}`)
}

const noData = z.strictObject({})

/**
 * Returns the reason why an agent's plan is refused, or null. An agent is untrusted: only the operator chooses runtimes
 * and proving commands and turns off verification.
 */
export function faultOfPlan(plan: readonly BriefSpec[] | undefined): string | null {
  if (plan === undefined) return 'the report has no plan'
  const bold = plan.find((brief) => brief.runtime !== undefined || brief.runtimeOptions !== undefined)
  if (bold !== undefined) return `the plan chooses a runtime for "${bold.key}", which is the operator’s to choose`
  const unseen = plan.find((brief) => brief.verify === 'none')
  if (unseen !== undefined) return `the plan turns off verification of "${unseen.key}"; only the operator may do that`
  for (const brief of plan)
    for (const evidence of brief.evidence ?? [])
      if (evidence.kind !== 'file' && evidence.kind !== 'artifact' && evidence.kind !== 'schema')
        return `the plan proves "${brief.key}" by ${evidence.kind}: only file, artifact and schema are a planner’s to ask for`
  try {
    checkPlan(plan)
    return null
  } catch (error) {
    if (error instanceof AgencyError) return `the plan cannot be followed: ${error.message}`
    throw error
  }
}

/** Refuses duplicate keys, unknown keys, cycles and a dispatch without a driver, with the name of the faulty brief. */
export function checkPlan(specs: readonly BriefSpec[]): void {
  const byKey = new Map<string, BriefSpec>()
  for (const spec of specs) {
    if (byKey.has(spec.key)) throw refusal('invalid_input', `two briefs have the key "${spec.key}"`)
    byKey.set(spec.key, spec)
    if (spec.dispatch !== undefined && !usableDispatches.includes(spec.dispatch))
      throw refusal('invalid_input', `brief "${spec.key}": no driver for dispatch "${spec.dispatch}" exists`, {
        hint: `Leave it out, or use one of: ${usableDispatches.join(', ')}.`,
      })
  }
  const waiting = new Map<string, number>()
  const dependents = new Map<string, string[]>()
  for (const spec of specs) {
    if (new Set(spec.after).size !== spec.after.length)
      throw refusal('invalid_input', `brief "${spec.key}" names a brief twice in "after"`)
    waiting.set(spec.key, spec.after.length)
    for (const key of spec.after) {
      if (!byKey.has(key))
        throw refusal('invalid_input', `brief "${spec.key}" waits for "${key}", which is not in the plan`)
      const known = dependents.get(key)
      if (known === undefined) dependents.set(key, [spec.key])
      else known.push(spec.key)
    }
  }
  const free = specs.filter((spec) => spec.after.length === 0).map((spec) => spec.key)
  for (const key of free) {
    for (const next of dependents.get(key) ?? []) {
      const left = (waiting.get(next) as number) - 1
      waiting.set(next, left)
      if (left === 0) free.push(next)
    }
  }
  if (free.length < specs.length) {
    const stuck = specs.filter((spec) => !free.includes(spec.key)).map((spec) => spec.key)
    throw refusal('invalid_input', `these briefs depend on each other in a cycle: ${shorten(stuck.join(', '), 300)}`)
  }
}
