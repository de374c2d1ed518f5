import { expect, it } from 'vitest'

import { openAgency, startAgency, type TestAgency, work } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import type { Db, Stream } from '../../db/port.ts'
import { sqlOf } from '../../db/tx.ts'
import { type Budget, SetBudget } from './contract.ts'
import { findBudget } from './store.ts'

const uses = (input_tokens: number): StepInput => ({ usage: { input_tokens, output_tokens: 0, model: 'any' } })
const pauses = (name: string): StepInput => ({ log: `gate ${name}` })
const hang: StepInput = { hang: {} }
const defaults = { onLimit: 'ask' } as const
const organisation = 'Development'

const budgetOf = async (db: Db): Promise<Budget> => {
  const found = await db.read((tx) => findBudget(tx, 'organisation', '1'))
  if (found === undefined) throw new Error('the organisation has no budget')
  return found
}

const openQuestion = async (agency: TestAgency) =>
  agency.until(async () => (await agency.questions.list({ limit: 10 })).questions[0])

/** Starts two processes on one store; on PostgreSQL each has connections of its own. */
async function twoProcesses(openFresh: Parameters<typeof startAgency>[0], kind: string) {
  const first = await startAgency(openFresh, { defaults, worker: 'one:1', slots: 16 })
  const db = kind === 'postgres' ? await first.store.open() : first.store.db
  const second = await openAgency({ db, clock: first.clock, defaults, worker: 'two:1', slots: 16 })
  return { first, second }
}

/** Holds a stream until the returned function is called, so that other transactions queue for it. */
async function occupy(db: Db, stream: Stream): Promise<() => Promise<void>> {
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const writing = db.write([stream], async () => {
    held.resolve()
    await released.promise
  })
  await held.promise
  return async () => {
    released.resolve()
    await writing
  }
}

/** Runs one brief that uses up the budget of 1,000 tokens of its organisation. */
async function usedUp(agency: TestAgency) {
  await agency.budgets.set(operator, { organisation, tokens: 1_000 })
  const run = await agency.run({ play: [[uses(1_000), hang], work] })
  return { run, question: await openQuestion(agency) }
}

const failures = (results: readonly PromiseSettledResult<unknown>[]): string[] =>
  results.flatMap((each) => (each.status === 'rejected' ? [(each.reason as Error).message] : []))

describeStores('two people at once', (openFresh, kind) => {
  it('raise a budget once, and the second one is told that the question is answered', async () => {
    const { first, second } = await twoProcesses(openFresh, kind)
    const { run, question } = await usedUp(first)
    const release = kind === 'postgres' ? await occupy(first.db, `run:${run.id}`) : undefined
    const answers = Promise.allSettled([
      first.questions.answer(operator, question.id, 'raise'),
      second.questions.answer(operator, question.id, 'raise'),
    ])
    await release?.()
    expect(failures(await answers)).toEqual([expect.stringMatching(/^question \S+ is answered already, by operator$/u)])
    expect(await first.settled(run)).toMatchObject({ status: 'done' })
    expect(await budgetOf(first.db)).toMatchObject({ tokenLimit: 2_000 })
  })

  it('set a first limit: the row exists once and has one of the two', async () => {
    const { first, second } = await twoProcesses(openFresh, kind)
    const release = kind === 'postgres' ? await occupy(first.db, 'org:1') : undefined
    const both = Promise.all([
      first.budgets.set(operator, { organisation, tokens: 100 }),
      second.budgets.set(operator, { organisation, tokens: 200 }),
    ])
    await release?.()
    await both
    const { budgets } = await first.budgets.list(undefined, 10)
    expect(budgets).toHaveLength(1)
    expect([100, 200]).toContain(budgets[0]?.tokenLimit)
  })

  it('remove a budget and raise it: it is removed, and the work continues', async () => {
    const { first, second } = await twoProcesses(openFresh, kind)
    const { run, question } = await usedUp(first)
    const release = kind === 'postgres' ? await occupy(first.db, 'org:1') : undefined
    const both = Promise.allSettled([
      second.budgets.set(operator, { organisation, tokens: null }),
      first.questions.answer(operator, question.id, 'raise'),
    ])
    await release?.()
    const results = await both
    expect(results[0]?.status).toBe('fulfilled')
    for (const message of failures(results)) expect(message).toMatch(/^question \S+ is withdrawn already/u)
    expect(await first.settled(run)).toMatchObject({ status: 'done' })
    expect(await budgetOf(first.db)).toMatchObject({ tokenLimit: null })
    expect((await first.questions.list({ limit: 10 })).questions).toEqual([])
  })
})

it.each([
  { tokens: 0 },
  { tokens: -1 },
  { tokens: 1.5 },
  { tokens: 1e12 + 1 },
  { tokens: Infinity },
  { usd: 0 },
  { usd: -1 },
  { usd: 1e6 + 1 },
  { usd: NaN },
  { usd: '5' },
  {},
  { tokens: 5, runId: 'run_1' },
])('the limit %j is refused', (limit) => {
  expect(SetBudget.safeParse({ organisation, ...limit }).success).toBe(false)
})

describeStores('a budget that changes while agents work', (openFresh, kind) => {
  it('withdraws its question when it is removed, and a late answer changes nothing', async () => {
    const agency = await startAgency(openFresh, { defaults })
    const { run, question } = await usedUp(agency)
    await agency.budgets.set(operator, { organisation, tokens: null })
    await expect(agency.questions.answer(operator, question.id, 'raise')).rejects.toThrow('is withdrawn already')
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect(await budgetOf(agency.db)).toMatchObject({ tokenLimit: null })
  })

  it('may be lowered below the spent amount: the agent stops with its next call, and the question has both figures', async () => {
    const agency = await startAgency(openFresh, { defaults })
    await agency.budgets.set(operator, { organisation, tokens: 1_000 })
    const run = await agency.run({ play: [[uses(600), pauses('lower'), uses(1), hang], work] })
    await agency.until(async () => (await budgetOf(agency.db)).tokensSpent === 600)
    const lowered = await agency.budgets.set(operator, { organisation, tokens: 500 })
    expect(lowered).toMatchObject({ tokenLimit: 500, tokensSpent: 600 })
    agency.gate('lower').open()
    const question = await openQuestion(agency)
    expect(question.text).toBe('The budget of organisation 1 is used up (601 tokens of 500 tokens).')
    for (const answer of ['550 tokens', '601'])
      await expect(agency.questions.answer(operator, question.id, answer)).rejects.toThrow(
        'the limit must be higher than the amount already spent',
      )
    for (const answer of ['-5000', '1e6', '50k tokens', '$1000001', '2000000000000', 'US$5', 'more'])
      await expect(agency.questions.answer(operator, question.id, answer)).rejects.toThrow('is no limit')
    await agency.questions.answer(operator, question.id, 'raise')
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect(await budgetOf(agency.db)).toMatchObject({ tokenLimit: 1_101 })
  })

  it(
    'misses no reservation when it is set at the moment of claims of two processes',
    { timeout: 120_000 },
    async () => {
      const { first, second } = await twoProcesses(openFresh, kind)
      await second.engine.start()
      await first.budgets.set(operator, { organisation, tokens: 80 })
      const briefs = Array.from({ length: 6 }, (_, index) => ({ key: `b${index}`, objective: 'Do it' }))
      const input = { briefs, play: [[pauses('on'), uses(1), ...work]] }
      const release = kind === 'postgres' ? await occupy(first.db, 'org:1') : undefined
      const together = Promise.all([
        first.run(input),
        second.budgets.set(operator, { organisation, tokens: 40 }),
        second.run(input),
        first.budgets.set(operator, { persona: 'system', tokens: 1_000 }),
      ])
      await release?.()
      const [one, , other] = await together
      const live = async () =>
        (await Promise.all([one, other].map(async (run) => (await first.inspect(run)).attempts))).flat()
      // A launch reserves 8 of 80 or 4 of 40 tokens, whichever limit it met.
      await first.until(async () => {
        const { tokensReserved, tokenLimit } = await budgetOf(first.db)
        return tokensReserved > (tokenLimit ?? 0) - 4 || (await live()).length === 12
      })
      const rows = await first.db.read((tx) =>
        sqlOf(tx).all("SELECT tokens FROM reservations WHERE scope = 'organisation'"),
      )
      const at = (await live()).filter(({ status }) => status !== 'ended').length
      expect(rows).toHaveLength(at)
      expect((await budgetOf(first.db)).tokensReserved).toBeLessThanOrEqual(80)
      for (const agency of [first, second]) agency.gate('on').open()
      for (const run of [one, other]) expect(await first.settled(run)).toMatchObject({ status: 'done' })
      expect(await budgetOf(first.db)).toMatchObject({ tokenLimit: 40, tokensSpent: 12, tokensReserved: 0 })
    },
  )
})
