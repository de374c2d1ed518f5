import { expect, it, onTestFinished } from 'vitest'

import { createGate } from '../../test/support/gate.ts'
import { startServer } from '../../test/support/server.ts'
import { describeStores, type OpenFresh } from '../../test/support/store.ts'
import { createVirtualClock } from '../../test/support/virtual-clock.ts'
import { noChaos } from '../kernel/chaos-point.ts'
import { systemIds } from '../kernel/ids.ts'
import { createAttemptToken } from '../server/credentials.ts'
import { testChainKey } from '../../test/support/store.ts'
import { createJobs, type Handler, type KindOptions, type NewJob } from './queue.ts'
import { jobRoutes } from './routes.ts'
import { createJobService } from './service.ts'

/** Opens a store with a worker whose landings call `handler`. */
async function scene(openFresh: OpenFresh, handler: Handler, options: KindOptions = {}) {
  const clock = createVirtualClock()
  const { db } = await openFresh({ clock })
  const begun: unknown[] = []
  const jobs = createJobs({ db, clock, ids: systemIds, worker: 'w1', chaosPoint: noChaos })
  const count: Handler = async (job) => {
    begun.push(job.payload)
    await handler(job)
  }
  jobs.handle('land', count, options)
  await jobs.start()
  onTestFinished(() => jobs.stop())
  const service = createJobService({ db, jobs })
  return {
    db,
    clock,
    jobs,
    begun,
    service,
    add: (...added: NewJob[]) =>
      db.write([], async (tx) => {
        for (const job of added) await jobs.enqueue(tx, job)
      }),
  }
}

const landing = (runId: string, more: Partial<NewJob> = {}): NewJob => ({
  kind: 'land',
  payload: runId,
  key: runId,
  lane: 'repository:/home/me/shop',
  ...more,
})
const failing: Handler = () => Promise.reject(new Error('no access\nwith ghp_0123456789abcdefghijklmnopqrstuvwxyzAB'))

describeStores('the list of jobs', (openFresh) => {
  it('has those that failed or were given up, in words and without secrets, and no others', async () => {
    const { add, clock, jobs, service } = await scene(openFresh, failing)
    await add(landing('run_a', { maxTries: 1 }), landing('run_b'), landing('run_c'))
    await jobs.settled()
    const { jobs: listed, total } = await service.list(10)
    expect(total).toBe(2)
    expect(listed).toMatchObject([
      {
        kind: 'land',
        about: 'landing of run_a into /home/me/shop',
        status: 'dead',
        isHandled: true,
        tries: 1,
        nextTryAt: null,
        deadSince: clock.at(),
        error: 'no access\nwith [redacted]',
      },
      {
        about: 'landing of run_b into /home/me/shop',
        status: 'waiting',
        tries: 1,
        nextTryAt: '2030-01-01T00:00:01.000Z',
        deadSince: null,
      },
    ])
    expect((await service.list(1)).jobs).toHaveLength(1)
  })

  it('names a job of a kind without a handler, which stays waiting', async () => {
    const { add, jobs, service } = await scene(openFresh, failing)
    await add({ kind: 'teleport', payload: { to: 'mars' } })
    await jobs.sweep()
    await jobs.settled()
    expect((await service.list(10)).jobs).toMatchObject([
      {
        kind: 'teleport',
        about: '"teleport", a kind that this version does not know',
        status: 'waiting',
        isHandled: false,
        tries: 0,
        nextTryAt: null,
        error: null,
      },
    ])
  })

  it('tells when a job was given up, not when its last try was due', async () => {
    const release = createGate()
    const { add, clock, jobs, service } = await scene(openFresh, async (job) => {
      await release.opened
      return failing(job)
    })
    await add(landing('run_a', { maxTries: 1 }))
    await jobs.sweep()
    clock.advance(60_000)
    release.open()
    await jobs.settled()
    expect((await service.list(10)).jobs).toMatchObject([{ deadSince: '2030-01-01T00:01:00.000Z' }])
  })
})

describeStores('a retry by the operator', (openFresh) => {
  it('runs a job that was given up before the later ones of its lane', async () => {
    const gates = new Map(['run_b', 'run_c'].map((name) => [name, createGate()]))
    let isBroken = true
    const { add, begun, jobs, service } = await scene(openFresh, async (job) => {
      await gates.get(String(job.payload))?.opened
      if (isBroken && job.payload === 'run_a') return failing(job)
    })
    await add(landing('run_a', { maxTries: 1 }), landing('run_b'), landing('run_c'))
    while (begun.length < 2) await jobs.sweep()
    isBroken = false
    const [dead] = (await service.list(10)).jobs
    expect(await service.retry(dead!.id)).toMatchObject({ id: dead!.id, status: 'waiting', tries: 0, deadSince: null })
    for (const gate of gates.values()) gate.open()
    await jobs.settled()
    expect(begun).toEqual(['run_a', 'run_b', 'run_a', 'run_c'])
    expect((await service.list(10)).total).toBe(0)
  })

  it('is refused for an unknown id and for a job that was not given up', async () => {
    const { add, jobs, service } = await scene(openFresh, failing)
    await add(landing('run_b'))
    await jobs.settled()
    await expect(service.retry('job_none')).rejects.toMatchObject({ code: 'not_found', message: 'no job "job_none"' })
    const [waiting] = (await service.list(10)).jobs
    await expect(service.retry(waiting!.id)).rejects.toMatchObject({
      code: 'illegal_transition',
      message: `${waiting!.id} was not given up: landing of run_b into /home/me/shop still waits`,
    })
    expect((await service.list(10)).jobs).toEqual([waiting])
  })

  it('names the other job that already waits to do the same', async () => {
    const { add, jobs, service } = await scene(openFresh, failing)
    await add(landing('run_a', { maxTries: 1 }))
    await jobs.settled()
    await add(landing('run_a', { delayMs: 5_000 }))
    const [dead] = (await service.list(10)).jobs
    const tried = await service.retry(dead!.id)
    expect(tried.id).not.toBe(dead!.id)
    expect(tried).toMatchObject({ about: 'landing of run_a into /home/me/shop', nextTryAt: '2030-01-01T00:00:05.000Z' })
    expect((await service.list(10)).total).toBe(0)
  })

  it('is for the operator alone, and so is the list', async () => {
    const { add, db, jobs, service } = await scene(openFresh, failing)
    await add(landing('run_a', { maxTries: 1 }))
    await jobs.settled()
    const standing = {
      runId: 'run_1',
      briefId: 'brf_1',
      agentId: 3,
      personaId: 4,
      fence: 1,
      ended: false,
      newestFence: 1,
    }
    const { send } = await startServer({ db, routes: jobRoutes(service), attempts: { att_1: standing } })
    const token = createAttemptToken(testChainKey, 'att_1', 1)
    const [dead] = (await service.list(10)).jobs
    expect((await send('GET', '/api/jobs', { token })).json).toMatchObject({ code: 'forbidden' })
    expect((await send('POST', `/api/jobs/${dead!.id}/retry`, { token, body: {} })).json['code']).toBe('forbidden')
    expect(await jobs.listDead()).toHaveLength(1)
    expect((await send('POST', `/api/jobs/${dead!.id}/retry`, { body: {} })).json).toMatchObject({ id: dead!.id })
  })
})
