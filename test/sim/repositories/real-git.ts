import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { sleep, systemClock } from '../../../src/kernel/clock.ts'
import { engineAuthor } from '../../../src/repositories/author.ts'
import { createGit } from '../../../src/repositories/git.ts'
import { createMirrors } from '../../../src/repositories/mirrors.ts'
import type { Repositories } from '../../../src/repositories/port.ts'
import { createRepositories } from '../../../src/repositories/repositories.ts'
import { createDirectoryWorkspaces } from '../../../src/workspaces/directory.ts'
import type { Checkout, Workspace, Workspaces } from '../../../src/workspaces/port.ts'
import type { VirtualClock } from '../../support/virtual-clock.ts'
import { never } from '../never.ts'
import type { Random } from '../random.ts'
import { firstFiles, type GitProcess, type GitView, type SimGit, withFaults } from './git.ts'
import type { Tree } from './objects.ts'
import { drawGitRates } from './rates.ts'
import { checkoutsDirectory } from '../../../src/workspaces/checkout.ts'

/** Opens the real git, in memory if the machine has such a directory. Its calls take real time, and none of the world's. */
export function openRealGit(random: Random, clock: VirtualClock): SimGit {
  const shared = '/dev/shm'
  const root = realpathSync(mkdtempSync(join(existsSync(shared) ? shared : tmpdir(), 'agency-sim-')))
  const path = join(root, 'shop')
  const rates = { ...drawGitRates(random.about('rates')), repository: 1 }
  const operator = openOperator(path)
  let pending = 0
  let underWay = 0
  const counted = async <T>(work: () => Promise<T>): Promise<T> => {
    pending++
    try {
      return await work()
    } finally {
      pending--
    }
  }
  const wait = async (ms: number): Promise<void> => {
    underWay++
    await sleep(clock, ms)
    underWay--
  }
  // Commits have the times of the world; limits of processes are real.
  const git = createGit({ clock: { ...systemClock, nowMs: clock.nowMs, at: clock.at } })
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
  const mirrors = createMirrors({ root: join(root, 'mirrors'), git, log: silent })
  const repositories = createRepositories({ git, mirrors })
  const enter = (process: GitProcess): Repositories => {
    const slow = async (): Promise<void> => {
      if (process.isDead()) await never()
      if (process.isBusy() && process.random.chance(rates.slow)) await wait(process.random.pick([1, 3_000, 60_000]))
      if (process.isDead()) await never()
    }
    const land: Repositories['land'] = async (repository, result) => {
      const landed = await repositories.land(repository, result)
      operator.look(true)
      return landed
    }
    const entries = Object.entries({ ...repositories, land }).map(([name, work]) => [
      name,
      async (...args: never[]) => {
        await slow()
        return counted(() => (work as (...all: never[]) => Promise<unknown>)(...args))
      },
    ])
    return withFaults(Object.fromEntries(entries) as Repositories, process, rates, wait)
  }
  const directories = createDirectoryWorkspaces({
    root: join(root, 'workspaces'),
    materialise: (clone, into, options) => mirrors.clone({ ...clone, author: engineAuthor }, into, options),
  })
  return {
    rates,
    paths: [path],
    workspaces: countedWorkspaces(directories, counted),
    underWay: () => underWay,
    pending: () => pending,
    enter,
    operator: {
      commit: async (_, files) => operator.commit(files),
      setDirty: async (_, isDirty) => operator.setDirty(isDirty),
      setLocked: async (_, isLocked) => operator.setLocked(isLocked),
    },
    view: viewOf(operator, join(root, 'workspaces')),
    close: async () => rmSync(root, { recursive: true, force: true }),
  }
}

type Counted = <T>(work: () => Promise<T>) => Promise<T>

const countedWorkspaces = (workspaces: Workspaces, counted: Counted): Workspaces => ({
  prepare: (request) => counted(async () => countedFiles(await workspaces.prepare(request), counted)),
  open: (request) => counted(async () => countedFiles(await workspaces.open(request), counted)),
  lay: (request, files) => counted(() => workspaces.lay(request, files)),
  checkout: (request) =>
    counted(async () => {
      const checkout = await workspaces.checkout(request)
      const more = { setUp: () => counted(checkout.setUp), remove: () => counted(checkout.remove) }
      return { ...countedFiles(checkout, counted), ...more } as Checkout
    }),
  changedInCopy: (request) => counted(() => workspaces.changedInCopy(request)),
  source: (runId, from, path) => counted(() => workspaces.source(runId, from, path)),
  removeCheckouts: (keep) => counted(() => workspaces.removeCheckouts(keep)),
  remove: (request, before) => counted(() => workspaces.remove(request, before)),
})

const countedFiles = <Place extends Workspace>(place: Place, counted: Counted): Place => ({
  ...place,
  read: (name, maxBytes) => counted(() => place.read(name, maxBytes)),
  // A check that writes into everything that it lists meets directories.
  write: (name, text) => counted(() => place.write(name, text).catch(ignoreDirectory)),
  run: (command, limits) => counted(() => place.run(command, limits)),
})

function ignoreDirectory(error: unknown): void {
  if (!/EISDIR|directory/.test(String(error))) throw error
}

/** The operator's repository, and the commits of its main by their origin. */
function openOperator(path: string) {
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@localhost', ...args], {
      cwd: path,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '', HOME: path, GIT_CONFIG_NOSYSTEM: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim()
  const mains: { commit: string; isLanding: boolean }[] = []
  const lock = join(path, '.git', 'refs', 'heads', 'main.lock')
  const look = (isLanding: boolean): void => {
    const commit = git('rev-parse', 'main')
    if (mains.at(-1)?.commit !== commit) mains.push({ commit, isLanding })
  }
  const commit = (files: Tree): void => {
    if (existsSync(lock)) return
    // A landing whose daemon died before it was noticed.
    look(true)
    for (const [name, text] of files) writeFileSync(join(path, name), text)
    git('add', '--', ...files.keys())
    git('commit', '--quiet', '-m', 'By the operator', '--', ...files.keys())
    look(false)
  }
  mkdirSync(path)
  git('init', '--quiet', '--initial-branch=main')
  for (const [name, text] of firstFiles) writeFileSync(join(path, name), text)
  git('add', '-A')
  git('commit', '--quiet', '-m', 'Begin')
  look(false)
  return {
    git,
    look,
    commit,
    mains: () => {
      look(true)
      return mains
    },
    setDirty: (isDirty: boolean) => {
      if (isDirty) writeFileSync(join(path, 'README.md'), 'not committed\n')
      else writeFileSync(join(path, 'README.md'), `${git('show', 'HEAD:README.md')}\n`)
    },
    setLocked: (isLocked: boolean) => {
      if (isLocked) writeFileSync(lock, '')
      else rmSync(lock, { force: true })
    },
  }
}

function viewOf(operator: ReturnType<typeof openOperator>, workspaces: string): GitView {
  const at = (mirror: string, ...args: string[]): string => operator.git(`--git-dir=${mirror}`, ...args)
  const attempt = (work: () => string): string | null => {
    try {
      return work()
    } catch {
      return null
    }
  }
  const below = (folder: string): string[] =>
    existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []
  return {
    main: async () => operator.git('rev-parse', 'main'),
    mains: async () => operator.mains().map(({ commit }) => commit),
    landings: async () =>
      operator
        .mains()
        .filter(({ isLanding }) => isLanding)
        .map(({ commit }) => commit),
    branch: async (mirror, name) => attempt(() => at(mirror, 'rev-parse', '--quiet', '--verify', `refs/heads/${name}`)),
    parents: async (mirror, commit) => at(mirror, 'log', '-1', '--format=%P', commit).split(' ').filter(Boolean),
    isAncestor: async (mirror, ancestor, commit) => {
      const isIn = (run: (...args: string[]) => string): boolean =>
        attempt(() => run('merge-base', '--is-ancestor', ancestor, commit)) !== null
      return isIn((...args) => at(mirror, ...args)) || isIn(operator.git)
    },
    tree: async (mirror, commit) => {
      const names = at(mirror, 'ls-tree', '-r', '-z', '--name-only', commit).split('\0').filter(Boolean)
      return new Map(names.map((name) => [name, at(mirror, 'show', `${commit}:${name}`)]))
    },
    left: async (runIds) => [
      ...below(join(workspaces, checkoutsDirectory)),
      ...below(workspaces)
        .filter((folder) => runIds.has(folder.slice(dirname(folder).length + 1)))
        .flatMap(below),
    ],
  }
}
