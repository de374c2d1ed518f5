import { expect, it } from 'vitest'

import { openAgency, startAgency, type TestAgency, work } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import type { Db } from '../../db/port.ts'
import { sqlOf } from '../../db/tx.ts'
import { replayEvents } from '../../events/replay.ts'
import { systemPersona } from '../../kernel/ids.ts'
import { eventTables } from '../../tables.ts'
import { recordAgentSpends } from '../spends/record.ts'
import type { Budget } from './contract.ts'
import { listReservationsOf } from './reservations-store.ts'
import { findBudget } from './store.ts'

const uses = (input_tokens: number): StepInput => ({ usage: { input_tokens, output_tokens: 0, model: 'any' } })
const pauses = (name: string): StepInput => ({ log: `gate ${name}` })
const hang: StepInput = { hang: {} }
const defaults = { onLimit: 'ask' } as const
const organisation = 'Development'

const budgetOf = async (agency: TestAgency, scope: Budget['scope'], scopeId: string): Promise<Budget> => {
  const found = await agency.db.read((tx) => findBudget(tx, scope, scopeId))
  if (found === undefined) throw new Error(`no budget of ${scope} ${scopeId}`)
  return found
}

const openQuestions = async (agency: TestAgency) => (await agency.questions.list({ limit: 100 })).questions

const reservationsIn = (db: Db) =>
  db.read((tx) => sqlOf(tx).all('SELECT holder_id, scope, tokens FROM reservations ORDER BY scope, holder_id'))

/** Starts runs whose agents use up a budget of 1,000 tokens of their organisation, and waits for the question. */
async function threeWaiting(agency: TestAgency) {
  await agency.budgets.set(operator, { organisation, tokens: 1_000 })
  const first = await agency.run({ goal: 'First', play: [[uses(1_000), hang], work] })
  await agency.until(async () => (await openQuestions(agency)).length > 0)
  const others = [await agency.run({ goal: 'Second' }), await agency.run({ goal: 'Third' })]
  await agency.until(async () => {
    const held = await Promise.all([first, ...others].map(async (run) => (await agency.brief(run)).heldBy))
    return held.every((each) => each === 'budget:organisation')
  })
  await agency.engine.idle()
  return { first, others, runs: [first, ...others] }
}

describeStores('a used-up budget of several runs', (openFresh, kind) => {
  it('asks one question that names the runs, and an answer raises it once and releases all of them', async () => {
    const agency = await startAgency(openFresh, { defaults })
    const { first, runs } = await threeWaiting(agency)
    const [question, ...more] = await openQuestions(agency)
    expect(more).toEqual([])
    expect(question).toMatchObject({ runId: first.id, askedBy: 'budget:organisation:1' })
    for (const text of ['3 runs wait for it', '(First)', '(Second)', '(Third)'])
      expect(question?.context).toContain(text)
    for (const run of runs) {
      const { questions } = await agency.questions.list({ runId: run.id, limit: 10 })
      expect(questions.map(({ id }) => id)).toEqual([question?.id])
    }
    await agency.questions.answer(operator, question!.id, 'raise')
    for (const run of runs) expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect(await budgetOf(agency, 'organisation', '1')).toMatchObject({ tokenLimit: 2_000, tokensReserved: 0 })
    expect(await openQuestions(agency)).toEqual([])
    expect((await replayEvents(agency.db, eventTables)).differences).toEqual([])
  })

  it('is raised once by two people who answer at once, and not at all after a new limit', async () => {
    const agency = await startAgency(openFresh, { defaults })
    const { runs } = await threeWaiting(agency)
    const [question] = await openQuestions(agency)
    const answers = await Promise.allSettled(
      ['raise', 'raise', 'Raise the limit'].map((answer) => agency.questions.answer(operator, question!.id, answer)),
    )
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const run of runs) await agency.settled(run)
    expect(await budgetOf(agency, 'organisation', '1')).toMatchObject({ tokenLimit: 2_000 })
  })

  it('is not raised by an answer that comes after room was made', async () => {
    const agency = await startAgency(openFresh, { defaults })
    const { runs } = await threeWaiting(agency)
    const [question] = await openQuestions(agency)
    // Another installation's answer and a new limit may be under way at the same time.
    const results = await Promise.allSettled([
      agency.budgets.set(operator, { organisation, tokens: 5_000 }),
      agency.questions.answer(operator, question!.id, 'raise'),
    ])
    expect(results[0]?.status).toBe('fulfilled')
    for (const run of runs) expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect(await budgetOf(agency, 'organisation', '1')).toMatchObject({ tokenLimit: 5_000 })
    expect(await openQuestions(agency)).toEqual([])
  })

  it('asks again for the others when the run with the question ends', async () => {
    const agency = await startAgency(openFresh, { defaults })
    const { first, others } = await threeWaiting(agency)
    const [before] = await openQuestions(agency)
    await agency.runs.cancel(operator, first.id, undefined)
    const again = await agency.until(async () => (await openQuestions(agency)).find(({ id }) => id !== before?.id))
    expect(others.map(({ id }) => id)).toContain(again.runId)
    await agency.questions.answer(operator, again.id, 'abandon')
    const last = await agency.until(async () => (await openQuestions(agency)).find(({ id }) => id !== again.id))
    const rest = others.find(({ id }) => id !== again.runId)
    expect(await agency.settled({ id: again.runId as string })).toMatchObject({ status: 'failed' })
    expect(last).toMatchObject({ runId: rest?.id, askedBy: 'budget:organisation:1' })
    await agency.questions.answer(operator, last.id, '3000 tokens')
    expect(await agency.settled(rest!)).toMatchObject({ status: 'done' })
  })

  it('fails a run with on_limit: fail, although another one waits for an answer', async () => {
    const agency = await startAgency(openFresh, { defaults })
    await threeWaiting(agency)
    const strict = await agency.settled(await agency.run({ onLimit: 'fail' }))
    expect(strict).toMatchObject({ status: 'failed', summary: expect.stringContaining('organisation 1 is used up') })
    expect(await openQuestions(agency)).toHaveLength(1)
  })

  it('releases all runs after a restart between the answer and their release', async () => {
    const first = await startAgency(openFresh, { defaults, worker: 'one:1' })
    const { runs } = await threeWaiting(first)
    const [question] = await openQuestions(first)
    first.die()
    const db = kind === 'postgres' ? await first.store.open() : first.store.db
    const next = await openAgency({ db, clock: first.clock, defaults, worker: 'one:2' })
    await next.questions.answer(operator, question!.id, 'raise')
    await next.engine.start()
    for (const run of runs) expect(await next.settled(run)).toMatchObject({ status: 'done' })
  })
})

/** Starts a run whose nine agents reserve nine of ten tokens of their organisation and wait for the gate `on`. */
async function nineReserved(agency: TestAgency) {
  await agency.budgets.set(operator, { organisation, tokens: 10 })
  const briefs = Array.from({ length: 9 }, (_, index) => ({ key: `b${index}`, objective: 'Do it' }))
  const run = await agency.run({ goal: 'Others', briefs, play: [[pauses('on'), ...work]] })
  await agency.until(async () => (await budgetOf(agency, 'organisation', '1')).tokensReserved === 9)
  return run
}

describeStores('a budget that others have reserved', (openFresh) => {
  it('is not called used up: the question names the budget of the run, which is', async () => {
    const agency = await startAgency(openFresh, { defaults, slots: 16 })
    const others = await nineReserved(agency)
    const run = await agency.run({ tokenBudget: 5, play: [[uses(5), hang], work] })
    const question = await agency.until(async () => (await openQuestions(agency))[0])
    expect(question).toMatchObject({
      text: 'The budget of the run is used up (5 tokens of 5 tokens).',
      askedBy: `budget:run:${run.id}`,
    })
    await agency.questions.answer(operator, question.id, 'raise')
    agency.gate('on').open()
    for (const each of [others, run]) expect(await agency.settled(each)).toMatchObject({ status: 'done' })
    expect(await budgetOf(agency, 'organisation', '1')).toMatchObject({ tokenLimit: 10, tokensReserved: 0 })
  })

  it.each(['ask', 'fail'] as const)('makes a run wait without a question (on_limit: %s)', async (onLimit) => {
    const agency = await startAgency(openFresh, { defaults, slots: 16 })
    const others = await nineReserved(agency)
    const run = await agency.run({ onLimit, play: [[uses(1), hang], work] })
    await agency.until(async () => (await agency.inspect(run)).attempts[0]?.endedAt)
    await agency.engine.sweep()
    expect(await openQuestions(agency)).toEqual([])
    const { attempts, waitsFor, briefs } = await agency.inspect(run)
    expect(attempts).toMatchObject([
      {
        outcome: 'budget',
        detail:
          'the rest of the budget of organisation 1 is reserved by other agents (1 of 10 tokens spent, 9 reserved)',
      },
    ])
    expect(waitsFor).toBe('running agents, which have reserved the rest of a budget (organisation): agency budget list')
    expect(briefs[0]).toMatchObject({ status: 'pending', heldBy: 'budget_reserved:organisation', interruptions: 0 })
    agency.gate('on').open()
    for (const each of [others, run]) expect(await agency.settled(each)).toMatchObject({ status: 'done' })
    expect((await replayEvents(agency.db, eventTables)).differences).toEqual([])
  })

  it('is asked about once the others have spent it', async () => {
    const agency = await startAgency(openFresh, { defaults, slots: 16 })
    await agency.budgets.set(operator, { organisation, tokens: 10 })
    const briefs = Array.from({ length: 9 }, (_, index) => ({ key: `b${index}`, objective: 'Do it' }))
    const others = await agency.run({ briefs, play: [[pauses('on'), uses(1), ...work]] })
    await agency.until(async () => (await budgetOf(agency, 'organisation', '1')).tokensReserved === 9)
    const run = await agency.run({ play: [[uses(1), hang], work] })
    await agency.until(async () => (await agency.inspect(run)).attempts[0]?.endedAt)
    agency.gate('on').open()
    const question = await agency.until(async () => (await openQuestions(agency))[0])
    expect(question.text).toMatch(/^The budget of organisation 1 is used up \(10 tokens of 10 tokens\)\.$/u)
    await agency.questions.answer(operator, question.id, 'raise')
    for (const each of [others, run]) expect(await agency.settled(each)).toMatchObject({ status: 'done' })
  })
})

describeStores('the reservations of an attempt', (openFresh) => {
  it('are rows in each budget above it, and end with its agent', async () => {
    const agency = await startAgency(openFresh, { defaults })
    await agency.budgets.set(operator, { organisation, tokens: 10_000 })
    const brief = { key: 'main', objective: 'Do it', tokenBudget: 300 }
    const run = await agency.run({ tokenBudget: 4_000, briefs: [brief], play: [[uses(30), pauses('on'), ...work]] })
    await agency.until(async () => (await budgetOf(agency, 'run', run.id)).tokensSpent === 30)
    const [attempt] = (await agency.inspect(run)).attempts
    const held = await agency.db.read((tx) => listReservationsOf(tx, 'attempt', [attempt?.id ?? '']))
    expect(held.map(({ scope, tokens }) => [scope, tokens])).toEqual([
      ['brief', 270],
      ['organisation', 270],
      ['run', 270],
    ])
    expect(await agency.brief(run)).toMatchObject({ tokenBudget: 300, tokensUsed: 30 })
    agency.gate('on').open()
    await agency.settled(run)
    expect(await reservationsIn(agency.db)).toEqual([])
    expect((await replayEvents(agency.db, eventTables)).differences).toEqual([])
  })

  it('begin with its next call in a budget that is set while it works, and its end leaves those of others', async () => {
    const agency = await startAgency(openFresh, { defaults })
    const play = [[pauses('call'), uses(5), pauses('end'), ...work]]
    const early = await agency.run({ tokenBudget: 1_000, play })
    await agency.passed('attempt.started')
    await agency.budgets.set(operator, { organisation, tokens: 1_000 })
    expect(await budgetOf(agency, 'organisation', '1')).toMatchObject({ tokensReserved: 0 })
    const late = await agency.run({ play: [[pauses('late'), ...work]] })
    await agency.until(async () => (await budgetOf(agency, 'organisation', '1')).tokensReserved === 100)
    agency.gate('call').open()
    await agency.until(async () => (await budgetOf(agency, 'organisation', '1')).tokensSpent === 5)
    expect(await budgetOf(agency, 'organisation', '1')).toMatchObject({ tokensReserved: 200 })
    agency.gate('end').open()
    await agency.settled(early)
    expect(await budgetOf(agency, 'organisation', '1')).toMatchObject({ tokensReserved: 100 })
    agency.gate('late').open()
    await agency.settled(late)
    expect(await reservationsIn(agency.db)).toEqual([])
  })

  it('hold a budget to its limit when it is set in the moment of a claim', { timeout: 60_000 }, async () => {
    const agency = await startAgency(openFresh, { defaults, slots: 16 })
    const briefs = Array.from({ length: 8 }, (_, index) => ({ key: `b${index}`, objective: 'Do it' }))
    const setting = agency.budgets.set(operator, { organisation, tokens: 40 })
    const run = await agency.run({ briefs, play: [[pauses('on'), uses(1), ...work]] })
    await setting
    await agency.until(async () => (await agency.inspect(run)).attempts.length === 8)
    await agency.budgets.set(operator, { organisation, tokens: 50 })
    agency.gate('on').open()
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect(await budgetOf(agency, 'organisation', '1')).toMatchObject({ tokensSpent: 8, tokensReserved: 0 })
    expect(await reservationsIn(agency.db)).toEqual([])
  })
})

describeStores('a live agent outside any run', (openFresh) => {
  it('spends from the budgets of its organisation and persona, and holds a reservation there', async () => {
    const agency = await startAgency(openFresh, { defaults })
    await agency.budgets.set(operator, { organisation, tokens: 100 })
    const run = await agency.settled(await agency.run())
    const { agentId } = (await agency.inspect(run)).attempts[0]!
    const agent = { agentId, personaId: systemPersona, organisationId: 1, simulated: true }
    const call = (number: number, inputTokens: number) => ({
      number,
      inputTokens,
      outputTokens: 0,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      provider: null,
      model: 'any',
      costMicros: 7,
      claimed: false,
    })
    const spend = (number: number, tokens: number) =>
      agency.db.write(['org:1'], (tx) => recordAgentSpends(tx, 'engine', agent, [call(number, tokens)]))
    expect(await spend(1, 60)).toBeNull()
    expect(await budgetOf(agency, 'organisation', '1')).toMatchObject({ tokensSpent: 60, tokensReserved: 10 })
    expect(await spend(2, 45)).toMatchObject({ by: 'organisation' })
    const simulated = { calls: 0, tokens: 0, costMicros: 0, simulatedCalls: 2, simulatedTokens: 105 }
    expect(await agency.spends.summary({ organisation })).toMatchObject(simulated)
    expect(await agency.spends.summary({ organisation, since: '2999-01-01T00:00:00.000Z' })).toMatchObject({
      models: [],
      simulatedCalls: 0,
    })
    expect(await reservationsIn(agency.db)).toEqual([{ holder_id: String(agentId), scope: 'organisation', tokens: 0 }])
    expect((await replayEvents(agency.db, eventTables)).differences).toEqual([])
    const row = (attemptId: string, agentColumn: string): string =>
      `INSERT INTO spends (id, organisation_id, attempt_id, agent_id, persona_id, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, simulated, at)
VALUES ('x', 1, ${attemptId}, ${agentColumn}, 2, 0, 0, 0, 0, 1, '')`
    await expect(agency.store.raw(row('NULL', 'NULL'))).rejects.toThrow(/check/i)
  })
})
