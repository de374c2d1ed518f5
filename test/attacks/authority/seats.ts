import { resolve } from 'node:path'

import { pause } from '../../../src/kernel/clock.ts'
import type { Answer, Puppet } from '../daemon-stage.ts'
import type { Attack } from '../contract.ts'
import { type AuthorityStage, isOk, makePersona, type Place, seat } from './stage.ts'

const main = resolve(import.meta.dirname, '../../../src/cli/main.ts')

interface Lead {
  readonly slug: string
  readonly positionId: number
  readonly puppet: Puppet
}

/** Acts with a seat that leads an organisation and an agent that works for it, and ends the agent, which has a slot. */
async function withLead<T>(stage: AuthorityStage, org: Place, act: (lead: Lead) => Promise<T>): Promise<T> {
  const { slug } = await makePersona(stage)
  const positionId = await seat(stage.do, org.slug, stage.name(), 'developer', slug)
  await stage.do('PATCH', `/orgs/${org.slug}`, { lead_position_id: positionId })
  const puppet = await stage.daemon.puppet({ persona: slug, organisationId: org.id })
  try {
    return await act({ slug, positionId, puppet })
  } finally {
    await stage.do('POST', `/runs/${puppet.runId}/cancel`, {})
  }
}

/** Lets an agent ask, and returns its question once the lead has it. The lead is busy, so that it is not started for it. */
async function asked(stage: AuthorityStage, { positionId }: Pick<Lead, 'positionId'>): Promise<string> {
  const report = { status: 'blocked', summary: 'stuck', question: { text: `Which colour for ${stage.name()}?` } }
  const { id } = await stage.do<{ id: string }>('POST', '/runs', {
    goal: 'Ask',
    organisation_id: stage.home.id,
    runtime: 'scripted',
    runtime_options: { scenario: { steps: [{ report }] } },
    briefs: [{ key: 'main', objective: 'Ask' }],
  })
  for (;;) {
    const { questions } = await stage.do<{ questions: { id: string; current_position_id: number | null }[] }>(
      'GET',
      `/questions?run_id=${id}`,
    )
    const [question] = questions
    if (question === undefined) {
      await pause(50)
      continue
    }
    if (question.current_position_id !== positionId) throw new Error(JSON.stringify(question))
    return question.id
  }
}

const answer = (by: Pick<Puppet, 'ask'>, id: string): Promise<Answer> =>
  by.ask('POST', `/questions/${id}/answer`, { answer: 'blue' })

const leadAnswers = (stage: AuthorityStage): Promise<boolean> =>
  withLead(stage, stage.home, async (robbo) => isOk(await answer(robbo.puppet, await asked(stage, robbo))))

export const seats: readonly Attack<AuthorityStage>[] = [
  {
    name: 'an agent without the seat answers a question that names it',
    control: leadAnswers,
    attack: (stage) =>
      withLead(stage, stage.home, async (robbo) => {
        const question = await asked(stage, robbo)
        return isOk(await answer(stage.agent, question)) || isOk(await answer(stage.director, question))
      }),
  },
  {
    name: 'the lead of another organisation answers a question',
    isLong: true,
    control: leadAnswers,
    attack: (stage) =>
      withLead(stage, stage.home, async (robbo) => {
        const question = await asked(stage, robbo)
        return withLead(stage, stage.other, async (rival) => isOk(await answer(rival.puppet, question)))
      }),
  },
  {
    name: 'a lead answers a second time, and after its persona has left the seat',
    isLong: true,
    control: (stage) =>
      withLead(stage, stage.home, async (robbo) => {
        const question = await asked(stage, robbo)
        const { out } = await robbo.puppet.shell(`exec '${process.execPath}' '${main}' answer ${question} blue`)
        return out.includes('answered: blue')
      }),
    attack: (stage) =>
      withLead(stage, stage.home, async (robbo) => {
        const [first, second] = [await asked(stage, robbo), await asked(stage, robbo)]
        if (!isOk(await answer(robbo.puppet, first))) throw new Error('the lead could not answer')
        const again = isOk(await answer(robbo.puppet, first))
        await stage.do('DELETE', `/positions/${robbo.positionId}/assignment`)
        return again || isOk(await answer(robbo.puppet, second))
      }),
  },
]
