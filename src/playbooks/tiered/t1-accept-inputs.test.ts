import { describe, expect, it } from 'vitest'

import {
  either,
  failing,
  full,
  inTurn,
  medium,
  type Otherwise,
  output,
  playOn,
  type Script,
  simple,
  type Stream,
} from '../../../test/support/tiered/agents.ts'
import { Play } from '../../../test/support/tiered/play.ts'
import type { Results } from '../../work/results/contract.ts'
import type { TierPlan } from './contract.ts'

interface Inputs {
  readonly accept_scope: string
  readonly documents: { readonly t1_plan: TierPlan }
  readonly results: Results
}

const play = async (streams: readonly Stream[], script: Partial<Script> = {}): Promise<Play> =>
  playOn(await Play.start(), { streams, ...script })
const inputsOf = (run: Play, key: string): Inputs => run.agentOf(key).inputs as unknown as Inputs

describe.each([
  ['short', simple],
  ['medium', medium],
  ['full', full],
])('T1 at the end of a %s path', (_, path) => {
  it('gets the plan, and the outputs, checks and verdicts of the work', async () => {
    const run = await play([{ id: 'api', path }])
    const { documents, results } = inputsOf(run, 't1-accept:final')
    const tasks = run.of('t4')
    expect(documents.t1_plan.workstreams).toMatchObject([{ id: 'api', tier_path: path }])
    expect(results.groups).toEqual({
      api: { tasks: tasks.length, pass: tasks.length, fail: 0, unjudged: 0, cancelled: 0 },
    })
    expect(results.briefs).toEqual(
      tasks.map(({ key, title }) => ({
        key,
        title,
        group: 'api',
        status: 'verified',
        attempt: 1,
        summary: 'Done.',
        outputs: [{ path: expect.stringMatching(/^t4-.*\.md$/), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
        evidence: [expect.stringMatching(/^passed: /)],
        verdict: { verdict: 'pass', issues: [], notes: '' },
      })),
    )
    const { prompt } = run.agentOf('t1-accept:final')
    for (const each of [...tasks.map(({ key }) => key), '"tier_path"', '"sha256"', '"verdict":"pass"'])
      expect(prompt).toContain(each)
  })
})

const two: readonly Stream[] = [
  { id: 'fix', path: medium },
  { id: 'typo', path: simple },
]
const task = 't4:typo:main:typo'
const resultOf = (run: Play, key: string) =>
  inputsOf(run, 't1-accept:final').results.briefs.find((each) => each.key === key)

/** Plays until a task is blocked for good, which the operator then cancels. */
async function leftOut(otherwise: Otherwise): Promise<Play> {
  const handsUp: Otherwise = ({ phase }) =>
    phase === 'resolve' ? output({ decision: 'hand_up', reason: 'not mine' }) : null
  const run = await play(two, { otherwise: either(otherwise, handsUp) })
  expect(run.brief(task).status).toBe('blocked')
  await run.cancel(run.brief(task))
  return playOn(run, { streams: two })
}

describe('T1 at the end of a run', () => {
  it('sees that a task was left out after a failed verdict', async () => {
    const run = await leftOut(({ phase, groupKey }) =>
      phase === 't5' && groupKey === 'typo' ? failing('it has no end') : null,
    )
    const { results } = inputsOf(run, 't1-accept:final')
    expect(results.groups['typo']).toEqual({ tasks: 1, pass: 0, fail: 0, unjudged: 0, cancelled: 1 })
    expect(resultOf(run, task)).toMatchObject({
      status: 'cancelled',
      verdict: { verdict: 'fail', issues: ['it has no end'] },
    })
    expect(results.briefs.at(-1)?.key).toBe(task)
  })

  it('sees that a task was left out because a reported output does not exist', async () => {
    const run = await leftOut(({ key }) => (key === task ? { kind: 'done', claims: ['booklet.md'] } : null))
    expect(resultOf(run, task)).toMatchObject({ status: 'cancelled', missing_outputs: ['booklet.md'], verdict: null })
    expect(run.agentOf('t1-accept:final').prompt).toContain('"missing_outputs":["booklet.md"]')
  })

  it('sees the newest results after it has rejected earlier ones', async () => {
    const run = await play(two, {
      otherwise: inTurn(
        ({ phase }) => phase === 't1_accept',
        output({ decision: 'reject', reason: 'too short', workstreams: ['typo'] }),
      ),
    })
    expect(resultOf(run, task)).toMatchObject({ attempt: 2, status: 'verified' })
    expect(resultOf(run, 't4:fix:main:fix-main-a')).toMatchObject({ attempt: 1 })
  })

  it('sees each of many workstreams, in numbers at least', async () => {
    const streams = Array.from({ length: 40 }, (_, index): Stream => ({ id: `s${index}`, path: simple }))
    const run = await play(streams)
    const { results } = inputsOf(run, 't1-accept:final')
    expect(Object.keys(results.groups)).toHaveLength(40)
    expect(results.briefs.length + results.more_briefs).toBe(40)
    expect(new Set(results.briefs.map(({ group }) => group)).size).toBe(results.briefs.length)
  })
})

describe('the squad lead that gives the joint verdict', () => {
  it('gets the outputs, checks and verdicts of the work of its own squad', async () => {
    const run = await play([...two, { id: 'docs', path: medium }])
    const { results } = inputsOf(run, 't3-verdict:fix:main')
    expect(results.groups).toEqual({ fix: { tasks: 2, pass: 2, fail: 0, unjudged: 0, cancelled: 0 } })
    expect(results.briefs).toMatchObject(
      ['a', 'b'].map((name) => ({
        key: `t4:fix:main:fix-main-${name}`,
        status: 'ready_for_verification',
        summary: 'Done.',
        outputs: [{ path: expect.stringMatching(/^t4-.*\.md$/), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
        verdict: { verdict: 'pass' },
      })),
    )
  })

  it('sees a failed verdict', async () => {
    const failed = inTurn(({ key }) => key === 'verify:t4:fix:main:fix-main-b:1', failing('it has no end'))
    const seen: Results[] = []
    const otherwise: Otherwise = (brief, run) => {
      if (brief.phase === 't3_verdict') seen.push(inputsOf(run, brief.key).results)
      return failed(brief, run)
    }
    const run = await play(two, { otherwise })
    expect(run.run.status).toBe('done')
    expect(seen.map(({ groups }) => groups['fix'])).toMatchObject([
      { pass: 1, fail: 1 },
      { pass: 2, fail: 0 },
    ])
    // Work without a passing verdict comes first.
    expect(seen[0]?.briefs[0]).toMatchObject({ attempt: 1, verdict: { verdict: 'fail', issues: ['it has no end'] } })
  })
})
