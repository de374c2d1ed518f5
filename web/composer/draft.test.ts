import { describe, expect, it } from 'vitest'

import type { RuntimeChoice } from '../../src/work/composer/contract.ts'
import { CreateRun, type Run } from '../../src/work/runs/contract.ts'
import type { Template } from '../../src/work/templates/contract.ts'
import {
  amountOf,
  type Draft,
  draftOfRun,
  emptyDraft,
  faultsOf,
  inputOf,
  withoutTemplate,
  withTemplate,
} from './draft.ts'
import { estimateText } from './estimate-line.tsx'
import { commandProof, fileProof, proofOf } from './proof.ts'

const runtime: RuntimeChoice = {
  name: 'coder',
  title: 'Coder',
  usable: true,
  simulated: false,
  offered: true,
  version: '2.1.0',
  reason: null,
  install: null,
  fields: [],
}
const program: RuntimeChoice = {
  ...runtime,
  name: 'program',
  fields: [{ name: 'command', label: 'Command', isCommand: true, isRequired: true, choices: null }],
}
const template: Template = {
  name: 'fix',
  title: 'Fix',
  description: '',
  ask: 'Which issue?',
  goal: 'Write a failing test first.',
  path: null,
  run: { costLimit: 2, evidence: [{ kind: 'command', run: 'npm test', expectExit: 0, timeoutSeconds: 120 }] },
  review: null,
  text: null,
}
const draft = (more: Partial<Draft> = {}): Draft => ({
  ...emptyDraft('key'),
  goal: 'A goal',
  runtime: 'coder',
  ...more,
})
const faults = (of: Draft, around: Partial<Parameters<typeof faultsOf>[1]> = {}) => [
  ...faultsOf(of, { runtime, template: null, ...around }).keys(),
]

describe('a template', () => {
  it('adds its instructions below the goal, and takes them away again', () => {
    const chosen = withTemplate(draft({ goal: 'The page hangs' }), template, null)
    expect(chosen).toMatchObject({ goal: 'The page hangs\n\nWrite a failing test first.', limit: '2', template: 'fix' })
    expect(chosen.proofs).toMatchObject([{ kind: 'command', text: 'npm test' }])
    const other = { ...template, name: 'other', goal: 'Keep it small.' }
    expect(withTemplate(chosen, other, template).goal).toBe('The page hangs\n\nKeep it small.')
    expect(withoutTemplate(chosen, template)).toMatchObject({ goal: 'The page hangs', template: null })
  })

  it('of another agent leaves no options of the earlier one behind', () => {
    const before = draft({ options: { command: ['sh', 'agent.sh'], model: 'small' }, fields: { command: 'sh x' } })
    const { runtime: chosen, options, fields } = withTemplate(before, { ...template, run: { runtime: 'other' } }, null)
    expect([chosen, options, fields]).toEqual(['other', {}, {}])
    const same = withTemplate(before, { ...template, run: { runtime: 'coder' } }, null)
    expect(same).toMatchObject({ options: before.options, fields: before.fields })
  })

  it('needs an answer to its question', () => {
    const chosen = withTemplate(draft({ goal: '' }), template, null)
    expect(faultsOf(chosen, { runtime, template }).get('goal')?.step).toBe('Which issue?')
    expect(faults({ ...chosen, goal: `The page hangs\n\n${template.goal}` }, { template })).toEqual([])
  })
})

describe('a draft', () => {
  it.each<[string, Partial<Draft>, string[]]>([
    ['an empty goal', { goal: ' \n' }, ['goal']],
    ['a goal of 20,001 characters', { goal: 'x'.repeat(20_001) }, ['goal']],
    ['a goal of 20,000 characters', { goal: 'x'.repeat(20_000) }, []],
    ['a limit of 0', { limit: '0' }, ['limit']],
    ['a limit in words', { limit: 'five' }, ['limit']],
    ['no limit', { limit: '' }, []],
    ['an empty proof', { proofs: [{ id: '1', kind: 'command', text: ' ' }] }, ['proof 1']],
  ])('with %s has its faults at their fields', (_, more, expected) => {
    expect(faults(draft(more))).toEqual(expected)
  })

  it('names the reason why its agent cannot run', () => {
    const missing = { ...runtime, usable: false, reason: 'program "coder" was not found' }
    expect(faultsOf(draft(), { runtime: missing, template: null }).get('runtime')?.cause).toBe(
      'Coder cannot run here: program "coder" was not found.',
    )
    expect(faults(draft(), { runtime: null })).toEqual(['runtime'])
  })

  it('needs the required options of its agent', () => {
    expect(faults(draft(), { runtime: program })).toEqual(['option command'])
    expect(faults(draft({ fields: { command: 'my-agent "open' } }), { runtime: program })).toEqual(['option command'])
    expect(faults(draft({ fields: { command: 'my-agent' } }), { runtime: program })).toEqual([])
  })

  it('shows the script of a program to the box of its agent, once', () => {
    const readable = (command: string, more: Draft['more'] = {}) =>
      inputOf(draft({ fields: { command }, more }), { runtime: program, repo: null }).readable
    expect(readable('sh /home/me/fix.sh --fast')).toEqual(['/home/me/fix.sh'])
    expect(readable('sh /home/me/fix.sh', { readable: ['/data', '/home/me/fix.sh'] })).toEqual([
      '/data',
      '/home/me/fix.sh',
    ])
    expect(readable('sh fix.sh')).toBeUndefined()
    expect(readable('my-agent /home/me/secret')).toBeUndefined()
  })

  it('becomes a request that the daemon accepts', () => {
    const full = draft({
      fields: { command: "my-agent --mode 'very careful'" },
      proofs: [commandProof(' npm test '), fileProof('out.txt'), proofOf({ kind: 'artifact' })],
      limit: '$5.50',
      askPlan: true,
      askResult: true,
      more: { base: 'main', mode: 'cautious', setup: 'make deps' },
    })
    const input = inputOf(full, { runtime: program, repo: '/a' })
    expect(CreateRun.parse(input)).toMatchObject({
      goal: 'A goal',
      runtime: 'program',
      runtimeOptions: { command: ['my-agent', '--mode', 'very careful'] },
      evidence: [{ kind: 'command', run: 'npm test' }, { kind: 'file', path: 'out.txt' }, { kind: 'artifact' }],
      costLimit: 5.5,
      repo: '/a',
      base: 'main',
      setup: 'make deps',
      mode: 'cautious',
      planGate: true,
      acceptance: 'operator',
    })
    // A branch and a setup belong to a repository.
    expect(inputOf(full, { runtime, repo: null })).not.toHaveProperty('base')
    expect(inputOf(full, { runtime, repo: null })).not.toHaveProperty('setup')
    // A team always asks for its plan, and accepts its own result.
    const team = inputOf({ ...full, team: true }, { runtime, repo: '/a' })
    expect(team).toMatchObject({ playbook: 'tiered' })
    expect(team).not.toHaveProperty('planGate')
    expect(team).not.toHaveProperty('acceptance')
  })

  it('takes the settings of an earlier run, and keeps evidence that the form cannot edit', () => {
    const exact = { kind: 'command', run: 'npm test', expectExit: 3, timeoutSeconds: 120 } as const
    const run = {
      goalAnchor: 'Before',
      playbook: 'direct',
      priority: 'medium',
      repository: { path: '/a', branch: 'main' },
      configuration: {
        runtime: 'coder',
        runtimeOptions: { model: 'm' },
        evidence: [exact],
        planGate: true,
        acceptance: 'auto',
        costLimit: null,
        tokenBudget: 1_000,
        mode: 'yolo',
        verify: 'auto',
        planner: false,
        onLimit: 'ask',
        retryBudget: 3,
      },
    } as unknown as Run
    const again = draftOfRun(run, 'next')
    expect(again).toMatchObject({ key: 'next', goal: 'Before', repo: '/a', askPlan: true, limit: '' })
    expect(inputOf(again, { runtime, repo: '/a' })).toMatchObject({
      evidence: [exact],
      runtimeOptions: { model: 'm' },
      tokenBudget: 1_000,
      base: 'main',
    })
  })
})

it.each([
  ['5', 5],
  ['$0.50', 0.5],
  [' 5.00 ', 5],
  ['5,00', null],
  ['-5', null],
  ['1e3', null],
  ['99999999', null],
])('reads %j as an amount of dollars', (text, expected) => {
  expect(amountOf(text)).toBe(expected)
})

it('says that there is no estimate, and names runs as its only basis', () => {
  const none = { runs: 0, simulated: false, minutes: null, tokens: null, usd: null }
  expect(estimateText(none)).toBe('No estimate yet: no run of this kind has completed here.')
  const range = (low: number, high: number) => ({ low, high })
  const known = { runs: 12, simulated: false, minutes: range(3, 6), tokens: range(1_000, 2_000), usd: range(0.4, 1.1) }
  expect(estimateText(known)).toBe('Likely 3–6 min, $0.40–$1.10 (from 12 runs here, without waits for you)')
  expect(estimateText({ ...known, usd: null })).toContain('1k–2k tokens, cost unknown: no prices')
  expect(estimateText({ ...known, usd: null, simulated: true })).toContain('from 12 simulated runs here')
})
