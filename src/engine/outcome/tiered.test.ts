import { createHash } from 'node:crypto'

import { describe, expect, it } from 'vitest'

import { openAgency, work } from '../../../test/support/agency.ts'
import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'

it('goes from a goal to an accepted result, and no tier below T1 starts before the plan is approved', async () => {
  const agency = await openAgency()
  await agency.engine.start()
  const run = await agency.run({ goal: 'Build a webhook ingestion system', playbook: 'tiered', runtimeOptions: {} })
  const gate = await agency.until(async () => (await agency.gates.ofRun(run.id)).gates[0])
  expect(gate).toMatchObject({ gate: 't1_plan', status: 'pending' })
  const tiersOf = async () => new Set((await agency.inspect(run)).briefs.map((brief) => brief.capKey))
  expect([...(await tiersOf())]).toEqual(['t1'])
  await agency.gates.approve(operator, { target: gate.id })
  expect((await agency.settled(run)).status).toBe('done')
  expect([...(await tiersOf())].toSorted()).toEqual(['t1', 't3', 't4', 't5'])
  const { verdicts, briefs } = await agency.inspect(run)
  const tasks = briefs.filter((brief) => brief.capKey === 't4')
  expect(tasks.map((brief) => brief.status)).toEqual(tasks.map(() => 'done'))
  for (const brief of tasks)
    expect(verdicts).toContainEqual(
      expect.objectContaining({ briefId: brief.id, attempt: brief.attempts, verdict: 'pass' }),
    )
})

it('verifies work with the options of T5, not with those of the doer', async () => {
  const agency = await openAgency()
  await agency.engine.start()
  const verdict = { verdict: 'pass', checked: ['everything'] }
  const judge = {
    scenario: { attempts: [work], verify: [[{ report: { status: 'done', summary: 'Good.', verdict } }]] },
  }
  const team = JSON.stringify({ runtime: { coding_agent: 'scripted' }, tiers: { t5: { options: judge } } })
  const trust = [createHash('sha256').update(team).digest('hex')]
  const run = await agency.run({ playbook: 'tiered', runtimeOptions: {}, team, trust })
  const gate = await agency.until(async () => (await agency.gates.ofRun(run.id)).gates[0])
  await agency.gates.approve(operator, { target: gate.id })
  const verifiers = await agency.until(async () => {
    const found = (await agency.inspect(run)).briefs.filter(({ capKey: tier }) => tier === 't5')
    return found.length > 0 && found
  })
  expect(verifiers[0]).toMatchObject({ runtime: 'scripted', runtimeOptions: judge })
})

describe('a verifier of a task', () => {
  const planOf = (...ids: readonly string[]): { steps: StepInput[] } => ({
    steps: [
      {
        report: {
          output: {
            run_id: '{{inputs.run_id}}',
            goal_anchor: '{{inputs.goal_anchor}}',
            complexity: 'low',
            retry_budget_multiplier: 1,
            workstreams: ids.map((id) => ({
              id,
              name: id,
              domain: 'docs',
              tier_path: ['t4', 't5'],
              parallel_group: 'A',
              t2_specialist: null,
              notes: '',
              evidence_required: [{ kind: 'artifact' }],
            })),
            parallelism: { groups: { A: ids }, sequence: ['A'] },
            self_critique_summary: '',
          },
        },
      },
    ],
  })
  const writes = (path: string): StepInput[] => [
    { write: { path, text: `${path}\n` } },
    { report: { summary: `wrote ${path}`, outputs: [path] } },
  ]
  const judges = (verdict: 'pass' | 'fail'): StepInput[] => [
    { report: { verdict: { verdict, checked: '{{outputs}}', issues: verdict === 'pass' ? [] : ['another name'] } } },
  ]

  async function played(ids: readonly string[], t4: readonly StepInput[][], t5: readonly StepInput[][]) {
    const agency = await openAgency()
    await agency.engine.start()
    const phases = { t1_plan: planOf(...ids), t4: { attempts: t4 }, t5: { attempts: t5 } }
    const run = await agency.run({ playbook: 'tiered', runtimeOptions: { scenario: { phases } } })
    const gate = await agency.until(async () => (await agency.gates.ofRun(run.id)).gates[0])
    await agency.gates.approve(operator, { target: gate.id })
    expect((await agency.settled(run)).status).toBe('done')
    const { briefs, attempts } = await agency.inspect(run)
    return {
      attempts: attempts.filter(({ briefId }) =>
        briefs.some(({ id, capKey: tier }) => id === briefId && tier === 't4'),
      ),
      tasks: briefs.filter(({ capKey: tier }) => tier === 't4'),
      verifiers: briefs.filter(({ capKey: tier }) => tier === 't5'),
    }
  }

  it('checks the outputs of the verified attempt, not those of an earlier one under another name', async () => {
    const again: StepInput[] = [{ write: { path: 'a.md', text: 'see b.md\n' } }, ...writes('b.md')]
    const { tasks, verifiers, attempts } = await played(
      ['one'],
      [writes('a.md'), again],
      [judges('fail'), judges('pass')],
    )
    expect(tasks).toMatchObject([{ attempts: 2, retriesUsed: 1, status: 'done' }])
    expect(verifiers).toMatchObject([
      { attempts: 1, evidence: [{ kind: 'file', path: 'a.md' }] },
      { attempts: 1, evidence: [{ kind: 'file', path: 'b.md' }] },
    ])
    expect(attempts.map(({ outputs }) => outputs.map(({ path }) => path))).toEqual([['a.md'], ['b.md']])
  })

  it('checks its outputs also if another task has produced the same', async () => {
    const { verifiers } = await played(['one', 'two'], [writes('a.md')], [judges('pass')])
    const seen = { kind: 'file', path: 'a.md', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string }
    expect(verifiers).toMatchObject([{ evidence: [seen] }, { evidence: [seen] }])
  })
})
