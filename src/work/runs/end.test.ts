import { expect, it } from 'vitest'

import { agentOf, openAgency, startAgency, work } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import type { Workspaces } from '../../workspaces/port.ts'
import { createMemoryWorkspaces } from '../../workspaces/memory.ts'

const hang: StepInput[] = [{ hang: {} }]
const report = { status: 'done' as const, summary: 'Done.', outputs: [] }

describeStores('a cancelled run', (openFresh) => {
  it('ends its agents, its attempts, its open briefs and its mission at once', async () => {
    const agency = await startAgency(openFresh, { slots: 2 })
    const briefs = ['a', 'b', 'c'].map((key) => ({ key, objective: key }))
    const run = await agency.run({ briefs: [...briefs, { key: 'd', objective: 'd', after: ['a'] }], play: [hang] })
    await agency.passed('attempt.started', 2)
    const cancelled = await agency.runs.cancel(operator, run.id, 'changed my mind')
    expect(cancelled).toMatchObject({ status: 'cancelled', summary: 'changed my mind', briefsOpen: 0, briefsFailed: 0 })
    expect(cancelled.endedAt).toBe(agency.clock.at())
    const { briefs: rows, attempts } = await agency.inspect(run)
    expect(rows.map((row) => row.status)).toEqual(['cancelled', 'cancelled', 'cancelled', 'cancelled'])
    expect(attempts).toMatchObject([
      { status: 'ended', outcome: 'interrupted', detail: 'the run was cancelled' },
      { status: 'ended', outcome: 'interrupted', detail: 'the run was cancelled' },
    ])
    expect(await agency.missions.show(run.missionId)).toMatchObject({
      status: 'cancelled',
      outcomeSummary: 'changed my mind',
    })
    const events = await agency.events(run)
    await agency.engine.idle()
    expect(agency.engine.running()).toBe(0)
    await agency.engine.sweep()
    expect(await agency.events(run)).toEqual(events)
    expect(events.filter((event) => event.kind === 'turn_ended').map((event) => event.by)).toEqual([
      'operator',
      'operator',
    ])
    expect(await agency.store.raw('SELECT DISTINCT state FROM agents')).toEqual([{ state: 'ended' }])
  })

  it('rejects reports from an attempt that was ended by the cancellation', async () => {
    const agency = await startAgency(openFresh)
    const reports: StepInput[] = work.map((step) =>
      'report' in step ? { report: { ...step.report, via: 'stdout' as const } } : step,
    )
    const run = await agency.run({ play: [[...reports, { log: 'gate late' }]] })
    await agency.gate('late').reached
    await agency.passed('attempt.started')
    const [attempt] = (await agency.inspect(run)).attempts
    await agency.runs.cancel(operator, run.id, undefined)
    await expect(agency.attempts.report(agentOf(attempt as never), report)).rejects.toMatchObject({
      code: 'stale_fence',
    })
    const events = await agency.events(run)
    agency.gate('late').open()
    await agency.engine.idle()
    expect(await agency.events(run)).toEqual(events)
    expect((await agency.inspect(run)).artifacts).toEqual([])
  })

  it('cannot be cancelled again, nor can one that has ended', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ play: [hang] })
    await agency.runs.cancel(operator, run.id, undefined)
    await expect(agency.runs.cancel(operator, run.id, undefined)).rejects.toMatchObject({
      code: 'illegal_transition',
      message: `run ${run.id} is cancelled already`,
    })
    const done = await agency.settled(await agency.run())
    await expect(agency.runs.cancel(operator, done.id, undefined)).rejects.toMatchObject({ code: 'illegal_transition' })
    expect(await agency.runs.show(done.id)).toEqual(done)
  })

  it('stops an agent that is being launched at that moment, for every way of cancelling', async () => {
    const memory = createMemoryWorkspaces()
    const preparing = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const workspaces: Workspaces = {
      ...memory,
      prepare: async (brief) => {
        preparing.resolve()
        await goOn.promise
        return memory.prepare(brief)
      },
    }
    const agency = await startAgency(openFresh, { workspaces })
    const other = await openAgency({ db: agency.store.db, clock: agency.clock, worker: 'other:1' })
    const run = await agency.run({ play: [hang] })
    await preparing.promise
    await other.runs.cancel(operator, run.id, undefined)
    const events = await agency.events(run)
    goOn.resolve()
    await agency.engine.idle()
    expect(await agency.events(run)).toEqual(events)
    expect((await agency.inspect(run)).attempts).toMatchObject([{ outcome: 'interrupted', startedAt: null }])
  })

  it('stops an agent of another worker, which notices at its sweep', async () => {
    const agency = await startAgency(openFresh, { worker: 'one:1' })
    const other = await openAgency({ db: await agency.store.open(), clock: agency.clock, worker: 'two:1' })
    const run = await agency.run({ play: [hang] })
    await agency.passed('attempt.started')
    await other.runs.cancel(operator, run.id, undefined)
    expect(agency.engine.running()).toBe(1)
    agency.clock.advance(30_000)
    await agency.engine.idle()
    expect(agency.engine.running()).toBe(0)
  })
})
