import { expect, it } from 'vitest'

import { agentOf, startAgency, type TestAgency, work } from '../../test/support/agency.ts'
import { describeStores, type OpenFresh } from '../../test/support/store.ts'
import { operator } from '../../test/support/work.ts'
import { CreateMission } from '../work/missions/contract.ts'
import type { Run } from '../work/runs/contract.ts'
import type { MissionMemoryInput } from './service.ts'

const which = {
  report: {
    status: 'blocked',
    summary: 'I need a decision.',
    question: {
      text: 'Which colour?',
      context: 'The flag has one.',
      options: [{ key: 'red', label: 'Red as wine', detail: '' }],
    },
  },
} as const

/** Starts a run with an agent that asks, and answers it. */
async function answered(agency: TestAgency, answer: string, missionId?: string): Promise<Run> {
  const run = await agency.run({
    play: [[which], work],
    onLimit: 'ask',
    ...(missionId === undefined ? {} : { missionId }),
  })
  const question = await agency.until(
    async () => (await agency.questions.list({ runId: run.id, limit: 10 })).questions[0],
  )
  await agency.questions.answer(operator, question.id, answer)
  return agency.settled(run)
}

/** Starts a run with an agent that escalates one note and settles another one; the operator confirms the first. */
async function withNotes(openFresh: OpenFresh) {
  const agency = await startAgency(openFresh)
  const run = await agency.run({ play: [[{ log: 'gate here' }, ...work], work] })
  await agency.gate('here').reached
  await agency.passed('attempt.started')
  const agent = agentOf((await agency.inspect(run)).attempts[0] as never)
  const doubt = { context: 'the brief names no zone', status: 'open' } as const
  await agency.notes.add(agent, { ...doubt, description: 'Dates are UTC', category: 'requirements' })
  await agency.notes.add(agent, { ...doubt, description: 'The tests are slow', category: 'implementation' })
  agency.clock.advance(1_000)
  await agency.notes.resolve(agent, { noteId: 'note_002', resolution: 'they share a store' })
  const { questionId } = await agency.notes.escalate(agent, { noteId: 'note_001', reason: 'not mine' })
  agency.clock.advance(1_000)
  return { agency, run, agent, questionId: questionId as string }
}

const ofMission = (agency: TestAgency, missionId: string, input: Partial<MissionMemoryInput> = {}) =>
  agency.memories.ofMission(operator, { missionId, limit: 100, ...input })

describeStores('the memory of a mission', (openFresh) => {
  it('holds the same answer as the note that a question came from', async () => {
    const { agency, run, agent, questionId } = await withNotes(openFresh)
    expect((await ofMission(agency, run.missionId)).memories.map(({ noteId }) => noteId)).toEqual(['note_002'])
    await agency.questions.answer(operator, questionId, 'confirm')
    agency.gate('here').open()
    await agency.settled(run)
    const { memories, total } = await ofMission(agency, run.missionId.slice(0, 12))
    const note = await agency.notes.show(operator, { runId: run.id, noteId: 'note_001' })
    expect(memories).toMatchObject([
      {
        id: questionId,
        type: 'question',
        runId: run.id,
        briefId: agent.briefId,
        noteId: 'note_001',
        text: 'Dates are UTC',
        askedBy: `agent:${agent.agentId}`,
        answer: note.resolution,
        answeredBy: 'operator',
        at: note.resolutionTimestamp,
      },
      {
        type: 'note',
        noteId: 'note_002',
        text: 'The tests are slow',
        answer: 'they share a store',
        answeredBy: `agent:${agent.agentId}`,
      },
    ])
    expect([note.resolution, total]).toEqual(['Confirmed', 2])
    const onlyNotes = await ofMission(agency, run.missionId, { type: 'note' })
    expect([onlyNotes.memories.map(({ noteId }) => noteId), onlyNotes.total]).toEqual([['note_002'], 1])
  })

  it('holds the answers of its own runs, and no question that waits', async () => {
    const agency = await startAgency(openFresh)
    const mission = await agency.missions.create(operator, CreateMission.parse({ title: 'A flag' }))
    const first = await answered(agency, 'red', mission.id)
    expect(await agency.missions.show(mission.id)).toMatchObject({ status: 'done' })
    const other = await answered(agency, 'In my own words: blue')
    expect(other.missionId).not.toBe(mission.id)
    const waiting = await agency.run({ play: [[which]], onLimit: 'ask' })
    await agency.until(async () => (await agency.questions.list({ runId: waiting.id, limit: 1 })).questions[0])
    expect((await ofMission(agency, waiting.missionId)).total).toBe(0)
    expect((await ofMission(agency, mission.id)).memories).toMatchObject([
      { runId: first.id, text: 'Which colour?', answer: 'Red as wine', answeredBy: 'operator', noteId: null },
    ])
    expect((await ofMission(agency, other.missionId)).memories).toMatchObject([{ answer: 'In my own words: blue' }])
    await agency.runs.cancel(operator, waiting.id, undefined)
  })

  it('is read page by page, without a missing or repeated entry', async () => {
    const { agency, run, questionId } = await withNotes(openFresh)
    await agency.questions.answer(operator, questionId, 'UTC, always')
    agency.gate('here').open()
    await agency.settled(run)
    const first = await ofMission(agency, run.missionId, { limit: 1 })
    const second = await ofMission(agency, run.missionId, { limit: 1, before: first.memories[0]?.id })
    const third = await ofMission(agency, run.missionId, { limit: 1, before: second.memories[0]?.id })
    const shown = [first, second, third].map(({ memories }) => memories.map(({ answer }) => answer))
    expect(shown).toEqual([['UTC, always'], ['they share a store'], []])
    expect([first.total, third.total]).toEqual([2, 2])
    await expect(ofMission(agency, run.missionId, { before: 'qst_elsewhere' })).rejects.toMatchObject({
      code: 'invalid_input',
    })
  })

  it('is shown to the agents of its own runs, and to the pages of its own organisation', async () => {
    const { agency, run, agent } = await withNotes(openFresh)
    const other = await agency.run({ play: [[{ hang: {} }]] })
    const asAgent = (missionId: string) => agency.memories.ofMission(agent, { missionId, limit: 10 })
    expect(await asAgent('own')).toEqual(await asAgent(run.missionId))
    expect((await asAgent('own')).total).toBe(1)
    const missing = { code: 'not_found' }
    await expect(asAgent(other.missionId)).rejects.toMatchObject(missing)
    await expect(asAgent(run.missionId.slice(0, 12))).rejects.toMatchObject(missing)
    expect((await ofMission(agency, run.missionId, { organisationId: 1 })).total).toBe(1)
    await expect(ofMission(agency, run.missionId, { organisationId: 2 })).rejects.toMatchObject(missing)
    await expect(ofMission(agency, 'mis_nope')).rejects.toMatchObject(missing)
    for (const each of [run, other]) await agency.runs.cancel(operator, each.id, undefined)
  })
})
