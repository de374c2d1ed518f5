import { expect, it } from 'vitest'

import {
  agentOf,
  type AgencyOptions,
  openAgency,
  startAgency,
  type TestAgency,
  work,
} from '../../../test/support/agency.ts'
import { describeStores, type FreshStore } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import type { Event } from '../../events/contract.ts'
import { refusal } from '../../kernel/errors.ts'
import type { ChaosPointName } from '../../kernel/chaos-point.ts'
import type { Attempt } from '../../work/attempts/contract.ts'

const hang: StepInput[] = [{ hang: {} }]
const ofKind = (events: readonly Event[], kind: Event['kind']): Event[] => events.filter((each) => each.kind === kind)

/** Opens the agency again after it died or was stopped: the same store and workspaces, and the worker's next boot. */
async function reopen(before: TestAgency, store: FreshStore, options: AgencyOptions = {}): Promise<TestAgency> {
  const { workspaces, clock } = before
  return openAgency({ db: store.db, clock, workspaces, worker: 'test:2', ...options })
}

describeStores('after the death of a daemon', (openFresh) => {
  it('the next one relaunches the running attempts, and no limit counts it', async () => {
    const before = await startAgency(openFresh)
    const started = await before.run({ play: [hang, [{ log: 'gate look' }, ...work]] })
    await before.passed('attempt.started')
    before.die()
    const after = await reopen(before, before.store)
    await after.engine.start()
    await after.gate('look').reached
    const [dead] = (await after.inspect(started)).attempts
    expect(dead).toMatchObject({ status: 'ended', outcome: 'interrupted', detail: 'daemon_restart', worker: 'test:1' })
    expect(after.soughtSurvivors).toEqual([dead?.id])
    expect(await after.brief(started)).toMatchObject({ interruptions: 1, crashRetries: 0, retriesUsed: 0, attempts: 2 })
    expect(ofKind(await after.events(started), 'retried')).toMatchObject([
      {
        by: 'engine',
        code: 'RESUMED',
        message: 'main was interrupted (daemon_restart); it starts again',
        data: { from: 'working', to: 'pending', class: 'interrupted', reason: 'daemon_restart', used: 1, limit: 20 },
      },
    ])
    after.gate('look').open()
    const run = await after.settled(started)
    expect(run.status).toBe('done')
    expect(await after.brief(run)).toMatchObject({ interruptions: 0, crashRetries: 0, retriesUsed: 0, attempts: 2 })
    expect((await after.inspect(run)).attempts.map((attempt) => attempt.worker)).toEqual(['test:1', 'test:2'])
  })

  // Before the report is recorded, the work has to be done again; from then on it is only examined.
  const points: [ChaosPointName, attempts: number, files?: number][] = [
    ['run.created', 1],
    ['brief.claimed', 2],
    ['workspace.prepared', 2],
    ['inputs.laid', 2],
    ['agent.launched', 2],
    ['attempt.started', 2],
    ['agent.reported', 1],
    ['agent.exited', 1],
    ['evidence.checked', 1],
    ['attempt.ended', 1],
    ['run.ended', 1],
    // So many files are checked after the report was recorded.
    ['attempt.reported', 1, 20],
    ['examination.begun', 1, 20],
    ['evidence.checked', 1, 20],
    ['attempt.ended', 1, 20],
  ]
  it.each(points)('at "%s" the work is finished, once, with %i attempts', async (point, attempts, files = 1) => {
    const gated: StepInput[] = [{ log: 'gate started' }, ...work]
    const before = await startAgency(openFresh, {
      chaosPoint: (passed) => {
        if (passed === point) before.die()
        if (passed === 'attempt.started') before.gate('started').open()
      },
    })
    const evidence = Array.from({ length: files }, () => ({ kind: 'file' as const, path: 'result.md' }))
    const created = before.run({ play: [gated, work], evidence })
    await before.passed(point)
    const after = await reopen(before, before.store)
    after.gate('started').open()
    await after.engine.start()
    // The client died before it had the response, so only the store knows the run.
    const [listed] = (await after.runs.list({ limit: 2 })).runs
    const run = await after.settled(listed as { id: string })
    expect(run).toMatchObject({ status: 'done', briefsDone: 1, briefsOpen: 0 })
    const events = await after.events(run)
    for (const kind of ['completed', 'session_complete', 'evidence_checked', 'artifact_written'] as const)
      expect(ofKind(events, kind), kind).toHaveLength(1)
    expect((await after.inspect(run)).attempts).toHaveLength(attempts)
    expect((await after.runs.list({ limit: 2 })).runs).toHaveLength(1)
    if (point !== 'run.created') expect((await created).id).toBe(run.id)
  })

  it('a stored report is checked, not trusted', async () => {
    const before = await startAgency(openFresh)
    const boast: StepInput[] = [{ report: { status: 'done', summary: 'Done.', outputs: ['gone.md'] } }, ...hang]
    const started = await before.run({ play: [boast, work] })
    await before.passed('agent.reported')
    await before.passed('attempt.started')
    before.die()
    const after = await reopen(before, before.store)
    await after.engine.start()
    const run = await after.settled(started)
    expect((await after.inspect(run)).attempts.map(({ outcome, detail }) => [outcome, detail])).toEqual([
      ['bad_output', expect.stringMatching(/^reported outputs: these are not delivered: "gone\.md"/)],
      ['ok', 'Done.'],
    ])
    expect(await after.brief(run)).toMatchObject({ retriesUsed: 1 })
  })

  it('the next one ends agents whose attempts were ended, and those of no other store', async () => {
    const before = await startAgency(openFresh)
    const started = await before.run({ play: [hang] })
    await before.passed('attempt.started')
    const [attempt] = (await before.inspect(started)).attempts
    before.die()
    // The run was cancelled just before: the daemon died before it could interrupt the agent.
    const cancelling = await reopen(before, before.store, { worker: 'test:1' })
    await cancelling.runs.cancel(operator, started.id, undefined)
    const after = await reopen(before, before.store, {
      listSurvivors: async () => [attempt?.id as string, 'att_of_another_store', attempt?.id as string],
    })
    await after.engine.start()
    expect(after.soughtSurvivors).toEqual([attempt?.id])
  })

  it('the report of a surviving agent is checked with its files', async () => {
    const before = await startAgency(openFresh)
    const slow: StepInput[] = [{ write: { path: 'result.md', text: 'Done.\n' } }, { log: 'gate wrote' }]
    const started = await before.run({ play: [slow, work] })
    await before.passed('attempt.started')
    await before.gate('wrote').reached
    const [attempt] = (await before.inspect(started)).attempts
    before.die()
    const after: TestAgency = await reopen(before, before.store, {
      killSurvivors: async () => {
        await after.attempts.report(agentOf(attempt as Attempt), {
          status: 'done',
          summary: 'Done.',
          outputs: ['result.md'],
        })
      },
    })
    await after.engine.start()
    const run = await after.settled(started)
    expect((await after.inspect(run)).attempts.map(({ outcome }) => outcome)).toEqual(['ok'])
  })

  it('a report that would overflow the stack does not count', async () => {
    const before = await startAgency(openFresh)
    const deep = `{"status":"done","summary":"Done.","output":${'['.repeat(6_000)}${']'.repeat(6_000)}}`
    const started = await before.run({
      play: [[{ write: { path: '.agency/outbox/report.json', text: deep } }, { log: 'gate wrote' }], work],
    })
    await before.passed('attempt.started')
    await before.gate('wrote').reached
    before.die()
    const after = await reopen(before, before.store)
    await after.engine.start()
    expect((await after.settled(started)).status).toBe('done')
    expect((await after.inspect(started)).attempts.map(({ outcome }) => outcome)).toEqual(['interrupted', 'ok'])
  })

  it('a report that its agent was writing is not held against it', async () => {
    const before = await startAgency(openFresh)
    const half = { write: { path: '.agency/outbox/report.json', text: '{"status":"done","summ' } }
    const started = await before.run({ play: [[half, { log: 'gate wrote' }], work] })
    await before.passed('attempt.started')
    await before.gate('wrote').reached
    before.die()
    const after = await reopen(before, before.store)
    await after.engine.start()
    expect((await after.settled(started)).status).toBe('done')
    expect((await after.inspect(started)).attempts.map(({ outcome }) => outcome)).toEqual(['interrupted', 'ok'])
    expect(await after.brief(started)).toMatchObject({ retriesUsed: 0, corrections: [] })
  })

  it('an attempt whose report is stored but whose workspace no longer exists is a crash, and the daemon starts', async () => {
    const before = await startAgency(openFresh)
    const started = await before.run({ play: [[...work, ...hang], work] })
    await before.passed('agent.reported')
    await before.passed('attempt.started')
    before.die()
    let broken = true
    const after = await reopen(before, before.store, {
      mayLogErrors: true,
      workspaces: {
        ...before.workspaces,
        open: async (brief) => {
          if (!broken) return before.workspaces.open(brief)
          broken = false
          throw refusal('not_found', 'the workspace no longer exists')
        },
      },
    })
    await after.engine.start()
    const run = await after.settled(started)
    expect(run.status).toBe('done')
    expect((await after.inspect(run)).attempts.map((attempt) => attempt.outcome)).toEqual(['crash', 'ok'])
  })

  it('after twenty interruptions in a row a brief fails; an ended attempt in between resets the count', async () => {
    const life = await startAgency(openFresh)
    const started = await life.run({ play: [hang] })
    const other = await life.run({ play: [...Array.from({ length: 19 }, () => hang), [{ crash: {} }], hang, work] })
    let boot = 1
    let now: TestAgency = life
    for (; boot <= 20; boot++) {
      // The twentieth attempt of the other brief crashes; its twenty-first must have begun before the daemon dies.
      await now.passed('attempt.started', boot === 20 ? 3 : 2)
      now.die()
      now = await reopen(life, life.store, { worker: `test:${boot + 1}` })
      await now.engine.start()
    }
    const run = await now.settled(started)
    expect(run.status).toBe('failed')
    expect(await now.brief(run)).toMatchObject({
      status: 'failed',
      attempts: 20,
      crashRetries: 0,
      retriesUsed: 0,
      failure: 'interrupted 20 times in a row',
    })
    const spared = await now.settled(other)
    expect(spared.status).toBe('done')
    expect(await now.brief(spared)).toMatchObject({ crashRetries: 1, interruptions: 0 })
  })

  it('nothing is repeated after a further restart', async () => {
    const before = await startAgency(openFresh)
    const run = await before.settled(await before.run())
    before.die()
    const events = await before.store.raw('SELECT COUNT(*) AS count FROM events')
    const after = await reopen(before, before.store)
    await after.engine.start()
    await after.engine.sweep()
    await after.engine.stop()
    expect(after.soughtSurvivors).toEqual([])
    expect(await before.store.raw('SELECT COUNT(*) AS count FROM events')).toEqual(events)
    expect((await after.inspect(run)).attempts).toHaveLength(1)
  })
})

describeStores('a daemon that stops', (openFresh) => {
  it('interrupts its agents and leaves their briefs to the next start', async () => {
    const before = await startAgency(openFresh)
    const started = await before.run({ play: [hang, work] })
    await before.passed('attempt.started')
    await before.engine.stop()
    expect(before.engine.running()).toBe(0)
    expect((await before.inspect(started)).attempts).toMatchObject([
      { status: 'ended', outcome: 'interrupted', detail: 'the daemon stopped' },
    ])
    expect(await before.brief(started)).toMatchObject({ status: 'pending', interruptions: 1, crashRetries: 0 })
    expect(ofKind(await before.events(started), 'retried')).toMatchObject([{ data: { reason: 'daemon_stopped' } }])
    const after = await reopen(before, before.store)
    await after.engine.start()
    expect(after.soughtSurvivors).toEqual([])
    expect(await after.settled(started)).toMatchObject({ status: 'done' })
  })

  it('keeps a result that was already reported', async () => {
    const before = await startAgency(openFresh)
    const started = await before.run({ play: [[...work, ...hang]] })
    await before.passed('agent.reported')
    await before.passed('attempt.started')
    await before.engine.stop()
    expect((await before.inspect(started)).attempts).toMatchObject([{ status: 'reported', report: { status: 'done' } }])
    const after = await reopen(before, before.store)
    await after.engine.start()
    expect(await after.settled(started)).toMatchObject({ status: 'done' })
    expect((await after.inspect(started)).attempts).toMatchObject([{ outcome: 'ok' }])
  })

  it('keeps it also if the agent was writing another report', async () => {
    const before = await startAgency(openFresh)
    const half: StepInput = { raw_report: { body: 'half of a report', via: 'stdout' } }
    const started = await before.run({ play: [[...work, half, ...hang]] })
    await before.passed('agent.reported')
    await before.passed('attempt.started')
    await before.engine.stop()
    const after = await reopen(before, before.store)
    await after.engine.start()
    expect(await after.settled(started)).toMatchObject({ status: 'done' })
    expect((await after.inspect(started)).attempts).toMatchObject([{ outcome: 'ok' }])
  })

  it('claims nothing more', async () => {
    const agency = await startAgency(openFresh)
    await agency.engine.stop()
    const run = await agency.run()
    agency.engine.wake()
    await agency.engine.sweep()
    await agency.engine.idle()
    expect(await agency.brief(run)).toMatchObject({ status: 'pending', attempts: 0 })
  })
})
