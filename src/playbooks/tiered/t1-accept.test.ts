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
import type { Ending } from '../../../test/support/tiered/endings.ts'
import { Play, type PlayOptions } from '../../../test/support/tiered/play.ts'
import type { Question } from '../../work/questions/contract.ts'

const streams: readonly Stream[] = [
  { id: 'fix', path: medium },
  { id: 'typo', path: simple },
]
const reject = (fields: Readonly<Record<string, unknown>> = {}): Ending =>
  output({ decision: 'reject', reason: 'not what was asked for', ...fields })
const play = async (
  endings: readonly Ending[],
  script: Partial<Script> = {},
  options: PlayOptions = {},
): Promise<Play> =>
  playOn(await Play.start(options), {
    streams,
    otherwise: inTurn(({ phase }) => phase === 't1_accept', ...endings),
    ...script,
  })
const escalatedTo = (run: Play): unknown[] => run.escalations().map(({ to }) => to)

it('ends with T1’s acceptance of the result', async () => {
  const run = await play([])
  expect(run.run).toMatchObject({
    status: 'done',
    summary: expect.stringContaining('T1 accepts: it is what was asked for'),
  })
  expect(run.document('acceptance/final')).toMatchObject({ decision: 'accept' })
})

describe('a result of agents without a box', () => {
  const unboxed = { simulated: false }

  it('waits for a person after T1 has accepted it', async () => {
    const run = await play([], { stopAt: ['acceptance'] }, unboxed)
    const [gate] = run.pendingGates()
    expect(gate?.summary.produced).toContain('T1 accepts: it is what was asked for')
    expect(gate?.summary.anomalies).toEqual([expect.stringContaining('Ran without a box')])
    expect(run.run).toMatchObject({ status: 'accepting', endedAt: null })
    await run.approve('acceptance')
    expect(run.run).toMatchObject({ status: 'done', summary: expect.stringContaining('T1 accepts: it is what') })
  })

  it('is repeated when the person rejects it, and T1 and the person are asked again', async () => {
    const run = await play([], { stopAt: ['acceptance'] }, unboxed)
    await run.reject('acceptance', 'too slow')
    expect(run.of('t4').map(({ rejectionReason }) => rejectionReason)).toEqual(['too slow', 'too slow', 'too slow'])
    expect(run.run.status).toBe('running')
    await playOn(run, { streams, stopAt: ['acceptance'] })
    expect(run.brief('t1-accept:final').attempts).toBe(2)
    await run.approve('acceptance')
    expect(run.run.status).toBe('done')
  })
})

describe('a result that T1 rejects', () => {
  it('repeats the workstreams that T1 names, with the reason, and is judged again', async () => {
    const run = await play([reject({ workstreams: ['typo'] })])
    expect(escalatedTo(run)).toEqual(['t4/typo'])
    expect(run.brief('t4:typo:main:typo')).toMatchObject({
      attempts: 2,
      retriesUsed: 0,
      rejectionReason: 'not what was asked for',
    })
    expect(run.of('t4').map(({ attempts }) => attempts)).toEqual([2, 1, 1])
    expect(run.brief('t1-accept:final').attempts).toBe(2)
    expect(run.run.status).toBe('done')
  })

  it('repeats all workstreams when T1 names none', async () => {
    const run = await play([reject()])
    expect(run.of('t4').map(({ attempts }) => attempts)).toEqual([2, 2, 2])
    expect(escalatedTo(run)).toEqual(['t4/typo', 't3/fix'])
  })

  it('may not name an unknown workstream', async () => {
    const run = await play([reject({ workstreams: ['who'] })])
    expect(run.brief('t1-accept:final').corrections).toMatchObject([{ detail: 'there is no workstream "who"' }])
  })

  it('pauses the run the fourth time, and continues with the operator’s answer', async () => {
    const run = await play([reject(), reject(), reject(), reject()])
    expect(run.run.status).toBe('paused')
    expect(run.questions).toMatchObject([{ briefId: null, text: 'The result was rejected 4 times. Repeat the work?' }])
    await run.answer(run.questions[0] as Question, 'retry')
    await playOn(run, { streams })
    expect(run.run.status).toBe('done')
    expect(run.of('t4').map(({ attempts }) => attempts)).toEqual([5, 5, 5])
  })

  it('makes the lead architect repeat the integration summary', async () => {
    const run = await playOn(await Play.start(), {
      streams: [{ id: 'api', path: full }],
      otherwise: inTurn(({ key }) => key === 't1-accept:final', reject()),
    })
    expect(run.brief('t2-summary').attempts).toBe(2)
    expect(escalatedTo(run)).toEqual(['t2/api'])
  })
})

describe('a workstream that T1 replans', () => {
  const waiting = (): Promise<Play> => play([reject({ workstreams: ['fix'], action: 'replan' })], { stopAt: [] })

  it('is discarded and started again under another name after the operator’s approval', async () => {
    const run = await waiting()
    expect(run.gates.map(({ gate, status }) => `${gate} ${status}`)).toEqual(['t1_plan approved', 't1_plan approved'])
    expect(run.gates[1]?.summary.produced).toContain('- fix-r2 instead of fix: t3 → t4 → t5')
    expect(
      [...run.briefs.values()]
        .filter(({ groupKey: workstream, kind }) => workstream === 'fix' && kind !== 'verify')
        .map(({ status }) => status),
    ).toEqual(expect.not.arrayContaining(['verified', 'pending']))
    expect(
      run
        .of('t4')
        .filter(({ groupKey: workstream }) => workstream === 'fix-r2')
        .map(({ status }) => status),
    ).toEqual(['done', 'done'])
    expect([run.parts.get('ws:fix')?.status, run.parts.get('ws:fix-r2')?.status]).toEqual(['cancelled', 'done'])
    expect(run.run.status).toBe('done')
  })

  it('stays unchanged when the operator rejects it, and T1 decides again', async () => {
    const run = await Play.start({ team: teamed() })
    const script = { streams, otherwise: inTurn(({ phase }) => phase === 't1_accept', reject({ action: 'replan' })) }
    await playOn(run, { ...script, stopAt: ['t1_plan'] })
    await run.approve('t1_plan')
    await playOn(run, { ...script, stopAt: ['t1_plan'] })
    await run.reject('t1_plan', 'it is good enough')
    expect(run.brief('t1-accept:final')).toMatchObject({ status: 'pending', rejectionReason: 'it is good enough' })
    await playOn(run, { streams })
    expect(run.run.status).toBe('done')
    expect(run.of('t4')).toHaveLength(3)
  })

  it('is designed again when its path has T2', async () => {
    const run = await playOn(await Play.start(), {
      streams: [{ id: 'api', path: full }],
      otherwise: inTurn(({ key }) => key === 't1-accept:final', reject({ action: 'replan' })),
    })
    expect(run.brief('t2-spec:api-r2').status).toBe('done')
    expect(run.brief('t2-synth:1').attempts).toBe(2)
    expect(run.run.status).toBe('done')
  })
})

describe('a tiered run in a repository', () => {
  const inRepository = { inRepository: true }

  it('merges nothing without the operator’s approval', async () => {
    const run = await play([], { stopAt: ['merge'] }, inRepository)
    expect(run.run.status).toBe('accepting')
    expect(run.pendingGates()).toMatchObject([
      { gate: 'merge', timeoutMinutes: null, summary: { anomalies: ['two remotes'] } },
    ])
    await run.approve('merge')
    expect(run.run).toMatchObject({ status: 'done', summary: expect.stringMatching(/^merged into main as c+$/) })
  })

  it('treats a rejected merge like a rejection by T1', async () => {
    const run = await play([], { stopAt: ['merge'] }, inRepository)
    await run.reject('merge', 'no tests')
    expect(run.of('t4').map(({ rejectionReason }) => rejectionReason)).toEqual(['no tests', 'no tests', 'no tests'])
    await playOn(run, { streams, stopAt: ['merge'] })
    await run.approve('merge')
    expect(run.run.status).toBe('done')
  })

  it('opens no merge gate when no attempt left commits', async () => {
    const run = await Play.start({ ...inRepository, evidence: [{ kind: 'file', path: 'proof.md' }] })
    run.repositories.isEmpty = true
    await playOn(run, { streams: [{ id: 'typo', path: simple }], stopAt: ['merge'] })
    expect(run.gates.map(({ gate }) => gate)).toEqual(['t1_plan'])
    expect(run.run.status).toBe('done')
  })
})
