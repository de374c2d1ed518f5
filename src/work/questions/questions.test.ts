import { expect, it } from 'vitest'

import { agentOf, openAgency, startAgency, type TestAgency, work } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { giveTeam } from '../../../test/support/team.ts'
import { createVirtualClock } from '../../../test/support/virtual-clock.ts'
import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import type { Run } from '../runs/contract.ts'
import type { Question } from './contract.ts'

const asked = (agency: TestAgency, run: Run, number = 1): Promise<Question> =>
  agency.until(async () => {
    const { questions } = await agency.questions.list({ runId: run.id, limit: 10 })
    return questions[number - 1]
  })
const answer = (agency: TestAgency, question: Question, text: string): Promise<Question> =>
  agency.questions.answer(operator, question.id, text)

const crash: StepInput[] = [{ crash: {} }]
const which: StepInput[] = [
  {
    report: {
      status: 'blocked',
      summary: 'I need a decision.',
      question: {
        text: 'Which colour should the river have?',
        context: 'The brief does not say.',
        options: [
          { key: 'blue', label: 'Blue', detail: 'As always' },
          { key: 'green', label: 'Green', detail: '' },
        ],
        recommendation: 'blue',
        risk: 'low',
      },
    },
  },
]
const brief = (key: string, attempts: readonly (readonly StepInput[])[], after: string[] = []) => ({
  key,
  objective: `Do ${key}`,
  after,
  runtimeOptions: { scenario: { attempts } },
})

describeStores('a question', (openFresh) => {
  it('of an agent becomes a card with its options; the answer is in its next prompt', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ play: [which, work], onLimit: 'ask' })
    const question = await asked(agency, run)
    expect(question).toMatchObject({
      runId: run.id,
      kind: 'requirement',
      text: 'Which colour should the river have?',
      context: 'The brief does not say.',
      options: [
        { key: 'blue', label: 'Blue', detail: 'As always' },
        { key: 'green', label: 'Green', detail: '' },
      ],
      recommendation: 'blue',
      risk: 'low',
      status: 'with_operator',
      answer: null,
    })
    expect(agency.notices).toMatchObject([{ kind: 'question_asked', object: question.id }])
    expect(await agency.brief(run)).toMatchObject({ status: 'blocked', attempts: 1 })
    expect(await answer(agency, question, 'green')).toMatchObject({
      status: 'answered',
      answer: 'green',
      answeredBy: 'operator',
    })
    expect(await agency.settled(run)).toMatchObject({ status: 'done', questionsOpen: 0 })
    const done = await agency.brief(run)
    expect(done).toMatchObject({ attempts: 2, retriesUsed: 0, crashRetries: 0, guidance: [{ by: 'operator' }] })
    expect(agency.prompts.get(done.attemptId ?? '')).toContain('Which colour should the river have?\n  operator: Green')
  })

  it('can be answered with free text', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ play: [which, work], onLimit: 'ask' })
    await answer(agency, await asked(agency, run), 'Transparent, with fish')
    await agency.settled(run)
    const done = await agency.brief(run)
    expect(agency.prompts.get(done.attemptId ?? '')).toContain('operator: Transparent, with fish')
  })

  it('is answered once, also by two concurrent answers', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ play: [which, work], onLimit: 'ask' })
    const question = await asked(agency, run)
    const outcomes = await Promise.allSettled(
      ['blue', 'green', 'abandon'].map((text) => answer(agency, question, text)),
    )
    expect(outcomes.filter((each) => each.status === 'fulfilled')).toHaveLength(1)
    await agency.settled(run)
    const { answer: given } = await agency.questions.show(operator, question.id)
    await expect(answer(agency, question, 'blue')).rejects.toMatchObject({
      code: 'illegal_transition',
      message: `question ${question.id} is answered already, by operator`,
      data: { answer: given },
    })
  })

  it('is acknowledged without being answered', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ play: [which, work], onLimit: 'ask' })
    const question = await asked(agency, run)
    const seen = await agency.questions.acknowledge(operator, question.id)
    expect(seen).toMatchObject({ acknowledgedAt: agency.clock.at(), status: 'with_operator', answeredAt: null })
    agency.clock.advance(1_000)
    expect(await agency.questions.acknowledge(operator, question.id)).toEqual(seen)
    await answer(agency, question, 'blue')
    await expect(agency.questions.acknowledge(operator, question.id)).rejects.toMatchObject({
      code: 'illegal_transition',
    })
    await agency.settled(run)
  })

  it('is visible only to agents of its run', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ play: [which], onLimit: 'ask' })
    const other = await agency.settled(await agency.run())
    const question = await asked(agency, run)
    const agents = await Promise.all([run, other].map(async (each) => (await agency.inspect(each)).attempts[0]))
    const [own, stranger] = agents.map((attempt) => agentOf(attempt as never))
    expect(await agency.questions.show(own as never, question.id)).toMatchObject({ id: question.id })
    for (const ask of [
      () => agency.questions.show(own as never, question.id.slice(0, -1)),
      () => agency.questions.show(stranger as never, question.id),
      () => agency.questions.show(operator, 'qst_nope'),
      () => agency.questions.answer(operator, 'qst_nope', 'x'),
      () => agency.questions.acknowledge(operator, 'qst_nope'),
    ])
      await expect(ask()).rejects.toMatchObject({ code: 'not_found' })
  })

  it('is listed oldest first, and only until it is answered', async () => {
    const agency = await startAgency(openFresh)
    const first = await agency.run({ play: [which, work], onLimit: 'ask' })
    const one = await asked(agency, first)
    for (const beginning of [one.id.slice(0, -1), one.id.slice(4, -1)])
      expect(await agency.questions.show(operator, beginning)).toMatchObject({ id: one.id })
    agency.clock.advance(1_000)
    const second = await agency.run({ play: [which], onLimit: 'ask' })
    const two = await asked(agency, second)
    const ids = async (query: object) =>
      (await agency.questions.list({ limit: 10, ...query })).questions.map((question) => question.id)
    expect(await ids({})).toEqual([one.id, two.id])
    await expect(agency.questions.show(operator, one.id.slice(0, 5))).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(agency.questions.show(operator, 'qst_')).rejects.toMatchObject({ code: 'not_found' })
    await answer(agency, one, 'blue')
    expect(await ids({})).toEqual([two.id])
    expect(await ids({ all: true })).toEqual([two.id, one.id])
    expect(await ids({ all: true, runId: first.id })).toEqual([one.id])
    expect(await agency.questions.list({ limit: 1, all: true })).toMatchObject({ total: 2 })
    await agency.settled(first)
  })

  it('is withdrawn when its run is cancelled, and can no longer be answered', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ play: [which], onLimit: 'ask' })
    const question = await asked(agency, run)
    await agency.runs.cancel(operator, run.id, undefined)
    expect(await agency.questions.show(operator, question.id)).toMatchObject({ status: 'withdrawn', answer: null })
    await expect(answer(agency, question, 'blue')).rejects.toMatchObject({
      code: 'illegal_transition',
      message: `question ${question.id} is withdrawn already`,
    })
  })

  it('is routed to the operator, always upward', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ play: [which], onLimit: 'ask' })
    const { hops } = await asked(agency, run)
    expect(hops.at(-1)).toMatchObject({ to: 'operator' })
    expect(hops.map((hop) => hop.rank)).toEqual(hops.map((_, index) => index + 1))
    const routed = (await agency.events(run)).filter((event) => event.kind === 'question_routed')
    expect(routed.map((event) => event.message)).toEqual(hops.map((hop) => `${hop.from} → ${hop.to}`))
  })
})

describeStores('a limit that was reached', (openFresh) => {
  it('leads to a question once the other briefs have finished; a retry resets only that counter', async () => {
    const agency = await startAgency(openFresh)
    const boast: StepInput[] = [{ report: { status: 'done', summary: 'Done.', outputs: ['gone.md'] } }]
    const run = await agency.run({
      onLimit: 'ask',
      crashRetries: 1,
      briefs: [
        brief('broken', [boast, crash, crash, work]),
        brief('slow', [[{ log: 'gate slow' }, ...work]]),
        brief('next', [work], ['broken']),
      ],
    })
    await agency.until(async () => (await agency.brief(run, 'broken')).status === 'failed')
    expect((await agency.questions.list({ limit: 10 })).total).toBe(0)
    agency.gate('slow').open()
    const question = await asked(agency, run)
    expect(question).toMatchObject({
      kind: 'failure',
      class: 'crash',
      options: [{ key: 'retry' }, { key: 'abandon' }],
      // It crashed twice in the same way: another attempt alone promises nothing.
      recommendation: null,
    })
    expect(await agency.brief(run, 'slow')).toMatchObject({ status: 'done' })
    expect(await agency.brief(run, 'broken')).toMatchObject({ crashRetries: 1, retriesUsed: 1 })
    await answer(agency, question, 'retry')
    expect(await agency.settled(run)).toMatchObject({ status: 'done', briefsDone: 3, briefsFailed: 0 })
    expect(await agency.brief(run, 'broken')).toMatchObject({
      attempts: 4,
      crashRetries: 0,
      retriesUsed: 1,
      guidance: [],
    })
  })

  it('fails the run when the operator abandons it', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ onLimit: 'ask', crashRetries: 0, play: [crash] })
    expect((await agency.runs.show(run.id)).endedAt).toBe(null)
    await answer(agency, await asked(agency, run), 'abandon')
    expect(await agency.settled(run)).toMatchObject({ status: 'failed' })
    expect((await agency.missions.show(run.missionId)).status).toBe('failed')
  })

  it('waits for every answer if several limits were reached', async () => {
    const agency = await startAgency(openFresh)
    const briefs = ['a', 'b'].map((key) => brief(key, [crash, work]))
    const run = await agency.run({ onLimit: 'ask', crashRetries: 0, briefs })
    const both = [await asked(agency, run, 1), await asked(agency, run, 2)]
    await answer(agency, both[0] as Question, 'retry')
    await agency.engine.sweep()
    await agency.engine.idle()
    expect((await agency.runs.show(run.id)).briefsFailed).toBe(1)
    await answer(agency, both[1] as Question, 'retry')
    expect(await agency.settled(run)).toMatchObject({ status: 'done', briefsDone: 2 })
  })

  it('opens an escalation gate after the number of questions that its team sets', async () => {
    const clock = createVirtualClock()
    const { db } = await openFresh({ clock })
    const agency = await openAgency({ db, clock })
    const run = await agency.run({ onLimit: 'ask', crashRetries: 0, play: [crash] })
    await giveTeam(agency, run, 'limits: { similar_escalations: 2 }')
    await agency.engine.start()
    await answer(agency, await asked(agency, run), 'retry')
    const gate = await agency.until(async () => (await agency.gates.list('pending', 10)).gates[0])
    expect(gate).toMatchObject({ gate: 'escalation', summary: { anomalies: ['asked 2 times'] } })
  })

  it('opens an escalation gate the third time; approval retries once more, rejection abandons', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ onLimit: 'ask', crashRetries: 0, play: [crash, crash, crash, crash] })
    for (let times = 0; times < 2; times++) await answer(agency, await asked(agency, run), 'retry')
    const look = () => agency.until(async () => (await agency.gates.list('pending', 10)).gates[0])
    const gate = await look()
    expect(gate).toMatchObject({ gate: 'escalation', timeoutMinutes: null, summary: { anomalies: ['asked 3 times'] } })
    await agency.gates.approve(operator, { target: gate.id })
    const again = await agency.until(async () => {
      const found = await look()
      return found.id === gate.id ? null : found
    })
    expect(await agency.brief(run)).toMatchObject({ attempts: 4, similarEscalations: 3 })
    await agency.gates.reject(operator, { target: again.id, reason: 'Enough' })
    expect(await agency.settled(run)).toMatchObject({ status: 'failed' })
  })

  it('resets the counter of the repeated question when its gate is approved, not that of another question', async () => {
    const agency = await startAgency(openFresh)
    const silent: StepInput[] = [{ exit: { code: 0 } }]
    const run = await agency.run({
      onLimit: 'ask',
      retryBudget: 1,
      crashRetries: 1,
      play: [silent, silent, silent, silent, crash, crash, crash, silent, silent, [{ hang: {} }]],
    })
    // Twice for missing reports, then once for crashes; one more crash remains counted.
    for (const cause of ['bad_output', 'bad_output', 'crash']) {
      const question = await asked(agency, run)
      expect(question.class).toBe(cause)
      await answer(agency, question, 'retry')
    }
    const gate = await agency.until(async () => (await agency.gates.list('pending', 10)).gates[0])
    expect(gate.summary.class).toBe('bad_output')
    await agency.gates.approve(operator, { target: gate.id })
    expect(await agency.brief(run)).toMatchObject({ retriesUsed: 0, crashRetries: 1 })
  })
})
