import { inserted, record } from '../../events/change.ts'
import { checkedInText, checkedInWarning, ranOutsideBox } from '../../kernel/checked-in.ts'
import { artifacts, newestVersion } from '../artifacts/store.ts'
import type { Attempt } from '../attempts/contract.ts'
import type { Brief } from '../briefs/contract.ts'
import type { Check } from './contract.ts'
import { checks } from './store.ts'
import type { RunScope } from '../scope.ts'
import { eventTags, nameOf } from '../briefs/moves.ts'

/** The result of one check, before it has an id and is stored. */
export type Finding = Pick<
  Check,
  'item' | 'kind' | 'evidence' | 'passed' | 'detail' | 'output' | 'sha256' | 'boxed' | 'durationMs'
> &
  Partial<Pick<Check, 'round' | 'commitId' | 'setup'>> & {
    /** The last lines of the output; they are not stored. */
    readonly end?: string
  }

export interface Output {
  path: string
  sha256: string
  bytes: number
}

export interface CheckResult {
  /** Of the delivered work. */
  findings: Finding[]
  /** Of further rounds, in other surroundings. */
  further?: readonly Finding[]
  /** The reported outputs that exist; these become artifacts. */
  outputs: Output[]
  /** The reported outputs that do not: no plain file inside the workspace and outside `.agency` has this name. */
  missing?: string[]
}

/** Records the result of checking an attempt: its outputs as artifacts, each item of evidence as a check. */
export async function recordChecks(
  scope: RunScope,
  attempt: Attempt,
  brief: Brief,
  result: CheckResult,
): Promise<void> {
  const { tx, run, ids } = scope
  const place = { runId: run.id, briefId: brief.id, attemptId: attempt.id }
  for (const output of result.outputs) {
    const newest = await newestVersion(tx, run.id, output.path)
    if (newest?.sha256 === output.sha256) continue
    const artifact = {
      id: ids.next('artifact'),
      ...place,
      name: output.path,
      version: (newest?.version ?? 0) + 1,
      ...output,
      content: null,
      at: tx.at,
    }
    await record(
      tx,
      {
        kind: 'artifact_written',
        by: scope.by,
        ...place,
        level: 'verbose',
        message: `${output.path}, ${output.bytes} bytes, version ${artifact.version}`,
        // Without the hash: a verifier reads events, and has to compute it from the file.
        data: { artifact_id: artifact.id },
      },
      [inserted(artifacts, artifact)],
    )
  }
  const { findings } = result
  // A plan, for example, has nothing that a machine could check.
  if (findings.length === 0) return
  const passed = findings.filter((finding) => finding.passed).length
  const { checkedIn } = attempt
  const where = checkedIn === null || checkedInWarning(checkedIn) === null ? '' : ` (${checkedInText[checkedIn]})`
  const unboxed = findings.some(ranOutsideBox)
  await record(
    tx,
    {
      kind: 'evidence_checked',
      by: scope.by,
      ...place,
      ...eventTags(scope, brief),
      level:
        brief.kind === 'verify' || (scope.playbook.logsProgress === true && passed === findings.length)
          ? 'verbose'
          : 'normal',
      code: 'EVIDENCE',
      message: `${nameOf(scope, brief)} ${passed}/${findings.length} ${passed === findings.length ? '✓' : '✗'}${unboxed ? ' (commands not boxed)' : ''}${where}`,
      data: {
        passed,
        total: findings.length,
        checked_in: checkedIn,
        failed: findings.filter((finding) => !finding.passed).map((finding) => finding.detail),
      },
    },
    [...findings, ...(result.further ?? [])].map(({ end: _, ...finding }) =>
      inserted(checks, {
        id: ids.next('check'),
        ...place,
        round: 'delivered',
        commitId: null,
        setup: null,
        ...finding,
        at: tx.at,
      }),
    ),
  )
}
