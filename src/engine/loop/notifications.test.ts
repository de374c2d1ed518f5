// @suite postgres
import { expect, it } from 'vitest'

import { openAgency, startAgency, work } from '../../../test/support/agency.ts'
import { describePostgres } from '../../../test/support/store.ts'
import { createVirtualClock } from '../../../test/support/virtual-clock.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import type { Commit, Db } from '../../db/port.ts'
import { appendEvent } from '../../events/append.ts'
import { createFeed } from '../../events/feed.ts'
import { operator } from '../../../test/support/work.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))
const hang: StepInput[] = [{ hang: {} }]

const write = (db: Db, what?: 'jobs' | 'agents'): Promise<void> =>
  db.write(['system'], async (tx) => {
    if (what === undefined) tx.makesNothingReady()
    else tx.affectsOthers(what)
    await appendEvent(tx, 'system', { kind: 'log', by: 'daemon', message: 'hello' })
  })

describePostgres('a commit of another process', (openFresh) => {
  it('tells what it may have changed', async () => {
    const { db, open } = await openFresh()
    const heard: Commit[] = []
    ;(await open()).onCommit((commit) => heard.push(commit))
    for (const what of [undefined, 'jobs', 'agents'] as const) {
      const before = heard.length
      await write(db, what)
      while (heard.length === before) await turn()
    }
    expect(heard).toEqual([
      { mayBeReady: false, jobs: false, agents: false, isForeign: true },
      { mayBeReady: true, jobs: true, agents: false, isForeign: true },
      { mayBeReady: true, jobs: false, agents: true, isForeign: true },
    ])
  })

  it('costs an idle process less than half a statement', { timeout: 120_000 }, async () => {
    const briefs = 50
    const one = await startAgency(openFresh, { worker: 'one:1', slots: briefs })
    const run = await one.run({
      briefs: Array.from({ length: briefs }, (_, index) => ({ key: `b${index}`, objective: 'Do it' })),
      play: [[{ log: 'gate go' }, ...work]],
    })
    await one.passed('attempt.started', briefs)
    const idleDb = await one.store.open()
    const idle = await openAgency({ db: idleDb, clock: one.clock, worker: 'idle:1' })
    await idle.engine.start()
    await idle.engine.idle()
    const before = idleDb.statements()
    let commits = 0
    let heard = 0
    one.db.onCommit(() => {
      commits++
      // A tenth of a second passes with every ten commits.
      if (commits % 10 === 0) one.clock.advance(100)
    })
    idleDb.onCommit(() => heard++)
    one.gate('go').open()
    expect(await one.settled(run)).toMatchObject({ status: 'done' })
    while (heard === 0) await turn()
    await idle.engine.idle()
    expect(commits).toBeGreaterThan(briefs)
    expect((idleDb.statements() - before) / commits).toBeLessThan(0.5)
  })

  it('that ends a run interrupts its agents here without a sweep', async () => {
    const one = await startAgency(openFresh, { worker: 'one:1' })
    const run = await one.run({ play: [hang] })
    await one.passed('attempt.started')
    const two = await openAgency({ db: await one.store.open(), clock: one.clock, worker: 'two:1', slots: 0 })
    await two.runs.cancel(operator, run.id, 'no longer wanted')
    while (one.engine.running() > 0) await turn()
    expect(await one.settled(run)).toMatchObject({ status: 'cancelled' })
  })

  it('reaches followers with the next sweep if its notification was lost', async () => {
    const clock = createVirtualClock()
    const { db, open } = await openFresh({ clock })
    const far = await open()
    const listeners = new Set<(commit: Commit) => void>()
    // No notification arrives, but a recheck does.
    const deaf: Db = {
      ...far,
      onCommit: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      recheck: () => {
        for (const listener of listeners) listener({ mayBeReady: false, jobs: false, agents: false, isForeign: true })
      },
    }
    const agency = await openAgency({ db: deaf, clock })
    await agency.engine.start()
    const ended = new AbortController()
    const seen: string[] = []
    const following = (async () => {
      const feed = createFeed({ db: deaf })
      for await (const event of feed.follow({ stream: 'run:a', after: 0, signal: ended.signal }))
        seen.push(event.message)
    })()
    await turn()
    await db.write(['run:a'], (tx) => appendEvent(tx, 'run:a', { kind: 'log', by: 'daemon', message: 'news' }))
    while (seen.length === 0) {
      clock.advance(30_000)
      await turn()
    }
    expect(seen).toEqual(['news'])
    ended.abort()
    await following
  })
})
