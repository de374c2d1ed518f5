import { type ReactNode, useMemo, useState } from 'react'

import type { HeldBrief } from '../../src/work/briefs/contract.ts'
import { type Node, NodeTree } from '../parts/node-tree.tsx'
import type { Inspection } from '../queries.ts'
import { addresses } from '../router.tsx'
import { figure } from '../text.ts'
import { isFailing, matchingBriefs } from './filter.ts'
import { briefState } from './state.ts'

/** Fewer briefs are seen at a glance. */
const few = 10

/** Puts a filter above the tree of a run. While it is set, the matching briefs are listed instead of the tree. */
export function TreePane({
  inspection: { briefs },
  current,
  children,
}: {
  inspection: Inspection
  current: string | null
  children: ReactNode
}) {
  const [text, setText] = useState('')
  const [onlyFailing, setOnlyFailing] = useState(false)
  const failing = useMemo(() => briefs.filter(isFailing).length, [briefs])
  const isFiltered = text.trim() !== '' || onlyFailing
  const nodes = useMemo(
    () => (isFiltered ? matchingBriefs(briefs, { text, onlyFailing }).map(nodeOf) : []),
    [briefs, isFiltered, text, onlyFailing],
  )
  return (
    <div className="tree-pane">
      {(briefs.length > few || isFiltered) && (
        <div className="tree-bar">
          <input
            type="search"
            placeholder="Filter briefs"
            aria-label="Filter briefs by title or key"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <label className="check">
            <input type="checkbox" checked={onlyFailing} onChange={(event) => setOnlyFailing(event.target.checked)} />
            Failing <span className="muted figure">{figure(failing)}</span>
          </label>
        </div>
      )}
      {!isFiltered && children}
      {isFiltered && nodes.length === 0 && <p className="none muted">No brief matches.</p>}
      {isFiltered && nodes.length > 0 && (
        <NodeTree nodes={nodes} current={current} label="Matching briefs" onToggle={() => {}} />
      )}
    </div>
  )
}

const nodeOf = (brief: HeldBrief, index: number, all: readonly HeldBrief[]): Node => ({
  key: brief.id,
  level: 1,
  to: addresses.brief(brief.runId, brief.id),
  title: brief.title,
  hint: brief.key,
  state: briefState(brief),
  expanded: null,
  period: null,
  position: index + 1,
  siblings: all.length,
})
