import { expect, it } from 'vitest'

import { openOrg, type TestOrg } from '../../../test/support/org.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import { type StartRun, work } from '../../../test/support/agency.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import type { Run } from '../runs/contract.ts'
import type { Question } from './contract.ts'

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

  it('goes on to the operator when the lead hands the question up, and notifies her then', async () => {
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

  it('leads a planner to the answer, whose plan is then carried out', async () => {
    const org = await openOrg(openFresh)
    await leadOf(org)
    const plan = [{ key: 'river', objective: 'Paint the river.' }]
    const run = await org.agency.run({
      onLimit: 'ask',
      planner: true,
      runtimeOptions: {
        scenario: {
          attempts: [work],
          plan: [asks, [{ report: { status: 'done', summary: 'One part.', plan } }]],
          phases: { resolve: { attempts: [answers('green')] } },
        },
      },
    })
    expect(await org.agency.settled(run)).toMatchObject({ status: 'done', briefsDone: 1 })
    expect((await org.agency.inspect(run)).briefs.map(({ key, status }) => `${key} ${status}`)).toContain('river done')
  })
})
