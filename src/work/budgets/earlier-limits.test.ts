import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
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

describe('an attempt whose agent had ended before the upgrade', () => {
  // Releases before schema 9 kept the reservation of such an attempt until its evidence was checked.
  it.each(['reported', 'examining'])('is examined without a reservation and keeps its report (%s)', async (status) => {
    let path = ''
    const agency = await openEarlier((file, at) => {
      path = at
      const report = JSON.stringify({ status: 'done', summary: 'Done', outputs: ['result.md'] })
      const ending = JSON.stringify({ outcome: 'ok', detail: 'Done', refused: null, denied: [] })
      file
        .prepare(
          "UPDATE attempts SET status = ?, report = ?, ending = ? WHERE status = 'running' AND reserved_tokens > 0",
        )
        .run(status, report, ending)
    })
    const { runs } = await agency.runs.list({ limit: 10 })
    const run = runs.find(({ goalAnchor }) => goalAnchor.startsWith('A running attempt'))!
    expect((await agency.inspect(run)).attempts).toMatchObject([{ status, budgeted: false }])
    const reserved = async () =>
      (await agency.budgets.list(undefined, 10)).budgets.map(({ tokensReserved }) => tokensReserved)
    expect(await reserved()).toEqual([0, 0, 0, 0])
    const brief = await agency.brief(run)
    const place = { id: brief.id, runId: run.id, attemptId: brief.attemptId }
    await (await agency.workspaces.prepare(place)).write('result.md', 'Done\n')
    await agency.engine.start()
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect((await agency.inspect(run)).attempts).toMatchObject([{ status: 'ended', outcome: 'ok' }])
    expect(await reserved()).toEqual([0, 0, 0, 0])
    // The events of the file know nothing of the change that this test made.
    const file = new DatabaseSync(path)
    file.exec(`UPDATE attempts SET report = NULL, ending = NULL WHERE run_id = '${run.id}'`)
    file.close()
  })
})

/** Opens a copy of the store as the worker's next boot, after a change that the test makes before the migration. */
async function openEarlier(changeFile: (file: DatabaseSync, path: string) => void = () => {}): Promise<TestAgency> {
  const path = join(freshFolder(), 'store.db')
  copyFileSync(fixture, path)
  const file = new DatabaseSync(path)
  changeFile(file, path)
  file.close()
  const clock = createVirtualClock('2026-01-02T00:00:00.000Z')
  const db = await openSqlite({ path, clock, chainKey: testChainKey })
  onTestFinished(() => db.close())
  return openAgency({ db, clock, slots: 16, worker: 'test:2', defaults: { onLimit: 'ask' } })
}
