import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import { freshFolder } from '../../test/support/store.ts'
import { talentFolders } from '../../test/support/talent.ts'
import { talentRoot } from '../entries.ts'
import { noLog } from '../kernel/log.ts'
import { finishImports, importPool } from './import.ts'
import type { Persona } from '../org/personas/store.ts'
import { chooseEntry, isTalent, candidatesFor } from './resolve.ts'
import { openTalent } from './service.ts'
import type { TeamTalent } from './team-talent.ts'

/** Temporary files are on one of the two file systems. */
const otherFileSystem = ['/dev/shm', '/var/tmp'].find(
  (folder) => existsSync(folder) && statSync(folder).dev !== statSync(tmpdir()).dev,
)
const bundled = join(talentRoot(), 'agents')

function write(root: string, files: Record<string, string | Uint8Array>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

const named = (name: string, text = `You are ${name}.`): string => `---\nname: ${name}\n---\n${text}\n`
const pool = (name: string, files: Record<string, string | Uint8Array>): string =>
  write(join(freshFolder(), name), files)
const take = (home: string, directory: string) => importPool(home, bundled, directory)
const look = (home: string, path: string): string => readFileSync(join(home, 'agents', path), 'utf8')

describe('importing a pool', () => {
  it('imports divisions and reports the reason for every skipped file', async () => {
    const home = join(freshFolder(), 'talent')
    const directory = pool('acme', {
      'README.md': 'Acme’s people',
      'engineering/engineering-sre.md': named('SRE'),
      'engineering/Odd Name.md': named('Odd'),
      'game/unity/shader.md': named('Shader'),
      'game/unity/notes.md': 'no front matter',
      'strategy/nexus.md': 'You plan.',
      'strategy/QUICKSTART.md': 'Begin here.',
      'strategy/hollow.md': '---\nname: x\n---\n',
      'strategy/huge.md': 'x'.repeat(300_000),
      'strategy/latin.md': Buffer.from('caf\xe9', 'latin1'),
      'examples/one.md': named('One'),
      '.git/two.md': named('Two'),
      'strategy/picture.png': 'x',
    })
    symlinkSync('/etc/hostname', join(directory, 'strategy', 'outside.md'))
    symlinkSync('..', join(directory, 'strategy', 'loop'))
    execFileSync('mkfifo', [join(directory, 'strategy', 'pipe.md')])
    expect(await take(home, directory)).toEqual({
      imported: [
        'engineering/engineering-sre.md',
        'engineering/odd-name.md',
        'game/shader.md',
        'strategy/nexus.md',
      ].sort(),
      updated: [],
      mapping: false,
      skipped: [
        { path: 'README.md', reason: 'is documentation: its name is in capitals, and it has no front matter' },
        { path: 'game/unity/notes.md', reason: 'has no front matter and is not in a division' },
        {
          path: 'strategy/QUICKSTART.md',
          reason: 'is documentation: its name is in capitals, and it has no front matter',
        },
        { path: 'strategy/hollow.md', reason: 'there is no text below its front matter' },
        { path: 'strategy/huge.md', reason: 'is larger than 256 KB' },
        { path: 'strategy/latin.md', reason: 'is not UTF-8 text' },
        { path: 'strategy/loop', reason: 'is a link; links are not followed' },
        { path: 'strategy/outside.md', reason: 'is a link; links are not followed' },
        { path: 'strategy/pipe.md', reason: 'is not a file' },
      ],
    })
    expect(look(home, 'game/shader.md')).toBe(named('Shader'))
    expect(readdirSync(home).sort()).toEqual(['agents', 'sources.json'])
  })

  it.each(['.', '.claude/agents'])(
    'imports a project’s coding agents into a division of its own, given %s',
    async (folder) => {
      const home = join(freshFolder(), 'talent')
      const project = pool('web-shop', {
        '.claude/agents/reviewer.md': named('reviewer'),
        'src/readme.md': named('not me'),
      })
      expect((await take(home, join(project, folder))).imported).toEqual(['web-shop/reviewer.md'])
    },
  )

  it('imports nothing the second time, and updates files that have changed in the same pool', async () => {
    const home = join(freshFolder(), 'talent')
    const directory = pool('acme', { 'ops/a.md': named('a'), 'ops/b.md': named('b') })
    await take(home, directory)
    expect(await take(home, directory)).toMatchObject({
      imported: [],
      updated: [],
      skipped: [{ reason: 'ops/a.md has the same text already' }, { reason: 'ops/b.md has the same text already' }],
    })
    write(directory, { 'ops/b.md': named('b', 'You learnt.') })
    expect(await take(home, directory)).toMatchObject({ imported: [], updated: ['ops/b.md'] })
    expect(look(home, 'ops/b.md')).toContain('You learnt.')
  })

  it('keeps files apart that have the path of another pool’s, ours included', async () => {
    const home = join(freshFolder(), 'talent')
    await take(home, pool('first', { 'ops/a.md': named('a') }))
    const second = pool('second', {
      'ops/a.md': named('a', 'You are another.'),
      'engineering/sre.md': named('sre', 'You are another.'),
      'engineering/code-reviewer.md': readFileSync(join(bundled, 'engineering/code-reviewer.md')),
    })
    expect(await take(home, second)).toMatchObject({
      imported: ['engineering-second/sre.md', 'ops-second/a.md'],
      skipped: [
        { path: 'engineering/code-reviewer.md', reason: 'engineering/code-reviewer.md has the same text already' },
      ],
    })
    expect((await take(home, pool('second', { 'ops/a.md': named('a', 'A third.') }))).imported).toEqual([
      'ops-second-2/a.md',
    ])
    expect(look(home, 'ops/a.md')).toBe(named('a'))
    // A repeated import adds no duplicates.
    expect(await take(home, second)).toMatchObject({ imported: [], updated: [] })
    const talent = await openTalent({ folders: { ...talentFolders('/nowhere'), home }, log: noLog })
    expect(talent.pool().entries.filter((each) => each.name === 'a')).toHaveLength(3)
    await expect(talent.show('a')).rejects.toMatchObject({ code: 'conflict' })
    await expect(talent.show('ops-second/a')).resolves.toMatchObject({ division: 'ops-second' })
    expect(talent.pool().warnings).toEqual([])
  })

  it('imports the registry where the home has none, and refuses everything where it is invalid', async () => {
    const home = join(freshFolder(), 'talent')
    const row = (tier: string) => `roles: [{ ${tier}: t3, domain: Night, name: owl }]\n`
    const directory = pool('acme', { 'agents/ops/owl.md': named('owl'), 'config/role_registry.yaml': row('teer') })
    await expect(take(home, directory)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringMatching(/config\/role_registry\.yaml:1:11: a role has no "teer"/),
    })
    expect(existsSync(join(home, 'agents'))).toBe(false)
    write(directory, { 'config/role_registry.yaml': row('tier') })
    expect(await take(home, directory)).toMatchObject({ imported: ['ops/owl.md'], mapping: true })
    write(directory, { 'config/role_registry.yaml': `# changed\n${row('tier')}` })
    expect(await take(home, directory)).toMatchObject({
      mapping: false,
      skipped: expect.arrayContaining([
        { path: 'role_registry.yaml', reason: `this home has its own: ${join(home, 'role_registry.yaml')}` },
      ]),
    })
    const talent = await openTalent({ folders: { ...talentFolders('/nowhere'), home }, log: noLog })
    expect((await talent.map()).rows).toHaveLength(20)
  })

  it('refuses an empty folder, a huge folder and a missing folder', async () => {
    const home = join(freshFolder(), 'talent')
    const file = join(pool('acme', { 'x.txt': '' }), 'x.txt')
    await expect(take(home, '/no/such/folder')).rejects.toMatchObject({ code: 'not_found' })
    await expect(take(home, file)).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(take(home, dirname(file))).rejects.toMatchObject({ code: 'not_found', message: /no Markdown file/ })
    const many = Object.fromEntries(Array.from({ length: 5_001 }, (_, index) => [`ops/p${index}.md`, 'x']))
    await expect(take(home, pool('many', many))).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringContaining('more than 5000 Markdown files; nothing was imported'),
    })
    expect(existsSync(home)).toBe(false)
  })

  it('follows neither a division nor a project’s agents folder that is a link to elsewhere', async () => {
    const home = join(freshFolder(), 'talent')
    const elsewhere = freshFolder()
    mkdirSync(join(home, 'agents'), { recursive: true })
    symlinkSync(elsewhere, join(home, 'agents', 'ops'))
    await expect(take(home, pool('acme', { 'ops/a.md': named('a') }))).rejects.toMatchObject({ code: 'conflict' })
    expect([readdirSync(elsewhere), readdirSync(home)]).toEqual([[], ['agents']])
    const project = pool('project', { 'ops/b.md': named('b') })
    mkdirSync(join(project, '.claude'))
    symlinkSync(pool('other', { 'secret.md': named('secret') }), join(project, '.claude', 'agents'))
    expect((await take(join(freshFolder(), 'talent'), project)).imported).toEqual(['ops/b.md'])
  })

  it('is finished by the next process when it was committed, and removed when it was not', async () => {
    const home = join(freshFolder(), 'talent')
    write(home, {
      '.import-aaa/agents/ops/never.md': named('never'),
      '.decided-bbb/agents/ops/a.md': named('a', 'New.'),
      '.decided-bbb/agents/ops/b.md': named('b'),
      '.decided-bbb/sources.json': '{}',
      'agents/ops/a.md': named('a'),
    })
    // The earlier process had moved this file already.
    renameSync(join(home, '.decided-bbb/agents/ops/b.md'), join(home, 'agents/ops/b.md'))
    const talent = await openTalent({ folders: { ...talentFolders('/nowhere'), home }, log: noLog })
    expect(
      talent
        .pool()
        .entries.filter((each) => each.from === 'own')
        .map((each) => each.text),
    ).toEqual(['New.', 'You are b.'])
    expect(readdirSync(home).sort()).toEqual(['agents', 'sources.json'])
    await finishImports(home)
  })

  it.skipIf(otherFileSystem === undefined)(
    'reaches an agents folder that is a link to another file system, also for imports of an earlier process',
    async () => {
      const home = join(freshFolder(), 'talent')
      const elsewhere = mkdtempSync(join(otherFileSystem ?? '', 'agency-test-'))
      onTestFinished(() => rmSync(elsewhere, { recursive: true, force: true }))
      write(home, { '.decided-x/agents/ops/a.md': named('a') })
      write(elsewhere, { 'ops/a.md.importing': 'half of' })
      symlinkSync(elsewhere, join(home, 'agents'))
      const directory = pool('acme', { 'ops/b.md': named('b'), 'ops/c.md': named('c') })
      expect((await take(home, directory)).imported).toEqual(['ops/b.md', 'ops/c.md'])
      expect(readdirSync(join(elsewhere, 'ops')).sort()).toEqual(['a.md', 'b.md', 'c.md'])
      expect([look(home, 'ops/a.md'), look(home, 'ops/c.md')]).toEqual([named('a'), named('c')])
      expect(readdirSync(home).sort()).toEqual(['agents', 'sources.json'])
    },
  )

  it('is refused, and finished later, where committed files cannot be moved into place', async () => {
    const home = write(join(freshFolder(), 'talent'), { '.decided-x/agents/ops/a.md': named('a') })
    symlinkSync(join(home, 'gone'), join(home, 'agents'))
    await expect(take(home, pool('acme', { 'ops/b.md': named('b') }))).rejects.toMatchObject({
      code: 'store_unusable',
      message: expect.stringMatching(
        /cannot be written: .*; the import is committed, but some files are not in place/,
      ) as string,
    })
    mkdirSync(join(home, 'gone'))
    await finishImports(home)
    expect(look(home, 'ops/a.md')).toBe(named('a'))
  })

  it('takes effect at once, also for two concurrent imports', async () => {
    const talent = await openTalent({ folders: talentFolders(freshFolder()), log: noLog })
    const files = (name: string) => ({ 'ops/same.md': named('same', `From ${name}.`), [`ops/${name}.md`]: named(name) })
    await Promise.all(['one', 'two'].map((name) => talent.import(pool(name, files(name)))))
    const own = talent.pool().entries.filter((each) => each.from === 'own')
    expect(own.map((each) => each.path)).toEqual(['ops-two/same.md', 'ops/one.md', 'ops/same.md', 'ops/two.md'])
  })
})

describe('the pool of a team', () => {
  const open = () => openTalent({ folders: talentFolders(freshFolder()), log: noLog })

  it('takes precedence over ours and the home’s for that team alone, once prepared', async () => {
    const talent = await open()
    const path = pool('acme', {
      'agents/ops/sre.md': named('sre', 'You are the team’s.'),
      'role_registry.yaml': 'roles: [{ tier: t3, domain: Reliability, name: ops/sre }]',
    })
    const team = { path, registry: null }
    expect(talent.pool(team)).toBe(talent.pool())
    await talent.prepare(team)
    const wanted = { tier: 't3', domain: 'reliability' } as const
    expect(chooseEntry(talent.pool(team), wanted).entry).toMatchObject({ path: 'ops/sre.md', from: 'team' })
    expect(chooseEntry(talent.pool(team), { ...wanted, wanted: 'sre' }).entry.path).toBe('ops/sre.md')
    expect(chooseEntry(talent.pool(), wanted).entry.path).toBe('engineering/sre.md')
    write(path, { 'agents/ops/new.md': named('new') })
    await talent.reload()
    expect(isTalent(talent.pool(team), 'new')).toBe(true)
    const persona = { id: 9, slug: 'ops-sre-9', origin: 'pool' } as Persona
    expect(await talent.textOf(persona, team)).toBe('You are the team’s.')
    await expect(talent.textOf(persona)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('does not reveal its text of a shared file to another team', async () => {
    const talent = await open()
    const teams = ['acme', 'rival'].map((name) => ({
      path: pool(name, { 'engineering/sre.md': named('sre', `You are ${name}’s.`) }),
      registry: null,
    }))
    for (const team of teams) await talent.prepare(team)
    const persona = { id: 9, slug: 'engineering-sre-9', origin: 'pool' } as Persona
    const texts = await Promise.all([...teams, undefined].map((team) => talent.textOf(persona, team)))
    expect(texts).toEqual(['You are acme’s.', 'You are rival’s.', (await talent.show('sre')).text])
  })

  it('is dropped once its last run has ended, but not while that run is being created', async () => {
    const talent = await open()
    const [team, refused] = ['acme', 'rival'].map((name) => ({
      path: pool(name, { 'ops/sre.md': named('sre') }),
      registry: null,
    })) as [TeamTalent, TeamTalent]
    const isHeld = (each: TeamTalent) => talent.pool(each) !== talent.pool()
    for (const each of [team, refused]) await talent.prepare(each)
    talent.keepOnly([])
    talent.keepOnly([team])
    expect([isHeld(team), isHeld(refused)]).toEqual([true, true])
    await talent.prepare(team)
    talent.keepOnly([])
    expect(isHeld(team)).toBe(true)
    talent.keepOnly([team])
    talent.keepOnly([])
    expect([isHeld(team), isHeld(refused)]).toEqual([false, true])
    for (let look = 0; look < 200; look++) talent.keepOnly([])
    expect(isHeld(refused)).toBe(false)
    await talent.prepare(team)
    expect(isHeld(team)).toBe(true)
  })

  it('may consist of a registry alone', async () => {
    const talent = await open()
    const registry = join(pool('acme', { 'map.yaml': 'defaults: { t5: sre }' }), 'map.yaml')
    await talent.prepare({ path: null, registry })
    expect(chooseEntry(talent.pool({ path: null, registry }), { tier: 't5' }).entry.name).toBe('sre')
    await talent.prepare({ path: null, registry: null })
    expect(chooseEntry(talent.pool({ path: null, registry: null }), { tier: 't5' }).entry.name).toBe('code-reviewer')
  })

  it('is refused where it does not exist or its registry is invalid', async () => {
    const talent = await open()
    const path = pool('acme', { 'role_registry.yaml': 'rolls: []' })
    await expect(talent.prepare({ path, registry: null })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringMatching(/^talent\.path: .*role_registry\.yaml:1:1: the registry has no "rolls"/),
    })
    for (const [team, message] of [
      [{ path: 'pool', registry: null }, 'talent.path: must be an absolute path, not "pool"'],
      [{ path: '/no/pool', registry: null }, 'talent.path: there is no folder /no/pool'],
      [{ path: null, registry: '/no/map.yaml' }, 'talent.registry: /no/map.yaml cannot be read'],
    ] as const)
      await expect(talent.prepare(team)).rejects.toMatchObject({ code: 'invalid_input', message })
  })
})

it('offers a planner the candidates of a tier, specialists first, each by an unambiguous name', async () => {
  const talent = await openTalent({ folders: talentFolders(freshFolder()), log: noLog })
  await talent.import(pool('acme', { 'ops/sre.md': named('sre', 'Another.'), 'ops/owl.md': named('owl') }))
  const people = candidatesFor(talent.pool(), 't3')
  expect(Object.entries(people)).toEqual([
    ['sre', 'reliability'],
    ['senior-developer', 'backend'],
    ['owl', 'ops'],
    ['ops/sre', 'ops'],
  ])
})

describe('prompts', () => {
  it('lists those of every playbook, and the home’s own where it replaces one', async () => {
    const home = freshFolder()
    write(home, {
      'prompts/direct/plan.md': 'Mine',
      'prompts/direct/plam.md': 'Typo',
      'prompts/directt/plan.md': 'Typo',
    })
    const talent = await openTalent({ folders: talentFolders(home), log: noLog })
    const { prompts, warnings } = await talent.prompts()
    expect(prompts.filter((each) => each.playbook === 'direct').map(({ name, from }) => `${name} ${from}`)).toEqual([
      'brief bundled',
      'plan own',
      'review bundled',
      'verify bundled',
    ])
    expect(prompts.find((each) => each.from === 'own')?.path).toBe(join(home, 'prompts/direct/plan.md'))
    expect(warnings).toEqual([
      `${home}/prompts/direct/plam.md is not used: direct has no prompt of that name`,
      `${home}/prompts/directt is not used: unknown playbook "directt"`,
    ])
    for (const { path } of prompts) expect(existsSync(path)).toBe(true)
  })
})
