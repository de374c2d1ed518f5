import { useQueries, type UseQueryResult } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type CSSProperties, type KeyboardEvent, useId, useMemo, useRef, useState } from 'react'

import type { FileEntry } from '../../src/work/mission-workspaces/contract.ts'
import { Pieces } from '../parts/visible-text.tsx'
import { Fold } from '../parts/chevron.tsx'
import { onTreeKey, toggledSet } from '../parts/tree-keys.ts'
import { explain } from '../parts/notices.tsx'
import { addresses, Link, navigate } from '../router.tsx'
import { size } from '../text.ts'
import { type FileNode, foldersOf, nodesOf } from './nodes.ts'
import { filesQuery } from './queries.ts'

/** The files of a workspace. A folder is asked for when it is opened. One stop for Tab; the arrows move in it. */
export function FileTree({ missionId, current }: { missionId: string; current: string | null }) {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const open = useMemo(() => {
    const way = foldersOf(current ?? '')
    const all = new Set([...way, ...toggled])
    return new Set([...all].filter((path) => way.includes(path) !== toggled.has(path)))
  }, [current, toggled])
  const folders = useMemo(() => ['', ...open], [open])
  const answers = useQueries({ queries: folders.map((path) => filesQuery(missionId, path)) })
  const known = knownOf(folders, answers)
  const nodes = nodesOf(known, open)
  const failed = answers.find((answer) => answer.isError && answer.data === undefined)
  const partial = answers.some((answer) => answer.data?.isPartial === true)

  const [activePath, setActivePath] = useState<string | null>(current)
  const active = Math.max(
    0,
    nodes.findIndex((node) => node.path === activePath),
  )
  const id = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: nodes.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 26,
    overscan: 20,
    getItemKey: (index) => nodes[index]?.path ?? index,
  })

  const toggle = (path: string): void => setToggled((before) => toggledSet(before, path))
  const choose = (node: FileNode): void => {
    setActivePath(node.path)
    if (node.expanded !== null) toggle(node.path)
    else if (node.entry.kind === 'file') navigate(addresses.file(missionId, node.path))
  }
  const onKey = (event: KeyboardEvent): void =>
    onTreeKey(event, nodes, active, {
      moveTo: (index) => {
        setActivePath((nodes[index] as FileNode).path)
        virtual.scrollToIndex(index)
      },
      toggle: (index) => toggle((nodes[index] as FileNode).path),
      choose: (index) => choose(nodes[index] as FileNode),
    })

  return (
    <div
      ref={scroller}
      className="tree file-tree"
      role="tree"
      aria-label="Files"
      tabIndex={0}
      aria-activedescendant={nodes.length > 0 ? `${id}-${active}` : undefined}
      onKeyDown={onKey}
    >
      {failed !== undefined && (
        <p role="alert" className="tone-bad none">
          {explain(failed.error).cause}
        </p>
      )}
      {known.has('') && nodes.length === 0 && <p className="none muted">There is no file in it yet.</p>}
      <div className="tree-all" role="none" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const node = nodes[item.index]
          if (node === undefined) return null
          const shared = {
            id: `${id}-${item.index}`,
            role: 'treeitem',
            tabIndex: -1,
            className: 'file-node',
            'aria-level': node.level,
            'aria-posinset': node.position,
            'aria-setsize': node.siblings,
            'aria-selected': node.path === current,
            'data-active': item.index === active || undefined,
            style: { transform: `translateY(${item.start}px)`, '--level': node.level } as CSSProperties,
          }
          const inside = (
            <>
              {node.expanded === null ? <span className="fold-sign" /> : <Fold open={node.expanded} />}
              <span className="cut grow">
                <Pieces text={node.entry.name} />
              </span>
              <span className="muted figure">{aside(node.entry)}</span>
            </>
          )
          if (node.entry.kind === 'file')
            return (
              <Link
                key={item.key}
                {...shared}
                to={addresses.file(missionId, node.path)}
                onClick={() => setActivePath(node.path)}
              >
                {inside}
              </Link>
            )
          return (
            <div key={item.key} {...shared} aria-expanded={node.expanded ?? undefined} onClick={() => choose(node)}>
              {inside}
            </div>
          )
        })}
      </div>
      {partial && <p className="none muted">A folder has more files than are listed here.</p>}
    </div>
  )
}

const aside = (entry: FileEntry): string =>
  entry.kind === 'file' ? size(entry.bytes) : entry.kind === 'directory' ? '' : entry.kind

function knownOf(
  folders: readonly string[],
  answers: readonly UseQueryResult<{ entries: FileEntry[] }>[],
): Map<string, readonly FileEntry[]> {
  const known = new Map<string, readonly FileEntry[]>()
  folders.forEach((folder, index) => {
    const entries = answers[index]?.data?.entries
    if (entries !== undefined) known.set(folder, entries)
  })
  return known
}
