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
import { Play } from '../../../test/support/tiered/engine.ts'

const streams: readonly Stream[] = ['api', 'infra', 'docs'].map((id) => ({ id, path: full }))
const play = (script: Partial<Script> = {}, configuration = teamed()): Play =>
  playOn(new Play({ configuration }).start(), { streams, ...script })
const conflict = output({ conflicts: [{ workstreams: ['api', 'infra'], about: 'who owns the queue' }] })
const isSynthesis = ({ phase }: { phase: string | null }): boolean => phase === 't2_synthesis'

it('draws the boundaries once, before any specialist, and lets all of them design side by side', () => {
  const run = play({ stopAt: ['t2_synthesis'] })
  expect(run.lines.filter(({ tier }) => tier === 'T2').map(({ code, message }) => `${code} ${message}`)).toEqual([
    'LEAD_START Lead Architect spawned',
    'BOUNDS_READY Domain boundaries + shared assumptions published',
    ' boundaries hold from now on',
    'SPEC_START 3 specialists spawned (parallel): api, infra, docs',
    'SPEC_DONE api architecture draft ready',
    'SPEC_DONE infra architecture draft ready',
    'SPEC_DONE docs architecture draft ready',
    'SYNTH_DONE Canonical architecture written to blackboard',
  ])
  expect(run.brief('t2-spec:api').inputs).toMatchObject({ shared_assumptions: { auth_approach: 'tokens' } })
})

it('has T1 look at the architecture before the operator does', () => {
  const run = play({ stopAt: ['t2_synthesis'] })
  expect(run.brief('t1-accept:architecture:1').inputs).toMatchObject({ accept_scope: 'architecture' })
  expect(run.pendingGates()[0]?.summary.produced).toMatch(/^T1: accept/)
  expect(run.of('t3_plan')).toEqual([])
})

describe('architects who do not agree', () => {
  it('are asked again, only those concerned', () => {
    const run = play({ otherwise: inTurn(isSynthesis, conflict) })
    expect(run.of('t2_conflict').map(({ workstream }) => workstream)).toEqual(['api', 'infra'])
    expect(run.lines.find(({ code }) => code === 'CONFLICT')?.data).toMatchObject({ conflict_cycles: 1 })
    expect(run.brief('t2-synth:1').attempts).toBe(2)
    expect(run.run.status).toBe('done')
  })

  it('hear from T1 after the last cycle, and what it says reaches the lead', () => {
    const run = play({ otherwise: inTurn(isSynthesis, conflict, conflict, conflict) })
    expect(run.of('t2_conflict')).toHaveLength(4)
    expect(run.lines.find(({ kind }) => kind === 'escalated')?.data).toEqual({
      from: 't2/lead',
      to: 't1',
      class: 't2_conflict',
    })
    expect(run.brief('t2-synth:1').inputs).toMatchObject({ guidance_of_t1: 'do it this way' })
    expect(run.run.status).toBe('done')
  })

  it('stop the run when not even that helps, and try again when the operator says so', () => {
    const run = play({ otherwise: inTurn(isSynthesis, conflict, conflict, conflict, conflict) })
    expect(run.run.status).toBe('paused')
    expect(run.questions).toMatchObject([{ brief: null }])
    run.answer(run.questions[0] as never, 'retry')
    playOn(run, { streams })
    expect(run.run.status).toBe('done')
  })

  it('stop it as well when T1 leaves it to the operator', () => {
    const handsUp = inTurn(
      ({ phase }) => phase === 'resolve',
      output({ decision: 'hand_up', reason: 'a matter of taste' }),
    )
    const run = play({ otherwise: either(inTurn(isSynthesis, conflict, conflict, conflict), handsUp) })
    expect(run.questions.map(({ text }) => text)).toEqual([
      'The architects do not agree, and T1 leaves it to you. Shall they try again?',
    ])
  })
})

it.each([
  ['neither a conflict nor an architecture', {}, 'either conflicts or a canonical_architecture has to be there'],
  ['a workstream without a slice', { canonical_architecture: { overview: 'x', slices: { api: { summary: 's' } } } }, 'the architecture has no slice for "infra"'],
  ['a conflict of somebody who is not there', { conflicts: [{ workstreams: ['who'], about: 'x' }] }, 'a conflict names "who"'],
])('refuses a synthesis with %s', (_, given, fault) => {
  const run = play({ otherwise: inTurn(isSynthesis, output(given)), stopAt: ['t2_synthesis'] })
  expect(run.brief('t2-synth:1').corrections.map(({ detail }) => detail)[0]).toContain(fault)
}) // prettier-ignore

describe('an architecture that is rejected', () => {
  const rejects = output({ decision: 'reject', reason: 'too large' })

  it('by T1 goes back to the lead, and T1 looks again', () => {
    const run = play({ otherwise: inTurn(({ phase }) => phase === 't1_accept', rejects), stopAt: ['t2_synthesis'] })
    expect(run.brief('t2-synth:1')).toMatchObject({ attempts: 2, rejectionReason: 'too large' })
    expect(run.brief('t1-accept:architecture:1').attempts).toBe(2)
    expect(run.parts.get('run')?.data).toMatchObject({ rejections: 1 })
  })

  it('too often stops the run for the operator', () => {
    const run = play({ otherwise: inTurn(({ phase }) => phase === 't1_accept', rejects, rejects, rejects, rejects) })
    expect(run.run.status).toBe('paused')
    run.answer(run.questions[0] as never, 'retry')
    playOn(run, { streams })
    expect(run.run.status).toBe('done')
  })

  it('by the operator goes back to the lead with the reason, and costs nobody a retry', () => {
    const run = play({ stopAt: ['t2_synthesis'] })
    run.reject('t2_synthesis', 'no queue')
    playOn(run, { streams, stopAt: ['t2_synthesis'] })
    expect(run.brief('t2-synth:1')).toMatchObject({ attempts: 2, rejectionReason: 'no queue', retriesUsed: 0 })
    expect(run.pendingGates().map(({ gate }) => gate)).toEqual(['t2_synthesis'])
  })
})

it('lets the operator look at the boundaries first where she wants to', () => {
  const run = play({ stopAt: ['t2_lead'] }, teamed({ gates: { t2Lead: true } }))
  expect(run.of('t2_specialist')).toEqual([])
  run.reject('t2_lead', 'infra owns the queue')
  playOn(run, { streams, stopAt: ['t2_lead'] })
  expect(run.brief('t2-lead')).toMatchObject({ attempts: 2, rejectionReason: 'infra owns the queue' })
  playOn(run, { streams })
  expect(run.run.status).toBe('done')
})

it('gives each squad its slice, and owns it by the specialist of its domain', () => {
  const run = play()
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
