import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { freshFolder } from '../../test/support/store.ts'
import { talentRoot } from '../entries.ts'
import { tierDuties, tierNames } from '../team/contract.ts'
import type { Pool } from './model.ts'
import { readMarkdown } from './markdown-files.ts'
import { parseFiles } from './parsed.ts'
import { parsePersonality } from './front-matter.ts'
import { draftOf, loadPool, type PoolLocation } from './pool.ts'
import { chooseEntry, defaultTalent, mapOf, resolveTalent } from './resolve.ts'
import { checkTeamTalent } from './team-talent.ts'

const locationIn = (from: PoolLocation['from'], folder: string): PoolLocation => ({
  from,
  agents: join(folder, 'agents'),
  registry: join(folder, 'role_registry.yaml'),
})
const bundled = locationIn('bundled', talentRoot())

/** Loads the starter set and a home with these files. */
async function poolWith(files: Record<string, string | Uint8Array> = {}): Promise<Pool> {
  const home = freshFolder()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  return loadPool([bundled, locationIn('own', home)])
}

const starters = `
  nexus-strategy software-architect devops-automator data-engineer senior-developer sre frontend-developer
  backend-architect database-optimizer mobile-app-builder ai-engineer security-engineer technical-writer code-reviewer
  testing-reality-checker testing-api-tester testing-performance-benchmarker`
  .trim()
  .split(/\s+/)

describe('files that were parsed in advance', () => {
  const home = (): { location: PoolLocation; write(path: string, text: string): void } => {
    const folder = freshFolder()
    mkdirSync(join(folder, 'agents', 'ops'), { recursive: true })
    return {
      location: { ...locationIn('own', folder), parsed: join(folder, 'parsed.json') },
      write: (path, text) => writeFileSync(join(folder, path), text),
    }
  }
  const page = '---\nname: Night Watch\ntiers: [t4]\n---\nWatch at night.\n'
  const registry = 'defaults:\n  t4: night-watch\n'

  it('make the same pool as their texts', async () => {
    const { location, write } = home()
    write('agents/ops/night-watch.md', page)
    write('role_registry.yaml', registry)
    const before = await loadPool([location])
    write('parsed.json', JSON.stringify(parseFiles([page], [registry])))
    expect(await loadPool([location])).toEqual(before)
    expect(before.warnings).toEqual([])
  })

  it('are not parsed again, unless they were changed since', async () => {
    const { location, write } = home()
    write('agents/ops/night-watch.md', page)
    write('agents/ops/day-watch.md', page.replace('Night', 'Day'))
    const [result] = Object.entries(parseFiles([page], []).personalities)
    const parsed = { personalities: { [result?.[0] ?? '']: { ...result?.[1], name: 'In Advance' } }, registries: {} }
    write('parsed.json', JSON.stringify(parsed))
    expect((await loadPool([location])).entries.map(({ name }) => name)).toEqual(['Day Watch', 'In Advance'])
  })
})

describe('the starter set', () => {
  it('has every personality that the registry names, each with all fields', async () => {
    const pool = await poolWith()
    expect(pool.warnings).toEqual([])
    expect(pool.entries.map((each) => each.name).sort()).toEqual([...starters].sort())
    for (const { file } of pool.entries)
      expect(readFileSync(file, 'utf8')).toMatch(
        /^---\nname: .+\ndivision: .+\ntiers: \[.+\]\ndomains: \[.+\]\ncapability: .+\n---\n\n# /,
      )
    const words = pool.entries.map(({ text }) => text.split(/\s+/).length)
    expect(Math.min(...words)).toBeGreaterThanOrEqual(250)
    expect(Math.max(...words)).toBeLessThanOrEqual(450)
  })

  it('has a registry of nineteen rows and a default for every tier', async () => {
    const pool = await poolWith()
    expect(mapOf(pool).map(({ tier, domain, name }) => `${tier} ${domain}: ${name}`)).toEqual([
      't1 Strategy: nexus-strategy',
      't2 Backend: software-architect',
      't2 Infra: devops-automator',
      't2 Data: data-engineer',
      't3 Backend: senior-developer',
      't3 Reliability: sre',
      't4 Frontend: frontend-developer',
      't4 Backend: backend-architect',
      't4 Database: database-optimizer',
      't4 DevOps: devops-automator',
      't4 Mobile: mobile-app-builder',
      't4 AI/ML: ai-engineer',
      't4 Security: security-engineer',
      't4 Docs: technical-writer',
      't5 Code review: code-reviewer',
      't5 Integration: testing-reality-checker',
      't5 API: testing-api-tester',
      't5 Performance: testing-performance-benchmarker',
      't5 Security: security-engineer',
    ])
    for (const { tier, name } of mapOf(pool)) expect(resolveTalent(pool, name).tiers).toContain(tier)
    for (const tier of tierNames) expect(defaultTalent(pool, tier, 'gardening').tiers).toContain(tier)
  })
})

describe('a missing field', () => {
  it('is inferred: the name from the file, the division from its folder, the rest from the registry', async () => {
    const pool = await poolWith({
      'agents/ops/pager.md': 'You hold the pager.',
      'agents/ops/fallback.md': '---\ncolor: red\n---\nYou do anything.',
      'role_registry.yaml': 'roles:\n  - { tier: t3, domain: Night, name: pager }\n',
    })
    expect(resolveTalent(pool, 'pager')).toMatchObject({
      name: 'pager',
      division: 'ops',
      tiers: ['t3'],
      domains: ['night'],
      capability: tierDuties.t3.capability,
      text: 'You hold the pager.',
    })
    expect(resolveTalent(pool, 'fallback')).toMatchObject({ tiers: tierNames, domains: [], capability: 'capable' })
  })

  it('is inferred with a warning where the field has an unusable value', async () => {
    const text = '---\nname: [1]\ntiers: [t4, t9]\ndomains: 7\ncapability: genius\n---\nYou.'
    const pool = await poolWith({ 'agents/ops/odd.md': text })
    expect(resolveTalent(pool, 'odd')).toMatchObject({ name: 'odd', tiers: tierNames, domains: ['7'] })
    expect(pool.warnings).toEqual([
      'ops/odd.md (own): name must be a text of 1 to 100 characters; it is inferred',
      'ops/odd.md (own): tiers must be a list of t1, t2, t3, t4, t5; it is inferred',
      'ops/odd.md (own): capability must be reasoning-heavy or capable or fast-cheap; it is inferred',
    ])
  })

  it('is read line by line where the front matter only resembles YAML', async () => {
    const text = '---\nname: Night Owl\ndescription: Use it when: it is dark\ntiers: [t3, t4]\n---\nYou wake.'
    const pool = await poolWith({ 'agents/ops/night-owl.md': text })
    expect(resolveTalent(pool, 'night-owl')).toMatchObject({
      name: 'Night Owl',
      tiers: ['t3', 't4'],
      text: 'You wake.',
    })
    expect(pool.warnings).toEqual([])
  })
})

describe('an unusable file', () => {
  it('is skipped with a warning, and no other file is', async () => {
    const home = freshFolder()
    const agents = join(home, 'agents', 'ops')
    mkdirSync(agents, { recursive: true })
    writeFileSync(join(agents, 'bomb.md'), '---\na: &a [x, x]\nb: &b [*a, *a]\nname: *b\n---\nBoom.')
    writeFileSync(join(agents, 'good.md'), 'You are good.')
    writeFileSync(join(agents, 'hollow.md'), '---\nname: hollow\n---\n \n')
    writeFileSync(join(agents, 'huge.md'), 'x'.repeat(1_000_000))
    writeFileSync(join(agents, 'latin.md'), Buffer.from('caf\xe9', 'latin1'))
    writeFileSync(join(agents, 'nothing.md'), '')
    writeFileSync(join(agents, 'open.md'), '---\nname: open\n\nNever closed.')
    writeFileSync(join(agents, 'weird.md'), '---\n{{{{ ]\n---\nText.')
    writeFileSync(join(agents, 'zero.md'), 'a\0b')
    writeFileSync(join(agents, '日本.md'), 'Hello.')
    symlinkSync('/etc/passwd', join(agents, 'link.md'))
    symlinkSync('..', join(agents, 'loop'))
    execFileSync('mkfifo', [join(agents, 'pipe.md')])
    const pool = await loadPool([bundled, locationIn('own', home)])
    expect(pool.entries.filter((each) => each.from === 'own').map((each) => each.path)).toEqual([
      'ops/bomb.md',
      'ops/good.md',
    ])
    expect(pool.warnings).toEqual([
      'ops/link.md (own): is a link; links are not followed',
      'ops/loop (own): is a link; links are not followed',
      'ops/pipe.md (own): is not a file',
      'ops/hollow.md (own): there is no text below its front matter',
      'ops/huge.md (own): is larger than 256 KB',
      'ops/latin.md (own): is not UTF-8 text',
      'ops/nothing.md (own): it is empty',
      'ops/open.md (own): its front matter has no end',
      'ops/weird.md (own): its front matter is not YAML',
      'ops/zero.md (own): is not text',
      'ops/日本.md (own): its file name needs letters from a to z, by which it is found',
    ])
  })

  it('is not read to its end if it is a device, which has none', async () => {
    const registry = '/dev/zero'
    expect(await checkTeamTalent({ path: null, registry })).toEqual({
      key: 'registry',
      message: '/dev/zero cannot be read',
    })
    expect(await readMarkdown(registry)).toEqual({ reason: 'is not a file' })
  })

  it.each(['[', '- ', '{a: ', '"', '&a ', 'a: &a\n', 'a:\n '])(
    'is reported quickly, also if it consists of %j',
    (sign) => {
      const text = (length: number): string => `---\n${sign.repeat(length / sign.length)}\n---\nYou.`
      expect(draftOf('ops/x.md', parsePersonality(text(250_000)))).toMatchObject({
        reason: 'its front matter is larger than 8 KB',
      })
      const started = performance.now()
      draftOf('ops/x.md', parsePersonality(text(8_000)))
      expect(performance.now() - started).toBeLessThan(5_000)
    },
  )

  it('is not even visited in folders where collections keep other things', async () => {
    const pool = await poolWith({
      'agents/README.md': 'How to use it',
      'agents/CONTRIBUTING.md': 'How to help',
      'agents/notes.md': 'no division, no front matter',
      'agents/ops/QA.md': '---\nname: QA\n---\nYou doubt.',
      'agents/ops/runbooks/one.md': 'Steps',
      'agents/examples/x.md': 'An example',
      'agents/.git/y.md': 'Not ours',
    })
    expect(pool.entries.filter((each) => each.from === 'own').map((each) => each.name)).toEqual(['QA'])
    expect(pool.warnings).toEqual([])
  })

  it('may have a map that cannot become a text in each of its fields', () => {
    const field = '{ toString: [] }'
    const text = `---\nname: ${field}\ndivision: ${field}\ntiers: [t1, ${field}]\ndomains: ${field}\n---\nYou hold the pager.`
    expect(draftOf('ops/pager.md', parsePersonality(text))).toMatchObject({ name: 'pager', division: 'ops' })
  })

  it('has a reason for any content; every other file has a name and a text', () => {
    const front = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.json(),
      fc.json().map((json) => `name: ${json}\ndivision: ${json}\ntiers: ${json}\ndomains: ${json}`),
      fc
        .array(fc.constantFrom('name', ':', '[', '&a', '*a', '"', '\n', '- ', '|', '? ', '---', ' ', 't1'))
        .map((all) => all.join('')),
    )
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 100 }),
      fc.tuple(front, fc.string({ maxLength: 20 })).map(([fields, body]) => `---\n${fields}\n---\n${body}`),
    )
    fc.assert(
      fc.property(text, (written) => {
        const drafted = draftOf('ops/x.md', parsePersonality(written))
        if ('reason' in drafted) expect(drafted.reason).toMatch(/^[^\n]+$/)
        else {
          expect(drafted.name).toMatch(/^[^\p{Cc}]{1,100}$/u)
          expect(drafted.division).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
          expect(drafted.frontMatter.body).toMatch(/\S/)
          for (const tier of drafted.frontMatter.tiers ?? []) expect(tierNames).toContain(tier)
        }
      }),
      { numRuns: 300 },
    )
  })
})

describe('a registry of the home', () => {
  it('takes precedence over ours row by row, and keeps the rest', async () => {
    const pool = await poolWith({
      'agents/ops/pager.md': 'You hold the pager.',
      'role_registry.yaml':
        'defaults: { t5: pager }\nroles:\n  - { tier: t3, domain: reliability, name: pager, aliases: [nights] }\n',
    })
    expect(mapOf(pool)).toHaveLength(19)
    for (const domain of ['Reliability', 'nights', 'Nights and reliability'])
      expect(chooseEntry(pool, { tier: 't3', domain }).entry.name).toBe('pager')
    expect(chooseEntry(pool, { tier: 't3', domain: 'Backend' }).entry.name).toBe('senior-developer')
    expect(chooseEntry(pool, { tier: 't5', domain: 'gardening' }).entry.name).toBe('pager')
  })

  it('is refused as a whole, with the line of each fault', async () => {
    const pool = await poolWith({
      'role_registry.yaml':
        'defaults:\n  t6: sre\nroles:\n  - { tierr: t3, domain: x, name: sre }\n  - { tier: t3, domain: Reliability, name: code-reviewer }\n',
    })
    const place = expect.stringMatching(/role_registry\.yaml:2:3: defaults has no "t6".*; the file is not used$/)
    const other = expect.stringMatching(/role_registry\.yaml:4:7: a role has no "tierr"; did you mean "tier"\?/)
    expect(pool.warnings).toEqual([place, other, expect.stringContaining('4:5: a role needs a tier')])
    expect(chooseEntry(pool, { tier: 't3', domain: 'Reliability' }).entry.name).toBe('sre')
  })

  it.each([
    '- x',
    '[',
    'roles: 7',
    'roles: [1]',
    'defaults: [a]',
    '\0',
    '*a',
    'roles: [{tier: t1, domain: "", name: x}]',
  ])('with the content %j causes a warning and is not used', async (text) => {
    const pool = await poolWith({ 'role_registry.yaml': text })
    expect(pool.warnings.join('\n')).toContain('the file is not used')
    expect(mapOf(pool)).toHaveLength(19)
  })

  it('with a missing personality causes a warning, and our registry decides', async () => {
    const pool = await poolWith({ 'role_registry.yaml': 'roles: [{ tier: t3, domain: Reliability, name: ghost }]' })
    expect(pool.warnings).toEqual(['role_registry.yaml (own): t3 Reliability: there is no personality "ghost"'])
    expect(chooseEntry(pool, { tier: 't3', domain: 'reliability' })).toMatchObject({
      entry: { name: 'sre' },
      warning: null,
    })
  })
})

describe('a name', () => {
  const files = {
    'agents/engineering/engineering-platform-lead.md': '---\nname: Platform Lead (SRE)\n---\nYou lead.',
    'agents/testing/testing-api-tester.md': '---\nname: Other Tester\n---\nYou test otherwise.',
    'agents/ops/sre.md': 'You are another.',
    'agents/ops/owl.md': 'You are one.',
    'agents/night/owl.md': 'You are two.',
  }

  it.each([
    ['engineering/software-architect.md', 'engineering/software-architect.md'],
    ['./talent/agents/../nothing', null],
    ['talent/agents/engineering/software-architect', 'engineering/software-architect.md'],
    ['Engineering/SRE', 'engineering/sre.md'],
    ['software-architect', 'engineering/software-architect.md'],
    ['SOFTWARE-ARCHITECT.md', 'engineering/software-architect.md'],
    ['Software Architect', 'engineering/software-architect.md'],
    ['engineering-software-architect', 'engineering/software-architect.md'],
    ['platform-lead', 'engineering/engineering-platform-lead.md'],
    ['engineering-platform-lead', 'engineering/engineering-platform-lead.md'],
    ['Platform Lead (SRE)', 'engineering/engineering-platform-lead.md'],
    ['reality-checker', 'testing/testing-reality-checker.md'],
    ['nobody', null],
    ['', null],
    ['../../etc/passwd', null],
    ['__proto__', null],
  ])('%j resolves to %s', async (name, path) => {
    const pool = await poolWith(files)
    if (path === null) expect(() => resolveTalent(pool, name)).toThrow(/no personality/)
    else expect(resolveTalent(pool, name).path).toBe(path)
  })

  it('of two entries is a conflict that lists their paths', async () => {
    const pool = await poolWith(files)
    expect(() => resolveTalent(pool, 'Owl')).toThrow('the talent pool has several "Owl": night/owl.md, ops/owl.md')
    expect(resolveTalent(pool, 'night/owl').text).toBe('You are two.')
  })

  it('resolves to the home’s file where ours has the same path', async () => {
    const pool = await poolWith(files)
    expect(resolveTalent(pool, 'testing-api-tester')).toMatchObject({ from: 'own', text: 'You test otherwise.' })
    expect(pool.entries.filter((each) => each.path === 'testing/testing-api-tester.md')).toHaveLength(1)
  })

  it('with a typing error gets a suggestion', async () => {
    const pool = await poolWith()
    expect(() => resolveTalent(pool, 'code-reveiwer')).toThrow(
      expect.objectContaining({ code: 'not_found', hint: 'Did you mean "code-reviewer"?' }),
    )
  })
})

describe('casting', () => {
  it('casts the requested personality, from any tier', async () => {
    const pool = await poolWith()
    expect(chooseEntry(pool, { tier: 't2', domain: 'backend', wanted: 'technical-writer' })).toMatchObject({
      entry: { name: 'technical-writer' },
      warning: null,
    })
  })

  it('casts different personalities for two tasks of one tier by their domain', async () => {
    const pool = await poolWith()
    const names = ['Frontend', 'Database', 'ai/ml', 'LLM', 'Backend services', 'documentation', '', null].map(
      (domain) => chooseEntry(pool, { tier: 't4', domain }).entry.name,
    )
    expect(names.join(' ')).toBe(
      'frontend-developer database-optimizer ai-engineer ai-engineer backend-architect technical-writer senior-developer senior-developer',
    )
  })

  it('falls back to tier and domain with a warning that names both', async () => {
    const pool = await poolWith()
    expect(chooseEntry(pool, { tier: 't2', domain: 'Data', wanted: 'data-wizard' })).toMatchObject({
      entry: { name: 'data-engineer' },
      warning: 'the talent pool has no "data-wizard"; cast data-engineer instead (t2, Data)',
    })
  })

  it('prefers ours among equal names, with a warning, and casts neither of two others', async () => {
    const pool = await poolWith({ 'agents/ops/sre.md': 'x', 'agents/ops/owl.md': 'x', 'agents/night/owl.md': 'x' })
    expect(chooseEntry(pool, { tier: 't3', domain: 'Backend', wanted: 'sre' })).toMatchObject({
      entry: { path: 'engineering/sre.md' },
      warning: expect.stringContaining('engineering/sre.md, ops/sre.md; cast engineering/sre.md'),
    })
    expect(chooseEntry(pool, { tier: 't3', domain: 'Backend', wanted: 'owl' })).toMatchObject({
      entry: { name: 'senior-developer' },
      warning: expect.stringContaining('night/owl.md, ops/owl.md; cast senior-developer instead (t3, Backend)'),
    })
  })

  it('never casts the author of the work as its verifier', async () => {
    const pool = await poolWith()
    const not = 'engineering/security-engineer.md'
    expect(chooseEntry(pool, { tier: 't5', domain: 'Security', not }).entry.name).toBe('code-reviewer')
    expect(chooseEntry(pool, { tier: 't5', domain: 'Security', wanted: 'security-engineer', not })).toMatchObject({
      entry: { name: 'code-reviewer' },
      warning: '"security-engineer" did the work itself; cast code-reviewer instead (t5, Security)',
    })
  })

  it('reports an empty pool', async () => {
    const empty = await loadPool([locationIn('own', freshFolder())])
    expect(() => chooseEntry(empty, { tier: 't1' })).toThrow('the talent pool is empty')
  })

  it('is fast for large pools', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, index) => [`agents/d${index % 20}/p${index}.md`, `You are ${index}.`]),
    )
    const pool = await poolWith(files)
    expect(pool.entries).toHaveLength(1_017)
    for (let index = 0; index < 20_000; index++)
      expect(chooseEntry(pool, { tier: 't4', wanted: `p${index % 1_000}` }).warning).toBeNull()
  })
})
