import { expect, it } from 'vitest'

import { exportOf, importInto, refusalOf } from '../../../test/support/documents.ts'
import { openOrg, type TestOrg } from '../../../test/support/org.ts'
import { shop } from '../../../test/support/shop.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import { exitCodes } from '../../kernel/errors.ts'

/** The shop, with a director whose persona is 31. */
const directed = `${shop}  - { title: AR Director, role: ar-director, assignment: { persona_id: 31, persona_name: Paula } }\n`

describeStores('a proposal', (openFresh) => {
  const open = async (): Promise<{ org: TestOrg; edited: string }> => {
    const org = await openOrg(openFresh)
    await importInto(org, directed)
    return { org, edited: (await exportOf(org, 'shop')).replace('title: Till', 'title: Checkout') }
  }
  const tillOf = async (org: TestOrg): Promise<string | undefined> =>
    (await org.positions.list('shop')).positions[1]?.title

  it('contains a changed document, a reason and a preview, and changes nothing', async () => {
    const { org, edited } = await open()
    const agent = await org.agentAs(30, 5)
    const made = await org.proposals.propose(agent, edited, 'It is a checkout now')
    expect(made).toEqual({
      proposalId: 1,
      organisationId: 5,
      reason: 'It is a checkout now',
      status: 'open',
      changes: [
        {
          action: 'update',
          entity: 'position',
          label: 'position_id 11',
          fields: [{ field: 'title', from: 'Till', to: 'Checkout' }],
          note: null,
        },
      ],
      answer: null,
      proposedBy: 'boss-ada-30',
      createdAt: expect.any(String),
      decidedBy: null,
      decidedAt: null,
    })
    expect(await tillOf(org)).toBe('Till')
    expect((await org.proposals.list('shop', false)).proposals).toEqual([made])
    expect(await org.organisations.status('shop')).toMatchObject({ openProposals: 1 })
    expect((await org.events('org:5')).at(-1)).toMatchObject({
      by: `agent:${agent.agentId}`,
      data: { noun: 'proposal', action: 'open', proposal_id: 1, by_persona_id: 30 },
    })
  })

  it('can be made by any agent of the organisation, and by no agent of another one', async () => {
    const { org, edited } = await open()
    const agent = await org.agentAs(30, 5)
    expect((await refusalOf(importAs(org, agent, edited))).code).toBe('forbidden')
    expect((await org.proposals.propose(agent, edited, 'Please')).status).toBe('open')
    const stranger = await org.agentAs(30)
    expect((await refusalOf(org.proposals.propose(stranger, edited, 'Please'))).message).toBe(
      'agents propose changes of their own organisation only',
    )
  })

  it('of the AR Director is decided by the operator, or by itself where it is only advised', async () => {
    const { org, edited } = await open()
    await org.organisations.set(operator, 'shop', 'governance', 'enforce')
    const director = await org.agentAs(31, 5)
    await org.proposals.propose(director, edited, 'Mine')
    expect((await refusalOf(org.proposals.apply(director, 1, false))).message).toBe(
      'the operator decides about the AR Director’s own proposals',
    )
    await org.organisations.set(operator, 'shop', 'governance', 'advise')
    expect(await org.proposals.apply(director, 1, false)).toMatchObject({ status: 'applied' })
  })

  it('is applied by a director that works for the organisation only', async () => {
    const { org, edited } = await open()
    await org.proposals.propose(operator, edited, 'Please')
    const elsewhere = await org.agentAs(31)
    expect((await refusalOf(org.proposals.apply(elsewhere, 1, false))).code).toBe('forbidden')
    expect((await refusalOf(org.proposals.reject(elsewhere, 1, 'no'))).code).toBe('forbidden')
    expect(await tillOf(org)).toBe('Till')
  })

  it.each([
    ['a setting', (text: string) => text.replace('governance: advise', 'governance: enforce')],
    ['a shared role', (text: string) => text.replace(/description: .*\n(positions:)/, 'description: Mine\n$1')],
    ['a shared persona', (text: string) => text.replace('persona_name: Ada', 'persona_name: Eve')],
    ['a spending limit', (text: string) => text.replace('limit: 100.5', 'limit: 900')],
    ['the organisation', (text: string) => text.replace('and cheap.', 'and free.')],
  ])('that changes %s is applied by the operator only', async (_, change) => {
    const { org } = await open()
    const document = change(await exportOf(org, 'shop'))
    await org.proposals.propose(operator, document, 'Please')
    const director = await org.agentAs(31, 5)
    expect((await refusalOf(org.proposals.apply(director, 1, false))).message).toMatch(/^only the operator applies/)
    expect((await refusalOf(org.proposals.apply(director, 1, true))).message).toMatch(/^only the operator resolves/)
    expect(await org.proposals.apply(operator, 1, false)).toMatchObject({ status: 'applied' })
  })

  it('is applied by the AR Director, not by other agents', async () => {
    const { org, edited } = await open()
    const [developer, director] = [await org.agentAs(30, 5), await org.agentAs(31, 5)]
    await org.proposals.propose(developer, edited, 'Please')
    const refused = await refusalOf(org.proposals.apply(developer, 1, false))
    expect([exitCodes[refused.code], await tillOf(org)]).toEqual([1, 'Till'])
    expect((await refusalOf(org.proposals.reject(developer, 1, 'no'))).code).toBe('forbidden')
    expect(await org.proposals.apply(director, 1, false)).toMatchObject({
      status: 'applied',
      decidedBy: 'ar-director-paula-31',
      decidedAt: expect.any(String),
    })
    expect(await tillOf(org)).toBe('Checkout')
    expect(await org.proposals.list('shop', false)).toEqual({ proposals: [] })
    expect((await org.proposals.list('shop', true)).proposals).toHaveLength(1)
  })

  it('is neither made nor decided by an attempt that was superseded', async () => {
    const { org, edited } = await open()
    await org.proposals.propose(operator, edited, 'Please')
    const late = { ...(await org.agentAs(31, 5)), fence: 99 }
    for (const ask of [
      () => org.proposals.propose(late, edited, 'Please'),
      () => org.proposals.apply(late, 1, false),
      () => org.proposals.reject(late, 1, 'no'),
    ])
      expect((await refusalOf(ask())).code).toBe('stale_fence')
    expect(await tillOf(org)).toBe('Till')
  })

  it('is applied by the operator where the seat is vacant', async () => {
    const { org, edited } = await open()
    await org.proposals.propose(operator, edited, 'Please')
    expect(await org.proposals.apply(operator, 1, false)).toMatchObject({ status: 'applied', decidedBy: 'operator' })
    expect(await tillOf(org)).toBe('Checkout')
  })

  it('is rejected with an answer', async () => {
    const { org, edited } = await open()
    await org.proposals.propose(operator, edited, 'Please')
    expect(await org.proposals.reject(await org.agentAs(31, 5), 1, 'The sign says Till')).toMatchObject({
      status: 'rejected',
      answer: 'The sign says Till',
      decidedBy: 'ar-director-paula-31',
    })
    expect(await refusalOf(org.proposals.apply(operator, 1, true))).toMatchObject({
      code: 'illegal_transition',
      message: 'proposal 1 was rejected by ar-director-paula-31',
      hint: 'The sign says Till',
    })
    expect(await tillOf(org)).toBe('Till')
  })

  it('is decided by exactly one of several concurrent decisions', async () => {
    const { org, edited } = await open()
    await org.proposals.propose(operator, edited, 'Please')
    const settled = await Promise.allSettled([
      org.proposals.apply(operator, 1, false),
      org.proposals.reject(operator, 1, 'no'),
      org.proposals.apply(operator, 1, false),
    ])
    expect(settled.filter((each) => each.status === 'fulfilled')).toHaveLength(1)
    const [proposal] = (await org.proposals.list('shop', true)).proposals
    expect(await tillOf(org)).toBe(proposal?.status === 'applied' ? 'Checkout' : 'Till')
  })

  it('is planned again when it is applied', async () => {
    const { org, edited } = await open()
    await org.proposals.propose(operator, edited, 'Please')
    await org.positions.update(operator, 11, { title: 'Checkout', level: 7 })
    const { changes } = await org.proposals.apply(operator, 1, false)
    expect(changes).toMatchObject([{ label: 'position_id 11', fields: [{ field: 'level', from: '7', to: '2' }] }])
  })

  it('with a conflict since its creation is applied only with --force', async () => {
    const { org } = await open()
    const seated = (await exportOf(org, 'shop')).replace(
      /(title: Till[^]*?assignment:) null/,
      '$1\n      persona_slug: boss-ada-30',
    )
    await org.proposals.propose(operator, seated, 'Ada at the till')
    await org.assignments.assign(operator, 11, 'Paula', false)
    const error = await refusalOf(org.proposals.apply(operator, 1, false))
    expect([error.code, error.data['flag']]).toEqual(['conflict', '--force'])
    expect((await org.proposals.list('shop', false)).proposals).toHaveLength(1)
    expect((await org.proposals.apply(operator, 1, true)).status).toBe('applied')
    expect((await org.positions.show(11)).position.assignment?.personaSlug).toBe('boss-ada-30')
  })

  it('needs a valid document that changes an existing organisation', async () => {
    const { org, edited } = await open()
    const refused = async (document: string): Promise<string> => {
      const error = await refusalOf(org.proposals.propose(operator, document, 'x'))
      expect(error.code).toBe('invalid_input')
      return error.message
    }
    expect(await refused(edited.replace('role: clerk', 'role: wizard'))).toContain('there is no role "wizard"')
    expect(await refused(await exportOf(org, 'shop'))).toBe('the document changes nothing')
    expect(await refused('organisation: { name: New, purpose: x }\n')).toContain('belongs to no organisation')
    expect((await refusalOf(org.proposals.apply(operator, 9, false))).code).toBe('not_found')
  })

  it('that is applied twice with one idempotency key is applied once and answered twice', async () => {
    const { org, edited } = await open()
    await org.proposals.propose(operator, edited, 'Please')
    const ask = () => org.db.once('key', 'digest', () => org.proposals.apply(operator, 1, false))
    const first = await ask()
    expect(await ask()).toEqual(first)
  })
})

const importAs = (org: TestOrg, by: Parameters<TestOrg['documents']['import']>[0], document: string) =>
  org.documents.import(by, document, { preview: false, force: false, withIntent: false })
