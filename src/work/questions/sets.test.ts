import { expect, it } from 'vitest'

import { openAgency, startAgency, type TestAgency, work } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { createVirtualClock } from '../../../test/support/virtual-clock.ts'
import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import type { Run } from '../runs/contract.ts'
import { openScope } from '../scope.ts'
import { systemIds } from '../../kernel/ids.ts'
import { direct } from '../../playbooks/direct/decide.ts'
import { parseInput } from '../../server/input.ts'
import { Report } from '../attempts/contract.ts'
import { withdrawQuestion } from './ask.ts'
import type { Question } from './contract.ts'

const report = (questions: readonly object[], via: 'http' | 'file' | 'stdout' = 'http'): StepInput => ({
  report: { status: 'blocked', summary: 'I need decisions.', questions, via },
})
const three: StepInput[] = [
  report([
    {
      text: 'Which colour should the river have?',
      options: [
        { key: 'blue', label: 'Blue', detail: '' },
        { key: 'green', label: 'Green', detail: '' },
      ],
      recommendation: 'blue',
    },
    { text: 'Which colour should the trees have?', risk: 'low' },
    { text: 'How long is the poem?', context: 'Lines, not words.' },
  ]),
]
const four = { onLimit: 'ask', play: [three, work] } as const

const listed = async (agency: TestAgency, run: Run): Promise<Question[]> =>
  (await agency.questions.list({ runId: run.id, all: true, limit: 20 })).questions.toReversed()
const setOf = (agency: TestAgency, run: Run, size = 3): Promise<Question[]> =>
  agency.until(async () => {
    const questions = await listed(agency, run)
    return questions.length >= size && questions.every(({ status }) => status !== 'open') && questions
  })
const answer = (agency: TestAgency, question: Question | undefined, text: string): Promise<Question> =>
  agency.questions.answer(operator, question?.id ?? '', text)
const statusOf = async (agency: TestAgency, run: Run): Promise<string> => (await agency.brief(run)).status

describeStores('the questions of one report', (openFresh) => {
  it('become one question each, in their order, with the attempt that asked them', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run(four)
    const questions = await setOf(agency, run)
    const [attempt] = (await agency.inspect(run)).attempts
    expect(questions.map(({ text }) => text)).toEqual([
      'Which colour should the river have?',
      'Which colour should the trees have?',
      'How long is the poem?',
    ])
    expect(new Set(questions.map(({ attemptId }) => attemptId))).toEqual(new Set([attempt?.id]))
    expect(questions).toMatchObject([{ recommendation: 'blue' }, { risk: 'low' }, { context: 'Lines, not words.' }])
    expect(await agency.runs.show(run.id)).toMatchObject({ questionsOpen: 3 })
  })

  it('may be answered in any order; the brief continues with all answers after the last one', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run(four)
    const [river, trees, length] = await setOf(agency, run)
    await answer(agency, length, 'Three lines')
    await answer(agency, river, 'green')
    await agency.engine.sweep()
    await agency.engine.idle()
    expect(await agency.brief(run)).toMatchObject({ status: 'blocked', attempts: 1 })
    await answer(agency, trees, 'Red')
    expect(await agency.settled(run)).toMatchObject({ status: 'done', questionsOpen: 0 })
    const { attemptId } = await agency.brief(run)
    for (const each of ['Three lines', 'Green', 'Red'])
      expect(agency.prompts.get(attemptId ?? '')).toContain(`operator: ${each}`)
  })

  it('do not count as repetitions of each other, and of an earlier set only once', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ onLimit: 'ask', play: [three, three, work] })
    for (const question of await setOf(agency, run)) await answer(agency, question, 'Your choice')
    const again = (await setOf(agency, run, 6)).filter(({ answeredAt }) => answeredAt === null)
    expect(await agency.brief(run)).toMatchObject({ similarEscalations: 1, attempts: 2 })
    for (const question of again) await answer(agency, question, 'Your choice')
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
  })

  it('end with the brief when one of them is answered by giving up', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run(four)
    const [, trees] = await setOf(agency, run)
    await answer(agency, trees, 'abandon')
    expect(await agency.settled(run)).toMatchObject({ status: 'failed', questionsOpen: 0 })
    expect((await listed(agency, run)).map(({ status }) => status)).toEqual(['withdrawn', 'answered', 'withdrawn'])
  })

  it('end with the brief also while another brief is at work, so that no later answer continues it', async () => {
    const agency = await startAgency(openFresh)
    const other = agency.gate('other')
    const brief = (key: string, ...attempts: (readonly StepInput[])[]) => ({
      key,
      objective: `Do ${key}`,
      runtimeOptions: { scenario: { attempts: attempts.map((steps) => [...steps]) } },
    })
    const briefs = [brief('a', three, work), brief('b', [{ log: 'gate other' }, ...work])]
    const run = await agency.run({ onLimit: 'ask', briefs })
    await other.reached
    const [river, trees, length] = await setOf(agency, run)
    await answer(agency, trees, 'abandon')
    for (const question of [river, length])
      await expect(answer(agency, question, 'Red')).rejects.toMatchObject({ code: 'illegal_transition' })
    expect(await agency.brief(run, 'a')).toMatchObject({ status: 'failed', attempts: 1 })
    other.open()
    expect(await agency.settled(run)).toMatchObject({ status: 'failed', questionsOpen: 0 })
  })

  it('can be answered after the first of them was withdrawn', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run(four)
    const [river, trees, length] = await setOf(agency, run)
    await withdraw(agency, run, river)
    expect(await answer(agency, trees, 'Red')).toMatchObject({ status: 'answered' })
    expect(await statusOf(agency, run)).toBe('blocked')
    await expect(answer(agency, river, 'blue')).rejects.toMatchObject({ code: 'illegal_transition' })
    await answer(agency, length, 'Three lines')
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
  })
})

const withdraw = (agency: TestAgency, run: Run, question: Question | undefined): Promise<void> =>
  agency.db.write([`run:${run.id}`], async (tx) => {
    const parts = { ids: systemIds, playbooks: new Map([['direct', direct]]), decide: async () => {} }
    const scope = await openScope(parts, tx, run.id)
    if (scope !== null) await withdrawQuestion(scope, question?.id ?? '')
  })

describeStores('a report with an empty question', (openFresh) => {
  const ten = Array.from({ length: 10 }, (_, index) => ({ text: index === 6 ? '  ' : `Question of chapter ${index}?` }))

  for (const via of ['file', 'stdout'] as const)
    it(`names it, stores nothing, and lets the agent report again (${via})`, async () => {
      const agency = await startAgency(openFresh)
      const run = await agency.run({ onLimit: 'ask', play: [[report(ten, via)], three, work] })
      const questions = await setOf(agency, run)
      expect(questions).toHaveLength(3)
      const { attempts } = await agency.inspect(run)
      expect(attempts[0]).toMatchObject({
        outcome: 'bad_output',
        report: null,
        detail: expect.stringContaining('question 7 of 10 is empty: say what is to be decided'),
      })
      expect((await agency.events(run)).filter(({ kind }) => kind === 'question_asked')).toHaveLength(3)
    })

  it('is refused at once where it is sent as a request', () => {
    const sent = { status: 'blocked', summary: 'Help', questions: ten }
    expect(() => parseInput(Report, sent)).toThrow(
      'questions.6.text: question 7 of 10 is empty: say what is to be decided',
    )
  })

  it('is refused like one with more than ten questions, or with one beside the list', async () => {
    const agency = await startAgency(openFresh)
    const eleven = [
      report(
        Array.from({ length: 11 }, (_, index) => ({ text: `Question ${index}?` })),
        'file',
      ),
    ]
    const both: StepInput[] = [
      {
        report: {
          status: 'blocked',
          summary: 'Help',
          question: { text: 'One?' },
          questions: [{ text: 'Two?' }],
          via: 'file',
        },
      },
    ]
    const run = await agency.run({ onLimit: 'ask', play: [eleven, both, three] })
    await setOf(agency, run)
    const { attempts } = await agency.inspect(run)
    expect(attempts.map(({ outcome, detail }) => [outcome, detail])).toMatchObject([
      ['bad_output', expect.stringContaining('questions')],
      ['bad_output', expect.stringContaining('give one "question", or all of them in "questions"')],
      ['blocked', 'I need decisions.'],
    ])
  })
})

describeStores('a daemon that dies', (openFresh) => {
  for (const point of ['agent.reported', 'agent.exited', 'attempt.ended'] as const)
    it(`at ${point} has asked each question of a report once after its restart`, async () => {
      const clock = createVirtualClock()
      const store = await openFresh({ clock })
      let kill: () => void = () => {}
      const first = await openAgency({
        db: store.db,
        clock,
        chaosPoint: (passed) => {
          if (passed === point) kill()
        },
      })
      kill = first.die
      await first.engine.start()
      const run = await first.run(four)
      await first.passed(point)
      const second = await openAgency({ db: store.db, clock, worker: 'test:2' })
      clock.advance(10 * 60_000)
      await second.engine.start()
      const questions = await setOf(second, run)
      expect(questions).toHaveLength(3)
      expect(await second.runs.show(run.id)).toMatchObject({ questionsOpen: 3 })
      for (const question of questions) await answer(second, question, 'Yes')
      expect(await second.settled(run)).toMatchObject({ status: 'done' })
    })
})
