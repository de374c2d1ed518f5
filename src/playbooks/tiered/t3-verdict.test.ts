import { describe, expect, it } from 'vitest'

import {
  aTask,
  either,
  failing,
  full,
  inTurn,
  medium,
  output,
  playOn,
  simple,
  type Otherwise,
  type Script,
  type Stream,
  teamed,
} from '../../../test/support/tiered/agents.ts'
import { Play } from '../../../test/support/tiered/play.ts'
import { aBrief } from '../../../test/support/work.ts'
import { domainBranch } from '../../repositories/port.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import { dependentsOf } from './t4-dependents.ts'

const streams: readonly Stream[] = [{ id: 'api', path: full }]
const tasks =
  (...list: readonly unknown[]): Otherwise =>
  (brief) =>
    brief.phase === 't3_plan' ? output({ tasks: list }) : null
const four = tasks(aTask('a'), aTask('b'), aTask('c'), aTask('d'))
const verifies =
  (task: string) =>
  (brief: Brief): boolean =>
    brief.phase === 't5' && brief.key.split(':')[4] === task
const play = async (otherwise: Otherwise, script: Partial<Script> = {}, team = teamed()): Promise<Play> =>
  playOn(await Play.start({ team }), { streams, otherwise, ...script })
const failures = (run: Play): string[] =>
  run.lines.filter(({ code, level }) => code === 'FAIL' && level === 'normal').map(({ message }) => message)

it('starts one verifier for each slice when all slices are finished', async () => {
  const run = await play(four)
  expect(run.logged('VERIFY_START')).toEqual(['4 verifiers may start'])
  expect(run.of('t5').map(({ ownerId }) => ownerId)).toEqual(run.of('t5').map(() => run.brief('t3-plan:api:core').id))
  expect(run.logged('VERDICT')).toEqual(['✓ all pass — squad api/core', '✓ all pass — workstream api done'])
})

describe('a failed slice', () => {
  const failed = (): Promise<Play> => play(either(four, inTurn(verifies('c'), failing('c is empty'))))

  it('is repeated with corrections, and only it is judged again', async () => {
    const run = await failed()
    expect(run.brief('t4:api:core:c')).toMatchObject({
      attempts: 2,
      retriesUsed: 1,
      corrections: [{ detail: 'c is empty' }],
    })
    expect(run.logged('VERIFY_START')).toEqual(['4 verifiers may start', '1 verifier may start'])
    expect(run.of('t4').map(({ attempts }) => attempts)).toEqual([1, 1, 2, 1])
  })

  it('is named in the log, and the squad lead compares all results again', async () => {
    const run = await failed()
    expect(run.logged('VERDICT')[0]).toBe('partial — c needs rework')
    expect(failures(run)).toEqual(['implementer-3 c ✗ (retry 1/3)'])
    expect(run.brief('t3-verdict:api:core').attempts).toBe(2)
    expect(run.run.status).toBe('done')
  })

  it('gets at most fifty corrections, the last with the number of further ones', async () => {
    const issues = Array.from({ length: 60 }, (_, index) => `issue ${index}`)
    const missingEvidence = issues.map((issue) => `proof of ${issue}`)
    const second = await play(
      either(four, inTurn(verifies('c'), { kind: 'verdict', judgement: { verdict: 'fail', issues, missingEvidence } })),
    )
    const { corrections } = second.brief('t4:api:core:c')
    expect(corrections).toHaveLength(50)
    expect(corrections.at(-1)?.detail).toBe('and 71 more issues')
  })

  it('finds its dependents in the longest possible chain', async () => {
    const begun = performance.now()
    const chain = Array.from({ length: 5_000 }, (_, index) =>
      aBrief({ inputs: { task_id: `t-${index}`, depends_on: [`t-${index + 1}`] } }),
    )
    expect(dependentsOf(chain, chain.slice(-1))).toEqual(chain.slice(0, -1))
    expect(performance.now() - begun).toBeLessThan(2_000)
  })

  it('is repeated together with its dependents', async () => {
    const chain = tasks(
      aTask('a'),
      aTask('b', { depends_on: ['a'], mode: 'pipeline' }),
      aTask('c', { depends_on: ['b'] }),
      aTask('d'),
    )
    const second = await play(either(chain, inTurn(verifies('a'), failing())))
    expect(second.of('t4').map(({ key, attempts, retriesUsed }) => [key.split(':')[3], attempts, retriesUsed])).toEqual(
      [
        ['a', 2, 1],
        ['b', 2, 0],
        ['c', 2, 0],
        ['d', 1, 0],
      ],
    )
    expect(second.logged('MESH_DONE')).toEqual(['Task split of api committed — 4 T4 tasks (2 swarm, 2 pipeline)'])
    expect(second.logged('PIPE_START')).toEqual(['2 implementers to follow when others are done'])
  })
})

describe('a joint verdict of fail', () => {
  const all = (...which: readonly string[]): Otherwise =>
    either(...which.map((task) => inTurn(verifies(task), failing())))

  it('is escalated to the specialist when every slice fails', async () => {
    const run = await play(either(four, all('a', 'b', 'c', 'd')))
    expect(run.escalations()[0]).toEqual({
      from: 't3/api',
      to: 't2/api',
      class: 'verification',
    })
    expect(run.of('t4').map(({ guidance }) => guidance[0]?.by)).toEqual(run.of('t4').map(() => 't2/api'))
    expect(run.run.status).toBe('done')
  })

  it('reaches the operator when no answer helps', async () => {
    const run = await play(either(four, (brief) => (brief.phase === 't5' ? failing() : null)))
    const asked = ['operator', 'operator', 'operator', 'operator']
    expect(run.escalations().map(({ to }) => to)).toEqual(['t2/api', 't2/lead', 't1', ...asked])
    expect(run.questions).toHaveLength(4)
    const told = run.of('t4').map(({ corrections }) => corrections.map(({ detail }) => detail))
    expect(told).toEqual(told.map(() => ['it does not work']))
    while (run.questions[0] !== undefined) await run.answer(run.questions[0], 'retry')
    await playOn(run, { streams })
    expect(run.run.status).toBe('done')
  })

  it('results from a slice without retries left', async () => {
    const run = await play(
      either(tasks(aTask('a'), aTask('b')), (brief) =>
        verifies('b')(brief) && brief.verifiesAttempt !== null && brief.verifiesAttempt < 5 ? failing() : null,
      ),
    )
    expect(run.logged('VERDICT').slice(0, 4)).toEqual([
      'partial — b needs rework',
      'partial — b needs rework',
      'partial — b needs rework',
      'fail — b',
    ])
    expect(run.of('t4').map(({ attempts }) => attempts)).toEqual([1, 5])
    expect(run.run.status).toBe('done')
  })

  it('can be answered with other tasks', async () => {
    const instead = inTurn(
      ({ phase }) => phase === 'resolve',
      output({ decision: 'replace', tasks: [aTask('e')], reason: 'smaller' }),
    )
    const run = await play(either(tasks(aTask('a'), aTask('b')), all('a', 'b'), instead))
    expect(run.of('t4').map(({ key, status }) => `${key} ${status}`)).toEqual([
      't4:api:core:a cancelled',
      't4:api:core:b cancelled',
      't4:api:core:e done',
    ])
    expect(run.brief('t4:api:core:e').data['replaces']).toBe(run.brief('t4:api:core:a').id)
  })

  it('is followed by another one, which is handed the files of the tasks that are there by then', async () => {
    const instead = inTurn(
      ({ phase }) => phase === 'resolve',
      output({ decision: 'replace', tasks: [aTask('e'), aTask('f')], reason: 'smaller' }),
    )
    const run = await play(either(tasks(aTask('a'), aTask('b')), all('a', 'b'), instead))
    const verdict = run.of('t3_verdict')[0]
    expect(verdict?.attempts).toBe(2)
    expect(verdict?.receives).toEqual(['e', 'f'].map((task) => run.brief(`t4:api:core:${task}`).id))
  })
})

it('retries a single slice until its retry budget is used up, and then asks T1 if its path has no T2 and T3', async () => {
  const small: readonly Stream[] = [{ id: 'typo', path: simple }]
  const run = await playOn(await Play.start({ team: teamed() }), {
    streams: small,
    otherwise: (brief) => (brief.phase === 't5' && (brief.verifiesAttempt ?? 0) < 5 ? failing() : null),
  })
  expect(failures(run)).toEqual([
    'implementer-1 typo ✗ (retry 1/3)',
    'implementer-1 typo ✗ (retry 2/3)',
    'implementer-1 typo ✗ (retry 3/3)',
  ])
  expect(run.escalations()[0]).toMatchObject({ to: 't1' })
  expect(run.run.status).toBe('done')
})

describe('the joint verdict of a squad lead', () => {
  const results = (verdicts: Readonly<Record<string, string>>) =>
    Object.entries(verdicts).map(([scope, verdict]) => ({ verifier_id: 'v', scope, verdict, issues: [], notes: '' }))
  const judge = (...given: readonly unknown[]): Otherwise =>
    inTurn(({ phase }) => phase === 't3_verdict', ...given.map(output))
  const corrected = async (verdict: unknown): Promise<string[]> => {
    const run = await play(either(tasks(aTask('a'), aTask('b')), inTurn(verifies('b'), failing()), judge(verdict)))
    return run.brief('t3-verdict:api:core').corrections.map(({ detail }) => detail)
  }
  const whole = {
    t5_results: results({ a: 'pass', b: 'fail' }),
    joint_verdict: 'partial',
    failed_scopes: ['b'],
    summary: 's',
  }

  it.each([
    ['passes despite a failing result', { ...whole, joint_verdict: 'pass', failed_scopes: [] }, ['joint_verdict is pass despite a failing result: b', 'failed_scopes leaves out "b"']],
    ['changes a verifier’s verdict', { ...whole, t5_results: results({ a: 'pass', b: 'pass' }), joint_verdict: 'pass', failed_scopes: [] }, ['the verdict of the verifier of "b" is fail']],
    ['leaves out a result', { ...whole, t5_results: results({ b: 'fail' }) }, ['t5_results leaves out the result of "a"']],
    ['names an unknown scope', { ...whole, failed_scopes: ['b', 'z'] }, ['there is no scope "z"']],
    ['fails without failed scopes', { ...whole, failed_scopes: [] }, ['failed_scopes leaves out "b"', 'a joint_verdict of partial must name its failures in failed_scopes']],
  ])('is rejected if it %s', async (_, verdict, faults) => {
    expect(await corrected(verdict)).toEqual(faults)
  }) // prettier-ignore

  it('can fail for pieces that pass separately and do not fit together', async () => {
    const verdict = {
      t5_results: [
        ...results({ a: 'pass', b: 'pass' }),
        { verifier_id: 'v', scope: 'integration', verdict: 'fail', issues: ['two formats'] },
      ],
      joint_verdict: 'partial',
      failed_scopes: ['integration', 'a'],
      summary: 'they do not fit',
    }
    const run = await play(either(tasks(aTask('a'), aTask('b')), judge(verdict)))
    expect(run.brief('t4:api:core:a')).toMatchObject({
      attempts: 2,
      corrections: [{ evidence: 'how the pieces fit', detail: 'two formats' }],
    })
    expect(run.brief('t4:api:core:b').attempts).toBe(1)
    expect(run.document('joint_verdict/api/core')).toMatchObject({ joint_verdict: 'pass' })
  })
})

it('aggregates verdicts on behalf of a cancelled lead', async () => {
  const run = await play(tasks(aTask('a'), aTask('b')), { stopAt: ['t2_synthesis'] })
  await run.approve('t2_synthesis')
  for (let step = 0; step < 40 && run.of('t3_verdict').length === 0; step++) {
    await run.launchAll((await run.runnable()).filter(({ phase }) => phase !== 't3_verdict'))
    for (const brief of run.live()) await playOne(run, brief)
  }
  await run.cancel(run.brief('t3-verdict:api:core'))
  await playOn(run, { streams })
  expect(run.run.status).toBe('done')
})

async function playOne(run: Play, brief: Brief): Promise<void> {
  if (brief.phase === 't3_plan') return run.end(brief, output({ tasks: [aTask('a'), aTask('b')] }))
  await run.end(brief, brief.phase === 't5' ? { kind: 'verdict', judgement: { verdict: 'pass' } } : { kind: 'done' })
}

describe('the gate before a squad is done', () => {
  const gated = teamed({ gates: { t5Verdict: true } })
  const waiting = (): Promise<Play> => play(four, { stopAt: ['t5_verdict'] }, gated)

  it('shows the joint verdict and holds the tasks', async () => {
    const run = await waiting()
    expect(run.pendingGates()[0]?.summary.produced).toContain('Joint verdict of api/core: pass')
    expect(run.of('t4').every(({ status }) => status === 'ready_for_verification')).toBe(true)
    await playOn(run, { streams })
    expect(run.run.status).toBe('done')
  })

  it('sends all tasks back with the reason', async () => {
    const run = await waiting()
    await run.reject('t5_verdict', 'not secure')
    expect(
      run.of('t4').map(({ status, rejectionReason, retriesUsed }) => [status, rejectionReason, retriesUsed]),
    ).toEqual(run.of('t4').map(() => ['pending', 'not secure', 0]))
    await playOn(run, { streams, stopAt: ['t5_verdict'] })
    expect(run.of('t5')).toHaveLength(8)
  })
})

it('keeps the finished part of a task; the rest becomes a task of its own that is judged with it', async () => {
  const run = await play(
    either(
      tasks(aTask('a')),
      inTurn(({ phase }) => phase === 't4', { kind: 'partial' }),
    ),
  )
  expect(run.of('t4').map(({ key, status }) => [key, status])).toEqual([
    ['t4:api:core:a', 'done'],
    ['t4:api:core:a:rest:1', 'done'],
  ])
  expect(run.logged('VERIFY_START')).toEqual(['2 verifiers may start'])
})

it('merges a finished workstream, and repeats its last task after a conflict', async () => {
  const run = await Play.start({ inRepository: true })
  run.repositories.conflicting.set(domainBranch(run.run.id, 'fix'), ['src/a.ts'])
  await playOn(run, { streams: [{ id: 'fix', path: medium }] })
  const last = run.brief('t4:fix:main:fix-main-b')
  expect(last).toMatchObject({
    attempts: 2,
    retriesUsed: 1,
    corrections: [
      { evidence: 'the merge', detail: 'src/a.ts was also changed by others' },
      { evidence: 'how', detail: expect.stringMatching(/^git merge a+, resolve the conflicts/) as string },
    ],
  })
  expect(run.run.status).toBe('done')
})

it('judges each slice on its own where dependents need verdicts', async () => {
  const chain = tasks(aTask('a'), aTask('b', { depends_on: ['a'] }))
  const run = await play(
    either(chain, inTurn(verifies('a'), failing())),
    {},
    teamed({ limits: { pipelineRequires: 'verified' } }),
  )
  expect(run.logged('VERIFY_START')).toEqual(['1 verifier may start', '1 verifier may start', '1 verifier may start'])
  expect(run.of('t4').map(({ attempts }) => attempts)).toEqual([2, 1])
  expect(run.run.status).toBe('done')
})
