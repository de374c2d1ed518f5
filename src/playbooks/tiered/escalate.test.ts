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
import { Play } from '../../../test/support/tiered/engine.ts'
import type { Brief } from '../../work/briefs/contract.ts'

const streams: readonly Stream[] = [{ id: 'api', path: full }]
const play = (otherwise: Otherwise, script: Partial<Script> = {}, configuration = teamed()): Play =>
  playOn(new Play({ configuration }).start(), { streams, otherwise, ...script })
const phase =
  (name: string) =>
  (brief: Brief): boolean =>
    brief.phase === name
const asks = { kind: 'blocked', reason: 'which format?' } as const
const climbed = (run: Play): unknown[] => run.lines.filter(({ kind }) => kind === 'escalated').map(({ data }) => data)
const handsUp: Otherwise = ({ phase: name }) =>
  name === 'resolve' ? output({ decision: 'hand_up', reason: 'not mine' }) : null

describe('an implementer who is blocked', () => {
  it('is answered by its squad’s lead at once, and goes on without a retry', () => {
    const run = play(inTurn(phase('t4'), asks))
    expect(climbed(run)).toEqual([{ from: 't4/api', to: 't3/api', class: 'asked' }])
    expect(run.of('t4')[0]).toMatchObject({
      retriesUsed: 0,
      escalations: 1,
      guidance: [{ question: 'which format?', answer: 'do it this way', by: 't3/api' }],
    })
    expect(run.run.status).toBe('done')
  })

  it('is answered one step higher each time', () => {
    const run = play(inTurn(({ key }) => key === 't4:api:core:api-core-a', asks, asks, asks, asks, asks))
    expect(climbed(run)).toMatchObject([
      { to: 't3/api' },
      { to: 't2/api' },
      { to: 't2/lead' },
      { to: 't1' },
      { to: 'operator' },
    ])
    expect(run.questions).toMatchObject([{ text: 'which format?' }])
  })

  it('climbs to the operator where everybody hands it up', () => {
    const run = play(either(handsUp, inTurn(phase('t4'), asks)))
    expect(climbed(run)).toMatchObject([
      { to: 't3/api' },
      { to: 't2/api' },
      { to: 't2/lead' },
      { to: 't1' },
      { to: 'operator' },
    ])
    run.answer(run.questions[0] as never, 'retry')
    playOn(run, { streams })
    expect(run.run.status).toBe('done')
  })

  it('skips the tiers that its path does not have', () => {
    const run = playOn(new Play().start(), {
      streams: [{ id: 'typo', path: simple }],
      otherwise: either(handsUp, inTurn(phase('t4'), asks)),
    })
    expect(climbed(run)).toMatchObject([{ from: 't4/typo', to: 't1' }, { to: 'operator' }])
  })

  it('is replaced by other tasks, and whoever waited for it waits for those', () => {
    const chain = inTurn(phase('t3_plan'), output({ tasks: [aTask('a'), aTask('b', { depends_on: ['a'] })] }))
    const split = inTurn(
      phase('resolve'),
      output({ decision: 'replace', reason: 'too large', tasks: [aTask('a1'), aTask('a2', { depends_on: ['a1'] })] }),
    )
    const run = play(either(chain, inTurn(phase('t4'), asks), split))
    expect(run.of('t4').map(({ key, status }) => `${key} ${status}`)).toEqual([
      't4:api:core:a cancelled',
      't4:api:core:b verified',
      't4:api:core:a1 verified',
      't4:api:core:a2 verified',
    ])
    expect(run.brief('t4:api:core:b').inputs['depends_on']).toEqual(['a1', 'a2'])
    expect(run.run.status).toBe('done')
  })

  it.each(['permission', 'secret', 'budget'] as const)('asks only the operator about a %s', (cause) => {
    const run = play(inTurn(phase('t4'), { kind: 'blocked', reason: 'may I?', class: cause }))
    expect(run.of('resolve')).toEqual([])
    expect(run.questions).toMatchObject([{ class: cause }])
  })
})

describe('bad output', () => {
  it('is sent back as often as patience lasts, and then goes up', () => {
    const bad = { kind: 'bad', detail: 'no tests' } as const
    const run = play(inTurn(({ key }) => key === 't4:api:core:api-core-a', bad, bad, bad, bad))
    expect(climbed(run)).toEqual([{ from: 't4/api', to: 't3/api', class: 'bad_output' }])
    expect(run.brief('t4:api:core:api-core-a')).toMatchObject({ attempts: 5, retriesUsed: 0, escalations: 1 })
  })
})

describe('a squad’s lead who is stuck', () => {
  const empty = output({ tasks: [] })

  it('is replaced by the squads that its architect names', () => {
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
    const run = play(either(inTurn(phase('t3_plan'), empty, empty, empty, empty), others))
    expect(run.of('t3_plan').map(({ key, status, replaces }) => [key, status, replaces])).toEqual([
      ['t3-plan:api:core', 'cancelled', null],
      ['t3-plan:api:x-r2', 'verified', run.brief('t3-plan:api:core').id],
      ['t3-plan:api:y-r2', 'verified', run.brief('t3-plan:api:core').id],
    ])
    expect(run.run.status).toBe('done')
  })

  it('is not replaced by a squad that is there already, nor by one that was', () => {
    const squads = (...ids: readonly string[]) =>
      output({ decision: 'replace', reason: 'others', squads: ids.map((id) => ({ id, name: id, scope: id })) })
    const names: Otherwise = (brief) =>
      brief.phase === 't2_specialist' ? output(aProposal('api', ['web', 'db', 'web-r2'])) : null
    const isWeb = ({ key }: Brief): boolean => key === 't3-plan:api:web'
    const run = play(
      either(
        names,
        inTurn(isWeb, empty, empty, empty, empty),
        inTurn(phase('resolve'), squads('db'), squads('web', 'db-r1')),
      ),
    )
    const [resolve] = run.of('resolve')
    expect(resolve?.corrections.map(({ detail }) => detail)).toEqual(['there is a squad "api/db" already'])
    expect(run.of('t3_plan').map(({ key, replaces }) => [key, replaces !== null])).toEqual([
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

  it('is answered by T1 where there is no architect', () => {
    const run = playOn(new Play().start(), {
      streams: [{ id: 'fix', path: medium }],
      otherwise: inTurn(phase('t3_plan'), empty, empty, empty, empty),
    })
    expect(climbed(run)).toMatchObject([{ from: 't3/fix', to: 't1' }])
    expect(run.run.status).toBe('done')
  })
})

describe('an answer is refused', () => {
  it.each([
    ['that says nothing', { decision: 'answer', reason: 'x' }, 'an answer has to say something in "answer"'],
    ['that replaces by nothing', { decision: 'replace', reason: 'x' }, '"replace" needs tasks'],
    [
      'that makes a task twice',
      { decision: 'replace', reason: 'x', tasks: [aTask('api-core-b')] },
      'there is a task "api-core-b" already',
    ],
  ])('%s', (_, given, fault) => {
    const run = play(either(inTurn(phase('t4'), asks), inTurn(phase('resolve'), output(given))))
    expect(run.of('resolve')[0]?.corrections.map(({ detail }) => detail)).toEqual([fault])
  })

  it('that replaces what cannot be replaced', () => {
    const run = play(
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

describe('a brief that has failed', () => {
  const crash = { kind: 'crash' } as const

  it('is surfaced when its siblings have ended, and then goes up like any other trouble', () => {
    const run = play(inTurn(({ key }) => key === 't4:api:core:api-core-a', crash, crash, crash, crash))
    expect(climbed(run)).toEqual([{ from: 't4/api', to: 't3/api', class: 'crash' }])
    expect(run.brief('t4:api:core:api-core-a')).toMatchObject({
      crashRetries: 0,
      attempts: 5,
      status: 'verified',
    })
    expect(run.run.status).toBe('done')
  })

  it('waits for those that are still at work', () => {
    const run = play(() => null, { stopAt: ['t2_synthesis'] })
    run.approve('t2_synthesis')
    playUntil(run, 't4')
    const [first, second] = run.runnable().map((brief) => run.launch(brief)) as [Brief, Brief]
    for (let turn = 0; turn < 4; turn++) {
      run.end(first, crash)
      if (turn < 3) run.launch(run.brief(first.key))
    }
    expect(climbed(run)).toEqual([])
    expect(run.runnable()).toEqual([])
    run.end(second, { kind: 'done' })
    expect(climbed(run)).toMatchObject([{ to: 't3/api' }])
    expect(run.runnable().map(({ phase: name }) => name)).toEqual(['resolve'])
  })

  it('of T1 stops the run for the operator, who may let it try again', () => {
    const run = play(inTurn(phase('t1_plan'), crash, crash, crash, crash))
    expect(run.run.status).toBe('paused')
    expect(run.questions).toMatchObject([{ brief: null, text: 'T1 has failed: plan. Shall it try again?' }])
    run.answer(run.questions[0] as never, 'retry')
    playOn(run, { streams })
    expect(run.run.status).toBe('done')
  })

  it('of whoever was to decide hands the matter up', () => {
    const run = play(either(inTurn(phase('t4'), asks), inTurn(phase('resolve'), crash, crash, crash, crash)))
    expect(climbed(run)).toMatchObject([{ to: 't3/api' }, { to: 't2/api' }])
    expect(run.run.status).toBe('done')
  })

  it('that the operator gives up fails the run', () => {
    const run = play(
      either(
        handsUp,
        inTurn(({ key }) => key === 't4:api:core:api-core-a', crash, crash, crash, crash),
      ),
    )
    run.answer(run.questions[0] as never, 'abandon')
    expect(run.run.status).toBe('failed')
  })
})

function playUntil(run: Play, name: string): void {
  for (let step = 0; step < 50 && run.of(name).every(({ status }) => status !== 'pending'); step++) {
    for (const brief of run.runnable()) run.launch(brief)
    for (const brief of run.live()) run.end(brief, output({ tasks: [aTask('api-core-a'), aTask('api-core-b')] }))
  }
}

it('does not take a verdict that nobody gave for a good one', () => {
  const crash = { kind: 'crash' } as const
  const run = play(inTurn((brief) => brief.key === 'verify:t4:api:core:api-core-a:1', crash, crash, crash, crash))
  expect(climbed(run)).toMatchObject([{ from: 't4/api', to: 't3/api', class: 'verification' }])
  expect(run.brief('t4:api:core:api-core-a').attempts).toBe(2)
  expect(run.run.status).toBe('done')
})

describe('a brief that the operator cancels', () => {
  it('is a task less', () => {
    const run = play(() => null, { stopAt: ['t2_synthesis'] })
    run.approve('t2_synthesis')
    playUntil(run, 't4')
    run.cancel(run.brief('t4:api:core:api-core-a'))
    playOn(run, { streams })
    expect(run.run.status).toBe('done')
    expect(run.of('t5')).toHaveLength(1)
  })

  it('ends the run where there is no way on without it', () => {
    const run = new Play().start()
    run.cancel(run.brief('t1-plan'))
    expect(run.run).toMatchObject({
      status: 'cancelled',
      summary: '"Plan the work" was cancelled, and nothing goes on without it',
    })
  })
})
