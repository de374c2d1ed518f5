import { useQuery } from '@tanstack/react-query'

import { pullRequestOperations } from '../../src/work/pull-requests/contract.ts'
import { call } from '../client.ts'
import { DiffView } from '../diff/view.tsx'
import { Failure, Skeleton } from '../parts/notices.tsx'
import { fileOfBrief } from '../pull-requests/queries.ts'

/** Shows the changes of the attempt that a question is about. */
export function CardDiff({ briefId, attemptId }: { briefId: string; attemptId: string | null }) {
  const diff = useQuery({
    queryKey: ['diff', briefId, attemptId],
    queryFn: ({ signal }) => call(pullRequestOperations.ofBrief, { briefId }, signal),
  })
  if (diff.data !== undefined)
    return (
      <DiffView compact diff={diff.data} label="Changes of the attempt" load={(path) => fileOfBrief(briefId, path)} />
    )
  if (diff.isError) return <Failure error={diff.error} retry={() => void diff.refetch()} name="The diff" />
  return <Skeleton lines={6} label="the diff" />
}
