import { useVirtualizer } from '@tanstack/react-virtual'
import { type CSSProperties, type MouseEvent, useEffect, useId, useRef, useState } from 'react'

import { Fold } from './chevron.tsx'
import { Link, navigate } from '../router.tsx'
import { Sign, type State } from './state.tsx'
import { Lasting } from './time.tsx'
import { onTreeKey, type TreeRow } from './tree-keys.ts'

export interface Node extends TreeRow {
  key: string
  /** What takes one line, and what takes two. */
  size: 'tall' | 'low'
  /** null: it only holds others together, and is opened by choosing it. */
  to: string | null
  title: string
  state: State
  /** The time that it takes or took, shown after its state. */
  period: { from: string; to: string | null } | null
  position: number
  siblings: number
}

const heights = { tall: 40, low: 26 }

interface NodeTreeProps {
  nodes: readonly Node[]
  /** The key of what the page shows. */
  current: string | null
  label: string
  /** Where a tree is deep, what opens it can be pointed at as well. */
  folds?: boolean
  onToggle: (key: string) => void
}

/** What a run consists of, of any size. One stop for Tab; the arrows move in it. */
export function NodeTree({ nodes, current, label, folds = false, onToggle }: NodeTreeProps) {
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

  const choose = (node: Node): void => {
    if (node.to === null) onToggle(node.key)
    else navigate(node.to)
  }
  return (
    <div
      ref={scroller}
      className="tree"
      role="tree"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={`${id}-${active}`}
      onKeyDown={(event) =>
        onTreeKey(event, nodes, active, {
          moveTo: (index) => {
            setActiveKey((nodes[index] as Node).key)
            virtual.scrollToIndex(index)
          },
          toggle: (index) => onToggle((nodes[index] as Node).key),
          choose: (index) => choose(nodes[index] as Node),
        })
      }
    >
      <div className="tree-all" role="none" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const node = nodes[item.index]
          if (node === undefined) return null
          const shared = {
            id: `${id}-${item.index}`,
            role: 'treeitem',
            tabIndex: -1,
            className: `node level-${node.level} ${node.size}${folds ? ' folds' : ''}`,
            'aria-level': node.level,
            'aria-posinset': node.position,
            'aria-setsize': node.siblings,
            'aria-expanded': node.expanded ?? undefined,
            'aria-selected': node.key === current,
            'data-active': item.index === active || undefined,
            style: { transform: `translateY(${item.start}px)`, '--level': node.level } as CSSProperties,
          }
          const inside = <Inside node={node} folds={folds} onToggle={() => onToggle(node.key)} />
          if (node.to === null)
            return (
              <div
                key={item.key}
                {...shared}
                onClick={() => {
                  setActiveKey(node.key)
                  onToggle(node.key)
                }}
              >
                {inside}
              </div>
            )
          return (
            <Link key={item.key} {...shared} to={node.to} onClick={() => setActiveKey(node.key)}>
              {inside}
            </Link>
          )
        })}
      </div>
    </div>
  )
}

function Inside({ node, folds, onToggle }: { node: Node; folds: boolean; onToggle: () => void }) {
  return (
    <>
      {folds && <Opener expanded={node.expanded} onToggle={onToggle} />}
      <Sign tone={node.state.tone} />
      <span className="node-text">
        <span className="cut title" title={folds ? node.title : undefined}>
          {node.title}
        </span>
        <span className="cut says" title={node.state.says}>
          {node.state.says}
          {node.period !== null && (
            <>
              {' · '}
              <Lasting {...node.period} />
            </>
          )}
        </span>
      </span>
    </>
  )
}

/** For the pointer; the arrow keys do the same, so it is no stop of its own. */
function Opener({ expanded, onToggle }: { expanded: boolean | null; onToggle: () => void }) {
  if (expanded === null) return <span className="opener" />
  const toggle = (event: MouseEvent): void => {
    event.preventDefault()
    event.stopPropagation()
    onToggle()
  }
  return (
    <span className="opener" aria-hidden="true" onClick={toggle}>
      <Fold open={expanded} />
    </span>
  )
}
