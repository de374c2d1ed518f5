import { expect, it } from 'vitest'

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
