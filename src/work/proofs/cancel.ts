import { updated } from '../../events/change.ts'
import { interruptAfterCommit } from '../attempts/end-live.ts'
import { touchRun } from '../runs/moves.ts'
import type { RunScope } from '../scope.ts'
import type { Proof } from './contract.ts'
import { findWaitingProof, proofs } from './store.ts'
import { shortCommit } from './wording.ts'

/** Ends a proof that no longer matters. Its commands are interrupted after commit. */
export async function cancelProof(scope: RunScope, proof: Proof, why: string): Promise<void> {
  await touchRun(
    scope,
    {},
    {
      kind: 'proof_ended',
      message: `the check of ${shortCommit(proof.head)} is cancelled: ${why}`,
      data: { proof_id: proof.id, head: proof.head, status: 'cancelled' },
    },
    [updated(proofs, proof, { status: 'cancelled', detail: why, endedAt: scope.tx.at })],
  )
  interruptAfterCommit(scope, [proof.id])
}

/** Ends the proof of a run that is being ended, if one is under way. */
export async function cancelProofOfRun(scope: RunScope): Promise<void> {
  if (scope.run.repository === null) return
  const waiting = await findWaitingProof(scope.tx, scope.run.id)
  if (waiting !== undefined) await cancelProof(scope, waiting, 'the run has ended')
}
