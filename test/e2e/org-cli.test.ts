import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'

import { createOrgCli, type OrgCli, sixSeats } from '../support/org-cli.ts'

/** One daemon for all tests: each test creates its organisations under names of their own. */
let org: OrgCli
beforeAll(async () => {
  org = createOrgCli()
  await org.text('up')
})
afterAll(() => org.remove())

interface Seat {
  position_id: number
  title: string
  role: string
  reports_to: string | null
  assignment: { persona_slug: string } | null
}
const words = (line: string): string[] => line.split(' ')
const seatsOf = async (name: string): Promise<Seat[]> =>
  (await org.ask<{ positions: Seat[] }>('position', 'list', '--org', name)).positions
const exported = (name: string): Promise<string> => org.text('org', 'export', '--org', name)
const newPersona = async (name: string, role = 'developer'): Promise<string> =>
  (await org.ask<{ slug: string }>('persona', 'create', '--name', name, '--role', role)).slug

describe('agency org', () => {
  it('shows the whole tree, each group and each command with --help', async () => {
    const tree = await org.text('org', '--help')
    for (const path of [
      'create',
      'intent write',
      'role list',
      'position authority set',
      'persona import',
      'assess-fit',
    ])
      expect(tree).toMatch(new RegExp(`^  ${path} `, 'm'))
    expect(await org.text('org', 'position', '--help')).toMatch(/^ {2}position remove /m)
    expect(await org.text('org', 'position', 'remove', '--help')).toMatch(/--reparent .*\n[^]*Example:/)
  })

  it('has one command for personas, which agency persona list names', async () => {
    const { code, err } = await org.run('persona', 'list')
    expect([code, err]).toEqual([2, expect.stringContaining('use agency org persona list')])
  })

  it('prints one answer on stdout, as JSON with --json', async () => {
    const yaml = await org.ask('show', '--org', 'development')
    expect(await org.json('org', 'show', '--org', 'development')).toEqual(yaml)
    expect(yaml).toMatchObject({ organisation_id: 1, slug: 'software-development-development-1' })
    expect(yaml).not.toHaveProperty('id')
  })
})

describe('organisations', () => {
  it('are created with a purpose, a directory and an intent', async () => {
    const made = await org.ask<{ organisation_id: number; slug: string }>(
      ...words('create --name Kent --purpose economy --description Bets'),
    )
    expect(made.slug).toBe(`economy-kent-${made.organisation_id}`)
    expect(existsSync(join(org.home, 'data/organisations', made.slug, 'intent.md'))).toBe(true)
    expect(await org.refusal('create', '--name', 'Aimless')).toMatch(/^2 error: required option '--purpose/)
  })

  it('are listed with slug and status; archived ones only with --all, and can be restored', async () => {
    const { slug } = await org.ask<{ slug: string }>('create', '--name', 'Sleeper', '--purpose', 'trial')
    const statuses = async (...words: string[]): Promise<Record<string, string>> => {
      const { organisations } = await org.ask<{ organisations: { slug: string; status: string }[] }>('list', ...words)
      return Object.fromEntries(organisations.map((each) => [each.slug, each.status]))
    }
    await org.text('org', 'update', '--org', slug, '--status', 'dormant')
    expect(await statuses()).toMatchObject({ 'software-development-development-1': 'active', [slug]: 'dormant' })
    expect(await org.text('org', 'archive', '--org', slug, '--preview')).toMatch(/status: dormant → archived\n$/)
    await org.text('org', 'archive', '--org', slug)
    expect(await statuses()).not.toHaveProperty(slug)
    expect(await statuses('--all')).toMatchObject({ [slug]: 'archived' })
    await org.text('org', 'update', '--org', slug, '--status', 'active')
    expect(await statuses()).toMatchObject({ [slug]: 'active' })
  })

  it('are found by slug or name in any case; two with the same name only by slug', async () => {
    const first = await org.ask<{ slug: string }>('create', '--name', 'Twin', '--purpose', 'one')
    expect(await org.ask('show', '--org', 'tWIN')).toEqual(first)
    const second = await org.ask<{ slug: string }>('create', '--name', 'twin', '--purpose', 'two')
    expect(await org.refusal('tree', '--org', 'Twin')).toMatch(new RegExp(`^4 .*${first.slug}.*${second.slug}`))
    expect(await org.refusal('show', '--org', 'nobody-here')).toMatch(/^3 error: no organisation "nobody-here"/)
  })

  it('get a new slug with a new name, and a lookup of the old one names it', async () => {
    const before = await org.ask<{ slug: string }>('create', '--name', 'Before', '--purpose', 'trial')
    const after = await org.ask<{ slug: string }>('update', '--org', before.slug, '--name', 'After')
    expect(await org.refusal('export', '--org', before.slug)).toMatch(new RegExp(`^3 .*${after.slug}`))
  })

  it('count their seats and name their lead', async () => {
    const { seats } = await org.found('Counted')
    expect(await org.ask('status', '--org', 'counted')).toMatchObject({ positions: { total: 6, filled: 1, vacant: 5 } })
    const lead = String(seats['Principal Architect'])
    expect(await org.ask('update', '--org', 'counted', '--lead-position', lead)).toMatchObject({
      lead_position_id: Number(lead),
    })
    expect(await org.refusal('position', 'remove', '--position-id', lead, '--reparent', '--unassign')).toMatch(
      /^4 error: .*use --force/,
    )
  })

  it('have settings with defaults; an unknown one is refused with a list of all', async () => {
    await org.ask('create', '--name', 'Set', '--purpose', 'trial')
    expect(await org.ask('get', '--org', 'set')).toMatchObject({ governance: 'enforce', 'pm.checkin_minutes': 15 })
    await org.text('org', 'set', '--org', 'set', 'governance', 'advise')
    expect(await org.text('org', 'get', '--org', 'set', 'governance')).toBe('advise\n')
    expect(await exported('set')).toMatch(/settings:\n +governance: advise\n/)
    expect(await org.refusal('set', '--org', 'set', 'colour', 'red')).toMatch(/^2 .*pm_autonomy.*governance/)
    expect(await org.refusal('set', '--org', 'set', 'governance', 'maybe')).toMatch(/^2 .*advise, enforce/)
  })

  it('have an intent that is read as it was written; the previous one is kept', async () => {
    const { slug } = await org.ask<{ slug: string }>('create', '--name', 'Meaning', '--purpose', 'trial')
    const text = '# Ours\n\nSome prose.\n\n## Optimise for\n\n- speed — “yes”\n\n## Protect\n'
    const written = await org.feed(text, 'org', 'intent', 'write', '--org', 'meaning')
    expect(written).toMatchObject({ code: 0 })
    expect(await org.text('org', 'intent', 'read', '--org', 'meaning')).toBe(text)
    expect(existsSync(join(org.home, 'data/organisations', slug, 'intent.md.bak'))).toBe(true)
    writeFileSync(join(org.home, 'data/organisations', slug, 'intent.md'), 'No headings at all.')
    expect(await org.text('org', 'intent', 'read', '--org', 'meaning')).toBe('No headings at all.')
  })
})

describe('roles', () => {
  it('are shared by all organisations, created once, and can get another description', async () => {
    const role = await org.ask<{ role_id: number }>('role', 'create', '--name', 'scribe', '--description', 'Writes')
    expect(await org.refusal('role', 'create', '--name', 'scribe')).toMatch(/^4 error: .*"scribe"/)
    expect(await org.ask('role', 'update', '--name', 'scribe', '--description', 'Reads')).toMatchObject({
      role_id: role.role_id,
      description: 'Reads',
    })
    const { roles } = await org.ask<{ roles: object[] }>('role', 'list')
    expect(roles).toContainEqual({ role_id: role.role_id, name: 'scribe', description: 'Reads' })
  })
})

describe('positions', () => {
  it('are listed for an organisation that must be named', async () => {
    await org.found('Listed')
    expect((await seatsOf('listed')).map((seat) => seat.title)).toHaveLength(6)
    expect(await org.refusal('position', 'list')).toMatch(/^2 error: required option '--org/)
  })

  it('are shown by title or number, with holder, lines and direct reports', async () => {
    const { seats, robbo } = await org.found('Shown')
    const shown = await org.ask('position', 'show', '--org', 'shown', '--title', 'Project Manager')
    expect(shown).toMatchObject({
      position: { position_id: seats['Project Manager'], assignment: null },
      direct_reports: ['Senior Developer', 'Developer', 'QA Lead'],
      reporting_line: ['Principal Architect', 'operator'],
    })
    const top = String(seats['Principal Architect'])
    expect(await org.ask('position', 'show', '--position-id', top)).toMatchObject({
      position: { reports_to: null, assignment: { persona_slug: robbo } },
    })
    expect(await org.refusal('position', 'show', '--org', 'shown')).toMatch(/^2 /)
    expect(await org.refusal('position', 'show', '--org', 'shown', '--title', 'Porter')).toMatch(/^3 error: no seat/)
    expect(await org.refusal('position', 'show', '--position-id', '999999')).toMatch(/^3 /)
  })

  it('are added by title; unknown roles and titles, circles and duplicates are refused', async () => {
    await org.found('Adding')
    const add = (...words: string[]): string[] => ['position', 'create', '--org', 'adding', ...words]
    expect(
      await org.ask(...add('--title', 'Tester', '--role', 'qa', '--level', '4', '--reports-to', 'QA Lead')),
    ).toMatchObject({ title: 'Tester', role: 'qa', level: 4, reports_to: 'QA Lead', is_cross_cutting: false })
    expect(await org.refusal(...add('--title', 'X', '--role', 'wizard'))).toMatch(/^3 error: no role "wizard"/)
    expect(await org.refusal(...add('--title', 'X', '--role', 'qa', '--reports-to', 'Nobody'))).toMatch(/^3 /)
    expect(await org.refusal(...add('--title', 'X', '--role', 'qa', '--reports-to', 'X'))).toMatch(/^1 error: .*itself/)
    expect(await org.refusal(...add('--title', 'Developer', '--role', 'developer'))).toMatch(/^4 error: .*"Developer"/)
  })

  it('change only in the given fields, and never into a circle', async () => {
    const { seats } = await org.found('Changing')
    const before = await seatsOf('changing')
    const id = String(seats['Developer'])
    await org.text('org', 'position', 'update', '--position-id', id, '--title', 'Backend Developer')
    const after = await seatsOf('changing')
    expect(after).toEqual(
      before.map((seat) => (seat.title === 'Developer' ? { ...seat, title: 'Backend Developer' } : seat)),
    )
    const top = String(seats['Principal Architect'])
    const circle = ['position', 'update', '--position-id', top, '--reports-to', 'QA Lead']
    expect(await org.refusal(...circle)).toMatch(/^1 error: .*circ/i)
    await org.text('org', 'position', 'update', '--position-id', id, '--reports-to', 'operator', '--is-cross-cutting')
    expect((await seatsOf('changing')).find((seat) => seat.position_id === Number(id))).toMatchObject({
      reports_to: null,
      is_cross_cutting: true,
    })
  })

  it('are removed only with a confirmation for each dependent row', async () => {
    const { seats } = await org.found('Removing')
    const manager = ['position', 'remove', '--position-id', String(seats['Project Manager'])]
    const before = await exported('removing')
    expect(await org.ask(...manager, '--preview')).toMatchObject({
      direct_reports: ['Senior Developer', 'Developer', 'QA Lead'],
      escalating_here: ['Developer'],
      removed: false,
    })
    expect(await exported('removing')).toBe(before)
    expect(await org.refusal(...manager)).toMatch(/^4 error: .*use --reparent/)
    await org.text('org', ...manager, '--reparent')
    const left = await seatsOf('removing')
    expect(left.filter((seat) => seat.reports_to === 'Principal Architect')).toHaveLength(3)
    const held = ['position', 'remove', '--position-id', String(seats['Principal Architect']), '--reparent']
    expect(await org.refusal(...held)).toMatch(/^4 error: .*use --unassign/)
    await org.text('org', ...held, '--unassign')
    expect(await seatsOf('removing')).toHaveLength(4)
  })

  it('have limits that are set, listed, exported and cleared', async () => {
    const { seats } = await org.found('Limited')
    const id = ['--position-id', String(seats['Developer'])]
    const limit = { kind: 'spend_per_day', limit: 20.5, unit: 'USD', on_breach: 'gate' }
    await org.text(
      ...words('org position authority set --kind spend_per_day --limit 20.5 --unit USD --on-breach gate'),
      ...id,
    )
    expect(await org.ask('position', 'authority', 'list', ...id)).toEqual({ authority: [limit] })
    const document = await exported('limited')
    expect((parse(document) as { positions: { authority?: object[] }[] }).positions[4]?.authority).toEqual([limit])
    expect(await org.feed(document, 'org', 'import', '--preview')).toMatchObject({ code: 0, out: 'no changes\n' })
    await org.text('org', 'position', 'authority', 'clear', ...id, '--kind', 'spend_per_day')
    expect(await org.ask('position', 'authority', 'list', ...id)).toEqual({ authority: [] })
    expect(await org.refusal('position', 'authority', 'clear', ...id, '--kind', 'spend_per_day')).toMatch(/^3 /)
  })
})

describe('personas', () => {
  it('are created with their files, and with the role if it is new', async () => {
    const made = await org.ask<{ persona_id: number; slug: string; skill_file: string; experience_file: string }>(
      ...words('persona create --name Verner --role locksmith'),
    )
    expect(made.slug).toBe(`locksmith-verner-${made.persona_id}`)
    expect(readFileSync(made.skill_file, 'utf8')).toContain('## Core identity')
    expect(existsSync(made.experience_file)).toBe(true)
    expect(await org.text('org', 'role', 'list')).toContain('name: locksmith')
  })

  it('are listed by role and status, archived and restored', async () => {
    const slug = await newPersona('Gavin', 'gardener')
    const slugs = async (...words: string[]): Promise<string[]> =>
      (await org.ask<{ personas: { slug: string }[] }>('persona', 'list', ...words)).personas.map((each) => each.slug)
    expect(await slugs('--role', 'gardener')).toEqual([slug])
    await org.text('org', 'persona', 'archive', '--slug', slug)
    expect(await slugs('--active', '--role', 'gardener')).toEqual([])
    await org.text('org', 'persona', 'update', '--slug', slug, '--status', 'active')
    expect(await slugs('--active', '--role', 'gardener')).toEqual([slug])
  })

  it('keep slug and directory under a new name', async () => {
    const slug = await newPersona('Alex')
    expect(await org.ask('persona', 'update', '--slug', slug, '--name', 'Alexandra')).toMatchObject({
      name: 'Alexandra',
      slug,
    })
  })

  it('are shown with their seats in all organisations; archiving one needs --unassign', async () => {
    const slug = await newPersona('Leon', 'qa')
    for (const name of ['Leon One', 'Leon Two']) {
      const { seats } = await org.found(name)
      await org.text('org', 'assign', '--position-id', String(seats['QA Lead']), '--persona-slug', slug)
    }
    const shown = await org.ask<{ persona: Record<string, string>; positions: object[] }>(
      'persona',
      'show',
      '--slug',
      slug,
    )
    expect(shown.positions).toHaveLength(2)
    expect(shown.persona).toMatchObject({
      skill_file: expect.stringMatching(/skill\.md$/) as string,
      experience_file: expect.stringMatching(/experience\.md$/) as string,
    })
    expect(await org.refusal('persona', 'archive', '--slug', slug)).toMatch(/^4 error: .*use --unassign/)
    expect(await org.ask('persona', 'archive', '--slug', slug, '--preview')).toMatchObject({ archived: false })
    expect(await org.ask('persona', 'archive', '--slug', slug, '--unassign')).toMatchObject({ archived: true })
    expect(await org.ask('persona', 'show', '--slug', slug)).toMatchObject({ positions: [] })
  })

  it('are found by a unique name; for an ambiguous one the slugs are listed', async () => {
    const one = await newPersona('Pat')
    expect(await org.ask('persona', 'show', '--slug', 'PAT')).toMatchObject({ persona: { slug: one } })
    const two = await newPersona('Pat', 'qa')
    expect(await org.refusal('persona', 'show', '--slug', 'pat')).toMatch(new RegExp(`^4 .*${one}.*${two}`))
  })

  it('have a skill that is read as it was written, byte for byte', async () => {
    const slug = await newPersona('Sol')
    for (const text of ['# Sol\n\n“Ünï” — no newline at the end', '\n\n  indented\r\n\ttabs\n']) {
      const file = org.file('skill.md', text)
      expect(await org.shell(`agency org persona skill --slug ${slug} --write < ${file}`)).toMatchObject({ code: 0 })
      expect(await org.text('org', 'persona', 'skill', '--slug', slug)).toBe(text)
    }
    await org.text('org', 'persona', 'skill', '--slug', slug, '--write', '--file', org.file('other.md', 'Other\n'))
    expect(await org.text('org', 'persona', 'skill', '--slug', slug)).toBe('Other\n')
  })

  it('have an experience to which entries are appended with date and author', async () => {
    const slug = await newPersona('Mem')
    await org.text('org', 'persona', 'experience', '--slug', slug, '--append', 'Locks first.')
    await org.feed('From a pipe.\n', 'org', 'persona', 'experience', '--slug', slug, '--append')
    expect(await org.text('org', 'persona', 'experience', '--slug', slug)).toMatch(
      /\n## \d{4}-\d\d-\d\d · operator\n\nLocks first\.\n\n## .*operator\n\nFrom a pipe\.\n$/,
    )
    await org.feed('Rewritten.\n', 'org', 'persona', 'experience', '--slug', slug, '--write')
    expect(await org.text('org', 'persona', 'experience', '--slug', slug)).toBe('Rewritten.\n')
  })

  it('are imported from .claude/agents and from folders by division, with skipped files and reasons', async () => {
    const project = join(org.home, 'project')
    mkdirSync(join(project, '.claude/agents'), { recursive: true })
    writeFileSync(
      join(project, '.claude/agents/reviewer.md'),
      '---\nname: reviewer\ndescription: Reads: all\n---\nI read.\n',
    )
    const found = await org.text('org', 'persona', 'import', project, '--role', 'imported')
    expect(found).toMatch(/^created imported-reviewer-\d+ \(imported\) from reviewer\.md\n$/)

    const pool = join(org.home, 'pool')
    for (const folder of ['engineering', '.git', 'node_modules/x']) mkdirSync(join(pool, folder), { recursive: true })
    const agent = (name: string): string => `---\nname: ${name}\n---\n\n# ${name}\n\nText.\n`
    writeFileSync(join(pool, 'engineering/frontend.md'), agent('Frontend Wizard'))
    writeFileSync(join(pool, '.git/hidden.md'), agent('Hidden'))
    writeFileSync(join(pool, 'node_modules/x/dep.md'), agent('Dependency'))
    writeFileSync(join(pool, 'README.md'), '# A pool\n')
    writeFileSync(join(pool, 'engineering/latin.md'), Buffer.from([0x2d, 0x2d, 0x2d, 0xe4]))
    writeFileSync(join(pool, 'engineering/huge.md'), 'x'.repeat(600_000))
    symlinkSync('/etc/passwd', join(pool, 'engineering/link.md'))
    const preview = await org.text('org', 'persona', 'import', pool, '--preview')
    expect(preview).toContain('create Frontend Wizard (engineering) from engineering/frontend.md')
    expect(await org.text('org', 'persona', 'list')).not.toContain('Frontend Wizard')
    const report = await org.text('org', 'persona', 'import', pool)
    expect(report).toMatch(/^created engineering-frontend-wizard-\d+ \(engineering\) from engineering\/frontend\.md$/m)
    expect(report).toMatch(/^skipped README\.md: no front matter$/m)
    expect(report).toMatch(/^skipped engineering\/latin\.md: is not UTF-8/m)
    expect(report).toMatch(/^skipped engineering\/huge\.md: is larger than 500 kB$/m)
    expect(report).toMatch(/^skipped engineering\/link\.md: is a link/m)
    expect(report).not.toMatch(/Hidden|Dependency|hidden|dep\.md/)
    expect(await org.text('org', 'persona', 'import', pool)).toMatch(/^skipped engineering\/frontend\.md: .*already/m)
    expect(await org.refusal('persona', 'import', join(org.home, 'nowhere'))).toMatch(/^2 /)
  })
})

describe('assignments', () => {
  it('are changed only with --reassign, and recorded', async () => {
    const { seats } = await org.found('Seated')
    const [first, second] = [await newPersona('First'), await newPersona('Second', 'qa')]
    const assign = ['assign', '--position-id', String(seats['Developer']), '--persona-slug']
    const available = (): Promise<string> => org.text('org', 'available-personas')
    expect(await available()).toContain(first)
    await org.text('org', ...assign, first)
    expect(await available()).not.toContain(first)
    expect(await org.refusal(...assign, second)).toMatch(new RegExp(`^4 error: .*held by ${first}; use --reassign`))
    const replaced = await org.run('org', ...assign, second, '--reassign')
    expect(replaced).toMatchObject({ code: 0, err: expect.stringMatching(/^warning: .*role/) as string })
    const listed = async (...words: string[]): Promise<object[]> =>
      (await org.ask<{ assignments: object[] }>('assignments', '--org', 'seated', ...words)).assignments
    expect(await listed()).toHaveLength(2)
    expect(await listed('--include-history')).toHaveLength(3)
    expect(await listed('--include-history', '--persona-slug', first)).toEqual([
      expect.objectContaining({ persona_slug: first, unassigned_at: expect.any(String) as string }),
    ])
    const vacancies = (): Promise<string> => org.text('org', 'vacancies', '--org', 'seated')
    expect(await vacancies()).not.toMatch(/title: Developer$/m)
    const id = ['unassign', '--position-id', String(seats['Developer'])]
    expect(await org.text('org', ...id, '--preview')).toContain(`assignment: ${second} → null`)
    await org.text('org', ...id)
    expect(await vacancies()).toMatch(/title: Developer$/m)
    expect(await org.refusal(...id)).toMatch(/^1 /)
  })

  it('never name an archived persona', async () => {
    const { seats } = await org.found('Retired')
    const slug = await newPersona('Retiree')
    await org.text('org', 'persona', 'archive', '--slug', slug)
    const assign = ['assign', '--position-id', String(seats['Developer']), '--persona-slug', slug]
    expect(await org.refusal(...assign)).toMatch(/^1 error: .*archived/)
  })

  it('are compared side by side, without a recommendation', async () => {
    const { seats, robbo } = await org.found('Weighed')
    const fit = ['assess-fit', '--position-id', String(seats['QA Lead']), '--persona-slug', robbo]
    expect(Object.keys(await org.ask(...fit))).toEqual(['position', 'intent', 'persona'])
  })

  it('are drawn as a tree, with holders and vacancies, and as a diagram', async () => {
    const { slug, robbo } = await org.found('Drawn')
    const tree = await org.text('org', 'tree', '--org', 'drawn')
    expect(tree).toContain(`Drawn (${slug})`)
    expect(tree).toMatch(new RegExp(`^[├└]─ Principal Architect .*${robbo}`, 'm'))
    expect(tree).toMatch(/Developer \[vacant\]/)
    expect(await org.text('org', 'tree', '--org', 'drawn', '--mermaid')).toMatch(/^graph TD\n/)
    expect((await org.json<{ seats: object[] }>('org', 'tree', '--org', 'drawn')).seats).toHaveLength(6)
    expect(await org.refusal('tree')).toMatch(/^2 error: required option '--org/)
  })

  it('are listed on a persona’s cards, one per seat', async () => {
    const { robbo, slug, seats } = await org.found('Carded')
    await org.text('org', 'assign', '--position-id', String(seats['AR Director']), '--persona-slug', robbo)
    const identity = await org.ask<{ cards: object[] }>('whoami', '--persona-slug', robbo, '--org', slug)
    expect(identity).toMatchObject({ slug: robbo, cards: [{ title: 'Principal Architect' }, { title: 'AR Director' }] })
    expect(identity.cards[0]).toMatchObject({
      organisation: slug,
      reporting_line: ['operator'],
      escalation_path: ['operator'],
      peers: [`AR Director (${robbo})`],
      intent: { optimise_for: ['clarity'], constraints: ['no night shifts'] },
    })
    expect(await org.refusal('whoami')).toMatch(/^2 error: which persona/)
  })

  it('resolve an address', async () => {
    const { robbo, seats } = await org.found('Addressed')
    const slug = await newPersona('Asker')
    await org.text('org', 'assign', '--position-id', String(seats['Developer']), '--persona-slug', slug)
    expect(await org.ask('route', '--from', `persona:${slug}`, '--to', 'manager')).toMatchObject({
      tried: ['Project Manager: vacant', `Principal Architect: held by ${robbo}`],
      persona: robbo,
    })
    expect(await org.ask('route', '--to', 'role:architect@addressed')).toMatchObject({ persona: robbo })
    expect(await org.ask('route', '--to', 'position:QA Lead', '--org', 'addressed')).toMatchObject({
      position_id: seats['QA Lead'],
      persona: null,
    })
    expect(await org.refusal('route', '--to', 'the boss')).toMatch(/^2 error: "the boss" is not an address/)
  })
})

describe('the document', () => {
  it('passes through pipes: an export is valid and its import changes nothing', async () => {
    await org.found('Piped')
    expect(await org.shell('agency org export --org piped | agency org validate')).toMatchObject({ code: 0, err: '' })
    expect(await org.shell('agency org export --org piped | agency org import --preview')).toMatchObject({
      code: 0,
      out: 'no changes\n',
      err: '',
    })
    expect(await org.shell('agency org export --org piped | agency org import --atomic')).toMatchObject({
      code: 0,
      out: 'no changes\n',
    })
    const failed = await org.shell('agency org export --org nope | agency org import --preview')
    expect(failed.code).toBe(2)
    expect(failed.err).toContain('standard input is empty')
  })

  it('previews the changes of an edit without storing them, then makes exactly those', async () => {
    const { seats } = await org.found('Edited')
    const before = await exported('edited')
    const edited = before.replace('title: Developer\n', 'title: Backend Developer\n')
    const preview = await org.feed(edited, 'org', 'import', '--preview')
    expect(preview.code).toBe(0)
    expect(preview.out.split('\n')).toContain(
      `update position_id ${seats['Developer']} title: Developer → Backend Developer`,
    )
    expect(preview.out).toMatch(/^unchanged position_id/m)
    expect(preview.out).not.toMatch(/delete/i)
    expect(await exported('edited')).toBe(before)
    const done = await org.feed(edited, 'org', 'import', '--file', '-')
    expect(done.out).toBe(`update position_id ${seats['Developer']} title: Developer → Backend Developer\n`)
    expect(await exported('edited')).toBe(edited)
  })

  it('keeps a seat that it does not name', async () => {
    await org.found('Kept')
    const document = await exported('kept')
    const fewer = document.slice(0, document.lastIndexOf('  - position_id'))
    expect(await org.feed(fewer, 'org', 'import')).toMatchObject({ code: 0, out: 'no changes\n' })
    expect(await exported('kept')).toBe(document)
  })

  it('replaces the holder of a seat only with --force', async () => {
    const { robbo } = await org.found('Contested')
    const slug = await newPersona('Rival', 'architect')
    const { positions } = parse(await org.text('org', 'export', '--org', 'contested')) as {
      positions: { position_id: number }[]
    }
    const { organisation_id } = await org.ask<{ organisation_id: number }>('show', '--org', 'contested')
    const document = JSON.stringify({
      organisation: { organisation_id },
      positions: [
        {
          position_id: positions[0]?.position_id,
          title: 'Principal Architect',
          role: 'architect',
          assignment: { persona_slug: slug },
        },
      ],
    })
    expect((await org.feed(document, 'org', 'import', '--preview')).out).toMatch(/^conflict .*--force/m)
    const refused = await org.feed(document, 'org', 'import')
    expect([refused.code, refused.err]).toEqual([4, expect.stringContaining('--force')])
    expect((await org.feed(document, 'org', 'import', '--force')).code).toBe(0)
    const history = await org.text('org', 'assignments', '--org', 'contested', '--include-history')
    expect(history).toContain(robbo)
    expect(history).toContain(slug)
  })

  it('renames a role that others use only with --force', async () => {
    await org.found('Renaming')
    const document = (await exported('renaming')).replace('name: architect\n', 'name: master builder\n')
    const refused = await org.feed(document.replaceAll('role: architect', 'role: master builder'), 'org', 'import')
    expect([refused.code, refused.err]).toEqual([4, expect.stringContaining('--force')])
  })

  it('replaces the intent of an existing organisation only with --with-intent', async () => {
    const { slug } = await org.found('Intended')
    const document = (await exported('intended')).replace('- clarity', '- speed')
    const preview = await org.feed(document, 'org', 'import', '--preview')
    expect(preview.out).toContain('intent differs, not imported')
    const intent = (): string => readFileSync(join(org.home, 'data/organisations', slug, 'intent.md'), 'utf8')
    await org.feed(document, 'org', 'import')
    expect(intent()).toContain('- clarity')
    await org.feed(document, 'org', 'import', '--with-intent')
    expect(intent()).toContain('- speed')
  })

  it('comes as YAML, JSON or Markdown, whole or in part', async () => {
    await org.found('Formed')
    const words = ['org', 'export', '--org', 'formed']
    const yaml = await org.text(...words)
    expect(yaml).toMatch(/^#.*\n# .*agency org export/)
    const { organisation, ...rest } = parse(yaml) as Record<string, Record<string, unknown>>
    expect(Object.keys(rest)).toEqual(['roles', 'positions'])
    expect(Object.keys(organisation ?? {})).toEqual(
      'organisation_id name purpose slug description status intent'.split(' '),
    )
    expect(yaml).not.toMatch(/^ *-? *id:/m)
    expect(JSON.parse(await org.text(...words, '--format', 'json'))).toEqual(parse(yaml))
    expect(JSON.parse(await org.text(...words, '--json'))).toEqual(parse(yaml))
    expect(await org.text(...words, '--format', 'markdown')).toMatch(/^# Formed\n[^]*\| Developer +\|/)
    expect(Object.keys(parse(await org.text(...words, '--positions-only')) as object)).toEqual(['positions'])
    const qa = parse(await org.text(...words, '--role', 'qa')) as { positions: Seat[] }
    expect(qa.positions.map((seat) => seat.title)).toEqual(['QA Lead'])
    expect(yaml).not.toContain('name: system')
    expect(await org.text(...words, '--all-roles')).toContain('name: system')
  })

  it('is checked, with line, column and title of each fault; exit code 1', async () => {
    const document = `organisation:
  name: Broken
  purpose: trial
positions:
  - title: Chief
    role: pm
    reports_to: Deputy
  - title: Deputy
    role: pm
    reports_to: Chief
  - title: Porter
    role: wizard
  - title: Porter
    role: qa
    reports_to: Nobody
    colour: red
    active_agents: 3
`
    const file = org.file('broken.yaml', document)
    const { code, out } = await org.run('org', 'validate', '--file', file)
    expect(code).toBe(1)
    const lines = out.trimEnd().split('\n')
    for (const line of lines) expect(line).toMatch(/^\S+broken\.yaml:\d+:\d+: (error|warning): \S/)
    expect(out).toMatch(/circular.*Chief.*Deputy/)
    expect(out).toMatch(/:11:\d+: error: .*Porter.*wizard/)
    expect(out).toMatch(/error: .*Porter.*twice/)
    expect(out).toMatch(/Nobody/)
    expect(out).toMatch(/:16:\d+: error: .*colour/)
    expect(out).toMatch(/:17:\d+: warning: .*active_agents/)
    const refused = await org.run('org', 'import', '--file', file)
    expect([refused.code, refused.out, refused.err]).toEqual([
      2,
      '',
      expect.stringMatching(/^error: line \d+, column \d+: .*colour.*\n/),
    ])
    expect((await org.run('org', 'list', '--all')).out).not.toContain('Broken')
  })
})

describe('governance', () => {
  it('lets an agent read its own card, and refuses its changes', async () => {
    const { id } = await org.found('Governed')
    const identity = await org.asAgent('agency org whoami')
    expect(identity).toMatchObject({ code: 0, err: '' })
    expect(parse(identity.out)).toMatchObject({ slug: expect.any(String) as string })
    const create = 'agency org position create --org governed --role qa --title'
    const refused = await org.asAgent(`${create} Another`, id)
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('agency org propose')])
  })

  it('keeps proposals until they are applied or rejected', async () => {
    const { id: organisationId } = await org.found('Proposed')
    const document = (await exported('proposed')).replace('title: Developer\n', 'title: Coder\n')
    const proposed = await org.asAgent(
      `cat > proposed.yaml <<'END'\n${document}END\nagency org propose --file proposed.yaml --reason 'Shorter'`,
      organisationId,
    )
    expect(proposed).toMatchObject({ code: 0 })
    const { proposal_id } = parse(proposed.out) as { proposal_id: number }
    expect(proposed.out).toContain('title: Developer → Coder')
    const open = async (...words: string[]): Promise<{ reason: string; status: string }[]> =>
      (await org.ask<{ proposals: { reason: string; status: string }[] }>('proposals', '--org', 'proposed', ...words))
        .proposals
    expect(await open()).toEqual([expect.objectContaining({ proposal_id, reason: 'Shorter', status: 'open' })])
    expect(await org.ask('proposal', 'apply', String(proposal_id))).toMatchObject({ status: 'applied' })
    expect(await exported('proposed')).toBe(document)
    expect(await open()).toEqual([])
    const again = await org.feed(
      document.replace('title: Coder\n', 'title: Hacker\n'),
      'org',
      'propose',
      '--reason',
      'x',
    )
    const id = String((parse(again.out) as { proposal_id: number }).proposal_id)
    expect(await org.refusal('proposal', 'reject', id)).toMatch(/^2 error: required option '--reason/)
    expect(await org.ask('proposal', 'reject', id, '--reason', 'No')).toMatchObject({
      status: 'rejected',
      answer: 'No',
    })
    expect(await open('--all')).toHaveLength(2)
    expect(await org.refusal('proposal', 'apply', id)).toMatch(/^1 /)
    expect(await org.refusal('proposal', 'apply', '99999')).toMatch(/^3 /)
  })
})

describe('bad input', () => {
  const refused = async (input: string | Uint8Array, ...given: string[]): Promise<string> => {
    const { code, out, err } = await org.feed(input, 'org', ...given)
    return `${code} ${out}${err}`
  }

  it('is reported with line and column if it is not YAML', async () => {
    expect(await refused('organisation:\n  name: "never closed\n', 'validate')).toMatch(/^1 stdin:\d+:\d+: error: /)
    expect(await refused('a: [1, 2\nb: }', 'validate')).toMatch(/^1 stdin:\d+:\d+: error: /)
    expect(await refused('just text', 'validate')).toMatch(/^1 stdin:1:1: error: /)
    expect(await refused('- a\n- b\n', 'import')).toMatch(/^2 error: line 1, column 1: /)
  })

  it('is refused if it is too large, not text, or empty', async () => {
    const large = 'x'.repeat(20_000_000)
    expect(await refused(`organisation:\n  name: ${large}\n`, 'import')).toMatch(/^2 error: .*larger than 6 MB/)
    expect(await org.refusal('validate', '--file', org.file('large.yaml', large))).toMatch(/^2 error: .*larger than/)
    expect(await org.refusal('validate', '--file', '/dev/zero')).toMatch(/^2 error: .*larger than/)
    expect(await refused(new Uint8Array([0xff, 0xfe, 0x00]), 'import')).toMatch(/^2 error: .*not UTF-8/)
    expect(await refused('organisation:\n  name: a\u0000b\n', 'import')).toMatch(/^[12] .*error: /)
    expect(await refused('', 'import')).toMatch(/^2 error: .*standard input is empty/)
    expect((await org.shell('agency org import <&-')).code).toBe(2)
    expect(await org.refusal('import', '--file', join(org.home, 'nowhere.yaml'))).toMatch(/^2 error: .*cannot be read/)
    expect(await org.refusal('import', '--file', org.home)).toMatch(/^2 error: .*cannot be read/)
    expect(await org.refusal('import', '--file', org.file('empty.yaml', ''))).toMatch(/^[12] /)
  })

  it('does no harm as a bomb of aliases', async () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]']
    for (const [at, name] of [...'bcdefghij'].entries())
      bomb.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${'abcdefghi'[at]}`).join(',')}]`)
    expect(await refused(`${bomb.join('\n')}\n`, 'validate')).toMatch(/^1 stdin:/)
    const inside = `organisation:\n  name: Bomb\n  purpose: x\n  description: *z\npositions: &z\n${'  - *z\n'.repeat(60)}`
    expect(await refused(inside, 'validate')).toMatch(/^1 stdin:/)
  })

  it('is refused in one line if a document uses ids of others, or its own twice', async () => {
    const { seats } = await org.found('Owner')
    const foreign = `organisation: { name: Thief, purpose: trial }\npositions:\n  - { position_id: ${seats['Developer']}, title: Mine, role: qa }\n`
    expect(await refused(foreign, 'import')).toMatch(/^4 [^]*--force/)
    const twice = `organisation: { name: Thief, purpose: trial }\npositions:\n  - { position_id: 900, title: A, role: qa }\n  - { position_id: 900, title: B, role: qa }\n`
    expect(await refused(twice, 'validate')).toMatch(/^1 stdin:4:\d+: error: .*900.*twice/)
    expect(await org.text('org', 'list', '--all')).not.toContain('Thief')
  })

  it('never writes outside the data directory, for any name', async () => {
    const inside = (): string[] => readdirSync(join(org.home, 'data', 'organisations'))
    const names = ['../../escaped', '/etc/passwd', 'con', 'a/../../b', '.hidden', '名前 x']
    for (const name of names) {
      const made = await org.ask<{ slug: string }>('create', '--name', name, '--purpose', '../up')
      expect(made.slug).toMatch(/^up-[a-z0-9-]*$/)
      expect(inside()).toContain(made.slug)
    }
    expect(readdirSync(org.home).filter((name) => name.includes('escaped'))).toEqual([])
    for (const name of ['..', '😀😀', '', 'x'.repeat(300), 'a\nb', '\u202e'])
      expect(await org.refusal('create', '--name', name, '--purpose', 'x')).toMatch(/^2 error: name: /)
    const long = await org.ask<{ slug: string }>('create', '--name', 'y'.repeat(100), '--purpose', 'z'.repeat(64))
    expect(long.slug.length).toBeLessThanOrEqual(128)
    for (const words of [
      ['show', '--org', '..'],
      ['persona', 'skill', '--slug', '.'],
      ['role', 'update', '--name', '..', '--description', 'x'],
    ])
      expect(await org.refusal(...words)).toMatch(/^2 error: .*slug or a name/)
    for (const words of [
      ['show', '--org', '../../x'],
      ['persona', 'skill', '--slug', '../../../etc/passwd'],
    ])
      expect(await org.refusal(...words)).toMatch(/^3 error: no /)
  })

  it('is refused with the name of the flag if a number is wrong', async () => {
    expect(await org.refusal('position', 'show', '--position-id', 'one')).toMatch(/^2 error: .*whole number/)
    expect(await org.refusal('assign', '--position-id', '0', '--persona-slug', 'x')).toMatch(/^2 error: .*whole number/)
    expect(await org.refusal('export', '--org', 'development', '--format', 'toml')).toMatch(/^2 error: .*yaml, json/)
  })

  it('causes no error for a reader that closes the pipe', async () => {
    expect((await org.shell('agency org list | head -n 1')).code).toBe(0)
  })
})

it('an exported organisation is imported unchanged into an empty home', async () => {
  await org.found('Moved – Ünï')
  const document = await exported('moved – ünï')
  const other = createOrgCli()
  try {
    await other.text('up', '--no-seed')
    expect(await other.ask('list')).toEqual({ organisations: [] })
    expect(await other.feed(document, 'org', 'import')).toMatchObject({ code: 0, err: '' })
    const again = await other.text('org', 'export', '--org', 'moved – ünï')
    expect(again).toBe(document)
  } finally {
    await other.remove()
  }
})

it('two concurrent imports of one document have the result of a single one', async () => {
  const document = sixSeats('Raced').replace('organisation:', 'organisation:\n  organisation_id: 5000')
  const both = await Promise.all([org.feed(document, 'org', 'import'), org.feed(document, 'org', 'import')])
  expect(both.map(({ code, err }) => [code, err])).toEqual([
    [0, ''],
    [0, ''],
  ])
  expect(await org.ask('show', '--org', 'raced')).toMatchObject({ organisation_id: 5000 })
  expect(await seatsOf('raced')).toHaveLength(6)
  expect((await org.feed(document, 'org', 'import', '--preview')).out).toBe('no changes\n')
})
