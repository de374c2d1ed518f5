import { expect, it } from 'vitest'

import { agentOf, opened, startAgency, type TestAgency, work } from '../../../test/support/agency.ts'
import { slowCommands } from '../../../test/support/slow-commands.ts'
import { describeStores, type FreshStore } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import { refusal } from '../../kernel/errors.ts'
import { createMemoryWorkspaces } from '../../workspaces/memory.ts'
import type { Attempt } from '../../work/attempts/contract.ts'
import type { Workspaces } from '../../workspaces/port.ts'

const scenario = (...steps: StepInput[]) => ({ runtimeOptions: { scenario: { attempts: [steps] } } })
const verdict: StepInput = {
  report: { status: 'done', summary: 'Good.', verdict: { verdict: 'pass', checked: opened('result.md') } } as never,
}

/** Workspaces that cannot be examined for these briefs. */
function unexaminable(isConcerned: (briefId: string) => boolean): Workspaces {
  const memory = createMemoryWorkspaces()
  return {
    ...memory,
    open: async (request) => {
      if (isConcerned(request.id)) throw refusal('bug', 'a fault')
      return memory.open(request)
    },
  }
}

/** Starts a run of two briefs: the verifier of `a` waits for an answer, and the agent of `b` waits at its gate. */
async function startWithHeldVerifier(openFresh: Parameters<typeof startAgency>[0]) {
  let verifierId: unknown
  const agency = await startAgency(openFresh, { workspaces: unexaminable((id) => id === verifierId) })
  const created = agency.until(async () => {
    verifierId = (await agency.store.raw("SELECT id FROM briefs WHERE kind = 'verify'"))[0]?.['id']
    return verifierId
  })
  const started = await agency.run({
    briefs: [
      { key: 'a', objective: 'Do a' },
      { key: 'b', objective: 'Do b', verify: 'none', ...scenario({ log: 'gate b' }, ...work) },
    ],
    verify: 'all',
    verifierRuntime: 'scripted',
    verifierOptions: { scenario: { steps: [], verify: [[{ log: 'gate verify' }, verdict]] } },
  })
  await created
  agency.gate('verify').open()
  await agency.gate('b').reached
  const question = await questionOf(agency, started)
  return { agency, started, question }
}

const questionOf = (agency: TestAgency & { store: FreshStore }, run: { id: string }) =>
  agency.until(async () => (await agency.inspect(run)).questions[0])

describeStores('an attempt that waits for an answer', (openFresh) => {
  it('of a verifier ends with the work that it judges, and so does its question', async () => {
    const { agency, started, question } = await startWithHeldVerifier(openFresh)
    expect(question.class).toBe('fault')
    await agency.briefs.update(operator, (await agency.brief(started, 'a')).id, 'cancelled', undefined)
    agency.gate('b').open()
    const run = await agency.settled(started)
    const { attempts, questions } = await agency.inspect(run)
    expect(run.status).toBe('done')
    expect(attempts.map(({ status, heldBy }) => [status, heldBy])).toEqual(attempts.map(() => ['ended', null]))
    expect(questions.map(({ status }) => status)).toEqual(['withdrawn'])
  })

  it('of a verifier that is abandoned fails the work after its siblings have finished', async () => {
    const { agency, started, question } = await startWithHeldVerifier(openFresh)
    await agency.questions.answer(operator, question.id, 'abandon')
    expect(await agency.runs.show(started.id)).toMatchObject({ status: 'running', briefsFailed: 1 })
    agency.gate('b').open()
    expect(await agency.settled(started)).toMatchObject({
      status: 'failed',
      summary: '1 brief failed: a: it could not be verified: abandoned by operator',
    })
    expect(await agency.brief(started, 'a')).toMatchObject({
      status: 'failed',
      failure: 'it could not be verified: abandoned by operator',
    })
    expect(await agency.brief(started, 'b')).toMatchObject({ status: 'done' })
  })

  it('keeps nothing reserved: other briefs start', async () => {
    let held = ''
    const agency = await startAgency(openFresh, { workspaces: unexaminable((id) => id === held), slots: 1 })
    const started = await agency.run({
      briefs: [
        { key: 'a', objective: 'Do a', tokenBudget: 1_000 },
        { key: 'b', objective: 'Do b' },
      ],
      tokenBudget: 1_000,
      play: [[{ usage: { input_tokens: 10, output_tokens: 5 } }, { log: 'gate go' }, ...work] as StepInput[]],
    })
    held = (await agency.brief(started, 'a')).id
    agency.gate('go').open()
    await questionOf(agency, started)
    await agency.until(async () => (await agency.brief(started, 'b')).status === 'done')
    const [budget] = await agency.store.raw("SELECT tokens_spent FROM budgets WHERE scope = 'run'")
    expect(Number(budget?.['tokens_spent'])).toBe(30)
    expect(await agency.store.raw('SELECT holder_id FROM reservations')).toEqual([])
  })

  it('does not keep the failure of another brief back', async () => {
    let held = ''
    const agency = await startAgency(openFresh, { workspaces: unexaminable((id) => id === held) })
    const started = await agency.run({
      briefs: [
        { key: 'a', objective: 'Do a', ...scenario({ log: 'gate a' }, ...work) },
        { key: 'b', objective: 'Do b', ...scenario({ log: 'gate b' }, { crash: {} }) },
      ],
      crashRetries: 0,
      onLimit: 'ask',
    })
    held = (await agency.brief(started, 'a')).id
    agency.gate('a').open()
    await questionOf(agency, started)
    agency.gate('b').open()
    await agency.until(async () => (await agency.brief(started, 'b')).status === 'failed')
    expect((await agency.inspect(started)).questions.map(({ class: cause }) => cause)).toEqual(['fault', 'crash'])
  })

  it('does not keep the failure of another brief back that came before', async () => {
    let held = ''
    const agency = await startAgency(openFresh, { workspaces: unexaminable((id) => id === held) })
    const started = await agency.run({
      briefs: [
        { key: 'a', objective: 'Do a', ...scenario({ log: 'gate a' }, ...work) },
        { key: 'b', objective: 'Do b', ...scenario({ crash: {} }) },
      ],
      crashRetries: 0,
      onLimit: 'ask',
    })
    held = (await agency.brief(started, 'a')).id
    await agency.until(async () => (await agency.brief(started, 'b')).status === 'failed')
    agency.gate('a').open()
    await agency.until(async () => (await agency.brief(started, 'a')).status === 'blocked')
    await agency.engine.idle()
    expect((await agency.inspect(started)).questions.map(({ class: cause }) => cause)).toEqual(['fault', 'crash'])
  })

  it('does not wait if its brief was abandoned while its evidence was checked', async () => {
    let held = ''
    const looked = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    const memory = createMemoryWorkspaces()
    const workspaces: Workspaces = {
      ...memory,
      open: async (request) => {
        if (request.id !== held) return memory.open(request)
        looked.resolve()
        await answered.promise
        throw refusal('bug', 'a fault')
      },
    }
    const agency = await startAgency(openFresh, { workspaces })
    const started = await agency.run({ play: [[{ log: 'gate doubt' }, ...work]], onLimit: 'ask' })
    held = (await agency.brief(started)).id
    await agency.passed('attempt.started')
    const [attempt] = (await agency.inspect(started)).attempts
    const by = agentOf(attempt as Attempt)
    const note = await agency.notes.add(by, { description: 'Is it right?', context: '', status: 'open' })
    await agency.notes.escalate(by, { noteId: note.noteId, reason: 'I may not decide.' })
    agency.gate('doubt').open()
    await looked.promise
    await agency.questions.answer(operator, (await questionOf(agency, started)).id, 'abandon')
    answered.resolve()
    expect(await agency.settled(started)).toMatchObject({ status: 'failed' })
  })

  it('fails a run that does not ask for the failure of another brief', async () => {
    let held = ''
    const agency = await startAgency(openFresh, { workspaces: unexaminable((id) => id === held) })
    const started = await agency.run({
      briefs: [
        { key: 'a', objective: 'Do a', ...scenario({ log: 'gate a' }, ...work) },
        { key: 'b', objective: 'Do b', ...scenario({ crash: {} }) },
      ],
      crashRetries: 0,
      onLimit: 'fail',
    })
    held = (await agency.brief(started, 'a')).id
    await agency.until(async () => (await agency.brief(started, 'b')).status === 'failed')
    agency.gate('a').open()
    await agency.until(async () => (await agency.brief(started, 'a')).status !== 'working')
    await agency.engine.idle()
    expect(await agency.runs.show(started.id)).toMatchObject({ status: 'failed' })
  })
})

describeStores('a budget that is used up by the last call of an agent', (openFresh) => {
  it('fails the run only after its finished work is examined', async () => {
    const slow = slowCommands()
    const agency = await startAgency(openFresh, { workspaces: slow.workspaces, slots: 1 })
    const started = await agency.run({
      briefs: [
        { key: 'a', objective: 'Do a', evidence: [{ kind: 'command', run: 'npm test' }] },
        { key: 'b', objective: 'Do b' },
      ],
      tokenBudget: 1_000,
      onLimit: 'fail',
      play: [[{ usage: { input_tokens: 1_000, output_tokens: 0 } }, ...work] as StepInput[]],
    })
    await Promise.race([slow.begun, agency.settled(started)])
    await agency.engine.sweep()
    expect(await agency.runs.show(started.id)).toMatchObject({ status: 'running' })
    slow.finish()
    expect(await agency.settled(started)).toMatchObject({ status: 'failed', briefsDone: 1 })
    expect((await agency.inspect(started)).attempts).toMatchObject([{ outcome: 'ok' }])
  })
})
