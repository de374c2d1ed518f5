import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'

import { expect, it, onTestFinished } from 'vitest'

import type { StepInput } from '../../src/adapters/runtime/scripted/contract.ts'
import { openSqlite } from '../../src/db/sqlite.ts'
import { openAgency, type TestAgency, work } from './agency.ts'
import { testChainKey } from './store.ts'
import { createVirtualClock } from './virtual-clock.ts'
import { operator } from './work.ts'

/**
 * Writes a store with open runs that have budgets, as schema 9 creates it (commit a207656): the last one that stores
 * reserved amounts with attempts and budgets, and limits with briefs. To write it again, copy this file into a checkout
 * of that commit as `test/support/make-limited-runs.test.ts` and play it with vitest.
 */
const path = fileURLToPath(new URL('../fixtures/store-0009.db', import.meta.url))

const uses = (input_tokens: number): StepInput => ({ usage: { input_tokens, output_tokens: 0, model: 'any' } })
const hang: StepInput = { hang: {} }

it('writes a store with limited runs', async () => {
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
  const agency = await openAgency({ db, clock, slots: 16, defaults: { onLimit: 'ask' } })
  await agency.engine.start()
  const brief = (tokenBudget: number) => [{ key: 'main', objective: 'Do it', tokenBudget }]

  const missionBudget = await agency.run({ goal: 'A limited mission', play: [work] })
  await agency.budgets.set(operator, { missionId: missionBudget.missionId, tokens: 700 })
  await agency.budgets.set(operator, { persona: 'system', usd: 5 })

  await questionOf(
    agency,
    await agency.run({ goal: 'A limited brief', briefs: brief(100), play: [[uses(120), hang], work] }),
  )
  const running = await agency.run({
    goal: 'A running attempt with reservations',
    tokenBudget: 3_000,
    briefs: brief(2_000),
    play: [[uses(30), hang], work],
  })
  await agency.until(async () => (await agency.inspect(running)).run.inputTokens === 30)

  await agency.budgets.set(operator, { organisation: 'Development', tokens: 3_000 })
  const goals = ['One', 'Two', 'Three']
  for (const goal of goals)
    await agency.run({ goal: `${goal} of three`, play: [[{ log: 'gate spend' }, uses(700), hang], work] })
  await agency.until(async () =>
    (await agency.runs.list({ limit: 10 })).runs.every(({ status }) => status !== 'planning'),
  )
  await agency.gate('spend').reached
  agency.gate('spend').open()
  await agency.until(async () => (await agency.questions.list({ limit: 10 })).questions.length === 4)
  expect((await agency.inspect(running)).attempts[0]).toMatchObject({ status: 'running', reservedTokens: 1_970 })
  agency.die()
})

const questionOf = (agency: TestAgency, run: { id: string }) =>
  agency.until(async () => (await agency.inspect(run)).questions.find((each) => each.status !== 'answered'))
