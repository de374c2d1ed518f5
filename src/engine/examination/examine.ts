import { AgencyError } from '../../kernel/errors.ts'
import { shorten } from '../../kernel/text.ts'
import type { Report } from '../../work/attempts/contract.ts'
import { faultOfCast } from '../../work/briefs/cast.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import { faultOfPlan } from '../../work/briefs/create.ts'
import type { Odd } from '../../work/evidence/contract.ts'
import type { CheckTrouble } from '../../work/repository-settings/ask.ts'
import type { Run } from '../../work/runs/contract.ts'
import { faultOfJudgement, pathsChecked } from '../../work/verdicts/judgement.ts'
import type { Workspace } from '../../workspaces/port.ts'
import type { Classified } from '../attempt/classify.ts'
import type { Claimed } from '../attempt/start.ts'
import { workspaceRequest } from '../attempt/workspace.ts'
import type { EngineDeps } from '../deps.ts'
import { createKeepOutputs } from '../evidence/keep-outputs.ts'
import type { AttemptEnd } from '../outcome/end.ts'
import { checkWork } from './check.ts'
import { type CollectedEnd, collectWork, scopeOf } from './collect.ts'
import { changedOfEarlierParts } from './earlier-parts.ts'
import { findHidden } from './hidden.ts'
import { withOneLook } from './look.ts'
import { oddLines } from '../witnesses/odd.ts'
import { checkRounds } from './rounds.ts'
import { oddScope } from './scope.ts'
import { faultsOfWork } from './unchanged.ts'
import { faultOfVerdict, oddOfVerdict } from './verdict.ts'
import { faultOfPlace } from './verifier-place.ts'
import { findWitnesses } from './witnesses.ts'

/** The end of an attempt, or the reason why no fresh checkout of its repository can be checked. */
export type Examined = AttemptEnd | { readonly trouble: CheckTrouble }

/**
 * Collects the work of an attempt and checks its evidence where the agent has no hand in it. Rejects if that could not
 * be done, which says nothing about the work.
 */
export async function examine(given: EngineDeps, claimed: Claimed, signal: AbortSignal): Promise<Examined> {
  const deps: EngineDeps = { ...given, workspaces: withOneLook(given.workspaces, signal) }
  const { run, brief, attempt } = claimed
  const { ending, report } = attempt
  if (ending === null || report === null) throw new Error('nothing was reported')
  const classified: Classified = { outcome: ending.outcome, detail: ending.detail, report }
  const common = { ended: undefined, refused: ending.refused as AttemptEnd['refused'], denied: ending.denied }
  const fault = await faultOfReport(deps, run, brief, report)
  if (fault !== null)
    return { ...common, classified: { ...classified, outcome: 'bad_output', detail: fault }, examination: null }
  const workspace = await openWorkspace(deps, run, brief)
  if (workspace === null) return { ...common, classified: lost(report), examination: null }
  const collected = await collectWork(deps, run, brief, workspace, { ...classified, report }, signal)
  signal.throwIfAborted()
  if (collected.classified.outcome !== classified.outcome)
    return { ...common, ...collected, ...(collected.denied.length > 0 ? { cause: 'secret' } : {}), examination: null }
  const found = await findWitnesses(deps, claimed, collected.commit)
  const outputs = outputsOf(brief, report, collected)
  // A verifier produces nothing.
  const keep = createKeepOutputs(brief.kind === 'verify' ? undefined : deps.kept)
  const work = { claimed, workspace, collected, outputs, signal, keep }
  const checked = await checkWork(deps, work)
  signal.throwIfAborted()
  if ('trouble' in checked) return checked
  const { checkedIn } = checked
  const { result, odd: further, needsVerifier } = await checkRounds(deps, work, checked, found)
  signal.throwIfAborted()
  const odd = once([
    ...oddLines(found.witnesses),
    ...oddScope(scopeOf(deps, run, brief), found.changes),
    ...checked.odd,
    ...(await findHidden(deps, claimed, collected.commit, found.changes)),
    ...further,
  ])
  const end = { ...common, ...collected, denied: ending.denied, checkedIn, odd, needsVerifier }
  if (brief.kind === 'verify') {
    // A verifier that has changed an output is told this alone.
    const hasChanged = result.findings.some(({ passed }) => !passed)
    const changed = hasChanged ? null : await faultOfPlace(deps, claimed, workspace, signal)
    const wrong = changed?.detail ?? (hasChanged ? null : await faultOfVerdict(workspace, brief, report, result))
    // A verifier produces nothing: the files were read for the comparison only.
    const examination = { ...result, outputs: [], missing: [] }
    const faults = changed === null ? {} : { faults: [changed] }
    const unopened = wrong === null ? await oddOfVerdict(deps, claimed, workspace, report, result) : []
    return {
      ...end,
      odd: [...unopened, ...odd],
      examination,
      ...faults,
      ...(wrong === null ? {} : { classified: badOutput(classified, wrong) }),
    }
  }
  const faults = await faultsOfWork(deps, claimed, { workspace, report, result, collected })
  const [first] = faults
  const wrong =
    first === undefined ? {} : { classified: badOutput(classified, `${first.evidence}: ${first.detail}`), faults }
  // With a repository, every version is merged.
  const earlier = run.repository === null ? await changedOfEarlierParts(deps, brief, workspace, result.outputs) : []
  await keep(earlier, workspace)
  return { ...end, examination: { ...result, outputs: [...result.outputs, ...earlier] }, ...wrong }
}

/** A setup that changes files does so in every round; one line says it. */
const once = (odd: readonly Odd[]): Odd[] => [...new Map(odd.map((each) => [each.text, each])).values()]

const badOutput = (classified: Classified, detail: string): Classified => ({
  ...classified,
  outcome: 'bad_output',
  detail: shorten(detail, 1_000),
})

/** Returns the files to look at: those that the report names, or else all that were changed. */
function outputsOf(brief: Brief, { outputs, verdict }: Report, { files = [] }: CollectedEnd): readonly string[] {
  if (brief.kind === 'verify') return pathsChecked(verdict)
  return outputs.length > 0 ? outputs : files.slice(0, 500)
}

/** A workspace that no longer exists cannot be examined later either: the work has to be done again. */
const openWorkspace = (deps: EngineDeps, run: Run, brief: Brief): Promise<Workspace | null> =>
  deps.workspaces.open(workspaceRequest(deps, run, brief)).catch((error: unknown) => {
    if (error instanceof AgencyError && error.code === 'not_found') return null
    throw error
  })

const lost = (report: Report): Classified => ({ outcome: 'crash', detail: 'its workspace no longer exists', report })

/** Returns the part of a report that its kind of brief requires and that it lacks, or null. */
async function faultOfReport(deps: EngineDeps, run: Run, brief: Brief, report: Report): Promise<string | null> {
  if (brief.kind === 'verify') return faultOfJudgement(report, brief.evidence)
  if (brief.kind !== 'plan' || brief.phase !== null) return null
  const { plan, status } = report
  if (status !== 'done') return `a plan is given whole, and the report says "${status}"`
  return faultOfPlan(plan) ?? deps.db.read((tx) => faultOfCast(tx, plan ?? [], run.organisationId))
}
