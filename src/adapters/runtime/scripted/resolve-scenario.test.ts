import { describe, expect, it } from 'vitest'

import { outputs as shapes } from '../../../playbooks/tiered/contract.ts'
import { makeLaunch, readAll } from '../contract-suite.ts'
import type { Launch, LaunchStep } from '../port.ts'
import type { StepInput } from './contract.ts'
import { createScriptedRuntime } from './runtime.ts'

const hosts = ['process', 'in-process'] as const
const said = (text: string): { steps: StepInput[] } => ({ steps: [{ say: text }] })
const step = (fields: Partial<LaunchStep> = {}): LaunchStep => ({
  phase: 't4',
  workstream: 'api',
  key: 't4:api:main:queue',
  inputs: {},
  files: [],
  ...fields,
})

async function play(host: (typeof hosts)[number], scenario: unknown, fields: Partial<Launch>): Promise<unknown[]> {
  const launch = await makeLaunch({ ...(scenario === undefined ? {} : { options: { scenario } }), ...fields })
  const events = await readAll(await createScriptedRuntime({ host }).launch(launch))
  return events.flatMap((event) =>
    event.kind === 'text' ? [event.text] : event.kind === 'report' ? [event.report] : [],
  )
}

describe.each(hosts)('a step of a playbook, in the host "%s"', (host) => {
  it('plays what fits it best: its task, its squad, its workstream, its phase', async () => {
    const phases = { t4: said('any'), 't4:api': said('of api'), 't4:queue': said('the queue'), t5: said('judge') }
    const playing = (fields: Partial<LaunchStep>) => play(host, { phases }, { step: step(fields) })
    expect(await playing({})).toEqual(['the queue'])
    expect(await playing({ key: 't4:api:main:other' })).toEqual(['of api'])
    expect(await playing({ key: 't4:web:main:other', workstream: 'web' })).toEqual(['any'])
  })

  it('hands over what it was given, as a value or within a text', async () => {
    const output = {
      plan: '{{inputs.plan}}',
      first: 'Run {{inputs.run_id}} of {{workstream}}',
      missing: '{{inputs.none.of}}',
    }
    const phases = { t1_critique: { steps: [{ report: { summary: 'x', output, via: 'stdout' } }] } }
    const inputs = { plan: { workstreams: ['a'] }, run_id: 'run_1' }
    expect(await play(host, { phases }, { kind: 'plan', step: step({ phase: 't1_critique', inputs }) })).toEqual([
      { status: 'done', summary: 'x', outputs: [], output: { plan: inputs.plan, first: 'Run run_1 of api' } },
    ])
  })

  it('judges the second attempt at a task otherwise than the first, though by somebody new', async () => {
    const phases = { 't5:queue': { attempts: [[{ say: 'fail' }], [{ say: 'pass: {{outputs}}' }]] } }
    const prompt = '# Verify\n\nx\n\n### Outputs\n\n- a.ts\n- b.ts\n'
    const judging = (attempt: number) =>
      play(
        host,
        { phases },
        { kind: 'verify', prompt, step: step({ phase: 't5', key: `verify:t4:api:main:queue:${attempt}` }) },
      )
    expect(await judging(1)).toEqual(['fail'])
    expect(await judging(2)).toEqual(['pass: ["a.ts","b.ts"]'])
    expect(await judging(3)).toEqual(['pass: ["a.ts","b.ts"]'])
  })
})

describe('a step that no scenario speaks of', () => {
  const plan = { workstreams: [{ id: 'api', domain: 'backend', tier_path: ['t2', 't3', 't4', 't5'] }] }
  const result = { verifier_id: 'v', scope: 'queue', verdict: 'pass', issues: [], notes: '' }
  const inputs: LaunchStep['inputs'] = {
    run_id: 'run_1',
    goal_anchor: 'Build it',
    plan: { run_id: 'run_1', goal_anchor: 'Build it', complexity: 'low', retry_budget_multiplier: 1, ...plan },
    workstreams: ['api'],
    squad: { id: 'main', name: 'Main', scope: 'all' },
    t5_results: [result, { ...result, scope: 'retry', verdict: 'fail' }],
  }

  it.each(Object.keys(shapes) as (keyof typeof shapes)[])('hands over a %s that has its shape', async (phase) => {
    const launch = await makeLaunch({ kind: 'plan', step: step({ phase, inputs: { ...inputs, ...more[phase] } }) })
    const events = await readAll(await createScriptedRuntime({ host: 'in-process' }).launch(launch))
    const report = events.find((event) => event.kind === 'report')?.report as { output: unknown; summary: string }
    expect(report.summary).toContain('simulated')
    const parsed = shapes[phase].safeParse(report.output)
    expect(parsed.error?.issues ?? []).toEqual([])
  })

  it('gives way to the peer whose name comes first, and never passes over a failing verdict', async () => {
    const tasks = [{ id: 'queue' }, { id: 'retry' }]
    const overlaps = [
      { task: 'retry', with: 'api/first' },
      { task: 'queue', with: 'web/main' },
    ]
    const mesh = step({ phase: 't3_mesh', inputs: { tasks, overlaps, squad: { id: 'main' } } })
    expect(await play('in-process', undefined, { kind: 'plan', step: mesh })).toMatchObject([
      expect.any(String),
      { output: { tasks: [{ id: 'queue' }] } },
    ])
    expect(
      await play('in-process', undefined, { kind: 'plan', step: step({ phase: 't3_verdict', inputs }) }),
    ).toMatchObject([expect.any(String), { output: { joint_verdict: 'partial', failed_scopes: ['retry'] } }])
  })

  it('writes every file that is its own', async () => {
    const launch = await makeLaunch({ step: step({ files: ['src/a.ts', 'docs/b.md'] }) })
    await readAll(await createScriptedRuntime({ host: 'in-process' }).launch(launch))
    expect(await launch.workspace.read('src/a.ts', 100)).not.toBeNull()
    expect(await launch.workspace.read('docs/b.md', 100)).not.toBeNull()
  })

  const task = { id: 'queue', title: 'Queue', scope: 'queue', objective: 'Write it' }
  const more: Partial<Record<keyof typeof shapes, LaunchStep['inputs']>> = {
    t1_critique: {
      plan: {
        ...(inputs['plan'] as object),
        workstreams: [{ id: 'a', name: 'A', domain: 'x', tier_path: ['t4', 't5'], parallel_group: 'g' }],
        parallelism: { groups: { g: ['a'] }, sequence: ['g'] },
      },
    },
    t3_mesh: { tasks: [task] },
  }
})
