import { describe, expect, it } from 'vitest'

import { outputs as shapes } from '../../../playbooks/tiered/contract.ts'
import { makeLaunch, readAll } from '../contract-suite.ts'
import type { Launch, LaunchStep } from '../port.ts'
import type { StepInput } from './contract.ts'
import { createScriptedRuntime } from './runtime.ts'

const hosts = ['process', 'in-process'] as const
const saying = (text: string): { steps: StepInput[] } => ({ steps: [{ say: text }] })
const step = (fields: Partial<LaunchStep> = {}): LaunchStep => ({
  phase: 't4',
  key: 't4:api:main:queue',
  inputs: {},
  data: { workstream: 'api' },
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
  it('plays the most specific entry: task, squad, workstream, phase', async () => {
    const phases = {
      t4: saying('any'),
      't4:api': saying('of api'),
      't4:queue': saying('the queue'),
      t5: saying('judge'),
    }
    const playing = (fields: Partial<LaunchStep>) => play(host, { phases }, { step: step(fields) })
    expect(await playing({})).toEqual(['the queue'])
    expect(await playing({ key: 't4:api:main:other' })).toEqual(['of api'])
    expect(await playing({ key: 't4:web:main:other', data: { workstream: 'web' } })).toEqual(['any'])
  })

  it('fills in its inputs as values or within texts', async () => {
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

  it('verifies the second attempt at a task with other steps than the first', async () => {
    const phases = { 't5:queue': { attempts: [[{ say: 'fail' }], [{ say: 'pass: {{outputs}}' }]] } }
    const prompt = '# Verify\n\nx\n\n### Outputs\n\n- a.ts\n- b.ts\n'
    const judging = (attempt: number) =>
      play(
        host,
        { phases },
        { kind: 'verify', prompt, step: step({ phase: 't5', key: `verify:t4:api:main:queue:${attempt}` }) },
      )
    expect(await judging(1)).toEqual(['fail'])
    const opened = ['a.ts', 'b.ts'].map((path) => ({ path, sha256: 'computed' }))
    expect(await judging(2)).toEqual([`pass: ${JSON.stringify(opened)}`])
    expect(await judging(3)).toEqual([`pass: ${JSON.stringify(opened)}`])
  })
})

describe('a step without an entry in a scenario', () => {
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

  it.each(Object.keys(shapes) as (keyof typeof shapes)[])('delivers a valid %s', async (phase) => {
    const launch = await makeLaunch({ kind: 'plan', step: step({ phase, inputs: { ...inputs, ...more[phase] } }) })
    const events = await readAll(await createScriptedRuntime({ host: 'in-process' }).launch(launch))
    const report = events.find((event) => event.kind === 'report')?.report as { output: unknown; summary: string }
    expect(report.summary).toContain('simulated')
    const parsed = shapes[phase].safeParse(report.output)
    expect(parsed.error?.issues ?? []).toEqual([])
  })

  it('yields to the peer whose name sorts first, and never ignores a failing verdict', async () => {
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

  it('writes every file that is assigned to it', async () => {
    const launch = await makeLaunch({ step: step({ data: { files: ['src/a.ts', 'docs/b.md'] } }) })
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
