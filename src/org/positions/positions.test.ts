import { expect, it } from 'vitest'

import { importInto, type DocumentServices, openDocuments, refusalOf } from '../../../test/support/documents.ts'
import { openOrg } from '../../../test/support/org.ts'
import { shop } from '../../../test/support/shop.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { Agent } from '../../work/agents/contract.ts'
import { agents } from '../../work/agents/store.ts'
import { findRow } from '../../db/table.ts'
import { sqlOf } from '../../db/tx.ts'
import { change } from '../../events/change.ts'
import { exitCodes } from '../../kernel/errors.ts'

const plain = { level: 1, reportsTo: null, escalatesTo: null, isCrossCutting: false }
const removal = { preview: false, reparent: false, unassign: false, force: false }
const titles = async (org: DocumentServices): Promise<string[]> =>
  (await org.positions.list('shop')).positions.map((seat) => seat.title)

describeStores('a seat', (openFresh) => {
  const open = async (): Promise<DocumentServices> => {
    const org = await openDocuments(openFresh)
    await importInto(org, shop)
    return org
  }

  it('is created with its role and its lines, by title', async () => {
    const org = await open()
    const made = await org.positions.create(operator, 'SHOP', {
      title: 'Night Till',
      role: 'Clerk',
      level: 3,
      reportsTo: 'Till',
      escalatesTo: 'Boss',
      isCrossCutting: true,
    })
    expect(made).toEqual({
      positionId: 13,
      organisationId: 5,
      title: 'Night Till',
      role: 'clerk',
      level: 3,
      reportsTo: 'Till',
      escalatesTo: 'Boss',
      isCrossCutting: true,
      isLead: false,
      assignment: null,
      authority: [],
    })
    expect((await org.positions.list('shop')).positions).toContainEqual(made)
  })

  it('needs a valid role, superior and title', async () => {
    const org = await open()
    const create = (input: object) =>
      refusalOf(org.positions.create(operator, 'shop', { title: 'New', role: 'clerk', ...plain, ...input }))
    expect(await create({ role: 'clark' })).toMatchObject({ code: 'not_found', hint: 'Did you mean "clerk"?' })
    expect(await create({ reportsTo: 'Bos' })).toMatchObject({ code: 'not_found', hint: 'Did you mean "Boss"?' })
    expect(await create({ escalatesTo: 'Nobody at all' })).toMatchObject({ code: 'not_found' })
    const itself = await create({ reportsTo: 'New' })
    expect([exitCodes[itself.code], itself.message]).toEqual([1, '"New" cannot report to itself'])
    const twice = await create({ title: 'Till' })
    expect(exitCodes[twice.code]).toBe(4)
    expect(twice.hint).toContain('--title "Till 2"')
    await expect(
      org.positions.create(operator, 'nowhere', { title: 'X', role: 'clerk', ...plain }),
    ).rejects.toMatchObject({
      code: 'not_found',
    })
    expect(await titles(org)).toEqual(['Boss', 'Till', 'Auditor'])
  })

  it('with the same title is created by only one of two concurrent requests', async () => {
    const org = await open()
    const input = { title: 'New', role: 'clerk', ...plain }
    const settled = await Promise.allSettled([1, 2].map(() => org.positions.create(operator, 'shop', input)))
    expect(settled.map((each) => each.status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('shows its holder, its lines upwards and its reports', async () => {
    const org = await open()
    expect(await org.positions.show(10)).toMatchObject({
      position: { title: 'Boss', isLead: true, assignment: { personaSlug: 'boss-ada-30' } },
      reportingLine: ['operator'],
      escalationPath: ['operator'],
      directReports: ['Till'],
    })
    expect(await org.positions.show(11)).toMatchObject({
      reportingLine: ['Boss', 'operator'],
      escalationPath: ['Boss', 'operator'],
      directReports: [],
    })
    await expect(org.positions.show(99)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('changes only the given fields', async () => {
    const org = await open()
    const before = (await org.positions.show(11)).position
    const after = await org.positions.update(operator, 11, { level: 4 })
    expect(after).toEqual({ ...before, level: 4 })
    const events = await org.db.read((tx) => sqlOf(tx).all('SELECT data FROM events ORDER BY position DESC LIMIT 1'))
    expect(JSON.parse(String(events[0]?.['data']))).toMatchObject({ position_id: 11, fields: ['level'] })
    const moved = await org.positions.update(operator, 11, {
      reportsTo: null,
      escalatesTo: 'Auditor',
      title: 'Desk',
      role: 'boss',
    })
    expect(moved).toMatchObject({ reportsTo: null, escalatesTo: 'Auditor', title: 'Desk', role: 'boss', level: 4 })
  })

  it('is not changed by equal values', async () => {
    const org = await open()
    const count = () => org.db.read((tx) => sqlOf(tx).all('SELECT COUNT(*) AS n FROM events'))
    const before = await count()
    await org.positions.update(operator, 11, { level: 2, reportsTo: 'Boss' })
    expect(await count()).toEqual(before)
  })

  it('never becomes its own superior, directly or indirectly', async () => {
    const org = await open()
    const round = await refusalOf(org.positions.update(operator, 10, { reportsTo: 'Till' }))
    expect([exitCodes[round.code], round.message]).toEqual([
      1,
      'the reporting line would form a circle: Boss → Till → Boss',
    ])
    expect((await refusalOf(org.positions.update(operator, 10, { escalatesTo: 'Auditor' }))).message).toContain(
      'the escalation line would form a circle',
    )
    expect((await refusalOf(org.positions.update(operator, 11, { reportsTo: 'Till' }))).code).toBe('illegal_transition')
    expect((await refusalOf(org.positions.update(operator, 11, { title: 'Boss' }))).code).toBe('conflict')
  })

  it('that is renamed updates its holder’s assignment, but not former ones', async () => {
    const org = await open()
    await org.assignments.assign(operator, 11, 'Ada', false)
    await org.assignments.unassign(operator, 11)
    await org.assignments.assign(operator, 11, 'Ada', false)
    await org.positions.update(operator, 11, { title: 'Desk' })
    const { assignments } = await org.assignments.list({ org: 'shop', includeHistory: true, positionId: 11 })
    expect(assignments.map((each) => [each.positionTitle, each.unassignedAt !== null])).toEqual([
      ['Till', true],
      ['Desk', false],
    ])
  })

  it('with reports, a holder or the lead is removed only with a flag for each', async () => {
    const org = await open()
    const remove = (input: object) => org.positions.remove(operator, 10, { ...removal, ...input })
    const preview = await remove({ preview: true })
    expect(preview).toMatchObject({
      directReports: ['Till'],
      escalatingHere: ['Till', 'Auditor'],
      holder: 'boss-ada-30',
      isLead: true,
      removed: false,
    })
    for (const [given, flag] of [
      [{}, '--reparent'],
      [{ reparent: true }, '--unassign'],
      [{ reparent: true, unassign: true }, '--force'],
    ] as const) {
      const error = await refusalOf(remove(given))
      expect([exitCodes[error.code], error.data['flag']]).toEqual([4, flag])
      expect(error.message).toContain(`use ${flag} to`)
    }
    expect(await titles(org)).toEqual(['Boss', 'Till', 'Auditor'])
    expect(await remove({ reparent: true, unassign: true, force: true })).toMatchObject({ removed: true })
    expect((await org.positions.list('shop')).positions).toMatchObject([
      { title: 'Till', reportsTo: null, escalatesTo: null },
      { title: 'Auditor', reportsTo: null, escalatesTo: null },
    ])
    expect(await org.organisations.show('shop')).toMatchObject({ leadPositionId: null })
    // The history remains.
    expect((await org.assignments.list({ org: 'shop', includeHistory: true })).assignments).toMatchObject([
      { positionId: null, positionTitle: 'Boss', personaSlug: 'boss-ada-30', unassignedAt: expect.any(String) },
    ])
  })

  it('that is removed moves its reports to its own superior', async () => {
    const org = await open()
    await org.positions.create(operator, 'shop', {
      ...plain,
      title: 'Trainee',
      role: 'clerk',
      reportsTo: 'Till',
      escalatesTo: 'Till',
    })
    await org.positions.remove(operator, 11, { ...removal, reparent: true })
    expect((await org.positions.show(13)).position).toMatchObject({ reportsTo: 'Boss', escalatesTo: 'Boss' })
  })

  it('that is removed twice with one idempotency key is removed once and answered twice', async () => {
    const org = await open()
    const ask = () => org.db.once('key', 'digest', () => org.positions.remove(operator, 12, removal))
    const first = await ask()
    expect(first.removed).toBe(true)
    expect(await ask()).toEqual(first)
    await expect(org.positions.remove(operator, 12, removal)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('has limits, one of each kind', async () => {
    const org = await open()
    const limit = { kind: 'tokens_per_session', limit: 1_000, unit: 'tokens', onBreach: 'refuse' } as const
    expect(await org.positions.setAuthority(operator, 11, limit)).toEqual({ authority: [limit] })
    await org.positions.setAuthority(operator, 11, { ...limit, limit: 0.5, onBreach: 'hard_stop' })
    expect(await org.positions.listAuthority(11)).toEqual({
      authority: [{ ...limit, limit: 0.5, onBreach: 'hard_stop' }],
    })
    expect((await org.positions.show(11)).position.authority).toHaveLength(1)
    expect(await org.positions.clearAuthority(operator, 11, limit.kind)).toEqual({ authority: [] })
    await expect(org.positions.clearAuthority(operator, 11, limit.kind)).rejects.toMatchObject({ code: 'not_found' })
    await expect(org.positions.setAuthority(operator, 99, limit)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('loses its limits when it is removed', async () => {
    const org = await open()
    await org.positions.setAuthority(operator, 12, { kind: 'spend_per_day', limit: 1, unit: 'EUR', onBreach: 'gate' })
    await org.positions.remove(operator, 12, removal)
    expect(await org.db.read((tx) => sqlOf(tx).all('SELECT position_id FROM position_authorities'))).toEqual([
      { position_id: 10 },
    ])
  })

  it('is not changed by an agent of its organisation', async () => {
    const org = await openOrg(openFresh)
    await importInto(org, shop)
    const agent = await org.agentAs(30, 5)
    for (const work of [
      () => org.positions.create(agent, 'shop', { title: 'Other', role: 'clerk', ...plain }),
      () => org.positions.update(agent, 11, { level: 9 }),
      () => org.positions.remove(agent, 12, removal),
      () => org.positions.clearAuthority(agent, 10, 'spend_per_day'),
      () => org.assignments.assign(agent, 11, 'Ada', false),
      () => org.assignments.unassign(agent, 10),
    ])
      expect((await refusalOf(work())).code).toBe('forbidden')
    expect((await org.positions.remove(agent, 12, { ...removal, preview: true })).removed).toBe(false)
  })
})

describeStores('a seat with a live agent', (openFresh) => {
  it('can be removed: the agent continues without a seat', async () => {
    const org = await openOrg(openFresh)
    await importInto(org, shop)
    const { agentId, runId } = await org.agentAs(30)
    await org.db.write([`run:${runId}`], async (tx) => {
      const row = (await findRow(tx, agents, agentId)) as Agent
      await change(tx, agents, row, { positionId: 12 }, { kind: 'org_changed', by: 'operator', message: 'seated' })
    })
    await org.positions.remove(operator, 12, removal)
    expect(await org.db.read((tx) => findRow(tx, agents, agentId))).toMatchObject({
      positionId: null,
      state: 'working',
    })
  })
})

describeStores('the store', (openFresh) => {
  it.each([
    [
      'two seats with one title',
      `INSERT INTO positions SELECT 99, organisation_id, role_id, title, level, NULL, NULL, 0, created_at, updated_at FROM positions WHERE id = 11`,
    ],
    ['a seat without an organisation', `UPDATE positions SET organisation_id = 77 WHERE id = 11`],
    ['a seat above itself', `UPDATE positions SET reports_to_id = 11 WHERE id = 11`],
    [
      'two holders of one seat',
      `INSERT INTO position_assignments SELECT 99, organisation_id, position_id, position_title, persona_id, assigned_at, NULL FROM position_assignments`,
    ],
    [
      'an agent on a seat that does not exist',
      `INSERT INTO agents (id, position_id, runtime, state, created_at) VALUES (99, 77, 'scripted', 'ended', 'now')`,
    ],
    ['two limits of one kind', `INSERT INTO position_authorities SELECT * FROM position_authorities`],
  ])('refuses %s', async (_, sql) => {
    const store = await openFresh()
    const org = await openDocuments(async () => store)
    await importInto(org, shop)
    await expect(store.raw(sql)).rejects.toThrow(/constraint|violates|foreign key/i)
  })
})
