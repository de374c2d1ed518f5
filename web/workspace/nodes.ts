import type { FileEntry } from '../../src/work/mission-workspaces/contract.ts'
import type { TreeItem } from '../parts/use-tree.ts'

export interface FileNode extends TreeItem {
  /** From the workspace on, without a slash at either end. */
  readonly path: string
  readonly entry: FileEntry
}

/** What of the tree can be seen: the entries of every open folder, as far as they are known. */
export function nodesOf(
  known: ReadonlyMap<string, readonly FileEntry[]>,
  open: ReadonlySet<string>,
  folder = '',
  level = 1,
): FileNode[] {
  const entries = known.get(folder) ?? []
  return entries.flatMap((entry, index) => {
    const path = joined(folder, entry.name)
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

const joined = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`)

/** Every folder on the way to a path, so that it can be seen. */
export function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}
