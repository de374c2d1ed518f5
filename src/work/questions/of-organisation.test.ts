import { expect, it } from 'vitest'

import { agentOf, startAgency, type TestAgency } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import { readStreamPage } from '../../events/store.ts'
import { systemIds } from '../../kernel/ids.ts'
import type { Notice } from '../scope.ts'
import type { Question } from './contract.ts'
import { askOrganisation, type OrganisationQuestion } from './of-organisation.ts'

const notices: Notice[] = []
const asked: OrganisationQuestion = {
  organisationId: 1,
  askedBy: 'lead:Principal Architect',
  kind: 'requirement',
  key: 'next_mission',
  text: 'What comes after this mission?',
  context: 'Two missions are possible.',
  options: [
    { key: 'tests', label: 'More tests', detail: '' },
    { key: 'pages', label: 'More pages', detail: '' },
  ],
  recommendation: 'tests',
  risk: 'low',
}
const ask = ({ db }: TestAgency, wanted: Partial<OrganisationQuestion> = {}): Promise<Question> =>
  db.write(['org:1', 'system'], (tx) =>
    askOrganisation({ ids: systemIds, notify: async (_, notice) => void notices.push(notice) }, tx, {
      ...asked,
      ...wanted,
    }),
  )
const eventsOf = ({ db }: TestAgency) =>
  db.read(async (tx) =>
    (await readStreamPage(tx, 'org:1', { limit: 1_000 })).events.filter(({ kind }) => kind.startsWith('question_')),
  )

describeStores('a question of an organisation', (openFresh) => {
  it('belongs to no run, is with the operator, and notifies her', async () => {
    const agency = await startAgency(openFresh)
    notices.length = 0
    const question = await ask(agency)
    expect(await agency.questions.show(operator, question.id)).toMatchObject(question)
    expect(question).toMatchObject({
      runId: null,
      organisationId: 1,
      status: 'with_operator',
      class: null,
      key: 'next_mission',
      hops: [{ from: 'lead:Principal Architect', to: 'operator', rank: 1 }],
    })
    expect(notices).toMatchObject([{ kind: 'question_asked', runId: null, organisationId: 1, object: question.id }])
  })

  it('is listed for its organisation, beside those of runs, and for no other one', async () => {
    const agency = await startAgency(openFresh)
    const question = await ask(agency)
    const ids = async (query: object) =>
      (await agency.questions.list({ limit: 10, ...query })).questions.map(({ id }) => id)
    expect([await ids({}), await ids({ organisationId: 1 }), await ids({ organisationId: 2 })]).toEqual([
      [question.id],
      [question.id],
      [],
    ])
    expect(await agency.questions.list({ limit: 10, organisationId: 1 })).toMatchObject({ total: 1 })
  })

  it('is acknowledged, and answered once, with its events in the stream of the organisation', async () => {
    const agency = await startAgency(openFresh)
    const question = await ask(agency)
    await agency.questions.acknowledge(operator, question.id.slice(0, -1))
    const answers = await Promise.allSettled(
      ['tests', 'More pages', 'Neither'].map((text) => agency.questions.answer(operator, question.id, text)),
    )
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const answered = await agency.questions.show(operator, question.id)
    expect(answered).toMatchObject({ status: 'answered', answeredBy: 'operator', acknowledgedAt: agency.clock.at() })
    await expect(agency.questions.answer(operator, question.id, 'tests')).rejects.toMatchObject({
      code: 'illegal_transition',
      message: `question ${question.id} is answered already, by operator`,
    })
    await expect(agency.questions.acknowledge(operator, question.id)).rejects.toMatchObject({
      code: 'illegal_transition',
    })
    expect((await eventsOf(agency)).map(({ kind, runId, data }) => [kind, runId, data['question_id']])).toEqual([
      ['question_asked', null, question.id],
      ['question_acknowledged', null, question.id],
      ['question_answered', null, question.id],
    ])
    expect((await agency.questions.list({ limit: 10 })).total).toBe(0)
  })

  it('is answered by a reply without its id, while it is the only one', async () => {
    const agency = await startAgency(openFresh)
    const question = await ask(agency)
    expect(await agency.gates.reply(operator, { text: '2' })).toMatchObject({ done: true })
    expect(await agency.questions.show(operator, question.id)).toMatchObject({ answer: 'pages' })
  })

  it('is hidden from agents, which see those of their own run', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.settled(await agency.run())
    const [attempt] = (await agency.inspect(run)).attempts
    const question = await ask(agency)
    await expect(agency.questions.show(agentOf(attempt as never), question.id)).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})
