import { sleep } from '../../../src/kernel/clock.ts'
import { GitError } from '../../../src/repositories/git.ts'
import type { Repositories } from '../../../src/repositories/port.ts'
import { createMemoryWorkspaces } from '../../../src/workspaces/memory.ts'
import type { Workspaces } from '../../../src/workspaces/port.ts'
import type { VirtualClock } from '../../support/virtual-clock.ts'
import { never } from '../never.ts'
import type { Random } from '../random.ts'
import { gitFault } from '../simulated-errors.ts'
import { areClaimsSettled, checkClaims, listed, listFiles } from './commands.ts'
import { createMemoryGit, type GitInMemory, main } from './memory-git.ts'
import { createMemoryRepositories } from './memory-repositories.ts'
import type { Tree } from './objects.ts'
import { drawGitRates, type GitRates } from './rates.ts'

/** Git as a world has it: repositories of the operator, mirrors, clones and checkouts. */
export interface SimGit {
  readonly rates: GitRates
  /** The repositories of the operator. */
  readonly paths: readonly string[]
  readonly workspaces: Workspaces
  /** Operations that are under way in virtual time. */
  underWay(): number
  /** Calls of the real git that have not returned. */
  pending(): number
  /** Opens git for a process of the daemon; git may outlive it for one operation. */
  enter(process: GitProcess): Repositories
  readonly operator: OperatorGit
  readonly view: GitView
  close(): Promise<void>
}

export interface GitProcess {
  readonly random: Random
  isDead(): boolean
  /** Faults and delays occur. */
  isBusy(): boolean
  /** Counts a fault. */
  fault(kind: string): void
  /** Called while git merges the work of a brief. */
  onMerge(briefId: string): void
}

/** The operator's acts in a repository. */
export interface OperatorGit {
  commit(path: string, files: Tree): Promise<void>
  setDirty(path: string, isDirty: boolean): Promise<void>
  setLocked(path: string, isLocked: boolean): Promise<void>
}

/** Git for checks that bypass the product. */
export interface GitView {
  /** Returns the commit of the operator's main. */
  main(path: string): Promise<string>
  /** Returns the commits that main ever pointed to, in order. */
  mains(path: string): Promise<readonly string[]>
  /** Returns the commits that main was moved to by Agency, in order. */
  landings(path: string): Promise<readonly string[]>
  branch(mirror: string, name: string): Promise<string | null>
  parents(mirror: string, commit: string): Promise<readonly string[]>
  isAncestor(mirror: string, ancestor: string, commit: string): Promise<boolean>
  tree(mirror: string, commit: string): Promise<Tree>
  /** Returns the clones and checkouts of runs that still exist. */
  left(runIds: ReadonlySet<string>): Promise<readonly string[]>
}

export const firstIgnored = '*.log\nbuild/\n'

export const firstFiles: Tree = new Map([
  ['README.md', 'A shop.\n'],
  ['shared.md', 'nothing yet\n'],
  ['.gitignore', firstIgnored],
])

/** Opens a git without a disk. */
export function openMemoryGit(random: Random, clock: VirtualClock): SimGit {
  const git = createMemoryGit(clock)
  const rates = drawGitRates(random.about('rates'))
  const paths = random.chance(0.25) ? ['memory:shop', 'memory:site'] : ['memory:shop']
  const mains = new Map<string, string[]>()
  for (const path of paths) mains.set(path, watchMain(git.begin(path, firstFiles).refs))
  const workspaces = createMemoryWorkspaces({ git })
  // Runs without a repository.
  workspaces.answer('look', (files) => ({ exitCode: files.size > 0 ? 0 : 1, output: [...files.keys()].join('\n') }))
  workspaces.answer(listFiles, (files) => ({ exitCode: 0, output: `${listed(files.keys()).join('\n')}\n` }))
  workspaces.answer(checkClaims, (files) => ({ exitCode: areClaimsSettled(listed(files.keys())) ? 0 : 1, output: '' }))
  const own = new Set([...mains.values()].flat())
  let underWay = 0
  const wait = async (ms: number): Promise<void> => {
    underWay++
    await sleep(clock, ms)
    underWay--
  }

  const enter = (process: GitProcess): Repositories => {
    const races = process.random.about('races')
    const pause = async (operation: string): Promise<void> => {
      if (process.isDead()) await never()
      if (operation === 'land' && process.isBusy() && races.chance(rates.race)) {
        process.fault('main moves during a landing')
        for (const path of paths) own.add(git.commit(path, new Map([[`race-${own.size}.md`, 'meanwhile\n']]), 'Race'))
      }
      if (!process.isBusy() || !process.random.chance(rates.slow)) return
      const ms = process.random.pick([1, 100, 3_000, 20_000, 60_000])
      await wait(ms)
      // A git whose daemon was killed goes on for a moment, unless it was killed too.
      if (process.isDead() && (ms > 3_000 || process.random.chance(0.5))) await never()
    }
    return withFaults(createMemoryRepositories({ git, filesAt: workspaces.filesAt, pause }), process, rates, wait)
  }
  return {
    rates,
    paths,
    workspaces,
    underWay: () => underWay,
    pending: () => 0,
    enter,
    operator: {
      commit: async (path, files) => void own.add(git.commit(path, files, 'By the operator')),
      setDirty: async (path, isDirty) => void (git.operatorAt(path).isDirty = isDirty),
      setLocked: async (path, isLocked) => void (git.operatorAt(path).isLocked = isLocked),
    },
    view: viewOf(git, mains, own, workspaces.list),
    close: async () => {},
  }
}

/** Records every commit that main points to. */
function watchMain(refs: Map<string, string>): string[] {
  const seen = [refs.get(main) as string]
  const set = refs.set.bind(refs)
  refs.set = (ref, commit) => {
    if (ref === main) seen.push(commit)
    return set(ref, commit)
  }
  return seen
}

const viewOf = (
  git: GitInMemory,
  mains: ReadonlyMap<string, string[]>,
  own: ReadonlySet<string>,
  list: () => string[],
): GitView => ({
  landings: async (path) => (mains.get(path) ?? []).filter((commit) => !own.has(commit)),
  main: async (path) => git.operatorAt(path).refs.get(main) as string,
  mains: async (path) => mains.get(path) ?? [],
  branch: async (mirror, name) => git.mirrorAt(mirror).refs.get(`refs/heads/${name}`) ?? null,
  parents: async (_, commit) => git.objects.get(commit).parents,
  isAncestor: async (_, ancestor, commit) => git.objects.isAncestor(ancestor, commit),
  tree: async (_, commit) => git.objects.get(commit).tree,
  left: async (runIds) => list().filter((path) => isOf(path, runIds)),
})

const isOf = (path: string, runIds: ReadonlySet<string>): boolean =>
  path.startsWith('memory:checkouts/') || runIds.has(path.slice('memory:'.length).split('/')[0] as string)

/** Lets operations fail before or after their effect, and cancels briefs while they are merged. */
export function withFaults(
  repositories: Repositories,
  process: GitProcess,
  rates: GitRates,
  wait: (ms: number) => Promise<void>,
): Repositories {
  const faulty =
    <Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const fate =
        process.isBusy() && process.random.chance(rates.fault) ? process.random.pick(['before', 'after']) : null
      if (fate === 'before') throw failed(process)
      const result = await work(...args)
      if (fate === 'after') throw failed(process)
      return result
    }
  return {
    ...repositories,
    open: faulty(repositories.open),
    collect: faulty(repositories.collect),
    merge: faulty(async (merged) => {
      const last = merged.into[0]
      if (process.isBusy() && last !== undefined && process.random.chance(rates.cancelMerging)) {
        process.onMerge(last.workId ?? last.briefId)
        await wait(1_000)
      }
      return repositories.merge(merged)
    }),
    tree: faulty(repositories.tree),
    land: faulty(repositories.land),
  }
}

function failed({ fault }: GitProcess): GitError {
  fault('git fails')
  return new GitError(gitFault)
}
