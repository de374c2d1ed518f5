import { describe, expect, it } from 'vitest'

import {
  aProposal,
  aTask,
  either,
  full,
  inTurn,
  medium,
  type Otherwise,
  output,
  playOn,
  type Script,
  simple,
  type Stream,
  teamed,
} from '../../../test/support/tiered/agents.ts'
import { Play } from '../../../test/support/tiered/play.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import type { Question } from '../../work/questions/contract.ts'

const streams: readonly Stream[] = [{ id: 'api', path: full }]
const play = async (otherwise: Otherwise, script: Partial<Script> = {}, team = teamed()): Promise<Play> =>
  playOn(await Play.start({ team }), { streams, otherwise, ...script })
const phase =
  (name: string) =>
  (brief: Brief): boolean =>
    brief.phase === name
const asks = { kind: 'blocked', reason: 'which format?' } as const
const climbed = (run: Play): unknown[] => [...run.escalations()]
const handsUp: Otherwise = ({ phase: name }) =>
  name === 'resolve' ? output({ decision: 'hand_up', reason: 'not mine' }) : null

describe('a blocked implementer', () => {
  it('is answered by its squad lead at once, and continues without a retry', async () => {
    const run = await play(inTurn(phase('t4'), asks))
    expect(climbed(run)).toEqual([{ from: 't4/api', to: 't3/api', class: 'asked' }])
    expect(run.of('t4')[0]).toMatchObject({
      retriesUsed: 0,
      escalations: 1,
      guidance: [{ question: 'which format?', answer: 'do it this way', by: 't3/api' }],
    })
    expect(run.run.status).toBe('done')
  })

  it('is answered by a higher tier each time', async () => {
    const run = await play(inTurn(({ key }) => key === 't4:api:core:api-core-a', asks, asks, asks, asks, asks))
    expect(climbed(run)).toMatchObject([
      { to: 't3/api' },
      { to: 't2/api' },
      { to: 't2/lead' },
      { to: 't1' },
      { to: 'operator' },
    ])
    expect(run.questions).toMatchObject([{ text: 'which format?' }])
  })

  it('reaches the operator when every tier hands the decision up', async () => {
    const run = await play(either(handsUp, inTurn(phase('t4'), asks)))
    expect(climbed(run)).toMatchObject([
      { to: 't3/api' },
      { to: 't2/api' },
      { to: 't2/lead' },
      { to: 't1' },
      { to: 'operator' },
    ])
    await run.answer(run.questions[0] as Question, 'retry')
    await playOn(run, { streams })
    expect(run.run.status).toBe('done')
  })

  it('asks the operator once, also if the brief that handed the decision up is cancelled', async () => {
    const run = await play(either(handsUp, inTurn(phase('t4'), asks)))
    for (const resolved of run.of('resolve')) await run.cancel(resolved)
    expect(run.questions).toHaveLength(1)
    expect(climbed(run)).toHaveLength(5)
  })

  it('skips the tiers that are not on its path', async () => {
    const run = await playOn(await Play.start(), {
      streams: [{ id: 'typo', path: simple }],
      otherwise: either(handsUp, inTurn(phase('t4'), asks)),
    })
    expect(climbed(run)).toMatchObject([{ from: 't4/typo', to: 't1' }, { to: 'operator' }])
  })

  it('is replaced by other tasks, and its dependents wait for those', async () => {
    const chain = inTurn(phase('t3_plan'), output({ tasks: [aTask('a'), aTask('b', { depends_on: ['a'] })] }))
    const split = inTurn(
      phase('resolve'),
      output({ decision: 'replace', reason: 'too large', tasks: [aTask('a1'), aTask('a2', { depends_on: ['a1'] })] }),
    )
    const run = await play(either(chain, inTurn(phase('t4'), asks), split))
    expect(run.of('t4').map(({ key, status }) => `${key} ${status}`)).toEqual([
      't4:api:core:a cancelled',
      't4:api:core:b done',
      't4:api:core:a1 done',
      't4:api:core:a2 done',
    ])
    expect(run.brief('t4:api:core:b').inputs['depends_on']).toEqual(['a1', 'a2'])
    expect(run.run.status).toBe('done')
  })

  it('is not replaced again and again by more tasks than start without a question', async () => {
    const names = ['a', 'b', 'c', 'd']
    const chain = inTurn(phase('t3_plan'), output({ tasks: names.map((name) => aTask(name)) }))
    const stuck: Otherwise = ({ phase: name, key, attempts }) =>
      name === 't4' && names.some((each) => key.endsWith(`:${each}`)) && attempts <= 1 ? asks : null
    const many = (name: string) => Array.from({ length: 30 }, (_, index) => aTask(`${name}${index}`))
    const split: Otherwise = ({ phase: name, key }) =>
      name === 'resolve'
        ? output({
            decision: 'replace',
            reason: 'too large',
            tasks: many(/:core:(\w):/.exec(key)?.[1] ?? 'x'),
          })
        : null
    const run = await play(either(chain, stuck, split))
    const living = run.of('t4').filter(({ status }) => status !== 'cancelled')
    expect(living.length).toBeLessThanOrEqual(40)
    expect(run.questions.length).toBeGreaterThan(0)
  })

  it('is named at the merge gate if other tasks replaced it, with the evidence that went and came', async () => {
    const proof = (path: string, contains?: string) => ({
      kind: 'file' as const,
      path,
      ...(contains === undefined ? {} : { contains }),
    })
    const strict = inTurn(
      phase('t3_plan'),
      output({ tasks: [aTask('a', { evidence_required: [proof('proof.md', 'all tests pass')] })] }),
    )
    const trivial = inTurn(
      phase('resolve'),
      output({
        decision: 'replace',
        reason: 'simpler',
        tasks: [aTask('easy', { evidence_required: [proof('proof.md')] })],
      }),
    )
    const run = await playOn(await Play.start({ inRepository: true }), {
      streams,
      otherwise: either(strict, inTurn(phase('t4'), asks), trivial),
      stopAt: ['merge'],
    })
    expect(run.pendingGates()[0]?.summary.anomalies).toContain(
      't4:api:core:a was replaced by t4:api:core:easy (t3/api: simpler); its evidence was file proof.md (at least 1 byte, contains "all tests pass") and is file proof.md (at least 1 byte)',
    )
  })

  it('is named with its evidence kept if the replacement asks for the same', async () => {
    const same = { evidence_required: [{ kind: 'file' as const, path: 'proof.md' }] }
    const run = await playOn(await Play.start({ inRepository: true }), {
      streams,
      otherwise: either(
        inTurn(phase('t3_plan'), output({ tasks: [aTask('a', same)] })),
        inTurn(phase('t4'), asks),
        inTurn(phase('resolve'), output({ decision: 'replace', reason: 'smaller', tasks: [aTask('a1', same)] })),
      ),
      stopAt: ['merge'],
    })
    expect(run.pendingGates()[0]?.summary.anomalies).toContain(
      't4:api:core:a was replaced by t4:api:core:a1 (t3/api: smaller); its evidence is kept',
    )
  })

  const stops = {
    permission: { kind: 'denied', what: 'delete the database' },
    secret: { kind: 'secret' },
    budget: { kind: 'overspent' },
  } as const

  it.each(['permission', 'secret', 'budget'] as const)('asks only the operator about a %s', async (cause) => {
    const started = await Play.start({ inRepository: true, tokenBudget: 1e8, alone: true })
    const run = await playOn(started, { streams, otherwise: inTurn(phase('t4'), stops[cause]) })
    expect(run.of('resolve')).toEqual([])
    expect(run.questions).toMatchObject([{ class: cause }])
  })
})

describe('bad output', () => {
  it('is sent back until the retry budget is used up, and then escalated', async () => {
    const bad = { kind: 'bad' } as const
    const run = await play(inTurn(({ key }) => key === 't4:api:core:api-core-a', bad, bad, bad, bad))
    expect(climbed(run)).toEqual([{ from: 't4/api', to: 't3/api', class: 'bad_output' }])
    expect(run.brief('t4:api:core:api-core-a')).toMatchObject({ attempts: 5, retriesUsed: 0, escalations: 1 })
  })
})

describe('a blocked squad lead', () => {
  const empty = output({ tasks: [] })

  it('is replaced by the squads that its specialist names', async () => {
    const others = inTurn(
      phase('resolve'),
      output({
        decision: 'replace',
        reason: 'two things',
        squads: [
          { id: 'x', name: 'X', scope: 'x' },
          { id: 'y', name: 'Y', scope: 'y' },
        ],
      }),
    )
    const run = await play(either(inTurn(phase('t3_plan'), empty, empty, empty, empty), others))
    expect(run.of('t3_plan').map(({ key, status, data }) => [key, status, data['replaces']])).toEqual([
      ['t3-plan:api:core', 'cancelled', null],
      ['t3-plan:api:x-r2', 'done', run.brief('t3-plan:api:core').id],
      ['t3-plan:api:y-r2', 'done', run.brief('t3-plan:api:core').id],
    ])
    expect(run.run.status).toBe('done')
  })

  it('is not replaced by a squad with the name of a present or earlier one', async () => {
    const squads = (...ids: readonly string[]) =>
      output({ decision: 'replace', reason: 'others', squads: ids.map((id) => ({ id, name: id, scope: id })) })
    const names: Otherwise = (brief) =>
      brief.phase === 't2_specialist' ? output(aProposal('api', ['web', 'db', 'web-r2'])) : null
    const isWeb = ({ key }: Brief): boolean => key === 't3-plan:api:web'
    const run = await play(
      either(
        names,
        inTurn(isWeb, empty, empty, empty, empty),
        inTurn(phase('resolve'), squads('db'), squads('web', 'db-r1')),
      ),
    )
    const [resolve] = run.of('resolve')
    expect(resolve?.corrections.map(({ detail }) => detail)).toEqual(['there is a squad "api/db" already'])
    expect(run.of('t3_plan').map(({ key, data }) => [key, data['replaces'] !== null])).toEqual([
      ['t3-plan:api:web', false],
      ['t3-plan:api:db', false],
      ['t3-plan:api:web-r2', false],
      ['t3-plan:api:db-r2', false],
      ['t3-plan:api:web-2-r2', false],
      ['t3-plan:api:web-3-r2', true],
      ['t3-plan:api:db-2-r2', true],
    ])
    expect(run.run.status).toBe('done')
  })

  it('is answered by T1 when its path has no T2', async () => {
    const run = await playOn(await Play.start(), {
      streams: [{ id: 'fix', path: medium }],
      otherwise: inTurn(phase('t3_plan'), empty, empty, empty, empty),
    })
    expect(climbed(run)).toMatchObject([{ from: 't3/fix', to: 't1' }])
    expect(run.run.status).toBe('done')
  })
})

describe('the faults of a resolution', () => {
  it.each([
    ['an answer without text', { decision: 'answer', reason: 'x' }, 'the decision "answer" needs text in "answer"'],
    ['a replacement without tasks', { decision: 'replace', reason: 'x' }, '"replace" needs tasks'],
    [
      'a replacement with the id of another task',
      { decision: 'replace', reason: 'x', tasks: [aTask('api-core-b')] },
      'there is a task "api-core-b" already',
    ],
  ])('%s', async (_, given, fault) => {
    const run = await play(either(inTurn(phase('t4'), asks), inTurn(phase('resolve'), output(given))))
    expect(run.of('resolve')[0]?.corrections.map(({ detail }) => detail)).toEqual([fault])
  })

  it('a replacement of work that cannot be replaced', async () => {
    const run = await play(
      either(
        inTurn(phase('t2_specialist'), asks),
        inTurn(phase('resolve'), output({ decision: 'replace', reason: 'x', tasks: [aTask('z')] })),
      ),
    )
    expect(run.of('resolve')[0]?.corrections).toMatchObject([
      { detail: 'this cannot be replaced: answer it, or hand it up' },
    ])
    expect(climbed(run)).toMatchObject([{ from: 't2/api', to: 't2/lead' }])
  })
})

describe('a failed brief', () => {
  const crash = { kind: 'crash' } as const

  it('is escalated after the running attempts have ended', async () => {
    const run = await play(inTurn(({ key }) => key === 't4:api:core:api-core-a', crash, crash, crash, crash))
    expect(climbed(run)).toEqual([{ from: 't4/api', to: 't3/api', class: 'crash' }])
    expect(run.brief('t4:api:core:api-core-a')).toMatchObject({
      crashRetries: 0,
      attempts: 5,
      status: 'done',
    })
    expect(run.run.status).toBe('done')
  })

  it('waits for the attempts that are still running', async () => {
    const run = await play(() => null, { stopAt: ['t2_synthesis'] })
    await run.approve('t2_synthesis')
    await playUntil(run, 't4')
    const [first, second] = (await run.launchAll(await run.runnable())) as [Brief, Brief]
    for (let turn = 0; turn < 4; turn++) {
      await run.end(first, crash)
      if (turn < 3) await run.launch(run.brief(first.key))
    }
    expect(climbed(run)).toEqual([])
    expect(await run.runnable()).toEqual([])
    await run.end(second, { kind: 'done' })
    expect(climbed(run)).toMatchObject([{ to: 't3/api' }])
    expect((await run.runnable()).map(({ phase: name }) => name)).toEqual(['resolve'])
  })

  it('of T1 pauses the run until the operator lets T1 try again', async () => {
    const run = await play(inTurn(phase('t1_plan'), crash, crash, crash, crash))
    expect(run.run.status).toBe('paused')
    expect(run.questions).toMatchObject([{ briefId: null, text: 'T1 has failed: plan. Try again?' }])
    await run.answer(run.questions[0] as Question, 'retry')
    await playOn(run, { streams })
    expect(run.run.status).toBe('done')
  })

  it('of a tier that was to decide hands the decision up', async () => {
    const run = await play(either(inTurn(phase('t4'), asks), inTurn(phase('resolve'), crash, crash, crash, crash)))
    expect(climbed(run)).toMatchObject([{ to: 't3/api' }, { to: 't2/api' }])
    expect(run.run.status).toBe('done')
  })

  it('fails the run when the operator abandons it', async () => {
    const run = await play(
      either(
        handsUp,
        inTurn(({ key }) => key === 't4:api:core:api-core-a', crash, crash, crash, crash),
      ),
    )
    await run.answer(run.questions[0] as Question, 'abandon')
    expect(run.run.status).toBe('failed')
  })
})

async function playUntil(run: Play, name: string): Promise<void> {
  for (let step = 0; step < 50 && run.of(name).every(({ status }) => status !== 'pending'); step++) {
    await run.launchAll(await run.runnable())
    for (const brief of run.live()) await run.end(brief, output({ tasks: [aTask('api-core-a'), aTask('api-core-b')] }))
  }
}

it('escalates a task whose verifier failed instead of passing it', async () => {
  const crash = { kind: 'crash' } as const
  const run = await play(inTurn((brief) => brief.key === 'verify:t4:api:core:api-core-a:1', crash, crash, crash, crash))
  expect(climbed(run)).toMatchObject([{ from: 't4/api', to: 't3/api', class: 'verification' }])
  expect(run.brief('t4:api:core:api-core-a').attempts).toBe(2)
  expect(run.run.status).toBe('done')
})

describe('a brief that the operator cancels', () => {
  it('is left out of the run if it is a task', async () => {
    const run = await play(() => null, { stopAt: ['t2_synthesis'] })
    await run.approve('t2_synthesis')
    await playUntil(run, 't4')
    await run.cancel(run.brief('t4:api:core:api-core-a'))
    await playOn(run, { streams })
    expect(run.run.status).toBe('done')
    expect(run.of('t5')).toHaveLength(1)
  })

  it('ends the run if it is a step', async () => {
    const run = await Play.start()
    await run.cancel(run.brief('t1-plan'))
    expect(run.run).toMatchObject({
      status: 'cancelled',
      summary: '"Plan the work" was cancelled, and the run cannot continue without it',
    })
  })
})
