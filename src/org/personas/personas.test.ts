import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { mountDisk, mountsMissing } from '../../../test/support/mounts.ts'
import { openOrg, type TestOrg } from '../../../test/support/org.ts'
import { describeStores, freshSqlite } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import { inserted } from '../../events/change.ts'
import { type Assignment, assignments } from '../assignments/store.ts'
import { recordOrgChange } from '../changes.ts'
import { maxFileBytes } from '../files.ts'
import { type Position, positions } from '../positions/store.ts'
import { insertPersona } from './changes.ts'

const robbo = {
  name: 'Robbo',
  role: 'architect',
  type: 'agent',
  subtype: 'internal',
  canCreateChannel: false,
} as const
const nothing = { data: {}, warnings: [] }
const at = '2030-01-01T00:00:00.000Z'

/** Inserts a seat with a holder without the services. */
async function seat(org: TestOrg, organisationId: number, id: number, personaId: number): Promise<void> {
  const position: Position = {
    id,
    organisationId,
    roleId: 1,
    title: `Seat ${id}`,
    level: 1,
    reportsToId: null,
    escalatesToId: null,
    isCrossCutting: false,
    createdAt: at,
    updatedAt: at,
  }
  const assignment: Assignment = {
    id,
    organisationId,
    positionId: id,
    positionTitle: position.title,
    personaId,
    assignedAt: at,
    unassignedAt: null,
  }
  await org.db.write(['system', `org:${organisationId}`], (tx) =>
    recordOrgChange(tx, operator, nothing, { noun: 'assignment', action: 'assign', message: 'seated' }, [
      inserted(positions, position),
      inserted(assignments, assignment),
    ]),
  )
}

describeStores('a persona', (openFresh) => {
  it('has a row and three entries in its own directory', async () => {
    const org = await openOrg(openFresh)
    const made = await org.personas.create(operator, robbo)
    expect(made).toMatchObject({
      personaId: 3,
      slug: 'architect-robbo-3',
      role: 'architect',
      type: 'agent',
      subtype: 'internal',
      status: 'active',
      origin: null,
      activeAgents: 0,
      skillFile: join(org.root, 'personas/architect-robbo-3/skill.md'),
    })
    expect(readdirSync(join(org.root, 'personas/architect-robbo-3')).sort()).toEqual([
      'experience.md',
      'handoffs',
      'skill.md',
    ])
    const headings = org.look('personas/architect-robbo-3/skill.md').match(/^## .*$/gm)
    expect(headings).toEqual([
      '## Core identity',
      '## Skills & preferences',
      '## Communication style',
      '## Working in an organisation',
    ])
    expect(org.look('personas/architect-robbo-3/experience.md')).toMatch(
      /^# Experience of Robbo\n[\s\S]*^## \d{4}-\d\d-\d\d/m,
    )
    expect(await org.personas.show('architect-robbo-3')).toEqual({ persona: made, positions: [] })
  })

  it('creates its role where that does not exist', async () => {
    const org = await openOrg(openFresh)
    await org.personas.create(operator, { ...robbo, role: 'Release Manager' })
    expect((await org.roles.list()).roles.at(-1)).toMatchObject({ roleId: 8, name: 'Release Manager' })
    const second = await org.personas.create(operator, { ...robbo, name: 'Con', role: 'release manager' })
    expect(second).toMatchObject({ slug: 'release-manager-con-4', role: 'Release Manager' })
    expect((await org.roles.list()).roles).toHaveLength(8)
    expect((await org.events('system')).map((event) => event.data['noun'])).toEqual(['role', 'persona', 'persona'])
  })

  it('with the role of AR Director has a skill that gives it the structure', async () => {
    const org = await openOrg(openFresh)
    const { slug } = await org.personas.create(operator, { ...robbo, name: 'Paula', role: 'ar-director' })
    expect((await org.personas.readSkill(slug)).text).toContain('I decide about changes of seats')
    const other = await org.personas.create(operator, robbo)
    expect((await org.personas.readSkill(other.slug)).text).toContain(
      'I propose changes of the organisation to the AR Director',
    )
  })

  it.each([
    ['person', 'internal'],
    ['person', 'external'],
  ] as const)('of type %s, %s, has no files', async (type, subtype) => {
    const org = await openOrg(openFresh)
    const made = await org.personas.create(operator, { ...robbo, type, subtype })
    expect(made).toMatchObject({ type, subtype, skillFile: null, experienceFile: null })
    expect(existsSync(join(org.root, 'personas', made.slug))).toBe(false)
    await expect(org.personas.readSkill(made.slug)).rejects.toMatchObject({ code: 'unsupported' })
    await expect(org.personas.appendExperience(operator, made.slug, 'x')).rejects.toMatchObject({ code: 'unsupported' })
  })

  it('has one of four types, and the store refuses a fifth', async () => {
    const org = await openOrg(openFresh)
    expect(await org.agency.store.raw('SELECT type_key, subtype FROM persona_types ORDER BY id')).toEqual([
      { type_key: 'agent', subtype: 'internal' },
      { type_key: 'agent', subtype: 'external' },
      { type_key: 'person', subtype: 'internal' },
      { type_key: 'person', subtype: 'external' },
    ])
    await expect(
      org.agency.store.raw("INSERT INTO persona_types (id, type_key, subtype) VALUES (5, 'agent', 'internal')"),
    ).rejects.toThrow(/constraint/i)
  })

  it.each(['🎉', '..', '///', '日本'])('with the name %j is refused without effect', async (name) => {
    const org = await openOrg(openFresh)
    await expect(org.personas.create(operator, { ...robbo, name })).rejects.toMatchObject({ code: 'invalid_input' })
    expect((await org.personas.list({ active: false, all: true })).personas).toHaveLength(2)
    expect(existsSync(join(org.root, 'personas')) ? readdirSync(join(org.root, 'personas')) : []).toEqual([])
  })

  it('is found by slug or by a unique name', async () => {
    const org = await openOrg(openFresh)
    await org.personas.create(operator, robbo)
    expect((await org.personas.show('ROBBO')).persona.personaId).toBe(3)
    expect((await org.personas.show('Architect-Robbo-3')).persona.personaId).toBe(3)
    await org.personas.create(operator, { ...robbo, name: 'robbo', role: 'qa' })
    await expect(org.personas.show('Robbo')).rejects.toMatchObject({
      code: 'conflict',
      message: 'several personas are called "Robbo": architect-robbo-3, qa-robbo-4',
    })
    expect((await org.personas.show('qa-robbo-4')).persona.personaId).toBe(4)
    await expect(org.personas.show('Robo')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('is listed by status and role; the system and the pool only on request', async () => {
    const org = await openOrg(openFresh)
    await org.personas.create(operator, robbo)
    await org.personas.create(operator, { ...robbo, name: 'Vera', role: 'qa' })
    await org.personas.archive(operator, 'robbo', { unassign: false, preview: false })
    await org.db.write(['system'], (tx) =>
      insertPersona(tx, operator, nothing, {
        name: 'Extra',
        role: { id: 3, name: 'developer', description: '' },
        personaTypeId: 1,
        canCreateChannel: false,
        origin: 'pool',
      }),
    )
    const names = async (query: Partial<Parameters<TestOrg['personas']['list']>[0]>): Promise<string[]> =>
      (await org.personas.list({ active: false, all: false, ...query })).personas.map((each) => each.name)
    expect(await names({})).toEqual(['Operator', 'Robbo', 'Vera'])
    expect(await names({ active: true })).toEqual(['Operator', 'Vera'])
    expect(await names({ role: 'QA' })).toEqual(['Vera'])
    expect(await names({ all: true })).toEqual(['Operator', 'System', 'Robbo', 'Vera', 'Extra'])
    await expect(names({ role: 'qaa' })).rejects.toMatchObject({ code: 'not_found' })
  })

  it('keeps slug and directory when its name or role changes', async () => {
    const org = await openOrg(openFresh)
    await org.personas.create(operator, robbo)
    const changed = await org.personas.update(operator, 'robbo', {
      name: 'Roberta',
      role: 'PM',
      canCreateChannel: true,
      unassign: false,
    })
    expect(changed).toMatchObject({ name: 'Roberta', role: 'pm', slug: 'architect-robbo-3', canCreateChannel: true })
    expect((await org.personas.readSkill('roberta')).text).toContain('Robbo')
    await expect(org.personas.update(operator, 'roberta', { role: 'nobody', unassign: false })).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(org.personas.update(operator, 'roberta', { name: '🎉', unassign: false })).rejects.toMatchObject({
      code: 'invalid_input',
    })
  })

  it('that holds seats is archived only when they are emptied in all organisations', async () => {
    const org = await openOrg(openFresh)
    await org.organisations.create(operator, { name: 'Kent', purpose: 'economy', description: '' })
    await org.personas.create(operator, robbo)
    await seat(org, 1, 1, 3)
    await seat(org, 2, 2, 3)
    expect((await org.personas.show('robbo')).positions).toEqual([
      { positionId: 1, title: 'Seat 1', organisation: 'software-development-development-1', assignedAt: at },
      { positionId: 2, title: 'Seat 2', organisation: 'economy-kent-2', assignedAt: at },
    ])
    const labels = ['Seat 1@software-development-development-1', 'Seat 2@economy-kent-2']
    const refused = { code: 'conflict', message: expect.stringContaining('use --unassign') }
    await expect(org.personas.archive(operator, 'robbo', { unassign: false, preview: false })).rejects.toMatchObject(
      refused,
    )
    await expect(org.personas.update(operator, 'robbo', { status: 'archived', unassign: false })).rejects.toMatchObject(
      refused,
    )
    const preview = await org.personas.archive(operator, 'robbo', { unassign: false, preview: true })
    expect(preview).toMatchObject({ archived: false, unassigned: labels, persona: { status: 'active' } })
    expect((await org.personas.show('robbo')).positions).toHaveLength(2)
    const archived = await org.personas.archive(operator, 'robbo', { unassign: true, preview: false })
    expect(archived).toMatchObject({ archived: true, unassigned: labels, persona: { status: 'archived' } })
    expect((await org.personas.show('robbo')).positions).toEqual([])
    expect((await org.events('org:2')).at(-1)).toMatchObject({
      data: { noun: 'assignment', action: 'unassign', persona_id: 3 },
    })
    expect(await org.personas.update(operator, 'robbo', { status: 'active', unassign: false })).toMatchObject({
      status: 'active',
    })
  })

  it('with a live agent is not archived', async () => {
    const org = await openOrg(openFresh)
    await org.personas.create(operator, robbo)
    await org.agency.store.raw(
      "INSERT INTO agents (id, persona_id, runtime, state, created_at) VALUES (99, 3, 'scripted', 'working', '2030')",
    )
    expect((await org.personas.show('robbo')).persona.activeAgents).toBe(1)
    await expect(org.personas.archive(operator, 'robbo', { unassign: true, preview: false })).rejects.toMatchObject({
      code: 'illegal_transition',
      hint: expect.stringContaining('agency cancel'),
    })
    await org.agency.store.raw('DELETE FROM agents WHERE id = 99')
  })

  it('that every installation needs is neither archived nor given another role', async () => {
    const org = await openOrg(openFresh)
    for (const reference of ['operator', 'system']) {
      await expect(org.personas.archive(operator, reference, { unassign: true, preview: false })).rejects.toMatchObject(
        { code: 'forbidden' },
      )
      await expect(org.personas.update(operator, reference, { role: 'qa', unassign: false })).rejects.toMatchObject({
        code: 'forbidden',
      })
      await expect(org.personas.readSkill(reference)).rejects.toMatchObject({ code: 'unsupported' })
    }
    const named = await org.personas.update(operator, 'operator', { name: 'Ada', unassign: false })
    expect(named).toMatchObject({ name: 'Ada', slug: 'operator-operator-1', type: 'person', skillFile: null })
    await expect(org.personas.update(operator, 'system', { name: 'Ada', unassign: false })).rejects.toMatchObject({
      code: 'forbidden',
    })
    await expect(org.personas.create(operator, { ...robbo, role: 'System' })).rejects.toMatchObject({
      code: 'forbidden',
    })
  })
})

describeStores('a persona’s files', (openFresh) => {
  it('are written, and read in their current state', async () => {
    const org = await openOrg(openFresh)
    await org.personas.create(operator, robbo)
    const text = '# Robbo\n\nDraws boxes. äöü 🎉\n'
    expect(await org.personas.writeSkill(operator, 'robbo', text)).toEqual({ bytes: Buffer.byteLength(text) })
    expect(await org.personas.readSkill('robbo')).toEqual({ text })
    org.edit('personas/architect-robbo-3/skill.md', 'By hand.')
    expect(await org.personas.readSkill('robbo')).toEqual({ text: 'By hand.' })
    expect((await org.events('system')).at(-1)).toMatchObject({
      by: 'operator',
      data: { noun: 'persona', action: 'write', persona_id: 3, file: 'skill.md' },
    })
  })

  it('get new experience at the end, with date and author', async () => {
    const org = await openOrg(openFresh)
    await org.personas.create(operator, robbo)
    const before = (await org.personas.readExperience('robbo')).text
    const agent = await org.agentAs(3)
    await org.personas.appendExperience(operator, 'robbo', '  Boxes need labels.\n\n')
    await org.personas.appendExperience(agent, 'robbo', 'Labels need boxes.')
    const day = org.agency.clock.at().slice(0, 10)
    expect((await org.personas.readExperience('robbo')).text).toBe(
      `${before}\n## ${day} · operator\n\nBoxes need labels.\n\n## ${day} · agent ${agent.agentId}\n\nLabels need boxes.\n`,
    )
    await org.personas.writeExperience(operator, 'robbo', 'Forgotten.')
    expect((await org.personas.readExperience('robbo')).text).toBe('Forgotten.')
  })

  it('lose nothing when many append at once, nor another encoding', async () => {
    const org = await openOrg(openFresh)
    await org.personas.create(operator, robbo)
    const path = join(org.root, 'personas/architect-robbo-3/experience.md')
    writeFileSync(path, Buffer.from([0x63, 0x61, 0x66, 0xe9]))
    await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((text) => org.personas.appendExperience(operator, 'robbo', `lesson ${text}`)),
    )
    const bytes = (await org.files.readBytes('personas/architect-robbo-3/experience.md')) as Buffer
    expect([...bytes.subarray(0, 5)]).toEqual([0x63, 0x61, 0x66, 0xe9, 0x0a])
    expect(
      bytes
        .toString('latin1')
        .match(/lesson [a-e]/g)
        ?.sort(),
    ).toEqual(['a', 'b', 'c', 'd', 'e'].map((each) => `lesson ${each}`))
  })

  it('do not grow beyond the limit', async () => {
    const org = await openOrg(openFresh)
    await org.personas.create(operator, robbo)
    writeFileSync(join(org.root, 'personas/architect-robbo-3/experience.md'), Buffer.alloc(maxFileBytes, 'x'))
    await expect(org.personas.appendExperience(operator, 'robbo', 'more')).rejects.toMatchObject({ code: 'too_large' })
  })

  it('grow to a megabyte only by what agents append', async () => {
    const org = await openOrg(openFresh)
    await org.personas.create(operator, robbo)
    const agent = await org.agentAs(3)
    writeFileSync(join(org.root, 'personas/architect-robbo-3/experience.md'), Buffer.alloc(1_000_000, 'x'))
    await expect(org.personas.appendExperience(agent, 'robbo', 'more')).rejects.toMatchObject({ code: 'too_large' })
    await expect(org.personas.appendExperience(operator, 'robbo', 'more')).resolves.toMatchObject({})
  })

  it('are not found after a file was deleted, until it is written again', async () => {
    const org = await openOrg(openFresh)
    org.edit('personas/architect-robbo-3/experience.md', 'kept')
    await org.personas.create(operator, robbo)
    expect((await org.personas.readExperience('robbo')).text).toBe('kept')
    rmSync(join(org.root, 'personas/architect-robbo-3'), { recursive: true })
    await expect(org.personas.readSkill('robbo')).rejects.toMatchObject({ code: 'not_found' })
    await org.personas.writeSkill(operator, 'robbo', 'again')
    expect(await org.personas.readSkill('robbo')).toEqual({ text: 'again' })
  })
})

const agentFile = (name: string, body = '# Mission\n\nDo it.'): string =>
  `---\nname: ${name}\ndescription: Use it when: asked\ncolor: blue\n---\n\n${body}\n`

describeStores('an import of personas', (openFresh) => {
  const collection = [
    { path: 'engineering/engineering-frontend-developer.md', text: agentFile('Frontend Developer') },
    { path: 'game-development/unity/architect.md', text: agentFile('Unity Architect', 'No title here.') },
    { path: '.claude/agents/code-reviewer.md', text: agentFile('code-reviewer') },
    { path: 'strategy/playbook.md', text: agentFile('Playbook') },
    { path: 'integrations/mcp-memory/backend.md', text: agentFile('Backend') },
    { path: 'examples/x.md', text: agentFile('X') },
    { path: 'scripts/convert.sh', text: '#!/bin/sh' },
    { path: 'engineering/logo.png', text: 'PNG' },
    { path: 'README.md', text: '# Collection\n' },
    { path: 'engineering/nameless.md', text: '---\ncolor: red\n---\ntext' },
    { path: 'engineering/empty.md', text: '---\nname: Empty\n---\n' },
    { path: 'engineering/emoji.md', text: agentFile('🎉') },
    { path: 'engineering/again.md', text: agentFile('frontend developer') },
  ]

  it('creates personas from usable files and reports the reason for the others', async () => {
    const org = await openOrg(openFresh)
    const report = await org.personas.importFiles(operator, { files: collection, preview: false })
    expect(report.created).toEqual([
      {
        path: collection[0]?.path,
        name: 'Frontend Developer',
        role: 'engineering',
        personaId: 3,
        slug: 'engineering-frontend-developer-3',
      },
      {
        path: collection[1]?.path,
        name: 'Unity Architect',
        role: 'game-development',
        personaId: 4,
        slug: 'game-development-unity-architect-4',
      },
      {
        path: collection[2]?.path,
        name: 'code-reviewer',
        role: 'developer',
        personaId: 5,
        slug: 'developer-code-reviewer-5',
      },
    ])
    expect(report.skipped.map(({ path, reason }) => `${path}: ${reason}`)).toEqual([
      'strategy/playbook.md: strategy/ contains no personas',
      'integrations/mcp-memory/backend.md: integrations/ contains no personas',
      'examples/x.md: examples/ contains no personas',
      'scripts/convert.sh: scripts/ contains no personas',
      'engineering/logo.png: not a Markdown file',
      'README.md: no front matter',
      'engineering/nameless.md: the front matter has no name',
      'engineering/empty.md: no text below the front matter',
      'engineering/emoji.md: the name "🎉" cannot be used: it needs letters from a to z and at most 100 characters',
      'engineering/again.md: "frontend developer" (engineering) exists already: engineering/engineering-frontend-developer.md',
    ])
    expect((await org.personas.readSkill('frontend developer')).text).toMatch(
      /^# Mission\n\nDo it\.\n\n## Working in an organisation\n/,
    )
    expect((await org.personas.readSkill('unity architect')).text).toMatch(
      /^# Unity Architect\n\nUse it when: asked\n\nNo title here\.\n/,
    )
    expect((await org.personas.show('code-reviewer')).persona).toMatchObject({ origin: 'import', type: 'agent' })
  })

  it('creates nothing new the second time', async () => {
    const org = await openOrg(openFresh)
    await org.personas.importFiles(operator, { files: collection, preview: false })
    const again = await org.personas.importFiles(operator, { files: collection, preview: false })
    expect(again.created).toEqual([])
    expect(again.skipped).toHaveLength(collection.length)
    expect((await org.personas.list({ active: false, all: false })).personas).toHaveLength(4)
  })

  it('creates each persona once when two run concurrently', async () => {
    const org = await openOrg(openFresh)
    const reports = await Promise.all(
      [1, 2, 3].map(() => org.personas.importFiles(operator, { files: collection, preview: false })),
    )
    expect(reports.flatMap((report) => report.created)).toHaveLength(3)
    expect((await org.personas.list({ active: false, all: false })).personas).toHaveLength(4)
  })

  it('uses the given role, and only previews on request', async () => {
    const org = await openOrg(openFresh)
    const input = { files: collection, role: 'QA', preview: true }
    expect((await org.personas.importFiles(operator, input)).created[0]).toEqual({
      path: collection[0]?.path,
      name: 'Frontend Developer',
      role: 'QA',
      personaId: null,
      slug: null,
    })
    expect((await org.personas.list({ active: false, all: false })).personas).toHaveLength(1)
    await org.personas.importFiles(operator, { ...input, preview: false })
    expect((await org.personas.show('frontend developer')).persona.role).toBe('qa')
    expect((await org.roles.list()).roles).toHaveLength(7)
  })

  it('ignores misleading paths', async () => {
    const org = await openOrg(openFresh)
    const files = ['../../etc/passwd.md', '/abs/agent.md', 'C:\\agents\\qa\\x.md', './a.md'].map((path, index) => ({
      path,
      text: agentFile(`Agent ${index}`),
    }))
    const { created } = await org.personas.importFiles(operator, { files, preview: false })
    expect(created.map((each) => each.role)).toEqual(['etc', 'abs', 'qa', 'developer'])
    expect(readdirSync(org.root).sort()).toEqual(['.staging', 'organisations', 'personas', 'templates'])
  })
})

const missing = mountsMissing()
if (missing !== null) console.log(`skipped, full and read-only disks: ${missing}`)

describe.skipIf(missing !== null)('a data directory', () => {
  it('that is read-only refuses a persona and leaves no row', async () => {
    const disk = mountDisk(512)
    const org = await openOrg(freshSqlite, { root: disk.folder })
    disk.makeReadOnly()
    await expect(org.personas.create(operator, robbo)).rejects.toMatchObject({
      code: 'store_unusable',
      message: expect.stringContaining('read-only file system; nothing was changed'),
    })
    const made = org.organisations.create(operator, { name: 'Kent', purpose: 'economy', description: '' })
    await expect(made).rejects.toMatchObject({ code: 'store_unusable' })
    await expect(org.organisations.writeIntent(operator, 'development', 'x')).rejects.toMatchObject({
      code: 'store_unusable',
    })
    expect((await org.personas.list({ active: false, all: true })).personas).toHaveLength(2)
    expect((await org.organisations.list(true)).organisations).toHaveLength(1)
    expect(await org.events('system')).toEqual([])
    // Rows without files can still be changed.
    await org.roles.create(operator, 'Scout', '')
  })

  it('that is full refuses a persona that does not fit and leaves no row', async () => {
    const { folder } = mountDisk(256)
    const org = await openOrg(freshSqlite, { root: folder })
    await org.personas.create(operator, robbo)
    const before = await org.personas.readSkill('robbo')
    await expect(org.personas.writeSkill(operator, 'robbo', 'x'.repeat(400_000))).rejects.toMatchObject({
      code: 'store_full',
    })
    expect(await org.personas.readSkill('robbo')).toEqual(before)
    expect(await org.events('system')).toHaveLength(1)
  })
})
