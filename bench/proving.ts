import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { CreateRun } from '../src/work/runs/contract.ts'
import { detectBox } from '../src/workspaces/box/detect.ts'
import { writePrograms } from '../test/liars/programs.ts'
import { openWorld, type World } from '../test/liars/world.ts'
import { operator } from '../test/support/work.ts'
import { freshFolder } from './daemon-process.ts'
import { atMost, type Benchmark, median, skipped } from './figures.ts'

const names = {
  added: 'seconds that proving adds, warm / npm ci --offline',
  whole: 'examination of a check of 10 s / the check alone',
} as const

/** The packages of an ordinary project: with those that they need about 240. */
const devDependencies = {
  eslint: '9.9.0',
  express: '4.19.2',
  prettier: '3.3.3',
  typescript: '5.5.4',
  webpack: '5.94.0',
}

/** The check loads packages, which is all that a short one does, and then calculates. */
const check = `import { createHash } from 'node:crypto'
await Promise.all(['eslint', 'typescript'].map((name) => import(name)))
let text = ''
for (let round = 0; round < Number(process.argv[2]) * 1e5; round++) text = createHash('sha256').update(text).digest('hex')
`
const secondsOfLongCheck = 10

/**
 * Time from the end of an agent to the result of its examination, by the daemon itself with real git and boxes: the work
 * is collected, checked out, set up from a snapshot and checked. It is compared with the same command alone and with an
 * installation from a warm cache, in turns.
 */
export const proving: Benchmark = {
  name: 'proving',
  run: async ({ quick, log }) => {
    const folder = freshFolder()
    const { ok: boxed } = await detectBox({ directory: folder })
    const project = join(folder, 'project')
    const cache = join(folder, 'cache')
    const world = await openWorld({ boxed, slots: 1, keep: false })
    try {
      // With the programs that the world has chosen.
      const whyNot = makeProject(project, cache)
      if (whyNot !== null)
        return Object.values(names).map((name) => skipped(name, '×', null, `packages cannot be downloaded: ${whyNot}`))
      const examine = createExaminations(world, project)
      const installed = join(folder, 'installed')
      cpSync(project, installed, { recursive: true })
      const install = (): void => {
        rmSync(join(installed, 'node_modules'), { recursive: true, force: true })
        const failure = npm(installed, cache, 'ci', '--offline')
        if (failure !== null) throw new Error(`npm ci --offline: ${failure}`)
      }
      install()
      const plainly = (work: number) => timed(() => run(installed, process.execPath, ['check.mjs', String(work)]))
      const first = await examine(0)
      log(`the first examination, with a download: ${text(first)}${boxed ? '' : '; without a box'}`)
      const short = { examined: [] as number[], plain: [] as number[], installed: [] as number[] }
      for (let round = 0; round < (quick ? 2 : 7); round += 1) {
        short.examined.push(await examine(0))
        short.plain.push(plainly(0))
        short.installed.push(timed(install))
      }
      const added = median(short.examined) - median(short.plain)
      log(
        `a short check: examined in ${text(median(short.examined))}, alone ${text(median(short.plain))}; npm ci --offline ${text(median(short.installed))}`,
      )
      const work = workFor(secondsOfLongCheck, plainly)
      const long = { examined: [] as number[], plain: [] as number[] }
      for (let round = 0; round < (quick ? 1 : 3); round += 1) {
        long.plain.push(plainly(work))
        long.examined.push(await examine(work))
      }
      log(`a long check: examined in ${text(median(long.examined))}, alone ${text(median(long.plain))}`)
      return [
        atMost(
          names.added,
          added / median(short.installed),
          0.5,
          '×',
          `${text(added)} beside ${text(median(short.installed))}`,
        ),
        atMost(
          names.whole,
          median(long.examined) / median(long.plain),
          1.5,
          '×',
          `${text(median(long.examined))} beside ${text(median(long.plain))}`,
        ),
      ]
    } finally {
      await world.close()
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

const text = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`

/** Returns the reason why the project could not be made, or null. */
function makeProject(path: string, cache: string): string | null {
  mkdirSync(path, { recursive: true })
  writeFileSync(
    join(path, 'package.json'),
    JSON.stringify({ name: 'project', version: '1.0.0', type: 'module', devDependencies }),
  )
  writeFileSync(join(path, 'check.mjs'), check)
  writeFileSync(join(path, '.gitignore'), 'node_modules\n')
  const failure = npm(path, cache, 'install', '--ignore-scripts', '--omit-lockfile-registry-resolved=false')
  rmSync(join(path, 'node_modules'), { recursive: true, force: true })
  return failure
}

/** Returns a function that lets an agent write a file and resolves to the time of its examination. */
function createExaminations(world: World, project: string) {
  const { agency } = world.daemon
  const files = Object.fromEntries(
    ['package.json', 'package-lock.json', 'check.mjs', '.gitignore'].map((name) => [
      name,
      readFileSync(join(project, name), 'utf8'),
    ]),
  )
  const repo = world.makeRepository('project', files)
  let number = 0
  return async (work: number): Promise<number> => {
    number += 1
    const commands = writePrograms(join(world.folder, 'programs', `p${number}`), {
      main: `echo ${number} > written-${number}.txt\nclaim written-${number}.txt`,
    })
    const input = {
      goal: 'A file',
      evidence: [{ kind: 'command', run: `node check.mjs ${work}` }],
      repo,
      verify: 'none',
      runtime: 'program',
      runtimeOptions: { command: commands['main'] },
      onLimit: 'fail',
      retryBudget: 0,
    }
    const created = await agency.runs.create(operator, CreateRun.parse(input))
    for (;;) {
      const { attempts, events, run: found } = await agency.runs.inspect(created.id, 1_000)
      const [attempt] = attempts
      const ended = events.find(({ kind }) => kind === 'agent_ended')
      if (attempt?.endedAt !== null && attempt?.endedAt !== undefined && ended !== undefined) {
        if (attempt.outcome !== 'ok') throw new Error(`the examination failed: ${attempt.detail}`)
        await agency.runs.cancel(operator, created.id, 'measured').catch(() => {})
        return Date.parse(attempt.endedAt) - Date.parse(ended.at)
      }
      if (found.endedAt !== null) throw new Error(`the run ended as ${found.status}: ${found.summary}`)
      await sleep(20)
    }
  }
}

/** Returns the amount of work that takes at least so many seconds here. */
function workFor(seconds: number, plainly: (work: number) => number): number {
  const perUnitMs = Math.max(1, (plainly(20) - plainly(0)) / 20)
  let work = Math.ceil((seconds * 1_000) / perUnitMs)
  while (plainly(work) < seconds * 1_000) work = Math.ceil(work * 1.2)
  return work
}

function timed(work: () => void): number {
  const startedMs = performance.now()
  work()
  return performance.now() - startedMs
}

function run(cwd: string, program: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr.slice(-500)}`)
}

/** Runs npm with the cache; returns the error, or null. */
function npm(cwd: string, cache: string, ...args: string[]): string | null {
  const { status, stderr } = spawnSync('npm', [...args, '--no-audit', '--no-fund', `--cache=${cache}`], {
    cwd,
    encoding: 'utf8',
  })
  return status === 0 ? null : (stderr.split('\n').find((line) => line.startsWith('npm error')) ?? `exit ${status}`)
}
