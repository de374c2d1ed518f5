import { expect, it, onTestFinished } from 'vitest'

import { createGate } from '../../test/support/gate.ts'
import { describePostgres, describeStores, type OpenFresh } from '../../test/support/store.ts'
import { createVirtualClock, type VirtualClock } from '../../test/support/virtual-clock.ts'
import type { Db } from '../db/port.ts'
import { sqlOf } from '../db/tx.ts'
import { noChaos } from '../kernel/chaos-point.ts'
import { systemIds } from '../kernel/ids.ts'
import { createJobs, type Handler, type Jobs, type KindOptions, type NewJob } from './queue.ts'

const leaseMs = 120_000

interface Scene {
  db: Db
  clock: VirtualClock
  jobs: Jobs
  /** Payloads of jobs that began, in order. */
  begun: unknown[]
  add(...jobs: NewJob[]): Promise<void>
  pass(ms: number): Promise<void>
}

/** Opens a store with one worker, whose jobs of kind `send` call `handler` after they were counted. */
async function scene(openFresh: OpenFresh, handler: Handler = async () => {}, options?: KindOptions): Promise<Scene> {
  const clock = createVirtualClock()
  const { db } = await openFresh({ clock })
  const begun: unknown[] = []
  const count: Handler = async (job) => {
    begun.push(job.payload)
    await handler(job)
  }
  const jobs = worker(db, clock, 'w1', count, options)
  await jobs.start()
  onTestFinished(() => jobs.stop())
  return {
    db,
    clock,
    jobs,
    begun,
    add: (...added) =>
      db.write([], async (tx) => {
        for (const job of added) await jobs.enqueue(tx, job)
      }),
    async pass(ms) {
      clock.advance(ms)
      await jobs.settled()
    },
  }
}

function worker(db: Db, clock: VirtualClock, name: string, handler: Handler, options?: KindOptions): Jobs {
  const jobs = createJobs({ db, clock, ids: systemIds, worker: name, chaosPoint: noChaos, leaseMs })
  jobs.handle('send', handler, options)
  return jobs
}

const send = (payload: string, more: Partial<NewJob> = {}): NewJob => ({ kind: 'send', payload, lane: 'a', ...more })

const broken: Handler = ({ payload }) => (payload === 'bad' ? Promise.reject(new Error('no')) : Promise.resolve())

describeStores('the jobs of a lane', (openFresh) => {
  it('run one after the other in the order in which they were added, beside those of other lanes', async () => {
    const gates = new Map(['1', '2', '3', 'other', 'none'].map((name) => [name, createGate()]))
    const { add, begun, jobs } = await scene(openFresh, async ({ payload }) => gates.get(String(payload))?.opened)
    await add(send('1'), send('2'), send('3'), send('other', { lane: 'b' }), { kind: 'send', payload: 'none' })
    await jobs.sweep()
    expect(begun).toHaveLength(3)
    expect([...begun].sort()).toEqual(['1', 'none', 'other'])
    for (const gate of gates.values()) gate.open()
    await jobs.settled()
    expect(begun.filter((name) => /\d/.test(String(name)))).toEqual(['1', '2', '3'])
  })

  it('keep their order, not that of their due times', async () => {
    const { add, begun, pass } = await scene(openFresh)
    await add(send('1', { delayMs: 10_000 }), send('2'))
    await pass(9_999)
    expect(begun).toEqual([])
    await pass(1)
    expect(begun).toEqual(['1', '2'])
  })

  it('wait while the first one backs off, and go on when it is given up', async () => {
    const { add, begun, jobs, pass } = await scene(openFresh, broken, { backoff: [2_000, 10_000, 60_000] })
    await add(send('bad', { maxTries: 5 }), send('next'))
    await jobs.settled()
    for (const ms of [2_000, 10_000, 60_000]) {
      await pass(ms - 1)
      const before = begun.length
      await pass(1)
      expect(begun.length).toBe(before + 1)
    }
    expect(begun).toEqual(['bad', 'bad', 'bad', 'bad'])
    await pass(60_000)
    expect(begun).toEqual(['bad', 'bad', 'bad', 'bad', 'bad', 'next'])
    expect(await jobs.listDead()).toMatchObject([{ payload: 'bad', tries: 5, error: 'no', lane: 'a' }])
  })

  it('wait for a retry of the first one if its kind holds the lane', async () => {
    let isBroken = true
    const { add, begun, jobs, pass } = await scene(openFresh, async (job) => (isBroken ? broken(job) : undefined), {
      holdsLaneWhenDead: true,
    })
    await add(send('bad', { maxTries: 1 }), send('next'))
    await jobs.settled()
    await add(send('last'))
    await pass(3_600_000)
    expect(begun).toEqual(['bad'])
    isBroken = false
    const [dead] = await jobs.listDead()
    expect(await jobs.retry(dead!.id)).toMatchObject({ outcome: 'retried', job: { id: dead!.id, status: 'waiting' } })
    await jobs.settled()
    expect(begun).toEqual(['bad', 'bad', 'next', 'last'])
    expect(await jobs.retry(dead!.id)).toBeNull()
  })

  it('set no timer while they wait, except to renew the lease of the one that runs', async () => {
    const gate = createGate()
    const { add, clock, jobs } = await scene(openFresh, () => gate.opened)
    await add(send('1'), send('2'))
    await jobs.sweep()
    const timers = clock.timers()
    gate.open()
    await jobs.settled()
    expect(timers).toBe(1)
  })

  it('go to the end of the lane when they are requested again while they run', async () => {
    const gate = createGate()
    const { add, begun, jobs } = await scene(openFresh, () => gate.opened)
    await add(send('1', { key: 'k' }), send('2'))
    await jobs.sweep()
    await add(send('1', { key: 'k' }))
    gate.open()
    await jobs.settled()
    expect(begun).toEqual(['1', '2', '1'])
  })

  it('are resumed in order after a kill of the worker that ran the first one', async () => {
    const clock = createVirtualClock()
    const { db } = await openFresh({ clock })
    // The timers of a killed worker never fire.
    const killed = worker(db, createVirtualClock(), 'killed', () => new Promise(() => {}))
    await db.write([], async (tx) => {
      for (const name of ['1', '2']) await killed.enqueue(tx, send(name))
    })
    await killed.start()
    const begun: unknown[] = []
    const heir = worker(db, clock, 'heir', async (job) => void begun.push(job.payload))
    await heir.start()
    await heir.settled()
    expect(begun).toEqual([])
    clock.advance(leaseMs)
    await heir.sweep()
    await heir.settled()
    expect(begun).toEqual(['1', '2'])
    await heir.stop()
  })

  it('are found by an index', async () => {
    const { db, jobs } = await scene(openFresh)
    await db.write([], async (tx) => {
      for (let index = 0; index < 500; index++) await jobs.enqueue(tx, send(String(index), { delayMs: 1_000 }))
    })
    const look = `SELECT 1 FROM jobs AS earlier WHERE earlier.lane = 'a' AND earlier.holds_lane = 1 AND (earlier.seq, earlier.id) < (3, 'x')`
    const plan = await db.read((tx) =>
      sqlOf(tx).all(db.kind === 'sqlite' ? `EXPLAIN QUERY PLAN ${look}` : `EXPLAIN ${look}`),
    )
    expect(JSON.stringify(plan)).toContain('jobs_by_lane')
  })
})

describeStores('a job that was given up', (openFresh) => {
  it('is retried with all its tries', async () => {
    const { add, begun, jobs, pass } = await scene(openFresh, broken)
    await add({ kind: 'send', payload: 'bad', maxTries: 2 })
    await jobs.settled()
    await pass(1_000)
    const [dead] = await jobs.listDead()
    expect(await jobs.retry(dead!.id)).toMatchObject({ outcome: 'retried', job: { tries: 0 } })
    await jobs.settled()
    await pass(1_000)
    expect(begun).toHaveLength(4)
    expect(await jobs.listDead()).toMatchObject([{ tries: 2 }])
  })

  it('is removed when it is retried while another one waits under its key', async () => {
    const { add, begun, jobs, pass } = await scene(openFresh, broken)
    await add({ kind: 'send', payload: 'bad', key: 'k', maxTries: 1 })
    await jobs.settled()
    await add({ kind: 'send', payload: 'good', key: 'k', delayMs: 5_000 })
    const [dead] = await jobs.listDead()
    expect(await jobs.retry(dead!.id)).toMatchObject({ outcome: 'joined', job: { payload: 'good' } })
    expect(await jobs.listDead()).toEqual([])
    await pass(5_000)
    expect(begun).toEqual(['bad', 'good'])
  })
})

describePostgres('two workers on one lane', (openFresh) => {
  it('never run two of its jobs at once, and keep their order', async () => {
    const clock = createVirtualClock()
    const store = await openFresh({ clock })
    const second = await store.open()
    const begun: number[] = []
    let running = 0
    let most = 0
    const handler: Handler = async ({ payload }) => {
      most = Math.max(most, ++running)
      begun.push(Number(payload))
      await new Promise<void>((resolve) => setImmediate(resolve))
      running--
    }
    const all = [worker(store.db, clock, 'w1', handler), worker(second, clock, 'w2', handler)]
    await store.db.write([], async (tx) => {
      for (let index = 0; index < 60; index++) await all[0]?.enqueue(tx, { kind: 'send', payload: index, lane: 'a' })
    })
    await Promise.all(all.map((jobs) => jobs.start()))
    while (begun.length < 60) {
      await Promise.all(all.map((jobs) => jobs.sweep()))
      await Promise.all(all.map((jobs) => jobs.settled()))
    }
    await Promise.all(all.map((jobs) => jobs.stop()))
    expect(begun).toEqual(Array.from({ length: 60 }, (_, index) => index))
    expect(most).toBe(1)
  })

  it('run one at a time also if an earlier job is committed while a later one runs', async () => {
    const clock = createVirtualClock()
    const { db, raw, open } = await openFresh({ clock })
    const gate = createGate()
    const started = createGate()
    let running = 0
    let most = 0
    const handler: Handler = async () => {
      most = Math.max(most, ++running)
      started.open()
      await gate.opened
      running--
    }
    const first = worker(db, clock, 'w1', handler)
    const second = worker(await open(), clock, 'w2', handler)
    await first.start()
    await db.write([], (tx) => first.enqueue(tx, send('late')))
    await started.opened
    await db.write([], (tx) => first.enqueue(tx, send('early')))
    // As if its transaction had begun before the other one.
    await raw(`UPDATE jobs SET seq = 0 WHERE payload = '"early"'`)
    await second.start()
    await second.sweep()
    expect(running).toBe(1)
    gate.open()
    await first.settled()
    await second.settled()
    await Promise.all([first.stop(), second.stop()])
    expect(most).toBe(1)
  })
})
