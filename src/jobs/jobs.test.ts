import { spawnSync } from 'node:child_process'

import { expect, it, onTestFinished, vi } from 'vitest'

import { createGate } from '../../test/support/gate.ts'
import { describeStores, type FreshStore, type OpenFresh } from '../../test/support/store.ts'
import { createVirtualClock, type VirtualClock } from '../../test/support/virtual-clock.ts'
import type { Db } from '../db/port.ts'
import { sqlOf } from '../db/tx.ts'
import { appendEvent } from '../events/append.ts'
import { systemIds } from '../kernel/ids.ts'
import { noChaos } from '../kernel/chaos-point.ts'
import { createJobs, type Handler, type JobDeps, type Jobs, type KindOptions, type NewJob } from './queue.ts'

const leaseMs = 120_000

interface Scene extends FreshStore {
  clock: VirtualClock
  jobs: Jobs
  /** Jobs that ran, as `kind payload at`. */
  ran: string[]
  add(job: NewJob): Promise<boolean>
  /** Advances the clock, and waits at each timer for the jobs that it started. */
  pass(ms: number): Promise<void>
  rows(): Promise<number>
}

async function scene(
  openFresh: OpenFresh,
  handlers: Record<string, Handler> = {},
  deps: Partial<JobDeps> = {},
  options: Record<string, KindOptions> = {},
): Promise<Scene> {
  const clock = createVirtualClock()
  const store = await openFresh({ clock })
  const ran: string[] = []
  const jobs = createJobs({ db: store.db, clock, ids: systemIds, worker: 'w1', chaosPoint: noChaos, ...deps })
  const note: Handler = async (job) => void ran.push(`${job.kind} ${String(job.payload)} ${clock.at().slice(11, 19)}`)
  for (const [kind, handler] of Object.entries({ note, ...handlers })) jobs.handle(kind, handler, options[kind])
  await jobs.start()
  onTestFinished(() => jobs.stop())
  return {
    ...store,
    clock,
    jobs,
    ran,
    add: (job) => store.db.write([], (tx) => jobs.enqueue(tx, job)),
    async pass(ms) {
      for (let left = ms; ;) {
        const step = Math.min(clock.untilNext() ?? left, left)
        clock.advance(step)
        await jobs.settled()
        left -= step
        if (left === 0) return
      }
    },
    rows: () => count(store.db),
  }
}

const count = (db: Db): Promise<number> =>
  db.read(async (tx) => Number((await sqlOf(tx).get('SELECT COUNT(*) AS rows FROM jobs'))?.['rows']))

const firstDue = (db: Db): Promise<unknown> =>
  db.read(async (tx) => (await sqlOf(tx).get("SELECT MIN(due_at) AS due FROM jobs WHERE status = 'waiting'"))?.['due'])

describeStores('a job', (openFresh) => {
  it('runs once after its transaction, and its row is deleted', async () => {
    const { add, jobs, ran, rows } = await scene(openFresh)
    expect(await add({ kind: 'note', payload: 'a' })).toBe(true)
    await jobs.settled()
    expect(ran).toEqual(['note a 00:00:00'])
    expect(await rows()).toBe(0)
  })

  it('of a failed transaction never runs', async () => {
    const { db, jobs, ran, rows } = await scene(openFresh)
    const writing = db.write([], async (tx) => {
      await jobs.enqueue(tx, { kind: 'note' })
      throw new Error('no')
    })
    await expect(writing).rejects.toThrow('no')
    await jobs.sweep()
    expect([ran, await rows()]).toEqual([[], 0])
  })

  it('runs when it is due and not before, in the order of due times', async () => {
    const { add, jobs, ran, pass, clock } = await scene(openFresh)
    await add({ kind: 'note', payload: 'later', delayMs: 60_000 })
    await add({ kind: 'note', payload: 'soon', delayMs: 10_000 })
    await add({ kind: 'note', payload: 'at noon', dueAt: '2030-01-01T12:00:00.000Z' })
    await jobs.settled()
    await pass(9_999)
    expect(ran).toEqual([])
    expect(clock.timers()).toBe(1)
    await pass(1)
    await pass(50_000)
    await pass(12 * 3_600_000)
    expect(ran).toEqual(['note soon 00:00:10', 'note later 00:01:00', 'note at noon 12:00:00'])
  })

  it('that became due while the queue was stopped runs at the next start', async () => {
    const clock = createVirtualClock()
    const { db } = await openFresh({ clock })
    const early = createJobs({ db, clock, ids: systemIds, worker: 'w1', chaosPoint: noChaos })
    await db.write([], (tx) => early.enqueue(tx, { kind: 'note', payload: 'x' }))
    const ran: unknown[] = []
    const jobs = createJobs({ db, clock, ids: systemIds, worker: 'w1', chaosPoint: noChaos })
    jobs.handle('note', async (job) => void ran.push(job.payload))
    await jobs.start()
    await jobs.settled()
    expect(ran).toEqual(['x'])
    await jobs.stop()
  })

  it('receives its payload unchanged', async () => {
    const got: unknown[] = []
    const { add, jobs } = await scene(openFresh, { keep: async (job) => void got.push(job.payload) })
    const payload = { text: 'ünï 😀 \0', list: [1, null, true], deep: { x: 0.5 } }
    await add({ kind: 'keep', payload })
    await jobs.settled()
    await add({ kind: 'keep' })
    await jobs.settled()
    expect(got).toEqual([payload, null])
  })

  it('is not claimed by a worker without a handler for its kind', async () => {
    const { add, jobs, rows, clock, db } = await scene(openFresh)
    await add({ kind: 'of a newer version' })
    await jobs.sweep()
    await jobs.settled()
    expect(await rows()).toBe(1)
    const before = db.statements()
    clock.advance(3_600_000)
    await jobs.settled()
    expect(db.statements()).toBe(before)
  })

  it('waits while the maximum number of jobs is running', async () => {
    const gates = Array.from({ length: 5 }, createGate)
    const begun: unknown[] = []
    const { add, jobs } = await scene(
      openFresh,
      {
        slow: async (job) => {
          begun.push(job.payload)
          await gates[Number(job.payload)]?.opened
        },
      },
      { concurrency: 2 },
    )
    for (const index of [0, 1, 2, 3, 4]) await add({ kind: 'slow', payload: index })
    await jobs.sweep()
    const atFirst = begun.length
    for (const gate of gates) gate.open()
    await jobs.settled()
    expect(atFirst).toBe(2)
    expect(begun.sort()).toEqual([0, 1, 2, 3, 4])
  })
})

describeStores('a job with a key', (openFresh) => {
  it('is added once per kind while one is waiting', async () => {
    const { add, rows, ran, pass } = await scene(openFresh)
    expect(await add({ kind: 'note', payload: 'first', key: 's', delayMs: 1_000 })).toBe(true)
    expect(await add({ kind: 'note', payload: 'second', key: 's', delayMs: 1_000 })).toBe(false)
    expect(await add({ kind: 'other', key: 's', delayMs: 1_000 })).toBe(true)
    expect(await add({ kind: 'note', payload: 'third', key: 't', delayMs: 1_000 })).toBe(true)
    expect(await rows()).toBe(3)
    await pass(1_000)
    expect(ran.sort()).toEqual(['note first 00:00:01', 'note third 00:00:01'])
    expect(await add({ kind: 'note', key: 's' })).toBe(true)
  })

  it('runs at the earlier of two times', async () => {
    const { add, ran, pass } = await scene(openFresh)
    await add({ kind: 'note', payload: 'x', key: 's', delayMs: 60_000 })
    await add({ kind: 'note', payload: 'y', key: 's', delayMs: 5_000 })
    await add({ kind: 'note', payload: 'z', key: 's', delayMs: 30_000 })
    await pass(5_000)
    expect(ran).toEqual(['note x 00:00:05'])
  })

  it('that is requested while it runs is run once more, because it may have read too early', async () => {
    const begun = createGate()
    const release = createGate()
    let runs = 0
    const { add, jobs, rows } = await scene(openFresh, {
      look: async () => {
        runs++
        begun.open()
        await release.opened
      },
    })
    await add({ kind: 'look', key: 's' })
    await begun.opened
    expect(await add({ kind: 'look', key: 's' })).toBe(false)
    expect(await add({ kind: 'look', key: 's' })).toBe(false)
    release.open()
    await jobs.settled()
    expect([runs, await rows()]).toEqual([2, 0])
  })

  it('that is requested concurrently is added once', async () => {
    const { add, rows } = await scene(openFresh)
    const added = await Promise.all(Array.from({ length: 8 }, () => add({ kind: 'note', key: 's', delayMs: 1_000 })))
    expect(added.filter(Boolean)).toHaveLength(1)
    expect(await rows()).toBe(1)
  })
})

describeStores('a job that fails', (openFresh) => {
  it('is tried again after 1 s, 2 s, 4 s, never more than an hour, then given up', async () => {
    const times: number[] = []
    const { add, jobs, pass, clock } = await scene(openFresh, {
      fail: async () => {
        times.push(clock.nowMs())
        throw new Error('no such luck with sk-abcdefghijk1')
      },
    })
    await add({ kind: 'fail', maxTries: 15, payload: 'x' })
    await jobs.settled()
    while ((await jobs.listDead()).length === 0 && times.length < 20) await pass(3_600_000)
    const waits = times.slice(1).map((time, index) => (time - (times[index] as number)) / 1_000)
    expect(waits.slice(0, 12)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048])
    expect(waits.slice(12)).toEqual([3_600, 3_600])
    expect(await jobs.listDead()).toMatchObject([
      { kind: 'fail', payload: 'x', tries: 15, error: 'no such luck with [redacted]' },
    ])
  })

  it('and then succeeds starts again with no failures', async () => {
    const seen: number[] = []
    const { add, jobs, pass, rows } = await scene(openFresh, {
      flaky: async (job) => {
        seen.push(job.tries)
        if (job.tries < 2) throw new Error('not yet')
      },
    })
    await add({ kind: 'flaky' })
    await jobs.settled()
    await pass(1_000)
    await pass(2_000)
    expect(seen).toEqual([0, 1, 2])
    expect(await rows()).toBe(0)
    expect(await jobs.listDead()).toEqual([])
  })

  it('keeps its backoff when it is requested again', async () => {
    let runs = 0
    const { add, jobs, pass } = await scene(openFresh, {
      fail: async () => {
        runs++
        throw new Error('no')
      },
    })
    await add({ kind: 'fail', key: 's' })
    await jobs.settled()
    await pass(1_000)
    expect(runs).toBe(2)
    await add({ kind: 'fail', key: 's' })
    await pass(1_999)
    expect(runs).toBe(2)
    await pass(1)
    expect(runs).toBe(3)
  })

  it('permanently frees its key for a new job', async () => {
    const { add, jobs } = await scene(openFresh, { fail: () => Promise.reject(new Error('no')) })
    await add({ kind: 'fail', key: 's', maxTries: 1 })
    await jobs.settled()
    expect(await jobs.listDead()).toHaveLength(1)
    expect(await add({ kind: 'fail', key: 's', delayMs: 1_000 })).toBe(true)
  })
})

describeStores('a schedule', (openFresh) => {
  it('runs at its times in UTC, again and again, as one row', async () => {
    const { add, ran, pass, rows } = await scene(openFresh)
    await add({ kind: 'note', payload: 'nightly', schedule: '30 3 * * *', key: 'nightly' })
    expect(await add({ kind: 'note', schedule: '30 3 * * *', key: 'nightly' })).toBe(false)
    await pass(3.5 * 3_600_000)
    await pass(24 * 3_600_000)
    expect(ran).toEqual(['note nightly 03:30:00', 'note nightly 03:30:00'])
    expect(await rows()).toBe(1)
  })

  it('that was missed several times runs once and continues', async () => {
    const { add, jobs, ran, clock, db } = await scene(openFresh)
    await add({ kind: 'note', payload: 'hourly', schedule: '0 * * * *' })
    await jobs.stop()
    clock.advance(10.5 * 3_600_000)
    await jobs.start()
    await jobs.settled()
    expect(ran).toEqual(['note hourly 10:30:00'])
    expect(await firstDue(db)).toBe('2030-01-01T11:00:00.000Z')
  })

  it('continues after a time at which it failed permanently', async () => {
    let runs = 0
    const { add, jobs, pass, db } = await scene(openFresh, {
      fail: async () => {
        runs++
        throw new Error('no')
      },
    })
    await add({ kind: 'fail', schedule: '0 * * * *', key: 'hourly', maxTries: 2 })
    await pass(3_600_000)
    await pass(1_000)
    expect(runs).toBe(2)
    expect(await jobs.listDead()).toMatchObject([{ kind: 'fail', tries: 2 }])
    expect(await firstDue(db)).toBe('2030-01-01T02:00:00.000Z')
  })

  it('that is invalid or matches no time is refused', async () => {
    const { add, rows } = await scene(openFresh)
    await expect(add({ kind: 'note', schedule: 'at dawn' })).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(add({ kind: 'note', schedule: '0 0 31 2 *', delayMs: 1 })).rejects.toMatchObject({
      code: 'invalid_input',
    })
    expect(await rows()).toBe(0)
  })
})

describeStores('several workers', (openFresh) => {
  const worker = (db: Db, clock: VirtualClock, name: string, handler: Handler, more: Partial<JobDeps> = {}): Jobs => {
    const jobs = createJobs({ db, clock, ids: systemIds, worker: name, chaosPoint: noChaos, leaseMs, ...more })
    jobs.handle('work', handler)
    return jobs
  }

  it('never run one job twice', async () => {
    const clock = createVirtualClock()
    const store = await openFresh({ clock })
    const second = store.place.kind === 'postgres' ? await store.open() : store.db
    const runs = new Map<string, string[]>()
    const handler =
      (name: string): Handler =>
      async (job) => {
        runs.set(job.id, [...(runs.get(job.id) ?? []), name])
        await new Promise<void>((resolve) => setImmediate(resolve))
      }
    const all = [
      worker(store.db, clock, 'w1', handler('w1'), { concurrency: 4 }),
      worker(second, clock, 'w2', handler('w2'), { concurrency: 4 }),
    ]
    const [first] = all
    await store.db.write([], async (tx) => {
      for (let index = 0; index < 120; index++) await first?.enqueue(tx, { kind: 'work', payload: index })
    })
    await Promise.all(all.map((jobs) => jobs.start()))
    while ((await count(store.db)) > 0) {
      await Promise.all(all.map((jobs) => jobs.sweep()))
      await Promise.all(all.map((jobs) => jobs.settled()))
    }
    await Promise.all(all.map((jobs) => jobs.stop()))
    expect(runs.size).toBe(120)
    expect([...runs.values()].filter((names) => names.length > 1)).toEqual([])
    expect(new Set([...runs.values()].flat())).toEqual(new Set(['w1', 'w2']))
  })

  it('respect each other’s claims, and take over the jobs of a dead worker when its lease expires', async () => {
    const clock = createVirtualClock()
    const { db } = await openFresh({ clock })
    const begun = createGate()
    // The timers of a dead worker never fire.
    const dead = worker(db, createVirtualClock(), 'dead', () => {
      begun.open()
      return new Promise(() => {})
    })
    await dead.start()
    await db.write([], (tx) => dead.enqueue(tx, { kind: 'work' }))
    await begun.opened

    const ran: string[] = []
    const heir = worker(db, clock, 'heir', async (job) => void ran.push(job.id))
    await heir.start()
    clock.advance(leaseMs - 1)
    await heir.sweep()
    await heir.settled()
    expect(ran).toEqual([])
    clock.advance(1)
    await heir.sweep()
    await heir.settled()
    expect(ran).toHaveLength(1)
    expect(await count(db)).toBe(0)
    await heir.stop()
  })

  it.each(['sweeps', 'does not sweep', 'stops'])('do not take over from a slow worker that %s', async (what) => {
    const clock = createVirtualClock()
    const { db, raw } = await openFresh({ clock })
    const leaseEnd = async (): Promise<unknown> => (await raw('SELECT claimed_until FROM jobs'))[0]?.['claimed_until']
    const begun = createGate()
    const release = createGate()
    const slow = worker(db, clock, 'slow', async () => {
      begun.open()
      await release.opened
    })
    let taken = 0
    const other = worker(db, clock, 'other', async () => void taken++)
    await slow.start()
    await db.write([], (tx) => slow.enqueue(tx, { kind: 'work' }))
    await begun.opened
    await other.start()
    const stopped = what === 'stops' ? slow.stop() : null
    for (let minute = 0; minute < 10; minute++) {
      const before = await leaseEnd()
      clock.advance(60_000)
      if (what === 'sweeps') await slow.sweep()
      await vi.waitFor(async () => expect(await leaseEnd()).not.toBe(before), { interval: 1, timeout: 10_000 })
      await other.sweep()
    }
    release.open()
    await (stopped ?? slow.settled())
    expect([taken, await count(db)]).toEqual([0, 0])
    await Promise.all([slow.stop(), other.stop()])
  })

  it('do not let a slow worker with an expired lease change a job that another has taken over', async () => {
    const clock = createVirtualClock()
    const { db } = await openFresh({ clock })
    const begun = createGate()
    const release = createGate()
    // It was halted, so that it could not renew its lease.
    const slow = worker(db, createVirtualClock(), 'slow', async () => {
      begun.open()
      await release.opened
    })
    await slow.start()
    await db.write([], (tx) => slow.enqueue(tx, { kind: 'work' }))
    await begun.opened
    clock.advance(leaseMs)
    const taken = createGate()
    const finish = createGate()
    const other = worker(db, clock, 'other', async () => {
      taken.open()
      await finish.opened
    })
    await other.start()
    await taken.opened
    release.open()
    await slow.settled()
    expect(await count(db)).toBe(1)
    finish.open()
    await other.settled()
    expect(await count(db)).toBe(0)
    await Promise.all([slow.stop(), other.stop()])
  })

  it.each(['job.claimed', 'job.ran'])('resume a job whose process was killed at %s', async (point) => {
    const clock = createVirtualClock()
    const { db, place } = await openFresh({ clock })
    const idle = createJobs({ db, clock, ids: systemIds, worker: 'idle', chaosPoint: noChaos })
    await db.write([], (tx) => idle.enqueue(tx, { kind: 'work', payload: 'precious' }))
    const killed = spawnSync(process.execPath, ['--input-type=module', '--eval', victim, JSON.stringify(place), point])
    expect(killed.signal).toBe('SIGKILL')

    // The killed process used the real clock, far from ours, so the lease does not free the job here.
    const ran: unknown[] = []
    const sameWorker = worker(db, clock, 'victim', async (job) => void ran.push([job.payload, job.tries]))
    await sameWorker.start()
    await sameWorker.settled()
    expect(ran).toEqual([['precious', 0]])
    expect(await count(db)).toBe(0)
    await sameWorker.stop()
  })
})

describeStores('the runner', (openFresh, kind) => {
  it('runs no statement while there is nothing to do, except the sweep', async () => {
    const { db, add, jobs, clock } = await scene(openFresh)
    await add({ kind: 'note', delayMs: 24 * 3_600_000 })
    await jobs.settled()
    const before = db.statements()
    clock.advance(3_600_000)
    await jobs.settled()
    expect(db.statements()).toBe(before)
    await jobs.sweep()
    expect(db.statements() - before).toBeGreaterThan(0)
    expect(db.statements() - before).toBeLessThanOrEqual(6)
  })

  it('passes its chaos points between the commits', async () => {
    const seen: string[] = []
    const { add, jobs } = await scene(
      openFresh,
      { work: async () => void seen.push('handler') },
      { chaosPoint: (point) => void seen.push(point) },
    )
    await add({ kind: 'work' })
    await jobs.settled()
    expect(seen).toEqual(['job.claimed', 'handler', 'job.ran'])
  })

  it('waits for running jobs when it is stopped, and starts no more', async () => {
    const begun = createGate()
    const release = createGate()
    let finished = false
    const { db, add, jobs, ran } = await scene(openFresh, {
      slow: async () => {
        begun.open()
        await release.opened
        finished = true
      },
    })
    await add({ kind: 'slow' })
    await begun.opened
    const stopped = jobs.stop()
    await add({ kind: 'note', payload: 'too late' })
    release.open()
    await stopped
    expect([finished, ran, await count(db)]).toEqual([true, [], 1])
  })

  it('aborts handlers when it stops; a handler that throws then has not failed', async () => {
    const begun = createGate()
    const { db, add, jobs } = await scene(openFresh, {
      patient: ({ signal }) =>
        new Promise((_, reject) => {
          begun.open()
          signal.addEventListener('abort', () => reject(new Error('interrupted')))
        }),
    })
    await add({ kind: 'patient', maxTries: 1 })
    await begun.opened
    await jobs.stop()
    expect(await jobs.listDead()).toEqual([])
    const row = await db.read((tx) => sqlOf(tx).get('SELECT tries, claimed_by, status FROM jobs'))
    expect(row).toEqual({ tries: 0, claimed_by: null, status: 'waiting' })
  })

  it('survives a closed store', async () => {
    const { db, jobs } = await scene(openFresh)
    await db.close()
    await jobs.sweep()
    await expect(jobs.stop()).resolves.toBeUndefined()
  })

  it('runs jobs at the next sweep after the clock jumps ahead, and none early after it jumps back', async () => {
    const { add, jobs, ran, clock, pass } = await scene(openFresh)
    await add({ kind: 'note', payload: 'x', delayMs: 3_600_000 })
    clock.jump(2 * 3_600_000)
    await jobs.sweep()
    await jobs.settled()
    expect(ran).toEqual(['note x 02:00:00'])
    await add({ kind: 'note', payload: 'y', delayMs: 10_000 })
    clock.jump(-3_600_000)
    await pass(10_000)
    expect(ran).toHaveLength(1)
    await pass(3_600_000)
    expect(ran).toHaveLength(2)
  })

  if (kind === 'postgres')
    it('runs a job that another process committed together with an event', async () => {
      const done = createGate()
      const { open, clock, jobs } = await scene(openFresh, { work: async () => done.open() })
      const other = await open()
      const theirs = createJobs({ db: other, clock, ids: systemIds, worker: 'w2', chaosPoint: noChaos })
      await other.write(['system'], async (tx) => {
        await theirs.enqueue(tx, { kind: 'work' })
        await appendEvent(tx, 'system', { kind: 'log', by: 'daemon', message: 'work to do' })
      })
      await done.opened
      await jobs.settled()
      expect(clock.timers()).toBe(0)
    })
})

const victim = `
  import { openStore } from ${JSON.stringify(new URL('../db/open.ts', import.meta.url).href)}
  import { createJobs } from ${JSON.stringify(new URL('./queue.ts', import.meta.url).href)}
  import { systemClock } from ${JSON.stringify(new URL('../kernel/clock.ts', import.meta.url).href)}
  import { systemIds } from ${JSON.stringify(new URL('../kernel/ids.ts', import.meta.url).href)}
  const [place, fatal] = process.argv.slice(1)
  const db = await openStore(JSON.parse(place), { clock: ahead(), serverClock: ahead(), chainKey: new Uint8Array(32).fill(7) })
  const chaosPoint = (point) => point === fatal && process.kill(process.pid, 'SIGKILL')
  const jobs = createJobs({ db, clock: ahead(), ids: systemIds, worker: 'victim', chaosPoint })
  jobs.handle('work', async () => {})
  await jobs.start()
  await jobs.settled()
  // Later than every time that a test uses, so that the job is due.
  function ahead() {
    return { ...systemClock, nowMs: () => Date.parse('2040-01-01'), at: () => '2040-01-01T00:00:00.000Z' }
  }
`
