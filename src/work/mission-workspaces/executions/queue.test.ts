import { expect, it } from 'vitest'

import { openAgency, type TestAgency } from '../../../../test/support/agency.ts'
import { describeStores, freshFolder, type OpenFresh } from '../../../../test/support/store.ts'
import { createVirtualClock, type VirtualClock } from '../../../../test/support/virtual-clock.ts'
import { operator } from '../../../../test/support/work.ts'
import type { Db } from '../../../db/port.ts'
import { appendEvent } from '../../../events/append.ts'
import { record } from '../../../events/change.ts'
import { createDirectoryWorkspaces } from '../../../workspaces/directory.ts'
import { addHold, workspaceHold } from '../../briefs/holds.ts'
import { CreateMission } from '../../missions/contract.ts'
import { Execute } from './contract.ts'

interface Scene {
  db: Db
  /** The process that creates the runs. */
  agency: TestAgency
  /** Opens another process on the same store. */
  another(): Promise<TestAgency>
  /** Creates a run in the workspace, a millisecond after the last one. */
  begin(afterMs?: number): Promise<string>
}

async function scene(openFresh: OpenFresh): Promise<Scene> {
  const clock: VirtualClock = createVirtualClock()
  const { db } = await openFresh({ clock })
  const root = freshFolder()
  const missionWorkspaces = { root, attempts: freshFolder(), reviewPrompt: () => '', host: 'test' }
  const open = (): Promise<TestAgency> =>
    openAgency({ db, clock, missionWorkspaces, workspaces: createDirectoryWorkspaces({ root }) })
  const agency = await open()
  const { id: missionId } = await agency.missions.create(operator, CreateMission.parse({ title: 'An app' }))
  await agency.missionWorkspaces.create(operator, { missionId })
  return {
    db,
    agency,
    another: open,
    begin: async (afterMs = 1) => {
      clock.advance(afterMs)
      return (await agency.executions.execute(operator, Execute.parse({ missionId, prompt: 'Do it' }))).runId
    },
  }
}

const statuses = (agency: TestAgency, runIds: readonly string[]): Promise<string[]> =>
  Promise.all(runIds.map(async (id) => (await agency.executions.execution(id, 0)).status))

describeStores('a run that is queued for a workspace', (openFresh) => {
  it('is released in the transaction that ends the run before it, by any process', async () => {
    const { agency, another, begin } = await scene(openFresh)
    const runs = [await begin(), await begin(), await begin()]
    expect(await statuses(agency, runs)).toEqual(['running', 'queued', 'queued'])
    agency.die()
    const heir = await another()
    await heir.runs.cancel(operator, runs[0] as string, undefined)
    expect(await statuses(heir, runs)).toEqual(['cancelled', 'running', 'queued'])
  })

  it('waits also for one of the same millisecond', async () => {
    const { agency, begin } = await scene(openFresh)
    const runs: string[] = []
    for (let count = 0; count < 6; count++) runs.push(await begin(0))
    expect(await statuses(agency, runs)).toEqual(['running', 'queued', 'queued', 'queued', 'queued', 'queued'])
  })

  it('waits on when a run behind the first one is cancelled', async () => {
    const { agency, begin } = await scene(openFresh)
    const runs = [await begin(), await begin(), await begin()]
    await agency.runs.cancel(operator, runs[1] as string, undefined)
    expect(await statuses(agency, runs)).toEqual(['running', 'cancelled', 'queued'])
    await agency.runs.cancel(operator, runs[0] as string, undefined)
    expect(await statuses(agency, runs)).toEqual(['cancelled', 'cancelled', 'running'])
  })

  it('costs no statement at the commits of others', async () => {
    const { db, begin } = await scene(openFresh)
    const cost = async (): Promise<number> => {
      const before = db.statements()
      await db.write(['system'], (tx) => appendEvent(tx, 'system', { kind: 'log', by: 'daemon', message: 'unrelated' }))
      // Long enough for a listener that would read.
      for (let turn = 0; turn < 20; turn++) await db.read(async () => {})
      return db.statements() - before
    }
    await begin()
    await cost()
    const alone = await cost()
    await begin()
    expect(await cost()).toBe(alone)
  })

  it('is released at a start if an earlier release ended the run before it and was killed then', async () => {
    const { db, agency, begin } = await scene(openFresh)
    const [first, second] = [await begin(), await begin()]
    await agency.runs.cancel(operator, first, undefined)
    const brief = await agency.brief({ id: second })
    const event = { kind: 'brief_status', by: 'daemon', runId: second, message: 'main is queued' } as const
    await db.write([`run:${second}`], async (tx) => record(tx, event, await addHold(tx, brief, workspaceHold)))
    expect(await statuses(agency, [second])).toEqual(['queued'])
    await agency.engine.start()
    expect(await statuses(agency, [second])).not.toEqual(['queued'])
  })
})
