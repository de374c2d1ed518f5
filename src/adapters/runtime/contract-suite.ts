import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

import { isRunning } from '../../../test/support/processes.ts'
import { AgencyError } from '../../kernel/errors.ts'
import { type AttemptId, systemIds } from '../../kernel/ids.ts'
import type { Box } from '../../workspaces/box/box.ts'
import { createDirectoryWorkspaces } from '../../workspaces/directory.ts'
import type { AgentEnded, AgentHandle, Launch, Runtime, RuntimeEvent } from './port.ts'
import { findSurvivors, killSurvivor } from '../../processes/survivors.ts'

/** What the suite needs an agent to do; each runtime says by which options its agents do it. */
export const acts = [
  'say one and two',
  'exit with 3',
  'die of SIGKILL',
  'hang',
  'say ready, then hang and ignore signals',
  'flood 100 MB of lines',
  'flood 100 MB without a newline',
  'print garbage',
  'report by file',
  'report by standard output',
  'lay nonsense into the outbox',
  'print its environment',
  'leave a child behind and say its number',
  'leave a child behind that left the group and say its number',
] as const
export type Act = (typeof acts)[number]

export interface RuntimeUnderTest {
  readonly runtime: Runtime
  /** Of what its agents can do: a program that is not ours does not flood, and catches signals on its own account. */
  readonly options: Readonly<Partial<Record<Act, Record<string, unknown>>>>
  /** False where the agent is only played: nothing then can be said about processes. */
  readonly hasProcess: boolean
  /** What its agents find in their environment beside what all do. */
  readonly names?: readonly string[]
  /** In which its agents are started; without one, they are not boxed. */
  readonly makeBox?: () => Promise<Box>
}

export const reportOfSuite = { status: 'done', summary: 'All done.', outputs: ['poem.txt'] }

/** What holds for every implementation of `Runtime`. The grace time before an agent is killed should be short here. */
export function runtimeContract(name: string, make: () => RuntimeUnderTest): void {
  describe(`${name} runtime`, () => {
    const { runtime, options, hasProcess, makeBox, names = [] } = make()
    const ownNames = makeBox === undefined ? names : [...names, ...boxNames]
    /** Cases of what its agents cannot do are none of its own. */
    const when = (act: Act): ((name: string, body: () => Promise<void>) => void) =>
      options[act] === undefined ? () => {} : it
    const ifItExits = when('exit with 3')
    const ifItDies = when('die of SIGKILL')
    const ifItFloods = when('flood 100 MB of lines')
    const ifItNeverBreaksLines = when('flood 100 MB without a newline')
    const ifItBabbles = when('print garbage')
    const ifItTells = when('print its environment')
    const ifItIsDeaf = when('say ready, then hang and ignore signals')
    const start = async (act: Act, more: Partial<Launch> = {}) => {
      const launch = await makeLaunch({ options: options[act] ?? {}, ...more }, await makeBox?.())
      const handle = await runtime.launch(launch)
      onTestFinished(() => handle.interrupt())
      return { handle, launch }
    }
    const play = async (act: Act) => heard(await readAll((await start(act)).handle))

    it('tells what an agent says, in order, and ends exactly once', async () => {
      const { handle } = await start('say one and two')
      expect(heard(await readAll(handle))).toEqual([
        { kind: 'text', text: 'one' },
        { kind: 'text', text: 'two' },
        { kind: 'ended', exitCode: 0, signal: null },
      ])
      expect(await readAll(handle)).toEqual([])
    })

    ifItExits('passes on the exit code, and no report where there was none', async () => {
      expect(await play('exit with 3')).toEqual([{ kind: 'ended', exitCode: 3, signal: null }])
    })

    ifItDies('passes on the signal of a crash', async () => {
      expect(await play('die of SIGKILL')).toEqual([{ kind: 'ended', exitCode: null, signal: 'SIGKILL' }])
    })

    it('ends an agent that never ends, once, however often it is asked to', async () => {
      const { handle } = await start('hang')
      await Promise.all([handle.interrupt(), handle.interrupt()])
      await handle.interrupt()
      const [ended, ...others] = heard(await readAll(handle))
      expect(others).toEqual([])
      // One that catches the signal says so as shells do.
      expect(ended).toSatisfy(
        (each: AgentEnded) => each.kind === 'ended' && (each.signal === 'SIGTERM' || each.exitCode === 143),
      )
    })

    ifItExits('can be interrupted after the end', async () => {
      const { handle } = await start('exit with 3')
      expect(await readAll(handle)).toHaveLength(1)
      await handle.interrupt()
      await expect(handle.interrupt()).resolves.toBeUndefined()
    })

    ifItFloods('throws away a flood of lines after the first megabyte, and says how much', async () => {
      const events = await play('flood 100 MB of lines')
      const texts = textsOf(events)
      expect(bytesOf(texts)).toBeGreaterThan(10_000)
      expect(bytesOf(texts)).toBeLessThan(1024 * 1024 + 200)
      expect(texts.filter((text) => text.includes('limit of 1 MB'))).toHaveLength(1)
      expect(missingOf(events) + bytesOf(texts)).toBeGreaterThan(100 * 1024 * 1024 - 100_000)
      expect(events.at(-1)).toMatchObject({ kind: 'ended', exitCode: 0 })
    })

    ifItFloods('can be interrupted in a flood that nobody reads', async () => {
      const { handle } = await start('flood 100 MB of lines')
      await handle.events[Symbol.asyncIterator]().next()
      await handle.interrupt()
      expect((await readAll(handle)).filter((event) => event.kind === 'ended')).toHaveLength(1)
    })

    ifItFloods('does not hold an agent up whose reader went away', async () => {
      const { handle } = await start('flood 100 MB of lines')
      for await (const _ of handle.events) break
      if (handle.pid !== null) await vi.waitUntil(() => !isRunning(handle.pid ?? 0), { timeout: 15_000 })
      expect(await readAll(handle)).toEqual([])
    })

    ifItBabbles('takes garbage for text, and makes it fit to be shown and stored', async () => {
      const events = await play('print garbage')
      expect(events.at(-1)).toEqual({ kind: 'ended', exitCode: 0, signal: null })
      expect(new Set(events.slice(0, -1).map((event) => event.kind))).toEqual(new Set(['text']))
      const texts = textsOf(events)
      expect(texts.length).toBeGreaterThan(5)
      for (const text of texts) {
        expect(text).toBe(text.toWellFormed())
        // oxlint-disable-next-line no-control-regex -- none may be left
        expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
        expect(text.trim()).not.toBe('')
      }
    })

    it.each(['report by file', 'report by standard output'] as const)('passes on a %s', async (act) => {
      const events = await play(act)
      expect(events.filter((event) => event.kind === 'report')).toEqual([{ kind: 'report', report: reportOfSuite }])
      expect(events.at(-1)).toEqual({ kind: 'ended', exitCode: 0, signal: null })
    })

    it('passes on what is no report as it is, for the engine to refuse', async () => {
      const events = await play('lay nonsense into the outbox')
      expect(events.filter((event) => event.kind === 'report')).toEqual([
        { kind: 'report', report: '{"status": nonsense' },
      ])
    })

    it('takes messages if it says so, and else refuses them', async () => {
      const { handle } = await start('hang')
      const answer = await handle.send('hello').then(
        () => 'taken',
        (error: AgencyError) => error.code,
      )
      expect(answer).toBe(runtime.capabilities.send ? 'taken' : 'unsupported')
    })

    it('refuses options that can never work, and takes those that can', () => {
      expect(() => runtime.checkOptions({ nonsense: true })).toThrow(AgencyError)
      for (const each of Object.values(options)) expect(() => runtime.checkOptions(each)).not.toThrow()
    })

    it('is available where its tests run', async () => {
      expect(await runtime.available()).toEqual({ ok: true })
    })

    if (!hasProcess) return

    ifItIsDeaf('kills an agent that ignores the request, after the grace time', async () => {
      const { handle } = await start('say ready, then hang and ignore signals')
      const events = handle.events[Symbol.asyncIterator]()
      expect((await events.next()).value).toEqual({ kind: 'text', text: 'ready' })
      await handle.interrupt()
      expect((await events.next()).value).toMatchObject({ kind: 'ended', exitCode: null, signal: 'SIGKILL' })
      expect((await events.next()).done).toBe(true)
    })

    ifItNeverBreaksLines('keeps the first 64 KB of a line that never ends', async () => {
      const events = await play('flood 100 MB without a newline')
      // One less where the cut fell on a blank.
      expect(bytesOf(textsOf(events))).toBeGreaterThanOrEqual(64 * 1024 - 1)
      expect(bytesOf(textsOf(events))).toBeLessThanOrEqual(64 * 1024)
      expect(missingOf(events)).toBeGreaterThan(99 * 1024 * 1024)
    })

    ifItTells('gives an agent its launch id and what it was handed, and nothing of ours', async () => {
      process.env['AGENCY_FAKE_SECRET'] = 'hunter2'
      onTestFinished(() => void delete process.env['AGENCY_FAKE_SECRET'])
      const environment = { AGENCY_TOKEN: 'agt_test', AGENCY_PROMPT_FILE: '/nowhere/prompt.md' }
      const { handle, launch } = await start('print its environment', { environment })
      const lines = textsOf(heard(await readAll(handle))).flatMap((text) => text.split('\n'))
      expect(lines).toContain(`AGENCY_LAUNCH_ID=${launch.launchId}`)
      expect(lines).toContain('AGENCY_TOKEN=agt_test')
      expect(lines).toContain('AGENCY_PROMPT_FILE=/nowhere/prompt.md')
      expect(lines).toContain(`HOME=${launch.workspace.home}`)
      expect(lines.join('\n')).not.toContain('hunter2')
      const names = lines.map((line) => line.split('=')[0] ?? '')
      expect(names.filter((each) => !allowedNames.has(each) && !ownNames.includes(each))).toEqual([])
    })

    ifItIsDeaf('can be found by its launch id and killed, were we dead', async () => {
      const { handle, launch } = await start('say ready, then hang and ignore signals')
      const found = (await findSurvivors()).find((survivor) => survivor.pid === handle.pid)
      expect(found).toEqual({ pid: handle.pid, launchId: launch.launchId })
      expect(await killSurvivor({ pid: found?.pid ?? 0, launchId: 'att_another' })).toBe(false)
      expect(await killSurvivor(found ?? { pid: 0, launchId: '' })).toBe(true)
      expect((await readAll(handle)).at(-1)).toMatchObject({ kind: 'ended', signal: 'SIGKILL' })
      expect((await findSurvivors()).filter((survivor) => survivor.launchId === launch.launchId)).toEqual([])
    })

    it.each([
      'leave a child behind and say its number',
      'leave a child behind that left the group and say its number',
    ] as const)('ends with its children: %s', async (act) => {
      const { handle, launch } = await start(act)
      const events = heard(await readAll(handle))
      const pid = Number(textsOf(events)[0]?.match(/\d+/)?.[0])
      expect(pid).toBeGreaterThan(1)
      // A box counts its processes by itself.
      if (handle.boxed !== true) expect(isRunning(pid)).toBe(false)
      expect((await findSurvivors()).filter(({ launchId }) => launchId === launch.launchId)).toEqual([])
      expect(events.at(-1)).toEqual({ kind: 'ended', exitCode: 0, signal: null })
    })
  })
}

const shellNames = ['PWD', 'OLDPWD', 'SHLVL', '_']
const scriptedNames = ['AGENCY_SCENARIO', 'AGENCY_ATTEMPT', 'AGENCY_MODE', 'AGENCY_ALLOWED']
const givenNames = ['PATH', 'LANG', 'TMPDIR', 'HOME', 'AGENCY_LAUNCH_ID', 'AGENCY_TOKEN', 'AGENCY_PROMPT_FILE']
const allowedNames = new Set([...givenNames, ...shellNames, ...scriptedNames])

const proxyNames = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY']
const boxNames = [
  ...proxyNames,
  ...proxyNames.map((name) => name.toLowerCase()),
  'NODE_USE_ENV_PROXY',
  'AGENCY_BOXED',
  'USER',
  'LOGNAME',
]

/** A launch in a new directory, which goes away with the test. */
export async function makeLaunch(more: Partial<Launch> = {}, box?: Box): Promise<Launch> {
  const root = await mkdtemp(join(tmpdir(), 'agency-runtime-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const workspace = await createDirectoryWorkspaces({ root, ...(box && { box }) }).prepare({
    id: 'brf_1',
    runId: 'run_1',
    box: box !== undefined,
  })
  const launchId: AttemptId = systemIds.next('attempt')
  return {
    launchId,
    prompt: 'Write a haiku about rivers into poem.txt',
    workspace,
    options: {},
    environment: {},
    attempt: 1,
    kind: 'work',
    ...more,
  }
}

/** All but what it used, which is another each time. */
export async function readAll(handle: AgentHandle): Promise<RuntimeEvent[]> {
  const events: RuntimeEvent[] = []
  for await (const event of handle.events) {
    if (event.kind !== 'ended') events.push(event)
    else {
      const { used: _used, ...ended } = event
      events.push(ended)
    }
  }
  return events
}

/** What it says and leaves behind. Which tools it uses, what its model costs and what it grumbles is its own affair. */
const heard = (events: readonly RuntimeEvent[]): RuntimeEvent[] =>
  events.filter((event) => event.kind !== 'tool' && event.kind !== 'usage' && !('from' in event))

export const textsOf = (events: readonly RuntimeEvent[]): string[] =>
  events.flatMap((event) => (event.kind === 'text' ? [event.text] : []))

const bytesOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)

function missingOf(events: readonly RuntimeEvent[]): number {
  const ended = events.at(-1)
  return Number(ended?.kind === 'ended' ? ended.detail?.match(/^\d+/)?.[0] : 0)
}
