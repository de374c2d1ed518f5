import { expect, it } from 'vitest'

import { startAgency, type TestAgency, work } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import type { Tx } from '../../db/port.ts'
import { type Change, deleted, inserted, record, updated } from '../../events/change.ts'
import { systemPersona } from '../../kernel/ids.ts'
import { listBriefs } from '../briefs/store.ts'
import type { Run } from '../runs/contract.ts'
import type { BudgetRow, BudgetScope } from './contract.ts'
import { newBudget, placeOfRun } from './limits.ts'
import { reservations } from './reservations-store.ts'
import { budgets, findBudget, findBudgetRow } from './store.ts'

const defaults = { onLimit: 'ask' } as const
const pauses = (name: string): StepInput => ({ log: `gate ${name}` })

/** The budgets above a brief whose own budget is beneath a delegation, the nearest first. */
const scopes = ['delegation', 'run', 'mission', 'persona', 'organisation'] as const
type Above = (typeof scopes)[number]

/** Creates a stopped run with a budget on every level: brief → delegation → run → mission → organisation, and persona. */
async function stoppedRun(agency: TestAgency, play?: StepInput[][]): Promise<{ run: Run; ids: Record<Above, string> }> {
  await agency.stops.set(operator, undefined, '')
  const brief = { key: 'main', objective: 'Do it', tokenBudget: 50 }
  const run = await agency.run({ tokenBudget: 1_000, briefs: [brief], ...(play === undefined ? {} : { play }) })
  await agency.budgets.set(operator, { missionId: run.missionId, tokens: 1_000 })
  await agency.budgets.set(operator, { organisation: 'Development', tokens: 1_000 })
  await agency.budgets.set(operator, { persona: 'system', tokens: 1_000 })
  // No command makes a delegation yet.
  await change(agency, run, async (tx) => {
    const own = (await findBudgetRow(tx, 'brief', (await listBriefs(tx, run.id))[0]?.id ?? '')) as BudgetRow
    const place = {
      ...placeOfRun(run),
      scope: 'delegation',
      scopeId: 'd',
      parentScope: 'run',
      parentId: run.id,
    } as const
    return [
      inserted(budgets, newBudget(place, { tokenLimit: 1_000, costLimitMicros: null }, tx.at)),
      updated(budgets, own, { parentScope: 'delegation', parentId: 'd' }),
    ]
  })
  const ids = {
    delegation: 'd',
    run: run.id,
    mission: run.missionId,
    persona: String(systemPersona),
    organisation: String(run.organisationId),
  }
  return { run, ids }
}

/** Records changes in the streams of all budgets, as work beneath them would. */
const change = (agency: TestAgency, run: Run, changesIn: (tx: Tx) => Promise<Change[]>): Promise<void> =>
  agency.db.write([`run:${run.id}`, 'org:1', 'system'], async (tx) => {
    for (const each of await changesIn(tx)) await record(tx, { kind: 'log', by: 'test', message: 'changed' }, [each])
  })

const limitOf = async (agency: TestAgency, scope: BudgetScope, scopeId: string) =>
  (await agency.db.read((tx) => findBudget(tx, scope, scopeId)))?.tokenLimit

describeStores('the chain of budgets above a brief', (openFresh) => {
  it.each(scopes)('stops it at a used-up budget (%s), about which it asks; a raise releases it', async (scope) => {
    const agency = await startAgency(openFresh, { defaults })
    const { run, ids } = await stoppedRun(agency)
    await change(agency, run, async (tx) => {
      const budget = (await findBudgetRow(tx, scope, ids[scope])) as BudgetRow
      return [updated(budgets, budget, { tokensSpent: 1_000 })]
    })
    await agency.stops.clear(operator, undefined)
    const question = await agency.until(async () => (await agency.inspect(run)).questions[0])
    const { briefs, attempts } = await agency.inspect(run)
    expect(briefs[0]).toMatchObject({ status: 'pending', heldBy: `budget:${scope}` })
    expect(attempts).toEqual([])
    expect(question).toMatchObject({ askedBy: `budget:${scope}:${ids[scope]}` })
    expect(question.text).toContain('is used up (1,000 tokens of 1,000 tokens)')
    await agency.questions.answer(operator, question.id, 'raise')
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect(await limitOf(agency, scope, ids[scope])).toBe(2_000)
    for (const other of scopes.filter((each) => each !== scope))
      expect(await limitOf(agency, other, ids[other])).toBe(1_000)
  })

  it.each(scopes)(
    'makes it wait for a reservation of another holder (%s), which it does not ask about',
    async (scope) => {
      const agency = await startAgency(openFresh, { defaults })
      const { run, ids } = await stoppedRun(agency)
      const other = { holder: 'agent', holderId: '99', runId: null, organisationId: 1 } as const
      const reservation = { ...other, scope, scopeId: ids[scope], tokens: 1_000, micros: 0 }
      await change(agency, run, async () => [inserted(reservations, reservation)])
      await agency.stops.clear(operator, undefined)
      await agency.engine.sweep()
      const { briefs, attempts, questions, waitsFor } = await agency.inspect(run)
      expect({ attempts, questions }).toEqual({ attempts: [], questions: [] })
      expect(briefs[0]).toMatchObject({ status: 'pending', heldBy: `budget_reserved:${scope}` })
      expect(waitsFor).toBe(`running agents, which have reserved the rest of a budget (${scope}): agency budget list`)
      await change(agency, run, async () => [deleted(reservations, reservation)])
      await agency.engine.sweep()
      expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    },
  )

  it('is reserved and spent on every level', async () => {
    const agency = await startAgency(openFresh, { defaults })
    const uses: StepInput = { usage: { input_tokens: 7, output_tokens: 0, model: 'any' } }
    const { run, ids } = await stoppedRun(agency, [[uses, pauses('on'), ...work]])
    await agency.stops.clear(operator, undefined)
    const all = () =>
      agency.db.read(async (tx) => {
        const found = []
        for (const scope of scopes) found.push(await findBudget(tx, scope, ids[scope]))
        return found
      })
    await agency.until(async () => (await all())[0]?.tokensSpent === 7)
    for (const budget of await all()) expect(budget).toMatchObject({ tokensSpent: 7, tokensReserved: 43 })
    agency.gate('on').open()
    await agency.settled(run)
    for (const budget of await all()) expect(budget).toMatchObject({ tokensSpent: 7, tokensReserved: 0 })
  })
})
