import { type Change, inserted, record, updated } from '../events/change.ts'
import { bug, refusal } from '../kernel/errors.ts'
import { systemPersona } from '../kernel/ids.ts'
import { shorten } from '../kernel/text.ts'
import type { Decision, Trigger } from '../playbooks/contract.ts'
import { listLiveAttemptsOfRun } from '../work/attempts/store.ts'
import type { Brief, BriefSpec, Dependency } from '../work/briefs/contract.ts'
import { briefs, dependencies, findBrief, listDependents, listOpenBriefs } from '../work/briefs/store.ts'
import { runs } from '../work/runs/store.ts'
import { moveBrief, moveRun, moveRunsMission, type RunScope } from './scope.ts'

/** Asks the playbook and does what it says, until it has nothing more to say. All in the caller's transaction. */
export async function decideAndApply(scope: RunScope, trigger: Trigger): Promise<void> {
  const needsCount = trigger.kind !== 'run_started' && trigger.kind !== 'brief_ready' && scope.run.briefsFailed > 0
  const liveAttempts = needsCount ? (await listLiveAttemptsOfRun(scope.tx, scope.run.id)).length : 0
  for (const decision of scope.playbook.decide({ run: scope.run, liveAttempts }, trigger)) {
    if (scope.run.endedAt !== null) return
    await apply(scope, decision)
  }
}

async function apply(scope: RunScope, decision: Decision): Promise<void> {
  switch (decision.kind) {
    case 'create_briefs':
      return createBriefs(scope, decision.briefs)
    case 'pass_brief':
      return passBrief(scope, decision.brief, decision.reason)
    case 'close_brief':
      await moveBrief(scope, decision.brief, 'done', {
        kind: 'session_complete',
        level: 'verbose',
        message: `${decision.brief.key} closed`,
      })
      return
    case 'fail_brief':
      return failBrief(scope, decision.brief, decision.reason)
    case 'end_run':
      return endRun(scope, decision.status, decision.summary)
  }
}

async function passBrief(scope: RunScope, brief: Brief, reason: string): Promise<void> {
  const verified = await moveBrief(scope, brief, 'verified', {
    kind: 'completed',
    code: 'DONE',
    message: `${brief.key} ✓ ${reason}`,
    also: await releaseDependents(scope, brief),
  })
  await decideAndApply(scope, { kind: 'brief_verified', brief: verified })
}

/** Whoever waited for this brief waits for one less; at none it is ready. */
async function releaseDependents(scope: RunScope, brief: Brief): Promise<Change[]> {
  const changes: Change[] = []
  for (const dependency of await listDependents(scope.tx, brief.id)) {
    const waiting = await findBrief(scope.tx, dependency.briefId)
    if (waiting === undefined) throw bug(`dependency of a brief that is not there: ${dependency.briefId}`)
    changes.push(updated(dependencies, dependency, { met: true }))
    changes.push(updated(briefs, waiting, { unmetDependencies: waiting.unmetDependencies - 1 }))
  }
  return changes
}

/** Whoever waited for this brief waits in vain, and says so. */
export async function holdDependents(scope: RunScope, brief: Brief): Promise<Change[]> {
  const held: Change[] = []
  for (const dependency of await listDependents(scope.tx, brief.id)) {
    const waiting = await findBrief(scope.tx, dependency.briefId)
    if (waiting !== undefined) held.push(updated(briefs, waiting, { heldBy: `dependency_failed:${brief.id}` }))
  }
  return held
}

export async function failBrief(scope: RunScope, brief: Brief, reason: string): Promise<void> {
  const failed = await moveBrief(scope, brief, 'failed', {
    kind: 'failed',
    code: 'FAIL',
    message: `${brief.key} ✗ ${reason}`,
    patch: { failure: shorten(reason, 2_000) },
    also: await holdDependents(scope, brief),
  })
  await decideAndApply(scope, { kind: 'brief_failed', brief: failed })
}

async function endRun(scope: RunScope, status: 'done' | 'failed' | 'cancelled', summary: string): Promise<void> {
  for (const brief of await listOpenBriefs(scope.tx, scope.run.id)) {
    await moveBrief(scope, brief, 'cancelled', {
      kind: 'brief_cancelled',
      level: 'verbose',
      message: `${brief.key} cancelled: the run has ${status === 'done' ? 'ended' : status}`,
    })
  }
  if (status === 'done') {
    await moveRun(scope, 'accepting', { level: 'verbose', message: 'every brief is done' })
    await moveRun(scope, 'done', { code: 'ACCEPT', message: `✓ ${summary}`, summary })
    await moveRunsMission(scope, ['review', 'done'], summary)
    return
  }
  await moveRun(scope, status, { code: status === 'failed' ? 'FAIL' : 'CANCELLED', message: `✗ ${summary}`, summary })
  await moveRunsMission(scope, [status], summary)
}

/** Stops a run from outside: whoever works on it is told by `afterCommit` of the caller. */
export const cancelRun = (scope: RunScope, reason: string): Promise<void> => endRun(scope, 'cancelled', reason)

async function createBriefs(scope: RunScope, specs: readonly BriefSpec[]): Promise<void> {
  checkPlan(specs)
  // Sorted, because briefs of one moment are listed and claimed by id: so they keep the order of the plan.
  const sorted = specs.map(() => scope.ids.next('brief')).sort()
  const ids = new Map(specs.map((spec, index) => [spec.key, sorted[index]]))
  const { run, tx } = scope
  const created: Change[] = specs.map((spec, index) =>
    inserted(briefs, newBrief(scope, spec, ids.get(spec.key) as string, index + 1)),
  )
  const edges = specs.flatMap((spec) =>
    spec.after.map((key): Dependency => ({
      runId: run.id,
      briefId: ids.get(spec.key) as string,
      afterId: ids.get(key) as string,
      met: false,
    })),
  )
  // One event each, so that a brief's history begins with its own; the edges come once all ends exist.
  for (const [index, change] of created.entries()) {
    const spec = specs[index] as BriefSpec
    await record(
      tx,
      {
        kind: 'brief_created',
        by: scope.by,
        runId: run.id,
        briefId: ids.get(spec.key) as string,
        level: 'verbose',
        message: `${spec.key}: ${shorten(spec.title ?? spec.objective, 200)}`,
        data: { to: 'pending' },
      },
      [change],
    )
  }
  const counters = { briefsTotal: run.briefsTotal + specs.length, briefsOpen: run.briefsOpen + specs.length }
  scope.run = { ...run, ...counters }
  await record(
    tx,
    {
      kind: 'run_status',
      by: scope.by,
      runId: run.id,
      level: 'verbose',
      message: specs.length === 1 ? '1 brief planned' : `${specs.length} briefs planned`,
      data: { from: run.status, to: run.status },
    },
    [updated(runs, run, counters), ...edges.map((edge) => inserted(dependencies, edge))],
  )
}

function newBrief(scope: RunScope, spec: BriefSpec, id: string, number: number): Brief {
  const { run, tx } = scope
  const evidence = spec.evidence ?? run.configuration.evidence
  return {
    id,
    runId: run.id,
    missionId: run.missionId,
    key: spec.key,
    number: scope.run.briefsTotal + number,
    title: spec.title ?? shorten(spec.objective.split('\n')[0] as string, 120),
    objective: spec.objective,
    context: spec.context ?? '',
    // Nothing declared still asks for something that can be looked at: the files that the agent says it made.
    evidence: evidence.length > 0 ? evidence : [{ kind: 'artifact' }],
    personaId: systemPersona,
    runtime: spec.runtime ?? run.configuration.runtime,
    runtimeOptions: spec.runtimeOptions ?? run.configuration.runtimeOptions,
    status: 'pending',
    heldBy: null,
    unmetDependencies: spec.after.length,
    attempts: 0,
    attemptId: null,
    crashRetries: 0,
    crashLimit: run.configuration.crashRetries,
    retriesUsed: 0,
    retryBudget: run.configuration.retryBudget,
    interruptions: 0,
    corrections: [],
    failure: null,
    createdAt: tx.at,
    updatedAt: tx.at,
  }
}

/** Duplicate keys, unknown keys and circles are the planner's fault and named as such. */
export function checkPlan(specs: readonly BriefSpec[]): void {
  const byKey = new Map<string, BriefSpec>()
  for (const spec of specs) {
    if (byKey.has(spec.key)) throw refusal('invalid_input', `two briefs have the key "${spec.key}"`)
    byKey.set(spec.key, spec)
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
    throw refusal('invalid_input', `these briefs wait for each other in a circle: ${shorten(stuck.join(', '), 300)}`)
  }
}
