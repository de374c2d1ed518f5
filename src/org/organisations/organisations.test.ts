import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import { expect, it } from 'vitest'

import { openOrg, type TestOrg } from '../../../test/support/org.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import { inserted } from '../../events/change.ts'
import { recordOrgChange } from '../changes.ts'
import { type Position, positions } from '../positions/store.ts'
import { settingKeys } from './settings.ts'

const kent = { name: 'Kent Ventures', purpose: 'economy', description: '' }
const kentSlug = 'economy-kent-ventures-2'

/** Inserts a seat without the service. */
async function seat(org: TestOrg, organisationId: number, title: string, id: number): Promise<Position> {
  const row: Position = {
    id,
    organisationId,
    roleId: 1,
    title,
    level: 1,
    reportsToId: null,
    escalatesToId: null,
    isCrossCutting: false,
    createdAt: '2030-01-01T00:00:00.000Z',
    updatedAt: '2030-01-01T00:00:00.000Z',
  }
  await org.db.write([`org:${organisationId}`], (tx) =>
    recordOrgChange(tx, operator, { data: {}, warnings: [] }, { noun: 'position', action: 'create', message: title }, [
      inserted(positions, row),
    ]),
  )
  return row
}

describeStores('an organisation', (openFresh) => {
  it('has a row, a directory and an intent', async () => {
    const org = await openOrg(openFresh)
    const made = await org.organisations.create(operator, kent)
    expect(made).toMatchObject({ organisationId: 2, slug: kentSlug, status: 'active', leadPositionId: null })
    expect(readdirSync(join(org.root, 'organisations', kentSlug))).toEqual(['intent.md'])
    expect(org.look(`organisations/${kentSlug}/intent.md`)).toContain('# Intent of Kent Ventures')
    expect(await org.organisations.show(kentSlug)).toEqual(made)
    expect(await org.events('org:2')).toMatchObject([
      { by: 'operator', data: { noun: 'organisation', action: 'create', by_persona_id: 1, slug: kentSlug } },
    ])
  })

  it('exists from the first start, with its directory', async () => {
    const org = await openOrg(openFresh)
    expect(await org.organisations.list(false)).toMatchObject({
      organisations: [{ organisationId: 1, name: 'Development', slug: 'software-development-development-1' }],
    })
    expect((await org.organisations.readIntent('development')).intent.protect).toEqual([])
    expect(org.look('templates/org-behaviour-guide.md')).toContain('agency org propose')
  })

  it.each([
    ['../../etc', 'economy-etc-2'],
    ['/etc/passwd', 'economy-etc-passwd-2'],
    ['con', 'economy-con-2'],
    ['Ünï  Kent!', 'economy-uni-kent-2'],
    ['K'.repeat(100), `economy-${'k'.repeat(100)}-2`],
  ])('with the name %j stays in its own directory', async (name, slug) => {
    const org = await openOrg(openFresh)
    expect((await org.organisations.create(operator, { ...kent, name })).slug).toBe(slug)
    expect(readdirSync(join(org.root, 'organisations')).sort()).toEqual([slug, 'software-development-development-1'])
  })

  it.each([
    ['🎉', 'economy'],
    ['.', 'economy'],
    ['日本', 'economy'],
    ['Kent', '🎉'],
  ])('with the name %j and the purpose %j is refused without effect', async (name, purpose) => {
    const org = await openOrg(openFresh)
    const made = org.organisations.create(operator, { name, purpose, description: '' })
    await expect(made).rejects.toMatchObject({ code: 'invalid_input' })
    expect(readdirSync(join(org.root, 'organisations'))).toEqual(['software-development-development-1'])
    expect((await org.organisations.list(true)).organisations).toHaveLength(1)
  })

  it('has a slug of at most 128 characters', async () => {
    const org = await openOrg(openFresh)
    const made = await org.organisations.create(operator, {
      name: 'n'.repeat(100),
      purpose: 'p'.repeat(64),
      description: '',
    })
    expect(made.slug).toBe(`${'p'.repeat(64)}-${'n'.repeat(61)}-2`)
    expect(made.slug).toHaveLength(128)
  })

  it('is found by slug or name, ignoring case', async () => {
    const org = await openOrg(openFresh)
    await org.organisations.create(operator, kent)
    for (const reference of [
      '2',
      kentSlug,
      kentSlug.toUpperCase(),
      'kent ventures',
      'KENT VENTURES',
      ' Kent Ventures ',
    ])
      expect((await org.organisations.show(reference)).organisationId).toBe(2)
    await expect(org.organisations.show('kent venture')).rejects.toMatchObject({
      code: 'not_found',
      hint: 'Did you mean "Kent Ventures"?',
    })
  })

  it('with a name that another has is found only by slug', async () => {
    const org = await openOrg(openFresh)
    const other = await org.organisations.create(operator, { ...kent, name: 'development' })
    await expect(org.organisations.show('Development')).rejects.toMatchObject({
      code: 'conflict',
      message:
        'several organisations are called "Development": software-development-development-1, economy-development-2',
    })
    expect((await org.organisations.show(other.slug)).organisationId).toBe(2)
  })

  it('gets a new slug with its content when it is renamed, and the old slug points to the new one', async () => {
    const org = await openOrg(openFresh)
    await org.organisations.create(operator, kent)
    org.edit(`organisations/${kentSlug}/intent.md`, '## Protect\n- the floor\n')
    org.edit(`organisations/${kentSlug}/notes/behaviour.md`, 'Be kind.\n')
    const renamed = await org.organisations.update(operator, 'kent ventures', { name: 'Kent & Daughters' })
    expect(renamed).toMatchObject({ organisationId: 2, slug: 'economy-kent-daughters-2' })
    expect((await org.organisations.readIntent('kent & daughters')).intent.protect).toEqual(['the floor'])
    expect(org.look('organisations/economy-kent-daughters-2/notes/behaviour.md')).toBe('Be kind.\n')
    expect(org.look(`organisations/${kentSlug}/intent.md`)).toBe('## Protect\n- the floor\n')
    await expect(org.organisations.show(kentSlug)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('economy-kent-daughters-2'),
    })
    await expect(org.organisations.show('kent ventures')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('keeps its current content when it gets its old name back', async () => {
    const org = await openOrg(openFresh)
    await org.organisations.create(operator, kent)
    await org.organisations.update(operator, kentSlug, { name: 'Other' })
    org.edit('organisations/economy-other-2/intent.md', 'present')
    expect((await org.organisations.update(operator, 'other', { name: 'Kent Ventures' })).slug).toBe(kentSlug)
    expect(org.look(`organisations/${kentSlug}/intent.md`)).toBe('present')
    await expect(org.organisations.show('economy-other-2')).rejects.toThrow(kentSlug)
  })

  it('keeps directory and slug when only the case of its name changes', async () => {
    const org = await openOrg(openFresh)
    await org.organisations.create(operator, kent)
    const renamed = await org.organisations.update(operator, kentSlug, { name: 'KENT ventures' })
    expect(renamed).toMatchObject({ name: 'KENT ventures', slug: kentSlug })
  })

  it('changes only the given fields and records nothing where nothing changes', async () => {
    const org = await openOrg(openFresh)
    await org.organisations.create(operator, kent)
    const described = await org.organisations.update(operator, kentSlug, { description: 'Money' })
    expect(described).toMatchObject({ description: 'Money', status: 'active', name: 'Kent Ventures' })
    await org.organisations.update(operator, kentSlug, { description: 'Money' })
    expect(await org.events('org:2')).toHaveLength(2)
  })

  it('is hidden when archived, unless requested, and can be reactivated', async () => {
    const org = await openOrg(openFresh)
    await org.organisations.create(operator, kent)
    await org.organisations.update(operator, kentSlug, { status: 'archived' })
    expect((await org.organisations.list(false)).organisations.map((each) => each.organisationId)).toEqual([1])
    expect((await org.organisations.list(true)).organisations.map((each) => each.status)).toEqual([
      'active',
      'archived',
    ])
    await org.organisations.update(operator, kentSlug, { status: 'active' })
    expect((await org.organisations.list(false)).organisations).toHaveLength(2)
  })

  it('accepts only its own seats as lead', async () => {
    const org = await openOrg(openFresh)
    await org.organisations.create(operator, kent)
    const own = await seat(org, 2, 'Strategist', 1)
    const foreign = await seat(org, 1, 'Architect', 2)
    expect(await org.organisations.update(operator, kentSlug, { leadPositionId: own.id })).toMatchObject({
      leadPositionId: 1,
    })
    await expect(org.organisations.update(operator, kentSlug, { leadPositionId: foreign.id })).rejects.toMatchObject({
      code: 'illegal_transition',
    })
    await expect(org.organisations.update(operator, kentSlug, { leadPositionId: 99 })).rejects.toMatchObject({
      code: 'not_found',
    })
    expect(await org.organisations.update(operator, kentSlug, { leadPositionId: null })).toMatchObject({
      leadPositionId: null,
    })
  })

  it('counts its seats and live agents', async () => {
    const org = await openOrg(openFresh)
    await seat(org, 1, 'Architect', 1)
    await org.agentAs(2)
    expect(await org.organisations.status('development')).toEqual({
      organisationId: 1,
      slug: 'software-development-development-1',
      status: 'active',
      positions: { total: 1, filled: 0, vacant: 1 },
      activeAgents: 1,
      openProposals: 0,
    })
  })

  it('is created twice by concurrent requests, each with its own id', async () => {
    const org = await openOrg(openFresh)
    const made = await Promise.all([1, 2, 3, 4].map(() => org.organisations.create(operator, kent)))
    expect(made.map((each) => each.slug).sort()).toEqual([2, 3, 4, 5].map((id) => `economy-kent-ventures-${id}`))
    for (const { slug } of made) expect(existsSync(join(org.root, 'organisations', slug, 'intent.md'))).toBe(true)
  })

  it('keeps the files of an existing directory when it is created', async () => {
    const org = await openOrg(openFresh)
    org.edit(`organisations/${kentSlug}/intent.md`, 'from an earlier store')
    await org.organisations.create(operator, kent)
    expect(org.look(`organisations/${kentSlug}/intent.md`)).toBe('from an earlier store')
  })
})

describeStores('settings', (openFresh) => {
  it('have defaults and own values, and can be reset to the default', async () => {
    const org = await openOrg(openFresh)
    const all = (await org.organisations.settings('development', undefined)).settings
    expect(all.map((each) => each.key)).toEqual(settingKeys)
    expect(all.every((each) => each.isDefault)).toBe(true)
    expect(await org.organisations.set(operator, 'development', 'pm_autonomy', 'v3')).toEqual({
      key: 'pm_autonomy',
      value: 'v3',
    })
    const one = (value: string, isDefault: boolean) => ({
      settings: [{ key: 'pm_autonomy', value, default: 'v2', isDefault }],
    })
    expect(await org.organisations.settings('development', 'pm_autonomy')).toEqual(one('v3', false))
    await org.organisations.set(operator, 'development', 'pm_autonomy', 'v1')
    expect(await org.organisations.settings('development', 'pm_autonomy')).toEqual(one('v1', false))
    await org.organisations.set(operator, 'development', 'pm_autonomy', 'v2')
    expect(await org.organisations.settings('development', 'pm_autonomy')).toEqual(one('v2', true))
    await org.organisations.set(operator, 'development', 'pm_autonomy', 'v2')
    expect((await org.events('org:1')).filter((event) => event.data['noun'] === 'setting')).toHaveLength(3)
  })

  it('with an unknown key are refused with a list of the known ones', async () => {
    const org = await openOrg(openFresh)
    const unknown = { code: 'invalid_input', message: expect.stringContaining(settingKeys.join(', ')) }
    await expect(org.organisations.set(operator, 'development', 'pm_autonmy', 'v3')).rejects.toMatchObject(unknown)
    await expect(org.organisations.settings('development', '__proto__')).rejects.toMatchObject(unknown)
  })

  it.each([
    ['pm_autonomy', 'v4'],
    ['autostart', 'yes'],
    ['idle_stop_minutes', '-1'],
    ['idle_stop_minutes', '1.5'],
    ['idle_stop_minutes', '1e3'],
    ['escalation.failures', '0'],
    ['governance', 'Enforce'],
    ['risk_tolerance', ''],
  ])('refuse %s = %j', async (key, value) => {
    const org = await openOrg(openFresh)
    await expect(org.organisations.set(operator, 'development', key, value)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(`${key}: must be`),
    })
  })
})

describeStores('the intent', (openFresh) => {
  const place = 'organisations/software-development-development-1/intent.md'

  it('is replaced, and the previous text is kept', async () => {
    const org = await openOrg(openFresh)
    const before = org.look(place)
    const text = '## Protect\n\n- the users\n\n## Aims\n'
    const written = await org.organisations.writeIntent(operator, 'development', text)
    expect(written.intent.protect).toEqual(['the users'])
    expect(written.warnings).toEqual([expect.stringContaining('"## Aims" is not one of')])
    expect((await org.organisations.readIntent('development')).text).toBe(text)
    expect(org.look(`${place}.bak`)).toBe(before)
    expect((await org.events('org:1')).at(-1)).toMatchObject({ data: { noun: 'intent', action: 'write' } })
  })

  it('takes effect at once after an edit by hand, with or without headings', async () => {
    const org = await openOrg(openFresh)
    org.edit(place, 'Just be good.\n')
    expect(await org.organisations.readIntent('development')).toEqual({
      text: 'Just be good.\n',
      intent: { optimiseFor: [], protect: [], neverSacrifice: [], constraints: [] },
      warnings: [],
    })
  })

  it('is one of the texts of concurrent writers, and the previous one is kept', async () => {
    const org = await openOrg(openFresh)
    const texts = ['a', 'b', 'c', 'd'].map((item) => `## Protect\n- ${item}\n`)
    await Promise.all(texts.map((text) => org.organisations.writeIntent(operator, 'development', text)))
    const [now, before] = [org.look(place), org.look(`${place}.bak`)]
    expect(texts).toEqual(expect.arrayContaining([now, before]))
    expect(now).not.toBe(before)
  })
})
