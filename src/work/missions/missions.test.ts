import { expect, it } from 'vitest'

import { openAgency, startAgency, startRun } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import { type IdNoun, type Ids, operatorPersona, systemIds } from '../../kernel/ids.ts'
import { change } from '../../events/change.ts'
import { findOrganisation, organisations } from '../../org/organisations/store.ts'
import { CreateMission, type Mission } from './contract.ts'
import { missionStatuses } from './states.ts'

const wish = CreateMission.parse({ title: 'A poem' })

describeStores('a mission', (openFresh) => {
  it('begins in the backlog with all its given fields', async () => {
    const agency = await openAgency({ db: (await openFresh()).db })
    const said = {
      title: 'A poem',
      description: 'About rivers',
      priority: 'high',
      acceptance: 'It rhymes',
      tags: ['poetry', 'water'],
      contextNotes: 'For the wall',
      tokenBudget: 200_000,
      costLimit: 5.25,
      deadline: '2030-02-01T00:00:00Z',
      deliverables: ['poem.txt'],
    } as const
    const mission = await agency.missions.create(operator, CreateMission.parse(said))
    expect(mission).toMatchObject({
      ...said,
      status: 'backlog',
      organisationId: 1,
      playbook: 'direct',
      passed: [{ status: 'backlog' }],
    })
    expect(await agency.missions.show(mission.id)).toEqual(mission)
    expect((await agency.missions.list(undefined, 10)).missions).toEqual([{ ...mission, simulated: false }])
    expect((await agency.missions.list('done', 10)).missions).toEqual([])
  })

  it('has a responsible persona and a mission that it is part of, if both exist', async () => {
    const agency = await openAgency({ db: (await openFresh()).db })
    const whole = await agency.missions.create(operator, wish)
    const part = await agency.missions.create(operator, { ...wish, parentMission: whole.id.slice(0, 12) })
    expect(part.parentMission).toBe(whole.id)
    for (const missing of [{ parentMission: 'mis_nope' }, { assignee: 'nobody-here' }])
      await expect(agency.missions.create(operator, { ...wish, ...missing })).rejects.toMatchObject({
        code: 'not_found',
      })
    const kim = await agency.missions.create(operator, { ...wish, assignee: 'operator' })
    expect(kim.assignee).toBe(operatorPersona)
  })

  it('is refused for a missing organisation', async () => {
    const agency = await openAgency({ db: (await openFresh()).db })
    await expect(agency.missions.create(operator, { ...wish, organisationId: 99 })).rejects.toMatchObject({
      code: 'not_found',
      message: 'no organisation "99"',
    })
    expect((await agency.missions.list(undefined, 10)).missions).toEqual([])
  })

  it.each(['dormant', 'archived'] as const)('and a run are refused for an organisation that is %s', async (status) => {
    const { db } = await openFresh()
    const agency = await openAgency({ db })
    const mission = await agency.missions.create(operator, wish)
    await db.write(['org:1'], async (tx) => {
      const organisation = await findOrganisation(tx, 1)
      if (organisation === undefined) throw new Error('the seeded organisation is missing')
      await change(
        tx,
        organisations,
        organisation,
        { status },
        { kind: 'org_changed', by: 'operator', message: status },
      )
    })
    const refused = { code: 'conflict', message: expect.stringMatching(`is ${status} and takes no work$`) as string }
    await expect(agency.missions.create(operator, wish)).rejects.toMatchObject(refused)
    await expect(agency.runs.create(operator, { ...startRun({}), missionId: mission.id })).rejects.toMatchObject(
      refused,
    )
    await expect(agency.run()).rejects.toMatchObject(refused)
  })

  it('follows its chain only, and is unchanged after a refusal', async () => {
    const agency = await openAgency({ db: (await openFresh()).db })
    let mission: Mission = await agency.missions.create(operator, wish)
    for (const next of ['planning', 'assigned', 'in_progress', 'review', 'done'] as const) {
      const back = mission.status === 'review' ? 'in_progress' : next
      const right: readonly string[] = [next, back, 'paused', 'failed', 'cancelled']
      for (const wrong of missionStatuses.filter((status) => !right.includes(status)))
        await expect(agency.missions.move(operator, mission.id, wrong, undefined)).rejects.toMatchObject({
          code: 'illegal_transition',
          message: `a mission cannot go from ${mission.status} to ${wrong}`,
        })
      expect(await agency.missions.show(mission.id)).toEqual(mission)
      mission = await agency.missions.move(operator, mission.id, next, 'because')
    }
    expect(mission.passed.map((each) => each.status)).toEqual([
      'backlog',
      'planning',
      'assigned',
      'in_progress',
      'review',
      'done',
    ])
  })

  it('goes back from paused to its previous status', async () => {
    const agency = await openAgency({ db: (await openFresh()).db })
    const { id } = await agency.missions.create(operator, wish)
    await agency.missions.move(operator, id, 'planning', undefined)
    await agency.missions.move(operator, id, 'assigned', undefined)
    expect(await agency.missions.move(operator, id, 'paused', 'holidays')).toMatchObject({ pausedFrom: 'assigned' })
    await expect(agency.missions.move(operator, id, 'in_progress', undefined)).rejects.toMatchObject({
      code: 'illegal_transition',
    })
    expect(await agency.missions.move(operator, id, 'assigned', undefined)).toMatchObject({
      status: 'assigned',
      pausedFrom: null,
    })
  })

  it('is moved only by its run while the run is active', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ play: [[{ hang: {} }]] })
    for (const status of ['review', 'paused', 'failed', 'cancelled'] as const)
      await expect(agency.missions.move(operator, run.missionId, status, undefined)).rejects.toMatchObject({
        code: 'conflict',
        hint: `Stop it with "agency cancel ${run.id}".`,
      })
    expect(await agency.missions.show(run.missionId)).toMatchObject({ status: 'in_progress' })
    await agency.runs.cancel(operator, run.id, undefined)
    await expect(agency.missions.move(operator, run.missionId, 'planning', undefined)).rejects.toMatchObject({
      code: 'illegal_transition',
    })
  })

  it('is found by a unique prefix of its id', async () => {
    const names = ['mis_aaaa00000001', 'mis_aaaa00000002', 'mis_ab0000000003']
    const ids: Ids = {
      next: (noun: IdNoun) => (noun === 'mission' ? names.shift() : systemIds.next(noun)) as never,
    }
    const agency = await openAgency({ db: (await openFresh()).db, ids })
    for (let count = 0; count < 3; count++) await agency.missions.create(operator, wish)
    for (const prefix of ['mis_aaaa00000002', 'aaaa00000002'])
      expect((await agency.missions.show(prefix)).id).toBe('mis_aaaa00000002')
    expect((await agency.missions.show('ab')).id).toBe('mis_ab0000000003')
    for (const prefix of ['aaaa', 'a', 'mis_a'])
      await expect(agency.missions.show(prefix)).rejects.toMatchObject({ code: 'invalid_input' })
    for (const prefix of ['', 'mis_', 'zz', '%'])
      await expect(agency.missions.show(prefix), prefix).rejects.toMatchObject({ code: 'not_found' })
  })
})
