import { expect, it } from 'vitest'

import { openOrg, type TestOrg } from '../../test/support/org.ts'
import { describeStores } from '../../test/support/store.ts'
import { operator } from '../../test/support/work.ts'
import { inserted } from '../events/change.ts'
import { assignments } from './assignments/store.ts'
import { recordOrgChange } from './changes.ts'
import { positions } from './positions/store.ts'

const at = '2030-01-01T00:00:00.000Z'
const paula = {
  name: 'Paula',
  role: 'ar-director',
  type: 'agent',
  subtype: 'internal',
  canCreateChannel: false,
} as const
const con = { ...paula, name: 'Con', role: 'developer' } as const
const kent = { name: 'Kent', purpose: 'economy', description: '' }

/** Opens an organisation with Paula (3) on a director's seat and Con (4) on none. */
async function openGoverned(openFresh: Parameters<typeof openOrg>[0], organisationId = 1): Promise<TestOrg> {
  const org = await openOrg(openFresh)
  await org.personas.create(operator, paula)
  await org.personas.create(operator, con)
  if (organisationId !== 1) await org.organisations.create(operator, kent)
  const seat = { id: 1, organisationId, title: 'AR Director' }
  await org.db.write(['system', `org:${organisationId}`], (tx) =>
    recordOrgChange(
      tx,
      operator,
      { data: {}, warnings: [] },
      { noun: 'assignment', action: 'assign', message: 'seated' },
      [
        inserted(positions, {
          ...seat,
          roleId: 5,
          level: 1,
          reportsToId: null,
          escalatesToId: null,
          isCrossCutting: true,
          createdAt: at,
          updatedAt: at,
        }),
        inserted(assignments, {
          id: 1,
          organisationId,
          positionId: 1,
          positionTitle: seat.title,
          personaId: 3,
          assignedAt: at,
          unassignedAt: null,
        }),
      ],
    ),
  )
  return org
}

describeStores('a change of the organisation', (openFresh) => {
  it('by the AR Director needs no warning and records its author', async () => {
    const org = await openGoverned(openFresh)
    const agent = await org.agentAs(3)
    const changed = await org.organisations.update(agent, 'development', { description: 'New' })
    expect(changed).not.toHaveProperty('warnings')
    const event = (await org.events('org:1')).at(-1)
    expect(event).toMatchObject({ by: `agent:${agent.agentId}`, data: { by_persona_id: 3 } })
    expect(event?.data).not.toHaveProperty('outside_governance')
  })

  it('by another agent is made with a warning and a mark', async () => {
    const org = await openGoverned(openFresh)
    const agent = await org.agentAs(4)
    const warnings = [expect.stringContaining('outside governance')]
    expect(await org.organisations.update(agent, 'development', { description: 'New' })).toMatchObject({
      description: 'New',
      warnings,
    })
    expect(await org.organisations.set(agent, 'development', 'plans', 'always')).toMatchObject({ warnings })
    expect((await org.organisations.writeIntent(agent, 'development', '## Protect\n- x\n')).warnings).toEqual(warnings)
    expect(await org.roles.create(agent, 'Scout', '')).toMatchObject({ warnings })
    expect(await org.personas.create(agent, { ...con, name: 'Al' })).toMatchObject({ warnings })
    expect(await org.personas.writeSkill(agent, 'con', 'x')).toMatchObject({ warnings })
    expect(await org.organisations.create(agent, kent)).toMatchObject({ warnings })
    const marked = { by: `agent:${agent.agentId}`, data: { by_persona_id: 4, outside_governance: true } }
    expect((await org.events('org:1')).slice(-3)).toMatchObject([marked, marked, marked])
    expect((await org.events('system')).slice(-3)).toMatchObject([marked, marked, marked])
    expect(await org.events('org:2')).toMatchObject([marked])
  })

  it('by another agent is refused where governance is enforced, including files', async () => {
    const org = await openGoverned(openFresh)
    await org.organisations.set(operator, 'development', 'governance', 'enforce')
    const agent = await org.agentAs(4)
    const before = { org: await org.events('org:1'), system: await org.events('system') }
    const intent = org.look('organisations/software-development-development-1/intent.md')
    const refused = { code: 'forbidden', hint: expect.stringContaining('agency org propose') }
    await expect(org.organisations.update(agent, 'development', { name: 'Mine' })).rejects.toMatchObject(refused)
    await expect(org.organisations.set(agent, 'development', 'governance', 'advise')).rejects.toMatchObject(refused)
    await expect(org.organisations.writeIntent(agent, 'development', 'mine')).rejects.toMatchObject(refused)
    await expect(org.organisations.create(agent, kent)).rejects.toMatchObject(refused)
    await expect(org.roles.create(agent, 'Scout', '')).rejects.toMatchObject(refused)
    await expect(org.roles.update(agent, 'qa', 'x')).rejects.toMatchObject(refused)
    await expect(org.personas.create(agent, { ...con, name: 'Al' })).rejects.toMatchObject(refused)
    await expect(org.personas.update(agent, 'paula', { name: 'P', unassign: false })).rejects.toMatchObject(refused)
    await expect(org.personas.archive(agent, 'con', { unassign: true, preview: false })).rejects.toMatchObject(refused)
    await expect(org.personas.writeSkill(agent, 'con', 'mine')).rejects.toMatchObject(refused)
    await expect(org.personas.appendExperience(agent, 'paula', 'mine')).rejects.toMatchObject(refused)
    expect({ org: await org.events('org:1'), system: await org.events('system') }).toEqual(before)
    expect(org.look('organisations/software-development-development-1/intent.md')).toBe(intent)
    await org.organisations.set(await org.agentAs(3), 'development', 'governance', 'advise')
    await org.organisations.update(agent, 'development', { description: 'New' })
  })

  it('does not include an agent’s own experience, which it may always append to', async () => {
    const org = await openGoverned(openFresh)
    await org.organisations.set(operator, 'development', 'governance', 'enforce')
    const agent = await org.agentAs(4)
    expect(await org.personas.appendExperience(agent, 'con', 'Learnt.')).toEqual({ bytes: expect.any(Number) })
    expect((await org.personas.readExperience('con')).text).toContain(`agent ${agent.agentId}\n\nLearnt.\n`)
  })

  it('by the director of another organisation is outside governance, except for roles and personas', async () => {
    const org = await openGoverned(openFresh, 2)
    const agent = await org.agentAs(3)
    expect(await org.organisations.update(agent, 'development', { description: 'New' })).toHaveProperty('warnings')
    expect(await org.organisations.update(agent, 'kent', { description: 'New' })).not.toHaveProperty('warnings')
    expect(await org.roles.create(agent, 'Scout', '')).not.toHaveProperty('warnings')
  })

  it('by an agent whose attempt was superseded is refused', async () => {
    const org = await openGoverned(openFresh)
    const agent = { ...(await org.agentAs(3)), fence: 99 }
    await expect(org.roles.create(agent, 'Scout', '')).rejects.toMatchObject({ code: 'stale_fence' })
    await expect(org.personas.appendExperience({ ...agent }, 'paula', 'x')).rejects.toMatchObject({
      code: 'stale_fence',
    })
  })
})
