import { expect, it } from 'vitest'

import { startAgency, work } from '../../../../test/support/agency.ts'
import { describeStores, freshFolder } from '../../../../test/support/store.ts'
import { operator } from '../../../../test/support/work.ts'
import { systemPersona } from '../../../kernel/ids.ts'
import { createDirectoryWorkspaces } from '../../../workspaces/directory.ts'
import { findBudget } from '../../budgets/store.ts'
import { CreateMission } from '../../missions/contract.ts'
import { Execute } from './contract.ts'

describeStores('a step in a workspace', (openFresh) => {
  it('reserves a share of the budget of its persona, so that other runs start beside it', async () => {
    const root = freshFolder()
    const missionWorkspaces = { root, attempts: freshFolder(), reviewPrompt: () => '', host: 'test' }
    const agency = await startAgency(openFresh, {
      missionWorkspaces,
      workspaces: createDirectoryWorkspaces({ root }),
      slots: 16,
    })
    await agency.budgets.set(operator, { persona: 'system', tokens: 3_410 })
    const reserved = async () =>
      (await agency.db.read((tx) => findBudget(tx, 'persona', String(systemPersona))))?.tokensReserved
    const { id: missionId } = await agency.missions.create(operator, CreateMission.parse({ title: 'An app' }))
    await agency.missionWorkspaces.create(operator, { missionId })
    const steps = [{ log: 'gate on' }, ...work]
    const { runId } = await agency.executions.execute(
      operator,
      Execute.parse({ missionId, prompt: 'Do it', runtime: 'scripted', runtimeOptions: { scenario: { steps } } }),
    )
    await agency.until(async () => (await reserved()) === 341)
    const others = await Promise.all(Array.from({ length: 16 }, () => agency.run({ play: [steps] })))
    await agency.until(async () => (await reserved()) === 3_410)
    const lines = await Promise.all(others.map(async (run) => (await agency.inspect(run)).waitsFor))
    const waiting = lines.filter((line) => line !== null)
    expect(waiting).toHaveLength(7)
    expect(new Set(waiting)).toEqual(
      new Set(['running agents, which have reserved the rest of a budget (persona): agency budget list']),
    )
    agency.gate('on').open()
    for (const run of [{ id: runId }, ...others]) expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect(await reserved()).toBe(0)
  })
})
