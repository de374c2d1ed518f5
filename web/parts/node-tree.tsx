import { useEffect, useRef } from 'react'

import { Link, navigate } from '../router.tsx'
import { Sign, type State } from './state.tsx'
import { Duration } from './time.tsx'
import { TreeToggle } from './tree-toggle.tsx'
import { type TreeItem, useTree } from './use-tree.ts'

export interface Node extends TreeItem {
  key: string
  /** null: the node only groups others, and choosing it opens or closes it. */
  to: string | null
  title: string
  /** A further name of the node, shown when the pointer rests on it. */
  hint: string | null
  state: State
  /** The time that it takes or took, shown after its state. */
  period: { from: string; to: string | null } | null
}

const rowHeight = 28

interface NodeTreeProps {
  nodes: readonly Node[]
  /** The key of the node that the page shows. */
  current: string | null
  label: string
  onToggle: (key: string) => void
}

/** A tree of states of any size. It is one tab stop; the arrow keys move in it. */
export function NodeTree({ nodes, current, label, onToggle }: NodeTreeProps) {
  const choose = (node: Node): void => {
    if (node.to === null) onToggle(node.key)
    else navigate(node.to)
  }
  const { tree, visible, virtual, activate } = useTree({
    items: nodes,
    keyOf: (node) => node.key,
    heightOf: () => rowHeight,
    overscan: 10,
    current,
    onToggle,
    onChoose: choose,
  })
  useEffect(() => {
    virtual.measure()
  }, [nodes, virtual])
  const scrolledTo = useRef<string | null>(null)
  useEffect(() => {
    // Once for each selected node, as soon as its branch is open: updates must not move the tree under the reader.
    const index = nodes.findIndex((node) => node.key === current)
    if (index < 0 || scrolledTo.current === current) return
    scrolledTo.current = current
    virtual.scrollToIndex(index)
  }, [current, nodes, virtual])
  return (
    <div {...tree} className="tree" aria-label={label}>
      <div className="tree-all" role="none" style={{ height: virtual.getTotalSize() }}>
        {visible.map(({ item: node, key, attributes }) => {
          const className = `node level-${node.level}`
          const inside = <Inside node={node} onToggle={() => onToggle(node.key)} />
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

function Inside({ node, onToggle }: { node: Node; onToggle: () => void }) {
  const { title, hint, state, period } = node
  return (
    <>
      <TreeToggle className="opener" expanded={node.expanded} onToggle={onToggle} />
      <Sign tone={state.tone} />
      <span className="node-text" title={[title, hint, state.text].filter((line) => line !== null).join('\n')}>
        <span className="cut title">{title}</span>{' '}
        <span className={isPlain(state) ? 'unseen' : 'cut says'}>{state.text}</span>
        {period !== null && (
          <span className="says figure">
            <Duration {...period} />
          </span>
        )}
      </span>
    </>
  )
}

/** The sign says it already. */
const isPlain = ({ tone, text }: State): boolean =>
  (tone === 'good' && /^(done|verified|ok)$/.test(text)) || (tone === 'idle' && text === 'pending')
