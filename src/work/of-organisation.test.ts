import { expect, it } from 'vitest'

import { openAgency, startAgency } from '../../test/support/agency.ts'
import { describeStores } from '../../test/support/store.ts'
import { operator } from '../../test/support/work.ts'
import type { StepInput } from '../adapters/runtime/scripted/contract.ts'
import type { Db } from '../db/port.ts'
import { create } from '../events/change.ts'
import { findOrganisation, organisations } from '../org/organisations/store.ts'
import { CreateMission } from './missions/contract.ts'

const which: StepInput[] = [
  { report: { status: 'blocked', summary: 'I need a decision.', question: { text: 'Which colour?' } } },
]

const addOrganisation = (db: Db, id: number): Promise<void> =>
  db.write([`org:${id}`], async (tx) => {
    const first = await findOrganisation(tx, 1)
    if (first === undefined) throw new Error('not seeded')
    const row = { ...first, id, name: 'Other', slug: `other-${id}` }
    await create(tx, organisations, row, { kind: 'org_changed', by: 'operator', message: 'Organisation Other created' })
  })

describeStores('the lists of one organisation', (openFresh) => {
  it('contain its runs, gates, missions and budgets, and no others', async () => {
    const agency = await openAgency({ db: (await openFresh()).db })
    const second = 2
    await addOrganisation(agency.db, second)
    const runs = new Map<number, string>()
    for (const organisationId of [1, second]) {
      const run = await agency.run({ organisationId, planGate: true, tokenBudget: 100_000 })
      runs.set(organisationId, run.id)
      await agency.until(async () => (await agency.gates.list('pending', 10, organisationId)).gates[0])
    }
    for (const organisationId of [1, second]) {
      const own = runs.get(organisationId)
      const { gates, total } = await agency.gates.list('pending', 10, organisationId)
      expect([gates.map(({ runId }) => runId), total]).toEqual([[own], 1])
      expect((await agency.runs.list({ limit: 10, organisationId })).runs.map(({ id }) => id)).toEqual([own])
      expect(
        (await agency.missions.list(undefined, 10, organisationId)).missions.map((each) => each.organisationId),
      ).toEqual([organisationId])
      expect((await agency.budgets.list(undefined, 10, organisationId)).budgets.map(({ runId }) => runId)).toEqual([
        own,
      ])
      expect((await agency.budgets.list('run', 10, organisationId)).budgets.map(({ runId }) => runId)).toEqual([own])
    }
    expect((await agency.gates.list('pending', 10)).total).toBe(2)
    expect((await agency.missions.list(undefined, 10)).missions).toHaveLength(2)
  })

  it('contain its agents and its questions, and no others', async () => {
    const agency = await startAgency(openFresh)
    const { agents } = agency
    const run = await agency.run({ play: [[{ hang: {} }]] })
    await agency.until(async () => (await agents.list(undefined, 10, 1)).agents[0])
    expect((await agents.list(undefined, 10, 2)).agents).toEqual([])
    expect((await agents.list(run.id, 10, 2)).agents).toEqual([])
    const asking = await agency.run({ play: [which], onLimit: 'ask' })
    const asked = await agency.until(
      async () => (await agency.questions.list({ organisationId: 1, limit: 10 })).questions[0],
    )
    expect(asked.runId).toBe(asking.id)
    expect(await agency.questions.list({ organisationId: 2, limit: 10 })).toEqual({ questions: [], total: 0 })
  })

  it('mark missions whose runs were all simulated', async () => {
    const agency = await startAgency(openFresh)
    await agency.missions.create(operator, CreateMission.parse({ title: 'later' }))
    const run = await agency.run()
    const { missions } = await agency.missions.list(undefined, 10)
    expect(missions.filter(({ simulated }) => simulated).map(({ id }) => id)).toEqual([run.missionId])
    expect(missions).toHaveLength(2)
  })
})
