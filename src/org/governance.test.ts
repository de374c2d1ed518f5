import { describe, expect, it } from 'vitest'

import { openOrg, type TestOrg } from '../../test/support/org.ts'
import { describeStores } from '../../test/support/store.ts'
import { operator } from '../../test/support/work.ts'
import { inserted } from '../events/change.ts'
import { allOperations } from '../operations/all.contract.ts'
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
  it.each(['advise', 'enforce'])('is never made by an agent directly under %s, texts included', async (governance) => {
    const org = await openGoverned(openFresh)
    await org.organisations.set(operator, 'development', 'governance', governance)
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
  })

  it('is not made by the AR Director for things that belong to no organisation', async () => {
    const org = await openGoverned(openFresh)
    const director = await org.agentAs(3)
    const refused = { code: 'forbidden' }
    await expect(org.personas.writeSkill(director, 'con', 'mine')).rejects.toMatchObject(refused)
    await expect(org.roles.create(director, 'Scout', '')).rejects.toMatchObject(refused)
    await expect(org.organisations.create(director, kent)).rejects.toMatchObject(refused)
  })

  it('is not made by the director of another organisation, nor by one that works for another', async () => {
    const org = await openGoverned(openFresh, 2)
    const agent = await org.agentAs(3)
    const refused = { code: 'forbidden' }
    await expect(org.organisations.update(agent, 'development', { description: 'x' })).rejects.toMatchObject(refused)
    await expect(org.organisations.update(agent, 'kent', { description: 'x' })).rejects.toMatchObject(refused)
  })

  it('does not include an agent’s own experience, which it may always append to', async () => {
    const org = await openGoverned(openFresh)
    const agent = await org.agentAs(4)
    expect(await org.personas.appendExperience(agent, 'con', 'Learnt.')).toEqual({ bytes: expect.any(Number) })
    expect((await org.personas.readExperience('con')).text).toContain(`agent ${agent.agentId}\n\nLearnt.\n`)
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

describe('an operation that changes organisations', () => {
  /** Every noun of the structure; `/org` has the views of an agent about itself. */
  const ofStructure = /^\/(orgs|roles|personas|positions|proposals)(\/|$)/
  /** The operations that an agent may send: a look at a document, a proposal, a decision that the service checks, its own lessons. */
  const permitted = [
    'org.validate',
    'org.propose',
    'org.proposal_apply',
    'org.proposal_reject',
    'persona.experience_append',
  ]
  const writes = allOperations.filter(({ path, method }) => ofStructure.test(path) && method !== 'GET')

  it('is not available to agents, but for proposals and their own experience', () => {
    expect(writes.length).toBeGreaterThan(20)
    const open = writes.filter(({ allow }) => allow.includes('agent')).map(({ name }) => name)
    expect(open.toSorted()).toEqual(permitted.toSorted())
  })

  it('names the way to propose it', () => {
    const closed = writes.filter(({ allow }) => !allow.includes('agent'))
    expect(closed.filter(({ instead }) => instead?.startsWith('Propose it') !== true)).toEqual([])
  })
})
