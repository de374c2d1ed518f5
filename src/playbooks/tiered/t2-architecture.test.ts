import { describe, expect, it } from 'vitest'

import {
  either,
  full,
  inTurn,
  output,
  playOn,
  type Script,
  type Stream,
  teamed,
} from '../../../test/support/tiered/agents.ts'
import { Play } from '../../../test/support/tiered/play.ts'
import type { Question } from '../../work/questions/contract.ts'

const streams: readonly Stream[] = ['api', 'infra', 'docs'].map((id) => ({ id, path: full }))
const play = async (script: Partial<Script> = {}, team = teamed()): Promise<Play> =>
  playOn(await Play.start({ team }), { streams, ...script })
const conflict = output({ conflicts: [{ workstreams: ['api', 'infra'], about: 'who owns the queue' }] })
const isSynthesis = ({ phase }: { phase: string | null }): boolean => phase === 't2_synthesis'

it('draws the boundaries once, before all specialists design in parallel', async () => {
  const run = await play({ stopAt: ['t2_synthesis'] })
  const told = run.lines.filter(({ kind, tier }) => kind === 'log' && tier === 'T2')
  expect(told.map(({ code, message }) => `${code} ${message}`)).toEqual([
    'LEAD_START Lead Architect may start',
    'BOUNDS_READY Domain boundaries + shared assumptions published',
    ' boundaries are in force',
    'SPEC_START 3 specialists may start (parallel): api, docs, infra',
    'SPEC_DONE api architecture draft ready',
    'SPEC_DONE docs architecture draft ready',
    'SPEC_DONE infra architecture draft ready',
    'SYNTH_DONE Canonical architecture written to blackboard',
  ])
  expect(run.brief('t2-spec:api').inputs).toMatchObject({ shared_assumptions: { auth_approach: 'tokens' } })
})

it('lets T1 judge the architecture before the operator', async () => {
  const run = await play({ stopAt: ['t2_synthesis'] })
  expect(run.brief('t1-accept:architecture:1').inputs).toMatchObject({ accept_scope: 'architecture' })
  expect(run.pendingGates()[0]?.summary.produced).toMatch(/^T1: accept/)
  expect(run.of('t3_plan')).toEqual([])
})

describe('a conflict between specialists', () => {
  it('asks only the specialists concerned again', async () => {
    const run = await play({ otherwise: inTurn(isSynthesis, conflict) })
    expect(run.of('t2_conflict').map(({ groupKey: workstream }) => workstream)).toEqual(['api', 'infra'])
    expect(run.lines.find(({ code }) => code === 'CONFLICT')?.data).toMatchObject({ conflict_cycles: 1 })
    expect(run.brief('t2-synth:1').attempts).toBe(2)
    expect(run.run.status).toBe('done')
  })

  it('goes to T1 after the last cycle, and T1’s answer reaches the lead', async () => {
    const run = await play({ otherwise: inTurn(isSynthesis, conflict, conflict, conflict) })
    expect(run.of('t2_conflict')).toHaveLength(4)
    expect(run.escalations()[0]).toEqual({
      from: 't2/lead',
      to: 't1',
      class: 't2_conflict',
    })
    expect(run.brief('t2-synth:1').inputs).toMatchObject({ guidance_of_t1: 'do it this way' })
    expect(run.run.status).toBe('done')
  })

  it('pauses the run if T1’s answer does not help, until the operator lets them try again', async () => {
    const run = await play({ otherwise: inTurn(isSynthesis, conflict, conflict, conflict, conflict) })
    expect(run.run.status).toBe('paused')
    expect(run.questions).toMatchObject([{ briefId: null }])
    await run.answer(run.questions[0] as Question, 'retry')
    await playOn(run, { streams })
    expect(run.run.status).toBe('done')
  })

  it('pauses the run if T1 hands the decision up', async () => {
    const handsUp = inTurn(
      ({ phase }) => phase === 'resolve',
      output({ decision: 'hand_up', reason: 'a matter of taste' }),
    )
    const run = await play({ otherwise: either(inTurn(isSynthesis, conflict, conflict, conflict), handsUp) })
    expect(run.questions.map(({ text }) => text)).toEqual([
      'The architects do not agree, and T1 leaves the decision to you. Let them try again?',
    ])
  })
})

it.each([
  ['neither a conflict nor an architecture', {}, 'the output must have either conflicts or a canonical_architecture'],
  ['a workstream without a slice', { canonical_architecture: { overview: 'x', slices: { api: { summary: 's' } } } }, 'the architecture has no slice for "docs"'],
  ['a conflict of an unknown workstream', { conflicts: [{ workstreams: ['who'], about: 'x' }] }, 'a conflict names "who"'],
])('rejects a synthesis with %s', async (_, given, fault) => {
  const run = await play({ otherwise: inTurn(isSynthesis, output(given)), stopAt: ['t2_synthesis'] })
  expect(run.brief('t2-synth:1').corrections.map(({ detail }) => detail)[0]).toContain(fault)
}) // prettier-ignore

describe('a rejected architecture', () => {
  const rejects = output({ decision: 'reject', reason: 'too large' })

  it('goes back to the lead after T1’s rejection, and T1 judges it again', async () => {
    const run = await play({
      otherwise: inTurn(({ phase }) => phase === 't1_accept', rejects),
      stopAt: ['t2_synthesis'],
    })
    expect(run.brief('t2-synth:1')).toMatchObject({ attempts: 2, rejectionReason: 'too large' })
    expect(run.brief('t1-accept:architecture:1').attempts).toBe(2)
    expect(run.parts.get('run')?.data).toMatchObject({ rejections: 1 })
  })

  it('pauses the run for the operator after too many rejections', async () => {
    const run = await play({
      otherwise: inTurn(({ phase }) => phase === 't1_accept', rejects, rejects, rejects, rejects),
    })
    expect(run.run.status).toBe('paused')
    await run.answer(run.questions[0] as Question, 'retry')
    await playOn(run, { streams })
    expect(run.run.status).toBe('done')
  })

  it('goes back to the lead with the operator’s reason, without using a retry', async () => {
    const run = await play({ stopAt: ['t2_synthesis'] })
    await run.reject('t2_synthesis', 'no queue')
    await playOn(run, { streams, stopAt: ['t2_synthesis'] })
    expect(run.brief('t2-synth:1')).toMatchObject({ attempts: 2, rejectionReason: 'no queue', retriesUsed: 0 })
    expect(run.pendingGates().map(({ gate }) => gate)).toEqual(['t2_synthesis'])
  })
})

it('lets the operator inspect the boundaries first where the gate is on', async () => {
  const run = await play({ stopAt: ['t2_lead'] }, teamed({ gates: { t2Lead: true } }))
  expect(run.of('t2_specialist')).toEqual([])
  await run.reject('t2_lead', 'infra owns the queue')
  await playOn(run, { streams, stopAt: ['t2_lead'] })
  expect(run.brief('t2-lead')).toMatchObject({ attempts: 2, rejectionReason: 'infra owns the queue' })
  await playOn(run, { streams })
  expect(run.run.status).toBe('done')
})

it('gives each squad its slice, owned by the specialist of its domain', async () => {
  const run = await play()
  const squad = run.brief('t3-plan:api:core')
  expect(squad.inputs).toMatchObject({
    slice: { summary: 'the slice of api' },
    shared_assumptions: {},
    tier_path: full,
  })
  expect(squad.ownerId).toBe(run.brief('t2-spec:api').id)
  expect(run.brief('t4:api:core:api-core-a').ownerId).toBe(squad.id)
  expect(run.document('integration_summary')).toEqual({ summary: 'it fits', concerns: [] })
})
