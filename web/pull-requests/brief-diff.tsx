import { useQuery } from '@tanstack/react-query'

import type { Brief } from '../../src/work/briefs/contract.ts'
import { DiffView } from '../diff/view.tsx'
import { Failure, Skeleton } from '../parts/notices.tsx'
import { briefDiffQuery, fileOfBrief } from './queries.ts'

export function BriefDiff({ brief }: { brief: Brief }) {
  const diff = useQuery(briefDiffQuery(brief))
  if (diff.data !== undefined)
    return (
      <DiffView
        key={diff.data.to}
        compact
        diff={diff.data}
        label={`Changes of ${brief.title}`}
        load={(path) => fileOfBrief(brief.id, path)}
      />
    )
  if (diff.isError) return <Failure error={diff.error} retry={() => void diff.refetch()} name="The diff" />
  return <Skeleton lines={6} label="the diff" />
}
