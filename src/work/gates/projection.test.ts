import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { expect, it } from 'vitest'

import { openAgency, type TestAgency } from '../../../test/support/agency.ts'
import { describePostgres, describeStores, freshFolder, type OpenFresh } from '../../../test/support/store.ts'
import { createVirtualClock } from '../../../test/support/virtual-clock.ts'
import { operator } from '../../../test/support/work.ts'
import type { ChaosPointName } from '../../kernel/chaos-point.ts'
import { gateFile } from './projection.ts'

interface Shown {
  gates: Record<string, unknown>[]
}

async function scene(openFresh: OpenFresh) {
  const path = join(freshFolder(), 'workspace', 'pending_gates.json')
  const clock = createVirtualClock()
  const store = await openFresh({ clock })
  const options = { db: store.db, clock, projections: [gateFile(path)] }
  const shown = (): Shown => JSON.parse(readFileSync(path, 'utf8')) as Shown
  return {
    path,
    clock,
    store,
    shown,
    options,
    /** Waits for the jobs, then reads the file. */
    async read(agency: TestAgency): Promise<Shown> {
      await agency.pass(0)
      return shown()
    },
  }
}

async function startScene(openFresh: OpenFresh) {
  const made = await scene(openFresh)
  const agency = await openAgency(made.options)
  await agency.engine.start()
  return { ...made, agency }
}

const runsIn = ({ gates }: Shown): unknown[] => gates.map((gate) => gate['run_id'])

describeStores('the file of pending gates', (openFresh) => {
  it('appears with the first one, and each is gone when decided', async () => {
    const { agency, read, path } = await startScene(openFresh)
    const [first, second] = [await agency.run({ planGate: true }), await agency.run({ planGate: true })]
    const before = await read(agency)
    expect(runsIn(before).sort()).toEqual([first.id, second.id].sort())
    expect(Object.keys(before.gates[0] ?? {})).toEqual(['run_id', 'gate', 'pending_since', 'summary'])
    expect(before.gates[0]).toMatchObject({
      gate: 'plan',
      pending_since: '2030-01-01T00:00:00.000Z',
      summary: { produced: expect.stringContaining('A plan of 1 brief') as never },
    })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    await agency.gates.approve(operator, { target: first.id })
    expect(runsIn(await read(agency))).toEqual([second.id])
    await agency.gates.pause(operator, second.id, undefined)
    expect((await read(agency)).gates.map((gate) => gate['gate'])).toEqual(['plan', 'manual'])
    await agency.runs.cancel(operator, second.id, undefined)
    expect(await read(agency)).toEqual({ gates: [] })
    expect(readdirSync(dirname(path))).toEqual(['pending_gates.json'])
  })

  it('replaces foreign content completely', async () => {
    const { agency, read, path } = await startScene(openFresh)
    const first = await agency.run({ planGate: true })
    await read(agency)
    writeFileSync(path, '{"gates": [')
    const second = await agency.run({ planGate: true })
    expect(runsIn(await read(agency)).sort()).toEqual([first.id, second.id].sort())
  })

  it('is written as soon as it can be, and stops no run meanwhile', async () => {
    const { agency, path, shown } = await startScene(openFresh)
    writeFileSync(dirname(path), 'in the way')
    const run = await agency.run({ planGate: true })
    await agency.pass(0)
    expect(agency.logged).toMatchObject([
      { level: 'warn', message: 'the file of pending_gates could not be written; it will be tried again' },
    ])
    const other = await agency.run({ planGate: true })
    await agency.gates.approve(operator, { target: run.id })
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    rmSync(dirname(path))
    await agency.pass(30_000)
    expect(runsIn(shown())).toEqual([other.id])
  })

  it('is written after a kill before the job began', async () => {
    const { options, read } = await scene(openFresh)
    const killed = await openAgency(options)
    const run = await killed.run({ planGate: true })
    killed.die()
    const heir = await openAgency(options)
    await heir.engine.start()
    expect(runsIn(await read(heir))).toEqual([run.id])
  })

  it.each<ChaosPointName>(['job.claimed', 'job.ran'])('is written after a kill at %s', async (fatal) => {
    const { options, read, path } = await scene(openFresh)
    const killed = await openAgency({ ...options, chaosPoint: (point) => point === fatal && killed.die() })
    await killed.engine.start()
    const run = await killed.run({ planGate: true })
    await killed.passed(fatal)
    rmSync(path, { force: true })
    const heir = await openAgency(options)
    await heir.engine.start()
    expect(runsIn(await read(heir))).toEqual([run.id])
  })

  it('is never seen half written, nor older than before', async () => {
    const { agency, path, read } = await startScene(openFresh)
    const counts: number[] = []
    let isOver = false
    const watching = (async () => {
      while (!isOver) {
        const text = await readFile(path, 'utf8').catch(() => null)
        if (text !== null) counts.push((JSON.parse(text) as Shown).gates.length)
        await new Promise<void>((resolve) => setImmediate(resolve))
      }
    })()
    for (let round = 0; round < 20; round++) await agency.run({ planGate: true })
    expect((await read(agency)).gates).toHaveLength(20)
    isOver = true
    await watching
    expect(counts).toEqual([...counts].sort((a, b) => a - b))
    expect(counts.length).toBeGreaterThan(0)
  })
})

describePostgres('the file of pending gates', (openFresh) => {
  it('shows the gates that another process has opened', async () => {
    const { agency, clock, store, shown } = await startScene(openFresh)
    const other = await openAgency({ db: await store.open(), clock, worker: 'other:1' })
    const run = await other.run({ planGate: true })
    await agency.passed('job.ran')
    expect(runsIn(shown())).toEqual([run.id])
  })
})
