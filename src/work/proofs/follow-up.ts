import { listBriefs } from '../briefs/store.ts'
import { endStatuses } from '../briefs/states.ts'
import { listWaitingOfRun } from '../questions/store.ts'
import type { RunScope } from '../scope.ts'
import type { Brief } from '../briefs/contract.ts'
import type { Proof } from './contract.ts'

/** Lists the briefs that mend the merged result of a run; the rest of a partly done one is not counted again. */
export const repairsOf = (briefs: readonly Brief[]): Brief[] =>
  briefs.filter(({ repairs, remainderOf }) => repairs !== null && remainderOf === null)

/** Names the question about a proof, so that it is asked once. */
export const askerOf = ({ id }: Pick<Proof, 'id'>): string => `proof:${id}`

/** Reports whether a failed proof is being repaired or waits for an answer. */
export async function isFollowedUp({ tx, run }: RunScope, proof: Proof): Promise<boolean> {
  const isOpen = (await listBriefs(tx, run.id)).some(
    ({ repairs, status }) => repairs === proof.id && status !== 'verified' && !endStatuses.includes(status),
  )
  return isOpen || (await listWaitingOfRun(tx, run.id)).some(({ askedBy }) => askedBy === askerOf(proof))
}
