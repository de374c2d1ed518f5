import { expect, it } from 'vitest'

import { startAgency, type TestAgency } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import type { Run } from '../runs/contract.ts'

const say = (agency: TestAgency, text: string, from?: string) => agency.gates.reply(operator, { text, from })
const gated = (agency: TestAgency): Promise<Run> => agency.run({ planGate: true })
const pendingIds = async (agency: TestAgency): Promise<string[]> =>
  (await agency.gates.list('pending', 10)).gates.map((gate) => gate.id)

const stuck: StepInput[] = [{ report: { status: 'blocked', summary: 'Which colour?' } }]
const asking = async (agency: TestAgency): Promise<{ run: Run; questionId: string }> => {
  const run = await agency.run({ play: [stuck], onLimit: 'ask' })
  const question = await agency.until(
    async () => (await agency.questions.list({ runId: run.id, limit: 1 })).questions[0],
  )
  return { run, questionId: question.id }
}

describeStores('a reply', (openFresh) => {
  it('approves the only pending gate', async () => {
    const agency = await startAgency(openFresh)
    const run = await gated(agency)
    expect(await say(agency, 'approve')).toEqual({ text: '✅ Approved — 1 brief starts now.', done: true })
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect(await say(agency, 'approve')).toEqual({ text: 'No gate waits for a decision.', done: false })
  })

  it('lists several pending gates and decides none', async () => {
    const agency = await startAgency(openFresh)
    const runs = [await gated(agency), await gated(agency)]
    const ids = await pendingIds(agency)
    for (const text of ['approve', 'reject: no']) {
      const answer = await say(agency, text)
      expect(answer.done).toBe(false)
      for (const each of [...ids, ...runs.map((run) => run.id)]) expect(answer.text).toContain(each)
    }
    expect(await pendingIds(agency)).toEqual(ids)
    expect(await say(agency, `approve ${runs[1]?.id}`)).toMatchObject({ done: true })
    expect(await say(agency, `reject ${ids[0]}: no`)).toEqual({
      text: '❌ Rejected — the run is cancelled.',
      done: true,
    })
    expect(await agency.settled(runs[0] as Run)).toMatchObject({ status: 'cancelled' })
    expect(await agency.settled(runs[1] as Run)).toMatchObject({ status: 'done' })
  })

  it('never approves a pause', async () => {
    const agency = await startAgency(openFresh)
    const [paused, waiting] = [await gated(agency), await gated(agency)]
    await agency.gates.approve(operator, { target: waiting.id })
    await agency.settled(waiting)
    await agency.gates.pause(operator, paused.id, undefined)
    await agency.gates.approve(operator, { target: paused.id })
    expect(await say(agency, 'approve')).toMatchObject({ done: false })
    expect((await agency.runs.show(paused.id)).status).toBe('paused')
  })

  it('returns a refusal as text', async () => {
    const agency = await startAgency(openFresh)
    await gated(agency)
    const [id] = await pendingIds(agency)
    await say(agency, 'approve')
    expect(await say(agency, `approve ${id}`)).toEqual({
      text: expect.stringMatching(/is approved already, by operator/) as never,
      done: false,
    })
    expect(await say(agency, 'approve run_nope')).toMatchObject({ done: false })
    expect(await say(agency, 'answer qst_nope: 42')).toMatchObject({ done: false })
    expect(await say(agency, 'reject')).toEqual({ text: 'Say why: "reject: <reason>".', done: false })
  })

  it('answers the only open question by an option’s key, label or number', async () => {
    const agency = await startAgency(openFresh)
    const { run, questionId } = await asking(agency)
    const lost = await say(agency, 'blue')
    expect(lost.done).toBe(false)
    expect(lost.text).toContain('That was not understood')
    expect(lost.text).toContain(questionId)
    expect(await say(agency, '2')).toEqual({ text: '✅ Answered — Give up.', done: true })
    expect(await agency.settled(run)).toMatchObject({ status: 'failed' })
  })

  it('asks for the question if several are open', async () => {
    const agency = await startAgency(openFresh)
    const [first, second] = [await asking(agency), await asking(agency)]
    const answer = await say(agency, 'abandon')
    expect(answer).toMatchObject({ done: false })
    expect(answer.text).toContain(first.questionId)
    expect(answer.text).toContain(second.questionId)
    expect(await say(agency, `answer ${second.questionId}: abandon`)).toMatchObject({ done: true })
    expect(await agency.settled(second.run)).toMatchObject({ status: 'failed' })
    expect((await agency.questions.show(operator, first.questionId)).answeredAt).toBe(null)
  })
})
