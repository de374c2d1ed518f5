import { useQuery } from '@tanstack/react-query'

import { openProposalsQuery } from '../org/queries.ts'
import { pendingDecisionsQuery } from '../queries.ts'

/** How many things wait for the operator. A run that failed waits for nobody. */
export function usePendingCount(): number {
  const decisions = useQuery(pendingDecisionsQuery).data
  const proposals = useQuery(openProposalsQuery).data
  return (decisions?.total ?? 0) + (proposals?.length ?? 0)
}
