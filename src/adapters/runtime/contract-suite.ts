import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

import { isRunning } from '../../../test/support/processes.ts'
import { AgencyError } from '../../kernel/errors.ts'
import { type AttemptId, systemIds } from '../../kernel/ids.ts'
import { withoutColours } from '../../kernel/text.ts'
import type { Box } from '../../workspaces/box/box.ts'
import { createDirectoryWorkspaces } from '../../workspaces/directory.ts'
import type { AgentEnded, AgentHandle, Launch, Runtime, RuntimeEvent } from './port.ts'
import { findSurvivors, killSurvivor } from '../../processes/survivors.ts'

/** The behaviours that the suite needs of an agent; each runtime declares the options that produce them. */
export const behaviours = [
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
  'write invalid JSON into the outbox',
  'print its environment',
  'leave a child behind and print its pid',
  'leave a child behind that left the group and print its pid',
] as const
export type Behaviour = (typeof behaviours)[number]

export interface RuntimeUnderTest {
  readonly runtime: Runtime
  /** Options for the behaviours that its agents support: a foreign program does not flood, and handles signals itself. */
  readonly options: Readonly<Partial<Record<Behaviour, Record<string, unknown>>>>
  /** False if the agent has no process: the cases about processes are left out. */
  readonly hasProcess: boolean
  /** Further variables in the environment of its agents, in addition to the common ones. */
  readonly names?: readonly string[]
  /** Creates the box of its agents; without it, they are not boxed. */
  readonly makeBox?: () => Promise<Box>
}

export const reportOfSuite = { status: 'done', summary: 'All done.', outputs: ['poem.txt'] }

/** Tests every implementation of `Runtime`. The grace time before an agent is killed should be short here. */
export function runtimeContract(name: string, make: () => RuntimeUnderTest): void {
  describe(`${name} runtime`, () => {
    const { runtime, options, hasProcess, makeBox, names = [] } = make()
    const ownNames = makeBox === undefined ? names : [...names, ...boxNames]
    /** Leaves out a case for a behaviour that its agents do not support. */
    const when = (behaviour: Behaviour): ((name: string, body: () => Promise<void>) => void) =>
      options[behaviour] === undefined ? () => {} : it
    const ifItExits = when('exit with 3')
    const ifItDies = when('die of SIGKILL')
    const ifItFloods = when('flood 100 MB of lines')
    const ifItFloodsOneLine = when('flood 100 MB without a newline')
    const ifItPrintsGarbage = when('print garbage')
    const ifItPrintsEnvironment = when('print its environment')
    const ifItIgnoresSignals = when('say ready, then hang and ignore signals')
    const start = async (behaviour: Behaviour, more: Partial<Launch> = {}) => {
      const launch = await makeLaunch({ options: options[behaviour] ?? {}, ...more }, await makeBox?.())
      const handle = await runtime.launch(launch)
      onTestFinished(() => handle.interrupt())
      return { handle, launch }
    }
    const play = async (behaviour: Behaviour) => comparable(await readAll((await start(behaviour)).handle))

    it('reports the text of an agent in order, and ends exactly once', async () => {
      const { handle } = await start('say one and two')
      expect(comparable(await readAll(handle))).toEqual([
        { kind: 'text', text: 'one' },
        { kind: 'text', text: 'two' },
        { kind: 'ended', exitCode: 0, signal: null },
      ])
      expect(await readAll(handle)).toEqual([])
    })

    ifItExits('reports the exit code, and no report if there was none', async () => {
      expect(await play('exit with 3')).toEqual([{ kind: 'ended', exitCode: 3, signal: null }])
    })

    ifItDies('reports the signal of a crash', async () => {
      expect(await play('die of SIGKILL')).toEqual([{ kind: 'ended', exitCode: null, signal: 'SIGKILL' }])
    })

    it('ends a hanging agent once, however often it is interrupted', async () => {
      const { handle } = await start('hang')
      await Promise.all([handle.interrupt(), handle.interrupt()])
      await handle.interrupt()
      const [ended, ...others] = comparable(await readAll(handle))
      expect(others).toEqual([])
      // An agent that handles the signal exits with 143, as shells do.
      expect(ended).toSatisfy(
        (each: AgentEnded) => each.kind === 'ended' && (each.signal === 'SIGTERM' || each.exitCode === 143),
      )
    })

    ifItExits('accepts an interrupt after the end', async () => {
      const { handle } = await start('exit with 3')
      expect(await readAll(handle)).toHaveLength(1)
      await handle.interrupt()
      await expect(handle.interrupt()).resolves.toBeUndefined()
    })

    ifItFloods(
      'keeps a megabyte of the beginning and of the end of a flood, and reports the amount between them',
      async () => {
        const events = await play('flood 100 MB of lines')
        const texts = textsOf(events)
        expect(bytesOf(texts)).toBeGreaterThan(10_000)
        expect(bytesOf(texts)).toBeLessThan(2 * 1024 * 1024 + 200)
        expect(texts.filter((text) => text.includes('lines left out'))).toHaveLength(1)
        const lineEnds = texts.length
        expect(missingOf(events) + bytesOf(texts) + lineEnds).toBeGreaterThan(100 * 1024 * 1024 - 100_000)
        expect(events.at(-1)).toMatchObject({ kind: 'ended', exitCode: 0 })
      },
    )

    ifItFloods('can be interrupted during a flood without a reader', async () => {
      const { handle } = await start('flood 100 MB of lines')
      await handle.events[Symbol.asyncIterator]().next()
      await handle.interrupt()
      expect((await readAll(handle)).filter((event) => event.kind === 'ended')).toHaveLength(1)
    })

    ifItFloods('does not block an agent after its reader has stopped', async () => {
      const { handle } = await start('flood 100 MB of lines')
      for await (const _ of handle.events) break
      if (handle.pid !== null) await vi.waitUntil(() => !isRunning(handle.pid ?? 0), { timeout: 15_000 })
      expect(await readAll(handle)).toEqual([])
    })

    ifItPrintsGarbage('treats garbage as text, and makes it safe to show and store', async () => {
      const events = await play('print garbage')
      expect(events.at(-1)).toEqual({ kind: 'ended', exitCode: 0, signal: null })
      expect(new Set(events.slice(0, -1).map((event) => event.kind))).toEqual(new Set(['text']))
      const texts = textsOf(events)
      expect(texts.length).toBeGreaterThan(5)
      for (const text of texts) {
        expect(text).toBe(text.toWellFormed())
        // oxlint-disable-next-line no-control-regex -- none may be left
        expect(withoutColours(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
      }
    })

    it.each(['report by file', 'report by standard output'] as const)('passes on a %s', async (behaviour) => {
      const events = await play(behaviour)
      expect(events.filter((event) => event.kind === 'report')).toMatchObject([{ report: reportOfSuite }])
      expect(events.at(-1)).toEqual({ kind: 'ended', exitCode: 0, signal: null })
    })

    it('passes on an invalid report unchanged, for the engine to reject', async () => {
      const events = await play('write invalid JSON into the outbox')
      expect(events.filter((event) => event.kind === 'report')).toEqual([
        { kind: 'report', report: '{"status": nonsense', from: 'file' },
      ])
    })

    it('accepts messages only if it declares the capability', async () => {
      const { handle } = await start('hang')
      const answer = await handle.send('hello').then(
        () => 'accepted',
        (error: AgencyError) => error.code,
      )
      expect(answer).toBe(runtime.capabilities.send ? 'accepted' : 'unsupported')
    })

    it('rejects options that can never work, and accepts valid ones', () => {
      expect(() => runtime.checkOptions({ nonsense: true })).toThrow(AgencyError)
      for (const each of Object.values(options)) expect(() => runtime.checkOptions(each)).not.toThrow()
    })

    it('is available on the machine of the tests', async () => {
      expect(await runtime.available()).toMatchObject({ ok: true })
    })

    if (!hasProcess) return

    ifItIgnoresSignals('kills an agent that ignores the interrupt after the grace time', async () => {
      const { handle } = await start('say ready, then hang and ignore signals')
      const events = handle.events[Symbol.asyncIterator]()
      expect((await events.next()).value).toEqual({ kind: 'text', text: 'ready' })
      await handle.interrupt()
      expect((await events.next()).value).toMatchObject({ kind: 'ended', exitCode: null, signal: 'SIGKILL' })
      expect((await events.next()).done).toBe(true)
    })

    ifItFloodsOneLine('keeps the first 64 KB of a line that never ends', async () => {
      const events = await play('flood 100 MB without a newline')
      // One byte less if the cut fell on a blank.
      expect(bytesOf(textsOf(events))).toBeGreaterThanOrEqual(64 * 1024 - 1)
      expect(bytesOf(textsOf(events))).toBeLessThanOrEqual(64 * 1024)
      expect(missingOf(events)).toBeGreaterThan(99 * 1024 * 1024)
    })

    ifItPrintsEnvironment('gives an agent its launch id and variables, and none of the daemon', async () => {
      process.env['AGENCY_FAKE_SECRET'] = 'hunter2'
      onTestFinished(() => void delete process.env['AGENCY_FAKE_SECRET'])
      const environment = { AGENCY_TOKEN: 'agt_test', AGENCY_EXAMPLE: 'of the launch' }
      const { handle, launch } = await start('print its environment', { environment })
      const lines = textsOf(comparable(await readAll(handle))).flatMap((text) => text.split('\n'))
      expect(lines).toContain(`AGENCY_LAUNCH_ID=${launch.launchId}`)
      expect(lines).toContain('AGENCY_TOKEN=agt_test')
      expect(lines).toContain('AGENCY_EXAMPLE=of the launch')
      expect(lines).toContain(`HOME=${launch.workspace.home}`)
      expect(lines.join('\n')).not.toContain('hunter2')
      const names = lines.map((line) => line.split('=')[0] ?? '').filter((name) => name !== '')
      expect(names.filter((each) => !allowedNames.has(each) && !ownNames.includes(each))).toEqual([])
    })

    ifItIgnoresSignals('can be found by its launch id and killed after the daemon has died', async () => {
      const { handle, launch } = await start('say ready, then hang and ignore signals')
      const found = (await findSurvivors()).find((survivor) => survivor.pid === handle.pid)
      expect(found).toEqual({ pid: handle.pid, launchId: launch.launchId })
      expect(await killSurvivor({ pid: found?.pid ?? 0, launchId: 'att_another' })).toBe(false)
      expect(await killSurvivor(found ?? { pid: 0, launchId: '' })).toBe(true)
      expect((await readAll(handle)).at(-1)).toMatchObject({ kind: 'ended', signal: 'SIGKILL' })
      expect((await findSurvivors()).filter((survivor) => survivor.launchId === launch.launchId)).toEqual([])
    })

    it.each([
      'leave a child behind and print its pid',
      'leave a child behind that left the group and print its pid',
    ] as const)('kills the children of an agent: %s', async (behaviour) => {
      const { handle, launch } = await start(behaviour)
      const events = comparable(await readAll(handle))
      const pid = Number(textsOf(events)[0]?.match(/\d+/)?.[0])
      expect(pid).toBeGreaterThan(1)
      // Processes in a box have pids of their own.
      if (handle.boxed !== true) expect(isRunning(pid)).toBe(false)
      expect((await findSurvivors()).filter(({ launchId }) => launchId === launch.launchId)).toEqual([])
      expect(events.at(-1)).toEqual({ kind: 'ended', exitCode: 0, signal: null })
    })
  })
}

const shellNames = ['PWD', 'OLDPWD', 'SHLVL', '_']
const scriptedNames = ['AGENCY_SCENARIO', 'AGENCY_ATTEMPT', 'AGENCY_MODE', 'AGENCY_ALLOWED']
const givenNames = ['PATH', 'LANG', 'TMPDIR', 'HOME', 'AGENCY_LAUNCH_ID', 'AGENCY_TOKEN', 'AGENCY_EXAMPLE']
const allowedNames = new Set([...givenNames, ...shellNames, ...scriptedNames])

const proxyNames = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY']
const boxNames = [
  ...proxyNames,
  ...proxyNames.map((name) => name.toLowerCase()),
  'NODE_USE_ENV_PROXY',
  'AGENCY_BOXED',
  'USER',
  'LOGNAME',
  'NO_UPDATE_NOTIFIER',
  'npm_config_update_notifier',
]

/** Creates a launch in a new directory, which is removed with the test. */
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

/** Reads all events, without the resource usage, which differs each time. */
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

/** Removes the events that differ between runtimes: tool calls, usage and standard error. */
const comparable = (events: readonly RuntimeEvent[]): RuntimeEvent[] =>
  events.filter(
    (event) => event.kind !== 'tool' && event.kind !== 'usage' && !(event.kind === 'text' && event.from === 'stderr'),
  )

export const textsOf = (events: readonly RuntimeEvent[]): string[] =>
  events.flatMap((event) => (event.kind === 'text' ? [event.text] : []))

const bytesOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)

function missingOf(events: readonly RuntimeEvent[]): number {
  const ended = events.at(-1)
  return Number(ended?.kind === 'ended' ? ended.detail?.match(/^\d+/)?.[0] : 0)
}
