import { expect, it } from 'vitest'
import { z } from 'zod'

import { type AgencyOptions, type StartRun, startAgency, type TestAgency, work } from '../../../test/support/agency.ts'
import { bundledPrompt } from '../../../test/support/prompts.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import type { Decision, Playbook, PlaybookEvent } from '../../playbooks/contract.ts'
import { direct } from '../../playbooks/direct/decide.ts'
import type { Run } from '../runs/contract.ts'
import type { Question, Rung } from './contract.ts'

type Event<Kind extends PlaybookEvent['kind']> = Extract<PlaybookEvent, { kind: Kind }>

/** The playbook `direct` with further rules; an event for which they have none is direct's. */
const directWith = (
  rules: { [Kind in PlaybookEvent['kind']]?: (event: Event<Kind>) => readonly Decision[] | undefined },
  more: Partial<Playbook> = {},
): Playbook => ({
  ...direct,
  ...more,
  decide: (view, event) =>
    (rules[event.kind] as ((event: PlaybookEvent) => readonly Decision[] | undefined) | undefined)?.(event) ??
    direct.decide(view, event),
})

const colour: StepInput[] = [
  { report: { status: 'blocked', summary: 'Stuck.', question: { text: 'Which colour should the river have?' } } },
]
const three: StepInput[] = [
  {
    report: {
      status: 'blocked',
      summary: 'Stuck.',
      questions: [{ text: 'Which colour?' }, { text: 'How many lines?' }, { text: 'Who reads it?' }],
    },
  },
]
const asking = (first: StepInput[], more: Partial<StartRun> = {}): StartRun => ({
  onLimit: 'ask',
  play: [first, work],
  ...more,
})

const listed = async (agency: TestAgency, run: Run): Promise<Question[]> =>
  (await agency.questions.list({ runId: run.id, all: true, limit: 20 })).questions.toReversed()
const waiting = (agency: TestAgency, run: Run, isIt: (question: Question) => boolean = () => true): Promise<Question> =>
  agency.until(async () =>
    (await listed(agency, run)).find((each) => each.status === 'with_operator' && isIt(each) && each),
  )
const answer = (agency: TestAgency, { id }: Question, text: string) => agency.questions.answer(operator, id, text)
const wayOf = ({ hops }: Question): string[] =>
  hops.map(({ from, to, skipped }) => `${from} → ${to}${skipped === undefined ? '' : ` (${skipped})`}`)

describeStores('a playbook that decides the meaning of answers', (openFresh) => {
  const withPlaybook = (playbook: Playbook, options: Partial<AgencyOptions> = {}) =>
    startAgency(openFresh, { playbooks: [playbook], ...options })

  /** Asks again whether the operator is sure, in its own words, and continues only then. */
  const careful = (told: Event<'question_answered'>[] = []): Playbook =>
    directWith(
      {
        question_answered: (event) => {
          told.push(event)
          const { question, brief, key, answer: said, by } = event
          if (question.key === null)
            return [
              {
                kind: 'ask',
                brief,
                class: 'asked',
                reason: 'unused',
                wording: {
                  key: 'sure',
                  text: `Is "${said}" really meant?`,
                  context: 'Asked twice.',
                  kind: 'conflict',
                  options: [
                    { key: 'yes', label: 'Yes', detail: '' },
                    { key: 'no', label: 'No', detail: 'It fails.' },
                  ],
                  recommendation: 'yes',
                  risk: 'high',
                },
              },
            ]
          return key === 'no'
            ? [{ kind: 'fail_brief', brief, reason: 'the operator was not sure' }]
            : [{ kind: 'release_brief', brief, by, guidance: { question: question.text, answer: said, by } }]
        },
      },
      { decidesAnswer: ({ class: cause }) => cause === 'asked' },
    )

  it('receives the answer, asks in its own words, and releases the brief', async () => {
    const told: Event<'question_answered'>[] = []
    const agency = await withPlaybook(careful(told))
    const run = await agency.run(asking(colour))
    await answer(agency, await waiting(agency, run), 'Transparent')
    const sure = await waiting(agency, run)
    expect(sure).toMatchObject({
      key: 'sure',
      text: 'Is "Transparent" really meant?',
      context: 'Asked twice.',
      kind: 'conflict',
      options: [{ key: 'yes' }, { key: 'no' }],
      recommendation: 'yes',
      risk: 'high',
      attemptId: null,
    })
    expect(await agency.brief(run)).toMatchObject({ status: 'blocked', guidance: [] })
    await answer(agency, sure, 'yes')
    await agency.settled(run)
    expect(told.map(({ key, answer: said, by }) => [key, said, by])).toEqual([
      [null, 'Transparent', 'operator'],
      ['yes', 'Yes', 'operator'],
    ])
    expect(told[1]?.question).toMatchObject({ status: 'answered', answer: 'yes', answeredBy: 'operator' })
    expect(await agency.brief(run)).toMatchObject({
      status: 'done',
      escalations: 0,
      guidance: [{ question: 'Is "Transparent" really meant?', answer: 'Yes', by: 'operator' }],
    })
  })

  it('may end the work with an answer that its default would follow', async () => {
    const agency = await withPlaybook(careful())
    const run = await agency.run(asking(colour))
    await answer(agency, await waiting(agency, run), 'Transparent')
    await answer(agency, await waiting(agency, run), 'no')
    expect(await agency.brief(run)).toMatchObject({ status: 'failed', failure: 'the operator was not sure' })
  })

  it('releases a brief with three questions only with the last answer', async () => {
    const agency = await withPlaybook(
      directWith(
        {
          question_answered: ({ question, brief, answer: said, by }) => [
            { kind: 'release_brief', brief, by, guidance: { question: question.text, answer: said, by } },
          ],
        },
        { decidesAnswer: () => true },
      ),
    )
    const run = await agency.run(asking(three))
    for (const text of ['Which colour?', 'Who reads it?']) {
      await answer(agency, await waiting(agency, run, (each) => each.text === text), 'Any')
      await agency.engine.sweep()
      await agency.engine.idle()
      expect(await agency.brief(run)).toMatchObject({ status: 'blocked', attempts: 1 })
    }
    await answer(agency, await waiting(agency, run), 'Three')
    await agency.settled(run)
    expect((await agency.brief(run)).guidance.map(({ answer: said }) => said)).toEqual(['Any', 'Any', 'Three'])
  })

  it('resets the counter of the class that it names', async () => {
    const agency = await withPlaybook(
      directWith(
        {
          question_answered: ({ question, brief, by }) => [
            { kind: 'release_brief', brief, by, guidance: null, class: question.class },
          ],
        },
        { decidesAnswer: () => true },
      ),
    )
    const silent: StepInput[] = [{ exit: { code: 0 } }]
    const run = await agency.run({ onLimit: 'ask', retryBudget: 1, play: [silent, silent, work] })
    await answer(agency, await waiting(agency, run), 'Go on')
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect(await agency.brief(run)).toMatchObject({ retriesUsed: 0, attempts: 3 })
  })

  it('has no say in answers about budgets', async () => {
    const told: string[] = []
    const agency = await withPlaybook(
      directWith(
        {
          question_answered: ({ question }) => {
            told.push(question.text)
            return []
          },
        },
        { decidesAnswer: () => true },
      ),
    )
    const spend: StepInput[] = [{ usage: { input_tokens: 10, output_tokens: 0 } }, ...work]
    const run = await agency.run({ onLimit: 'ask', tokenBudget: 5, play: [[...spend.slice(0, 1), { hang: {} }], work] })
    const question = await waiting(agency, run)
    expect(question).toMatchObject({ class: 'budget' })
    await answer(agency, question, 'raise')
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect(told).toEqual([])
  })
})

const judge: Rung = { kind: 'role', name: 'judge', positionId: null }
const clerk: Rung = { kind: 'role', name: 'clerk', positionId: null }
const Judgement = z.object({ answer: z.string().nullable() })

/** The role `judge` answers through a brief of its own, or hands the question up to the clerk, who takes none. */
const judged = (): Playbook =>
  directWith(
    {
      question_raised: ({ question, rung, brief }) =>
        rung.name !== 'judge'
          ? []
          : [
              {
                kind: 'add_briefs',
                briefs: [
                  {
                    key: `judge-${question.id}`,
                    kind: 'plan',
                    phase: 'judge',
                    title: 'Judge',
                    objective: question.text,
                    part: 'run',
                    cast: { tier: 't1', domain: null, wanted: null },
                    data: {},
                    inputs: { question_id: question.id },
                    retryBudget: 1,
                    takes: question.id,
                    ownerId: brief.id,
                  },
                ],
              },
            ],
      brief_ready: ({ brief, seen }) => {
        if (brief.phase !== 'judge') return undefined
        const questionId = String(brief.inputs['question_id'])
        const { answer: said } = seen.report.output as z.infer<typeof Judgement>
        return [
          { kind: 'pass_brief', brief, reason: 'decided' },
          said === null
            ? { kind: 'raise_question', questionId, reason: 'The goal does not say.' }
            : { kind: 'answer_question', questionId, answer: said, by: 'judge' },
        ]
      },
      brief_verified: ({ brief }) => (brief.phase === 'judge' ? [{ kind: 'close_brief', brief }] : undefined),
    },
    { ladder: () => [judge, clerk], outputs: { judge: Judgement }, briefData: z.record(z.string(), z.unknown()) },
  )
const withJudge = (said: string | null, first = colour): StartRun => ({
  onLimit: 'ask',
  runtimeOptions: {
    scenario: {
      attempts: [first, work],
      phases: { judge: { attempts: [[{ report: { status: 'done', summary: 'So.', output: { answer: said } } }]] } },
    },
  },
})

const withJudges: AgencyOptions = {
  playbooks: [judged()],
  promptOf: (playbook, kind, phase) => (phase === 'judge' ? 'Judge.' : bundledPrompt(playbook, kind, phase)),
}

describeStores('a rung of a playbook', (openFresh) => {
  it('answers a question through the brief that took it; the operator is not notified', async () => {
    const agency = await startAgency(openFresh, withJudges)
    const run = await agency.settled(await agency.run(withJudge('Green')))
    const [question] = await listed(agency, run)
    expect(question).toMatchObject({ status: 'answered', answer: 'Green', answeredBy: 'judge' })
    expect(wayOf(question as Question)).toEqual(['brief:main → judge'])
    expect((await agency.brief(run)).guidance).toMatchObject([{ answer: 'Green', by: 'judge' }])
    expect(agency.notices.map(({ kind }) => kind)).toEqual(['run_done'])
  })

  it('hands a question up; a rung without anybody is skipped, and the operator is notified', async () => {
    const agency = await startAgency(openFresh, withJudges)
    const run = await agency.run(withJudge(null))
    const question = await waiting(agency, run)
    expect(wayOf(question)).toEqual(['brief:main → judge', 'judge → clerk (not_taken)', 'judge → operator'])
    expect(agency.notices.map(({ object }) => object)).toEqual([question.id])
    await answer(agency, question, 'Blue')
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
  })

  it('cannot choose an option that is only the operator’s, or answer nothing', async () => {
    for (const said of ['abandon', 'Give up', ' ']) {
      const agency = await startAgency(openFresh, withJudges)
      const run = await agency.run(withJudge(said))
      expect(await waiting(agency, run)).toMatchObject({ answer: null, hops: [{ to: 'judge' }, { to: 'clerk' }, {}] })
      expect(await agency.runs.show(run.id)).toMatchObject({ abandoned: false })
    }
  })

  it('is given the ladder of a decision instead of that of the playbook', async () => {
    const playbook = directWith({
      brief_blocked: ({ brief, class: cause, reason }) => [
        { kind: 'ask', brief, class: cause, reason, ladder: [clerk] },
      ],
    })
    const agency = await startAgency(openFresh, { playbooks: [{ ...playbook, ladder: () => [judge] }] })
    const run = await agency.run(asking(colour))
    expect(wayOf(await waiting(agency, run))).toEqual(['brief:main → clerk (not_taken)', 'brief:main → operator'])
  })

  it('answers at once by a rule; the brief continues after the last of its questions', async () => {
    const rule = directWith(
      {
        question_raised: ({ question }) =>
          question.text === 'Who reads it?'
            ? []
            : [{ kind: 'answer_question', questionId: question.id, answer: 'Any', by: 'judge' }],
      },
      { ladder: () => [judge] },
    )
    const agency = await startAgency(openFresh, { playbooks: [rule] })
    const run = await agency.run(asking(three))
    const last = await waiting(agency, run)
    expect((await listed(agency, run)).map((each) => [each.status, ...wayOf(each)])).toEqual([
      ['answered', 'brief:main → judge'],
      ['answered', 'brief:main → judge'],
      ['with_operator', 'brief:main → judge (not_taken)', 'brief:main → operator'],
    ])
    await agency.engine.idle()
    expect(await agency.brief(run)).toMatchObject({ status: 'blocked', attempts: 1 })
    await answer(agency, last, 'Children')
    await agency.settled(run)
    expect((await agency.brief(run)).guidance).toHaveLength(3)
  })

  it('that raises a question that is only offered to it passes it on', async () => {
    const rule = directWith(
      {
        question_raised: ({ question }) => [{ kind: 'raise_question', questionId: question.id, reason: 'Not mine.' }],
      },
      { ladder: () => [judge, clerk] },
    )
    const agency = await startAgency(openFresh, { playbooks: [rule] })
    const run = await agency.run(asking(colour))
    expect(wayOf(await waiting(agency, run))).toEqual([
      'brief:main → judge (not_taken)',
      'brief:main → clerk (not_taken)',
      'brief:main → operator',
    ])
  })

  it('that lets the asker answer is a fault of the playbook, and no answer', async () => {
    const rule = directWith(
      {
        question_raised: ({ question }) => [
          { kind: 'answer_question', questionId: question.id, answer: 'Mine', by: question.askedBy },
        ],
      },
      { ladder: () => [judge] },
    )
    const agency = await startAgency(openFresh, { playbooks: [rule], mayLogErrors: true })
    const run = await agency.run(asking(colour))
    expect(await waiting(agency, run)).toMatchObject({
      class: 'fault',
      text: expect.stringContaining('answers its own question'),
    })
    expect((await listed(agency, run)).filter(({ status }) => status === 'answered')).toEqual([])
  })
})
