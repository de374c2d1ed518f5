import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import { createOrgCli, type OrgCli } from '../support/org-cli.ts'

const open = (): OrgCli => {
  const cli = createOrgCli()
  onTestFinished(() => cli.remove())
  return cli
}
const sixSeats = `Development (software-development-development-1)
├─ Principal Architect Robbo (architect-robbo-3)  L1, architect
│  └─ Project Manager [vacant]  L2, pm
│     ├─ Senior Developer [vacant]  L3, developer  ⇢ escalates to Principal Architect
│     ├─ Developer [vacant]  L3, developer
│     └─ QA Lead [vacant]  L3, qa  ⇢ escalates to Principal Architect
└─ AR Director [vacant]  L1, ar-director, cross-cutting  ⇢ escalates to Principal Architect
`

describe('a home', () => {
  it('started with the demonstration keeps its organisation across a restart', async () => {
    const org = open()
    await org.text('up', '--demo')
    expect(await org.text('org', 'tree', '--org', 'development')).toBe(sixSeats)
    const card = await org.ask<{ persona_id: number; cards: object[] }>('whoami', '--persona-slug', 'architect-robbo-3')
    expect(card).toMatchObject({
      persona_id: 3,
      cards: [{ position_id: 1, direct_reports: ['Project Manager (vacant)'] }],
    })
    expect(readFileSync(join(org.home, 'data/personas/ar-director-paula-7/skill.md'), 'utf8')).toContain('# Paula')
    await org.text('org', 'position', 'remove', '--position-id', '6')
    await org.text('down')
    await org.text('up', '--demo')
    expect(await org.text('org', 'tree', '--org', 'development')).not.toContain('QA Lead')
  })

  it('started empty stays empty until an import, and exports the imported document byte for byte', async () => {
    const [here, there] = [open(), open()]
    await here.text('up', '--demo')
    await there.text('up', '--no-seed')
    expect(await there.ask('list', '--all')).toEqual({ organisations: [] })
    await there.text('down')
    expect(await there.ask('list', '--all')).toEqual({ organisations: [] })
    const { code, err } = await there.run('run', 'Do it', '--playbook', 'direct', '--runtime', 'scripted')
    expect([code, err.split('\n')[0]]).toEqual([3, 'error: no organisation "1"'])
    const text = await here.text('org', 'export', '--org', 'development')
    const file = there.file('development.yaml', text)
    await there.text('org', 'import', '--file', file)
    expect(await there.text('org', 'export', '--org', 'development')).toBe(text)
    expect(await there.text('org', 'import', '--file', file, '--preview')).toBe('no changes\n')
    expect(existsSync(join(there.home, 'data/personas/architect-robbo-3/skill.md'))).toBe(true)
    expect((await there.run('run', 'Do it', '--playbook', 'direct', '--runtime', 'scripted')).code).toBe(0)
  })

  it('rejects a start that is both empty and with the demonstration', async () => {
    const { code, err } = await open().run('up', '--demo', '--no-seed')
    expect([code, err]).toEqual([2, expect.stringContaining('error: --demo and --no-seed exclude each other')])
  })
})
