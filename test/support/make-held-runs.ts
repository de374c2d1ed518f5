import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'

import { expect, it, onTestFinished } from 'vitest'

import type { StepInput } from '../../src/adapters/runtime/scripted/contract.ts'
import { openSqlite } from '../../src/db/sqlite.ts'
import { record, updated } from '../../src/events/change.ts'
import { briefs } from '../../src/work/briefs/store.ts'
import { openAgency, type TestAgency, work } from './agency.ts'
import { testChainKey } from './store.ts'
import { createVirtualClock } from './virtual-clock.ts'
import { operator } from './work.ts'

/**
 * Writes a store with briefs that are held in every way, as the release with schema 6 creates it (commit aa703cc): the
 * last one in which a brief had one hold, as a text. To write it again, copy this file into a checkout of that commit as
 * `test/support/make-held-runs.test.ts` and play it with vitest.
 */
const path = fileURLToPath(new URL('../fixtures/store-0006.db', import.meta.url))

const crashes: StepInput[] = [{ crash: {} }]
const spends: StepInput[] = [{ usage: { input_tokens: 300, output_tokens: 0, model: 'any' } }, { hang: {} }]
const brief = (key: string, attempts: (readonly StepInput[])[], after: string[] = []) => ({
  key,
  objective: 'Do it',
  after,
  runtimeOptions: { scenario: { attempts } },
})

it('writes a store with held briefs', async () => {
  rmSync(path, { force: true })
  const clock = createVirtualClock('2026-01-01T00:00:00.000Z')
  const db = await openSqlite({ path, clock, chainKey: testChainKey })
  onTestFinished(async () => {
    await db.close()
    // Small pages, because half of the usual ones would be empty.
    const file = new DatabaseSync(path)
    file.exec('PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM')
    file.close()
  })
  const agency = await openAgency({ db, clock, slots: 16, defaults: { onLimit: 'ask', crashRetries: 0 } })
  await agency.engine.start()

  await agency.settled(await agency.run({ goal: 'An ended run' }))
  const cancelled = await agency.run({
    goal: 'A cancelled run',
    briefs: [brief('a', [crashes]), brief('b', [work], ['a'])],
  })
  await questionOf(agency, cancelled)
  await agency.runs.cancel(operator, cancelled.id, undefined)

  await questionOf(
    agency,
    await agency.run({
      goal: 'A failed dependency',
      briefs: [brief('a', [crashes, work]), brief('b', [work], ['a']), brief('c', [work], ['b'])],
    }),
  )
  const two = await agency.run({
    goal: 'Two failed dependencies',
    briefs: [brief('a', [crashes, work]), brief('b', [crashes, work]), brief('c', [work], ['a', 'b'])],
  })
  await agency.until(async () => (await agency.inspect(two)).questions.length === 2)
  await questionOf(agency, await agency.run({ goal: 'A budget of a run', tokenBudget: 300, play: [spends, work] }))
  const own = [{ ...brief('main', [spends, work]), tokenBudget: 100 }]
  await questionOf(agency, await agency.run({ goal: 'A budget of a brief', briefs: own }))

  // A step in a workspace needs a daemon; its hold is a text like the others.
  await agency.engine.stop()
  const queued = await agency.run({ goal: 'A workspace in use', play: [work] })
  const main = await agency.brief(queued)
  await db.write([`run:${queued.id}`], async (tx) => {
    const place = { runId: queued.id, briefId: main.id }
    const hold: object = { heldBy: 'workspace', updatedAt: tx.at }
    await record(tx, { kind: 'brief_status', by: 'daemon', ...place, message: 'main is queued' }, [
      updated(briefs, main, hold),
    ])
  })
  expect((await agency.runs.list({ limit: 100 })).runs).toHaveLength(7)
  agency.die()
})

const questionOf = (agency: TestAgency, run: { id: string }) =>
  agency.until(async () => (await agency.inspect(run)).questions.find((each) => each.status !== 'answered'))
