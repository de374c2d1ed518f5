import { describe, expect, it } from 'vitest'

import { aProposal, full, medium, output, playOn, simple, type Stream } from '../../../test/support/tiered/agents.ts'
import { Play } from '../../../test/support/tiered/play.ts'
import type { TierName as Tier } from '../../team/contract.ts'
import type { Brief } from '../../work/briefs/contract.ts'

const streams: readonly Stream[] = [
  { id: 'fix', path: medium },
  { id: 'docs', path: simple, group: 'B' },
]
const begun = async (): Promise<Play> => {
  const run = await playOn(await Play.start(), { streams, stopAt: ['t1_plan'] })
  await run.approve('t1_plan')
  return run
}
async function amend(run: Play, workstream: string, path: readonly Tier[], by?: Brief): Promise<void> {
  await run.amend(workstream, path, by)
  for (const timer of run.timers.filter(({ minutes }) => minutes === 0)) await run.fire(timer)
}
const acknowledged = (run: Play): unknown[] => run.amendments.map(({ acknowledgedBy }) => acknowledgedBy)

it('makes a squad that has not started wait for the inserted specialist', async () => {
  const run = await begun()
  await amend(run, 'fix', full)
  expect(acknowledged(run)).toEqual(['t2/fix'])
  expect(run.brief('t3-plan:fix:main')).toMatchObject({ status: 'pending', unmetDependencies: 1 })
  expect((await run.runnable()).map(({ key }) => key)).toEqual(['t2-spec:fix'])
  await playOn(run, { streams })
  expect(run.brief('t3-plan:fix:main').inputs).toMatchObject({ slice: { summary: 'plain' }, tier_path: full })
  expect(run.of('t4').filter(({ groupKey: workstream }) => workstream === 'fix')[0]?.inputs['tier_path']).toEqual(full)
  expect(run.run.status).toBe('done')
})

it('names the tier of the agent that proposes it, and is acknowledged by the inserted tier', async () => {
  const both: readonly Stream[] = [
    { id: 'fix', path: medium, domain: 'core' },
    { id: 'more', path: medium, domain: 'core' },
  ]
  const run = await playOn(await Play.start(), { streams: both, stopAt: ['t1_plan'] })
  await run.approve('t1_plan')
  await amend(run, 'fix', full, await run.launch(run.brief('t3-plan:fix:main')))
  expect(run.amendments).toMatchObject([{ proposedBy: 't3/fix', acknowledgedBy: 't2/fix', afterPath: full }])
})

it('restarts a workstream on its new path if none of its work has started', async () => {
  const run = await begun()
  await amend(run, 'fix', simple)
  expect(acknowledged(run)).toEqual(['t1'])
  expect(run.brief('t3-plan:fix:main').status).toBe('cancelled')
  expect((await run.runnable()).map(({ key }) => key)).toEqual(['t4:fix:main-p2:fix'])
  await playOn(run, { streams })
  expect(run.run.status).toBe('done')
})

it('gives squads with a common prefix different names', async () => {
  const run = await playOn(await Play.start(), { streams: [{ id: 'fix', path: simple }], stopAt: ['t1_plan'] })
  await run.approve('t1_plan')
  await amend(run, 'fix', full)
  const long = 'a'.repeat(55)
  await playOn(run, {
    streams,
    otherwise: ({ phase }) => (phase === 't2_specialist' ? output(aProposal('fix', [`${long}-b`, `${long}-c`])) : null),
  })
  const cut = 'a'.repeat(48)
  expect(run.of('t3_plan').map(({ key }) => key)).toEqual([`t3-plan:fix:${cut}-p2`, `t3-plan:fix:${cut}-2-p2`])
  expect(run.run.status).toBe('done')
})

it('leaves started work unchanged, and logs that', async () => {
  const run = await begun()
  await run.launch(run.brief('t3-plan:fix:main'))
  await amend(run, 'fix', full)
  expect(run.lines.at(-1)).toMatchObject({
    code: 'AMEND',
    message: 'fix: too late, the work that it would change has started',
  })
  await playOn(run, { streams })
  expect(run.of('t2_specialist')).toEqual([])
})

it('applies to a workstream of a later group, and is listed at the next gate', async () => {
  const run = await begun()
  await amend(run, 'docs', full)
  await playOn(run, { streams, stopAt: ['t2_synthesis'] })
  expect(run.brief('t2-spec:docs').status).toBe('verified')
  expect(run.pendingGates()[0]?.summary.amendments).toEqual([
    'docs: t4 → t5 became t2 → t3 → t4 → t5 (operator: deeper than it seemed)',
  ])
  await playOn(run, { streams })
  expect(run.brief('t1-accept:final').inputs['amendments']).toMatchObject([{ workstream: 'docs', after: full }])
  expect(run.run.status).toBe('done')
})

it('is followed once, even if its timer fires twice', async () => {
  const run = await begun()
  await amend(run, 'fix', simple)
  await run.fire({ name: 'amended', part: 'ws:fix' })
  expect((await run.runnable()).map(({ key }) => key)).toEqual(['t4:fix:main-p2:fix'])
  expect(run.lines.some(({ message }) => message.includes('too late'))).toBe(false)
})

it('opens a workstream without a design when its path loses T2 while the lead draws the boundaries', async () => {
  const both: readonly Stream[] = [
    { id: 'api', path: full },
    { id: 'web', path: full },
  ]
  const run = await playOn(await Play.start(), { streams: both, stopAt: ['t1_plan'] })
  await run.approve('t1_plan')
  await run.launch(run.brief('t2-lead'))
  await amend(run, 'web', medium)
  expect(run.lines.at(-1)?.message).toBe('web: it takes its new path when the boundaries are drawn')
  await playOn(run, { streams: both })
  expect(run.of('t2_specialist').map(({ groupKey: workstream }) => workstream)).toEqual(['api'])
  expect(run.parts.get('ws:web')).toMatchObject({ status: 'done', data: { isDesigned: true } })
  expect(run.run.status).toBe('done')
})

describe('squads that wait for an inserted specialist', () => {
  const shared: readonly Stream[] = [
    { id: 'fix', path: medium, domain: 'core' },
    { id: 'more', path: medium, domain: 'core' },
  ]
  const waiting = async (): Promise<Play> => {
    const run = await playOn(await Play.start(), { streams: shared, stopAt: ['t1_plan'] })
    await run.approve('t1_plan')
    await amend(run, 'fix', full)
    await run.launch(run.brief('t3-plan:more:main'))
    return run
  }

  it('do not time out', async () => {
    const run = await waiting()
    const timer = run.timers.find(({ name }) => name === 't3_mesh_timeout')
    if (timer === undefined) throw new Error('the mesh has no timer')
    await run.fire(timer)
    expect(run.brief('t3-plan:fix:main').status).toBe('pending')
    expect(run.lines.some(({ code }) => code === 'MESH_TIMEOUT')).toBe(false)
  })

  it('keep waiting for the specialist when their scopes are redrawn', async () => {
    const run = await waiting()
    await run.end(run.brief('t3-plan:more:main'), { kind: 'blocked', reason: 'too much' })
    const resolve = run.of('resolve')[0]
    if (resolve === undefined) throw new Error('there is no resolve brief')
    await run.launch(resolve)
    const squads = [{ id: 'other', name: 'Other', scope: 'all of it', workstream: 'more' }]
    await run.end(resolve, output({ decision: 'replace', squads, reason: 'smaller' }))
    expect(run.brief('t3-plan:fix:main-r2')).toMatchObject({ status: 'pending', unmetDependencies: 1 })
    await playOn(run, { streams: shared })
    expect(run.run.status).toBe('done')
  })
})
