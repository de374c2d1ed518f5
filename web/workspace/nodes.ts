import type { FileEntry } from '../../src/work/mission-workspaces/contract.ts'
import type { TreeItem } from '../parts/use-tree.ts'

export interface FileNode extends TreeItem {
  /** Path relative to the workspace, without a slash at either end. */
  readonly path: string
  readonly entry: FileEntry
}

/** Returns the visible nodes of the tree: the entries of every open folder, as far as they are loaded. */
export function nodesOf(
  known: ReadonlyMap<string, readonly FileEntry[]>,
  open: ReadonlySet<string>,
  folder = '',
  level = 1,
): FileNode[] {
  const entries = known.get(folder) ?? []
  return entries.flatMap((entry, index) => {
    const path = joinPath(folder, entry.name)
    const isFolder = entry.kind === 'directory'
    const node: FileNode = {
      path,
      entry,
      level,
      expanded: isFolder ? open.has(path) : null,
      position: index + 1,
      siblings: entries.length,
    }
    return node.expanded === true ? [node, ...nodesOf(known, open, path, level + 1)] : [node]
  })
}

const joinPath = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`)

/** Returns every folder on the way to a path; these must be open for the path to be visible. */
export function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}
