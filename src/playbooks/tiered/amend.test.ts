import { describe, expect, it } from 'vitest'

import { aProposal, full, medium, output, playOn, simple, type Stream } from '../../../test/support/tiered/agents.ts'
import { Play } from '../../../test/support/tiered/engine.ts'

const streams: readonly Stream[] = [
  { id: 'fix', path: medium },
  { id: 'docs', path: simple, group: 'B' },
]
const begun = (): Play => {
  const run = playOn(new Play().start(), { streams, stopAt: ['t1_plan'] })
  run.approve('t1_plan')
  return run
}
const amend = (
  run: Play,
  workstream: string,
  before: readonly string[],
  after: readonly string[],
  by = 'operator',
): void => {
  run.amend({
    workstream,
    proposedBy: by,
    reason: 'deeper than it seemed',
    beforePath: [...before],
    afterPath: [...after],
  })
  for (const timer of run.timers.filter(({ minutes }) => minutes === 0)) run.fire(timer)
}

it('makes a squad that has not begun wait for the architect who was put before it', () => {
  const run = begun()
  amend(run, 'fix', medium, full, 't3/fix')
  expect(run.acknowledged).toEqual(['t2/fix'])
  expect(run.brief('t3-plan:fix:main')).toMatchObject({ status: 'pending', unmetDependencies: 1 })
  expect(run.runnable().map(({ key }) => key)).toEqual(['t2-spec:fix'])
  playOn(run, { streams })
  expect(run.brief('t3-plan:fix:main').inputs).toMatchObject({ slice: { summary: 'plain' }, tier_path: full })
  expect(run.of('t4').filter(({ workstream }) => workstream === 'fix')[0]?.inputs['tier_path']).toEqual(full)
  expect(run.run.status).toBe('done')
})

it('begins a workstream anew on its new path where nothing of it has begun', () => {
  const run = begun()
  amend(run, 'fix', medium, simple)
  expect(run.acknowledged).toEqual(['t1'])
  expect(run.brief('t3-plan:fix:main').status).toBe('cancelled')
  expect(run.runnable().map(({ key }) => key)).toEqual(['t4:fix:main-p2:fix'])
  playOn(run, { streams })
  expect(run.run.status).toBe('done')
})

it('tells squads apart whose names begin alike', () => {
  const run = playOn(new Play().start(), { streams: [{ id: 'fix', path: simple }], stopAt: ['t1_plan'] })
  run.approve('t1_plan')
  amend(run, 'fix', simple, full)
  const long = 'a'.repeat(55)
  playOn(run, {
    streams,
    otherwise: ({ phase }) => (phase === 't2_specialist' ? output(aProposal('fix', [`${long}-b`, `${long}-c`])) : null),
  })
  const cut = 'a'.repeat(48)
  expect(run.of('t3_plan').map(({ key }) => key)).toEqual([`t3-plan:fix:${cut}-p2`, `t3-plan:fix:${cut}-2-p2`])
  expect(run.run.status).toBe('done')
})

it('leaves what has begun as it is, and says so', () => {
  const run = begun()
  run.launch(run.brief('t3-plan:fix:main'))
  amend(run, 'fix', medium, full)
  expect(run.lines.at(-1)).toMatchObject({ code: 'AMEND', message: 'fix: too late, what it would change has begun' })
  playOn(run, { streams })
  expect(run.of('t2_specialist')).toEqual([])
})

it('holds for a workstream whose turn has not come, and is listed at the next gate', () => {
  const run = begun()
  amend(run, 'docs', simple, full)
  playOn(run, { streams, stopAt: ['t2_synthesis'] })
  expect(run.brief('t2-spec:docs').status).toBe('verified')
  expect(run.pendingGates()[0]?.summary.amendments).toEqual([
    'docs: t4 → t5 became t2 → t3 → t4 → t5 (operator: deeper than it seemed)',
  ])
  playOn(run, { streams })
  expect(run.brief('t1-accept:final').inputs['amendments']).toMatchObject([{ workstream: 'docs', after: full }])
  expect(run.run.status).toBe('done')
})

it('is followed once, however often its time comes', () => {
  const run = begun()
  amend(run, 'fix', medium, simple)
  run.fire({ name: 'amended', part: 'ws:fix' })
  expect(run.runnable().map(({ key }) => key)).toEqual(['t4:fix:main-p2:fix'])
  expect(run.lines.some(({ message }) => message.includes('too late'))).toBe(false)
})

it('opens a workstream without a design when its path became shorter while the lead drew the boundaries', () => {
  const both: readonly Stream[] = [
    { id: 'api', path: full },
    { id: 'web', path: full },
  ]
  const run = playOn(new Play().start(), { streams: both, stopAt: ['t1_plan'] })
  run.approve('t1_plan')
  run.launch(run.brief('t2-lead'))
  amend(run, 'web', full, medium)
  expect(run.lines.at(-1)?.message).toBe('web: it takes its new path when the boundaries are drawn')
  playOn(run, { streams: both })
  expect(run.of('t2_specialist').map(({ workstream }) => workstream)).toEqual(['api'])
  expect(run.parts.get('ws:web')).toMatchObject({ status: 'done', data: { isDesigned: true } })
  expect(run.run.status).toBe('done')
})

describe('squads that wait for an architect who was put before them', () => {
  const shared: readonly Stream[] = [
    { id: 'fix', path: medium, domain: 'core' },
    { id: 'more', path: medium, domain: 'core' },
  ]
  const waiting = (): Play => {
    const run = playOn(new Play().start(), { streams: shared, stopAt: ['t1_plan'] })
    run.approve('t1_plan')
    amend(run, 'fix', medium, full)
    run.launch(run.brief('t3-plan:more:main'))
    return run
  }

  it('are not late', () => {
    const run = waiting()
    const timer = run.timers.find(({ name }) => name === 't3_mesh_timeout')
    if (timer === undefined) throw new Error('nobody looks at the time')
    run.fire(timer)
    expect(run.brief('t3-plan:fix:main').status).toBe('pending')
    expect(run.lines.some(({ code }) => code === 'MESH_TIMEOUT')).toBe(false)
  })

  it('wait for the same when their borders are drawn anew', () => {
    const run = waiting()
    run.end(run.brief('t3-plan:more:main'), { kind: 'blocked', reason: 'too much' })
    const resolve = run.of('resolve')[0]
    if (resolve === undefined) throw new Error('nobody decides')
    run.launch(resolve)
    const squads = [{ id: 'other', name: 'Other', scope: 'all of it', workstream: 'more' }]
    run.end(resolve, output({ decision: 'replace', squads, reason: 'smaller' }))
    expect(run.brief('t3-plan:fix:main-r2')).toMatchObject({ status: 'pending', unmetDependencies: 1 })
    playOn(run, { streams: shared })
    expect(run.run.status).toBe('done')
  })
})
