import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { createTestCli, type TestCli } from '../support/cli.ts'
import { openScreen, type Screen } from '../support/screen.ts'

let cli: TestCli
let screen: Screen
beforeEach(() => {
  cli = createTestCli()
  screen = openScreen(cli.words, { AGENCY_HOME: cli.home })
})
afterEach(async () => {
  screen.close()
  await cli.remove()
})
const shown = async (text: string | RegExp): Promise<void> => {
  await expect.poll(() => screen.read()).toMatch(text)
}

describe('a run that is followed on a terminal', () => {
  it('asks for the decision of each gate and goes on', async () => {
    screen.type(`agency run 'Write a poem' --runtime scripted --plan-gate --acceptance operator --watch`, 'Enter')
    await shown(/\[a\]pprove {2}\[r\]eject/)
    screen.type('r', 'Enter')
    await shown(/Reason, passed on/)
    screen.type('Enter')
    await shown(/a rejection needs a reason/)
    screen.type('a', 'Enter')
    await shown(/✓ Approved/)
    await shown(/gate acceptance/)
    screen.type('a', 'Enter')
    await shown(/DONE .*Write a poem|RUN +DONE/)
    await shown(/\$ *$/m)
    expect(screen.read()).not.toContain('✅')
    const { runs } = await cli.json<{ runs: { id: string; status: string }[] }>('runs', '--json')
    expect(runs[0]?.status).toBe('done')
    screen.type('clear; agency', 'Enter')
    await shown(/✓ nothing waits for you\n· no run is under way/)
    screen.type('clear; agency proof', 'Enter')
    await shown(new RegExp(`agency: ${runs[0]?.id}, the newest run: Write a poem`))
  })

  it('withdraws the question about a gate that was decided in another place', async () => {
    screen.type(`agency run 'Write a poem' --runtime scripted --plan-gate --watch`, 'Enter')
    await shown(/\[a\]pprove/)
    const { runs } = await cli.json<{ runs: { id: string }[] }>('runs', '--json')
    await cli.text('approve', runs[0]?.id ?? '')
    await shown(/DONE/)
    await shown(/\$ *$/m)
    expect(screen.read()).not.toMatch(/\[a\]pprove/)
  })

  it('offers the options of a question by number, and prints failures in red', async () => {
    screen.type(
      `agency run 'Write a poem' --runtime scripted --evidence '{"kind":"file","path":"poem.md","min_bytes":99999}' --watch`,
      'Enter',
    )
    await shown(/1–\d.* your own words, \[l\]ater/)
    expect(screen.read('colours')).toContain('\x1b[31mFAIL')
    screen.type('9', 'Enter')
    await shown(/no option 9/)
    const abandon = /^ *(\d) +Give up/m.exec(screen.read())?.[1]
    screen.type(abandon ?? 'l', 'Enter')
    await shown(/answered: Give up/)
  })
})

describe('a first team file', () => {
  it('is asked for on a terminal, and replaced only on demand', async () => {
    screen.type('cd "$AGENCY_HOME"; clear; agency init', 'Enter')
    await shown(/1 or 2, Enter for/)
    screen.type('2', 'Enter')
    await shown(/Enter for none: the agent plans too/)
    screen.type('Enter')
    await shown(/y\/N >/)
    screen.type('y', 'Enter')
    await shown(/✓ wrote team\.yaml; its check found no fault/)
    screen.type('clear; agency init', 'Enter')
    await shown(/team\.yaml exists already; use --force to replace it/)
    expect(readFileSync(join(cli.home, 'team.yaml'), 'utf8')).toContain('strict_mode: true')
  })
})

describe('a run that is composed on a terminal', () => {
  it('asks the questions that the template and the flags leave open', async () => {
    screen.type('agency new fix-issue --usd 5', 'Enter')
    await shown(/Which issue\? Paste it/)
    screen.type('The page hangs', 'Enter')
    await shown(/Repository \[/)
    screen.type('/nowhere', 'Enter')
    await shown(/the directory \/nowhere does not exist/)
    screen.type('none', 'Enter')
    await shown(/scripted {2}Simulated agent \(simulated: calls no model\)/)
    screen.type('scripted', 'Enter')
    await shown(/Proof, a command that must succeed \[none\]:/)
    screen.type('Enter')
    await shown(/Approve the plan before the work starts\? \[y\/N\]/)
    screen.type('Enter')
    await shown(/No estimate yet/)
    screen.type('Enter')
    await shown(/^run_\w{12}$/m)
    const { runs } = await cli.json<{ runs: { goal_anchor: string }[] }>('runs', '--json')
    expect(runs.map((run) => run.goal_anchor)).toEqual([
      expect.stringMatching(/^The page hangs\n\nReproduce the issue with a test that fails first\./),
    ])
    screen.type('clear; agency new --list', 'Enter')
    await shown(/fix-issue +Fix an issue +built in/)
    screen.type('clear; agency new fix-isue', 'Enter')
    await shown(/no template "fix-isue"; did you mean "fix-issue"\?/)
  })
})
