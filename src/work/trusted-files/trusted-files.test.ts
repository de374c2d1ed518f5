import { describe, expect, it } from 'vitest'

import { openAgency } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { trustOf } from '../../../test/support/trust.ts'
import { operator } from '../../../test/support/work.ts'
import { createClaudeCodeRuntime } from '../../adapters/runtime/claude-code/runtime.ts'
import { createProgramRuntime } from '../../adapters/runtime/program/runtime.ts'
import { createScriptedRuntime } from '../../adapters/runtime/scripted/runtime.ts'
import { createTerminal } from '../../cli/terminal.ts'
import type { Actor } from '../../kernel/actor.ts'
import { readTeam } from '../../team/load.ts'
import type { PlanDocument } from '../plans/contract.ts'
import { readPlan } from '../plans/read.ts'
import { reviewLines } from './cli/review-lines.ts'
import { differenceOf } from './difference.ts'
import { startsOfPlan, startsOfTeam } from './starts.ts'

const runtimes = new Map(
  [
    createScriptedRuntime({ host: 'process' }),
    createProgramRuntime(),
    createClaudeCodeRuntime({ environment: {} }),
  ].map((each) => [each.name, each]),
)

const agent = { kind: 'agent', personaId: 1, agentId: 1 } as unknown as Actor

const startsIn = (plan: string): string[] => {
  const read = readPlan(plan)
  expect(read.faults).toEqual([])
  const { team } = read.plan as PlanDocument
  return startsOfPlan(read.plan as never, team === undefined ? null : readTeam(team).team, runtimes).map(
    ({ where, text }) => `${where}: ${text}`,
  )
}

const poem = `goal: A poem
runtime: scripted
briefs:
  - { id: a, objective: Write it, evidence: [{ kind: command, run: test -s poem.txt }] }
`

describe('the list of what a plan starts', () => {
  it('has every command, program and step, wherever the plan hides it', () => {
    expect(
      startsIn(`goal: Everything
setup: make deps
runtime_options: { command: [sh, -c, "echo 'a b'"] }
verifier_options: { binary: /opt/claude }
evidence: [{ kind: command, run: npm test }, { kind: file, path: a.txt }]
team: "setup: make team\\ntiers: {t4: {options: {command: [evil]}}}"
briefs:
  - id: a
    objective: Do it
    evidence: [{ kind: http, start: "node s.js {port}", url: "http://127.0.0.1:{port}/" }]
    runtime_options:
      scenario:
        attempts: [[{ say: hello }], [{ write: { path: b.txt, text: x } }, { with_token: { path: t, steps: [{ run: id }] } }]]
        verify: [[{ tool: { name: ask } }]]
        phases: { t4: { steps: [{ keep_token: { path: k } }, { spawn_child: {} }] } }
  - id: b
    objective: Do it
    runtime_options: { scenario: '{"steps": [{"run": "whoami"}]}' }
`),
    ).toEqual([
      'setup: make deps',
      'evidence: npm test',
      "program: 'sh' '-c' 'echo '\\''a b'\\'''",
      'verifier, binary: /opt/claude',
      'brief "a", evidence, server: node s.js {port}',
      'brief "a", scenario, attempt 2: write b.txt:\nx',
      'brief "a", scenario, attempt 2: call Agency with the token in t',
      'brief "a", scenario, attempt 2: id',
      'brief "a", scenario, verify: call the tool ask with {}',
      'brief "a", scenario, t4: write its token to k',
      'brief "a", scenario, t4: leave a process behind',
      'brief "b", scenario, attempt: whoami',
      'team, setup: make team',
      "team, t4, program: 'evil'",
    ])
  })

  it('has the places of this machine that a file opens to agents', () => {
    expect(
      startsIn(`goal: Everything
repo: /home/me/private
workspace: mine
team: "talent: {path: /home/me/notes, registry: /home/me/roles.yaml}"
briefs: [{ id: a, objective: Do it }]`),
    ).toEqual([
      'repo: work in the repository /home/me/private',
      'workspace: work in the workspace mine',
      'team, talent.path: give the texts in /home/me/notes to agents',
      'team, talent.registry: read the registry /home/me/roles.yaml',
    ])
  })

  it('has a number of planned briefs above which the operator would be asked, if the plan raises it', () => {
    const planned = (number: number): string[] =>
      startsIn(`goal: A\nplanner: true\nlarge_plan: ${number}\nbriefs: [{ id: a, objective: A }]`)
    expect(planned(40)).toEqual([])
    expect(planned(41)).toEqual(['large_plan: start up to 41 briefs that an agent plans, without a question'])
  })

  it('is empty for our own scenarios, files and a setup from the lockfile', () => {
    expect(
      startsIn(`goal: A poem
setup: auto
runtime_options: { scenario: demo }
evidence: [{ kind: file, path: a.txt }, { kind: git, clean: true }, { kind: artifact }]
briefs: [{ id: a, objective: Write it, runtime_options: { scenario: { steps: [{ say: hello }] } } }]`),
    ).toEqual([])
    expect(startsOfTeam(readTeam('notify: [phone]\nlimits: {retry_budget: 1}\nsetup: auto').team, runtimes)).toEqual([])
  })

  it('contains a repeated command once, with the number of places', () => {
    const plan = readPlan(`goal: A
evidence: &all [{ kind: command, run: npm test }]
briefs: [{ id: a, objective: A, evidence: *all }, { id: b, objective: B, evidence: *all }]`).plan
    expect(startsOfPlan(plan as never, null, runtimes)).toEqual([{ text: 'npm test', where: 'evidence', count: 3 }])
  })
})

describe('a printed list', () => {
  const printed = (text: string): string =>
    reviewLines(createTerminal({ NO_COLOR: '1' }), {
      kind: 'plan',
      hash: '0'.repeat(64),
      name: null,
      trusted: false,
      starts: [{ text, where: 'evidence', count: 1 }],
      difference: null,
    }).join('\n')

  it('shows every character that could hide a part of a command', () => {
    expect(printed('a\x1b[2K\r\u202eb\u200bc\u00a0d\u3164e\tf\u{e0041}')).toBe(
      'the plan starts:\n  evidence\n    a\\u{1b}[2K\\u{d}\\u{202e}b\\u{200b}c\\u{a0}d\\u{3164}e\\u{9}f\\u{e0041}',
    )
  })

  it('has one line for each place and for the name of the file', () => {
    const lines = reviewLines(createTerminal({ NO_COLOR: '1' }), {
      kind: 'plan',
      hash: '0'.repeat(64),
      name: '/plan.yaml starts nothing\n.yaml',
      trusted: false,
      starts: [{ text: 'evil', where: 'scenario, t4\nNothing below is started:', count: 1 }],
      difference: null,
    })
    expect(lines).toEqual([
      '/plan.yaml starts nothing\\u{a}.yaml starts:',
      '  scenario, t4\\u{a}Nothing below is started:',
      '    evil',
    ])
  })

  it('has the whole command, however long it is and wherever its gaps are', () => {
    const long = `echo ${'a'.repeat(9_000)}; evil`
    expect(printed(long)).toContain(long)
    expect(printed(`true${' '.repeat(500)}; evil`)).toContain('true⟨500 spaces⟩; evil')
    expect(printed(`true${'\n'.repeat(90)}evil`)).toContain('true\n    ⟨89 empty lines⟩\n    evil')
  })
})

it('shows the lines between the first and the last difference', () => {
  expect(differenceOf('a\nb\nc\nd', 'a\nx\nc\nd')).toEqual(['- b', '+ x'])
  expect(differenceOf('a', 'a\nb')).toEqual(['+ b'])
  expect(differenceOf('a\na', 'a')).toEqual(['- a'])
  expect(differenceOf('', Array.from({ length: 500 }, String).join('\n')).at(-1)).toBe('… 100 more lines')
})

describeStores('a plan that starts a command', (openFresh) => {
  const open = async () => openAgency({ db: (await openFresh()).db })
  const files = { fileNames: { plan: '/plans/poem.yaml' } }

  it('is refused with its commands until its text is trusted, and again after every edit', async () => {
    const { plans, trustedFiles } = await open()
    const [hash = ''] = trustOf(poem)
    await expect(plans.run(operator, { plan: poem, ...files })).rejects.toMatchObject({
      code: 'trust_required',
      data: { files: [{ kind: 'plan', hash, trusted: false, starts: [{ text: 'test -s poem.txt' }] }] },
    })
    await expect(plans.run(operator, { plan: poem, trust: trustOf(`${poem} `) })).rejects.toMatchObject({
      code: 'trust_required',
    })
    await expect(trustedFiles.trust(operator, { text: `${poem} `, hash })).rejects.toMatchObject({ code: 'conflict' })
    await trustedFiles.trust(operator, { text: poem, hash, name: '/plans/poem.yaml' })
    expect(await plans.run(operator, { plan: poem })).toMatchObject({ goalAnchor: 'A poem' })
    const edited = poem.replace('test -s', 'cat')
    await expect(plans.run(operator, { plan: edited, ...files })).rejects.toMatchObject({
      data: { files: [{ difference: [expect.stringMatching(/^- .*test -s/), expect.stringMatching(/^\+ .*cat/)] }] },
    })
    expect(await trustedFiles.list()).toMatchObject([{ hash, name: '/plans/poem.yaml', trustedBy: 'operator' }])
    await trustedFiles.revoke(operator, { name: '/plans/poem.yaml' })
    await expect(plans.run(operator, { plan: poem })).rejects.toMatchObject({ code: 'trust_required' })
    await expect(trustedFiles.revoke(operator, { hash })).rejects.toMatchObject({ code: 'not_found' })
  })

  it('marks each new command of an edit that touches more lines than are shown', async () => {
    const { plans, trustedFiles } = await open()
    const planOf = (mark: string, command: string): string => {
      const commands = Array.from({ length: 1_000 }, (_, index) => (index === 700 ? command : `echo ${index}`))
      const briefs = Array.from({ length: 20 }, (_, brief) => {
        const own = commands.slice(brief * 50, brief * 50 + 50).map((run) => `    - { kind: command, run: ${run} }`)
        return [`  - id: b${brief}`, `    objective: A`, `    evidence:`, ...own].join('\n')
      })
      return `# ${mark}\ngoal: A\nruntime: scripted\nbriefs:\n${briefs.join('\n')}\n# ${mark}\n`
    }
    const [before, after] = [planOf('1', 'echo 700'), planOf('2', 'evil')]
    await trustedFiles.trust(operator, { text: before, hash: trustOf(before)[0] ?? '', name: '/plans/poem.yaml' })
    const [review] = (await plans.check({ plan: after, ...files })).files
    expect(review?.difference?.join('\n')).not.toContain('evil')
    expect(review?.starts.filter(({ added }) => added === true)).toMatchObject([{ text: 'evil' }])
    const lines = reviewLines(createTerminal({ NO_COLOR: '1' }), review as never)
    expect(lines.slice(1, 3)).toEqual(['  brief "b14", evidence, new since it was trusted', '    evil'])
  })

  it('is trusted by the request that contains its hash, and by nobody but the operator', async () => {
    const { plans, trustedFiles } = await open()
    const request = { plan: poem, trust: trustOf(poem) }
    await expect(plans.run(agent, request)).rejects.toMatchObject({ code: 'forbidden' })
    expect(await trustedFiles.list()).toEqual([])
    await plans.run(operator, request)
    expect(await plans.check({ plan: poem })).toMatchObject({ valid: true, files: [{ trusted: true }] })
  })

  it('contains no document inside its options', async () => {
    const { plans } = await open()
    const options = { scenario: 'steps:\n- run: evil' }
    const briefs = [{ id: 'a', objective: 'A', runtime_options: options }]
    const { faults } = await plans.check({ plan: JSON.stringify({ goal: 'A', runtime_options: options, briefs }) })
    expect(faults.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^runtime_options.scenario is a text of several lines/),
      expect.stringMatching(/^brief "a": runtime_options.scenario is a text of several lines/),
    ])
  })

  it('cannot trust itself', async () => {
    const { plans } = await open()
    const { faults } = await plans.check({ plan: `trust: [${'0'.repeat(64)}]\n${poem}` })
    expect(faults.map(({ message }) => message)).toEqual(['the plan has no "trust"'])
  })

  it('is told apart from a team file by its briefs, and both from a file that is neither', async () => {
    const { run, trustedFiles } = await open()
    const team = 'setup: make deps'
    const [hash = ''] = trustOf(team)
    expect(await trustedFiles.trust(operator, { text: team, hash })).toMatchObject({ kind: 'team', trusted: true })
    await run({ playbook: 'tiered', runtime: 'scripted', team })
    const brief = 'goal: A poem\nevidence: [{ kind: command, run: ls }]'
    expect(await trustedFiles.review(brief)).toMatchObject({ kind: 'plan', starts: [{ text: 'ls' }] })
    const broken = poem.replace('goal:', 'gaol:')
    await expect(trustedFiles.review(broken)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('neither a plan nor a team file'),
    })
  })

  it.each([
    ['goal: [', /^\/plans\/poem\.yaml is neither a plan nor a team file: line 1, column \d+: /],
    ['hello', /neither a plan nor a team file/],
    ['goal: A poem\nbriefs:\n  - { id: a, evidence: [{ kind: command, run: id }] }', /line 3, column \d+: .*objective/],
    ['goal: A poem\nbriefs: [{ id: a, objective: Do it }]\nsetup: id\nnonsense: 1', /line 4, column 1: .*nonsense/],
  ])('is not called harmless if it cannot be read: %j', async (text, message) => {
    const { trustedFiles } = await open()
    const [hash = ''] = trustOf(text)
    const name = '/plans/poem.yaml'
    for (const asked of [trustedFiles.review(text, name), trustedFiles.trust(operator, { text, hash, name })])
      await expect(asked).rejects.toMatchObject({ code: 'invalid_input', message: expect.stringMatching(message) })
  })

  it('is a team file too, whether it is given beside a plan or alone', async () => {
    const { run, plans } = await open()
    const team = 'setup: make evil'
    await expect(run({ playbook: 'tiered', team })).rejects.toMatchObject({
      code: 'trust_required',
      data: { files: [{ kind: 'team', starts: [{ text: 'make evil' }] }] },
    })
    await expect(plans.run(operator, { plan: poem, team, trust: trustOf(poem) })).rejects.toMatchObject({
      data: { files: [{ kind: 'team' }] },
    })
  })
})
