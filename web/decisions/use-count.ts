import { useQuery } from '@tanstack/react-query'

import { openProposalsQuery } from '../org/queries.ts'
import { waitingQuery } from '../queries.ts'

/** How many things wait for the operator. A run that failed waits for nobody. */
export function useWaiting(): number {
  const decisions = useQuery(waitingQuery).data
  const proposals = useQuery(openProposalsQuery).data
  return (decisions?.total ?? 0) + (proposals?.length ?? 0)
}
