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
import { Play, type PlayOptions } from '../../../test/support/tiered/play.ts'
import { aRun } from '../../../test/support/work.ts'
import { TierPlan } from './contract.ts'
import { faultsOfPlan } from './t1-plan-faults.ts'

const streams: readonly Stream[] = [
  { id: 'api', path: full },
  { id: 'docs', path: simple, group: 'B' },
]
const plan = (fields: Partial<TierPlan> = {}): TierPlan => aPlan({ run: aRun() }, streams, fields)
const [api, docs] = plan().workstreams as [TierPlan['workstreams'][number], TierPlan['workstreams'][number]]
const faults = (fields: Partial<TierPlan>): string[] => faultsOfPlan(aRun(), plan(fields))

describe('the faults of a plan', () => {
  it('are none for a correct plan', async () => {
    expect(faults({})).toEqual([])
  })

  it.each([
    ['another run', { run_id: 'run_2' }, 'run_id must be run_1'],
    ['another goal', { goal_anchor: 'Something else' }, 'goal_anchor must be the goal, word for word'],
    ['a multiplier that is too low', { complexity: 'high' as const }, 'retry_budget_multiplier must be 2 where complexity is high, not 1'],
    ['a multiplier that is too high', { retry_budget_multiplier: 2 }, 'retry_budget_multiplier must be 1 where complexity is low, not 2'],
    ['a path without t5', { workstreams: [{ ...api, tier_path: ['t4' as const] }, docs] }, 'workstream "api": tier_path must end with t5'],
    ['a path without t4', { workstreams: [{ ...api, tier_path: ['t3' as const, 't5' as const] }, docs] }, 'must have t4 before t5'],
    ['a path that goes upward', { workstreams: [{ ...api, tier_path: ['t3' as const, 't2' as const, 't4' as const, 't5' as const] }, docs] }, 'must go downwards'],
    ['T1 in the path', { workstreams: [{ ...api, tier_path: ['t1' as const, 't4' as const, 't5' as const] }, docs] }, 'must begin below t1'],
    ['the same id twice', { workstreams: [api, { ...docs, id: 'api' }] }, 'two workstreams have the id "api"'],
    ['an empty group', { parallelism: { groups: { A: ['api'], B: [] }, sequence: ['A', 'B'] } }, 'group "B" is empty'],
    ['an unknown workstream in a group', { parallelism: { groups: { A: ['api'], B: ['docs', 'who'] }, sequence: ['A', 'B'] } }, 'lists "who"'],
    ['a workstream in two groups', { parallelism: { groups: { A: ['api', 'docs'], B: ['docs'] }, sequence: ['A', 'B'] } }, 'in several groups: A, B'],
    ['a workstream in another group', { parallelism: { groups: { A: ['docs'], B: ['api'] }, sequence: ['A', 'B'] } }, 'has parallel_group "A" but is listed in "B"'],
    ['a missing group', { parallelism: { groups: { A: ['api'], B: ['docs'] }, sequence: ['A'] } }, 'sequence leaves out the group "B"'],
    ['a repeated group', { parallelism: { groups: { A: ['api'], B: ['docs'] }, sequence: ['A', 'B', 'A'] } }, 'sequence lists "A" twice'],
    ['a repeated workstream in a group', { parallelism: { groups: { A: ['api', 'api'], B: ['docs'] }, sequence: ['A', 'B'] } }, 'group "A" lists a workstream twice: api'],
    ['an id that a replanned workstream would have', { workstreams: [api, { ...docs, id: 'api-r2' }] }, 'workstream "api-r2": an id must not end with -r and a number'],
    ['ids with the same first 52 characters', { workstreams: [{ ...api, id: `${'a'.repeat(52)}-b` }, { ...docs, id: `${'a'.repeat(52)}-c` }] }, 'must differ in their first 52 characters'],
    ['evidence outside the workspace', { workstreams: [api, { ...docs, evidence_required: [{ kind: 'file' as const, path: '../../../etc/hostname' }] }] }, 'workstream "docs": evidence file ../../../etc/hostname must be a path inside the workspace'],
    ['evidence with a missing schema', { workstreams: [api, { ...docs, evidence_required: [{ kind: 'schema' as const, path: 'a.json' }] }] }, 'workstream "docs": evidence schema a.json'],
    ['an unknown group', { parallelism: { groups: { A: ['api'], B: ['docs'] }, sequence: ['A', 'B', 'C'] } }, 'sequence lists "C", which is not a group'],
  ])('name %s', async (_, fields, fault) => {
    expect(faults(fields).join('\n')).toContain(fault)
  }) // prettier-ignore

  it('are listed all at once', async () => {
    expect(
      faults({ run_id: 'x', goal_anchor: 'y', complexity: 'high', workstreams: [{ ...api, tier_path: ['t4'] }, docs] }),
    ).toHaveLength(4)
  })

  it('are found quickly in very long groups', async () => {
    const begun = performance.now()
    const many = Array.from({ length: 20_000 }, (_, index) => `g-${index}`)
    const groups = Object.fromEntries(many.map((group) => [group, ['api']]))
    expect(faults({ parallelism: { groups, sequence: many } }).length).toBeGreaterThan(1)
    expect(performance.now() - begun).toBeLessThan(2_000)
    const long = plan({ parallelism: { groups: { A: Array<string>(5_001).fill('api') }, sequence: ['A'] } })
    expect(TierPlan.safeParse(long).success).toBe(false)
  })

  it('go to its author, and the author writes the plan again', async () => {
    const play = await Play.start()
    const bad = { ...aPlan(play, streams), run_id: 'other', goal_anchor: 'other' }
    await playOn(play, {
      streams,
      otherwise: inTurn(({ phase }) => phase === 't1_plan', output(bad)),
      stopAt: ['t1_plan'],
    })
    expect(play.brief('t1-plan')).toMatchObject({ attempts: 2, retriesUsed: 1, corrections: [{}, {}] })
    expect(play.pendingGates().map(({ gate }) => gate)).toEqual(['t1_plan'])
  })

  it('make the author repeat output that is not a plan', async () => {
    const play = await Play.start()
    await playOn(play, {
      streams,
      otherwise: inTurn(({ phase }) => phase === 't1_plan', output('no'), output({ run_id: 'run_1' })),
      stopAt: ['t1_plan'],
    })
    expect(play.brief('t1-plan').attempts).toBe(3)
  })
})

describe('the plan before its approval', () => {
  const waiting = async (): Promise<Play> => playOn(await Play.start(), { streams, stopAt: ['t1_plan'] })

  it('is criticised exactly once by its author before any other brief starts', async () => {
    const play = await waiting()
    expect([...play.briefs.values()].map(({ key, attempts }) => [key, attempts])).toEqual([
      ['t1-plan', 1],
      ['t1-critique', 1],
    ])
    expect(play.documents()).toEqual(['t1_plan_draft', 't1_plan'])
  })

  it('shows the operator paths and specialists, the next step, and anomalies', async () => {
    const play = await Play.start({ alone: true })
    const odd = aPlan(play, [...streams, { id: 'odd', path: ['t2', 't4', 't5'] }])
    const named = {
      ...odd,
      workstreams: odd.workstreams.map((each) => (each.id === 'api' ? { ...each, t2_specialist: 'rockstar' } : each)),
    }
    await playOn(play, {
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
      'api: the talent pool has no "rockstar"; the default of its domain is cast',
      'odd has an unusual path: t2 → t4 → t5',
      'Without checkable evidence, only a verifier judges: docs, odd',
    ])
    expect(play.lines.map(({ message }) => message)).toContain('unusual path of odd: t2 → t4 → t5')
  })

  it('names the workstreams whose evidence T1 alone chose, unless the operator declared some', async () => {
    const proof = [{ kind: 'file' as const, path: 'proof.md' }]
    const docs = [{ id: 'docs', path: ['t4', 't5'], proof }] as const
    const play = await playOn(await Play.start(), { streams: docs, stopAt: ['t1_plan'] })
    expect(play.pendingGates()[0]?.summary.anomalies).toEqual([
      'Only T1 chose the evidence, and a verifier decides: docs',
    ])
    await play.approve('t1_plan')
    expect(play.of('t4')).toMatchObject([{ checkable: false, verify: 'agent', evidence: proof }])
    const declared = await Play.start({ evidence: [{ kind: 'file', path: 'README.md' }] })
    await playOn(declared, { streams: docs, stopAt: ['t1_plan'] })
    expect(declared.pendingGates()[0]?.summary.anomalies).toEqual([])
    await declared.approve('t1_plan')
    expect(declared.of('t4')).toMatchObject([
      { checkable: true, evidence: [{ kind: 'file', path: 'README.md' }, ...proof] },
    ])
  })

  it('goes back to its author with the reason of a rejection, and is criticised again', async () => {
    const play = await waiting()
    await play.reject('t1_plan', 'too many workstreams')
    await playOn(play, { streams, stopAt: ['t1_plan'] })
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
  const small: readonly Stream[] = [{ id: 'typo', path: simple }]

  /** Plays a run whose five attempts use this many tokens together, in ten minutes. */
  async function past(tokens: number, options: PlayOptions = {}): Promise<Play> {
    const run = await playOn(await Play.start({ alone: true, ...options, tokensPerAttempt: tokens / 5 }), {
      streams: small,
      stopAt: ['t1_plan'],
    })
    run.clock.advance(10 * 60_000)
    await run.approve('t1_plan')
    return playOn(run, { streams: small })
  }
  const estimate = async (after: Play): Promise<string> => {
    const run = await playOn(await Play.start({ after }), { streams: small, stopAt: ['t1_plan'] })
    return run.pendingGates()[0]?.summary.next.split('\n').at(-1) as string
  }

  it('is the median of earlier runs in this store, with its range', async () => {
    const first = await past(100_000)
    await past(200_000, { after: first })
    await past(400_000, { after: first })
    expect(await estimate(first)).toBe(
      'Estimate: about 200k (100k–400k) tokens, $2.00 ($1.00–$4.00), 10 minutes (from 3 past runs, simulated).',
    )
  })

  it('does not use simulated runs for a real one', async () => {
    expect(await estimate(await past(100_000, { simulated: false }))).toBe('Estimate: no history yet.')
  })
})

it('applies the retry budget of T1’s plan to every brief below it', async () => {
  const play = await Play.start()
  const hard = aPlan(play, streams, { complexity: 'high', retry_budget_multiplier: 2 })
  await playOn(play, {
    streams,
    otherwise: inTurn(({ phase }) => phase === 't1_plan' || phase === 't1_critique', output(hard), output(hard)),
  })
  expect(play.of('t4').map(({ retryBudget }) => retryBudget)).toEqual(play.of('t4').map(() => 6))
})

it('starts a group when every workstream of the group before it is done', async () => {
  const play = await playOn(await Play.start(), { streams })
  const codes = play.lines.map(({ message }) => message)
  expect(codes.indexOf('✓ all pass — workstream api done')).toBeLessThan(codes.lastIndexOf('1 implementer may start'))
  expect(play.run.status).toBe('done')
})

it('plans five hundred workstreams like three', async () => {
  const many = Array.from({ length: 500 }, (_, index): Stream => ({
    id: `ws-${index}`,
    path: index % 2 === 0 ? simple : medium,
    group: index < 250 ? 'A' : 'B',
  }))
  const play = await playOn(await Play.start(), { streams: many, stopAt: ['t1_plan'] })
  expect((play.document('t1_plan') as TierPlan).workstreams).toHaveLength(500)
  expect(play.pendingGates()[0]?.summary.produced.length).toBeLessThan(8_000)
  await play.approve('t1_plan')
  expect(await play.runnable()).toHaveLength(250)
})
