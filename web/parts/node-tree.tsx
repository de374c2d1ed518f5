import { useEffect } from 'react'

import { Link, navigate } from '../router.tsx'
import { Sign, type State } from './state.tsx'
import { Duration } from './time.tsx'
import { TreeToggle } from './tree-toggle.tsx'
import { type TreeItem, useTree } from './use-tree.ts'

export interface Node extends TreeItem {
  key: string
  /** A tall node takes two lines, a low one takes one. */
  size: 'tall' | 'low'
  /** null: the node only groups others, and choosing it opens or closes it. */
  to: string | null
  title: string
  state: State
  /** The time that it takes or took, shown after its state. */
  period: { from: string; to: string | null } | null
}

const heights = { tall: 40, low: 26 }

interface NodeTreeProps {
  nodes: readonly Node[]
  /** The key of the node that the page shows. */
  current: string | null
  label: string
  /** Draws a toggle for the pointer beside each node; for deep trees. */
  folds?: boolean
  onToggle: (key: string) => void
}

/** A tree of states of any size. It is one tab stop; the arrow keys move in it. */
export function NodeTree({ nodes, current, label, folds = false, onToggle }: NodeTreeProps) {
  const choose = (node: Node): void => {
    if (node.to === null) onToggle(node.key)
    else navigate(node.to)
  }
  const { tree, visible, virtual, activate } = useTree({
    items: nodes,
    keyOf: (node) => node.key,
    heightOf: (node) => heights[node.size],
    overscan: 10,
    current,
    onToggle,
    onChoose: choose,
  })
  useEffect(() => {
    virtual.measure()
  }, [nodes, virtual])
  return (
    <div {...tree} className="tree" aria-label={label}>
      <div className="tree-all" role="none" style={{ height: virtual.getTotalSize() }}>
        {visible.map(({ item: node, key, attributes }) => {
          const className = `node level-${node.level} ${node.size}${folds ? ' folds' : ''}`
          const inside = <Inside node={node} folds={folds} onToggle={() => onToggle(node.key)} />
          const choosing = (): void => {
            activate(node.key)
            if (node.to === null) onToggle(node.key)
          }
          return node.to === null ? (
            <div key={key} {...attributes} className={className} onClick={choosing}>
              {inside}
            </div>
          ) : (
            <Link key={key} {...attributes} className={className} to={node.to} onClick={choosing}>
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
      {folds && <TreeToggle className="opener" expanded={node.expanded} onToggle={onToggle} />}
      <Sign tone={node.state.tone} />
      <span className="node-text">
        <span className="cut title" title={folds ? node.title : undefined}>
          {node.title}
        </span>
        <span className="cut says" title={node.state.text}>
          {node.state.text}
          {node.period !== null && (
            <>
              {' · '}
              <Duration {...node.period} />
            </>
          )}
        </span>
      </span>
    </>
  )
}
