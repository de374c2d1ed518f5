import { expect, it } from 'vitest'

import { startAgency, work } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import { createAgents } from './service.ts'

describeStores('the agents of a run', (openFresh) => {
  it('are listed with their briefs and closed when the run has ended; agents of other runs are not included', async () => {
    const agency = await startAgency(openFresh)
    const agents = createAgents({ db: agency.db, resolveRun: agency.runs.resolve })
    const other = await agency.run({ play: [[{ hang: {} }]] })
    const run = await agency.run({
      play: [[{ exit: { code: 1 } }], [{ log: 'gate work' }, ...work]],
    })
    await agency.gate('work').reached
    await agency.until(async () => {
      const { agents: live } = await agents.list(undefined, 10)
      return live.length === 2 && live.every(({ state }) => state === 'working')
    })
    expect((await agents.list(run.id.slice(0, 10), 10)).agents).toMatchObject([
      { state: 'closed', outcome: 'crash', brief: 'main', runId: run.id, tier: null },
      { state: 'working', outcome: null, closedAt: null },
    ])
    expect((await agents.list(undefined, 10)).agents.map(({ runId, state }) => [runId, state])).toEqual([
      [other.id, 'working'],
      [run.id, 'working'],
    ])
    agency.gate('work').open()
    await agency.settled(run)
    expect((await agents.list(run.id, 10)).agents.map(({ state }) => state)).toEqual(['closed', 'closed'])
    expect((await agents.list(run.id, 1)).agents).toHaveLength(1)
    await agency.runs.cancel(operator, other.id, undefined)
    expect(await agents.list(undefined, 10)).toEqual({ agents: [] })
  })
})
