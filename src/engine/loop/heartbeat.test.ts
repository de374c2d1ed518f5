import { expect, it } from 'vitest'

import { openAgency, work } from '../../../test/support/agency.ts'
import { createGate } from '../../../test/support/gate.ts'
import { describePostgres, describeStores } from '../../../test/support/store.ts'
import { createVirtualClock } from '../../../test/support/virtual-clock.ts'
import { enlistWorker } from '../../../test/support/worker.ts'
import type { Runtime } from '../../adapters/runtime/port.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import { createScriptedRuntime } from '../../adapters/runtime/scripted/runtime.ts'
import type { Db } from '../../db/port.ts'
import { refusal } from '../../kernel/errors.ts'
import { heartbeat } from '../workers-store.ts'

const hang: StepInput[] = [{ hang: {} }]
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A store whose heartbeats, or all of whose transactions, fail on request. */
function severable(db: Db) {
  let cut: 'nothing' | 'heartbeats' | 'everything' = 'nothing'
  let sent = 0
  let settled = 0
  let onRead = (): void => {}
  const trouble = () => refusal('store_unusable', 'the network is cut')
  const unlessCut = async <T>(ask: () => Promise<T>): Promise<T> => {
    if (cut === 'everything') throw trouble()
    return ask()
  }
  return {
    db: {
      ...db,
      write: (streams, body) => unlessCut(() => db.write(streams, body)),
      read: async (body) => {
        const result = await unlessCut(() => db.read(body))
        onRead()
        return result
      },
      writeApart: async (body) => {
        sent++
        try {
          if (cut !== 'nothing') throw trouble()
          return await db.writeApart(body)
        } finally {
          settled++
        }
      },
    } satisfies Db,
    /** Calls back when the next read is answered. */
    atNextRead: (callback: () => void) => {
      onRead = () => {
        onRead = () => {}
        callback()
      }
    },
    cut: (what: typeof cut) => {
      cut = what
    },
    /** Resolves when the answers to all heartbeats have arrived. */
    quiet: async () => {
      while (settled < sent) await turn()
      await turn()
    },
  }
}

/** The scripted runtime with the set of agents that nothing has interrupted. */
function watched(alive: Set<string>): Runtime {
  const scripted = createScriptedRuntime({ host: 'in-process' })
  return {
    ...scripted,
    launch: async (launch) => {
      const handle = await scripted.launch(launch)
      alive.add(launch.launchId)
      return {
        ...handle,
        interrupt: () => {
          alive.delete(launch.launchId)
          return handle.interrupt()
        },
      }
    },
  }
}

describeStores('a process without heartbeats', (openFresh) => {
  const begin = async () => {
    const clock = createVirtualClock()
    const { db } = await openFresh({ clock })
    const link = severable(db)
    let superseded = 0
    const alive = new Set<string>()
    const one = await openAgency({
      db: link.db,
      clock,
      worker: 'one:1',
      mayLogErrors: true,
      runtimes: [watched(alive)],
      superseded: () => void superseded++,
    })
    await one.engine.start()
    await link.quiet()
    /** Lets time pass in steps that heartbeats can keep up with. */
    const pass = async (seconds: number): Promise<void> => {
      for (let left = seconds; left > 0; left -= 5) {
        clock.advance(5_000)
        await link.quiet()
      }
    }
    return { clock, db, link, one, pass, alive, superseded: () => superseded }
  }

  it('interrupts its agents after 45 seconds and claims nothing until one succeeds', async () => {
    const { link, one, pass } = await begin()
    const run = await one.run({ play: [hang, work] })
    await one.passed('attempt.started')
    link.cut('heartbeats')
    await pass(40)
    expect(one.engine.running()).toBe(1)
    await pass(10)
    await one.until(async () => (await one.brief(run)).status === 'pending')
    await pass(60)
    expect(one.engine.running()).toBe(0)
    expect((await one.inspect(run)).attempts.map(({ outcome, detail }) => [outcome, detail])).toEqual([
      ['interrupted', 'the daemon was cut off from the store'],
    ])
    link.cut('nothing')
    await pass(10)
    expect(await one.settled(run)).toMatchObject({ status: 'done' })
  })

  it('claims nothing that it has found before it was cut off', async () => {
    const { db, clock, link, one, pass } = await begin()
    await one.engine.idle()
    const other = await openAgency({ db, clock, worker: 'two:1' })
    link.atNextRead(() => one.engine.cutOff())
    const run = await other.run()
    one.engine.wake()
    await one.engine.idle()
    await pass(10)
    expect(await one.brief(run)).toMatchObject({ status: 'pending', attempts: 0 })
    await one.engine.reconnect()
    expect(await one.settled(run)).toMatchObject({ status: 'done' })
  })

  it('has no agent at work when another process takes its work over', async () => {
    const { clock, db, link, one, pass, alive } = await begin()
    const run = await one.run({ play: [hang, work] })
    await one.passed('attempt.started')
    const two = await openAgency({ db, clock, workspaces: one.workspaces, worker: 'two:1' })
    await two.engine.start()
    link.cut('everything')
    expect(alive.size).toBe(1)
    await pass(55)
    expect(alive.size).toBe(0)
    expect((await two.inspect(run)).attempts).toMatchObject([{ worker: 'one:1', status: 'running' }])
    // A sweep comes 30 seconds after the end of the last one, which takes real time.
    while ((await two.runs.show(run.id)).endedAt === null) await pass(5)
    expect(await two.settled(run)).toMatchObject({ status: 'done' })
    link.cut('nothing')
    await pass(60)
    expect((await two.inspect(run)).attempts.map(({ worker, outcome }) => [worker, outcome])).toEqual([
      ['one:1', 'interrupted'],
      ['two:1', 'ok'],
    ])
    expect(one.engine.running()).toBe(0)
  })

  it('leaves finished work to be examined by a process that lives', async () => {
    const { link, one, pass } = await begin()
    const run = await one.run({ play: [[...work, { hang: {} }]] })
    await one.passed('attempt.started')
    link.cut('heartbeats')
    await pass(50)
    const stateOf = async () => (await one.inspect(run)).attempts[0]?.status
    await one.until(async () => (await stateOf()) === 'reported')
    link.cut('nothing')
    await pass(10)
    expect(await one.settled(run)).toMatchObject({ status: 'done' })
    const taken = (await one.events(run)).filter(({ data }) => data['status'] === 'examining')
    expect(taken).toEqual([])
  })

  it('ends for good if another one has registered under its id', async () => {
    const { db, one, pass, superseded } = await begin()
    const run = await one.run({ play: [hang] })
    await one.passed('attempt.started')
    await enlistWorker(db, 'one:2')
    await pass(10)
    expect(superseded()).toBe(1)
    await one.until(async () => (await one.brief(run)).status === 'pending')
    await pass(60)
    expect(superseded()).toBe(1)
    expect(await one.brief(run)).toMatchObject({ status: 'pending', attempts: 1 })
  })

  it('continues undisturbed while its clock is set an hour forwards and back', async () => {
    const { clock, one, pass } = await begin()
    const run = await one.run({ play: [hang] })
    await one.passed('attempt.started')
    clock.jump(3_600_000)
    await pass(30)
    clock.jump(-3_600_000)
    await pass(30)
    expect(one.engine.running()).toBe(1)
    expect(await one.brief(run)).toMatchObject({ status: 'working', attempts: 1 })
  })
})

describePostgres('a heartbeat', (openFresh) => {
  it('does not wait for writers that occupy every other connection', async () => {
    const { db } = await openFresh()
    await enlistWorker(db, 'one:1')
    const locked = createGate()
    const release = createGate()
    const first = db.write(['run:a'], async () => {
      locked.open()
      await release.opened
    })
    await locked.opened
    const writers = Array.from({ length: 20 }, () => db.write(['run:a'], async () => {}))
    expect(await heartbeat(db, 'one:1')).toBe(true)
    release.open()
    await Promise.all([first, ...writers])
  })
})
