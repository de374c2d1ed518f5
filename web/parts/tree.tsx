import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'

import type { Attempt } from '../../src/work/attempts/contract.ts'
import type { Brief } from '../../src/work/briefs/contract.ts'
import type { Inspection } from '../queries.ts'
import { addresses, Link, navigate } from '../router.tsx'
import { counted } from '../text.ts'
import { attemptState, briefState, runState, Sign, type State } from './state.tsx'
import { Lasting } from './time.tsx'

interface Node {
  key: string
  level: 1 | 2 | 3 | 4
  /** Attempts take one line, everything else two. */
  size: 'tall' | 'low'
  to: string
  title: string
  state: State
  /** null: it has nothing below it. */
  expanded: boolean | null
  attempt: Attempt | null
  position: number
  siblings: number
}

const heights = { tall: 40, low: 26 }

/** Run, briefs, attempts, and below what was judged who judged it. One stop for Tab; the arrows move in it, as in any tree. */
export function RunTree({ inspection, current }: { inspection: Inspection; current: string | null }) {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const nodes = useMemo(() => nodesOf(inspection, toggled), [inspection, toggled])
  const [activeKey, setActiveKey] = useState<string | null>(current)
  const scroller = useRef<HTMLDivElement>(null)
  const id = useId()
  const active = Math.max(
    0,
    nodes.findIndex((node) => node.key === (activeKey ?? current)),
  )

  const virtual = useVirtualizer({
    count: nodes.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => heights[nodes[index]?.size ?? 'tall'],
    overscan: 10,
    getItemKey: (index) => nodes[index]?.key ?? index,
  })
  useEffect(() => {
    virtual.measure()
  }, [nodes, virtual])

  const moveTo = (index: number): void => {
    const node = nodes[index]
    if (node === undefined) return
    setActiveKey(node.key)
    virtual.scrollToIndex(index)
  }
  const toggle = (key: string): void =>
    setToggled((before) =>
      before.has(key) ? new Set([...before].filter((each) => each !== key)) : new Set([...before, key]),
    )

  const onKey = (event: KeyboardEvent): void => {
    const node = nodes[active]
    if (node === undefined) return
    if (event.key === 'ArrowDown') moveTo(active + 1)
    else if (event.key === 'ArrowUp') moveTo(active - 1)
    else if (event.key === 'Home') moveTo(0)
    else if (event.key === 'End') moveTo(nodes.length - 1)
    else if (event.key === 'ArrowRight' && node.expanded === false) toggle(node.key)
    else if (event.key === 'ArrowLeft' && node.expanded === true) toggle(node.key)
    else if (event.key === 'ArrowRight') moveTo(active + 1)
    else if (event.key === 'ArrowLeft') moveTo(parentOf(nodes, active))
    else if (event.key === 'Enter' || event.key === ' ') navigate(node.to)
    else return
    event.preventDefault()
  }

  return (
    <div
      ref={scroller}
      className="tree"
      role="tree"
      aria-label="Briefs and attempts"
      tabIndex={0}
      aria-activedescendant={`${id}-${active}`}
      onKeyDown={onKey}
    >
      <div className="tree-all" role="none" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const node = nodes[item.index]
          if (node === undefined) return null
          return (
            <Link
              key={item.key}
              id={`${id}-${item.index}`}
              to={node.to}
              role="treeitem"
              tabIndex={-1}
              className={`node level-${node.level} ${node.size}`}
              aria-level={node.level}
              aria-posinset={node.position}
              aria-setsize={node.siblings}
              aria-expanded={node.expanded ?? undefined}
              aria-selected={node.key === current}
              data-active={item.index === active || undefined}
              style={{ transform: `translateY(${item.start}px)` }}
              onClick={() => setActiveKey(node.key)}
            >
              <Sign tone={node.state.tone} />
              <span className="node-text">
                <span className="cut title">{node.title}</span>
                <span className="cut says" title={node.state.says}>
                  {node.state.says}
                  {node.attempt?.startedAt && (
                    <>
                      {' · '}
                      <Lasting from={node.attempt.startedAt} to={node.attempt.endedAt} />
                    </>
                  )}
                </span>
              </span>
            </Link>
          )
        })}
      </div>
    </div>
  )
}

/** A brief is open when it has more to show than its last word: while it is at work, and after more than one attempt. */
const opensByItself = (brief: Brief): boolean => brief.attempts > 1 || briefState(brief).tone === 'working'

function nodesOf({ run, briefs, attempts }: Inspection, toggled: ReadonlySet<string>): Node[] {
  const tries = Map.groupBy(attempts, (attempt) => attempt.briefId)
  const judges = Map.groupBy(briefs, (brief) => brief.verifies)
  const roots = briefs.filter((brief) => brief.verifies === null)
  const nodes: Node[] = [
    {
      key: run.id,
      level: 1,
      size: 'tall',
      to: addresses.run(run.id),
      title: run.playbook,
      state: {
        ...runState(run.status),
        says: `${run.status} · ${run.briefsDone} of ${counted(run.briefsTotal, 'brief')} done`,
      },
      expanded: null,
      attempt: null,
      position: 1,
      siblings: 1,
    },
  ]

  const addBrief = (brief: Brief, level: 2 | 3, position: number, siblings: number): void => {
    const own = tries.get(brief.id) ?? []
    const judging = level === 2 ? (judges.get(brief.id) ?? []) : []
    const below = own.length + judging.length
    const expanded = below === 0 ? null : opensByItself(brief) !== toggled.has(brief.id)
    nodes.push({
      key: brief.id,
      level,
      size: 'tall',
      to: addresses.brief(run.id, brief.id),
      title: brief.title,
      state: treeState(brief),
      expanded,
      attempt: null,
      position,
      siblings,
    })
    if (expanded !== true) return
    let at = 0
    own.forEach((attempt, index) => {
      nodes.push(attemptNode(attempt, index, level === 2 ? 3 : 4, (at += 1), below))
      // Who judged an attempt stands below it, before the next.
      for (const judge of judging.filter((each) => each.verifiesAttempt === index + 1))
        addBrief(judge, 3, (at += 1), below)
    })
    for (const judge of judging.filter((each) => (each.verifiesAttempt ?? 0) > own.length))
      addBrief(judge, 3, (at += 1), below)
  }

  roots.forEach((brief, index) => addBrief(brief, 2, index + 1, roots.length))
  return nodes
}

const attemptNode = (attempt: Attempt, index: number, level: 3 | 4, position: number, siblings: number): Node => ({
  key: attempt.id,
  level,
  size: 'low',
  to: addresses.attempt(attempt.runId, attempt.briefId, attempt.id),
  title: `attempt ${index + 1}`,
  state: attemptState(attempt),
  expanded: null,
  attempt,
  position,
  siblings,
})

/** Whether it can be proven is worth knowing before it is done. */
function treeState(brief: Brief): State {
  const state = briefState(brief)
  return brief.checkable || brief.kind !== 'work' ? state : { ...state, says: `${state.says} · no checkable evidence` }
}

function parentOf(nodes: readonly Node[], index: number): number {
  const level = nodes[index]?.level ?? 1
  for (let at = index - 1; at >= 0; at -= 1) if ((nodes[at]?.level ?? 1) < level) return at
  return 0
}
