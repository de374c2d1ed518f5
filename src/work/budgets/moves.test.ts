import { describe, expect, it } from 'vitest'

import { openAgency, startAgency, type TestAgency, work } from '../../../test/support/agency.ts'
import { describeStores, freshFolder, freshSqlite } from '../../../test/support/store.ts'
import { createVirtualClock } from '../../../test/support/virtual-clock.ts'
import { operator } from '../../../test/support/work.ts'
import type { Prices } from '../../adapters/prices/port.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import { createScriptedRuntime } from '../../adapters/runtime/scripted/runtime.ts'
import { systemPersona } from '../../kernel/ids.ts'
import type { Budget } from './contract.ts'
import { findBudget } from './store.ts'
import { listSpends } from '../spends/store.ts'
import { createDirectoryWorkspaces } from '../../workspaces/directory.ts'

const uses = (input_tokens: number, output_tokens = 0, model = 'dear'): StepInput => ({
  usage: { input_tokens, output_tokens, model },
})
const pauses = (name: string): StepInput => ({ log: `gate ${name}` })
const hang: StepInput = { hang: {} }
const defaults = { onLimit: 'ask' } as const

/** A thousandth of a dollar for each token of one model; other models have no price. */
const prices: Prices = {
  priceOf: async ({ model, inputTokens, outputTokens }) =>
    model === 'dear' ? (inputTokens + outputTokens) * 1_000 : null,
}

const budgetOf = async (agency: TestAgency, scope: Budget['scope'], scopeId: string): Promise<Budget> => {
  const found = await agency.db.read((tx) => findBudget(tx, scope, scopeId))
  if (found === undefined) throw new Error(`no budget of ${scope} ${scopeId}`)
  return found
}

const questionOf = (agency: TestAgency, run: { id: string }) =>
  agency.until(async () => (await agency.inspect(run)).questions.find((each) => each.answeredAt === null))

const playedBrief = (key: string, steps: StepInput[]) => ({
  key,
  objective: 'Do it',
  runtimeOptions: { scenario: { steps } },
})

const outcomesOf = async (agency: TestAgency, run: { id: string }, key: string) => {
  const { id } = await agency.brief(run, key)
  return (await agency.inspect(run)).attempts.filter(({ briefId }) => briefId === id).map(({ outcome }) => outcome)
}

describeStores('the ledger', (openFresh, kind) => {
  it('has one row for each model call, and the same sums on attempt, brief and run', async () => {
    const agency = await startAgency(openFresh, { prices })
    const run = await agency.settled(await agency.run({ play: [[uses(100, 20), uses(7, 3, 'odd'), ...work]] }))
    const spends = await agency.db.read((tx) => listSpends(tx, run.id, 10))
    expect(
      spends
        .map(({ model, inputTokens, outputTokens, costMicros, simulated }) => [
          model,
          inputTokens,
          outputTokens,
          costMicros,
          simulated,
        ])
        .toSorted(),
    ).toEqual([
      ['dear', 100, 20, 120_000, true],
      ['odd', 7, 3, null, true],
    ])
    expect(run).toMatchObject({ inputTokens: 107, outputTokens: 23, costMicros: 120_000, unpricedCalls: 1 })
    const { briefs, attempts, events } = await agency.inspect(run)
    expect(briefs[0]).toMatchObject({ tokensUsed: 130, costMicros: 120_000 })
    expect(attempts[0]).toMatchObject({ inputTokens: 107, outputTokens: 23, costMicros: 120_000 })
    const said = events.filter((event) => event.kind === 'spent').map((event) => event.message)
    expect(said).toEqual(['main: 2 model calls (dear, odd), 130 tokens, $0.12, 1 without a known price'])
    expect((await agency.inspect(run)).spends).toMatchObject([
      { model: 'dear', calls: 1, costMicros: 120_000, unpricedCalls: 0 },
      { model: 'odd', calls: 1, costMicros: 0, unpricedCalls: 1 },
    ])
  })

  it('is written while the agent works, and only once if the daemon dies', async () => {
    const first = await startAgency(openFresh, { prices, worker: 'one:1' })
    const run = await first.run({
      play: [
        [uses(100), hang],
        [uses(11), ...work],
      ],
    })
    await first.until(async () => (await first.db.read((tx) => listSpends(tx, run.id, 10))).length === 1)
    first.die()
    const next = await openAgency({
      db: kind === 'postgres' ? await first.store.open() : first.store.db,
      clock: first.clock,
      prices,
      worker: 'one:2',
    })
    await next.engine.start()
    const ended = await next.settled(run)
    expect(ended).toMatchObject({ status: 'done', inputTokens: 111, costMicros: 111_000 })
    const { attempts } = await next.inspect(run)
    expect(attempts.map(({ outcome, inputTokens }) => [outcome, inputTokens])).toEqual([
      ['interrupted', 100],
      ['ok', 11],
    ])
  })
})

describeStores('a budget', (openFresh, kind) => {
  it('of a brief interrupts its agent, which continues after a raise', async () => {
    const agency = await startAgency(openFresh, { prices, defaults })
    const run = await agency.run({
      briefs: [{ key: 'main', objective: 'Do it', tokenBudget: 100 }],
      play: [[uses(60), uses(60), hang], work],
    })
    const question = await questionOf(agency, run)
    expect(question).toMatchObject({
      kind: 'budget',
      class: 'budget',
      text: 'The brief’s own budget is used up (120 tokens of 100 tokens).',
      recommendation: null,
    })
    expect(await agency.brief(run)).toMatchObject({ status: 'blocked', heldBy: 'budget:brief', tokensUsed: 120 })
    expect((await agency.inspect(run)).attempts[0]).toMatchObject({ outcome: 'budget', budgeted: true })
    await agency.questions.answer(operator, question.id, 'raise')
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect(await agency.brief(run)).toMatchObject({ tokenBudget: 220, heldBy: null })
  })

  it('of a run is reserved before the launch and returned afterwards', async () => {
    const agency = await startAgency(openFresh, { prices, defaults })
    const run = await agency.run({ tokenBudget: 1_000, play: [[uses(30), pauses('on'), ...work]] })
    await agency.until(async () => (await budgetOf(agency, 'run', run.id)).tokensSpent === 30)
    expect(await budgetOf(agency, 'run', run.id)).toMatchObject({ tokensSpent: 30, tokensReserved: 70 })
    agency.gate('on').open()
    await agency.settled(run)
    expect(await budgetOf(agency, 'run', run.id)).toMatchObject({ tokensSpent: 30, tokensReserved: 0 })
  })

  it('asks one question for all briefs that it stops, and releases them after an answer with an amount', async () => {
    const agency = await startAgency(openFresh, { prices, defaults })
    const briefs = ['a', 'b', 'c'].map((key) => ({ key, objective: 'Do it' }))
    const run = await agency.run({ tokenBudget: 300, briefs, play: [[uses(300), hang], work] })
    await questionOf(agency, run)
    await agency.engine.idle()
    const { questions, briefs: rows } = await agency.inspect(run)
    expect(questions).toHaveLength(1)
    expect(questions[0]).toMatchObject({ briefId: null, askedBy: `budget:run:${run.id}` })
    expect(new Set(rows.map((row) => row.heldBy))).toEqual(new Set(['budget:run']))
    const spent = await budgetOf(agency, 'run', run.id)
    expect(spent.tokensSpent).toBeGreaterThanOrEqual(300)
    expect(spent.tokensReserved).toBe(0)
    await expect(agency.questions.answer(operator, questions[0]!.id, 'please')).rejects.toThrow('is no limit')
    await expect(agency.questions.answer(operator, questions[0]!.id, '200 tokens')).rejects.toThrow('higher than')
    await agency.questions.answer(operator, questions[0]!.id, 'make it 5,000 tokens')
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect(await budgetOf(agency, 'run', run.id)).toMatchObject({ tokenLimit: 5_000, tokensReserved: 0 })
  })

  it('ends the run and its agents after the answer "abandon"', async () => {
    const agency = await startAgency(openFresh, { prices, defaults })
    const run = await agency.run({ tokenBudget: 10, play: [[uses(10), hang]] })
    const question = await questionOf(agency, run)
    await agency.questions.answer(operator, question.id, 'abandon')
    expect(await agency.settled(run)).toMatchObject({ status: 'failed' })
    expect((await budgetOf(agency, 'run', run.id)).tokensReserved).toBe(0)
  })

  it('fails a run with on_limit: fail when it is used up', async () => {
    const agency = await startAgency(openFresh, { prices, defaults })
    const run = await agency.settled(await agency.run({ tokenBudget: 10, onLimit: 'fail', play: [[uses(10), hang]] }))
    expect(run).toMatchObject({ status: 'failed' })
  })

  it('that is used up lets the agents at work finish before on_limit: fail ends the run', async () => {
    const agency = await startAgency(openFresh, { prices, defaults })
    const run = await agency.run({
      tokenBudget: 10,
      onLimit: 'fail',
      briefs: [
        playedBrief('finishing', [...work, uses(10), pauses('finishing')]),
        playedBrief('first', [pauses('first'), ...work]),
        { ...playedBrief('starved', [...work]), after: ['first'] },
      ],
    })
    await agency.until(async () => (await budgetOf(agency, 'run', run.id)).tokensSpent === 10)
    agency.gate('first').open()
    await agency.until(async () => (await agency.brief(run, 'starved')).unmetDependencies === 0)
    await agency.engine.sweep()
    await agency.engine.sweep()
    expect(await agency.brief(run, 'finishing')).toMatchObject({ status: 'working' })
    agency.gate('finishing').open()
    const summary = 'the budget of the run is used up (10 tokens of 10 tokens)'
    expect(await agency.settled(run)).toMatchObject({ status: 'failed', briefsDone: 2, summary })
    expect(await outcomesOf(agency, run, 'finishing')).toEqual(['ok'])
  })

  it('of a brief that is used up before its launch lets the agents at work finish before the run fails', async () => {
    const agency = await startAgency(openFresh, { prices, defaults })
    const verdict = { verdict: 'fail' as const, issues: ['It is wrong'] }
    const rejected = {
      attempts: [[...work, uses(10)]],
      verify: [[{ report: { status: 'done', summary: 'Looked.', verdict } }]],
    }
    const run = await agency.run({
      onLimit: 'fail',
      briefs: [
        playedBrief('finishing', [pauses('finishing'), ...work]),
        {
          ...playedBrief('rejected', []),
          runtimeOptions: { scenario: rejected },
          tokenBudget: 10,
          verify: 'agent' as const,
        },
      ],
    })
    await agency.until(async () => (await agency.brief(run, 'rejected')).status === 'failed')
    expect(await agency.brief(run, 'rejected')).toMatchObject({ heldBy: null, holds: [] })
    expect(await agency.brief(run, 'finishing')).toMatchObject({ status: 'working' })
    agency.gate('finishing').open()
    expect(await agency.settled(run)).toMatchObject({ status: 'failed', briefsDone: 1, briefsFailed: 1 })
    expect(await outcomesOf(agency, run, 'finishing')).toEqual(['ok'])
  })

  it('of a brief that fails the run before its launch lets no other brief start with it', async () => {
    const agency = await startAgency(openFresh, { prices, defaults })
    const verdict = { verdict: 'fail' as const, issues: ['It is wrong'] }
    const rejected = {
      attempts: [[...work, uses(10)]],
      verify: [[pauses('verdict'), { report: { status: 'done', summary: 'Looked.', verdict } }]],
    }
    const run = await agency.run({
      onLimit: 'fail',
      briefs: [
        playedBrief('finishing', [pauses('finishing'), ...work]),
        {
          ...playedBrief('rejected', []),
          runtimeOptions: { scenario: rejected },
          tokenBudget: 10,
          verify: 'agent' as const,
        },
        playedBrief('first', [pauses('first'), ...work]),
        { ...playedBrief('late', [...work]), after: ['first'] },
      ],
    })
    await agency.gate('verdict').reached
    await agency.gates.pause(operator, run.id, 'lunch')
    for (const name of ['verdict', 'first']) agency.gate(name).open()
    await agency.until(async () => (await agency.brief(run, 'rejected')).status === 'pending')
    await agency.until(async () => (await agency.brief(run, 'late')).unmetDependencies === 0)
    await agency.gates.resume(operator, run.id)
    await agency.until(async () => (await agency.brief(run, 'rejected')).status === 'failed')
    await agency.engine.sweep()
    agency.gate('finishing').open()
    expect(await agency.settled(run)).toMatchObject({ status: 'failed' })
    expect(await outcomesOf(agency, run, 'finishing')).toEqual(['ok'])
    expect(await outcomesOf(agency, run, 'late')).toEqual([])
  })

  it('that stops a verifier lets the agents at work finish before the run fails', async () => {
    const agency = await startAgency(openFresh, { prices, defaults })
    const stopped = { attempts: [[...work, uses(2)]], verify: [[uses(10), hang]] }
    const run = await agency.run({
      onLimit: 'fail',
      tokenBudget: 10,
      briefs: [
        playedBrief('finishing', [pauses('finishing'), ...work]),
        { ...playedBrief('judged', []), runtimeOptions: { scenario: stopped }, verify: 'agent' as const },
        { ...playedBrief('late', [...work]), after: ['finishing'] },
      ],
    })
    await agency.gate('finishing').reached
    await agency.until(async () => (await agency.inspect(run)).briefs.some(({ status }) => status === 'failed'))
    await agency.engine.sweep()
    expect(await agency.brief(run, 'finishing')).toMatchObject({ status: 'working' })
    agency.gate('finishing').open()
    expect(await agency.settled(run)).toMatchObject({
      status: 'failed',
      briefsDone: 1,
      briefsFailed: 1,
      summary:
        '1 brief failed: judged: it could not be verified: the budget of the run is used up (12 tokens of 10 tokens)',
    })
    expect(await agency.brief(run, 'verify:judged:1')).toMatchObject({ status: 'failed' })
    expect(await outcomesOf(agency, run, 'finishing')).toEqual(['ok'])
    expect(await outcomesOf(agency, run, 'late')).toEqual([])
  })

  it('in money stops at the first call over a tiny limit, records the call, and warns before', async () => {
    const agency = await startAgency(openFresh, { prices, defaults })
    const run = await agency.run({ costLimit: 0.001, play: [[uses(5), hang]] })
    await questionOf(agency, run)
    expect(await budgetOf(agency, 'run', run.id)).toMatchObject({
      costLimitMicros: 1_000,
      microsSpent: 5_000,
      microsReserved: 0,
      warned: true,
    })
    const warnings = (await agency.events(run)).filter((event) => event.kind === 'budget_warning')
    expect(warnings.map((event) => event.message)).toEqual([
      'the budget of the run is nearly used up: $0.005 of $0.001',
    ])
  })

  it('in money ignores a model without a known price, and reports it', async () => {
    const agency = await startAgency(openFresh, { prices, defaults })
    const run = await agency.settled(await agency.run({ costLimit: 0.001, play: [[uses(5_000, 0, 'odd'), ...work]] }))
    expect(run).toMatchObject({ status: 'done', costMicros: 0, unpricedCalls: 1 })
    const [event] = (await agency.events(run)).filter((each) => each.kind === 'spent')
    expect(event?.message).toContain('without a known price')
  })

  it('keeps the work of an agent that has reported, independent of its use', async () => {
    const agency = await startAgency(openFresh, { prices, defaults })
    const run = await agency.settled(await agency.run({ tokenBudget: 10, play: [[uses(100), ...work]] }))
    expect(run).toMatchObject({ status: 'done', inputTokens: 100 })
  })

  it('of an organisation holds other runs until a reservation is returned', async () => {
    const agency = await startAgency(openFresh, { prices, defaults })
    await agency.budgets.set(operator, { organisation: 'Development', tokens: 1 })
    const first = await agency.run({ play: [[pauses('on'), ...work]] })
    await agency.passed('attempt.started')
    const second = await agency.run()
    await agency.engine.sweep()
    expect(await agency.brief(second)).toMatchObject({
      status: 'pending',
      heldBy: 'budget_reserved:organisation',
      attempts: 0,
    })
    expect((await agency.inspect(second)).questions).toEqual([])
    agency.gate('on').open()
    await agency.settled(first)
    expect(await agency.settled(second)).toMatchObject({ status: 'done' })
    expect(await budgetOf(agency, 'organisation', '1')).toMatchObject({ tokensReserved: 0, tokensSpent: 0 })
  })

  it('of an organisation, a mission and a persona counts the spending of their runs; a raise releases them', async () => {
    const agency = await startAgency(openFresh, { prices, defaults })
    await agency.budgets.set(operator, { organisation: 'Development', tokens: 100 })
    await agency.budgets.set(operator, { persona: 'system', usd: 5 })
    const mission = await agency.missions.create(operator, {
      title: 'Do it',
      description: '',
      organisationId: 1,
      priority: 'medium',
      playbook: 'direct',
      acceptance: '',
      tags: [],
      contextNotes: '',
      tokenBudget: 10_000,
      deliverables: [],
    })
    const run = await agency.run({ missionId: mission.id, play: [[uses(100), hang], work] })
    const question = await questionOf(agency, run)
    expect(question.askedBy).toBe('budget:organisation:1')
    expect(await budgetOf(agency, 'mission', mission.id)).toMatchObject({ tokensSpent: 100, tokensReserved: 0 })
    expect(await budgetOf(agency, 'persona', String(systemPersona))).toMatchObject({ microsSpent: 100_000 })
    await agency.budgets.set(operator, { organisation: 'Development', tokens: 1_000 })
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect((await agency.inspect(run)).questions[0]).toMatchObject({ status: 'withdrawn' })
  })

  it('returns the reservation of an attempt whose daemon died before the launch, at the next start', async () => {
    const first = await startAgency(openFresh, {
      prices,
      worker: 'one:1',
      chaosPoint: (point) => point === 'brief.claimed' && first.die(),
    })
    const run = await first.run({ tokenBudget: 1_000 })
    await first.passed('brief.claimed')
    const db = kind === 'postgres' ? await first.store.open() : first.store.db
    const next = await openAgency({ db, clock: first.clock, prices, worker: 'one:2' })
    expect(await budgetOf(next, 'run', run.id)).toMatchObject({ tokensReserved: 100 })
    await next.engine.start()
    expect(await next.settled(run)).toMatchObject({ status: 'done' })
    expect(await budgetOf(next, 'run', run.id)).toMatchObject({ tokensReserved: 0, tokensSpent: 0 })
  })

  it('returns the reservation when its run is cancelled', async () => {
    const agency = await startAgency(openFresh, { prices, defaults })
    await agency.budgets.set(operator, { organisation: 'Development', tokens: 1_000 })
    const run = await agency.run({ tokenBudget: 500, play: [[uses(5), hang]] })
    await agency.until(async () => (await budgetOf(agency, 'run', run.id)).tokensSpent === 5)
    await agency.runs.cancel(operator, run.id, undefined)
    expect(await budgetOf(agency, 'run', run.id)).toMatchObject({ tokensReserved: 0 })
    expect(await budgetOf(agency, 'organisation', '1')).toMatchObject({ tokensReserved: 0, tokensSpent: 5 })
  })

  it('is never reserved twice by two concurrent workers', { timeout: 60_000 }, async () => {
    const clock = createVirtualClock()
    const one = await startAgency(openFresh, { prices, clock, worker: 'one:1', slots: 16 })
    const two = await openAgency({
      db: kind === 'postgres' ? await one.store.open() : one.store.db,
      clock,
      prices,
      worker: 'two:1',
      slots: 16,
    })
    await two.engine.start()
    await one.budgets.set(operator, { organisation: 'Development', tokens: 40 })
    const runs = await Promise.all(
      Array.from({ length: 8 }, () =>
        one.run({
          briefs: ['a', 'b', 'c'].map((key) => ({ key, objective: 'Do it' })),
          play: [[pauses('on'), uses(1), ...work]],
        }),
      ),
    )
    const launched = async (): Promise<number> =>
      (await Promise.all(runs.map((run) => one.inspect(run)))).flatMap(({ attempts }) => attempts).length
    // Each attempt reserves a tenth of forty, so ten run at a time.
    await one.until(async () => (await launched()) >= 10)
    for (const each of [one, two]) await each.engine.sweep()
    expect(await launched()).toBe(10)
    expect(await budgetOf(one, 'organisation', '1')).toMatchObject({ tokensReserved: 40, tokensSpent: 0 })
    for (const each of [one, two]) each.gate('on').open()
    for (const run of runs) expect(await one.settled(run)).toMatchObject({ status: 'done' })
    expect(await budgetOf(one, 'organisation', '1')).toMatchObject({ tokensReserved: 0, tokensSpent: 24 })
  })
})

describeStores('a stop', (openFresh) => {
  it('interrupts running agents, launches nothing, survives a restart, and counts against no limit', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ play: [[hang], work] })
    await agency.passed('attempt.started')
    await agency.stops.set(operator, undefined, 'too dear')
    await agency.until(async () => (await agency.inspect(run)).attempts[0]?.outcome === 'interrupted')
    await agency.engine.sweep()
    const other = await agency.run()
    await agency.engine.idle()
    expect(await agency.brief(run)).toMatchObject({
      status: 'pending',
      heldBy: 'stop:all',
      interruptions: 0,
      crashRetries: 0,
    })
    expect(await agency.brief(other)).toMatchObject({ status: 'pending', heldBy: 'stop:all', attempts: 0 })
    expect((await agency.inspect(run)).attempts[0]?.detail).toBe('stopped')
    await agency.stops.clear(operator, undefined)
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect(await agency.settled(other)).toMatchObject({ status: 'done' })
    await expect(agency.stops.clear(operator, undefined)).rejects.toThrow('nothing is stopped')
  })

  it('of one organisation leaves the others alone, also when every slot is taken', async () => {
    const agency = await startAgency(openFresh, { slots: 1 })
    const run = await agency.run({ play: [[hang], work] })
    await agency.passed('attempt.started')
    await agency.stops.set(operator, 'Development', '')
    await agency.until(async () => (await agency.inspect(run)).attempts[0]?.outcome === 'interrupted')
    expect(await agency.brief(run)).toMatchObject({ heldBy: 'stop:org:1' })
    await agency.stops.clear(operator, 'Development')
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
  })
})

describeStores('a provider that accepts no more calls', (openFresh) => {
  it('holds its briefs until the stated time, and no limit counts it', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ play: [[{ quota: { seconds: 600, reason: 'come back later' } }], work] })
    await agency.until(async () => (await agency.inspect(run)).attempts[0]?.outcome === 'interrupted')
    await agency.engine.idle()
    const { briefs, attempts } = await agency.inspect(run)
    expect(attempts).toHaveLength(1)
    expect(attempts[0]?.detail).toBe('its provider takes no more calls: come back later')
    expect(briefs[0]).toMatchObject({ status: 'pending', interruptions: 0 })
    expect(briefs[0]?.heldBy).toMatch(/^provider:scripted until /)
    agency.clock.advance(599_000)
    await agency.engine.idle()
    expect((await agency.inspect(run)).attempts).toHaveLength(1)
    agency.clock.advance(2_000)
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect((await agency.stops.list()).providerHolds).toEqual([])
  })

  it('is retried at once when the operator lifts the hold', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ play: [[{ quota: { seconds: 600, reason: 'come back later' } }], work] })
    await agency.until(async () => (await agency.stops.list()).providerHolds.length === 1)
    expect(await agency.stops.clear(operator, undefined)).toMatchObject({
      lifted: [],
      released: [{ provider: 'scripted' }],
    })
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    await expect(agency.stops.clear(operator, undefined)).rejects.toThrow('nothing is stopped')
  })

  it('is held only by an agent that could not continue, for a day at most, and under its own name', async () => {
    const agency = await startAgency(openFresh)
    const claim = { quota: { seconds: 31 * 86_400, reason: 'later', provider: 'anthropic' } }
    const done = await agency.run({ play: [[...work, claim]] })
    expect(await agency.settled(done)).toMatchObject({ status: 'done' })
    expect((await agency.stops.list()).providerHolds).toEqual([])
    await agency.run({ play: [[claim], work] })
    const [hold, ...others] = await agency.until(async () => {
      const { providerHolds } = await agency.stops.list()
      return providerHolds.length > 0 ? providerHolds : null
    })
    expect([hold?.provider, others]).toEqual(['scripted', []])
    expect(Date.parse(hold?.until ?? '') - Date.parse(hold?.at ?? '')).toBe(86_400_000)
  })

  it('is retried after a minute if it states no time', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ play: [[{ quota: {} }], work] })
    await agency.until(async () => (await agency.inspect(run)).attempts[0]?.outcome === 'interrupted')
    await agency.engine.idle()
    expect((await agency.inspect(run)).attempts).toHaveLength(1)
    agency.clock.advance(61_000)
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
  })
})

describe('an agent that is a process', () => {
  it('is ended when its budget is used up, and its calls are in the ledger', async () => {
    const agency = await startAgency(freshSqlite, {
      prices,
      defaults,
      runtimes: [createScriptedRuntime({ host: 'process' })],
      workspaces: createDirectoryWorkspaces({ root: freshFolder() }),
    })
    const alone: StepInput[] = [
      { write: { path: 'result.md', text: 'Done.' } },
      { report: { outputs: ['result.md'], via: 'stdout' } },
    ]
    const run = await agency.run({ tokenBudget: 1_000, play: [[uses(600), uses(600), hang], alone] })
    const question = await questionOf(agency, run)
    const [attempt] = (await agency.inspect(run)).attempts
    expect(attempt).toMatchObject({ outcome: 'budget', inputTokens: 1_200 })
    expect(() => process.kill(attempt?.pid as number, 0)).toThrow('ESRCH')
    await agency.questions.answer(operator, question.id, 'raise')
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
  })
})
