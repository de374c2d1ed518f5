import { expect, it } from 'vitest'
import { z } from 'zod'

import { openAgency, startAgency, type StartRun, type TestAgency, work } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import type { ChaosPointName } from '../../kernel/chaos-point.ts'
import type { Decision, Playbook, PlaybookEvent, View } from '../../playbooks/contract.ts'
import { direct } from '../../playbooks/direct/decide.ts'
import type { Run } from '../runs/contract.ts'
import type { Question, Rung } from './contract.ts'
import { asksSeat, Resolution } from './resolution.contract.ts'

const asks: StepInput[] = [
  { report: { status: 'blocked', summary: 'I need a decision.', question: { text: 'Which colour?' } } },
]
const says = (output: object): StepInput[] => [{ report: { status: 'done', summary: 'Decided.', output } }]
const answers = says({ decision: 'answer', answer: 'green', reason: 'It is known.' })
const handsUp = says({ decision: 'hand_up', reason: 'It is not mine.' })
const rung = (name: string): Rung => ({ kind: 'role', name, positionId: null })

type Roles = Readonly<Record<string, readonly StepInput[]>>

/** The playbook `direct` with roles above its briefs: each takes a question with a step of its own. */
const withRoles = (rungs: readonly Rung[], roles: Roles): Playbook => ({
  ...direct,
  ladder: () => rungs,
  outputs: { resolve: Resolution },
  briefData: z.looseObject({}),
  decide: (view, event) =>
    'brief' in event && event.brief.phase === 'resolve' && event.kind !== 'question_raised'
      ? decideStep(event)
      : event.kind === 'question_raised'
        ? takeFor(roles, event)
        : direct.decide(view, event),
  needs: (view: View, event) =>
    'brief' in event && event.brief.phase === 'resolve' ? {} : (direct.needs?.(view, event) ?? {}),
})

function takeFor(
  roles: Roles,
  { question, rung: { name }, brief }: Extract<PlaybookEvent, { kind: 'question_raised' }>,
): Decision[] {
  const steps = roles[name]
  if (steps === undefined) return []
  const step = {
    key: `ask:${name}:${question.id}`,
    kind: 'plan' as const,
    phase: 'resolve',
    title: 'Decide',
    objective: question.text,
    part: 'all',
    ownerId: brief.id,
    cast: { tier: 't1', domain: null, wanted: null },
    runtime: {
      runtime: 'scripted',
      runtimeOptions: { scenario: { attempts: [steps], phases: { resolve: { attempts: [steps] } } } },
    },
    data: {},
    inputs: { question: question.id, role: name },
    startsAfterFailure: true,
    retryBudget: 0,
    takes: question.id,
  }
  return [{ kind: 'add_briefs', briefs: [step] }]
}

function decideStep(event: Extract<PlaybookEvent, { brief: unknown }>): Decision[] {
  const { brief } = event
  const questionId = String(brief.inputs['question'])
  if (event.kind === 'brief_blocked' || event.kind === 'brief_failed')
    return [{ kind: 'raise_question', questionId, reason: 'nobody decided' }]
  if (event.kind === 'brief_verified') return [{ kind: 'close_brief', brief }]
  if (event.kind !== 'brief_ready' || asksSeat(brief)) return []
  const { decision, answer = '', reason } = event.seen.report.output as Resolution
  return [
    { kind: 'pass_brief', brief, reason },
    decision === 'answer'
      ? { kind: 'answer_question', questionId, answer, by: String(brief.inputs['role']) }
      : { kind: 'raise_question', questionId, reason },
  ]
}

/** The prompts of `direct` have none for a step of a role. */
const promptOf = (): string => '{{objective}}'

const asking: StartRun = { onLimit: 'ask', play: [asks, work] }
const questionOf = async (agency: TestAgency, run: Run): Promise<Question | undefined> =>
  (await agency.questions.list({ runId: run.id, all: true, limit: 10 })).questions[0]
const atOperator = (agency: TestAgency, run: Run): Promise<Question> =>
  agency.until(async () => {
    const question = await questionOf(agency, run)
    return question?.status === 'with_operator' ? question : null
  })
const wayOf = ({ hops }: Question): string[] =>
  hops.map(({ rank, from, to, skipped }) => `${rank} ${from} → ${to}${skipped === undefined ? '' : ` (${skipped})`}`)

describeStores('the rungs of a playbook', (openFresh) => {
  it('end at the operator when the ladder is a circle', async () => {
    const circle = [rung('a'), rung('b'), rung('a'), rung('b')]
    const agency = await startAgency(openFresh, {
      promptOf,
      playbooks: [withRoles(circle, { a: handsUp, b: handsUp })],
    })
    const run = await agency.run(asking)
    const question = await atOperator(agency, run)
    expect(wayOf(question)).toEqual(['1 brief:main → a', '2 a → b', '3 b → operator'])
    const steps = (await agency.inspect(run)).briefs.filter(({ phase }) => phase === 'resolve')
    expect(steps.map(({ status, attempts }) => [status, attempts])).toEqual([
      ['done', 1],
      ['done', 1],
    ])
    await agency.questions.answer(operator, question.id, 'blue')
    expect(await agency.settled(run)).toMatchObject({ status: 'done', briefsOpen: 0, questionsOpen: 0 })
  })

  it('are skipped without a brief, and passed when their step fails', async () => {
    const fails: StepInput[] = [{ exit: { code: 1 } }]
    const roles = { b: fails }
    const agency = await startAgency(openFresh, { promptOf, playbooks: [withRoles([rung('a'), rung('b')], roles)] })
    const run = await agency.run({ ...asking, crashRetries: 0 })
    const question = await atOperator(agency, run)
    expect(wayOf(question)).toEqual(['1 brief:main → a (not_taken)', '2 brief:main → b', '3 b → operator'])
  })

  it('answer a question and raise the start of the next one', async () => {
    const agency = await startAgency(openFresh, { promptOf, playbooks: [withRoles([rung('a')], { a: answers })] })
    const run = await agency.settled(await agency.run(asking))
    expect(run).toMatchObject({ status: 'done', briefsOpen: 0, questionsOpen: 0 })
    expect(await questionOf(agency, run)).toMatchObject({ status: 'answered', answer: 'green', answeredBy: 'a' })
    expect(await agency.brief(run)).toMatchObject({
      escalations: 1,
      guidance: [{ question: 'Which colour?', answer: 'green', by: 'a' }],
    })
    expect(agency.notices.map(({ kind }) => kind)).toEqual(['run_done'])
  })

  it('keep an answer that the operator gave first', async () => {
    const roles = { a: [{ log: 'gate decided' }, ...answers] }
    const agency = await startAgency(openFresh, { promptOf, playbooks: [withRoles([rung('a')], roles)] })
    const run = await agency.run(asking)
    await agency.passed('attempt.started', 2)
    const question = (await questionOf(agency, run)) as Question
    await agency.questions.answer(operator, question.id, 'blue')
    agency.gate('decided').open()
    await agency.settled(run)
    expect(await questionOf(agency, run)).toMatchObject({ answer: 'blue', answeredBy: 'operator' })
    expect(await agency.brief(run)).toMatchObject({ escalations: 0 })
  })

  const points: ChaosPointName[] = ['agent.reported', 'evidence.checked', 'attempt.ended']

  it.each(points)('record each hop once if the process dies at %s', async (point) => {
    const playbooks = [withRoles([rung('a'), rung('b')], { a: handsUp, b: answers })]
    // The first two attempts that pass a point are the one that asks and that of the first role.
    let passed = 0
    const died = Promise.withResolvers<void>()
    const agency: TestAgency & { store: { db: TestAgency['db'] } } = await startAgency(openFresh, {
      promptOf,
      playbooks,
      chaosPoint: (name) => {
        if (name !== point || ++passed < 2) return
        agency.die()
        died.resolve()
      },
    })
    const run = await agency.run(asking)
    await died.promise
    // A commit that was under way when the process died is over before the next process starts.
    await agency.store.db.write([`run:${run.id}`], async () => {})
    const next = await openAgency({ db: agency.store.db, clock: agency.clock, promptOf, playbooks, worker: 'test:2' })
    await next.engine.start()
    expect(await next.settled(run)).toMatchObject({ status: 'done', briefsOpen: 0, questionsOpen: 0 })
    expect(wayOf((await questionOf(next, run)) as Question)).toEqual(['1 brief:main → a', '2 a → b'])
  })
})
