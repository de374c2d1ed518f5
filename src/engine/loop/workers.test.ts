import { expect, it } from 'vitest'

import { type AgencyOptions, openAgency, startAgency, type TestAgency, work } from '../../../test/support/agency.ts'
import { type SlowCommands, slowCommands } from '../../../test/support/slow-commands.ts'
import { describeStores } from '../../../test/support/store.ts'
import { createVirtualClock } from '../../../test/support/virtual-clock.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import { refusal } from '../../kernel/errors.ts'
import type { Workspaces } from '../../workspaces/port.ts'

const hang: StepInput[] = [{ hang: {} }]
const turn = () => new Promise((resolve) => setImmediate(resolve))

describeStores('two workers on one store', (openFresh, kind) => {
  it('launch each of 200 briefs exactly once', { timeout: 60_000 }, async () => {
    const one = await startAgency(openFresh, { worker: 'one:1', slots: 16 })
    const db = kind === 'postgres' ? await one.store.open() : one.store.db
    const two = await openAgency({ db, clock: one.clock, worker: 'two:1', slots: 16 })
    await two.engine.start()
    const briefs = Array.from({ length: 200 }, (_, index) => ({ key: `b${index}`, objective: 'Do it' }))
    const begun = await one.run({ briefs })
    await one.until(async () => {
      // A process looks for the work of others at most once in a quarter of a second.
      one.clock.advance(250)
      return (await one.runs.show(begun.id)).endedAt !== null
    })
    const run = await one.settled(begun)
    expect(run).toMatchObject({ status: 'done', briefsDone: 200 })
    const { briefs: rows, attempts } = await one.inspect(run)
    expect(rows.every((row) => row.status === 'done' && row.attempts === 1)).toBe(true)
    expect(attempts).toHaveLength(200)
    expect(attempts.every((attempt) => attempt.outcome === 'ok')).toBe(true)
    expect(one.prompts.size + two.prompts.size).toBe(200)
    expect(new Set(attempts.map((attempt) => attempt.worker))).toEqual(new Set(['one:1', 'two:1']))
  })

  const seconds = 1_000
  const lifeAndDeath = async (silence: number) => {
    const clock = createVirtualClock()
    const one = await startAgency(openFresh, { worker: 'one:1', clock })
    const run = await one.run({ play: [hang, work] })
    await one.passed('attempt.started')
    one.die()
    clock.advance(silence)
    const db = kind === 'postgres' ? await one.store.open() : one.store.db
    const two = await openAgency({ db, clock, workspaces: one.workspaces, worker: 'two:1' })
    return { one, two, run, clock }
  }

  it('leave each other’s attempts alone for a minute without a heartbeat', async () => {
    const { two, run } = await lifeAndDeath(59 * seconds)
    await two.engine.start()
    await two.engine.sweep()
    expect(two.soughtSurvivors).toEqual([])
    expect(await two.brief(run)).toMatchObject({ status: 'working', attempts: 1 })
  })

  it('take them over after that', async () => {
    const { two, run } = await lifeAndDeath(61 * seconds)
    await two.engine.start()
    expect(await two.settled(run)).toMatchObject({ status: 'done' })
    expect((await two.inspect(run)).attempts.map(({ worker, outcome }) => [worker, outcome])).toEqual([
      ['one:1', 'interrupted'],
      ['two:1', 'ok'],
    ])
  })

  it.runIf(kind === 'postgres')('take them over while running, too', async () => {
    const { two, run, clock } = await lifeAndDeath(0)
    await two.engine.start()
    clock.advance(90 * seconds)
    expect(await two.settled(run)).toMatchObject({ status: 'done' })
  })

  it.runIf(kind === 'postgres')('blame no agent that the successor of a process has ended', async () => {
    const crash: StepInput[] = [{ log: 'gate killed' }, { crash: { signal: 'SIGKILL' } }]
    const one = await startAgency(openFresh, { worker: 'one:1', mayLogErrors: true })
    const run = await one.run({ play: [crash, work] })
    await one.gate('killed').reached
    await one.store.raw("UPDATE workers SET boot = 2 WHERE id = 'one'")
    one.gate('killed').open()
    await one.engine.idle()
    expect((await one.inspect(run)).attempts).toMatchObject([{ status: 'running', outcome: null }])
    one.die()
    const { clock, workspaces } = one
    const two = await openAgency({ db: await one.store.open(), clock, workspaces, worker: 'one:2' })
    await two.engine.start()
    expect(await two.settled(run)).toMatchObject({ status: 'done' })
    expect((await two.inspect(run)).attempts.map(({ outcome }) => outcome)).toEqual(['interrupted', 'ok'])
  })

  const withDeadExaminer = async (slow: SlowCommands, workspaces: Workspaces) => {
    const clock = createVirtualClock()
    const one = await startAgency(openFresh, { worker: 'one:1', clock, workspaces })
    const run = await one.run({ evidence: [{ kind: 'command', run: 'npm test' }] })
    await slow.begun
    const open = async (worker: string, options: AgencyOptions = {}): Promise<TestAgency> => {
      const db = kind === 'postgres' ? await one.store.open() : one.store.db
      return openAgency({ db, clock, workspaces: slow.workspaces, worker, ...options })
    }
    // Its heartbeats no longer arrive.
    await one.store.raw("UPDATE workers SET heartbeat_at = '2000-01-01T00:00:00.000Z' WHERE id = 'one'")
    return { one, run, open }
  }

  it('take no examination that a third one has taken over', async () => {
    const slow = slowCommands()
    const { one, run, open } = await withDeadExaminer(slow, slow.workspaces)
    one.die()
    const two = await open('two:1')
    const three = await open('three:1', {
      killSurvivors: async () => {
        await two.engine.start()
        while (slow.count() < 2) await turn()
      },
    })
    await three.engine.start()
    await three.engine.sweep()
    expect((await two.inspect(run)).attempts).toMatchObject([{ status: 'examining', worker: 'two:1' }])
    slow.finish()
    expect(await two.settled(run)).toMatchObject({ status: 'done' })
    expect(slow.count()).toBe(2)
  })

  it('of which one was taken for dead drop what it still finds', async () => {
    const slow = slowCommands()
    const failure = Promise.withResolvers<never>()
    const failing: Workspaces = {
      ...slow.workspaces,
      checkout: async (request) => {
        const checkout = await slow.workspaces.checkout(request)
        return { ...checkout, run: (text, limits) => Promise.race([checkout.run(text, limits), failure.promise]) }
      },
    }
    const { one, run, open } = await withDeadExaminer(slow, failing)
    const two = await open('two:1', { slots: 1 })
    await two.engine.start()
    while (slow.count() < 2) await turn()
    expect((await two.inspect(run)).attempts).toMatchObject([{ status: 'examining', worker: 'two:1' }])
    failure.reject(refusal('bug', 'a fault'))
    while (one.engine.examining() > 0) await turn()
    slow.finish()
    expect(await two.settled(run)).toMatchObject({ status: 'done' })
    expect((await two.inspect(run)).questions).toEqual([])
  })

  it('never take the work of their own successor', async () => {
    const left = await startAgency(openFresh, { worker: 'one:1' })
    const next = await openAgency({ db: left.store.db, clock: left.clock, worker: 'one:2' })
    await left.engine.stop()
    await next.engine.start()
    const run = await next.run({ play: [hang] })
    await next.passed('attempt.started')
    const ghost = await openAgency({ db: left.store.db, clock: left.clock, worker: 'one:1' })
    await ghost.engine.start()
    expect(ghost.soughtSurvivors).toEqual([])
    expect(await next.brief(run)).toMatchObject({ status: 'working', attempts: 1 })
  })
})

describeStores('a lost wake-up', (openFresh) => {
  it('is compensated by the sweep within half a minute', async () => {
    const clock = createVirtualClock()
    const { db } = await openFresh({ clock })
    const deaf = await openAgency({ db: { ...db, onCommit: () => () => {} }, clock })
    await deaf.engine.start()
    await deaf.engine.idle()
    const hearing = await openAgency({ db, clock })
    const started = await hearing.run()
    await deaf.engine.idle()
    expect(await hearing.brief(started)).toMatchObject({ status: 'pending', attempts: 0 })
    clock.advance(30_000)
    expect(await hearing.settled(started)).toMatchObject({ status: 'done' })
  })
})
