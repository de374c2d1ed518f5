import type { ReadTx } from '../../db/port.ts'
import { updated } from '../../events/change.ts'
import type { GateSummary } from '../gates/contract.ts'
import { listGatesOfRun } from '../gates/store.ts'
import { findPullRequestOf, listMergedSince, pullRequests } from '../pull-requests/store.ts'
import type { Run } from '../runs/contract.ts'
import { touchRun } from '../runs/moves.ts'
import { findRun } from '../runs/store.ts'
import type { RunScope } from '../scope.ts'
import { provableEvidence } from './evidence.ts'
import { listProvenBriefs } from './proven-briefs.ts'
import { startProof } from './start.ts'
import { listProofs } from './store.ts'
import { heldText, shortCommit, unprovenText } from './wording.ts'

/** The number of times that new commits of the target are merged after one approval. */
const landingLimit = 5

/**
 * Reports whether a result may be merged with new commits of its target once more. Results of other runs that landed
 * since its approval are no reason to ask the operator again: each of them allows for one more.
 */
export async function mayMergeAgain({ tx, run }: RunScope, earlier: number): Promise<boolean> {
  const gates = await listGatesOfRun(tx, run.id)
  const approvedAt = gates.findLast(({ gate, status }) => gate === 'merge' && status === 'approved')?.decidedAt ?? ''
  const proofs = (await listProofs(tx, run.id)).filter(
    ({ cause, createdAt }) => cause === 'landing' && createdAt >= approvedAt,
  )
  return Math.max(earlier, proofs.length) < landingLimit + (await countLanded(tx, run, approvedAt))
}

/** Counts the results of other runs that landed on the same branch of the same repository since a time. */
async function countLanded(tx: ReadTx, run: Run, at: string): Promise<number> {
  let count = 0
  for (const { runId, target } of await listMergedSince(tx, run.id, at))
    if (target === run.repository?.branch && (await findRun(tx, runId))?.repository?.path === run.repository.path)
      count++
  return count
}

/** Describes how far a result is proven, for a gate that opens again after its approval. */
export async function describeProof({ tx, run }: RunScope): Promise<Pick<GateSummary, 'produced' | 'anomalies'>> {
  const all = await listProofs(tx, run.id)
  const proof = all.findLast(({ head, status }) => head === run.head && status !== 'cancelled')
  if (proof === undefined) return { produced: '', anomalies: [] }
  return proof.status === 'passed'
    ? { produced: heldText(proof), anomalies: [] }
    : { produced: '', anomalies: [unprovenText(proof)] }
}

/**
 * Records the merge of an approved result with new commits of its target. It is proven before it lands; without any
 * evidence to check it lands at once.
 */
export async function proveLanding(scope: RunScope, moved: { commit: string; target: string }): Promise<void> {
  const { tx, run } = scope
  const known = await findPullRequestOf(tx, run.id)
  await touchRun(
    scope,
    { head: moved.commit },
    {
      kind: 'branch_merged',
      level: 'normal',
      code: 'MERGE',
      message: `${run.repository?.branch} ${shortCommit(moved.target)} → ${shortCommit(moved.commit)}`,
      data: { commit: moved.commit, branch_commit: moved.target },
    },
    known === undefined
      ? []
      : // Compared with the target, the pull request has only the run's own changes.
        [updated(pullRequests, known, { baseCommit: moved.target, headCommit: moved.commit, updatedAt: tx.at })],
  )
  if (provableEvidence(await listProvenBriefs(tx, run)).length === 0) return
  await startProof(
    scope,
    'landing',
    null,
    `${run.repository?.branch} has new commits: checking all evidence on the merged result ${shortCommit(moved.commit)}`,
  )
}
