import { createHash } from 'node:crypto'

import type { ChangedFile } from '../../../src/work/pull-requests/contract.ts'

/** The files of a commit: text by path. */
export type Tree = ReadonlyMap<string, string>

export interface Commit {
  readonly id: string
  readonly tree: Tree
  readonly treeId: string
  readonly parents: readonly string[]
  readonly message: string
}

/** All commits of a world. Each repository lists those that it has. */
export interface Objects {
  add(commit: { tree: Tree; parents: readonly string[]; message: string; at: string }): string
  get(id: string): Commit
  /** Returns the commit and all that it descends from. */
  history(id: string): ReadonlySet<string>
  isAncestor(ancestor: string, commit: string): boolean
  changes(from: string, to: string): ChangedFile[]
  /** Merges file by file; a file that both sides changed differently is in conflict. */
  merge(ours: string, theirs: string): Merge
}

export interface Merge {
  /** The merged files; in conflicts those of `ours`. */
  readonly tree: Tree
  readonly conflicts: readonly string[]
}

export function createObjects(): Objects {
  const commits = new Map<string, Commit>()
  const histories = new Map<string, ReadonlySet<string>>()

  const get = (id: string): Commit => {
    const commit = commits.get(id)
    if (commit === undefined) throw new Error(`there is no commit ${id}`)
    return commit
  }
  const history = (id: string): ReadonlySet<string> => {
    const known = histories.get(id)
    if (known !== undefined) return known
    const all = new Set([id])
    for (const parent of get(id).parents) for (const each of history(parent)) all.add(each)
    histories.set(id, all)
    return all
  }
  const isAncestor = (ancestor: string, commit: string): boolean => history(commit).has(ancestor)

  /** Returns the newest common ancestors. */
  function basesOf(ours: string, theirs: string): string[] {
    const common = [...history(ours)].filter((id) => history(theirs).has(id))
    return common.filter((id) => !common.some((other) => other !== id && isAncestor(id, other)))
  }

  /** Returns the tree that both sides began with; several newest ancestors are merged with each other, as git does. */
  function baseTree(bases: readonly string[]): Tree {
    const [first, ...others] = bases
    if (first === undefined) return new Map()
    let tree = get(first).tree
    for (const other of others) tree = mergeTrees(baseTree(basesOf(first, other)), tree, get(other).tree).tree
    return tree
  }

  return {
    add: ({ tree, parents, message, at }) => {
      const treeId = idOf([...tree].toSorted(([a], [b]) => (a < b ? -1 : 1)))
      const id = idOf([treeId, parents, message, at])
      commits.set(id, { id, tree: new Map(tree), treeId, parents, message })
      return id
    },
    get,
    history,
    isAncestor,
    changes: (from, to) => changesBetween(get(from).tree, get(to).tree),
    merge: (ours, theirs) => mergeTrees(baseTree(basesOf(ours, theirs)), get(ours).tree, get(theirs).tree),
  }
}

const idOf = (content: unknown): string => createHash('sha1').update(JSON.stringify(content)).digest('hex')

function mergeTrees(base: Tree, ours: Tree, theirs: Tree): Merge {
  const tree = new Map<string, string>()
  const conflicts: string[] = []
  for (const path of new Set([...ours.keys(), ...theirs.keys()])) {
    const [was, mine, other] = [base.get(path), ours.get(path), theirs.get(path)]
    const isConflict = mine !== other && mine !== was && other !== was
    if (isConflict) conflicts.push(path)
    const merged = mine === was ? other : mine
    if (merged !== undefined) tree.set(path, merged)
  }
  return { tree, conflicts: conflicts.toSorted() }
}

export function changesBetween(from: Tree, to: Tree): ChangedFile[] {
  const paths = [...new Set([...from.keys(), ...to.keys()])].toSorted()
  return paths.flatMap((path): ChangedFile[] => {
    const [before, after] = [from.get(path), to.get(path)]
    if (before === after) return []
    const status = before === undefined ? 'added' : after === undefined ? 'deleted' : 'modified'
    return [{ path, status, added: linesOf(after), removed: linesOf(before), binary: false }]
  })
}

const linesOf = (text: string | undefined): number => (text === undefined ? 0 : text.split('\n').length - 1)
