import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import {
  exportOf,
  importInto,
  type DocumentServices,
  openDocuments,
  openDocumentsInMemory,
  previewOf,
  refusalOf,
} from '../../../test/support/documents.ts'
import { openOrg } from '../../../test/support/org.ts'
import { shop } from '../../../test/support/shop.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import { sqlOf } from '../../db/tx.ts'
import { systemClock } from '../../kernel/clock.ts'
import { noLog } from '../../kernel/log.ts'
import { allOperations } from '../../operations/all.contract.ts'
import { agentWork } from '../../work/agent-work.ts'
import { composeOrganisation } from '../compose.ts'

const rowsOf = (org: Pick<DocumentServices, 'db'>, table: string) =>
  org.db.read((tx) => sqlOf(tx).all(`SELECT * FROM ${table} ORDER BY 1, 2`))
const eventsOf = async (org: Pick<DocumentServices, 'db'>): Promise<number> => (await rowsOf(org, 'events')).length
const look = (org: Pick<DocumentServices, 'root'>, path: string): string => readFileSync(join(org.root, path), 'utf8')

describeStores('importing a document', (openFresh) => {
  it('creates a missing organisation with its ids and its files', async () => {
    const org = await openDocuments(openFresh, { isEmpty: true })
    const { applied, organisationId } = await importInto(org, shop)
    expect([applied, organisationId]).toEqual([true, 5])
    expect(await org.organisations.show('shop')).toMatchObject({
      organisationId: 5,
      slug: 'trade-shop-5',
      leadPositionId: 10,
    })
    expect((await org.positions.list('shop')).positions.map((seat) => seat.positionId)).toEqual([10, 11, 12])
    expect((await org.personas.show('boss-ada-30')).persona).toMatchObject({ personaId: 30, origin: 'import' })
    expect((await org.organisations.readIntent('shop')).intent.neverSacrifice).toEqual(['Honesty'])
    expect(look(org, 'personas/boss-ada-30/skill.md')).toContain('# Ada')
    expect(readdirSync(join(org.root, 'personas/boss-ada-30')).sort()).toEqual([
      'experience.md',
      'handoffs',
      'skill.md',
    ])
    expect(readdirSync(join(org.root, '.staging'))).toEqual([])
  })

  it('continues the ids after those of the document', async () => {
    const org = await openDocuments(openFresh, { isEmpty: true })
    await importInto(org, shop)
    const seat = { title: 'New', role: 'clerk', level: 1, reportsTo: null, escalatesTo: null, isCrossCutting: false }
    expect((await org.positions.create(operator, 'shop', seat)).positionId).toBe(13)
    const persona = { name: 'Bo', role: 'x', type: 'agent', subtype: 'internal', canCreateChannel: false } as const
    const bo = await org.personas.create(operator, persona)
    expect(bo.slug).toBe('x-bo-31')
    expect((await org.roles.list()).roles.at(-1)).toMatchObject({ roleId: 22, name: 'x' })
    expect((await org.assignments.assign(operator, 13, bo.slug, false)).assignment.personaAssignmentId).toBe(8)
    const other = await org.organisations.create(operator, { name: 'Other', purpose: 'x', description: '' })
    expect(other.organisationId).toBe(6)
  })

  it('assigns ids where the document has none, after those that it keeps', async () => {
    const org = await openDocuments(openFresh)
    const { organisationId } = await importInto(
      org,
      `organisation: { name: Lab, purpose: research }
roles: [{ name: scientist }]
positions:
  - { title: A, role: scientist, assignment: { persona_name: Curie } }
  - { title: B, role: scientist, position_id: 4, assignment: { persona_name: Curie } }
  - { title: C, role: Scientist, reports_to: D }
  - { title: D, role: scientist }
`,
    )
    expect(organisationId).toBe(2)
    const { positions } = await org.positions.list('Lab')
    expect(
      positions.map((seat) => [seat.positionId, seat.title, seat.reportsTo, seat.assignment?.personaSlug]),
    ).toEqual([
      [4, 'B', null, 'scientist-curie-3'],
      [5, 'A', null, 'scientist-curie-3'],
      [6, 'C', 'D', undefined],
      [7, 'D', null, undefined],
    ])
  })

  it('changes nothing for an unchanged export', async () => {
    const org = await openDocuments(openFresh)
    await importInto(org, shop)
    const text = await exportOf(org, 'shop')
    const before = await eventsOf(org)
    expect(await previewOf(org, text)).toEqual(['no changes'])
    expect(await importInto(org, text)).toMatchObject({ applied: true, organisationId: 5, warnings: [] })
    expect(await eventsOf(org)).toBe(before)
    expect(await exportOf(org, 'shop')).toBe(text)
  })

  it('changes the stated values and leaves the rest', async () => {
    const org = await openDocuments(openFresh)
    await importInto(org, shop)
    const before = await exportOf(org, 'shop')
    const edit = 'organisation: { organisation_id: 5 }\npositions: [{ position_id: 11, title: Checkout }]\n'
    expect(await previewOf(org, edit)).toEqual([
      'unchanged organisation_id 5',
      'update position_id 11 title: Till → Checkout',
    ])
    expect(await exportOf(org, 'shop')).toBe(before)
    await importInto(org, edit)
    expect(await exportOf(org, 'shop')).toBe(before.replace('title: Till', 'title: Checkout'))
  })

  it('changes every changeable field and reports old and new value', async () => {
    const org = await openDocuments(openFresh)
    await importInto(org, shop)
    const edited = (await exportOf(org, 'shop'))
      .replace('name: Shop', 'name: Store')
      .replace('status: active', 'status: dormant')
      .replace('lead: Boss', 'lead: Till')
      .replace('plans: always', 'plans: by_size')
      .replace('governance: advise', 'governance: enforce')
      .replace('description: Sells', 'description: Sells and smiles')
      .replace('limit: 100.5', 'limit: 200')
      .replace('persona_name: Ada', 'persona_name: Ada L.')
      .replace('persona_role: boss', 'persona_role: clerk')
      .replace(
        /title: Till\n    role: clerk\n    level: 2\n    reports_to: Boss\n    escalates_to: Boss/,
        'title: Till\n    role: boss\n    level: 3\n    reports_to: Auditor\n    escalates_to: null',
      )
      .replace('is_cross_cutting: true', 'is_cross_cutting: false')
    expect(await previewOf(org, edited)).toEqual([
      'update organisation_id 5 name: Shop → Store',
      'update organisation_id 5 status: active → dormant',
      'update organisation lead: Boss → Till',
      'update setting governance: advise → enforce',
      'update setting plans: always → by_size',
      'unchanged role_id 20',
      'update role_id 21 description: Sells → Sells and smiles',
      'update persona_id 30 name: Ada → Ada L.',
      'update persona_id 30 role: boss → clerk',
      'unchanged position_id 10',
      'update authority Boss spend_per_day limit: 100.5 EUR, gate → 200 EUR, gate',
      'unchanged assignment Boss',
      'update position_id 11 role: clerk → boss',
      'update position_id 11 level: 2 → 3',
      'update position_id 11 reports_to: Boss → Auditor',
      'update position_id 11 escalates_to: Boss → null',
      'update position_id 12 is_cross_cutting: true → false',
    ])
    await importInto(org, edited)
    const defaults = '  settings:\n    governance: enforce\n    plans: by_size\n'
    const expected = edited.replaceAll('trade-shop-5', 'trade-store-5').replace(defaults, '')
    expect(await exportOf(org, 'store')).toBe(expected)
    // The slug of a persona never changes; that of an organisation follows its name, with a directory of its own.
    expect(look(org, 'organisations/trade-store-5/intent.md')).toBe(look(org, 'organisations/trade-shop-5/intent.md'))
    await expect(exportOf(org, 'trade-shop-5')).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('trade-store-5'),
    })
  })

  it('lets seats swap titles and new seats take over titles', async () => {
    const org = await openDocuments(openFresh)
    await importInto(org, shop)
    await importInto(
      org,
      `organisation: { organisation_id: 5 }
positions:
  - { position_id: 10, title: Till }
  - { position_id: 11, title: Auditor, reports_to: Till }
  - { position_id: 12, title: Keeper, escalates_to: Till }
  - { title: Boss, role: boss }
`,
    )
    const { positions } = await org.positions.list('shop')
    expect(positions.map((seat) => [seat.positionId, seat.title, seat.reportsTo, seat.escalatesTo])).toEqual([
      [10, 'Till', null, null],
      [11, 'Auditor', 'Till', 'Till'],
      [12, 'Keeper', null, 'Till'],
      [13, 'Boss', null, null],
    ])
    expect((await org.assignments.list({ org: 'shop', includeHistory: false })).assignments).toMatchObject([
      { positionTitle: 'Till', personaSlug: 'boss-ada-30' },
    ])
  })

  it('connects new seats in any order, also where one escalates to its own report', async () => {
    const org = await openDocuments(openFresh)
    const seats = Array.from({ length: 40 }, (_, index) => index).map(
      (index) =>
        `  - { title: S${index}, role: qa, reports_to: ${index === 39 ? null : `S${index + 1}`}, escalates_to: ${index === 0 ? null : `S${index - 1}`} }`,
    )
    await importInto(org, `organisation: { name: Chain, purpose: x }\npositions:\n${seats.join('\n')}\n`)
    const { positions } = await org.positions.list('Chain')
    expect(positions.map((seat) => seat.reportsTo)).toEqual(
      [...seats.keys()].map((i) => (i === 39 ? null : `S${i + 1}`)),
    )
    expect(positions.map((seat) => seat.escalatesTo)).toEqual(
      [...seats.keys()].map((i) => (i === 0 ? null : `S${i - 1}`)),
    )
  })

  it('deletes nothing that a document leaves out', async () => {
    const org = await openDocuments(openFresh)
    await importInto(org, shop)
    const before = await exportOf(org, 'shop')
    const without = before.slice(0, before.indexOf('  - position_id: 12'))
    expect((await previewOf(org, without)).join('\n')).not.toMatch(/delete|remove/)
    await importInto(org, without)
    // Neither an empty seat nor an absent limit removes anything.
    await importInto(
      org,
      'organisation: { organisation_id: 5 }\npositions: [{ title: Boss, assignment: null, authority: [] }]\n',
    )
    expect(await exportOf(org, 'shop')).toBe(before)
  })

  it('stores nothing if the last seat is invalid', async () => {
    const org = await openDocuments(openFresh)
    const before = await eventsOf(org)
    const files = readdirSync(org.root, { recursive: true })
    const error = await refusalOf(importInto(org, `${shop}  - { title: Broken, role: wizard }\n`))
    expect(error).toMatchObject({
      code: 'invalid_input',
      message: 'line 64, column 5: seat "Broken": there is no role "wizard"',
      data: { issues: [{ line: 64, column: 5, subject: 'Broken', severity: 'error' }] },
    })
    expect(await eventsOf(org)).toBe(before)
    expect(readdirSync(org.root, { recursive: true })).toEqual(files)
  })

  it('writes no row where the data directory cannot take the files', async () => {
    const org = await openDocuments(openFresh)
    const before = await eventsOf(org)
    await org.files.write([], { x: 'in the way' }, (_, put) => put([{ from: 'x', to: 'personas/boss-ada-30' }]))
    await expect(importInto(org, shop)).rejects.toMatchObject({ code: 'store_unusable' })
    expect(await eventsOf(org)).toBe(before)
    expect(existsSync(join(org.root, 'organisations/trade-shop-5'))).toBe(false)
    expect(readdirSync(join(org.root, '.staging'))).toEqual([])
  })

  it('replaces a holder only with --force and keeps both in the history', async () => {
    const org = await openDocuments(openFresh)
    await importInto(org, shop)
    const edit = `organisation: { organisation_id: 5 }
positions:
  - { position_id: 10, title: Boss, assignment: { persona_name: Zoe, persona_role: boss } }
  - { position_id: 11, title: Till, assignment: { persona_slug: boss-ada-30 } }
`
    expect(await previewOf(org, edit)).toContain(
      'conflict assignment Boss: seat "Boss" is held by boss-ada-30; use --force to seat Zoe instead',
    )
    const before = await eventsOf(org)
    expect(await refusalOf(importInto(org, edit))).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('use --force to seat Zoe instead'),
      data: { flag: '--force', conflicts: [expect.any(String)] },
    })
    expect(await eventsOf(org)).toBe(before)
    expect(existsSync(join(org.root, 'personas/boss-zoe-31'))).toBe(false)
    expect(await previewOf(org, edit, { force: true })).toContain('update assignment Boss persona: boss-ada-30 → Zoe')
    await importInto(org, edit, { force: true })
    const { assignments } = await org.assignments.list({ org: 'shop', includeHistory: true })
    expect(assignments.map((each) => [each.positionTitle, each.personaSlug, each.unassignedAt !== null])).toEqual([
      ['Boss', 'boss-ada-30', true],
      ['Boss', 'boss-zoe-31', false],
      ['Till', 'boss-ada-30', false],
    ])
    expect(look(org, 'personas/boss-zoe-31/skill.md')).toContain('# Zoe')
  })

  it('lists every id of another installation that has a different meaning here', async () => {
    const org = await openDocuments(openFresh)
    await importInto(org, shop)
    await importInto(
      org,
      'organisation: { organisation_id: 1 }\npositions: [{ position_id: 1, title: Dev, role: developer, assignment: { persona_id: 3, persona_name: Al } }]\n',
    )
    const foreign = `organisation: { organisation_id: 1, name: Farm, purpose: food, slug: food-farm-1 }
roles: [{ role_id: 1, name: farmer }, { role_id: 2, name: qa }]
positions:
  - position_id: 10
    title: Field
    role: farmer
    assignment: { persona_id: 3, persona_slug: farmer-eve-3, persona_name: Eve, persona_role: farmer }
  - position_id: 77
    title: Dev
    role: qa
`
    const before = await eventsOf(org)
    const error = await refusalOf(importInto(org, foreign))
    expect(error.code).toBe('conflict')
    expect(error.message).toContain('use --force for all of them')
    expect(error.data['conflicts']).toEqual([
      'organisation_id 1 is software-development-development-1 here, but food-farm-1 in the document; use --force to rename it, or omit organisation_id to create a new one',
      'role_id 1 is "architect" here, but "farmer" in the document; use --force to rename it in all organisations',
      'persona_id 3 is developer-al-3 here, but farmer-eve-3 in the document; use --force to create it with a new id',
      'position_id 10 belongs to organisation 5; use --force to give "Field" a new id',
      'the seat "Dev" has position_id 1 here, not 77; use --force to match by title',
    ])
    expect(await eventsOf(org)).toBe(before)
  })

  it('creates such a document as a new organisation with --force, with the same ids each time', async () => {
    const org = await openDocuments(openFresh)
    await importInto(
      org,
      'organisation: { organisation_id: 1 }\npositions: [{ position_id: 1, title: Dev, role: developer, assignment: { persona_id: 3, persona_name: Al } }]\n',
    )
    const foreign = (id: string): string => `organisation: { ${id}name: Farm, purpose: food }
roles: [{ role_id: 40, name: farmer }]
positions:
  - position_id: 1
    title: Field
    role: farmer
    assignment: { persona_id: 3, persona_slug: farmer-eve-3, persona_name: Eve, persona_role: farmer }
`
    await expect(importInto(org, foreign(''))).rejects.toMatchObject({ code: 'conflict' })
    await importInto(org, foreign(''), { force: true })
    await importInto(org, foreign('organisation_id: 2, '), { force: true })
    const { positions } = await org.positions.list('Farm')
    expect(positions).toMatchObject([{ positionId: 2, title: 'Field', assignment: { personaSlug: 'farmer-eve-4' } }])
    expect((await org.personas.list({ active: false, all: true })).personas.map((each) => each.slug)).toEqual([
      'operator-operator-1',
      'system-system-2',
      'developer-al-3',
      'farmer-eve-4',
    ])
    expect((await org.positions.list('Development')).positions).toMatchObject([
      { title: 'Dev', assignment: { personaSlug: 'developer-al-3' } },
    ])
  })

  it('renames a shared role or persona only with --force, one of its own at once', async () => {
    const org = await openDocuments(openFresh)
    await importInto(org, shop)
    const rename = `organisation: { organisation_id: 5 }
roles: [{ role_id: 20, name: chief }]
positions: [{ position_id: 10, title: Boss, assignment: { persona_id: 30, persona_name: Eva } }]
`
    const renamed =
      'role_id 20 is "boss" here, but "chief" in the document; use --force to rename it in all organisations'
    expect((await refusalOf(importInto(org, rename))).data['conflicts']).toEqual([renamed])
    // Also where the seats still use the former name of the role.
    const exported = (await exportOf(org, 'shop')).replace('name: boss', 'name: chief')
    expect((await refusalOf(importInto(org, exported))).data['conflicts']).toEqual([renamed])
    expect(await previewOf(org, exported, { force: true })).toContain('update role_id 20 name: boss → chief')
    const dev = await org.positions.create(operator, 'Development', {
      title: 'Dev',
      role: 'developer',
      level: 1,
      reportsTo: null,
      escalatesTo: null,
      isCrossCutting: false,
    })
    await org.assignments.assign(operator, dev.positionId, 'Ada', false)
    expect((await refusalOf(importInto(org, rename))).data['conflicts']).toHaveLength(2)
    await importInto(org, rename, { force: true })
    expect((await org.roles.list()).roles).toContainEqual({ roleId: 20, name: 'chief', description: 'Decides' })
    expect((await org.personas.show('boss-ada-30')).persona).toMatchObject({ name: 'Eva', role: 'chief' })
    expect((await org.positions.list('shop')).positions[0]?.role).toBe('chief')
  })

  it('matches a role by its name, whatever its id and case', async () => {
    const org = await openDocuments(openFresh)
    await importInto(
      org,
      'organisation: { name: Lab, purpose: x }\nroles: [{ role_id: 1, name: QA }, { role_id: 99, name: pm }]\npositions: [{ title: A, role: QA }, { title: B, role: PM }]\n',
    )
    expect((await org.positions.list('Lab')).positions.map((seat) => seat.role)).toEqual(['qa', 'pm'])
    expect((await org.roles.list()).roles).toHaveLength(7)
  })

  it('does not reuse the id of a seat that another organisation removed', async () => {
    const org = await openDocuments(openFresh)
    await importInto(org, shop)
    await org.positions.remove(operator, 12, { preview: false, reparent: false, unassign: false, force: false })
    const text = 'organisation: { name: Lab, purpose: x }\npositions: [{ position_id: 12, title: A, role: qa }]\n'
    expect((await refusalOf(importInto(org, text))).message).toContain('position_id 12 belongs to organisation 5')
    await importInto(org, text, { force: true })
    expect((await org.positions.list('Lab')).positions[0]?.positionId).toBe(13)
    // The organisation that removed the seat may reuse its id.
    await importInto(org, shop)
    expect((await org.positions.list('shop')).positions.map((seat) => seat.positionId)).toEqual([10, 11, 12])
  })

  it('replaces the intent of an existing organisation only on request and keeps the old text', async () => {
    const org = await openDocuments(openFresh)
    await importInto(org, shop)
    const place = 'organisations/trade-shop-5/intent.md'
    const text = (await exportOf(org, 'shop')).replace('- Honesty', '- Honesty\n      - Opening hours')
    const before = look(org, place)
    expect(await previewOf(org, text)).toEqual([
      'no changes',
      'unchanged intent: intent differs, not imported; use --with-intent to write it',
    ])
    await importInto(org, text)
    await importInto(org, text.replace('level: 2', 'level: 3'))
    expect(look(org, place)).toBe(before)
    await importInto(org, text)
    expect(await previewOf(org, text, { withIntent: true })).toContain('update intent')
    await importInto(org, text, { withIntent: true })
    expect(look(org, place)).toBe(before.replace('- Honesty', '- Honesty\n- Opening hours'))
    expect(look(org, `${place}.bak`)).toBe(before)
    expect(await exportOf(org, 'shop')).toBe(text)
  })

  it('renames the organisation and rewrites its intent in one step', async () => {
    const org = await openDocuments(openFresh)
    await importInto(org, shop)
    const before = look(org, 'organisations/trade-shop-5/intent.md')
    const edited = (await exportOf(org, 'shop')).replace('name: Shop', 'name: Store').replace('- Honesty', '- Truth')
    await importInto(org, edited, { withIntent: true })
    expect(look(org, 'organisations/trade-store-5/intent.md')).toBe(before.replace('- Honesty', '- Truth'))
    expect(look(org, 'organisations/trade-store-5/intent.md.bak')).toBe(before)
    expect(look(org, 'organisations/trade-shop-5/intent.md')).toBe(before)
  })

  it('keeps existing files of a copied data directory', async () => {
    const org = await openDocuments(openFresh, { isEmpty: true })
    const intent =
      '# Shop\n\nHow it began.\n\n## Optimise for\n\n- Happy customers\n\n## Never sacrifice\n\n- Honesty\n'
    await org.files.write([], { skill: '# Ada, herself\n', intent }, (_, put) =>
      put([
        { from: 'skill', to: 'personas/boss-ada-30/skill.md' },
        { from: 'intent', to: 'organisations/trade-shop-5/intent.md' },
      ]),
    )
    await importInto(org, shop)
    expect(look(org, 'personas/boss-ada-30/skill.md')).toBe('# Ada, herself\n')
    expect(look(org, 'personas/boss-ada-30/experience.md')).toContain('Ada')
    expect(look(org, 'organisations/trade-shop-5/intent.md')).toBe(intent)
  })

  it('serialises concurrent imports: the second finds the result of the first', async () => {
    const org = await openDocuments(openFresh)
    // Another set of services beside the first, so that only the store keeps them apart.
    const twin = composeOrganisation({ db: org.db, clock: systemClock, log: noLog, work: agentWork, data: org.root })
    const results = await Promise.all([importInto(org, shop), importInto(twin, shop), importInto(org, shop)])
    const news = results.map(({ changes }) => changes.filter(({ action }) => action !== 'unchanged').length)
    expect(news.sort((a, b) => a - b)).toEqual([0, 0, expect.any(Number)])
    expect((await org.positions.list('shop')).positions).toHaveLength(3)
    const [till, boss] = await Promise.allSettled([
      importInto(org, seating('Till', 'Al')),
      importInto(twin, seating('Till', 'Bo')),
    ])
    expect([till.status, boss.status].sort()).toEqual(['fulfilled', 'rejected'])
    expect((await org.positions.list('shop')).positions[1]?.assignment).not.toBeNull()
  })

  it('creates two organisations from two concurrent imports without an id', async () => {
    const org = await openDocuments(openFresh)
    const text = 'organisation: { name: Lab, purpose: x }\npositions: [{ title: A, role: qa }]\n'
    const results = await Promise.all([importInto(org, text), importInto(org, text)])
    expect(results.map((each) => each.organisationId).sort()).toEqual([2, 3])
    expect(readdirSync(join(org.root, 'organisations')).sort()).toEqual([
      'software-development-development-1',
      'x-lab-2',
      'x-lab-3',
    ])
  })

  it('runs once and answers twice for one idempotency key', async () => {
    const org = await openDocuments(openFresh)
    const ask = () => org.db.once('key', 'digest', () => importInto(org, shop))
    const first = await ask()
    expect(await ask()).toEqual(first)
    expect(first.changes.some(({ action }) => action === 'create')).toBe(true)
  })

  it('never affects running agents', async () => {
    const org = await openOrg(openFresh)
    await org.agentAs(2)
    const look = async () =>
      Promise.all(['agents', 'attempts', 'briefs', 'runs', 'missions'].map((table) => rowsOf(org, table)))
    const before = await look()
    await importInto(org, shop)
    await importInto(
      org,
      shop
        .replace('title: Till', 'title: Checkout')
        .replace('organisation_id: 5', 'organisation_id: 5\n  active_agents: 3'),
    )
    expect(await look()).toEqual(before)
  })

  it('is not made by an agent that holds no AR Director’s seat', async () => {
    const org = await openOrg(openFresh)
    await importInto(org, shop)
    const agent = await org.agentAs(30, 5)
    const document = 'organisation: { organisation_id: 5 }\npositions: [{ position_id: 11, title: Desk }]\n'
    const options = { preview: false, force: false, withIntent: false }
    await expect(org.documents.import(agent, document, options)).rejects.toMatchObject({ code: 'forbidden' })
    expect((await org.documents.import(operator, document, options)).applied).toBe(true)
  })
})

const seating = (title: string, name: string): string =>
  `organisation: { organisation_id: 5 }\npositions: [{ title: ${title}, assignment: { persona_name: ${name}, persona_role: clerk } }]\n`

describe('an import', () => {
  it('records one summarising event and one for each change', async () => {
    const org = await openDocumentsInMemory({ isEmpty: true })
    await importInto(org, shop)
    const events = (await rowsOf(org, 'events')).filter((event) => event['kind'] === 'org_changed')
    const normal = events.filter((event) => event['level'] === 'normal')
    expect(normal.map((event) => event['message'])).toEqual(['Document imported into Shop: 13 changes'])
    const nouns = events.map((event) => (JSON.parse(String(event['data'])) as { noun: string }).noun)
    expect([...new Set(nouns)].sort()).toEqual([
      'assignment',
      'authority',
      'organisation',
      'persona',
      'position',
      'role',
      'setting',
    ])
  })

  it('refuses a document that is too large before reading it', async () => {
    const org = await openDocumentsInMemory()
    await expect(importInto(org, 'x'.repeat(20_000_000))).rejects.toMatchObject({ code: 'too_large' })
    await expect(org.documents.validate(operator, 'x'.repeat(20_000_000))).rejects.toMatchObject({ code: 'too_large' })
  })

  it('reactivates an archived persona where the document says so', async () => {
    const org = await openDocumentsInMemory()
    const persona = { name: 'Al', role: 'qa', type: 'agent', subtype: 'internal', canCreateChannel: false } as const
    const { slug } = await org.personas.create(operator, persona)
    await org.personas.archive(operator, slug, { unassign: false, preview: false })
    const text = (status: string): string =>
      `organisation: { organisation_id: 1 }\npositions: [{ title: A, role: qa, assignment: { persona_slug: ${slug}${status} } }]\n`
    expect((await refusalOf(importInto(org, text('')))).message).toContain('is archived and cannot hold a seat')
    await importInto(org, text(', persona_status: active'))
    expect((await org.personas.show(slug)).persona.status).toBe('active')
  })

  it('keeps the slug that a persona had before it was renamed', async () => {
    const org = await openDocumentsInMemory({ isEmpty: true })
    await importInto(org, shop.replace('persona_name: Ada', 'persona_name: 雅達'))
    expect((await org.personas.show('boss-ada-30')).persona.name).toBe('雅達')
  })

  it('creates a new slug where the given one ends in another id', async () => {
    const org = await openDocumentsInMemory({ isEmpty: true })
    await importInto(org, shop.replace('boss-ada-30', 'boss-ada-31'))
    expect((await org.personas.show('Ada')).persona.slug).toBe('boss-ada-30')
  })

  it('is an operation for the operator, and an export is a tool for agents', () => {
    const byName = new Map(allOperations.map((operation) => [operation.name, operation]))
    expect(byName.get('org.import')?.allow).toEqual(['operator'])
    expect(allOperations.flatMap((operation) => operation.tool ?? [])).toEqual(
      expect.arrayContaining(['whoami', 'org_tree', 'org_export', 'org_route']),
    )
    expect(byName.get('daemon.whoami')?.tool).toBeUndefined()
  })
})
