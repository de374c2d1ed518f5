import { expect, it } from 'vitest'

import { describeStores } from '../../test/support/store.ts'
import { createVirtualClock } from '../../test/support/virtual-clock.ts'
import type { Db } from '../db/port.ts'
import { noChaos } from '../kernel/chaos-point.ts'
import type { Clock } from '../kernel/clock.ts'
import { systemIds } from '../kernel/ids.ts'
import { createJobs, type Handler, type Jobs } from './queue.ts'

const hour = 3_600_000

const queue = async (db: Db, clock: Clock, worker: string, handler: Handler): Promise<Jobs> => {
  const jobs = createJobs({ db, clock, ids: systemIds, worker, chaosPoint: noChaos })
  jobs.handle('work', handler)
  await jobs.start()
  return jobs
}

describeStores('a job', (openFresh, kind) => {
  it('keeps its lease while the clock of its machine is set an hour forwards and back', async () => {
    const clock = createVirtualClock()
    const { db, raw } = await openFresh({ clock })
    const ran: string[] = []
    const held = Promise.withResolvers<void>()
    const jobs = await queue(db, clock, 'one:1', async ({ payload }) => {
      ran.push(String(payload))
      if (payload === 'long') await held.promise
    })
    const enqueue = (payload: string): Promise<unknown> =>
      db.write([], (tx) => jobs.enqueue(tx, { kind: 'work', payload }))
    const leaseEnds = async (): Promise<unknown> => (await raw('SELECT claimed_until FROM jobs'))[0]?.['claimed_until']
    const reached = async (payload: string): Promise<void> => {
      while (!ran.includes(payload)) await new Promise((resolve) => setImmediate(resolve))
    }
    await enqueue('long')
    await reached('long')
    clock.jump(hour)
    // The lease seems to have ended when the next job is claimed.
    await enqueue('short')
    await reached('short')
    await jobs.sweep()
    expect(await leaseEnds()).toBe('2030-01-01T01:02:00.000Z')
    clock.jump(-hour)
    await jobs.sweep()
    expect(await leaseEnds()).toBe('2030-01-01T00:02:00.000Z')
    held.resolve()
    await jobs.settled()
    expect(ran).toEqual(['long', 'short'])
    expect(await jobs.listDead()).toEqual([])
    await jobs.stop()
  })

  if (kind === 'sqlite') return

  it('is neither stolen nor lost by a process whose clock is an hour off', async () => {
    const server = createVirtualClock()
    const { open } = await openFresh({ clock: server })
    const ahead = createVirtualClock('2030-01-01T01:00:00.000Z')
    const behind = createVirtualClock('2029-12-31T23:00:00.000Z')
    const ran: string[] = []
    const held = Promise.withResolvers<void>()
    const one = await queue(await open({ clock: behind, serverClock: server }), behind, 'one:1', async () => {
      ran.push('one')
      await held.promise
    })
    const db = await open({ clock: behind, serverClock: server })
    await db.write([], (tx) => one.enqueue(tx, { kind: 'work' }))
    while (ran.length === 0) await new Promise((resolve) => setImmediate(resolve))
    const two = await queue(await open({ clock: ahead, serverClock: server }), ahead, 'two:1', async () => {
      ran.push('two')
    })
    await two.sweep()
    await two.settled()
    expect(ran).toEqual(['one'])
    held.resolve()
    await one.settled()
    for (const jobs of [one, two]) await jobs.stop()
    expect(await one.listDead()).toEqual([])
  })

  it('is due after its delay by the time of the server, whatever the clock of the process shows', async () => {
    const server = createVirtualClock()
    const { open } = await openFresh({ clock: server })
    for (const start of ['2030-01-01T01:00:00.000Z', '2029-12-31T23:00:00.000Z']) {
      const clock = createVirtualClock(start)
      const db = await open({ clock, serverClock: server })
      let runs = 0
      const jobs = await queue(db, clock, 'one:1', async () => void runs++)
      await db.write([], (tx) => jobs.enqueue(tx, { kind: 'work', delayMs: 10_000 }))
      await jobs.settled()
      expect(runs).toBe(0)
      server.advance(10_000)
      clock.advance(10_000)
      await jobs.settled()
      expect(runs).toBe(1)
      await jobs.stop()
    }
  })
})
