import { expect, it } from 'vitest'

import { changeRun } from '../../../test/support/change-run.ts'
import { openOrg, type TestOrg } from '../../../test/support/org.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import { type StartRun, work } from '../../../test/support/agency.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import type { Run } from '../runs/contract.ts'
import { raiseQuestion } from './climb.ts'
import type { Question, Rung } from './contract.ts'
import { operatorRung } from './rungs.ts'

const asks: StepInput[] = [
  {
    report: {
      status: 'blocked',
      summary: 'I need a decision.',
      question: {
        text: 'Which colour should the river have?',
        options: [
          { key: 'blue', label: 'Blue', detail: '' },
          { key: 'green', label: 'Green', detail: '' },
        ],
      },
    },
  },
]
const says = (output: object): StepInput[] => [{ report: { status: 'done', summary: 'Decided.', output } }]
const answers = (answer: string) => says({ decision: 'answer', answer, reason: 'It is ours to say.' })
const handsUp = says({ decision: 'hand_up', reason: 'The goal does not say.' })

/** A run whose agent asks once; `resolve` are the attempts of the agents on seats. */
const asking = (...resolve: StepInput[][]): StartRun => ({
  onLimit: 'ask',
  runtimeOptions: {
    scenario: { attempts: [asks, work], phases: { resolve: { attempts: resolve.length > 0 ? resolve : [handsUp] } } },
  },
})

/** Makes a seat that leads Development, and a persona for it. */
async function leadOf(org: TestOrg, type: 'agent' | 'person' | null = 'agent'): Promise<number> {
  const { positionId } = await org.positions.create(operator, 'Development', {
    title: 'Principal Architect',
    role: 'architect',
    level: 1,
    reportsTo: null,
    escalatesTo: null,
    isCrossCutting: false,
  })
  await org.organisations.update(operator, 'Development', { leadPositionId: positionId })
  if (type === null) return positionId
  await org.personas.create(operator, {
    name: 'Robbo',
    role: 'architect',
    type,
    subtype: 'internal',
    canCreateChannel: false,
  })
  await org.assignments.assign(operator, positionId, 'robbo', false)
  return positionId
}

const questionOf = (org: TestOrg, run: Run, isThere: (question: Question) => boolean): Promise<Question> =>
  org.agency.until(async () => {
    const { questions } = await org.agency.questions.list({ runId: run.id, all: true, limit: 10 })
    return questions.find(isThere)
  })
const atOperator = (org: TestOrg, run: Run) => questionOf(org, run, ({ status }) => status === 'with_operator')
const wayOf = ({ hops }: Question): string[] =>
  hops.map(({ rank, from, to, skipped }) => `${rank} ${from} → ${to}${skipped === undefined ? '' : ` (${skipped})`}`)

describeStores('the ladder of a question', (openFresh) => {
  it('skips a vacant lead seat and records the reason', async () => {
    const org = await openOrg(openFresh)
    await leadOf(org, null)
    const run = await org.agency.run(asking())
    const question = await atOperator(org, run)
    expect(wayOf(question)).toEqual(['1 brief:main → lead:Principal Architect (vacant)', '2 brief:main → operator'])
    const routed = (await org.agency.events(run)).filter(({ kind }) => kind === 'question_routed')
    expect(routed.map(({ message }) => message)).toEqual([
      'brief:main → lead:Principal Architect skipped (vacant)',
      'brief:main → operator',
    ])
    expect(org.agency.notices).toMatchObject([{ kind: 'question_asked', object: question.id }])
    expect((await org.agency.inspect(run)).briefs).toHaveLength(1)
  })

  it('skips a lead that is a person, because only agents are asked below the operator', async () => {
    const org = await openOrg(openFresh)
    await leadOf(org, 'person')
    const question = await atOperator(org, await org.agency.run(asking()))
    expect(wayOf(question)).toEqual(['1 brief:main → lead:Principal Architect (person)', '2 brief:main → operator'])
  })

  it('skips a seat that the persona that asks has got since it asked', async () => {
    const org = await openOrg(openFresh)
    const positionId = await leadOf(org)
    await org.assignments.unassign(operator, positionId)
    const briefs = [{ key: 'main', objective: 'Ask', persona: 'robbo' }]
    const run = await org.agency.run({ ...asking(), briefs })
    const asked = await atOperator(org, run)
    await org.assignments.assign(operator, positionId, 'robbo', false)
    await changeRun(org.agency, run, async (scope) => {
      const lead: Rung = { kind: 'lead', name: 'lead:Principal Architect', positionId }
      await raiseQuestion(scope, { ...asked, hops: [], ladder: [lead, operatorRung] })
    })
    const question = await atOperator(org, run)
    expect(wayOf(question)).toEqual(['1 brief:main → lead:Principal Architect (asker)', '2 brief:main → operator'])
    expect((await org.agency.inspect(run)).briefs).toHaveLength(1)
  })

  it('ends with the answer of the lead: the brief continues, and the operator is not notified', async () => {
    const org = await openOrg(openFresh)
    const positionId = await leadOf(org)
    const run = await org.agency.settled(await org.agency.run(asking(answers('green'))))
    expect(run).toMatchObject({ status: 'done', questionsOpen: 0, briefsOpen: 0, briefsDone: 1 })
    const question = await questionOf(org, run, () => true)
    expect(wayOf(question)).toEqual(['1 brief:main → lead:Principal Architect'])
    expect(question).toMatchObject({ status: 'answered', answer: 'green', answeredBy: 'architect-robbo-3' })
    const main = await org.agency.brief(run)
    expect(main.guidance).toEqual([
      { question: 'Which colour should the river have?', answer: 'Green', by: 'architect-robbo-3' },
    ])
    const resolve = (await org.agency.inspect(run)).briefs.find(({ phase }) => phase === 'resolve')
    expect(resolve).toMatchObject({ id: question.resolveBriefId, status: 'done', positionId, ownerId: main.id })
    expect(org.agency.prompts.get(resolve?.attemptId ?? '')).toContain('Which colour should the river have?')
    expect(org.agency.notices.map(({ kind }) => kind)).toEqual(['run_done'])
  })

  it('reaches the operator when the lead hands the question up, and notifies her then', async () => {
    const org = await openOrg(openFresh)
    await leadOf(org)
    const run = await org.agency.run(asking(handsUp))
    const question = await atOperator(org, run)
    expect(wayOf(question)).toEqual([
      '1 brief:main → lead:Principal Architect',
      '2 lead:Principal Architect → operator',
    ])
    expect(org.agency.notices.map(({ object }) => object)).toEqual([question.id])
    await org.agency.questions.answer(operator, question.id, 'blue')
    expect(await org.agency.settled(run)).toMatchObject({ status: 'done', briefsOpen: 0 })
  })

  it.each<[string, object, string]>([
    [
      'asks a question itself',
      { question: { text: 'Who pays for it?' } },
      'It is not mine to say. It asks: Who pays for it?',
    ],
    [
      'asks several',
      { questions: [{ text: 'Who pays for it?' }, { text: 'When?' }] },
      'It is not mine to say. It asks: Who pays for it? When?',
    ],
    ['is blocked', {}, 'It is not mine to say.'],
  ])('reaches the operator at once when the agent of the lead %s', async (_, fields, reason) => {
    const org = await openOrg(openFresh)
    await leadOf(org)
    const blocked: StepInput[] = [
      { raw_report: { body: { status: 'blocked', summary: 'It is not mine to say.', ...fields } } },
    ]
    const run = await org.agency.run(asking(blocked))
    const question = await atOperator(org, run)
    expect(question).toMatchObject({ text: 'Which colour should the river have?' })
    const routed = (await org.agency.events(run)).filter(({ kind }) => kind === 'question_routed')
    expect(routed.at(-1)).toMatchObject({ data: { to: 'operator', reason } })
    const { briefs, attempts, questions } = await org.agency.inspect(run)
    expect(questions).toHaveLength(1)
    const resolve = briefs.find(({ phase }) => phase === 'resolve')
    expect(resolve).toMatchObject({ status: 'cancelled', attempts: 1 })
    expect(attempts.find(({ briefId }) => briefId === resolve?.id)).toMatchObject({ outcome: 'blocked' })
    await org.agency.questions.answer(operator, question.id, 'blue')
    expect(await org.agency.settled(run)).toMatchObject({ status: 'done', briefsOpen: 0 })
  })

  it('surfaces the failure of another brief when the operator answers before the agent of the lead', async () => {
    const org = await openOrg(openFresh)
    await leadOf(org)
    const answered = org.agency.gate('answered')
    const fails = org.agency.gate('fails')
    const briefs = [
      { key: 'a', objective: 'Do a', after: [], runtimeOptions: { scenario: { attempts: [asks, work] } } },
      {
        key: 'b',
        objective: 'Do b',
        after: [],
        runtimeOptions: { scenario: { attempts: [[{ log: 'gate fails' }, { exit: { code: 1 } }]] } },
      },
    ]
    const run = await org.agency.run({ ...asking([{ log: 'gate answered' }]), briefs, crashRetries: 0 } as never)
    await answered.reached
    const question = await questionOf(org, run, ({ status }) => status === 'with_lead')
    fails.open()
    await org.agency.until(async () => (await org.agency.brief(run, 'b')).status === 'failed')
    await org.agency.questions.answer(operator, question.id, 'blue')
    const about = await questionOf(org, run, ({ askedBy }) => askedBy === 'brief:b')
    expect(about.text).toContain('b')
    answered.open()
  })

  it('does not take the brief of the lead for the planner whose question it answered', async () => {
    const org = await openOrg(openFresh)
    await leadOf(org)
    const plan = ['one', 'two'].map((key) => ({ key, objective: `Do ${key}` }))
    const scenario = {
      plan: [asks, [{ report: { status: 'done', summary: 'Two parts.', plan } }]],
      attempts: [work],
      phases: { resolve: { attempts: [answers('green')] } },
    }
    const run = await org.agency.run({ planner: true, onLimit: 'ask', runtimeOptions: { scenario } })
    expect(await org.agency.settled(run)).toMatchObject({ status: 'done', briefsDone: 2, briefsOpen: 0 })
    const { briefs } = await org.agency.inspect(run)
    expect(briefs.flatMap(({ key, kind }) => (kind === 'work' ? [key] : []))).toEqual(['one', 'two'])
    expect(briefs.find(({ key }) => key === 'plan:1')).toMatchObject({ status: 'done', attempts: 2 })
  })
})
