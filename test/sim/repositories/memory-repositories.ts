import { AgencyError, bug, refusal } from '../../../src/kernel/errors.ts'
import { GitError } from '../../../src/repositories/git.ts'
import {
  type Collected,
  type FileChange,
  integrationBranch,
  type Landed,
  type MergedInto,
  type Repositories,
} from '../../../src/repositories/port.ts'
import type { RunRepository } from '../../../src/work/runs/contract.ts'
import type { MemoryPlace } from '../../../src/workspaces/memory.ts'
import type { Workspace } from '../../../src/workspaces/port.ts'
import { type GitInMemory, main, type MemoryRepository } from './memory-git.ts'
import { moveRefs } from './move-refs.ts'
import { lockedRepository } from '../simulated-errors.ts'
import { changesBetween, type Objects } from './objects.ts'

export interface MemoryRepositoriesParts {
  readonly git: GitInMemory
  readonly filesAt: (path: string) => Map<string, string> | undefined
  /** Passes between reading and writing: another process may act there, and its own may end. */
  readonly pause?: (operation: 'open' | 'collect' | 'keep' | 'merge' | 'land') => Promise<void>
}

/** Stands in for the engine's git: the same outcomes as the real one, on trees in memory. */
export function createMemoryRepositories(parts: MemoryRepositoriesParts): Repositories {
  const { git, filesAt, pause = async () => {} } = parts
  const { objects } = git

  const placeOf = ({ path }: Workspace): MemoryPlace => ({ path, files: filesAt(path) ?? new Map<string, string>() })
  const has = (repository: MemoryRepository, commit: string): boolean => repository.commits.has(commit)
  const admit = (mirror: MemoryRepository, commit: string): void => {
    for (const each of objects.history(commit)) mirror.commits.add(each)
  }

  /** Merges into every level, or into none; returns the files in conflict or the commits. */
  async function mergeInto(
    mirror: MemoryRepository,
    commit: string,
    levels: readonly (Pick<MergedInto, 'branch' | 'head'> & { message: string })[],
  ): Promise<{ conflicts: readonly string[] } | { commits: readonly string[] }> {
    const commits: string[] = []
    for (const { head, message } of levels) {
      const theirs = commits.at(-1) ?? commit
      for (const each of [head, theirs]) if (!has(mirror, each)) throw new Error(`the mirror has no commit ${each}`)
      if (objects.isAncestor(theirs, head)) {
        commits.push(head)
        continue
      }
      const { tree, conflicts } = objects.merge(head, theirs)
      if (conflicts.length > 0) return { conflicts }
      const id = objects.add({ tree, parents: [head, theirs], message, at: git.clock.at() })
      mirror.commits.add(id)
      commits.push(id)
    }
    for (;;) {
      const moves = levels.map(({ branch }, index) => ({
        ref: `refs/heads/${branch}`,
        from: mirror.refs.get(`refs/heads/${branch}`) ?? null,
        to: commits[index] as string,
      }))
      await pause('merge')
      if (moveRefs(mirror.refs, moves)) return { commits }
    }
  }

  /** Commits the files of a clone; `empty`: it is as it was at its start. */
  function takeWork(workspace: Workspace, start: string, message: string): Taken {
    const commit = git.commitClone(placeOf(workspace), message)
    if (commit === null) return { outcome: 'refused', why: 'the .git directory is missing' }
    if (commit === start) return { outcome: 'empty' }
    const why = 'history was rewritten: the work must descend from the commit at which it started'
    if (!objects.isAncestor(start, commit)) return { outcome: 'refused', why }
    return objects.changes(start, commit).length === 0 ? { outcome: 'empty' } : { outcome: 'taken', commit }
  }

  /** Lists the changes of a brief itself, without those of merged work of others. */
  function ownChanges(
    mirror: MemoryRepository,
    { from, to, others }: Parameters<Repositories['changes']>[1],
  ): FileChange[] {
    const merged = [...mirror.refs]
      .filter(([ref]) => others.refs.some((other) => ref === other || ref.startsWith(`${other.replace(/\/$/, '')}/`)))
      .map(([, head]) => head)
      .filter((head) => objects.isAncestor(head, to) && !objects.isAncestor(head, from))
    const ownIn = (head: string): Set<string> =>
      new Set(
        others.ownCommits
          .filter((commit) => commit !== to && objects.isAncestor(commit, head) && !objects.isAncestor(commit, from))
          .flatMap((commit) => ownChanges(mirror, { from, to: commit, others }))
          .flatMap(({ path, movedFrom = path }) => [path, movedFrom]),
      )
    const kept = merged.map((head) => ({ tree: objects.get(head).tree, own: ownIn(head) }))
    return fileChanges(objects, from, to).filter(({ path, movedFrom = path }) =>
      kept.every(({ tree, own }) =>
        [path, movedFrom].some((each) => own.has(each) || tree.get(each) !== objects.get(to).tree.get(each)),
      ),
    )
  }

  /** Refuses while the operator works in the repository; reports whether the result is new to it. */
  function readiness({ path, base }: RunRepository, commit: string): 'ready' | 'already' | 'moved' {
    const repository = git.operatorAt(path)
    const head = repository.refs.get(main) as string
    if (objects.isAncestor(commit, head)) return 'already'
    if (!objects.isAncestor(base, head))
      throw refusal('conflict', `main no longer contains ${base.slice(0, 12)}, with which the work began`)
    if (!objects.isAncestor(head, commit)) return 'moved'
    if (repository.isDirty) throw refusal('conflict', `${path} has uncommitted changes: README.md`)
    return 'ready'
  }

  async function land(repository: RunRepository, result: LandedResult): Promise<Landed> {
    const { path, mirror: mirrorPath } = repository
    const { runId, commit, message } = result
    const target = git.operatorAt(path)
    const mirror = git.mirrorAt(mirrorPath)
    const from = target.refs.get(main) as string
    const found = readiness(repository, commit)
    await pause('land')
    if (found === 'already') return { outcome: 'landed', commit, from: null }
    if (found === 'ready') {
      if (target.isLocked)
        throw refusal('conflict', `${path} could not be fast-forwarded: ${lockedRepository}`, { data: { busy: true } })
      if (!moveRefs(target.refs, [{ ref: main, from, to: commit }]))
        throw refusal('conflict', `${path} could not be fast-forwarded: not possible to fast-forward`)
      for (const each of objects.history(commit)) target.commits.add(each)
      return { outcome: 'landed', commit, from }
    }
    git.refresh(path)
    const moved = mirror.refs.get('refs/source/main') as string
    const merged = await mergeInto(mirror, moved, [{ branch: integrationBranch(runId), head: commit, message }])
    return 'conflicts' in merged
      ? { outcome: 'conflict', commit: moved, files: merged.conflicts }
      : { outcome: 'moved', commit: merged.commits[0] as string, target: moved }
  }

  return {
    locate: async (path) => git.operatorAt(path).path,
    inspect: async (path) => {
      const { path: top, refs, isDirty } = git.operatorAt(path)
      const commit = refs.get(main) as string
      return { path: top, bare: false, shallow: false, branch: 'main', commit, dirty: isDirty, warnings: [] }
    },
    revert: () => Promise.reject(bug('a simulated operator takes no result back')),
    open: async (path, branch = 'main') => {
      git.operatorAt(path)
      await pause('open')
      const mirror = git.refresh(path)
      const base = mirror.refs.get(`refs/source/${branch}`)
      if (base === undefined) throw refusal('not_found', `${path} has no branch "${branch}"`)
      return { path, mirror: mirror.path, branch, base, warnings: [] }
    },
    collect: async ({ repository, workspace, start, message, branch, scope, signal }): Promise<Collected> => {
      await pause('collect')
      signal?.throwIfAborted()
      const mirror = git.mirrorAt(repository.mirror)
      const taken = takeWork(workspace, start, message)
      if (taken.outcome !== 'taken') return taken
      const { commit } = taken
      const why = scope?.faultOf(ownChanges(mirror, { from: start, to: commit, others: scope.others })) ?? null
      if (why !== null) return { outcome: 'refused', why }
      const files = objects.changes(start, commit).filter(({ status }) => status !== 'deleted')
      admit(mirror, commit)
      mirror.refs.set(`refs/heads/${branch}`, commit)
      return { outcome: 'collected', commit, files: files.map(({ path }) => path) }
    },
    keep: async ({ repository, workspace, start, message, briefId }) => {
      await pause('keep')
      const mirror = git.mirrorAt(repository.mirror)
      const commit = git.commitClone(placeOf(workspace), message)
      if (commit === null) throw refusal('conflict', 'the content of the clone cannot be kept: it has no .git')
      const branches = [...mirror.refs].filter(([ref]) => ref.startsWith('refs/heads/'))
      const isOnBranch = branches.some(([, head]) => objects.isAncestor(commit, head))
      if (commit === start || isOnBranch) return null
      admit(mirror, commit)
      mirror.refs.set(`refs/agency/snapshots/${briefId}`, commit)
      return commit
    },
    merge: async ({ repository, runId, commit, into }) => {
      const levels = into.map(({ branch, head, title, briefId, workId = briefId }) => ({
        branch,
        head,
        message: `${title}\n\nAgency-Run: ${runId}\nAgency-Brief: ${briefId}\nAgency-Work: ${workId}\n`,
      }))
      const merged = await mergeInto(git.mirrorAt(repository.mirror), commit, levels)
      return 'conflicts' in merged
        ? { outcome: 'conflict', files: merged.conflicts }
        : { outcome: 'merged', commits: merged.commits }
    },
    tree: async (mirror, commit) => {
      if (!has(git.mirrorAt(mirror), commit)) throw new GitError(`git rev-parse: ${commit} is unknown`)
      return objects.get(commit).treeId
    },
    has: async (mirror, commit) => has(git.mirrorAt(mirror), commit),
    contains: async (mirror, commit, other) => {
      const repository = git.mirrorAt(mirror)
      return has(repository, commit) && has(repository, other) && objects.isAncestor(other, commit)
    },
    checkLanding: async (repository, { commit }) => void readiness(repository, commit),
    land: (repository, result) => asOutcome(() => land(repository, result)),
    files: async (_, from, to) => objects.changes(from, to),
    changes: async (mirror, work) => ownChanges(git.mirrorAt(mirror), work),
    // Agents of the simulation write text only.
    binaries: async () => [],
    text: async (_, commit, path) => objects.get(commit).tree.get(path) ?? null,
    paths: async (_, commit) => [...objects.get(commit).tree.keys()].sort(),
    compare: async (_, commit, workspace) => {
      const { files } = placeOf(workspace)
      return [...objects.get(commit).tree].filter(([path, text]) => files.get(path) !== text).map(([path]) => path)
    },
    replaceFiles: async (mirror, commit, files) => {
      const { tree, parents, message } = objects.get(commit)
      const replaced = new Map(tree)
      for (const { path, as } of files) {
        const text = as === null ? undefined : 'text' in as ? as.text : objects.get(as.commit).tree.get(path)
        if (text === undefined) replaced.delete(path)
        else replaced.set(path, text)
      }
      const id = objects.add({ tree: replaced, parents, message, at: '' })
      git.mirrorAt(mirror).commits.add(id)
      return id
    },
    diff: async (_, from, to, { path, maxBytes }) => {
      const changed = changesBetween(objects.get(from).tree, objects.get(to).tree)
      const text = changed
        .filter((each) => path === undefined || each.path === path)
        .map((each) => `${each.status} ${each.path}\n`)
        .join('')
      return { text: text.slice(0, maxBytes), cut: text.length > maxBytes }
    },
  }
}

/** Lists the changes between two commits; a file that is gone and back elsewhere with the same text was moved. */
function fileChanges(objects: Objects, from: string, to: string): FileChange[] {
  const [before, after] = [objects.get(from).tree, objects.get(to).tree]
  const changed = changesBetween(before, after)
  const gone = changed.filter(({ status }) => status === 'deleted').map(({ path }) => path)
  const moved = new Map<string, string>()
  for (const { path, status } of changed) {
    const source = gone.find((each) => before.get(each) === after.get(path) && ![...moved.values()].includes(each))
    if (status === 'added' && source !== undefined) moved.set(path, source)
  }
  return changed
    .filter(({ path }) => ![...moved.values()].includes(path))
    .map(({ path, status }) => {
      const movedFrom = moved.get(path)
      if (movedFrom !== undefined) return { path, status: 'moved', movedFrom, isLink: false }
      return { path, status: status === 'added' || status === 'deleted' ? status : 'changed', isLink: false }
    })
}

interface LandedResult {
  readonly runId: string
  readonly commit: string
  readonly message: string
}

type Taken =
  | { readonly outcome: 'taken'; readonly commit: string }
  | { readonly outcome: 'empty' }
  | { readonly outcome: 'refused'; readonly why: string }

/** Turns refusals into an outcome, as the real one does. */
async function asOutcome(work: () => Promise<Landed>): Promise<Landed> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AgencyError) || error.code === 'bug') throw error
    const outcome = error.data?.['busy'] === true ? 'busy' : 'refused'
    return { outcome, why: error.message, next: error.hint ?? 'agency approve' }
  }
}
