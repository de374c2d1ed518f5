import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { describe, expect, it, onTestFinished } from 'vitest'

import { openAgency, type TestAgency } from '../../../test/support/agency.ts'
import { freshFolder, testChainKey } from '../../../test/support/store.ts'
import { createVirtualClock } from '../../../test/support/virtual-clock.ts'
import { operator } from '../../../test/support/work.ts'
import { openSqlite } from '../../db/sqlite.ts'
import { auditEvents } from '../../events/audit.ts'
import { replayEvents } from '../../events/replay.ts'
import { eventTables } from '../../tables.ts'

/** The store is written by `test/support/make-limited-runs.ts`, which names the runs by their states. */
const fixture = fileURLToPath(new URL('../../../test/fixtures/store-0009.db', import.meta.url))

describe('a store with limited runs of a release that stored reserved amounts', () => {
  it('is migrated: limits of briefs are budgets, and its events still give its rows', async () => {
    const agency = await openEarlier()
    expect((await auditEvents(agency.db)).findings).toEqual([])
    expect((await replayEvents(agency.db, eventTables)).differences).toEqual([])
    const { budgets } = await agency.budgets.list('brief', 10)
    const figures = budgets.map((each) => [each.tokenLimit, each.tokensSpent, each.tokensReserved, each.warned])
    expect(figures.toSorted((a, b) => Number(a[0]) - Number(b[0]))).toEqual([
      [100, 120, 0, true],
      [2_000, 30, 0, false],
    ])
    for (const { scopeId, runId } of budgets) {
      const { briefs } = await agency.inspect({ id: runId as string })
      expect(briefs.find(({ id }) => id === scopeId)?.tokenBudget).toBeGreaterThan(0)
    }
    const others = (await agency.budgets.list(undefined, 10)).budgets
    expect(others.map(({ scope, parentScope }) => [scope, parentScope]).toSorted()).toEqual([
      ['mission', 'organisation'],
      ['organisation', null],
      ['persona', null],
      ['run', 'mission'],
    ])
  })

  it('continues every run after answers, does not raise a budget with room, and leaves no reservation', async () => {
    const agency = await openEarlier()
    await agency.engine.start()
    const { runs } = await agency.runs.list({ limit: 10 })
    await agency.settled(runs.find(({ goalAnchor }) => goalAnchor.startsWith('A running attempt'))!)
    const { questions } = await agency.questions.list({ limit: 10 })
    // One for the budget of the brief, and one for each run beneath the used-up budget of the organisation.
    expect(questions).toHaveLength(4)
    const answers = await Promise.allSettled(questions.map(({ id }) => agency.questions.answer(operator, id, 'raise')))
    expect(answers.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(2)
    for (const run of runs) expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect((await agency.questions.list({ limit: 10 })).questions).toEqual([])
    const all = (await agency.budgets.list(undefined, 10)).budgets
    expect(all.find(({ scope }) => scope === 'organisation')).toMatchObject({ tokenLimit: 3_000, tokensSpent: 2_100 })
    expect(all.every(({ tokensReserved }) => tokensReserved === 0)).toBe(true)
    expect((await auditEvents(agency.db)).findings).toEqual([])
    expect((await replayEvents(agency.db, eventTables)).differences).toEqual([])
  })
})

/** Opens a copy of the store as the worker's next boot. */
async function openEarlier(): Promise<TestAgency> {
  const path = join(freshFolder(), 'store.db')
  copyFileSync(fixture, path)
  const clock = createVirtualClock('2026-01-02T00:00:00.000Z')
  const db = await openSqlite({ path, clock, chainKey: testChainKey })
  onTestFinished(() => db.close())
  return openAgency({ db, clock, slots: 16, worker: 'test:2', defaults: { onLimit: 'ask' } })
}
