import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import type { Brief } from '../../src/work/briefs/contract.ts'
import { DiffView } from '../diff/view.tsx'
import { Failure, Skeleton } from '../parts/views.tsx'
import { Commit } from './commit.tsx'
import { briefDiffQuery, fileOfBrief } from './queries.ts'

/** What one brief changes; asked for when somebody looks. */
export function BriefChanges({ brief }: { brief: Brief }) {
  const [open, setOpen] = useState(false)
  if (brief.startCommit === null || brief.branchCommit === null) return null
  const none = brief.startCommit === brief.branchCommit
  return (
    <section className="part">
      <h3>
        Changes{' '}
        <span className="muted">
          <Commit id={brief.startCommit} /> → <Commit id={brief.branchCommit} />
        </span>
      </h3>
      {none ? (
        <p className="muted">It changed no file.</p>
      ) : (
        <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>Show the diff</summary>
          {open && <BriefDiff brief={brief} />}
        </details>
      )}
    </section>
  )
}

function BriefDiff({ brief }: { brief: Brief }) {
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
  if (diff.isError) return <Failure error={diff.error} retry={() => void diff.refetch()} what="The diff" />
  return <Skeleton lines={6} label="the diff" />
}
