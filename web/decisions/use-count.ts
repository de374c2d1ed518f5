import { useQuery } from '@tanstack/react-query'

import { openProposalsQuery } from '../org/queries.ts'
import { pendingDecisionsQuery } from '../queries.ts'

/** Returns the number of decisions that wait for the operator. A failed run does not wait for a decision. */
export function usePendingCount(): number {
  const decisions = useQuery(pendingDecisionsQuery).data
  const proposals = useQuery(openProposalsQuery).data
  return (decisions?.total ?? 0) + (proposals?.length ?? 0)
}
