import { describe, expect, it } from 'vitest'

import { freshFolder } from '../../../test/support/store.ts'
import {
  aTask,
  either,
  full,
  inTurn,
  output,
  playOn,
  simple,
  type Otherwise,
  type Stream,
} from '../../../test/support/tiered/agents.ts'
import { Play, type PlayOptions } from '../../../test/support/tiered/play.ts'
import { operator } from '../../../test/support/work.ts'
import { noLog } from '../../kernel/log.ts'
import { composeOrganisation } from '../../org/compose.ts'
import { agentWork } from '../../work/agent-work.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import type { Question } from '../../work/questions/contract.ts'

const api: readonly Stream[] = [{ id: 'api', path: full }]
const typo: readonly Stream[] = [{ id: 'typo', path: simple }]
const asks = { kind: 'blocked', reason: 'which format?' } as const
const isTask = ({ phase }: Brief): boolean => phase === 't4'
const isFirst = ({ key }: Brief): boolean => key === 't4:api:core:api-core-a'
const decides =
  (value: object): Otherwise =>
  ({ phase, key }) =>
    phase === 'resolve' && !key.startsWith('resolve:qst_') ? output(value) : null
const handsUp = decides({ decision: 'hand_up', reason: 'not mine' })
const wayOf = ({ hops }: Question): string[] =>
  hops.map(({ rank, from, to, skipped }) => `${rank} ${from} → ${to}${skipped === undefined ? '' : ` (${skipped})`}`)

const play = async (streams: readonly Stream[], otherwise: Otherwise, options: PlayOptions = {}): Promise<Play> =>
  playOn(await Play.start(options), { streams, otherwise })

/** Gives the organisation of a run a lead seat, with an agent on it if it has a name. */
async function addLead(run: Play, name: string | null): Promise<void> {
  const { db, clock } = run
  const org = composeOrganisation({ db, clock, log: noLog, work: agentWork, data: freshFolder() })
  const { positionId } = await org.positions.create(operator, 'Development', {
    title: 'Principal Architect',
    role: 'architect',
    level: 1,
    reportsTo: null,
    escalatesTo: null,
    isCrossCutting: false,
  })
  await org.organisations.update(operator, 'Development', { leadPositionId: positionId })
  if (name === null) return
  const who = { name, role: 'architect', type: 'agent', subtype: 'internal', canCreateChannel: false } as const
  await org.personas.create(operator, who)
  await org.assignments.assign(operator, positionId, name.toLowerCase(), false)
}

describe('the question of a stuck brief', () => {
  it('climbs the tiers as one row, with a step at each tier', async () => {
    const run = await play(api, either(handsUp, inTurn(isFirst, asks)))
    const [question] = run.questions as [Question]
    expect(question).toMatchObject({ status: 'with_operator', askedBy: 't4/api', text: 'which format?' })
    expect(wayOf(question)).toEqual([
      '1 t4/api → t3/api',
      '2 t3/api → t2/api',
      '3 t2/api → t2/lead',
      '4 t2/lead → t1',
      '5 t1 → operator',
    ])
    const steps = run.of('resolve')
    expect(steps.map(({ data }) => data['label'])).toEqual([
      'resolve (t3/api)',
      'resolve (t2/api)',
      'resolve (t2/lead)',
      'resolve (t1)',
    ])
    expect(steps.map(({ inputs }) => inputs['handed_up_because'])).toEqual([
      undefined,
      'not mine',
      'not mine',
      'not mine',
    ])
    expect(steps.map(({ inputs }) => inputs['reason'])).toEqual(steps.map(() => 'which format?'))
    await run.check()
  })

  it('goes to the lead of the organisation after T1, and the operator is not asked if the lead answers', async () => {
    const started = await Play.start({ alone: true })
    await addLead(started, 'Robbo')
    const isLead: Otherwise = ({ key }) =>
      key.startsWith('resolve:qst_') ? output({ decision: 'answer', answer: 'as JSON', reason: 'known' }) : null
    const run = await playOn(started, { streams: typo, otherwise: either(isLead, handsUp, inTurn(isTask, asks)) })
    expect(run.escalations()).toEqual([
      { from: 't4/typo', to: 't1', class: 'asked' },
      { from: 't1', to: 'lead:Principal Architect', class: 'asked' },
    ])
    expect(run.of('t4')[0]?.guidance).toMatchObject([{ question: 'which format?', answer: 'as JSON' }])
    expect(run.run).toMatchObject({ status: 'done', questionsOpen: 0 })
    await run.check()
    await run.close()
  })

  it('skips the vacant seat of the lead and records the reason', async () => {
    const started = await Play.start({ alone: true })
    await addLead(started, null)
    const run = await playOn(started, { streams: typo, otherwise: either(handsUp, inTurn(isTask, asks)) })
    expect(wayOf(run.questions[0] as Question)).toEqual([
      '1 t4/typo → t1',
      '2 t1 → lead:Principal Architect (vacant)',
      '3 t1 → operator',
    ])
    await run.close()
  })

  it('can be answered by the operator while a tier has it; the step of the tier is cancelled', async () => {
    const run = await Play.start()
    let isAsked = false
    const blocks: Otherwise = (brief) => {
      if (!isTask(brief) || isAsked) return null
      isAsked = true
      return asks
    }
    await playOn(run, { streams: typo, otherwise: blocks, stopAt: [] }, 5_000, () => run.of('resolve').length > 0)
    const [question] = run.questions as [Question]
    expect(question).toMatchObject({ status: 'with_lead', resolveBriefId: run.of('resolve')[0]?.id })
    await run.answer(question, 'retry')
    expect(run.of('resolve').map(({ status }) => status)).toEqual(['cancelled'])
    await playOn(run, { streams: typo })
    expect(run.run).toMatchObject({ status: 'done', questionsOpen: 0 })
    expect(run.of('t4')[0]).toMatchObject({ escalations: 0 })
  })

  it('is withdrawn when a tier replaces the work', async () => {
    const split = decides({ decision: 'replace', reason: 'too large', tasks: [aTask('a1')] })
    const run = await play(api, either(inTurn(isFirst, asks), split))
    expect(run.run).toMatchObject({ status: 'done', questionsOpen: 0 })
    expect(
      run.lines.filter(({ kind }) => /^question_(answered|withdrawn)$/.test(kind)).map(({ kind }) => kind),
    ).toEqual(['question_withdrawn'])
    expect(run.of('resolve').map(({ status }) => status)).toEqual(['done'])
  })

  it.each(['abandon', 'Give up'])('climbs further if a tier answers "%s"', async (answer) => {
    const run = await play(typo, either(decides({ decision: 'answer', answer, reason: 'x' }), inTurn(isTask, asks)))
    expect(wayOf(run.questions[0] as Question)).toEqual(['1 t4/typo → t1', '2 t1 → operator'])
    expect(run.run).toMatchObject({ status: 'running', abandoned: false })
  })

  it('climbs to the operator if the step of T1 fails, without a second question', async () => {
    const crash = { kind: 'crash' } as const
    const isResolve = ({ phase }: Brief): boolean => phase === 'resolve'
    const run = await play(typo, either(inTurn(isTask, asks), inTurn(isResolve, crash, crash, crash, crash)))
    expect(run.questions.map(wayOf)).toEqual([['1 t4/typo → t1', '2 t1 → operator']])
    expect(run.run).toMatchObject({ status: 'running', briefsFailed: 0 })
  })

  it('is routed in the order in which the briefs were blocked', async () => {
    const run = await play(api, either(handsUp, inTurn(isTask, asks, { kind: 'blocked', reason: 'which port?' })))
    const ofKind = (kind: string) =>
      run.lines.filter((line) => line.kind === kind).map(({ data }) => data['question_id'])
    const asked = ofKind('question_asked')
    expect(asked).toHaveLength(2)
    expect([...new Set(ofKind('question_routed'))]).toEqual(asked)
  })

  it('opens a gate when the operator has answered the same question twice', async () => {
    const run = await play(typo, either(handsUp, inTurn(isTask, asks, asks, asks)))
    for (const _ of [1, 2]) {
      await run.answer(run.questions[0] as Question, 'retry')
      await playOn(run, { streams: typo, otherwise: either(handsUp, inTurn(isTask, asks)), stopAt: ['escalation'] })
    }
    const [held] = run.questions
    expect(run.questions).toMatchObject([{ status: 'with_operator' }])
    const summary = { anomalies: ['asked 3 times'], questionId: held?.id }
    expect(run.pendingGates()).toMatchObject([{ gate: 'escalation', summary }])
  })
})
