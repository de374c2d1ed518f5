import { expect, it } from 'vitest'

import { openAgency, startAgency, type TestAgency, work } from '../../../test/support/agency.ts'
import { slowCommands } from '../../../test/support/slow-commands.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { Db } from '../../db/port.ts'
import { refusal } from '../../kernel/errors.ts'

const command = [{ kind: 'command', run: 'npm test' }] as const
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Runs something between the next commit that returns such an answer and that answer. */
function interposing(db: Db): {
  db: Db
  interpose(isIt: (answer: string) => boolean, work: () => Promise<unknown>): void
} {
  let next: { isIt: (answer: string) => boolean; work: () => Promise<unknown> } | null = null
  return {
    interpose: (isIt, work) => {
      next = { isIt, work }
    },
    db: {
      ...db,
      write: async (streams, body) => {
        const answer = await db.write(streams, body)
        const found = next
        if (found === null || !found.isIt(JSON.stringify(answer) ?? '')) return answer
        next = null
        await found.work()
        return answer
      },
    },
  }
}

describeStores('the end of an attempt', (openFresh) => {
  it('that comes between the end of its agent and its examination ends the examination', async () => {
    const slow = slowCommands()
    const cancelled = Promise.withResolvers<void>()
    const agency: TestAgency = await startAgency(openFresh, {
      workspaces: slow.workspaces,
      chaosPoint: (point) => {
        if (point !== 'agent.exited') return
        // The transaction that records the end of the agent is queued first.
        void Promise.resolve()
          .then(() => {})
          .then(() => agency.runs.cancel(operator, started.id, undefined))
          .then(() => cancelled.resolve())
      },
    })
    const started = await agency.run({ evidence: [...command], play: [[{ log: 'gate go' }, ...work]] })
    agency.gate('go').open()
    await cancelled.promise
    await agency.engine.idle()
    expect((await agency.inspect(started)).attempts).toMatchObject([{ status: 'ended', outcome: 'interrupted' }])
  })

  it('that comes between the claim and the begin of its examination ends the examination', async () => {
    const slow = slowCommands()
    const { db, interpose } = interposing((await openFresh()).db)
    const agency = await openAgency({ db, workspaces: slow.workspaces })
    await agency.engine.start()
    const started = await agency.run({ evidence: [...command] })
    await slow.begun
    await agency.stops.set(operator, undefined, 'for a test')
    await agency.until(async () => (await agency.inspect(started)).attempts[0]?.status === 'reported')
    await agency.engine.idle()
    interpose(
      (answer) => answer.includes('"examining"'),
      () => agency.runs.cancel(operator, started.id, undefined),
    )
    await agency.stops.clear(operator, undefined)
    await agency.settled(started)
    await agency.engine.idle()
    expect(slow.running()).toBe(0)
  })
})

describeStores('a stop', (openFresh) => {
  it('that comes while the last slots are taken ends the agents and checks in them', async () => {
    const slow = slowCommands()
    const { db, interpose } = interposing((await openFresh()).db)
    const agency = await openAgency({ db, slots: 1, workspaces: slow.workspaces })
    await agency.engine.start()
    await agency.run({ evidence: [...command] })
    await slow.begun
    interpose(
      (answer) => answer.includes('"launching"'),
      () => agency.stops.set(operator, undefined, 'for a test'),
    )
    await agency.run({ play: [[{ hang: {} }]] })
    await agency.engine.idle()
    expect(slow.running()).toBe(0)
  })

  it('of the daemon ends its agents also if a sweep fails at that moment', async () => {
    const store = await openFresh()
    let isLost = false
    const db: Db = {
      ...store.db,
      write: async (streams, body) => {
        const answer = await store.db.write(streams, body)
        if (!isLost || !streams.some((stream) => stream.startsWith('run:'))) return answer
        isLost = false
        throw refusal('store_unusable', 'the connection is gone')
      },
    }
    const sought = Promise.withResolvers<void>()
    const failing = Promise.withResolvers<void>()
    const agency = await openAgency({
      db,
      mayLogErrors: true,
      killSurvivors: async () => {
        sought.resolve()
        await failing.promise
      },
    })
    await agency.engine.start()
    const started = await agency.run({ play: [[{ hang: {} }]] })
    await agency.passed('attempt.started')
    isLost = true
    await agency.run()
    // The response to the claim is lost, so the sweep looks for the processes of an attempt that nobody holds.
    await agency.until(async () => (await store.raw("SELECT id FROM attempts WHERE status = 'launching'")).length === 1)
    const swept = agency.engine.sweep()
    await sought.promise
    const stopped = agency.engine.stop()
    failing.reject(new Error('EMFILE'))
    await stopped
    await swept
    expect((await agency.inspect(started)).attempts).toMatchObject([{ status: 'ended', outcome: 'interrupted' }])
  })

  it('of the daemon does not wait for a sweep that waits for the disk', async () => {
    const store = await openFresh()
    let trouble: 'none' | 'lost' | 'full' = 'none'
    let refused = 0
    const db: Db = {
      ...store.db,
      write: async (streams, body) => {
        const isOfRun = streams.some((stream) => stream.startsWith('run:'))
        if (trouble !== 'full' || !isOfRun) {
          const answer = await store.db.write(streams, body)
          if (trouble !== 'lost' || !isOfRun) return answer
          trouble = 'none'
          throw refusal('store_unusable', 'the connection is gone')
        }
        refused++
        throw refusal('store_full', 'no space left on device')
      },
    }
    const agency = await openAgency({ db, mayLogErrors: true })
    await agency.engine.start()
    await agency.stops.set(operator, undefined, 'for a test')
    const started = await agency.run()
    trouble = 'lost'
    await agency.stops.clear(operator, undefined)
    await agency.until(async () => (await agency.inspect(started)).attempts[0]?.status === 'launching')
    await agency.engine.idle()
    // The sweep finds the attempt, which this process does not hold, and cannot mark it.
    trouble = 'full'
    const swept = agency.engine.sweep()
    while (refused === 0) await turn()
    await agency.engine.stop()
    await swept
    expect((await agency.inspect(started)).attempts).toMatchObject([{ status: 'launching' }])
  })
})
