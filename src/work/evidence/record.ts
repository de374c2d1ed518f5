import { type Change, inserted, record, updated } from '../../events/change.ts'
import { counted } from '../../kernel/amounts.ts'
import { checkedInText, checkedInWarning, ranOutsideBox } from '../../kernel/checked-in.ts'
import { artifacts, newestVersion } from '../artifacts/store.ts'
import type { Attempt } from '../attempts/contract.ts'
import type { Brief } from '../briefs/contract.ts'
import type { Check } from './contract.ts'
import { checks, listBaseline } from './store.ts'
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
    /** It holds only after other items, and this is how it failed alone; the detail says so, and this is not stored. */
    readonly alone?: Pick<Check, 'detail' | 'output'>
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

/** Records which evidence held in the workspace of a brief before its first agent works there. */
export async function recordBaseline(
  { tx, ids }: Pick<RunScope, 'tx' | 'ids'>,
  brief: Brief,
  attempt: Attempt,
  findings: readonly Finding[],
): Promise<void> {
  const place = { runId: brief.runId, briefId: brief.id, attemptId: attempt.id }
  const held = findings.filter(({ passed }) => passed).length
  await record(
    tx,
    {
      kind: 'evidence_checked',
      by: 'engine',
      ...place,
      level: 'verbose',
      message: `${brief.key}: ${held} of ${counted(findings.length, 'item')} of evidence held before the work began`,
      data: { round: 'before', passed: held, total: findings.length },
    },
    findings.map((finding) => inserted(checks, rowOf(ids, tx, place, finding))),
  )
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
      author: null,
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
    [
      ...findings.map((finding) => inserted(checks, rowOf(ids, tx, place, finding))),
      ...(await changesOf(scope, place, result.further ?? [])),
    ],
  )
}

/** A row that was made before the agent worked gets the outcome, which also depends on the work. */
async function changesOf(
  { tx, ids }: Pick<RunScope, 'tx' | 'ids'>,
  place: Place,
  further: readonly Finding[],
): Promise<Change[]> {
  const isBefore = ({ round, commitId = null }: Finding): boolean => round === 'before' && commitId === null
  const known = further.some(isBefore)
    ? (await listBaseline(tx, place.briefId)).filter(({ attemptId }) => attemptId === place.attemptId)
    : []
  return further.map((finding) => {
    const row = isBefore(finding) ? known.find(({ item }) => item === finding.item) : undefined
    const { passed, detail } = finding
    return row === undefined
      ? inserted(checks, rowOf(ids, tx, place, finding))
      : updated(checks, row, { passed, detail })
  })
}

type Place = Pick<Check, 'runId' | 'briefId' | 'attemptId'>

const rowOf = (
  ids: RunScope['ids'],
  tx: RunScope['tx'],
  place: Place,
  { end: _, alone: __, ...finding }: Finding,
): Check => ({
  id: ids.next('check'),
  ...place,
  round: 'delivered',
  commitId: null,
  setup: null,
  ...finding,
  at: tx.at,
})
