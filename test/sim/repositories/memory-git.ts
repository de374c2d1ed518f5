import type { Clock } from '../../../src/kernel/clock.ts'
import { refusal } from '../../../src/kernel/errors.ts'
import type { Answered, MemoryGit, MemoryPlace } from '../../../src/workspaces/memory.ts'
import { agencyDirectory } from '../../../src/workspaces/path.ts'
import type { CloneRequest } from '../../../src/workspaces/port.ts'
import { createObjects, type Objects, type Tree } from './objects.ts'

/** A repository: its commits and where its refs point. */
export interface MemoryRepository {
  readonly path: string
  readonly commits: Set<string>
  readonly refs: Map<string, string>
}

/** A repository of the operator, which is checked out on `main`. */
export interface OperatorRepository extends MemoryRepository {
  /** It has uncommitted changes: nothing lands meanwhile. */
  isDirty: boolean
  /** Another git holds a lock in it. */
  isLocked: boolean
}

/** Git without a disk: repositories of the operator, mirrors of them, and clones in workspaces. */
export interface GitInMemory extends MemoryGit {
  readonly objects: Objects
  readonly operators: ReadonlyMap<string, OperatorRepository>
  readonly mirrors: ReadonlyMap<string, MemoryRepository>
  /** Creates a repository of the operator with a first commit on `main`. */
  begin(path: string, files: Tree): OperatorRepository
  operatorAt(path: string): OperatorRepository
  mirrorAt(path: string): MemoryRepository
  /** Copies the operator's branches into the mirror, as `refs/source/*`. */
  refresh(path: string): MemoryRepository
  /** Commits files on a branch of the operator's repository. */
  commit(path: string, files: Tree, message: string): string
  /** Commits what an agent left in its clone; resolves to the clone's HEAD. */
  commitClone(place: MemoryPlace, message: string): string | null
  readonly clock: Clock
}

const headFile = '.git/HEAD'
export const main = 'refs/heads/main'

export function createMemoryGit(clock: Clock): GitInMemory {
  const objects = createObjects()
  const operators = new Map<string, OperatorRepository>()
  const mirrors = new Map<string, MemoryRepository>()

  const git: GitInMemory = {
    objects,
    operators,
    mirrors,
    clock,
    begin: (path, files) => {
      const repository = { path, commits: new Set<string>(), refs: new Map(), isDirty: false, isLocked: false }
      operators.set(path, repository)
      const id = objects.add({ tree: files, parents: [], message: 'Begin', at: clock.at() })
      repository.commits.add(id)
      repository.refs.set(main, id)
      return repository
    },
    operatorAt: (path) => {
      const found = operators.get(path)
      if (found === undefined) throw refusal('not_found', `the directory ${path} does not exist`)
      return found
    },
    mirrorAt: (path) => {
      const found = mirrors.get(path)
      if (found === undefined) throw new Error(`there is no mirror ${path}`)
      return found
    },
    refresh: (path) => {
      const { commits, refs } = git.operatorAt(path)
      const mirrorPath = `memory:mirror/${path.replace(/^memory:/, '')}`
      const mirror = mirrors.get(mirrorPath) ?? { path: mirrorPath, commits: new Set(), refs: new Map() }
      mirrors.set(mirrorPath, mirror)
      for (const commit of commits) mirror.commits.add(commit)
      for (const [ref, commit] of refs) mirror.refs.set(ref.replace(/^refs\/heads\//, 'refs/source/'), commit)
      return mirror
    },
    commit: (path, files, message) => {
      const { refs, commits } = git.operatorAt(path)
      const head = refs.get(main) as string
      const tree = new Map([...objects.get(head).tree, ...files])
      const id = objects.add({ tree, parents: [head], message, at: clock.at() })
      commits.add(id)
      refs.set(main, id)
      return id
    },
    materialise: (clone, place, { over, paths }) => {
      const { files } = place
      // A directory with a repository is a clone already, and belongs to its agent.
      if (files.has(headFile)) return
      const wanted = objects.get(commitOf(git, clone)).tree
      if (over !== undefined) for (const name of objects.get(over).tree.keys()) files.delete(name)
      const isWanted = (name: string): boolean =>
        paths?.some((path) => name === path || name.startsWith(`${path.replace(/\/$/, '')}/`)) ?? true
      // Files without a repository are the work of an agent whose repository was lost.
      const isEmpty = [...files.keys()].every((name) => name.startsWith(`${agencyDirectory}/`))
      if (over !== undefined || isEmpty) for (const [name, text] of wanted) if (isWanted(name)) files.set(name, text)
      files.set(headFile, clone.start)
    },
    commitClone: ({ files }, message) => {
      const head = files.get(headFile)
      if (head === undefined) return null
      const tree = stagedFiles(files, objects.get(head).tree)
      if (isSame(tree, objects.get(head).tree)) return head
      const id = objects.add({ tree, parents: [head], message, at: clock.at() })
      files.set(headFile, id)
      return id
    },
    run: (command, place) => runGit(git, command, place),
  }
  return git
}

/** Returns the commit that a clone begins with; a mirror without it cannot be cloned. */
function commitOf(git: GitInMemory, { mirror, start }: CloneRequest): string {
  if (!git.mirrorAt(mirror).commits.has(start)) throw new Error(`${mirror} has no commit ${start}`)
  return start
}

export const commitAll = 'git add -A && git commit -q -m work'
export const mergeCommit = (commit: string): string => `${commitAll}; git merge -q -X ours -m joined ${commit}`

export const removeGit = 'rm -rf .git'

/** Plays the commands that agents use, as the real ones in a clone would. */
function runGit(git: GitInMemory, command: string, place: MemoryPlace): Answered | null {
  if (command === removeGit) return done(place.files.delete(headFile))
  if (command === commitAll) return done(git.commitClone(place, 'work') !== null)
  const merged = /^git add -A && git commit -q -m work; git merge -q -X ours -m joined ([0-9a-f]{40})$/.exec(command)
  if (merged === null) return null
  const ours = git.commitClone(place, 'work')
  const theirs = merged[1] as string
  const isKnown = [...git.mirrors.values()].some(({ commits }) => commits.has(theirs))
  if (ours === null || !isKnown) return done(false)
  const { objects, clock } = git
  if (objects.isAncestor(theirs, ours)) return done(true)
  const { tree } = objects.merge(ours, theirs)
  const isForward = objects.isAncestor(ours, theirs)
  const id = isForward ? theirs : objects.add({ tree, parents: [ours, theirs], message: 'joined', at: clock.at() })
  for (const name of objects.get(ours).tree.keys()) place.files.delete(name)
  for (const [name, text] of objects.get(id).tree) place.files.set(name, text)
  place.files.set(headFile, id)
  return done(true)
}

const done = (isGood: boolean): Answered => ({ exitCode: isGood ? 0 : 1, output: '' })

/** Returns the files that `git add --all` stages: tracked ones as they are now, and new ones that are not ignored. */
function stagedFiles(files: Tree, tracked: Tree): Map<string, string> {
  const ignored = (files.get('.gitignore') ?? '').split('\n').filter((line) => line !== '')
  return new Map(
    [...files].filter(
      ([name]) =>
        !name.startsWith('.git/') &&
        !name.startsWith(`${agencyDirectory}/`) &&
        (tracked.has(name) || !ignored.some((pattern) => matches(pattern, name))),
    ),
  )
}

/** Knows three forms of patterns: `name`, `*.ending` and `folder/`. */
function matches(pattern: string, name: string): boolean {
  if (pattern.endsWith('/')) return name.startsWith(pattern) || name.includes(`/${pattern}`)
  if (pattern.startsWith('*')) return name.endsWith(pattern.slice(1))
  return name === pattern || name.endsWith(`/${pattern}`)
}

const isSame = (one: Tree, other: Tree): boolean =>
  one.size === other.size && [...one].every(([name, text]) => other.get(name) === text)
