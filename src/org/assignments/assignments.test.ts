import { expect, it } from 'vitest'

import { importInto, type DocumentServices, openDocuments, refusalOf } from '../../../test/support/documents.ts'
import { shop } from '../../../test/support/shop.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import { exitCodes } from '../../kernel/errors.ts'

const persona = (name: string, role = 'clerk', type: 'agent' | 'person' = 'agent') =>
  ({ name, role, type, subtype: 'internal', canCreateChannel: false }) as const

describeStores('assignments', (openFresh) => {
  const open = async (): Promise<DocumentServices> => {
    const org = await openDocuments(openFresh)
    await importInto(org, shop)
    return org
  }
  const current = async (org: DocumentServices): Promise<(string | null)[]> =>
    (await org.positions.list('shop')).positions.map((seat) => seat.assignment?.personaSlug ?? null)

  it('assigns a persona to a seat by slug or name', async () => {
    const org = await open()
    const { slug } = await org.personas.create(operator, persona('Al'))
    const { assignment, warnings } = await org.assignments.assign(operator, 11, 'AL', false)
    expect(warnings).toEqual([])
    expect(assignment).toEqual({
      personaAssignmentId: 8,
      personaId: 31,
      personaSlug: slug,
      personaName: 'Al',
      assignedAt: expect.stringMatching(/^2030-.*Z$/),
      skillFile: `data/personas/${slug}/skill.md`,
      experienceFile: `data/personas/${slug}/experience.md`,
      organisationId: 5,
      positionId: 11,
      positionTitle: 'Till',
      unassignedAt: null,
    })
    expect(await current(org)).toEqual(['boss-ada-30', slug, null])
  })

  it('replaces a holder only with --reassign and keeps both in the history', async () => {
    const org = await open()
    const { slug } = await org.personas.create(operator, persona('Al', 'boss'))
    const error = await refusalOf(org.assignments.assign(operator, 10, slug, false))
    expect([exitCodes[error.code], error.message]).toEqual([
      4,
      'seat "Boss" is held by boss-ada-30; use --reassign to replace',
    ])
    await org.assignments.assign(operator, 10, slug, true)
    const { assignments } = await org.assignments.list({ org: 'shop', includeHistory: true })
    expect(assignments.map((each) => [each.personaSlug, each.unassignedAt === null])).toEqual([
      ['boss-ada-30', false],
      [slug, true],
    ])
    expect((await org.assignments.list({ org: 'shop', includeHistory: false })).assignments).toHaveLength(1)
  })

  it('lets exactly one of two concurrent assignments win', async () => {
    const org = await open()
    for (const name of ['Al', 'Bo']) await org.personas.create(operator, persona(name))
    const settled = await Promise.allSettled(
      ['Al', 'Bo'].map((name) => org.assignments.assign(operator, 11, name, false)),
    )
    expect(settled.map((each) => each.status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('warns when roles differ and refuses personas that cannot hold a seat', async () => {
    const org = await open()
    const { slug } = await org.personas.create(operator, persona('Al', 'qa'))
    expect((await org.assignments.assign(operator, 11, slug, false)).warnings).toEqual([
      `the seat needs the role "clerk", ${slug} has "qa"`,
    ])
    await org.personas.archive(operator, slug, { unassign: true, preview: false })
    expect(await refusalOf(org.assignments.assign(operator, 11, slug, false))).toMatchObject({
      code: 'illegal_transition',
      hint: expect.stringContaining('--status active'),
    })
    for (const seeded of ['Operator', 'System'])
      expect((await refusalOf(org.assignments.assign(operator, 11, seeded, false))).message).toContain(
        'cannot hold a seat',
      )
    expect((await refusalOf(org.assignments.assign(operator, 11, 'Nobody', false))).code).toBe('not_found')
    expect((await refusalOf(org.assignments.assign(operator, 99, 'Ada', false))).code).toBe('not_found')
  })

  it('lets one persona hold several seats, also in several organisations', async () => {
    const org = await open()
    const seat = {
      title: 'Dev',
      role: 'developer',
      level: 1,
      reportsTo: null,
      escalatesTo: null,
      isCrossCutting: false,
    }
    const { positionId } = await org.positions.create(operator, 'Development', seat)
    await org.assignments.assign(operator, positionId, 'Ada', false)
    await org.assignments.assign(operator, 11, 'Ada', false)
    expect((await org.personas.show('Ada')).positions.map((held) => `${held.title}@${held.organisation}`)).toEqual([
      'Dev@software-development-development-1',
      'Boss@trade-shop-5',
      'Till@trade-shop-5',
    ])
  })

  it('empties a seat once and refuses to empty it again', async () => {
    const org = await open()
    expect((await org.assignments.unassign(operator, 10)).assignment).toMatchObject({
      personaSlug: 'boss-ada-30',
      unassignedAt: expect.any(String),
    })
    expect((await org.assignments.vacancies('shop')).vacancies.map((seat) => seat.title)).toEqual([
      'Boss',
      'Till',
      'Auditor',
    ])
    expect((await refusalOf(org.assignments.unassign(operator, 10))).message).toBe('seat "Boss" is vacant already')
  })

  it('lists assignments of one persona or one seat, with or without history', async () => {
    const org = await open()
    const { slug } = await org.personas.create(operator, persona('Al'))
    await org.assignments.assign(operator, 11, slug, false)
    await org.assignments.assign(operator, 11, 'Ada', true)
    const list = async (query: object): Promise<string[]> =>
      (await org.assignments.list({ org: 'shop', includeHistory: false, ...query })).assignments.map(
        (each) => `${each.positionTitle}:${each.personaName}`,
      )
    expect(await list({})).toEqual(['Boss:Ada', 'Till:Ada'])
    expect(await list({ persona: slug })).toEqual([])
    expect(await list({ persona: slug, includeHistory: true })).toEqual(['Till:Al'])
    expect(await list({ includeHistory: true, positionId: 11 })).toEqual(['Till:Al', 'Till:Ada'])
  })

  it('lists vacant seats and available personas', async () => {
    const org = await open()
    await org.personas.create(operator, persona('Al'))
    await org.personas.create(operator, persona('Pat', 'clerk', 'person'))
    const free = async (): Promise<string[]> => (await org.assignments.available()).personas.map((each) => each.name)
    expect(await free()).toEqual(['Al'])
    expect((await org.assignments.vacancies('shop')).vacancies).toEqual([
      { positionId: 11, title: 'Till', role: 'clerk', level: 2 },
      { positionId: 12, title: 'Auditor', role: 'clerk', level: 1 },
    ])
    await org.assignments.assign(operator, 11, 'Al', false)
    expect(await free()).toEqual([])
  })

  it('shows role, intent and skills side by side, without a verdict', async () => {
    const org = await open()
    const fit = await org.assignments.assessFit(11, 'Ada')
    expect(Object.keys(fit)).toEqual(['position', 'intent', 'persona'])
    expect(fit.position).toEqual({
      positionId: 11,
      title: 'Till',
      role: 'clerk',
      level: 2,
      roleDescription: 'Sells',
      organisation: 'trade-shop-5',
    })
    expect(fit.intent).toContain('- Happy customers')
    expect(fit.persona).toMatchObject({ personaId: 30, role: 'boss', skill: expect.stringContaining('# Ada') })
    expect(JSON.stringify(fit)).not.toMatch(/score|verdict|recommend/i)
  })
})
