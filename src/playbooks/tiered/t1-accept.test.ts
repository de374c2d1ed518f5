import { describe, expect, it } from 'vitest'

import {
  full,
  inTurn,
  medium,
  output,
  playOn,
  type Script,
  simple,
  type Stream,
  teamed,
} from '../../../test/support/tiered/agents.ts'
import { Play } from '../../../test/support/tiered/engine.ts'
import type { Ending } from '../../../test/support/tiered/engine.ts'
import type { Run } from '../../work/runs/contract.ts'

const streams: readonly Stream[] = [
  { id: 'fix', path: medium },
  { id: 'typo', path: simple },
]
const reject = (fields: Readonly<Record<string, unknown>> = {}): Ending =>
  output({ decision: 'reject', reason: 'not what was asked for', ...fields })
const play = (
  endings: readonly Ending[],
  script: Partial<Script> = {},
  run: Partial<Run> = { configuration: teamed() },
): Play =>
  playOn(new Play(run).start(), {
    streams,
    otherwise: inTurn(({ phase }) => phase === 't1_accept', ...endings),
    ...script,
  })
const toldTo = (run: Play): unknown[] =>
  run.lines.filter(({ kind }) => kind === 'escalated').map(({ data }) => data['to'])

it('ends with T1’s word that it is what was asked for', () => {
  const run = play([])
  expect(run.run).toMatchObject({
    status: 'done',
    summary: expect.stringContaining('T1 accepts: it is what was asked for'),
  })
  expect(run.document('acceptance/final')).toMatchObject({ decision: 'accept' })
})

describe('a result that T1 rejects', () => {
  it('is done again where T1 says, with the reason, and judged once more', () => {
    const run = play([reject({ workstreams: ['typo'] })])
    expect(toldTo(run)).toEqual(['t4/typo'])
    expect(run.brief('t4:typo:main:typo')).toMatchObject({
      attempts: 2,
      retriesUsed: 0,
      rejectionReason: 'not what was asked for',
    })
    expect(run.of('t4').map(({ attempts }) => attempts)).toEqual([2, 1, 1])
    expect(run.brief('t1-accept:final').attempts).toBe(2)
    expect(run.run.status).toBe('done')
  })

  it('is done again everywhere where T1 names nobody', () => {
    const run = play([reject()])
    expect(run.of('t4').map(({ attempts }) => attempts)).toEqual([2, 2, 2])
    expect(toldTo(run)).toEqual(['t4/typo', 't3/fix'])
  })

  it('may not name what is not there', () => {
    const run = play([reject({ workstreams: ['who'] })])
    expect(run.brief('t1-accept:final').corrections).toMatchObject([{ detail: 'there is no workstream "who"' }])
  })

  it('for the fourth time stops the run, and goes on with the operator’s word', () => {
    const run = play([reject(), reject(), reject(), reject()])
    expect(run.run.status).toBe('paused')
    expect(run.questions).toMatchObject([
      { brief: null, text: 'The result was rejected 4 times. Shall it be done again?' },
    ])
    run.answer(run.questions[0] as never, 'retry')
    playOn(run, { streams })
    expect(run.run.status).toBe('done')
    expect(run.of('t4').map(({ attempts }) => attempts)).toEqual([5, 5, 5])
  })

  it('has the lead sum up once more where there is one', () => {
    const run = playOn(new Play().start(), {
      streams: [{ id: 'api', path: full }],
      otherwise: inTurn(({ key }) => key === 't1-accept:final', reject()),
    })
    expect(run.brief('t2-summary').attempts).toBe(2)
    expect(toldTo(run)).toEqual(['t2/api'])
  })
})

describe('a workstream that T1 plans anew', () => {
  const waiting = (): Play => play([reject({ workstreams: ['fix'], action: 'replan' })], { stopAt: [] })

  it('is discarded and begun again under another name, once the operator agrees', () => {
    const run = waiting()
    expect(run.gates.map(({ gate, status }) => `${gate} ${status}`)).toEqual(['t1_plan approved', 't1_plan approved'])
    expect(run.gates[1]?.summary.produced).toContain('- fix-r2 instead of fix: t3 → t4 → t5')
    expect(
      [...run.briefs.values()]
        .filter(({ workstream, kind }) => workstream === 'fix' && kind !== 'verify')
        .map(({ status }) => status),
    ).toEqual(expect.not.arrayContaining(['verified', 'pending']))
    expect(
      run
        .of('t4')
        .filter(({ workstream }) => workstream === 'fix-r2')
        .map(({ status }) => status),
    ).toEqual(['verified', 'verified'])
    expect([run.parts.get('ws:fix')?.status, run.parts.get('ws:fix-r2')?.status]).toEqual(['cancelled', 'done'])
    expect(run.run.status).toBe('done')
  })

  it('stays as it is when the operator does not agree: T1 decides again', () => {
    const run = new Play({ configuration: teamed() }).start()
    const script = { streams, otherwise: inTurn(({ phase }) => phase === 't1_accept', reject({ action: 'replan' })) }
    playOn(run, { ...script, stopAt: ['t1_plan'] })
    run.approve('t1_plan')
    playOn(run, { ...script, stopAt: ['t1_plan'] })
    run.reject('t1_plan', 'it is good enough')
    expect(run.brief('t1-accept:final')).toMatchObject({ status: 'pending', rejectionReason: 'it is good enough' })
    playOn(run, { streams })
    expect(run.run.status).toBe('done')
    expect(run.of('t4')).toHaveLength(3)
  })

  it('goes through the architects again where it has some', () => {
    const run = playOn(new Play().start(), {
      streams: [{ id: 'api', path: full }],
      otherwise: inTurn(({ key }) => key === 't1-accept:final', reject({ action: 'replan' })),
    })
    expect(run.brief('t2-spec:api-r2').status).toBe('verified')
    expect(run.brief('t2-synth:1').attempts).toBe(2)
    expect(run.run.status).toBe('done')
  })
})

describe('in a repository', () => {
  const repository = { path: '/r', mirror: '/m', branch: 'main', base: 'aaa', warnings: ['two remotes'] }
  const inRepository = { configuration: teamed(), repository, head: 'bbb' }

  it('nothing is merged without the operator’s word', () => {
    const run = play([], { stopAt: ['merge'] }, inRepository)
    expect(run.run.status).toBe('gated')
    expect(run.pendingGates()).toMatchObject([
      { gate: 'merge', timeoutMinutes: null, summary: { anomalies: ['two remotes'] } },
    ])
    run.approve('merge')
    expect(run.run).toMatchObject({ status: 'done', summary: 'merged' })
  })

  it('a merge that is refused, or cannot be made, is a rejection like T1’s', () => {
    const run = play([], { stopAt: ['merge'] }, inRepository)
    run.reject('merge', 'no tests')
    expect(run.of('t4').map(({ rejectionReason }) => rejectionReason)).toEqual(['no tests', 'no tests', 'no tests'])
    playOn(run, { streams, stopAt: ['merge'] })
    run.approve('merge')
    expect(run.run.status).toBe('done')
  })

  it('there is nothing to merge where nothing was committed', () => {
    expect(play([], { stopAt: ['merge'] }, { ...inRepository, head: 'aaa' }).run.status).toBe('done')
  })
})
