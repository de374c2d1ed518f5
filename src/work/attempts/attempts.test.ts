import { expect, it } from 'vitest'

import { agentOf, startAgency } from '../../../test/support/agency.ts'
import { describeStores, type OpenFresh } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import type { Attempt, Report } from './contract.ts'

const report: Report = { status: 'done', summary: 'Done.', outputs: [] }
const hang: StepInput[] = [{ hang: {} }]

async function atWork(openFresh: OpenFresh, play: StepInput[][] = [hang]) {
  const agency = await startAgency(openFresh)
  const run = await agency.run({ goal: 'Write a poem', play })
  await agency.passed('attempt.started')
  const attempts = async (): Promise<Attempt[]> => (await agency.inspect(run)).attempts
  return { agency, run, attempts, attempt: (await attempts())[0] as Attempt }
}

describeStores('an agent at work', (openFresh) => {
  it('receives its brief', async () => {
    const { agency, run, attempt } = await atWork(openFresh)
    expect(await agency.attempts.brief(agentOf(attempt))).toEqual({
      briefId: attempt.briefId,
      runId: run.id,
      attemptId: attempt.id,
      attempt: 1,
      objective: 'Write a poem',
      context: '',
      evidence: [{ kind: 'artifact' }],
      corrections: [],
      guidance: [],
      inputsSeen: [],
      kind: 'work',
    })
  })

  it('is the only actor that can report or ask', async () => {
    const { agency } = await atWork(openFresh)
    await expect(agency.attempts.brief(operator)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(agency.attempts.report(operator, report)).rejects.toMatchObject({ code: 'forbidden' })
  })

  it('may report again; the last report counts, with secrets redacted', async () => {
    const { agency, run, attempt, attempts } = await atWork(openFresh)
    await agency.attempts.report(agentOf(attempt), { ...report, status: 'partial', summary: 'Half.' })
    const secret = `sk-${'a1'.repeat(20)}`
    await agency.attempts.report(agentOf(attempt), {
      status: 'blocked',
      summary: `No access with ${secret}`,
      outputs: [],
    })
    expect((await attempts())[0]?.report).toEqual({
      status: 'blocked',
      summary: 'No access with [redacted]',
      outputs: [],
    })
    const events = await agency.events(run)
    expect(events.filter((event) => event.kind === 'reported').map(({ by, message }) => [by, message])).toEqual([
      [`agent:${attempt.agentId}`, 'reports partial: Half.'],
      [`agent:${attempt.agentId}`, 'reports blocked: No access with [redacted]'],
    ])
    expect(JSON.stringify(await agency.store.raw('SELECT * FROM events'))).not.toContain(secret)
  })

  it('cannot write under a fence that is not its own', async () => {
    const { agency, run, attempt } = await atWork(openFresh)
    const events = await agency.events(run)
    for (const fence of [0, 2, -1, Number.MAX_SAFE_INTEGER])
      await expect(agency.attempts.report(agentOf(attempt, fence), report)).rejects.toMatchObject({
        code: 'stale_fence',
        message: `attempt ${attempt.id} is no longer the current attempt of ${attempt.briefId}`,
      })
    expect(await agency.events(run)).toEqual(events)
  })

  it('cannot write after another attempt has taken over', async () => {
    const { agency, run, attempt, attempts } = await atWork(openFresh, [[{ log: 'gate first' }, { crash: {} }], hang])
    agency.gate('first').open()
    await agency.passed('attempt.started', 2)
    const events = await agency.events(run)
    for (const fence of [1, 2])
      await expect(agency.attempts.report(agentOf(attempt, fence), report)).rejects.toMatchObject({
        code: 'stale_fence',
      })
    expect(await agency.events(run)).toEqual(events)
    const second = (await attempts())[1] as Attempt
    expect(await agency.attempts.report(agentOf(second), report)).toMatchObject({ accepted: true })
  })

  it('is judged by its last report', async () => {
    const { agency, run, attempts } = await atWork(openFresh, [
      [
        { write: { path: 'poem.txt', text: 'river' } },
        { report: { status: 'blocked', summary: 'Stuck.' } },
        { report: { status: 'done', summary: 'Not stuck any more.', outputs: ['poem.txt'] } },
      ],
    ])
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect(await attempts()).toMatchObject([
      {
        outcome: 'ok',
        detail: 'Not stuck any more.',
        report: { status: 'done', summary: 'Not stuck any more.', outputs: ['poem.txt'] },
      },
    ])
  })

  it.each(['stdout', 'file'] as const)('has no report by %s, once it has reported with its token', async (via) => {
    const { agency, run, attempts } = await atWork(openFresh, [
      [
        { write: { path: 'poem.txt', text: 'river' } },
        { report: { status: 'blocked', summary: 'I am stuck.' } },
        { report: { status: 'done', summary: 'Says a program.', outputs: ['poem.txt'], via } },
      ],
    ])
    await agency.settled(run)
    expect(await attempts()).toMatchObject([{ outcome: 'blocked', detail: 'I am stuck.' }])
  })

  it('keeps no secret in any part of its report', async () => {
    const { agency, attempt, attempts } = await atWork(openFresh, [[{ log: 'gate wait' }]])
    const secret = `sk-${'a1'.repeat(20)}`
    const question = { text: `Is ${secret} right?`, options: [] } as never
    const told = { status: 'blocked', summary: 'x', outputs: [], remaining: secret, assumptions: [secret], question }
    await agency.attempts.report(agentOf(attempt), told as never)
    expect(JSON.stringify((await attempts())[0]?.report)).not.toContain(secret)
    agency.gate('wait').open()
  })

  it('has output that can be read during the attempt and afterwards', async () => {
    const { agency, run, attempt } = await atWork(openFresh, [
      [{ say: 'I begin.' }, { log: 'gate first' }, { say: 'I end.' }, { report: { status: 'done', summary: 'Done.' } }],
    ])
    const first = await agency.until(async () => {
      const part = await agency.attempts.output(attempt.id, 0)
      return part.text === '' ? null : part
    })
    expect(first).toMatchObject({ attemptId: attempt.id, from: 0, ended: false })
    expect(first.text).toContain('I begin.')
    agency.gate('first').open()
    await agency.settled(run)
    const rest = await agency.attempts.output(attempt.id, first.next)
    expect(rest.text).toContain('I end.')
    expect(rest).toMatchObject({ from: first.next, ended: true })
    for (const id of ['att_nope', '../att_1', '', `${attempt.id}/..`])
      await expect(agency.attempts.output(id, null)).rejects.toMatchObject({ code: 'not_found' })
  })
})
