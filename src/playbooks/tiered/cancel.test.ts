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
import { Play } from '../../../test/support/tiered/play.ts'
import type { Brief } from '../../work/briefs/contract.ts'

const tasks =
  (...list: readonly unknown[]): Otherwise =>
  (brief) =>
    brief.phase === 't3_plan' && brief.groupKey === 'api' ? output({ tasks: list }) : null

/** Plays until the lead of a squad compares the results. */
async function untilVerdict(run: Play, streams: readonly Stream[], otherwise: Otherwise): Promise<Brief> {
  await playOn(run, { streams, otherwise, stopAt: ['t1_plan'] })
  await run.approve('t1_plan')
  for (let step = 0; step < 200; step++) {
    const found = run.live().find(({ phase }) => phase === 't3_verdict')
    if (found !== undefined) return found
    await run.launchAll(await run.runnable())
    for (const brief of run.live().filter(({ phase }) => phase !== 't3_verdict'))
      await run.end(brief, otherwise(brief, run) ?? wellDone(run, brief, streams))
  }
  throw new Error('the squad lead never compared the results')
}

it('continues after the task gate when the operator has cancelled the only task', async () => {
  const streams: readonly Stream[] = [
    { id: 'api', path: medium },
    { id: 'docs', path: simple, group: 'B' },
  ]
  const script = { streams, otherwise: tasks(aTask('a')) }
  const run = await Play.start({ team: teamed({ gates: { t3Plan: true } }) })
  await playOn(run, { ...script, stopAt: ['t3_plan'] })
  await run.cancel(run.brief('t4:api:main:a'))
  expect(run.parts.get('ws:api')?.status).toBe('open')
  await playOn(run, script)
  expect(run.brief('t4:docs:main:docs').status).toBe('done')
  expect(run.run.status).toBe('done')
})

it.each([
  ['passes', []],
  ['fails', [inTurn(({ phase }) => phase === 't5', failing(), failing())]],
])('continues when every task was cancelled while its joint verdict %s', async (_, endings) => {
  const streams: readonly Stream[] = [
    { id: 'api', path: medium },
    { id: 'docs', path: simple, group: 'B' },
  ]
  const otherwise = either(tasks(aTask('a'), aTask('b')), ...endings)
  const run = await Play.start({ team: teamed() })
  const verdict = await untilVerdict(run, streams, otherwise)
  await run.cancel(run.brief('t4:api:main:a'))
  await run.cancel(run.brief('t4:api:main:b'))
  await run.end(verdict, wellDone(run, verdict, streams))
  await playOn(run, { streams })
  expect(run.run.status).toBe('done')
})

it('repeats no task for a cancelled slice', async () => {
  const streams: readonly Stream[] = [{ id: 'api', path: medium }]
  const fails = inTurn(({ key }) => key.startsWith('verify:t4:api:main:a'), failing())
  const run = await Play.start({ team: teamed() })
  const verdict = await untilVerdict(run, streams, either(tasks(aTask('a'), aTask('b')), fails))
  await run.cancel(run.brief('t4:api:main:a'))
  await run.end(verdict, wellDone(run, verdict, streams))
  expect(run.brief('t4:api:main:b')).toMatchObject({ status: 'verified', attempts: 1 })
})

const chain = tasks(aTask('a'), aTask('b', { depends_on: ['a'] }), aTask('c'))
const aFails: Otherwise = ({ key, verifiesAttempt }) =>
  key.startsWith('verify:t4:api:core:a:') && verifiesAttempt === 1 ? failing() : null
const impatient = teamed({ limits: { retryBudget: 0 } })

it('repeats the dependents of a slice that is answered from above', async () => {
  const streams: readonly Stream[] = [{ id: 'api', path: full }]
  const run = await playOn(await Play.start({ team: impatient }), { streams, otherwise: either(chain, aFails) })
  expect(run.of('t4').map(({ key, attempts }) => [key.split(':')[3], attempts])).toEqual([
    ['a', 2],
    ['b', 2],
    ['c', 1],
  ])
  expect(run.run.status).toBe('done')
})

it('repeats the dependents of a replaced slice after its replacement', async () => {
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
  const run = await playOn(await Play.start({ team: impatient }), {
    streams,
    otherwise: either(watch, chain, aFails, instead),
  })
  expect(begun).toEqual(['a', 'c', 'b', 'd', 'b'])
  expect(run.run.status).toBe('done')
})
