import { rmSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import {
  importInto,
  type DocumentServices,
  openDocuments,
  openDocumentsInMemory,
  refusalOf,
} from '../../../test/support/documents.ts'
import { openOrg } from '../../../test/support/org.ts'
import { shop } from '../../../test/support/shop.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import { exitCodes } from '../../kernel/errors.ts'

/** Al at the till below a vacant seat below Ada; Bo beside him. */
const staffed = `organisation: { organisation_id: 5 }
positions:
  - title: Till
    reports_to: Floor
    escalates_to: Boss
    assignment: { persona_name: Al, persona_role: clerk }
  - title: Floor
    role: clerk
    reports_to: Boss
  - title: Desk
    role: clerk
    reports_to: Floor
    assignment: { persona_name: Bo, persona_role: clerk }
`

const furnish = async (org: Pick<DocumentServices, 'documents'>): Promise<void> => {
  await importInto(org as DocumentServices, shop)
  await importInto(org as DocumentServices, staffed)
}

describeStores('a persona’s card', (openFresh) => {
  it('shows seat, lines, reports, peers and intent', async () => {
    const org = await openDocuments(openFresh)
    await furnish(org)
    expect(await org.routing.whoami(operator, 'Al', undefined)).toEqual({
      personaId: 31,
      name: 'Al',
      slug: 'clerk-al-31',
      role: 'clerk',
      cards: [
        {
          positionId: 11,
          title: 'Till',
          role: 'clerk',
          level: 2,
          organisation: 'trade-shop-5',
          reportingLine: ['Floor (vacant)', 'Boss (boss-ada-30)', 'operator'],
          escalationPath: ['Boss (boss-ada-30)', 'operator'],
          directReports: [],
          peers: ['Desk (clerk-bo-32)'],
          intent: { optimiseFor: ['Happy customers'], protect: [], neverSacrifice: ['Honesty'], constraints: [] },
        },
      ],
    })
    expect((await org.routing.whoami(operator, 'Ada', undefined)).cards).toMatchObject([
      { title: 'Boss', reportingLine: ['operator'], directReports: ['Floor (vacant)'], peers: ['Auditor (vacant)'] },
    ])
  })

  it('has one block per seat, optionally of one organisation', async () => {
    const org = await openDocuments(openFresh)
    await furnish(org)
    await importInto(
      org,
      'organisation: { organisation_id: 1 }\npositions: [{ title: Dev, role: developer, assignment: { persona_id: 31 } }]\n',
    )
    const titles = async (name?: string): Promise<string[]> =>
      (await org.routing.whoami(operator, 'Al', name)).cards.map((card) => card.title)
    expect(await titles()).toEqual(['Dev', 'Till'])
    expect(await titles('shop')).toEqual(['Till'])
  })

  it('is the calling agent’s own by default', async () => {
    const org = await openOrg(openFresh)
    await furnish(org)
    const agent = await org.agentAs(31)
    expect(await org.routing.whoami(agent, undefined, undefined)).toMatchObject({ slug: 'clerk-al-31' })
    expect((await refusalOf(org.routing.whoami(operator, undefined, undefined))).hint).toContain('--persona-slug')
  })
})

describe('a persona’s card', () => {
  it('is also shown without a seat and without an intent', async () => {
    const org = await openDocumentsInMemory()
    await furnish(org)
    rmSync(join(org.root, 'organisations/trade-shop-5/intent.md'))
    expect((await org.routing.whoami(operator, 'Al', undefined)).cards[0]?.intent).toEqual({
      optimiseFor: [],
      protect: [],
      neverSacrifice: [],
      constraints: [],
    })
    await org.assignments.unassign(operator, 11)
    expect((await org.routing.whoami(operator, 'Al', undefined)).cards).toEqual([])
  })
})

describeStores('an address', (openFresh) => {
  it.each([
    ['persona:clerk-al-31', ['persona clerk-al-31'], 'Till', 'clerk-al-31'],
    ['persona:AL', ['persona clerk-al-31'], 'Till', 'clerk-al-31'],
    ['position:Till@shop', ['Till: held by clerk-al-31'], 'Till', 'clerk-al-31'],
    ['position:floor@trade-shop-5', ['Floor: vacant'], 'Floor', null],
    [
      'role:Clerk@shop',
      ['Till: clerk-al-31', 'Auditor: vacant', 'Floor: vacant', 'Desk: clerk-bo-32'],
      'Till',
      'clerk-al-31',
    ],
    ['role:qa@shop', [], null, null],
    ['manager', ['Floor: vacant', 'Boss: held by boss-ada-30'], 'Boss', 'boss-ada-30'],
    ['escalation', ['Boss: held by boss-ada-30'], 'Boss', 'boss-ada-30'],
    ['operator', ['operator'], null, 'operator-operator-1'],
  ])('%s resolves to the current holder and lists the skipped hops', async (to, tried, position, persona) => {
    const org = await openDocuments(openFresh)
    await furnish(org)
    expect(await org.routing.route(operator, 'persona:Al', to, undefined)).toMatchObject({
      address: to,
      tried,
      position,
      persona,
    })
  })

  it('upwards ends at the operator', async () => {
    const org = await openDocuments(openFresh)
    await furnish(org)
    const upwards = (from: string) => org.routing.route(operator, from, 'manager', undefined)
    expect(await upwards('persona:Ada')).toMatchObject({ tried: ['operator'], persona: 'operator-operator-1' })
    await org.assignments.unassign(operator, 10)
    expect(await upwards('persona:Al')).toMatchObject({
      tried: ['Floor: vacant', 'Boss: vacant', 'operator'],
      positionId: null,
      persona: 'operator-operator-1',
    })
    expect(await upwards('persona:Ada')).toMatchObject({ tried: ['boss-ada-30: holds no seat', 'operator'] })
  })

  it('upwards from a persona with several seats needs the organisation', async () => {
    const org = await openDocuments(openFresh)
    await furnish(org)
    await importInto(
      org,
      'organisation: { organisation_id: 1 }\npositions: [{ title: Dev, role: developer, assignment: { persona_id: 31 } }]\n',
    )
    const route = (name?: string) => org.routing.route(operator, 'persona:Al', 'manager', name)
    const error = await refusalOf(route())
    expect([exitCodes[error.code], error.data['seats']]).toEqual([
      4,
      ['Dev@software-development-development-1', 'Till@trade-shop-5'],
    ])
    expect(await route('shop')).toMatchObject({ persona: 'boss-ada-30' })
  })

  it('with an unknown form is refused with the list of forms', async () => {
    const org = await openDocuments(openFresh)
    await furnish(org)
    const refused = (to: string, from = 'persona:Al') => refusalOf(org.routing.route(operator, from, to, undefined))
    expect(await refused('everybody')).toMatchObject({
      code: 'invalid_input',
      hint: expect.stringContaining('position:TITLE@ORG'),
    })
    expect(await refused('position:Till')).toMatchObject({ code: 'invalid_input', hint: expect.stringContaining('@') })
    expect((await refused('position:Nothing@shop')).code).toBe('not_found')
    expect((await refused('role:wizard@shop')).code).toBe('not_found')
    expect((await refused('persona:nobody')).code).toBe('not_found')
    expect((await refused('manager', 'position:Till@shop')).code).toBe('invalid_input')
  })

  it('may contain a title with an @', async () => {
    const org = await openDocuments(openFresh)
    await importInto(org, `${shop}  - { title: me@home, role: clerk }\n`)
    expect(await org.routing.route(operator, undefined, 'position:me@home@shop', undefined)).toMatchObject({
      position: 'me@home',
    })
  })
})
