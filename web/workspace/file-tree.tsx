import { useQueries, type UseQueryResult } from '@tanstack/react-query'
import { useMemo, useState } from 'react'

import type { FileEntry } from '../../src/work/mission-workspaces/contract.ts'
import { Chevron } from '../parts/chevron.tsx'
import { explain } from '../parts/notices.tsx'
import { toggleKey } from '../parts/tree-keys.ts'
import { useTree } from '../parts/use-tree.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { addresses, Link, navigate } from '../router.tsx'
import { size } from '../text.ts'
import { type FileNode, foldersOf, nodesOf } from './nodes.ts'
import { filesQuery } from './queries.ts'

/**
 * Shows the files of a workspace. A folder is loaded when it is opened. The tree is one tab stop; the arrow keys move
 * in it.
 */
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

  const toggle = (path: string): void => setToggled((before) => toggleKey(before, path))
  const choose = (node: FileNode): void => {
    activate(node.path)
    if (node.expanded !== null) toggle(node.path)
    else if (node.entry.kind === 'file') navigate(addresses.file(missionId, node.path))
  }
  const { tree, visible, virtual, activate } = useTree({
    items: nodes,
    keyOf: (node) => node.path,
    heightOf: () => 26,
    overscan: 20,
    current,
    onToggle: toggle,
    onChoose: choose,
  })

  return (
    <div {...tree} className="tree file-tree" aria-label="Files">
      {failed !== undefined && (
        <p role="alert" className="tone-bad none">
          {explain(failed.error).cause}
        </p>
      )}
      {known.has('') && nodes.length === 0 && <p className="none muted">The workspace has no files yet.</p>}
      <div className="tree-all" role="none" style={{ height: virtual.getTotalSize() }}>
        {visible.map(({ item: node, key, attributes }) => {
          const inside = (
            <>
              {node.expanded === null ? <span className="fold-sign" /> : <Chevron open={node.expanded} />}
              <span className="cut grow">
                <VisibleText text={node.entry.name} />
              </span>
              <span className="muted figure">{aside(node.entry)}</span>
            </>
          )
          return node.entry.kind === 'file' ? (
            <Link
              key={key}
              {...attributes}
              className="file-node"
              to={addresses.file(missionId, node.path)}
              onClick={() => activate(node.path)}
            >
              {inside}
            </Link>
          ) : (
            <div key={key} {...attributes} className="file-node" onClick={() => choose(node)}>
              {inside}
            </div>
          )
        })}
      </div>
      {partial && <p className="none muted">A folder has more files than this list shows.</p>}
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
