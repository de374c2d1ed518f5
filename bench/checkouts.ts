import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { systemClock } from '../src/kernel/clock.ts'
import { noLog } from '../src/kernel/log.ts'
import { createGit } from '../src/repositories/git.ts'
import { createMirrors } from '../src/repositories/mirrors.ts'
import { createDirectoryWorkspaces } from '../src/workspaces/directory.ts'
import type { Workspaces } from '../src/workspaces/port.ts'
import { setupDirectory } from '../src/workspaces/setup/setups.ts'
import { freshFolder } from './daemon-process.ts'
import { atMost, type Benchmark, median, skipped, withoutTarget } from './figures.ts'

const author = { name: 'Agency', email: 'agency@localhost' }
const name = 'fresh checkout with warm setup / npm ci --offline'

/** A small package with some dependencies; esbuild has an install script, which runs in every checkout. */
const dependencies = { chalk: '4.1.2', commander: '12.0.0', semver: '7.6.0', yaml: '2.4.1', zod: '3.23.8' }
const withScripts = { ...dependencies, esbuild: '0.21.5' }

/** Time that a fresh checkout adds to a check, compared with an installation from a warm cache. */
export const checkouts: Benchmark = {
  name: 'checkouts',
  run: async ({ quick, log }) => {
    const folder = freshFolder()
    // The timers of the clock alone would let this process exit.
    const alive = setInterval(() => {}, 60_000)
    try {
      const plain = await measure(join(folder, 'plain'), dependencies, quick ? 3 : 11)
      if ('whyNot' in plain) return [skipped(name, '×', '≤ 1', plain.whyNot)]
      const scripts = await measure(join(folder, 'scripts'), withScripts, quick ? 3 : 11)
      return [
        atMost(name, plain.ratio, 1, '×', describe(plain, log)),
        ...('whyNot' in scripts
          ? []
          : [withoutTarget(`${name}, with an install script`, scripts.ratio, '×', describe(scripts, log))]),
      ]
    } finally {
      clearInterval(alive)
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

interface Measured {
  readonly ratio: number
  readonly added: number
  readonly installed: number
  readonly firstMs: number
}

function describe({ added, installed, firstMs }: Measured, log: (line: string) => void): string {
  log(`first setup ${firstMs.toFixed(0)} ms, then ${added.toFixed(0)} ms; npm ci --offline ${installed.toFixed(0)} ms`)
  return `${added.toFixed(0)} ms beside ${installed.toFixed(0)} ms`
}

async function measure(
  folder: string,
  packages: Record<string, string>,
  rounds: number,
): Promise<Measured | { whyNot: string }> {
  const source = join(folder, 'source')
  const cache = join(folder, 'cache')
  mkdirSync(source, { recursive: true })
  writeFileSync(
    join(source, 'package.json'),
    JSON.stringify({ name: 'small', version: '1.0.0', dependencies: packages }),
  )
  writeFileSync(join(source, '.gitignore'), 'node_modules\n')
  const locked = npm(source, cache, 'install', '--ignore-scripts', '--omit-lockfile-registry-resolved=false')
  if (locked !== null) return { whyNot: `the packages cannot be downloaded: ${locked}` }
  makeRepository(source)
  const root = join(folder, 'workspaces')
  const { check, firstMs } = await openCheckouts(folder, source, root)
  const copy = join(folder, 'installed')
  cpSync(source, copy, { recursive: true, filter: (path) => !path.includes('node_modules') })
  const ours: number[] = []
  const installed: number[] = []
  let failure: string | null = null
  // In turns, so that other load on the machine affects both.
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await timed(() => check(`att_${round}`)))
    rmSync(join(copy, 'node_modules'), { recursive: true, force: true })
    installed.push(await timed(() => (failure ??= npm(copy, cache, 'ci', '--offline'))))
  }
  if (failure !== null) return { whyNot: `npm ci --offline: ${failure}` }
  if (!existsSync(join(root, setupDirectory))) throw new Error('no setup was kept')
  return { ratio: median(ours) / median(installed), added: median(ours), installed: median(installed), firstMs }
}

/** Makes the first checkout, which downloads; `check` makes and removes another one, which is ready for a check. */
async function openCheckouts(folder: string, source: string, root: string) {
  const mirrors = createMirrors({ root: join(folder, 'mirrors'), git: createGit({ clock: systemClock }), log: noLog })
  const { path: mirror, commit } = await mirrors.refresh(source)
  const workspaces: Workspaces = createDirectoryWorkspaces({
    root,
    materialise: (clone, path, options) => mirrors.clone({ ...clone, author }, path, options),
    setup: { treeOf: mirrors.tree },
  })
  const check = async (id: string, expected = 'snapshot'): Promise<void> => {
    const request = { id, runId: 'run_1', source: { kind: 'commit', mirror, branch: 'main', commit } } as const
    const checkout = await workspaces.checkout(request)
    const setup = await checkout.setUp()
    if (setup?.outcome !== 'ready' || setup.from !== expected)
      throw new Error(`the setup was ${setup?.outcome} from ${setup?.from}: ${setup?.detail}`)
    await checkout.remove()
  }
  return { check, firstMs: await timed(() => check('att_first', 'network')) }
}

function makeRepository(path: string): void {
  const identity = ['-c', `user.name=${author.name}`, '-c', `user.email=${author.email}`]
  for (const args of [
    ['init', '--quiet', '--initial-branch=main'],
    ['add', '--all'],
    [...identity, 'commit', '-qm', 'all'],
  ])
    if (spawnSync('git', args, { cwd: path }).status !== 0) throw new Error(`git ${args.join(' ')} failed`)
}

/** Runs npm with the cache; returns the error, or null. */
function npm(cwd: string, cache: string, ...args: string[]): string | null {
  const { status, stderr } = spawnSync('npm', [...args, '--no-audit', '--no-fund', `--cache=${cache}`], {
    cwd,
    encoding: 'utf8',
  })
  return status === 0 ? null : (stderr.split('\n').find((line) => line.startsWith('npm error')) ?? `exit ${status}`)
}

async function timed(work: () => unknown): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}
