import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

import { pause } from '../../src/kernel/clock.ts'
import type { Inspection } from '../../src/work/runs/cli/inspection.ts'
import { createTestCli, type TestCli } from '../support/cli.ts'
import { type ModelServer, startModelServer } from '../support/model-server/server.ts'
import { isRunning } from '../support/processes.ts'
import { makeRepository, type TestRepository } from '../support/repository.ts'
import { claudeVariable } from './agents.setup.ts'
import { type Progress, progressOf, tieredModel, type World } from './tiered-model.ts'
import { full, medium, simple } from './tiered-worlds.ts'

const keys = { ANTHROPIC_API_KEY: 'sk-ant-dummy-of-planners-0000', LOCAL_KEY: 'dummy-key-of-leads-0000' }

const capabilities = `capabilities:
  reasoning-heavy: { provider: anthropic, model: planner }
  capable: { provider: local, model: lead }
  fast-cheap: { provider: anthropic, model: worker }
`
const byClaude = `${capabilities}runtime: { coding_agent: claude-code, options: { max_retries: 1 } }
tiers: { t5: { options: { model: judge, max_retries: 1 } } }
`
const byModels = `${capabilities}tiers: { t4: { runtime: standard }, t5: { runtime: standard } }\n`

/** Lists successful attempts outside a box; an attempt killed before its launch has no box to record. */
const unboxed = ({ attempts }: Inspection): string[] =>
  attempts
    .filter(({ runtime, outcome, boxed }) => runtime === 'claude-code' && outcome === 'ok' && !boxed)
    .map(({ id }) => id)

it(
  'completes a run in which models plan, Claude Code works and verifies in boxes, and the daemon is killed twice',
  { timeout: 900_000 },
  async () => {
    const printing: Progress = { phase: 't4', task: 'print', step: 1 }
    const judging: Progress = { phase: 't5', task: 'units', step: 1 }
    let held: Progress | null = printing
    const installed = await install(full, byClaude, (progress) => isSame(progress, held))
    const { cli, model, repository, id } = installed
    const isAskedFor = (wanted: Progress) => () => model.asked.some((asked) => isSame(progressOf(asked), wanted))

    const planned = await approve(installed, 't1_plan')
    expect(planned.briefs.map(({ phase }) => phase)).toEqual(['t1_plan', 't1_critique'])
    const designed = await approve(installed, 't2_synthesis')
    expect(designed.briefs.filter(({ cap_key: tier }) => tier === 't3')).toEqual([])

    // Kill the daemon while an agent works on a task.
    await until(installed, isAskedFor(printing))
    held = judging
    await killDaemon(installed)

    // Kill it again while one task is being verified and another has passed.
    await until(installed, isAskedFor(judging))
    await until(installed, ({ briefs }) => briefs.some(({ key, status }) => key === guideKey && status === 'verified'))
    held = null
    await killDaemon(installed)

    await until(installed, waitsFor('merge'))
    expect(await cli.text('pr', 'show', id)).toMatch(/open\n[^\n]* → main .*src\/convert\.mjs.*4 files, /s)
    expect(repository.git('log', '--oneline').split('\n').length).toBe(1)
    await cli.text('approve', id, '--gate', 'merge')
    const ended = await until(installed, ({ run }) => run.status === 'done')
    expect(repository.run(process.execPath, 'test.mjs')).toBe('2000 m')
    expect(branchesOf(cli, id)).toEqual([
      'feature/guide/guide',
      'feature/lengths/convert',
      'feature/lengths/print',
      'feature/lengths/units',
      'integration/docs',
      'integration/final',
      'integration/library',
      'workstream/guide',
      'workstream/lengths',
    ])

    // One of the two squads released the file that both claimed, and no verified task was done twice.
    expect(statusOf(ended, 't4:lengths:print:names')).toBe('cancelled')
    expect(doneAndJudged(ended)).toEqual({
      [guideKey]: ['ok', 'pass'],
      't4:lengths:core:units': ['ok', 'pass'],
      't4:lengths:core:convert': ['ok', 'fail', 'ok', 'pass'],
      't4:lengths:print:print': ['ok', 'pass'],
    })
    expect(outcomesOf(ended, 't4:lengths:print:print')).toEqual(['interrupted', 'ok'])
    expect(outcomesOf(ended, 'verify:t4:lengths:core:units:')).toEqual(['interrupted', 'ok'])
    expect(unboxed(ended)).toEqual([])
    expect(runtimesOf(ended)).toEqual({
      t1: ['llm'],
      t2: ['llm'],
      t3: ['llm'],
      t4: ['claude-code'],
      t5: ['claude-code'],
    })
    // Each tier uses its model through its provider's API with that provider's key.
    // Squads work at once, so that the order of their first calls differs.
    expect(callsOf(model)).toEqual(
      new Set([
        `planner by messages with ${keys.ANTHROPIC_API_KEY}`,
        `lead by chat with Bearer ${keys.LOCAL_KEY}`,
        `worker by messages with ${keys.ANTHROPIC_API_KEY}`,
        `judge by messages with ${keys.ANTHROPIC_API_KEY}`,
      ]),
    )
    await expectClean(installed)
  },
)

const guideKey = 't4:guide:main:guide'

it.each([
  ['medium', medium, ['t1_plan', 't1_critique', 't3_plan', 't4', 't4', 't5', 't5', 't3_verdict', 't1_accept']],
  ['simple', simple, ['t1_plan', 't1_critique', 't4', 't5', 't1_accept']],
] as const)('completes a run with models only, path %s', { timeout: 600_000 }, async (_, world, phases) => {
  const installed = await install(world, byModels)
  await approve(installed, 't1_plan')
  await approve(installed, 'merge')
  const ended = await until(installed, ({ run }) => run.status === 'done')
  expect(ended.briefs.map(({ phase }) => phase)).toEqual(phases)
  expect(new Set(ended.attempts.map(({ runtime, outcome }) => `${runtime} ${outcome}`))).toEqual(new Set(['llm ok']))
  for (const path of world.workstreams[0]?.id === 'guide' ? ['GUIDE.md'] : ['src/units.mjs', 'src/convert.mjs'])
    expect(installed.repository.git('show', '--stat', '--format=', '-m', '--first-parent', 'main')).toContain(path)
  await expectClean(installed)
})

interface Installed {
  readonly cli: TestCli
  readonly model: ModelServer
  readonly repository: TestRepository
  /** Id of the started run. */
  readonly id: string
}

/** Starts a run with planners on one provider and leads on another; only the daemon's environment has the keys. */
async function install(
  world: World,
  team: string,
  isHeld: (progress: Progress) => boolean = () => false,
): Promise<Installed> {
  const model = await startModelServer([tieredModel(world, isHeld)])
  const cli = createTestCli()
  onTestFinished(async () => {
    await cli.remove()
    await model.stop()
  })
  const local = `local: { kind: openai-compatible, base_url: "${model.url}/v1", api_key_env: LOCAL_KEY }`
  const claude = `claude: { binary: ${process.env[claudeVariable]} }`
  writeFileSync(join(cli.home, 'config.yaml'), `${claude}\nllm:\n  providers:\n    ${local}\n`)
  writeFileSync(join(cli.home, 'lengths.yaml'), team)
  const repository = makeRepository({
    'README.md': '# Lengths\n',
    'test.mjs': `import { convert } from './src/convert.mjs'\nimport { print } from './src/print.mjs'\nconsole.log(print(convert(2, 'km', 'm'), 'm'))\n`,
  })
  await startDaemon(cli, model)
  const words = ['--playbook', 'tiered', '--team', join(cli.home, 'lengths.yaml'), '--repo', repository.path]
  const id = (await cli.text('run', world.goal, ...words)).trim()
  return { cli, model, repository, id }
}

async function startDaemon(cli: TestCli, model: ModelServer): Promise<void> {
  const environment = { ...keys, ANTHROPIC_BASE_URL: model.url }
  expect(await cli.start(['up'], environment).ended).toMatchObject({ code: 0 })
}

/** Ends the daemon with SIGKILL and starts it again. */
async function killDaemon({ cli, model }: Installed): Promise<void> {
  const { pid } = daemonOf(cli)
  process.kill(pid, 'SIGKILL')
  while (isRunning(pid)) await pause(20)
  await startDaemon(cli, model)
}

const daemonOf = ({ home }: TestCli): { pid: number; address: string } =>
  JSON.parse(readFileSync(join(home, 'daemon.json'), 'utf8')) as { pid: number; address: string }

async function inspect({ cli, id }: Installed): Promise<Inspection> {
  const token = readFileSync(join(cli.home, 'operator.token'), 'utf8').trim()
  const headers = { accept: 'application/json', authorization: `Bearer ${token}` }
  return (await (await fetch(`${daemonOf(cli).address}/api/runs/${id}/inspect`, { headers })).json()) as Inspection
}

async function until(installed: Installed, holds: (shown: Inspection) => boolean): Promise<Inspection> {
  for (let looks = 0; looks < 1_200; looks += 1) {
    const shown = await inspect(installed)
    if (holds(shown)) return shown
    if (isStuck(shown)) break
    await pause(200)
  }
  throw new Error(`the run did not reach the expected state:\n${historyOf(await inspect(installed))}`)
}

const isStuck = ({ run, questions }: Inspection): boolean =>
  ['failed', 'cancelled', 'paused'].includes(run.status) || questions.length > 0

const historyOf = ({ events, attempts }: Inspection): string =>
  [
    ...events.map(({ kind, message }) => `${kind} ${message}`),
    ...attempts.map(({ runtime, outcome, detail }) => `${runtime} ${outcome}: ${detail}`),
  ].join('\n')

const waitsFor =
  (wanted: string) =>
  ({ gates }: Inspection): boolean =>
    gates.some(({ gate, status }) => gate === wanted && status === 'pending')

async function approve(installed: Installed, gate: string): Promise<Inspection> {
  const shown = await until(installed, waitsFor(gate))
  await installed.cli.text('approve', installed.id, '--gate', gate)
  return shown
}

const isSame = (one: Progress | null, other: Progress | null): boolean =>
  one?.phase === other?.phase && one?.task === other?.task && one?.step === other?.step

const statusOf = ({ briefs }: Inspection, wanted: string): string | undefined =>
  briefs.find(({ key }) => key === wanted)?.status

/** Returns the outcomes of a brief's attempts in order, without repetitions. */
function outcomesOf({ briefs, attempts }: Inspection, beginning: string): (string | null)[] {
  const brief = briefs.find(({ key }) => key.startsWith(beginning))
  const ended = attempts.filter(({ brief_id }) => brief_id === brief?.id)
  return [...new Set(ended.toSorted((one, other) => one.fence - other.fence).map(({ outcome }) => outcome))]
}

/** Returns per task its successful attempts (`ok`) and verdicts, in order of time. */
function doneAndJudged({ briefs, attempts, verdicts }: Inspection): Record<string, string[]> {
  const tasks = briefs.filter(({ cap_key: tier, status }) => tier === 't4' && status !== 'cancelled')
  return Object.fromEntries(
    tasks.map(({ id, key }) => {
      const done = attempts
        .filter(({ brief_id, outcome }) => brief_id === id && outcome === 'ok')
        .map(({ ended_at }) => ({ at: ended_at ?? '', result: 'ok' }))
      const judged = verdicts
        .filter(({ brief_id }) => brief_id === id)
        .map(({ at, verdict }) => ({ at, result: verdict as string }))
      const all = [...done, ...judged].toSorted((one, other) => one.at.localeCompare(other.at))
      return [key, all.map(({ result }) => result)]
    }),
  )
}

const runtimesOf = ({ briefs }: Inspection): Record<string, string[]> =>
  Object.fromEntries(
    ['t1', 't2', 't3', 't4', 't5'].map((wanted) => [
      wanted,
      [...new Set(briefs.filter(({ cap_key: tier }) => tier === wanted).map(({ runtime }) => runtime))],
    ]),
  )

/** Returns the distinct calls in the order of their first occurrence. */
function callsOf({ asked }: ModelServer): Set<string> {
  const calls = asked.map(
    ({ model, protocol, headers }) =>
      `${model} by ${protocol} with ${String(headers['x-api-key'] ?? headers.authorization)}`,
  )
  return new Set(calls)
}

/** Returns the branches of Agency's mirror, without the run's id in their names. */
function branchesOf({ home }: TestCli, id: string): string[] {
  const [mirror = ''] = readdirSync(join(home, 'mirrors')).filter((name) => name.endsWith('.git'))
  const refs = execFileSync('git', ['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads'], {
    cwd: join(home, 'mirrors', mirror),
    encoding: 'utf8',
  })
  return refs
    .trim()
    .split('\n')
    .map((name) => name.replace(`/${id}/`, '/'))
    .toSorted()
}

/** Checks that audit and replay have no findings and that no file contains a key. */
async function expectClean({ cli }: Installed): Promise<void> {
  const { checks } = await cli.json<{ checks: { name: string; status: string }[] }>('doctor', '--audit', '--replay')
  const looked = checks.filter(({ name }) => name === 'audit' || name === 'replay')
  expect(looked.map(({ status }) => status)).toEqual(['ok', 'ok'])
  for (const key of Object.values(keys)) expect(filesWith(cli.home, key)).toEqual([])
}

const filesWith = (folder: string, text: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    // An agent's last files may disappear during the search.
    .filter((path) => existsSync(path) && readFileSync(path).includes(text))
