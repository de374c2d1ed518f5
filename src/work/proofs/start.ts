import { inserted, updated } from '../../events/change.ts'
import { bug } from '../../kernel/errors.ts'
import { isMet } from '../briefs/states.ts'
import { listBriefs } from '../briefs/store.ts'
import { type NewGate, openGate } from '../gates/open.ts'
import { openPullRequest } from '../pull-requests/moves.ts'
import type { Run } from '../runs/contract.ts'
import { touchRun } from '../runs/moves.ts'
import type { RunScope } from '../scope.ts'
import { cancelProof } from './cancel.ts'
import type { Proof } from './contract.ts'
import { covers, provableEvidence } from './evidence.ts'
import { isFollowedUp, repairsOf } from './follow-up.ts'
import { listProvenBriefs } from './proven-briefs.ts'
import { findWaitingProof, listProofs, proofs } from './store.ts'
import { heldText, repairText, shortCommit, unprovableText } from './wording.ts'

/** The hold of a run whose result is being proven. */
export const proofHold = 'proof'

/**
 * Opens the gate before the merge once all evidence of the run holds on its merged result. The proof itself takes as
 * long as its commands and is no part of a transaction: the run waits, and a wake-up that also comes after a kill
 * does the rest. A second call for the same result changes nothing.
 */
export async function proveResult(scope: RunScope, gate: NewGate): Promise<void> {
  const { tx, run } = scope
  if (run.head === null) throw bug(`run ${run.id} has no result to prove`)
  const items = provableEvidence(await listProvenBriefs(tx, run))
  const waiting = await findWaitingProof(tx, run.id)
  // The approved result is being landed; the playbook was asked for another reason.
  if (waiting?.cause === 'landing') return
  if (waiting?.head === run.head) return waitAgain(scope, waiting, gate)
  if (waiting !== undefined) await cancelProof(scope, waiting, 'the result changed')
  if (items.length === 0) return openMergeGate(scope, gate, unprovableText)
  // Proofs of other results say nothing about this one, in whatever order the clock has put them.
  const earlier = (await listProofs(tx, run.id)).findLast(({ head }) => head === run.head)
  if (earlier !== undefined) {
    if (earlier.status === 'passed' && covers(earlier, items)) return openMergeGate(scope, gate, heldText(earlier))
    if (await isFollowedUp(scope, earlier)) return
  }
  await startProof(scope, 'merge', gate, `proving the merged result ${shortCommit(run.head)}`)
}

/** Holds a run, unless a gate halts it: that stays the reason why it waits. */
export const holdIn = (run: Run, heldBy: string): Partial<Run> =>
  run.heldBy?.startsWith('gate:') === true ? {} : { heldBy }

/** Waits for a proof that is already under way; a pause may have replaced the hold. */
async function waitAgain(scope: RunScope, proof: Proof, gate: NewGate): Promise<void> {
  const { run } = scope
  const patch = { gate: { ...gate } }
  await touchRun(
    scope,
    holdIn(run, proofHold),
    { kind: 'log', message: `the merged result ${shortCommit(proof.head)} is being checked` },
    [updated(proofs, proof, patch)],
  )
  await wakeProof(scope)
}

export async function startProof(
  scope: RunScope,
  cause: Proof['cause'],
  gate: NewGate | null,
  message: string,
): Promise<void> {
  const { tx, run } = scope
  const proof: Proof = {
    id: scope.ids.next('proof'),
    runId: run.id,
    head: run.head as string,
    cause,
    status: 'waiting',
    gate: gate === null ? null : { ...gate },
    findings: [],
    checkedIn: null,
    detail: null,
    createdAt: tx.at,
    endedAt: null,
  }
  await touchRun(
    scope,
    holdIn(run, proofHold),
    { kind: 'proof_started', level: 'normal', code: 'PROOF', message, data: { proof_id: proof.id, head: proof.head } },
    [inserted(proofs, proof)],
  )
  await wakeProof(scope)
}

export const wakeProof = (scope: RunScope, delayMs = 0): Promise<void> =>
  scope.later(scope.tx, { kind: 'prove', runId: scope.run.id, delayMs })

/** Opens the gate with the result of the proof in its summary. */
export async function openMergeGate(
  scope: RunScope,
  gate: NewGate,
  proven: string,
  anomalies: readonly string[] = [],
): Promise<void> {
  await openPullRequest(scope)
  const { summary } = gate
  const all = await listBriefs(scope.tx, scope.run.id)
  const repaired = repairText(
    repairsOf(all).filter(({ status }) => isMet(status)),
    anomalies.length === 0,
  )
  await openGate(scope, {
    ...gate,
    summary: {
      ...summary,
      produced: [summary.produced, repaired, proven].filter((text) => text !== '').join('\n'),
      anomalies: [...summary.anomalies, ...anomalies],
    },
  })
}
