import { shorten } from '../../kernel/text.ts'
import type { Report } from '../../work/attempts/contract.ts'
import { findAttemptOf } from '../../work/attempts/store.ts'
import type { Brief, Correction } from '../../work/briefs/contract.ts'
import type { CheckResult } from '../../work/evidence/record.ts'
import { listQuestionsOfBrief } from '../../work/questions/store.ts'
import type { Run } from '../../work/runs/contract.ts'
import type { Verdict } from '../../work/verdicts/contract.ts'
import { listVerdictsOfBrief } from '../../work/verdicts/store.ts'
import type { Workspace } from '../../workspaces/port.ts'
import type { Claimed } from '../attempt/start.ts'
import type { EngineDeps } from '../deps.ts'
import type { CollectedEnd } from './collect.ts'

/** Work whose evidence was checked. */
export interface CheckedReport {
  readonly workspace: Workspace
  readonly report: Report
  readonly result: CheckResult
  readonly collected: CollectedEnd
}

/** Finds the faults of work that no evidence names: outputs that do not exist, and work that a verdict has refused already. */
export async function faultsOfWork(
  deps: EngineDeps,
  { run, brief }: Claimed,
  work: CheckedReport,
): Promise<Correction[]> {
  const { report, result } = work
  const missing = report.outputs.length === 0 ? [] : (result.missing ?? [])
  if (missing.length > 0) return [missingOutputs(missing)]
  const verdict = brief.kind === 'work' && brief.attempts > 1 ? await refusingVerdict(deps, brief) : null
  if (verdict === null || !(await isUnchanged(deps, run, brief, verdict, work))) return []
  return [
    {
      evidence: 'nothing has changed since the verdict',
      detail: shorten(
        `${[...verdict.missingEvidence, ...verdict.issues, verdict.notes].filter(Boolean).join('; ')} (change the work, and name every file that you change as an output; ask with status blocked if the verdict is wrong)`,
        2_000,
      ),
    },
  ]
}

const missingOutputs = (missing: readonly string[]): Correction => ({
  evidence: 'reported outputs',
  detail: `these are not delivered: ${missing
    .slice(0, 20)
    .map((path) => shorten(JSON.stringify(path), 200))
    .join(
      ', ',
    )} (an output is a plain file inside the workspace and outside .agency, and no link; one has at most 4 GB, all together 8 GB)`,
})

/** Returns the newest verdict on a brief, if it refuses the work and no question of the brief was answered since. */
async function refusingVerdict({ db }: EngineDeps, { id }: Brief): Promise<Verdict | null> {
  return db.read(async (tx) => {
    const verdict = (await listVerdictsOfBrief(tx, id)).findLast(({ scope }) => scope === 'brief')
    if (verdict === undefined || verdict.verdict === 'pass') return null
    const asked = await listQuestionsOfBrief(tx, id)
    return asked.some(({ answeredAt }) => answeredAt !== null && answeredAt >= verdict.at) ? null : verdict
  })
}

/** Compares the trees of the two commits; without a repository, all files that were reported then or now. */
async function isUnchanged(
  { db, repositories }: EngineDeps,
  { repository }: Run,
  brief: Brief,
  { attempt: judged }: Verdict,
  { workspace, result, collected }: CheckedReport,
): Promise<boolean> {
  if (repository !== null) {
    const { commit } = collected
    if (commit === null || brief.branchCommit === null || repositories === undefined) return false
    if (commit === brief.branchCommit) return true
    const { mirror } = repository
    return (await repositories.tree(mirror, commit)) === (await repositories.tree(mirror, brief.branchCommit))
  }
  const before = (await db.read((tx) => findAttemptOf(tx, brief.id, judged)))?.outputs ?? []
  const now = new Map(result.outputs.map(({ path, sha256 }) => [path, sha256]))
  if (before.length === 0 || result.outputs.some(({ path }) => !before.some((output) => output.path === path)))
    return false
  for (const { path, sha256 } of before)
    if ((now.get(path) ?? (await workspace.read(path, 0))?.sha256) !== sha256) return false
  return true
}
