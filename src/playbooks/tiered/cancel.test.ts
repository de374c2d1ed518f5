import { expect, it } from 'vitest'

import {
  aTask,
  either,
  failing,
  full,
  inTurn,
  medium,
  output,
  playOn,
  simple,
  type Otherwise,
  type Stream,
  teamed,
  wellDone,
} from '../../../test/support/tiered/agents.ts'
import { Play } from '../../../test/support/tiered/engine.ts'
import type { Brief } from '../../work/briefs/contract.ts'

const tasks =
  (...list: readonly unknown[]): Otherwise =>
  (brief) =>
    brief.phase === 't3_plan' && brief.workstream === 'api' ? output({ tasks: list }) : null

/** Until the lead of a squad compares the results. */
function untilVerdict(run: Play, streams: readonly Stream[], otherwise: Otherwise): Brief {
  playOn(run, { streams, otherwise, stopAt: ['t1_plan'] })
  run.approve('t1_plan')
  for (let step = 0; step < 200; step++) {
    const found = run.live().find(({ phase }) => phase === 't3_verdict')
    if (found !== undefined) return found
    for (const brief of run.runnable()) run.launch(brief)
    for (const brief of run.live().filter(({ phase }) => phase !== 't3_verdict'))
      run.end(brief, otherwise(brief, run) ?? wellDone(run, brief, streams))
  }
  throw new Error('nobody ever compared the results')
}

it('goes on from the task list when the operator has taken the only task out before it was released', () => {
  const streams: readonly Stream[] = [
    { id: 'api', path: medium },
    { id: 'docs', path: simple, group: 'B' },
  ]
  const script = { streams, otherwise: tasks(aTask('a')) }
  const run = new Play({ configuration: teamed({ gates: { t3Plan: true } }) }).start()
  playOn(run, { ...script, stopAt: ['t3_plan'] })
  run.cancel(run.brief('t4:api:main:a'))
  expect(run.parts.get('ws:api')?.status).toBe('open')
  playOn(run, script)
  expect(run.brief('t4:docs:main:docs').status).toBe('verified')
  expect(run.run.status).toBe('done')
})

it.each([
  ['passes', []],
  ['fails', [inTurn(({ phase }) => phase === 't5', failing(), failing())]],
])('goes on when every task was taken out while its verdict %s', (_, endings) => {
  const streams: readonly Stream[] = [
    { id: 'api', path: medium },
    { id: 'docs', path: simple, group: 'B' },
  ]
  const otherwise = either(tasks(aTask('a'), aTask('b')), ...endings)
  const run = new Play({ configuration: teamed() }).start()
  const verdict = untilVerdict(run, streams, otherwise)
  run.cancel(run.brief('t4:api:main:a'))
  run.cancel(run.brief('t4:api:main:b'))
  run.end(verdict, wellDone(run, verdict, streams))
  playOn(run, { streams })
  expect(run.run.status).toBe('done')
})

it('does nobody’s work again for a slice that was taken out', () => {
  const streams: readonly Stream[] = [{ id: 'api', path: medium }]
  const fails = inTurn(({ key }) => key.startsWith('verify:t4:api:main:a'), failing())
  const run = new Play({ configuration: teamed() }).start()
  const verdict = untilVerdict(run, streams, either(tasks(aTask('a'), aTask('b')), fails))
  run.cancel(run.brief('t4:api:main:a'))
  run.end(verdict, wellDone(run, verdict, streams))
  expect(run.brief('t4:api:main:b')).toMatchObject({ status: 'verified', attempts: 1 })
})

const chain = tasks(aTask('a'), aTask('b', { depends_on: ['a'] }), aTask('c'))
const aFails: Otherwise = ({ key, verifiesAttempt }) =>
  key.startsWith('verify:t4:api:core:a:') && verifiesAttempt === 1 ? failing() : null
const impatient = teamed({ limits: { retryBudget: 0 } })

it('does again what was built on a slice that is answered from above', () => {
  const streams: readonly Stream[] = [{ id: 'api', path: full }]
  const run = playOn(new Play({ configuration: impatient }).start(), { streams, otherwise: either(chain, aFails) })
  expect(run.of('t4').map(({ key, attempts }) => [key.split(':')[3], attempts])).toEqual([
    ['a', 2],
    ['b', 2],
    ['c', 1],
  ])
  expect(run.run.status).toBe('done')
})

it('does again what was built on a slice that others take over, after those', () => {
  const streams: readonly Stream[] = [{ id: 'api', path: full }]
  const instead = inTurn(
    ({ phase }) => phase === 'resolve',
    output({ decision: 'replace', tasks: [aTask('d')], reason: 'otherwise' }),
  )
  const begun: string[] = []
  const watch: Otherwise = ({ key, phase }) => {
    if (phase === 't4') begun.push(key.split(':')[3] as string)
    return null
  }
  const run = playOn(new Play({ configuration: impatient }).start(), {
    streams,
    otherwise: either(watch, chain, aFails, instead),
  })
  expect(begun).toEqual(['a', 'c', 'b', 'd', 'b'])
  expect(run.run.status).toBe('done')
})
