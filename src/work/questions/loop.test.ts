import { expect, it } from 'vitest'
import { z } from 'zod'

import { openAgency, startAgency, type TestAgency, work } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { createVirtualClock } from '../../../test/support/virtual-clock.ts'
import { operator } from '../../../test/support/work.ts'
import { inserted, record } from '../../events/change.ts'
import { operatorPersona } from '../../kernel/ids.ts'
import { findPersona, personas } from '../../org/personas/store.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import type { NewBrief, Playbook } from '../../playbooks/contract.ts'
import { direct } from '../../playbooks/direct/decide.ts'
import type { Gate } from '../gates/contract.ts'
import type { Run } from '../runs/contract.ts'
import type { Question } from './contract.ts'

const asks = (text: string): StepInput[] => [
  { report: { status: 'blocked', summary: 'I need a decision.', question: { text } } },
]
const crash: StepInput[] = [{ crash: {} }]

/** The same question in three wordings. */
const timeZone = [
  'Which time zone do the monthly reports use?',
  'What time zone should monthly reports use?',
  'Please: the monthly reports use which time zone?',
]
const deadlines = [
  'What is the deadline of the first release?',
  'Who decides about the deadline of the translation?',
  'What happens when a deadline passes without a release?',
]
const various = [...deadlines, 'Which colour should the river have?', 'May the harbour be closed in winter?']

const questionOf = (agency: TestAgency, run: Run, number: number): Promise<Question> =>
  agency.until(async () => {
    const { questions } = await agency.questions.list({ runId: run.id, all: true, limit: 20 })
    return questions.length === number && questions.find(({ answeredAt }) => answeredAt === null)
  })
const answer = (agency: TestAgency, { id }: Question, text: string) => agency.questions.answer(operator, id, text)
const gateOf = (agency: TestAgency, not?: Gate): Promise<Gate> =>
  agency.until(async () => (await agency.gates.list('pending', 10)).gates.find(({ id }) => id !== not?.id))
const gatesOf = async (agency: TestAgency, run: Run) =>
  (await agency.gates.ofRun(run.id)).gates.map(({ gate, status, by }) => `${gate} ${status} ${by ?? '-'}`)
const loopsOf = async (agency: TestAgency, run: Run) =>
  (await agency.events(run)).filter(({ kind }) => kind === 'loop_detected').map(({ data }) => data)

/** Asks the questions one after the other; the last one is left open. */
async function askAll(agency: TestAgency, run: Run, count: number): Promise<Question> {
  for (let number = 1; number < count; number++)
    await answer(agency, await questionOf(agency, run, number), `answer ${number}`)
  return questionOf(agency, run, count)
}

const interview: NewBrief = {
  key: 'talk',
  kind: 'work',
  phase: 'interview',
  title: 'Talk',
  objective: 'Ask what the report needs',
  part: 'talk',
  cast: { tier: 'interviewer', domain: null, wanted: null },
  retryBudget: 1,
  data: {},
}
const interviewing = (interviews: readonly string[]): Playbook => ({
  ...direct,
  interviews,
  briefData: z.strictObject({ personality: z.null() }),
  decide: (view, event) =>
    event.kind === 'run_started' ? [{ kind: 'add_briefs', briefs: [interview] }] : direct.decide(view, event),
})

/** Persona type 3 is a person. */
const addPerson = (agency: TestAgency, slug: string): Promise<unknown> =>
  agency.db.write(['system'], async (tx) => {
    const like = await findPersona(tx, operatorPersona)
    if (like === undefined) throw new Error('the operator does not exist')
    const person = { ...like, id: 901, name: slug, slug, personaTypeId: 3 }
    await record(tx, { kind: 'org_changed', by: 'operator', message: `${slug} joins` }, [inserted(personas, person)])
  })

describeStores('a question that is asked the third time', (openFresh) => {
  it('holds its brief, can be answered, and its answer resumes the brief', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ onLimit: 'ask', play: [...timeZone.map(asks), work] })
    const held = await askAll(agency, run, 3)
    const gate = await gateOf(agency)
    expect(gate).toMatchObject({
      gate: 'escalation',
      summary: { produced: timeZone[2], anomalies: ['asked 3 times'], questionId: held.id, class: 'asked' },
    })
    expect(gate.summary.next).toContain(`agency answer ${held.id}`)
    expect(held).toMatchObject({ status: 'with_operator', hops: [{ from: 'brief:main', to: 'operator' }] })
    expect(await loopsOf(agency, run)).toEqual([{ task_id: 'main', count: 3, similar: true, question_id: held.id }])
    // One notification is enough for the question and its gate.
    expect(agency.notices.slice(2)).toMatchObject([{ kind: 'gate_pending', actions: [{ label: 'Answer' }, {}, {}] }])
    await answer(agency, held, 'UTC, always')
    const done = await agency.settled(run)
    expect(done).toMatchObject({ status: 'done', questionsOpen: 0, gatesPending: 0 })
    const main = await agency.brief(run)
    expect(main).toMatchObject({ attempts: 4 })
    expect(agency.prompts.get(main.attemptId ?? '')).toContain(`${timeZone[2]}\n  operator: UTC, always`)
    expect(await gatesOf(agency, run)).toEqual(['escalation approved operator'])
  })

  it('is withdrawn when its gate is approved, and is held again the next time', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ onLimit: 'ask', play: [...timeZone.map(asks), asks(timeZone[0] as string), work] })
    const held = await askAll(agency, run, 3)
    const gate = await gateOf(agency)
    await agency.gates.approve(operator, { target: gate.id })
    expect(await agency.questions.show(operator, held.id)).toMatchObject({ status: 'withdrawn' })
    const again = await gateOf(agency, gate)
    expect(again.summary).toMatchObject({ anomalies: ['asked 4 times'] })
    expect(await loopsOf(agency, run)).toMatchObject([{ count: 3 }, { count: 4 }])
    await agency.gates.reject(operator, { target: again.id, reason: 'Enough' })
    expect(await agency.settled(run)).toMatchObject({ status: 'failed', questionsOpen: 0, gatesPending: 0 })
  })

  it('gives the brief up if the answer does', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ onLimit: 'ask', crashRetries: 0, play: [crash] })
    for (const number of [1, 2]) await answer(agency, await questionOf(agency, run, number), 'retry')
    await answer(agency, await questionOf(agency, run, 3), 'abandon')
    expect(await agency.settled(run)).toMatchObject({ status: 'failed', questionsOpen: 0, gatesPending: 0 })
    expect(await gatesOf(agency, run)).toEqual(['escalation rejected operator'])
  })

  it('is answered or its gate is decided, and not both', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ onLimit: 'ask', play: [...timeZone.map(asks), work] })
    const held = await askAll(agency, run, 3)
    const gate = await gateOf(agency)
    const outcomes = await Promise.allSettled([
      answer(agency, held, 'UTC'),
      agency.gates.approve(operator, { target: gate.id }),
      answer(agency, held, 'CET'),
    ])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await agency.settled(run)).toMatchObject({ status: 'done', questionsOpen: 0, gatesPending: 0 })
  })

  it('keeps its gate until two people have approved it where a gate needs two, and keeps the answer', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ onLimit: 'ask', approvalsNeeded: 2, play: [...timeZone.map(asks), work] })
    const held = await askAll(agency, run, 3)
    const { id: target, summary } = await gateOf(agency)
    expect(summary.next).toContain('then approve to let it try once more')
    await addPerson(agency, 'kent')
    await answer(agency, held, 'UTC')
    await agency.engine.sweep()
    expect(await agency.brief(run, 'main')).toMatchObject({ status: 'blocked', attempts: 3 })
    expect(await gatesOf(agency, run)).toEqual(['escalation pending -'])
    await agency.gates.approve(operator, { target })
    await agency.gates.approve(operator, { target, as: 'kent' })
    expect(await agency.settled(run)).toMatchObject({ status: 'done', questionsOpen: 0, gatesPending: 0 })
    expect((await agency.brief(run, 'main')).guidance).toMatchObject([{}, {}, { answer: 'UTC' }])
  })

  it('is also found after a restart, because the questions are counted in the store', async () => {
    const clock = createVirtualClock()
    const { db } = await openFresh({ clock })
    const before = await openAgency({ db, clock })
    const run = await before.run({ onLimit: 'ask', play: [...timeZone.map(asks), work] })
    await before.engine.start()
    await questionOf(before, run, 1)
    const second = await askAll(before, run, 2)
    before.die()
    const after = await openAgency({ db, clock, worker: 'test:2' })
    await after.engine.start()
    await answer(after, second, 'CET')
    await questionOf(after, run, 3)
    expect(await loopsOf(after, run)).toMatchObject([{ task_id: 'main', count: 3 }])
  })
})

describeStores('a held question beside that of a note', (openFresh) => {
  const noted: StepInput[] = [
    {
      report: {
        status: 'blocked',
        summary: 'I need a decision.',
        question: { text: timeZone[2] as string },
        notes: [
          { description: 'Dates are UTC', category: 'security', status: 'escalated', escalation_reason: 'Ours?' },
        ],
      },
    },
  ]
  const other = {
    key: 'other',
    objective: 'Wait',
    runtimeOptions: { scenario: { attempts: [[{ log: 'gate other' }]] } },
  }
  const open = async (agency: TestAgency, run: Run): Promise<Question[]> =>
    (await agency.questions.list({ runId: run.id, limit: 20 })).questions

  async function holdNoted(agency: TestAgency): Promise<Run> {
    const attempts = [asks(timeZone[0] as string), asks(timeZone[1] as string), noted, [...work]]
    const main = { key: 'main', objective: 'Ask', runtimeOptions: { scenario: { attempts } } }
    const run = await agency.run({ onLimit: 'ask', briefs: [main, other] })
    for (const number of [1, 2]) await answer(agency, await questionOf(agency, run, number), 'UTC')
    await agency.until(async () => (await open(agency, run)).length === 2)
    return run
  }

  it('lets the brief continue after the gate is approved and the note is answered', async () => {
    const agency = await startAgency(openFresh)
    const run = await holdNoted(agency)
    await agency.gates.approve(operator, { target: (await gateOf(agency)).id })
    await agency.engine.sweep()
    const [left] = await open(agency, run)
    expect(left).toMatchObject({ class: 'note' })
    expect(await agency.brief(run, 'main')).toMatchObject({ status: 'blocked', attempts: 3 })
    await answer(agency, left as Question, 'confirm')
    await agency.until(async () => (await agency.brief(run, 'main')).status === 'done')
  })

  it('is given up with the brief, together with the note, when the gate is rejected', async () => {
    const agency = await startAgency(openFresh)
    const run = await holdNoted(agency)
    await agency.gates.reject(operator, { target: (await gateOf(agency)).id, reason: 'Enough' })
    expect(await open(agency, run)).toEqual([])
    expect(await agency.brief(run, 'main')).toMatchObject({ status: 'failed' })
  })
})

describeStores('a held set of questions', (openFresh) => {
  it('closes its gate when the answer to any of them gives the brief up', async () => {
    const agency = await startAgency(openFresh)
    const questions = ['Who pays for the bridge?', timeZone[2] as string].map((text) => ({ text }))
    const set: StepInput[] = [{ report: { status: 'blocked', summary: 'I need decisions.', questions } }]
    const attempts = [asks(timeZone[0] as string), asks(timeZone[1] as string), set, [...work]]
    const main = { key: 'main', objective: 'Ask', runtimeOptions: { scenario: { attempts } } }
    const scenario = { attempts: [[{ log: 'gate other' }, ...work]] }
    const other = { key: 'other', objective: 'Wait', runtimeOptions: { scenario } }
    const run = await agency.run({ onLimit: 'ask', briefs: [main, other] })
    for (const number of [1, 2]) await answer(agency, await questionOf(agency, run, number), 'UTC')
    await gateOf(agency)
    const { questions: open } = await agency.questions.list({ runId: run.id, limit: 20 })
    expect(open).toHaveLength(2)
    await answer(agency, open.find(({ text }) => text === timeZone[2]) as Question, 'abandon')
    expect(await gatesOf(agency, run)).toEqual(['escalation rejected operator'])
    expect(await agency.brief(run, 'main')).toMatchObject({ status: 'failed' })
    expect((await agency.questions.list({ runId: run.id, limit: 20 })).questions).toEqual([])
    agency.gate('other').open()
    expect(await agency.settled(run)).toMatchObject({ status: 'failed', gatesPending: 0 })
  })
})

describeStores('a brief that asks different questions', (openFresh) => {
  it('is not held for having asked three about the same subject', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ onLimit: 'ask', play: [...deadlines.map(asks), work] })
    await answer(agency, await askAll(agency, run, 3), 'answer 3')
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect(await gatesOf(agency, run)).toEqual([])
    expect(await loopsOf(agency, run)).toEqual([])
    expect(await agency.brief(run)).toMatchObject({ similarEscalations: 0 })
  })

  it('is held at the fifth, which can be answered', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ onLimit: 'ask', play: [...various.map(asks), work] })
    const fifth = await askAll(agency, run, 5)
    expect((await gateOf(agency)).summary).toMatchObject({
      anomalies: ['5 questions of one brief'],
      questionId: fifth.id,
    })
    expect(await loopsOf(agency, run)).toMatchObject([{ task_id: 'main', count: 5, similar: false }])
    await answer(agency, fifth, 'No')
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
  })

  it.each([
    ['an interview', ['interview'], 6, []],
    ['a phase of another name', ['other'], 3, ['escalation pending -']],
  ])('in %s is held or not, as its playbook says', async (_, interviews, count, gates) => {
    const agency = await startAgency(openFresh, { playbooks: [interviewing(interviews)] })
    const play = [...timeZone, ...timeZone].map(asks)
    const run = await agency.run({ onLimit: 'ask', play: [...play, work] })
    const last = await askAll(agency, run, count)
    expect(await gatesOf(agency, run)).toEqual(gates)
    await answer(agency, last, 'UTC')
    await agency.until(async () => (await agency.brief(run, 'talk')).attempts > count)
  })
})
