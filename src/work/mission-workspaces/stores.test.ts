import { expect, it } from 'vitest'

import { startAgency } from '../../../test/support/api.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import { replayEvents } from '../../events/replay.ts'
import { eventTables } from '../../tables.ts'
import { CreateMission } from '../missions/contract.ts'
import { Execute } from './executions/contract.ts'

describeStores('workspaces and the steps in them', (openFresh) => {
  it('are stored identically', async () => {
    const { db } = await openFresh()
    const { agency } = await startAgency(db)
    const mission = () => agency.missions.create(operator, CreateMission.parse({ title: 'An app' }))
    const make = async (path: string) => {
      const { id } = await mission()
      return agency.missionWorkspaces.create(operator, { missionId: id, path })
    }
    const first = await make('coding/web/app')
    expect((await make('coding/web/app')).path).toBe('missions/coding/web/app-2')
    expect((await make('coding/web')).path).toBe('missions/coding/web-2')
    await make('coding/web-0')
    await expect(make('coding/web-0/inside')).rejects.toMatchObject({ code: 'conflict' })

    const steps = (path: string) => ({ scenario: { steps: [{ write: { path, text: 'x' } }] } })
    const begin = (path: string) =>
      agency.executions.execute(
        operator,
        Execute.parse({ missionId: first.missionId, prompt: path, runtimeOptions: steps(path) }),
      )
    const started = [await begin('a.txt'), await begin('b.txt'), await begin('c.txt')]
    const ended = await Promise.all(started.map(({ runId }) => agency.executions.execution(runId, 20)))
    expect(ended.map(({ status, filesCreated }) => [status, filesCreated])).toEqual([
      ['done', ['a.txt']],
      ['done', ['b.txt']],
      ['done', ['c.txt']],
    ])
    await agency.missionWorkspaces.remove(operator, first.missionId)
    expect((await agency.missionWorkspaces.list({ removed: true, limit: 10 })).workspaces).toHaveLength(4)
    expect((await agency.missionWorkspaces.list({ removed: false, limit: 10 })).workspaces).toHaveLength(3)
    expect((await replayEvents(db, eventTables)).differences).toEqual([])
  })
})
