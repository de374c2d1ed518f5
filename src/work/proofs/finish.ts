import { updated } from '../../events/change.ts'
import type { NewGate } from '../gates/open.ts'
import { beginLanding } from '../pull-requests/moves.ts'
import { touchRun } from '../runs/moves.ts'
import type { RunScope } from '../scope.ts'
import { cancelProof } from './cancel.ts'
import type { Proof } from './contract.ts'
import { followUnchecked, followFailure } from './repair.ts'
import { findProof, proofs } from './store.ts'
import { openMergeGate, proofHold } from './start.ts'
import { brokenText, heldText } from './wording.ts'

export type ProofEnd = Pick<Proof, 'findings' | 'checkedIn'> & {
  readonly status: 'passed' | 'failed' | 'unchecked'
  /** The reason why something could not be checked. */
  readonly detail?: string
}

/** Records the end of a proof with everything that follows from it. A proof that was ended meanwhile stays as it is. */
export async function finishProof(scope: RunScope, proofId: string, end: ProofEnd): Promise<void> {
  const known = await findProof(scope.tx, proofId)
  if (known === undefined || known.status !== 'waiting' || scope.run.endedAt !== null) return
  if (known.head !== scope.run.head) return cancelProof(scope, known, 'the result changed')
  const proof = { ...known, ...end, detail: end.detail ?? null }
  const detail = proof.status === 'passed' ? heldText(proof) : (proof.detail ?? brokenText(proof))
  const patch = { ...end, detail, endedAt: scope.tx.at }
  await touchRun(
    scope,
    scope.run.heldBy === proofHold ? { heldBy: null } : {},
    {
      kind: 'proof_ended',
      level: 'normal',
      code: 'PROOF',
      message: `${proof.status === 'passed' ? '✓' : '✗'} ${detail}`,
      data: { proof_id: proof.id, head: proof.head, status: proof.status },
    },
    [updated(proofs, known, patch)],
  )
  const ended: Proof = { ...known, ...patch }
  if (ended.status === 'failed') return followFailure(scope, ended)
  if (ended.status === 'unchecked') return followUnchecked(scope, ended)
  if (ended.cause === 'landing') return beginLanding(scope)
  // The playbook asks for the gate again when a paused run is resumed.
  if (scope.run.status === 'running') await openMergeGate(scope, ended.gate as unknown as NewGate, detail)
}
