import { expect, it } from 'vitest'

import { startAgency, type TestAgency, work } from '../../../test/support/agency.ts'
import { changeRun } from '../../../test/support/change-run.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import { openGate } from '../gates/open.ts'
import type { Run, RunStanding } from './contract.ts'

const brief = (key: string) => ({ key, objective: 'Do' })

/** Returns the state and decisions of a run, after a comparison of its page with the lists. */
async function standingOf(agency: TestAgency, run: Run): Promise<Pick<RunStanding, 'state' | 'decisions'>> {
  const { state, decisions, progress } = await agency.inspect(run)
  for (const query of [{}, { state }, { order: 'open_first' as const }]) {
    const { runs, counts } = await agency.runs.list({ limit: 10, ...query })
    expect(runs.find(({ id }) => id === run.id)).toMatchObject({ state, decisions, progress })
    expect(counts[state]).toBeGreaterThan(0)
  }
  return { state, decisions }
}

describeStores('the state in which a run is shown', (openFresh) => {
  it('waits for the operator while a gate is open, and is paused during a pause', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ planGate: true, briefs: [brief('a')] })
    expect(await standingOf(agency, run)).toEqual({ state: 'waits_for_you', decisions: 1 })
    const other = await agency.run({ play: [[{ hang: {} }]] })
    await agency.gates.pause(operator, other.id, undefined)
    expect(await standingOf(agency, other)).toEqual({ state: 'paused', decisions: 0 })
    await agency.gates.pause(operator, run.id, undefined)
    expect(await standingOf(agency, run)).toEqual({ state: 'paused', decisions: 1 })
  })

  it('waits for the operator also while agents are at work, but not for a gate that a tier decides', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ play: [[{ hang: {} }]] })
    await agency.passed('attempt.started')
    const summary = { produced: 'Nothing agreed', next: 'Fresh squads', anomalies: [] }
    const open = (approver: string) =>
      changeRun(agency, run, (scope) => openGate(scope, { gate: 'escalation', approver, boundary: approver, summary }))
    await open('t2/api')
    expect(await standingOf(agency, run)).toEqual({ state: 'running', decisions: 0 })
    await open('operator')
    expect(await standingOf(agency, run)).toEqual({ state: 'waits_for_you', decisions: 1 })
    expect((await agency.inspect(run)).waitsFor).toBeNull()
  })

  it('waits for the operator while the only brief waits for an answer', async () => {
    const agency = await startAgency(openFresh, { defaults: { onLimit: 'ask', crashRetries: 0 } })
    const run = await agency.run({ play: [[{ exit: { code: 1 } }]] })
    await agency.until(async () => (await agency.questions.list({ runId: run.id, limit: 1 })).questions[0])
    expect(await standingOf(agency, run)).toEqual({ state: 'waits_for_you', decisions: 1 })
  })

  it('is stopped while a stop is in force, and waits while other runs have all slots', async () => {
    const agency = await startAgency(openFresh, { slots: 1 })
    const first = await agency.run({ play: [[{ hang: {} }]] })
    await agency.passed('attempt.started')
    const second = await agency.run()
    expect(await standingOf(agency, first)).toEqual({ state: 'running', decisions: 0 })
    expect(await standingOf(agency, second)).toEqual({ state: 'waits', decisions: 0 })
    await agency.stops.set(operator, 'Development', '')
    for (const run of [first, second]) expect(await standingOf(agency, run)).toEqual({ state: 'stopped', decisions: 0 })
    expect((await agency.runs.list({ limit: 10 })).counts).toEqual({ stopped: 2 })
  })

  it('leaves dropped briefs out of the total, and those that ended with the run in it', async () => {
    const agency = await startAgency(openFresh, { slots: 1 })
    const run = await agency.run({ briefs: [brief('a'), brief('b')], play: [[{ log: 'gate go' }, ...work], work] })
    await agency.passed('attempt.started')
    expect((await agency.inspect(run)).progress).toEqual({ done: 0, total: 2, dropped: 0 })
    await agency.runs.cancel(operator, run.id, undefined)
    expect((await agency.inspect(run)).progress).toEqual({ done: 0, total: 2, dropped: 0 })
    agency.gate('go').open()
  })
})

describeStores('the list of runs with the open ones first', (openFresh) => {
  it('continues after a page of open runs with those that ended, each once', async () => {
    const agency = await startAgency(openFresh, { slots: 1 })
    const open = await agency.run({ briefs: [brief('a')], planGate: true })
    const ended: Run[] = []
    for (let count = 0; count < 3; count++) {
      agency.clock.advance(1_000)
      ended.unshift(await agency.settled(await agency.run()))
    }
    const found: string[] = []
    for (let before: string | undefined; ; before = found.at(-1)) {
      const { runs } = await agency.runs.list({ order: 'open_first', limit: 1, before })
      if (runs.length === 0) break
      found.push(...runs.map(({ id }) => id))
    }
    expect(found).toEqual([open, ...ended].map(({ id }) => id))
    expect((await agency.runs.list({ limit: 10 })).runs.at(-1)?.id).toBe(open.id)
  })
})
