import type { Guidance } from '../briefs/contract.ts'
import type { Question } from '../questions/contract.ts'
import { endRun } from '../runs/end.ts'
import { touchRun } from '../runs/moves.ts'
import type { RunScope } from '../scope.ts'
import { gateOf } from './ask.ts'
import { addRepair } from './repair.ts'
import { openMergeGate, startProof } from './start.ts'
import { findProof } from './store.ts'
import { shortCommit, unprovenText } from './wording.ts'

/** Reports whether a question is about a result that is not proven. */
export const isAboutProof = ({ askedBy }: Question): boolean => askedBy.startsWith('proof:')

/** Continues after the operator's answer about a result that is not proven. */
export async function continueAfterProof(
  scope: RunScope,
  question: Question,
  key: string | null,
  answer: string,
  by: string,
): Promise<void> {
  if (scope.run.heldBy === `question:${question.id}`)
    await touchRun(scope, { heldBy: null }, { kind: 'log', message: 'the result no longer waits for an answer' })
  const proof = await findProof(scope.tx, question.askedBy.slice('proof:'.length))
  // The result has changed since: it is proven again, or was.
  if (proof === undefined || proof.head !== scope.run.head) return
  switch (key) {
    case 'abandon':
      return endRun(scope, 'failed', `given up by ${by}: ${proof.detail ?? 'the result is not proven'}`)
    case 'open':
      return openMergeGate(scope, await gateOf(scope), '', [unprovenText(proof)])
    case 'retry':
      return startProof(scope, 'merge', await gateOf(scope), `checking ${shortCommit(proof.head)} again`)
    default: {
      const guidance: Guidance[] = key === 'repair' ? [] : [{ question: question.text, answer, by }]
      return addRepair(scope, proof, guidance)
    }
  }
}
