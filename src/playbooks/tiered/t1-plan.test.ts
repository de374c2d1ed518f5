import { describe, expect, it } from 'vitest'

import {
  aPlan,
  full,
  inTurn,
  medium,
  output,
  playOn,
  simple,
  type Stream,
} from '../../../test/support/tiered/agents.ts'
import { Play } from '../../../test/support/tiered/engine.ts'
import { aRun } from '../../../test/support/work.ts'
import { TierPlan } from './contract.ts'
import { faultsOfPlan } from './t1-plan-faults.ts'

const streams: readonly Stream[] = [
  { id: 'api', path: full },
  { id: 'docs', path: simple, group: 'B' },
]
const plan = (fields: Partial<TierPlan> = {}): TierPlan => aPlan(new Play(), streams, fields)
const [api, docs] = plan().workstreams as [TierPlan['workstreams'][number], TierPlan['workstreams'][number]]
const faults = (fields: Partial<TierPlan>): string[] => faultsOfPlan(aRun(), plan(fields))

describe('a plan is refused', () => {
  it('not when it is right', () => {
    expect(faults({})).toEqual([])
  })

  it.each([
    ['another run', { run_id: 'run_2' }, 'run_id must be run_1'],
    ['another goal', { goal_anchor: 'Something else' }, 'goal_anchor must be the goal, word for word'],
    ['too little patience', { complexity: 'high' as const }, 'retry_budget_multiplier must be 2 where complexity is high, not 1'],
    ['too much patience', { retry_budget_multiplier: 2 }, 'retry_budget_multiplier must be 1 where complexity is low, not 2'],
    ['no verifier', { workstreams: [{ ...api, tier_path: ['t4' as const] }, docs] }, 'workstream "api": tier_path must end with t5'],
    ['nobody who works', { workstreams: [{ ...api, tier_path: ['t3' as const, 't5' as const] }, docs] }, 'must have t4 before t5'],
    ['a way back up', { workstreams: [{ ...api, tier_path: ['t3' as const, 't2' as const, 't4' as const, 't5' as const] }, docs] }, 'must go downwards'],
    ['T1 in the path', { workstreams: [{ ...api, tier_path: ['t1' as const, 't4' as const, 't5' as const] }, docs] }, 'begins below t1'],
    ['the same id twice', { workstreams: [api, { ...docs, id: 'api' }] }, 'two workstreams have the id "api"'],
    ['nobody in a group', { parallelism: { groups: { A: ['api'], B: [] }, sequence: ['A', 'B'] } }, 'group "B" is empty'],
    ['a stranger in a group', { parallelism: { groups: { A: ['api'], B: ['docs', 'who'] }, sequence: ['A', 'B'] } }, 'lists "who"'],
    ['one in two groups', { parallelism: { groups: { A: ['api', 'docs'], B: ['docs'] }, sequence: ['A', 'B'] } }, 'in several groups: A, B'],
    ['one in another group', { parallelism: { groups: { A: ['docs'], B: ['api'] }, sequence: ['A', 'B'] } }, 'says group "A" and is listed in "B"'],
    ['a group left out', { parallelism: { groups: { A: ['api'], B: ['docs'] }, sequence: ['A'] } }, 'sequence leaves out the group "B"'],
    ['a group twice', { parallelism: { groups: { A: ['api'], B: ['docs'] }, sequence: ['A', 'B', 'A'] } }, 'sequence lists "A" twice'],
    ['one twice in a group', { parallelism: { groups: { A: ['api', 'api'], B: ['docs'] }, sequence: ['A', 'B'] } }, 'group "A" lists somebody twice: api'],
    ['a name that one planned anew would have', { workstreams: [api, { ...docs, id: 'api-r2' }] }, 'workstream "api-r2": an id must not end with -r and a number'],
    ['names that would be cut to the same', { workstreams: [{ ...api, id: `${'a'.repeat(52)}-b` }, { ...docs, id: `${'a'.repeat(52)}-c` }] }, 'must differ in their first 52 characters'],
    ['a proof out of the workspace', { workstreams: [api, { ...docs, evidence_required: [{ kind: 'file' as const, path: '../../../etc/hostname' }] }] }, 'workstream "docs": evidence file ../../../etc/hostname must be a path inside the workspace'],
    ['a schema that is not there', { workstreams: [api, { ...docs, evidence_required: [{ kind: 'schema' as const, path: 'a.json' }] }] }, 'workstream "docs": evidence schema a.json'],
    ['a group that is none', { parallelism: { groups: { A: ['api'], B: ['docs'] }, sequence: ['A', 'B', 'C'] } }, 'sequence lists "C", which is no group'],
  ])('with %s', (_, fields, fault) => {
    expect(faults(fields).join('\n')).toContain(fault)
  }) // prettier-ignore

  it('with everything that is wrong at once', () => {
    expect(
      faults({ run_id: 'x', goal_anchor: 'y', complexity: 'high', workstreams: [{ ...api, tier_path: ['t4'] }, docs] }),
    ).toHaveLength(4)
  })

  it('in no time, however long its groups are', () => {
    const begun = performance.now()
    const many = Array.from({ length: 20_000 }, (_, index) => `g-${index}`)
    const groups = Object.fromEntries(many.map((group) => [group, ['api']]))
    expect(faults({ parallelism: { groups, sequence: many } }).length).toBeGreaterThan(1)
    expect(performance.now() - begun).toBeLessThan(2_000)
    const long = plan({ parallelism: { groups: { A: Array<string>(5_001).fill('api') }, sequence: ['A'] } })
    expect(TierPlan.safeParse(long).success).toBe(false)
  })

  it('and written again by its author, who is told everything', () => {
    const play = new Play().start()
    const bad = { ...aPlan(play, streams), run_id: 'other', goal_anchor: 'other' }
    playOn(play, { streams, otherwise: inTurn(({ phase }) => phase === 't1_plan', output(bad)), stopAt: ['t1_plan'] })
    expect(play.brief('t1-plan')).toMatchObject({ attempts: 2, retriesUsed: 1, corrections: [{}, {}] })
    expect(play.pendingGates().map(({ gate }) => gate)).toEqual(['t1_plan'])
  })

  it('when it is no plan at all', () => {
    const play = new Play().start()
    playOn(play, {
      streams,
      otherwise: inTurn(({ phase }) => phase === 't1_plan', output('no'), output({ run_id: 'run_1' })),
      stopAt: ['t1_plan'],
    })
    expect(play.brief('t1-plan').attempts).toBe(3)
  })
})

describe('before the plan is approved', () => {
  const waiting = (): Play => playOn(new Play().start(), { streams, stopAt: ['t1_plan'] })

  it('its author has looked at it exactly once more, and nobody else has begun', () => {
    const play = waiting()
    expect([...play.briefs.values()].map(({ key, attempts }) => [key, attempts])).toEqual([
      ['t1-plan', 1],
      ['t1-critique', 1],
    ])
    expect([...play.documents.keys()]).toEqual(['t1_plan_draft', 't1_plan'])
  })

  it('the operator reads who does what on which path, what starts next, and what looks odd', () => {
    const play = new Play().start()
    play.unknownPersonalities = ['rockstar']
    const odd = aPlan(play, [...streams, { id: 'odd', path: ['t2', 't4', 't5'] }])
    const named = {
      ...odd,
      workstreams: odd.workstreams.map((each) => (each.id === 'api' ? { ...each, t2_specialist: 'rockstar' } : each)),
    }
    playOn(play, {
      streams,
      otherwise: inTurn(({ phase }) => phase === 't1_critique', output(named)),
      stopAt: ['t1_plan'],
    })
    const [{ summary }] = play.pendingGates() as [ReturnType<Play['pendingGates']>[number]]
    expect(summary.produced).toContain('A plan of 3 workstreams (complexity low, retries ×1):')
    expect(summary.produced).toContain('- api (group A): The api — t2 → t3 → t4 → t5, rockstar')
    expect(summary.produced).toContain('Self-critique: nothing is missing')
    expect(summary.next).toBe(
      'Approve and group A starts: the Lead Architect, then 2 specialists (api, odd). Then B, one after the other.\nEstimate: no history yet.',
    )
    expect(summary.anomalies).toEqual([
      'api: nobody in the talent pool is called "rockstar"; the default of its domain is cast',
      'odd has an unusual path: t2 → t4 → t5',
      'Without checkable evidence, only a verifier judges: docs, odd',
    ])
    expect(play.lines.map(({ message }) => message)).toContain('unusual path of odd: t2 → t4 → t5')
  })

  it('a rejection goes to its author with the reason, and is criticised once again', () => {
    const play = waiting()
    play.reject('t1_plan', 'too many workstreams')
    playOn(play, { streams, stopAt: ['t1_plan'] })
    expect(play.brief('t1-plan')).toMatchObject({
      attempts: 2,
      retriesUsed: 0,
      rejectionReason: 'too many workstreams',
    })
    expect(play.brief('t1-critique').attempts).toBe(2)
    expect(play.document('t1_plan_draft')).toEqual(aPlan(play, streams))
    expect(play.pendingGates().map(({ gate }) => gate)).toEqual(['t1_plan'])
  })
})

describe('the estimate', () => {
  const past = (tokens: number, simulated = true) => ({
    simulated,
    tokens,
    costMicros: tokens * 10,
    minutes: 10,
    tiers: {
      t1: { briefs: 3, tokens: tokens / 2, costMicros: tokens * 5 },
      t4: { briefs: 1, tokens: tokens / 4, costMicros: tokens * 2.5 },
      t5: { briefs: 1, tokens: tokens / 4, costMicros: tokens * 2.5 },
    },
  })
  const estimate = (history: Play['history']): string => {
    const play = new Play().start()
    play.history = history
    playOn(play, { streams: [{ id: 'typo', path: simple }], stopAt: ['t1_plan'] })
    return play.pendingGates()[0]?.summary.next.split('\n').at(-1) as string
  }

  it('is the middle of what runs here took, with its spread', () => {
    expect(estimate([past(100_000), past(200_000), past(400_000)])).toBe(
      'Estimate: about 200k (100k–400k) tokens, $2.00 ($1.00–$4.00), 10 minutes (from 3 past runs, simulated).',
    )
  })

  it('never takes a simulation for the real thing', () => {
    expect(estimate([past(100_000, false)])).toBe('Estimate: no history yet.')
  })
})

it('applies the patience that T1 plans to every brief below it', () => {
  const play = new Play().start()
  const hard = aPlan(play, streams, { complexity: 'high', retry_budget_multiplier: 2 })
  playOn(play, {
    streams,
    otherwise: inTurn(({ phase }) => phase === 't1_plan' || phase === 't1_critique', output(hard), output(hard)),
  })
  expect(play.of('t4').map(({ retryBudget }) => retryBudget)).toEqual(play.of('t4').map(() => 6))
})

it('opens a group when every workstream of the one before it is done', () => {
  const play = playOn(new Play().start(), { streams })
  const codes = play.lines.map(({ message }) => message)
  expect(codes.indexOf('✓ all pass — workstream api done')).toBeLessThan(codes.lastIndexOf('1 worker spawned'))
  expect(play.run.status).toBe('done')
})

it('plans five hundred workstreams as it plans three', () => {
  const many = Array.from({ length: 500 }, (_, index): Stream => ({
    id: `ws-${index}`,
    path: index % 2 === 0 ? simple : medium,
    group: index < 250 ? 'A' : 'B',
  }))
  const play = playOn(new Play().start(), { streams: many, stopAt: ['t1_plan'] })
  expect((play.document('t1_plan') as TierPlan).workstreams).toHaveLength(500)
  expect(play.pendingGates()[0]?.summary.produced.length).toBeLessThan(8_000)
  play.approve('t1_plan')
  expect(play.runnable()).toHaveLength(250)
})
