import { useQuery } from '@tanstack/react-query'

import { openProposalsQuery } from '../org/queries.ts'
import { pendingDecisionsQuery } from '../queries.ts'
import { pendingDecisions } from './items.ts'

/** Returns the number of decisions that wait for the operator. A failed run does not wait for a decision. */
export function usePendingCount(): number {
  const decisions = useQuery(pendingDecisionsQuery).data
  const proposals = useQuery(openProposalsQuery).data
  return (decisions === undefined ? 0 : countDecisions(decisions)) + (proposals?.length ?? 0)
}

/** Counts the cards, and the decisions beyond the response; those that others decide first do not count. */
const countDecisions = ({ gates, questions, total }: PendingDecisions): number =>
  pendingDecisions(gates, questions).length + moreDecisions({ gates, questions, total })

/** Counts the decisions that were not in the response, which is limited. */
export const moreDecisions = ({ gates, questions, total }: PendingDecisions): number =>
  total - gates.length - questions.length

type PendingDecisions = Awaited<ReturnType<NonNullable<typeof pendingDecisionsQuery.queryFn>>>
