import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createTestCli, type TestCli } from '../support/cli.ts'

/** The command line from the bundle, as in an installation. */
let cli: TestCli
beforeAll(async () => {
  cli = createTestCli()
  await cli.text('up')
})
afterAll(() => cli.remove())

const lines = (text: string): string[] => text.trimEnd().split('\n')

describe('agency talent', () => {
  it('lists the starter set, also by tier and by division', async () => {
    const [titles, ...rows] = lines(await cli.text('talent', 'list'))
    expect(titles).toMatch(/^NAME +DIVISION +TIERS +CAPABILITY +FROM +DOMAINS$/)
    expect(rows.length).toBeGreaterThanOrEqual(17)
    const { entries } = await cli.json<{ entries: { name: string }[] }>('talent', 'list', '--tier', 't3', '--json')
    expect(entries.map((each) => each.name)).toEqual(['senior-developer', 'sre'])
    expect(lines(await cli.text('talent', 'list', '--division', 'testing'))).toHaveLength(4)
    expect((await cli.run('talent', 'list', '--tier', 't6')).code).toBe(2)
  })

  it('shows the five fields and the text of an entry, and explains an unknown name', async () => {
    const shown = lines(await cli.text('talent', 'show', 'engineering-sre'))
    expect(shown.slice(0, 5)).toEqual([
      'name: sre',
      'division: engineering',
      'tiers: [t3]',
      'domains: [reliability]',
      'capability: capable',
    ])
    expect(shown).toContain('# Site reliability engineer')
    expect(await cli.run('talent', 'show', 'srre')).toMatchObject({
      code: 3,
      err: expect.stringContaining('Did you mean "sre"?'),
    })
  })

  it('prints the cast in nineteen rows', async () => {
    const [titles, ...rows] = lines(await cli.text('talent', 'map'))
    expect(titles).toMatch(/^TIER +DOMAIN +NAME +FROM$/)
    expect(rows).toHaveLength(19)
    expect(rows[13]).toMatch(/^t4 +Docs +technical-writer +bundled$/)
  })

  it('imports a folder, counts and lists skipped files, and distinguishes entries with the same name', async () => {
    const project = join(cli.home, 'shop')
    mkdirSync(join(project, '.claude', 'agents'), { recursive: true })
    writeFileSync(join(project, '.claude/agents/baker.md'), '---\nname: baker\ntools: Read\n---\nYou bake.')
    writeFileSync(join(project, '.claude/agents/empty.md'), '')
    const printed = await cli.text('talent', 'import', project)
    expect(lines(printed)).toEqual([
      'imported shop/baker.md',
      'skipped empty.md: it is empty',
      '1 imported, 0 updated, 1 skipped',
    ])
    expect(await cli.text('talent', 'show', 'baker')).toContain('You bake.')
    mkdirSync(join(cli.home, 'other', 'kitchen'), { recursive: true })
    writeFileSync(join(cli.home, 'other/kitchen/baker.md'), 'You bake otherwise.')
    await cli.text('talent', 'import', join(cli.home, 'other'))
    expect(await cli.run('talent', 'show', 'baker')).toMatchObject({
      code: 4,
      err: expect.stringContaining('kitchen/baker.md, shop/baker.md'),
    })
    expect((await cli.run('talent', 'import', '/no/such/folder')).code).toBe(3)
  })

  it('warns of a file that cannot be used, and continues', async () => {
    writeFileSync(join(cli.home, 'talent/agents/shop/broken.md'), '---\nname: broken\n')
    const { code, out, err } = await cli.run('talent', 'list')
    expect([code, err]).toEqual([0, 'warning: shop/broken.md (own): its front matter has no end\n'])
    expect(out).toContain('baker')
  })

  it('lists the prompts of playbooks with their origin', async () => {
    mkdirSync(join(cli.home, 'prompts', 'direct'), { recursive: true })
    writeFileSync(join(cli.home, 'prompts/direct/plan.md'), 'Mine.')
    const rows = lines(await cli.text('talent', 'prompts'))
    expect(rows.some((row) => /^direct +plan +own /.test(row))).toBe(true)
    for (const name of 't1_plan t1_critique t1_accept t2_lead t2_specialist t2_synthesis t2_conflict'.split(' '))
      expect(rows.some((row) => new RegExp(`^tiered +${name} +bundled `).test(row))).toBe(true)
    for (const name of 't3_plan t3_mesh t3_verdict t4 t5'.split(' '))
      expect(rows.some((row) => new RegExp(`^tiered +${name} +bundled `).test(row))).toBe(true)
  })
})
