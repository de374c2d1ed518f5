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
import { Play } from '../../../test/support/tiered/engine.ts'
import { aBrief } from '../../../test/support/work.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import { followersOf } from './t4-dependents.ts'

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
const play = (otherwise: Otherwise, script: Partial<Script> = {}, configuration = teamed()): Play =>
  playOn(new Play({ configuration }).start(), { streams, otherwise, ...script })
const said = (run: Play, code: string): string[] =>
  run.lines.filter((line) => line.code === code).map(({ message }) => message)

it('has each slice judged by somebody of its own, when all of them are finished', () => {
  const run = play(four)
  expect(said(run, 'VERIFY_START')).toEqual(['4 verifiers spawned'])
  expect(run.of('t5').map(({ ownerId }) => ownerId)).toEqual(run.of('t5').map(() => run.brief('t3-plan:api:core').id))
  expect(said(run, 'VERDICT')).toEqual(['✓ all pass — squad api/core', '✓ all pass — workstream api done'])
})

describe('a slice that fails', () => {
  const run = play(either(four, inTurn(verifies('c'), failing('c is empty'))))

  it('is done again with what is wrong, and it alone is judged again', () => {
    expect(run.brief('t4:api:core:c')).toMatchObject({
      attempts: 2,
      retriesUsed: 1,
      corrections: [{ detail: 'c is empty' }],
    })
    expect(said(run, 'VERIFY_START')).toEqual(['4 verifiers spawned', '1 verifier spawned'])
    expect(run.of('t4').map(({ attempts }) => attempts)).toEqual([1, 1, 2, 1])
  })

  it('is named, and the squad’s lead compares all results again', () => {
    expect(said(run, 'VERDICT')[0]).toBe('partial — c needs rework')
    expect(said(run, 'FAIL')).toEqual(['worker-3 c ✗ (retry 1/3)'])
    expect(run.brief('t3-verdict:api:core').attempts).toBe(2)
    expect(run.run.status).toBe('done')
  })

  it('is told of fifty things at most, the last being how many more there are', () => {
    const issues = Array.from({ length: 120 }, (_, index) => `issue ${index}`)
    const second = play(
      either(four, inTurn(verifies('c'), { kind: 'verdict', judgement: { verdict: 'fail', issues } })),
    )
    const { corrections } = second.brief('t4:api:core:c')
    expect(corrections).toHaveLength(50)
    expect(corrections.at(-1)?.detail).toBe('and 71 more issues')
  })

  it('finds what was built on it in the longest chain there may be', () => {
    const begun = performance.now()
    const chain = Array.from({ length: 5_000 }, (_, index) =>
      aBrief({ inputs: { task_id: `t-${index}`, depends_on: [`t-${index + 1}`] } }),
    )
    expect(followersOf(chain, chain.slice(-1))).toEqual(chain.slice(0, -1))
    expect(performance.now() - begun).toBeLessThan(2_000)
  })

  it('takes what was built on it along', () => {
    const chain = tasks(
      aTask('a'),
      aTask('b', { depends_on: ['a'], mode: 'pipeline' }),
      aTask('c', { depends_on: ['b'] }),
      aTask('d'),
    )
    const second = play(either(chain, inTurn(verifies('a'), failing())))
    expect(second.of('t4').map(({ key, attempts, retriesUsed }) => [key.split(':')[3], attempts, retriesUsed])).toEqual(
      [
        ['a', 2, 1],
        ['b', 2, 0],
        ['c', 2, 0],
        ['d', 1, 0],
      ],
    )
    expect(said(second, 'MESH_DONE')).toEqual(['Task split of api committed — 4 T4 tasks (2 swarm, 2 pipeline)'])
    expect(said(second, 'PIPE_START')).toEqual(['2 workers to follow when others are done'])
  })
})

describe('a joint verdict of fail', () => {
  const all = (...which: readonly string[]): Otherwise =>
    either(...which.map((task) => inTurn(verifies(task), failing())))

  it('goes to the architect when every slice fails', () => {
    const run = play(either(four, all('a', 'b', 'c', 'd')))
    expect(run.lines.find(({ kind }) => kind === 'escalated')?.data).toEqual({
      from: 't3/api',
      to: 't2/api',
      class: 'verification',
    })
    expect(run.of('t4').map(({ guidance }) => guidance[0]?.by)).toEqual(run.of('t4').map(() => 't2/api'))
    expect(run.run.status).toBe('done')
  })

  it('climbs to the operator when nobody’s answer helps', () => {
    const run = play(either(four, (brief) => (brief.phase === 't5' ? failing() : null)))
    expect(run.lines.filter(({ kind }) => kind === 'escalated').map(({ data }) => data['to'])).toEqual([
      't2/api',
      't2/lead',
      't1',
      'operator',
    ])
    expect(run.questions).toHaveLength(4)
    while (run.questions[0] !== undefined) run.answer(run.questions[0], 'retry')
    playOn(run, { streams })
    expect(run.run.status).toBe('done')
  })

  it('comes when one slice has used up its retries', () => {
    const run = play(
      either(tasks(aTask('a'), aTask('b')), (brief) =>
        verifies('b')(brief) && brief.verifiesAttempt !== null && brief.verifiesAttempt < 5 ? failing() : null,
      ),
    )
    expect(said(run, 'VERDICT').slice(0, 4)).toEqual([
      'partial — b needs rework',
      'partial — b needs rework',
      'partial — b needs rework',
      'fail — b',
    ])
    expect(run.of('t4').map(({ attempts }) => attempts)).toEqual([1, 5])
    expect(run.run.status).toBe('done')
  })

  it('can be answered with other tasks', () => {
    const instead = inTurn(
      ({ phase }) => phase === 'resolve',
      output({ decision: 'replace', tasks: [aTask('e')], reason: 'smaller' }),
    )
    const run = play(either(tasks(aTask('a'), aTask('b')), all('a', 'b'), instead))
    expect(run.of('t4').map(({ key, status }) => `${key} ${status}`)).toEqual([
      't4:api:core:a cancelled',
      't4:api:core:b cancelled',
      't4:api:core:e verified',
    ])
    expect(run.brief('t4:api:core:e').replaces).toBe(run.brief('t4:api:core:a').id)
  })
})

it('retries a single slice while its patience lasts; then T1 decides where nobody else stands above it', () => {
  const small: readonly Stream[] = [{ id: 'typo', path: simple }]
  const run = playOn(new Play({ configuration: teamed() }).start(), {
    streams: small,
    otherwise: (brief) => (brief.phase === 't5' && (brief.verifiesAttempt ?? 0) < 5 ? failing() : null),
  })
  expect(said(run, 'FAIL')).toEqual([
    'worker-1 typo ✗ (retry 1/3)',
    'worker-1 typo ✗ (retry 2/3)',
    'worker-1 typo ✗ (retry 3/3)',
  ])
  expect(run.lines.find(({ kind }) => kind === 'escalated')?.data).toMatchObject({ to: 't1' })
  expect(run.run.status).toBe('done')
})

describe('the lead of a squad', () => {
  const results = (verdicts: Readonly<Record<string, string>>) =>
    Object.entries(verdicts).map(([scope, verdict]) => ({ verifier_id: 'v', scope, verdict, issues: [], notes: '' }))
  const judge = (...given: readonly unknown[]): Otherwise =>
    inTurn(({ phase }) => phase === 't3_verdict', ...given.map(output))
  const corrected = (verdict: unknown): string[] => {
    const run = play(either(tasks(aTask('a'), aTask('b')), inTurn(verifies('b'), failing()), judge(verdict)))
    return run.brief('t3-verdict:api:core').corrections.map(({ detail }) => detail)
  }
  const whole = {
    t5_results: results({ a: 'pass', b: 'fail' }),
    joint_verdict: 'partial',
    failed_scopes: ['b'],
    summary: 's',
  }

  it.each([
    ['passes over a failing result', { ...whole, joint_verdict: 'pass', failed_scopes: [] }, ['pass over a failing result: b', 'failed_scopes leaves out "b"']],
    ['turns a verifier’s word', { ...whole, t5_results: results({ a: 'pass', b: 'pass' }), joint_verdict: 'pass', failed_scopes: [] }, ['the verifier of "b" said fail']],
    ['leaves a result out', { ...whole, t5_results: results({ b: 'fail' }) }, ['t5_results leaves out the result of "a"']],
    ['names what is not there', { ...whole, failed_scopes: ['b', 'z'] }, ['there is no scope "z"']],
    ['fails without saying what', { ...whole, failed_scopes: [] }, ['failed_scopes leaves out "b"', 'partial has to say in failed_scopes what failed']],
  ])('is refused when it %s', (_, verdict, faults) => {
    expect(corrected(verdict)).toEqual(faults)
  }) // prettier-ignore

  it('sees what no verifier could: pieces that do not fit', () => {
    const verdict = {
      t5_results: [
        ...results({ a: 'pass', b: 'pass' }),
        { verifier_id: 'v', scope: 'integration', verdict: 'fail', issues: ['two formats'] },
      ],
      joint_verdict: 'partial',
      failed_scopes: ['integration', 'a'],
      summary: 'they do not fit',
    }
    const run = play(either(tasks(aTask('a'), aTask('b')), judge(verdict)))
    expect(run.brief('t4:api:core:a')).toMatchObject({
      attempts: 2,
      corrections: [{ evidence: 'how the pieces fit', detail: 'two formats' }],
    })
    expect(run.brief('t4:api:core:b').attempts).toBe(1)
    expect(run.document('joint_verdict/api/core')).toMatchObject({ joint_verdict: 'pass' })
  })
})

it('judges on behalf of a lead who is gone, and says so', () => {
  const run = play(tasks(aTask('a'), aTask('b')), { stopAt: ['t2_synthesis'] })
  run.approve('t2_synthesis')
  for (let step = 0; step < 40 && run.of('t3_verdict').length === 0; step++) {
    for (const brief of run.runnable().filter(({ phase }) => phase !== 't3_verdict')) run.launch(brief)
    for (const brief of run.live()) playOne(run, brief)
  }
  run.cancel(run.brief('t3-verdict:api:core'))
  playOn(run, { streams })
  expect(run.run.status).toBe('done')
})

function playOne(run: Play, brief: Brief): void {
  if (brief.phase === 't3_plan') return run.end(brief, output({ tasks: [aTask('a'), aTask('b')] }))
  run.end(brief, brief.phase === 't5' ? { kind: 'verdict', judgement: { verdict: 'pass' } } : { kind: 'done' })
}

describe('the gate before a squad is done', () => {
  const gated = teamed({ gates: { t5Verdict: true } })
  const waiting = (): Play => play(four, { stopAt: ['t5_verdict'] }, gated)

  it('shows the joint verdict and holds the tasks', () => {
    const run = waiting()
    expect(run.pendingGates()[0]?.summary.produced).toContain('Joint verdict of api/core: pass')
    expect(run.of('t4').every(({ status }) => status === 'ready_for_verification')).toBe(true)
    playOn(run, { streams })
    expect(run.run.status).toBe('done')
  })

  it('sends all of them back with the reason', () => {
    const run = waiting()
    run.reject('t5_verdict', 'not secure')
    expect(
      run.of('t4').map(({ status, rejectionReason, retriesUsed }) => [status, rejectionReason, retriesUsed]),
    ).toEqual(run.of('t4').map(() => ['pending', 'not secure', 0]))
    playOn(run, { streams, stopAt: ['t5_verdict'] })
    expect(run.of('t5')).toHaveLength(8)
  })
})

it('keeps the good part of what is only partly done; the rest is a task of its own, judged with it', () => {
  const run = play(
    either(
      tasks(aTask('a')),
      inTurn(({ phase }) => phase === 't4', { kind: 'partial' }),
    ),
  )
  expect(run.of('t4').map(({ key, status }) => [key, status])).toEqual([
    ['t4:api:core:a', 'verified'],
    ['t4:api:core:a:rest:1', 'verified'],
  ])
  expect(said(run, 'VERIFY_START')).toEqual(['2 verifiers spawned'])
})

it('joins a workstream with the others when it is done; what does not fit is mended by whoever came last', () => {
  const run = new Play().start()
  run.conflicting.set('ws:fix', ['src/a.ts'])
  playOn(run, { streams: [{ id: 'fix', path: medium }] })
  const last = run.brief('t4:fix:main:fix-main-b')
  expect(last).toMatchObject({
    attempts: 2,
    retriesUsed: 1,
    corrections: [{ evidence: 'the merge', detail: 'src/a.ts was changed by others too' }],
  })
  expect(run.run.status).toBe('done')
})

it('lets nobody wait for a whole squad where successors need verdicts', () => {
  const chain = tasks(aTask('a'), aTask('b', { depends_on: ['a'] }))
  const run = play(
    either(chain, inTurn(verifies('a'), failing())),
    {},
    teamed({ limits: { pipelineRequires: 'verified' } }),
  )
  expect(said(run, 'VERIFY_START')).toEqual(['1 verifier spawned', '1 verifier spawned', '1 verifier spawned'])
  expect(run.of('t4').map(({ attempts }) => attempts)).toEqual([2, 1])
  expect(run.run.status).toBe('done')
})
