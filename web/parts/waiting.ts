import { useQuery } from '@tanstack/react-query'

import { openProposalsQuery } from '../org/queries.ts'
import { waitingQuery } from '../queries.ts'

/** How many things wait for the operator: what the inbox lists. */
export function useWaiting(): number {
  const work = useQuery(waitingQuery).data
  const proposals = useQuery(openProposalsQuery).data
  return (work?.blocked.length ?? 0) + (work?.failedTotal ?? 0) + (proposals?.length ?? 0)
}
