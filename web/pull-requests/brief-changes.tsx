import { useState } from 'react'

import type { Brief } from '../../src/work/briefs/contract.ts'
import { createLazy } from '../parts/lazy.tsx'
import { Commit } from './commit.tsx'

const BriefDiff = createLazy({ name: 'The diff' }, async () => (await import('./brief-diff.tsx')).BriefDiff)

/** Shows the changes of one brief; the diff is loaded when it is opened. */
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
        <p className="muted">The brief changed no files.</p>
      ) : (
        <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>Show the diff</summary>
          {open && <BriefDiff brief={brief} />}
        </details>
      )}
    </section>
  )
}
