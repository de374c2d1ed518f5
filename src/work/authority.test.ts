import { expect, it } from 'vitest'

import { agentOf, type StartRun, work } from '../../test/support/agency.ts'
import { changeRun } from '../../test/support/change-run.ts'
import { openOrg, type TestOrg } from '../../test/support/org.ts'
import { makeSeat, type Seated } from '../../test/support/seats.ts'
import { describeStores } from '../../test/support/store.ts'
import { operator } from '../../test/support/work.ts'
import type { StepInput } from '../adapters/runtime/scripted/contract.ts'
import { change } from '../events/change.ts'
import type { AgentActor } from '../kernel/actor.ts'
import type { PersonaId } from '../kernel/ids.ts'
import type { Question } from './questions/contract.ts'
import { questions } from './questions/store.ts'
import type { Run } from './runs/contract.ts'

const asks = (text: string): StepInput => ({
  report: {
    status: 'blocked',
    summary: 'I need a decision.',
    question: { text, options: ['blue', 'green'].map((key) => ({ key, label: key.toUpperCase(), detail: '' })) },
  },
})
const waits = (name: string): StepInput => ({ log: `gate ${name}` })
const report = (output: object): StepInput => ({ report: { status: 'done', summary: 'Decided.', output } })
const handUp = report({ decision: 'hand_up', reason: 'Not mine.' })

/** A run whose agent asks once; `resolve` are the steps of the agent on the seat. */
const asking = (...resolve: StepInput[]): StartRun => ({
  onLimit: 'ask',
  runtimeOptions: {
    scenario: {
      attempts: [[asks('Which colour should the river have?')], work],
      phases: { resolve: { attempts: [resolve, [handUp]] } },
    },
  },
})

/** The first of two briefs asks, the other one waits. */
const two = [[asks('Which font?')], [waits('other'), ...work]].map((attempt, index) => ({
  key: index === 0 ? 'stuck' : 'own',
  objective: 'Do it',
  runtime: 'scripted',
  runtimeOptions: { scenario: { attempts: [attempt] } },
}))

interface Stage {
  readonly org: TestOrg
  readonly seat: Seated
  readonly run: Run
  readonly question: Question
  /** The agent that works on the answer, for its seat. */
  readonly lead: AgentActor
}

/** Starts a run that has asked the lead of Development, whose agent waits at the point "lead". */
async function openStage(
  openFresh: Parameters<typeof openOrg>[0],
  resolve: StepInput[] = [waits('lead'), handUp],
): Promise<Stage> {
  const org = await openOrg(openFresh)
  const seat = await makeSeat(org, 'Robbo')
  await org.organisations.update(operator, 'Development', { leadPositionId: seat.positionId })
  const run = await org.agency.run(asking(...resolve))
  const question = await org.agency.until(async () => (await questionsOf(org, run)).find((each) => each.resolveBriefId))
  return { org, seat, run, question, lead: await agentFor(org, run, question.resolveBriefId as string, seat.personaId) }
}

const questionsOf = async (org: TestOrg, run: Run): Promise<Question[]> =>
  (await org.agency.questions.list({ runId: run.id, all: true, limit: 10 })).questions

/** Returns the agent that is at work on a brief. */
async function agentFor(org: TestOrg, run: Run, briefId: string, personaId: number): Promise<AgentActor> {
  const attempt = await org.agency.until(async () =>
    (await org.agency.inspect(run)).attempts.find((each) => each.briefId === briefId && each.status === 'running'),
  )
  return { ...agentOf(attempt), personaId: personaId as PersonaId }
}

const answer = ({ org }: Pick<Stage, 'org'>, by: AgentActor, question: Question, text = 'green'): Promise<Question> =>
  org.agency.questions.answer(by, question.id, text)

/** Opens the gate for all agents, and returns the run when it has ended. */
async function finish({ org, run }: Stage): Promise<Run> {
  await org.agency.gate('lead').open()
  return org.agency.settled(run)
}

describeStores('the authority of a seat over a question', (openFresh) => {
  it('lets the agent on the seat answer while it works, and its brief is done without a report', async () => {
    const stage = await openStage(openFresh, [waits('lead')])
    const answered = await answer(stage, stage.lead, stage.question)
    expect(answered).toMatchObject({ status: 'answered', answer: 'green', answeredBy: 'qa-robbo-3' })
    expect(await finish(stage)).toMatchObject({ status: 'done', questionsOpen: 0, briefsOpen: 0, briefsDone: 1 })
    const { briefs, attempts } = await stage.org.agency.inspect(stage.run)
    expect(briefs.find(({ id }) => id === stage.question.resolveBriefId)).toMatchObject({ status: 'done', attempts: 1 })
    expect(attempts.filter(({ briefId }) => briefId === stage.question.resolveBriefId)).toMatchObject([
      { outcome: 'ok', report: { output: { decision: 'answer', answer: 'green' } } },
    ])
  })

  it('starts no further agent after one that crashed behind its answer', async () => {
    const stage = await openStage(openFresh, [waits('lead'), { exit: { code: 1 } }])
    await answer(stage, stage.lead, stage.question)
    expect(await finish(stage)).toMatchObject({ status: 'done', briefsOpen: 0, questionsOpen: 0 })
    const { briefs } = await stage.org.agency.inspect(stage.run)
    const resolve = briefs.find(({ id }) => id === stage.question.resolveBriefId)
    expect(resolve).toMatchObject({ status: 'cancelled', attempts: 1 })
  })

  it('lets the agent of another brief of the seat answer: the brief that waits for the seat is cancelled', async () => {
    const org = await openOrg(openFresh)
    const seat = await makeSeat(org, 'Robbo')
    await org.organisations.update(operator, 'Development', { leadPositionId: seat.positionId })
    const [lead] = await agentIn(org, {}, 'robbo', seat.personaId)
    const run = await org.agency.run(asking(handUp))
    const question = await org.agency.until(async () =>
      (await questionsOf(org, run)).find((each) => each.resolveBriefId),
    )
    expect(await answer({ org }, lead, question, 'BLUE')).toMatchObject({ answer: 'BLUE', answeredBy: 'qa-robbo-3' })
    expect(await org.agency.settled(run)).toMatchObject({ status: 'done', briefsOpen: 0 })
    expect((await org.agency.brief(run)).guidance).toMatchObject([{ answer: 'BLUE', by: 'qa-robbo-3' }])
    const { briefs } = await org.agency.inspect(run)
    expect(briefs.find(({ id }) => id === question.resolveBriefId)).toMatchObject({ status: 'cancelled', attempts: 0 })
  })

  it('takes an option from a report with spaces and a line break around it', async () => {
    const stage = await openStage(openFresh, [
      waits('lead'),
      report({ decision: 'answer', answer: ' green\n', reason: 'It is calm.' }),
    ])
    expect(await finish(stage)).toMatchObject({ status: 'done' })
    expect(await questionsOf(stage.org, stage.run)).toMatchObject([{ answer: 'green', answeredBy: 'qa-robbo-3' }])
    expect((await stage.org.agency.brief(stage.run)).guidance).toMatchObject([{ answer: 'GREEN' }])
  })

  it('ignores a report that differs from the answer', async () => {
    const stage = await openStage(openFresh)
    await answer(stage, stage.lead, stage.question)
    expect(await finish(stage)).toMatchObject({ status: 'done', briefsOpen: 0 })
    expect(await questionsOf(stage.org, stage.run)).toMatchObject([{ answer: 'green', status: 'answered' }])
    const { briefs } = await stage.org.agency.inspect(stage.run)
    expect(briefs.find(({ id }) => id === stage.question.resolveBriefId)).toMatchObject({ status: 'done' })
  })
})

/** Returns an agent at work on a brief of a persona, or one without a persona of its own. */
async function agentIn(org: TestOrg, input: StartRun, persona?: string, personaId = 2): Promise<[AgentActor, Run]> {
  const brief = { key: 'own', objective: 'Do it', ...(persona === undefined ? {} : { persona }) }
  const play: StepInput[][] = [[waits('other'), ...work]]
  const run = await org.agency.run({ play, briefs: [brief], ...input })
  const own = await org.agency.until(async () =>
    (await org.agency.inspect(run)).briefs.find(({ key }) => key === 'own'),
  )
  return [await agentFor(org, run, own.id, personaId), run]
}

const isForbidden = (message: string) => ({ code: 'forbidden', message: expect.stringContaining(message) as string })
const isUnknown = (noun: string, id: string) => ({ code: 'not_found', message: `no ${noun} "${id}"` })

describeStores('the limits of the authority over a question', (openFresh) => {
  it('refuses an agent without the seat: the question of another run does not exist for it', async () => {
    const stage = await openStage(openFresh)
    const [stranger] = await agentIn(stage.org, {})
    await expect(answer(stage, stranger, stage.question)).rejects.toMatchObject(
      isUnknown('question', stage.question.id),
    )
    const show = stage.org.agency.questions.show(stranger, stage.question.id)
    await expect(show).rejects.toMatchObject(isUnknown('question', stage.question.id))
    expect(await stage.org.agency.questions.show(stage.lead, stage.question.id)).toMatchObject({ answer: null })
  })

  it('says the same about a question of another run as about one that does not exist', async () => {
    const stage = await openStage(openFresh)
    const [stranger] = await agentIn(stage.org, {})
    const { questions: service } = stage.org.agency
    for (const ask of [
      (id: string) => service.answer(stranger, id, 'green'),
      (id: string) => service.show(stranger, id),
    ])
      for (const id of [stage.question.id, 'qst_unknown'])
        await expect(ask(id)).rejects.toMatchObject({ ...isUnknown('question', id), hint: undefined, data: {} })
  })

  it('refuses the seat of another organisation', async () => {
    const stage = await openStage(openFresh)
    const { organisationId } = await stage.org.organisations.create(operator, {
      name: 'Rival',
      purpose: 'Other',
      description: '',
    })
    const eve = await makeSeat(stage.org, 'Eve', 'Rival')
    const [stranger] = await agentIn(stage.org, { organisationId }, 'eve', eve.personaId)
    await expect(answer(stage, stranger, stage.question)).rejects.toMatchObject(
      isUnknown('question', stage.question.id),
    )
  })

  it('refuses an agent of the same run that the question does not name', async () => {
    const stage = await openStage(openFresh)
    await stage.org.agency.gate('lead').open()
    const [asker, run] = await agentIn(stage.org, { onLimit: 'ask', briefs: two })
    const question = await stage.org.agency.until(async () => (await questionsOf(stage.org, run))[0])
    await expect(answer(stage, asker, question)).rejects.toMatchObject(
      isForbidden('does not name the seat of its brief'),
    )
  })

  it('refuses the answer to a question about a brief of the same persona', async () => {
    const org = await openOrg(openFresh)
    const seat = await makeSeat(org, 'Robbo')
    const run = await org.agency.run({ ...asking(), briefs: [{ key: 'main', objective: 'Ask', persona: 'robbo' }] })
    const question = await org.agency.until(async () => (await questionsOf(org, run))[0])
    await changeRun(org.agency, run, async ({ tx }) => {
      // A seat that was given to the asker after the question had reached it.
      await change(
        tx,
        questions,
        question,
        { currentPositionId: seat.positionId },
        { kind: 'log', by: 'engine', message: 'moved', runId: run.id },
      )
    })
    const [self] = await agentIn(org, {}, 'robbo', seat.personaId)
    await expect(answer({ org }, self, question)).rejects.toMatchObject(isForbidden('about work of its own'))
    expect(await questionsOf(org, run)).toMatchObject([{ answer: null }])
  })

  it('refuses an agent after its persona has left the seat, also when another persona holds it', async () => {
    const stage = await openStage(openFresh)
    const { assignments } = stage.org
    await makeSeat(stage.org, 'Ada')
    await assignments.unassign(operator, stage.seat.positionId)
    const left = isForbidden('names a seat that its persona has left')
    await expect(answer(stage, stage.lead, stage.question)).rejects.toMatchObject(left)
    await assignments.assign(operator, stage.seat.positionId, 'ada', false)
    await expect(answer(stage, stage.lead, stage.question)).rejects.toMatchObject(left)
    expect(await questionsOf(stage.org, stage.run)).toMatchObject([{ answer: null, answeredAt: null }])
  })

  it('refuses an attempt that has ended', async () => {
    const stage = await openStage(openFresh)
    await stage.org.agency.gate('lead').open()
    await stage.org.agency.until(async () => (await questionsOf(stage.org, stage.run))[0]?.status === 'with_operator')
    await expect(answer(stage, stage.lead, stage.question)).rejects.toMatchObject({ code: 'stale_fence' })
  })

  it('refuses options of the operator and words that the question does not take', async () => {
    const stage = await openStage(openFresh)
    const options = [{ key: 'abandon', label: 'Give up', detail: '' }]
    await changeRun(stage.org.agency, stage.run, async ({ tx }) => {
      await change(
        tx,
        questions,
        stage.question,
        { options },
        { kind: 'log', by: 'engine', message: 'options', runId: stage.run.id },
      )
    })
    for (const given of ['abandon', 'Give up'])
      await expect(answer(stage, stage.lead, stage.question, given)).rejects.toMatchObject({
        code: 'invalid_input',
        message: '"abandon" is only the operator’s to choose: hand it up',
      })
  })

  it.for(['budget', 'permission', 'secret', 'fault', 'checks', 'merge', 'gate', 'note'] as const)(
    'leaves a question of the class %s to the operator, also if it names the seat',
    async (cause) => {
      const stage = await openStage(openFresh)
      await changeRun(stage.org.agency, stage.run, async ({ tx }) => {
        await change(
          tx,
          questions,
          stage.question,
          { class: cause },
          { kind: 'log', by: 'engine', message: 'class', runId: stage.run.id },
        )
      })
      await expect(answer(stage, stage.lead, stage.question)).rejects.toMatchObject(
        isForbidden(`of the class "${cause}" is only the operator’s to answer`),
      )
    },
  )

  it('records one of two answers that are given at once', async () => {
    const stage = await openStage(openFresh)
    const given = await Promise.allSettled([
      answer(stage, stage.lead, stage.question, 'green'),
      stage.org.agency.questions.answer(operator, stage.question.id, 'blue'),
      answer(stage, stage.lead, stage.question, 'blue'),
    ])
    expect(given.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await finish(stage)).toMatchObject({ status: 'done', questionsOpen: 0, briefsOpen: 0 })
    const answers = (await stage.org.agency.events(stage.run)).filter(({ kind }) => kind === 'question_answered')
    expect(answers).toHaveLength(1)
  })
})
