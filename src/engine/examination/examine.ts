import { AgencyError } from '../../kernel/errors.ts'
import type { Attempt, CheckedIn, Report } from '../../work/attempts/contract.ts'
import { faultOfCast } from '../../work/briefs/cast.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import { branchOf } from '../../work/briefs/branches.ts'
import { faultOfPlan } from '../../work/briefs/create.ts'
import { startsProcesses } from '../../work/evidence/contract.ts'
import type { Run } from '../../work/runs/contract.ts'
import { faultOfJudgement } from '../../work/verdicts/moves.ts'
import type { Checkout, CheckoutRequest, Workspace } from '../../workspaces/port.ts'
import type { Classified } from '../attempt/classify.ts'
import type { Claimed } from '../attempt/start.ts'
import { workspaceRequest } from '../attempt/workspace.ts'
import type { EngineDeps } from '../deps.ts'
import { checkEvidence } from '../evidence/check.ts'
import type { AttemptEnd } from '../outcome/end.ts'
import { type CollectedEnd, collectWork } from './collect.ts'

/**
 * Collects the work of an attempt and checks its evidence where the agent has no hand in it. Rejects if that could not
 * be done, which says nothing about the work.
 */
export async function examine(deps: EngineDeps, claimed: Claimed, signal: AbortSignal): Promise<AttemptEnd> {
  const { run, brief, attempt } = claimed
  const { ending, report } = attempt
  if (ending === null || report === null) throw new Error('nothing was reported')
  const classified: Classified = { outcome: ending.outcome, detail: ending.detail, report }
  const common = { ended: undefined, refused: ending.refused as AttemptEnd['refused'], denied: ending.denied }
  const fault = await faultOfReport(deps, brief, report)
  if (fault !== null)
    return { ...common, classified: { ...classified, outcome: 'bad_output', detail: fault }, examination: null }
  const workspace = await openWorkspace(deps, run, brief)
  if (workspace === null) return { ...common, classified: lost(report), examination: null }
  const collected = await collectWork(deps, run, brief, workspace, { ...classified, report })
  signal.throwIfAborted()
  if (collected.classified.outcome !== classified.outcome)
    return { ...common, ...collected, ...(collected.denied.length > 0 ? { cause: 'secret' } : {}), examination: null }
  const outputs = report.outputs.length > 0 ? report.outputs : [...(collected.files ?? [])].slice(0, 500)
  const { result, checkedIn } = await check(deps, claimed, workspace, collected, outputs, signal)
  signal.throwIfAborted()
  return { ...common, ...collected, denied: ending.denied, examination: result, checkedIn }
}

/** A workspace that no longer exists cannot be examined later either: the work has to be done again. */
const openWorkspace = (deps: EngineDeps, run: Run, brief: Brief): Promise<Workspace | null> =>
  deps.workspaces.open(workspaceRequest(deps, run, brief)).catch((error: unknown) => {
    if (error instanceof AgencyError && error.code === 'not_found') return null
    throw error
  })

const lost = (report: Report): Classified => ({ outcome: 'crash', detail: 'its workspace no longer exists', report })

/**
 * Checks in a clean checkout of the collected commit, or, without a repository, in a copy of the workspace if commands
 * run: a check leaves nothing behind that a later attempt would find.
 */
async function check(
  deps: EngineDeps,
  { run, brief, attempt }: Claimed,
  workspace: Workspace,
  collected: CollectedEnd,
  outputs: readonly string[],
  signal: AbortSignal,
) {
  const source = sourceOf(deps, run, brief, collected)
  const common = { evidence: brief.evidence, outputs, clock: deps.clock, ourPorts: deps.ourPorts?.() ?? [], signal }
  if (source === null) {
    const result = await checkEvidence({ ...common, files: workspace, workspace, mayRunCommands: false })
    return { result, checkedIn: null }
  }
  const checkout = await deps.workspaces.checkout(checkoutRequest(deps, run, brief, attempt, source, signal))
  try {
    const files = source.kind === 'commit' ? checkout : workspace
    const checkedIn: CheckedIn = source.kind === 'commit' ? 'checkout' : 'copy'
    return { result: await checkEvidence({ ...common, files, ...commandsIn(deps, brief, checkout) }), checkedIn }
  } finally {
    await checkout.remove().catch((error: unknown) => {
      deps.log.warn('a checkout stays on the disk', { attempt: attempt.id, error: String(error) })
    })
  }
}

const commandsIn = (deps: EngineDeps, brief: Brief, checkout: Checkout) => ({
  workspace: checkout,
  mayRunCommands: checkout.boxed || (deps.runtimes.get(brief.runtime)?.capabilities.evidenceUnboxed ?? false),
  setUp: checkout.setUp,
})

/** Returns null if the files can be read where they are: they belong to no repository, and nothing is run. */
function sourceOf(
  deps: EngineDeps,
  run: Run,
  brief: Brief,
  { commit }: CollectedEnd,
): CheckoutRequest['source'] | null {
  const { repository } = run
  // A verifier started with the judged commit, in which nobody changes anything.
  if (repository !== null && brief.kind !== 'plan' && brief.startCommit !== null)
    return {
      kind: 'commit',
      mirror: repository.mirror,
      branch: branchOf(run, brief),
      commit: commit ?? brief.startCommit,
    }
  if (!brief.evidence.some(({ kind }) => startsProcesses(kind))) return null
  return { kind: 'workspace', workspace: workspaceRequest(deps, run, brief), commit: null }
}

const checkoutRequest = (
  deps: EngineDeps,
  run: Run,
  brief: Brief,
  attempt: Attempt,
  source: CheckoutRequest['source'],
  signal: AbortSignal,
): CheckoutRequest => ({
  id: attempt.id,
  runId: run.id,
  box: deps.runtimes.get(brief.runtime)?.capabilities.boxed ?? false,
  ...(deps.policyOf === undefined ? {} : { policy: deps.policyOf(run, brief) }),
  source,
  signal,
})

/** Returns what a report lacks that its kind of brief requires, or null. */
async function faultOfReport(deps: EngineDeps, brief: Brief, report: Report): Promise<string | null> {
  if (brief.kind === 'verify') return faultOfJudgement(report, brief.evidence)
  if (brief.kind !== 'plan' || brief.phase !== null) return null
  const { plan, status } = report
  if (status !== 'done') return `a plan is given whole, and the report says "${status}"`
  return faultOfPlan(plan) ?? deps.db.read((tx) => faultOfCast(tx, plan ?? []))
}
