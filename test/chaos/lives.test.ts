import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import type { Wire } from '../../src/cli/wire.ts'
import type { DaemonStatus } from '../../src/daemon/contract.ts'
import { tieredDemo } from '../../src/daemon/demos/plays.contract.ts'
import { readDaemonFile } from '../../src/cli/daemon-address.ts'
import { homePaths } from '../../src/daemon/home.ts'
import { pause } from '../../src/kernel/clock.ts'
import type { Run } from '../../src/work/runs/contract.ts'
import { boxHere } from '../support/box-here.ts'
import { isRunning } from '../support/processes.ts'
import { describeStores } from '../support/store.ts'
import { findInRuns, findLeftBehind } from './findings.ts'
import { createInstallation, type Installation, type StoreKind } from './installation.ts'
import { processesOf } from './processes.ts'
import { type ExpectedBrief, type RunKind, runKinds } from './runs.ts'
import { askFor, untilEnded } from './work.ts'

async function install(store: StoreKind, options?: { isBoxed: boolean }): Promise<Installation> {
  const installation = await createInstallation(store, options)
  onTestFinished(() => installation.remove())
  return installation
}

const kind = (name: string): RunKind => runKinds.find((each) => each.name === name) as RunKind

describeStores('one home', (_, store) => {
  it('has one daemon when two are started at once, and a third start fails with its pid', async () => {
    const installation = await install(store)
    const ups = await Promise.all([installation.agency('up'), installation.agency('up')])
    expect(ups).toMatchObject([{ code: 0 }, { code: 0 }])
    const { pid } = await installation.client.send<Wire<DaemonStatus>>('GET', '/status')
    for (const up of ups) expect(up.output).toContain(`(pid ${pid})`)
    expect(await installation.start().ended).toMatchObject({
      code: 1,
      output: expect.stringContaining(`another Agency (pid ${pid}) already runs on ${installation.home}`),
    })
    expect(await installation.agency('down')).toMatchObject({ code: 0, output: `stopped (pid ${pid})\n` })
    expect(isRunning(pid)).toBe(false)
    expect(await findLeftBehind(installation)).toEqual([])
  })

  it('can be used by a new daemon as soon as the last one is killed', async () => {
    const installation = await install(store)
    for (let life = 0; life < 5; life++) {
      const daemon = installation.start()
      expect(await daemon.ready).toBe(true)
      daemon.kill()
    }
    expect(await installation.agency('up')).toMatchObject({ code: 0 })
    expect(readDaemonFile(homePaths({ AGENCY_HOME: installation.home }))?.pid).toBe(
      (await installation.client.send<Wire<DaemonStatus>>('GET', '/status')).pid,
    )
    expect(await installation.agency('down')).toMatchObject({ code: 0 })
  })

  it('continues its runs after the daemon was stopped and started', async () => {
    const installation = await install(store)
    expect(await installation.agency('up')).toMatchObject({ code: 0 })
    const asked = []
    for (const each of runKinds) asked.push(await askFor(installation, each, each.name))
    await untilAgents(installation)
    expect(await installation.agency('down')).toMatchObject({ code: 0 })
    expect(processesOf(installation.home)).toEqual([])
    expect(await installation.agency('up')).toMatchObject({ code: 0 })
    expect(await untilEnded(installation, 60_000)).toBe(0)
    expect(await findInRuns(installation, asked, { daemons: 1, agents: 0 })).toEqual([])
    expect(await installation.agency('down')).toMatchObject({ code: 0 })
    expect(await findLeftBehind(installation)).toEqual([])
  })

  it('plays its demonstration once across restarts', async () => {
    const installation = await install(store)
    const dead = await installation.start({ demo: true, kill: 'run.created:1' }).ended
    expect(dead.signal).toBe('SIGKILL')
    for (let life = 0; life < 2; life++) {
      const daemon = installation.start({ demo: true })
      expect(await daemon.ready).toBe(true)
      const { runs } = await installation.client.send<{ runs: Wire<Run>[] }>('GET', '/runs')
      expect(runs.map((run) => run.goal_anchor)).toEqual([tieredDemo('full', null).goal])
      await daemon.stop()
    }
  })

  it('ends a check’s command that outlived the daemon, and repeats the check', async () => {
    const installation = await install(store, { isBoxed: false })
    const first = installation.start()
    // Nothing that a check writes into its own directory reaches the next one.
    const begun = join(installation.home, 'check-begun')
    const looking: RunKind = {
      ...kind('plain'),
      input: {
        ...kind('plain').input,
        evidence: [{ kind: 'command', run: `if [ -e ${begun} ]; then exit 0; fi; touch ${begun}; exec sleep 300` }],
      },
      briefs: { main: { ...(kind('plain').briefs['main'] as ExpectedBrief), judged: false } },
    }
    const asked = await askFor(installation, looking, 'look')
    while (!existsSync(begun)) await pause(10)
    // The shell replaces itself by the command a moment after it has created the file.
    const commands = (): string[] => processesOf(installation.home).map(({ command }) => command)
    while (!commands().includes('sleep 300')) await pause(10)
    first.kill()
    await first.ended
    expect(commands()).toEqual(['sleep 300'])
    const second = installation.start()
    expect(await untilEnded(installation, 60_000)).toBe(0)
    expect(await findInRuns(installation, [asked], { daemons: 1, agents: 0 })).toEqual([])
    await second.stop()
    expect(await findLeftBehind(installation)).toEqual([])
  })
})

describe.skipIf(!boxHere.ok)('a box', () => {
  it('ends with its daemon, together with the proxy of the boxes', async () => {
    const installation = await install('sqlite')
    const daemon = installation.start()
    await daemon.ready
    await askFor(installation, kind('chained'), 'chained')
    await untilAgents(installation)
    daemon.kill()
    await daemon.ended
    await expect.poll(() => processesOf(installation.home)).toEqual([])
  })
})

describe('processesOf', () => {
  it('finds every process of a home', async () => {
    const installation = await install('sqlite', { isBoxed: false })
    const daemon = installation.start()
    await daemon.ready
    expect(processesOf(installation.home).map(({ pid }) => pid)).toEqual([daemon.pid])
    await askFor(installation, kind('chained'), 'chained')
    await untilAgents(installation)
    daemon.kill()
    await daemon.ended
    const left = processesOf(installation.home)
    expect(left.length).toBeGreaterThan(0)
    expect(left.every(({ launchId }) => launchId !== null)).toBe(true)
    expect((await findLeftBehind(installation)).length).toBeGreaterThan(0)
  })
})

async function untilAgents({ home }: Installation): Promise<void> {
  while (!processesOf(home).some(({ launchId }) => launchId !== null)) await pause(5)
}
