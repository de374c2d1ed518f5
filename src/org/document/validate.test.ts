import { describe, expect, it } from 'vitest'

import { exportOf, faultsOf, importInto, openDocumentsInMemory } from '../../../test/support/documents.ts'
import { operator } from '../../../test/support/work.ts'

const organisation = 'organisation: { name: Shop, purpose: trade }\n'
const roles = 'roles: [{ name: boss }, { name: clerk }]\n'
const positions = (...seats: string[]): string => `positions:\n${seats.map((seat) => `  - ${seat}\n`).join('')}`

describe('a document of a new organisation', () => {
  it('is valid with a name, a purpose, and seats whose roles it contains', async () => {
    const org = await openDocumentsInMemory({ isEmpty: true })
    const text = `${organisation}${roles}${positions('{ title: Boss, role: boss }', '{ title: Till, role: clerk, reports_to: Boss }')}`
    expect(await org.documents.validate(operator, text)).toEqual({ valid: true, faults: [] })
  })

  it.each([
    ['a name', 'organisation: { purpose: trade }\n', '1:15 a new organisation needs a name'],
    ['a purpose', 'organisation: { name: Shop }\n', '1:15 a new organisation needs a purpose'],
    [
      'a name that makes a slug',
      'organisation: { name: 商店, purpose: trade }\n',
      '1:23 name: "商店" has no letter from a to z and no digit, so no slug can be made',
    ],
    [
      'a purpose that makes a slug',
      'organisation: { name: Shop, purpose: 🎉 }\n',
      '1:38 purpose: "🎉" has no letter from a to z and no digit, so no slug can be made',
    ],
    [
      'a lead that is a seat',
      `organisation: { name: Shop, purpose: trade, lead: Bos }\n${roles}${positions('{ title: Boss, role: boss }')}`,
      '1:51 lead: there is no seat "Bos"; did you mean "Boss"?',
    ],
    ['roles for its seats', `${organisation}${positions('{ title: Boss }')}`, '3:5 seat "Boss" needs a role'],
    [
      'roles that are somewhere',
      `${organisation}${roles}${positions('{ title: Boss, role: bos }')}`,
      '4:5 seat "Boss": there is no role "bos"; did you mean "boss"?',
    ],
    [
      'superiors among its seats',
      `${organisation}${roles}${positions('{ title: Boss, role: boss }', '{ title: Till, role: clerk, reports_to: Bosh }')}`,
      '5:5 seat "Till": reports_to "Bosh", which is not a seat of this organisation; did you mean "Boss"?',
    ],
    [
      'somebody to escalate to among its seats',
      `${organisation}${roles}${positions('{ title: Till, role: clerk, escalates_to: Elsewhere }')}`,
      '4:5 seat "Till": escalates_to "Elsewhere", which is not a seat of this organisation',
    ],
    [
      'no seat above itself',
      `${organisation}${roles}${positions('{ title: Till, role: clerk, reports_to: Till }')}`,
      '4:5 seat "Till": reports_to itself',
    ],
    [
      'no circle of reports',
      `${organisation}${roles}${positions(
        '{ title: A, role: clerk, reports_to: C }',
        '{ title: B, role: clerk, reports_to: A }',
        '{ title: C, role: clerk, reports_to: B }',
      )}`,
      '4:5 circular reporting chain: A → C → B → A',
    ],
    [
      'no circle of escalations',
      `${organisation}${roles}${positions(
        '{ title: A, role: clerk, escalates_to: B }',
        '{ title: B, role: clerk, escalates_to: A }',
      )}`,
      '4:5 circular escalation chain: A → B → A',
    ],
    [
      'one seat for each title',
      `${organisation}${roles}${positions('{ title: A, role: clerk }', '{ title: A, role: clerk }')}`,
      '5:5 the title "A" appears twice; first on line 4',
    ],
    [
      'one seat for each id',
      `${organisation}${roles}${positions('{ position_id: 4, title: A, role: clerk }', '{ position_id: 4, title: B, role: clerk }')}`,
      '5:5 position_id 4 appears twice; first on line 4',
    ],
    [
      'one role for each name',
      `${organisation}roles:\n  - name: clerk\n  - name: Clerk\n`,
      '4:5 the role "Clerk" appears twice; first on line 3',
    ],
    [
      'one role for each id',
      `${organisation}roles:\n  - { role_id: 30, name: a }\n  - { role_id: 30, name: b }\n`,
      '4:5 role_id 30 appears twice; first on line 3',
    ],
    [
      'one assignment for each id',
      `${organisation}${roles}${positions(
        '{ title: A, role: clerk, assignment: { persona_assignment_id: 9, persona_id: 30, persona_name: Al } }',
        '{ title: B, role: clerk, assignment: { persona_assignment_id: 9, persona_id: 31, persona_name: Bo } }',
      )}`,
      '5:5 persona_assignment_id 9 appears twice; first on line 4',
    ],
    [
      'one name for each persona',
      `${organisation}${roles}${positions(
        '{ title: A, role: clerk, assignment: { persona_id: 30, persona_name: Al } }',
        '{ title: B, role: clerk, assignment: { persona_id: 30, persona_name: Bo } }',
      )}`,
      '5:42 Al has two values of persona_name: Al, Bo',
    ],
    [
      'a name for a new persona',
      `${organisation}${roles}${positions('{ title: A, role: clerk, assignment: { persona_slug: clerk-al-30 } }')}`,
      '4:42 there is no persona clerk-al-30; give persona_name to create it',
    ],
    [
      'a name that makes a slug for a persona',
      `${organisation}${roles}${positions('{ title: A, role: clerk, assignment: { persona_name: 😀 } }')}`,
      '4:42 persona_name "😀" has no letter from a to z and no digit, so no slug can be made',
    ],
    [
      'no archived persona on a seat',
      `${organisation}${roles}${positions('{ title: A, role: clerk, assignment: { persona_name: Al, persona_status: archived } }')}`,
      '4:42 Al is archived and cannot hold a seat',
    ],
    [
      'a known role for each persona',
      `${organisation}${roles}${positions('{ title: A, role: clerk, assignment: { persona_name: Al, persona_role: wizard } }')}`,
      '4:42 Al: there is no role "wizard"',
    ],
    [
      'no persona with the role of Agency itself',
      `${organisation}${roles}${positions('{ title: A, role: clerk, assignment: { persona_name: Al, persona_role: System } }')}`,
      '4:42 Al: the role "system" is reserved for Agency',
    ],
    [
      'no seat for the operator',
      `${organisation}${roles}${positions('{ title: A, role: clerk, assignment: { persona_id: 1 } }')}`,
      '4:42 operator-operator-1 cannot hold a seat: it is not part of the chart',
    ],
    [
      'the fixed names of the roles that Agency looks up',
      `${organisation}roles: [{ role_id: 6, name: chief }]\n`,
      '2:9 role_id 6 "operator" cannot be renamed; the document calls it "chief"',
    ],
  ])('needs %s', async (_, text, fault) => {
    const org = await openDocumentsInMemory({ isEmpty: true })
    expect(await faultsOf(org, text)).toEqual([fault])
    expect((await org.documents.validate(operator, text)).valid).toBe(false)
    await expect(importInto(org, text)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(fault.slice(fault.indexOf(' ') + 1)),
      data: { issues: [{ severity: 'error', line: expect.any(Number), column: expect.any(Number) }] },
    })
  })
})

describe('a document of an existing organisation', () => {
  const shop = `${organisation}${roles}${positions(
    '{ position_id: 1, title: Boss, role: boss }',
    '{ position_id: 2, title: Till, role: clerk, reports_to: Boss, assignment: { persona_name: Al } }',
  )}`
  const open = async () => {
    const org = await openDocumentsInMemory({ isEmpty: true })
    await importInto(org, shop)
    return org
  }

  it('may leave out everything that stays', async () => {
    const org = await open()
    const text = `organisation: { organisation_id: 1 }\n${positions('{ position_id: 2, title: Till }', '{ title: Night, role: clerk, reports_to: Boss }')}`
    expect(await faultsOf(org, text)).toEqual([])
  })

  it.each([
    [
      'a circle with a seat that it leaves out',
      positions('{ position_id: 1, title: Boss, reports_to: Till }'),
      '2:5'.concat(' circular reporting chain: Boss → Till → Boss'),
    ],
    [
      'the title of a seat that it leaves out',
      positions('{ position_id: 1, title: Till }'),
      '3:5 the title "Till" belongs to position_id 2, which is not in the document',
    ],
  ])('must not have %s', async (_, seats, fault) => {
    const org = await open()
    const found = await faultsOf(org, `organisation: { organisation_id: 1 }\n${seats}`)
    expect(found.map((each) => each.replace(/^\d+:/, ''))).toEqual([fault.replace(/^\d+:/, '')])
  })

  it('may refer to a seat by the title that it changes, with a warning', async () => {
    const org = await open()
    const text = (await exportOf(org, 'Shop')).replace('title: Boss', 'title: Chief')
    expect((await faultsOf(org, text)).map((each) => each.replace(/\d+:\d+ /, ''))).toEqual([
      'warning seat "Till": reports_to "Boss", which the document itself calls "Chief"',
    ])
    await importInto(org, text)
    expect((await org.positions.list('Shop')).positions.map((seat) => [seat.title, seat.reportsTo])).toEqual([
      ['Chief', null],
      ['Till', 'Chief'],
    ])
    const round = `organisation: { organisation_id: 1 }\n${positions('{ position_id: 1, title: New, reports_to: Chief }')}`
    expect((await faultsOf(org, round))[0]).toContain('seat "New": reports_to itself')
  })

  it('needs a slug where several personas have the same name', async () => {
    const org = await open()
    await importInto(
      org,
      `${organisation.replace('Shop', 'Other')}${positions('{ title: X, role: clerk, assignment: { persona_id: 40, persona_name: Al } }')}`,
    )
    const [fault] = await faultsOf(
      org,
      `organisation: { organisation_id: 1 }\n${positions('{ title: New, role: clerk, assignment: { persona_name: al } }')}`,
    )
    expect(fault).toContain('several personas are called "al": clerk-al-3, clerk-al-40; give persona_slug')
  })

  it('warns of a slug that does not follow from purpose, name and id', async () => {
    const org = await open()
    const text = (await exportOf(org, 'Shop')).replace('slug: trade-shop-1', 'slug: trade-shop-9')
    expect(await faultsOf(org, text)).toEqual([
      'warning 9:9 slug "trade-shop-9" is not imported; it follows from purpose, name and id: trade-shop-1',
    ])
    expect(await importInto(org, text)).toMatchObject({
      applied: true,
      warnings: [expect.stringContaining('line 9, column 9: slug "trade-shop-9" is not imported')],
    })
    expect(await exportOf(org, 'Shop')).toContain('slug: trade-shop-1')
  })

  it('is validated quickly, however many seats are wrong', async () => {
    const org = await openDocumentsInMemory({ isEmpty: true })
    const seats = Array.from(
      { length: 1_000 },
      (_, index) => `{ title: Seat ${index}, role: r, reports_to: Sea ${index} }`,
    )
    const found = await faultsOf(org, `${organisation}roles: [{ name: r }]\n${positions(...seats)}`)
    expect(found).toHaveLength(1_000)
  })
})
