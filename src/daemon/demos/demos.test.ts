import { describe, expect, it, onTestFinished } from 'vitest'

import { openAgency, type TestAgency } from '../../../test/support/agency.ts'
import { operator } from '../../../test/support/work.ts'
import { createTerminal } from '../../cli/terminal.ts'
import { type EventLine, formatEvent } from '../../events/cli.ts'
import { Event } from '../../events/contract.ts'
import { createJobs } from '../../jobs/queue.ts'
import { checkedInWarning } from '../../kernel/checked-in.ts'
import { systemIds } from '../../kernel/ids.ts'
import { noLog } from '../../kernel/log.ts'
import { noChaos } from '../../kernel/chaos-point.ts'
import { toWire } from '../../operations/wire.ts'
import type { Run } from '../../work/runs/contract.ts'
import type { DemoProfile } from './contract.ts'
import { tieredDemo } from './plays.contract.ts'
import { createDemos } from './service.ts'

const tiersOf = (briefs: readonly { capKey: string | null }[]): Record<string, number> =>
  Object.fromEntries(
    ['t1', 't2', 't3', 't4', 't5'].map((tier) => [tier, briefs.filter((brief) => brief.capKey === tier).length]),
  )

describe('a demonstration of tiers', () => {
  it('passes through every tier for a goal that needs them, and fixes an omission of one of them', async () => {
    const { agency, run } = await play('full')
    expect(run).toMatchObject({ status: 'done', simulated: true })
    const { briefs } = await agency.inspect(run)
    // Two squads claimed the same file: one of the 22 drafts is released. One workstream is verified twice.
    expect(tiersOf(briefs)).toEqual({ t1: 5, t2: 7, t3: 10, t4: 22, t5: 22 })
    expect(briefs.filter(({ capKey: tier, status }) => tier === 't4' && status === 'done')).toHaveLength(21)
    await expect(await liveLog(agency, run)).toMatchFileSnapshot('golden/full.log')
  })

  it('uses no architects for a goal within one domain', async () => {
    const { agency, run } = await play('medium')
    expect(run.status).toBe('done')
    expect(tiersOf((await agency.inspect(run)).briefs)).toEqual({ t1: 3, t2: 0, t3: 2, t4: 4, t5: 4 })
    await expect(await liveLog(agency, run)).toMatchFileSnapshot('golden/medium.log')
  })

  it('uses one implementer and one verifier for one function', async () => {
    const { agency, run } = await play('simple')
    expect(run.status).toBe('done')
    expect(tiersOf((await agency.inspect(run)).briefs)).toEqual({ t1: 3, t2: 0, t3: 0, t4: 1, t5: 1 })
    await expect(await liveLog(agency, run)).toMatchFileSnapshot('golden/simple.log')
  })

  it('uses default answers for steps that the scenario does not describe', async () => {
    const { agency, run } = await play('simple', { scenario: 'default' })
    expect(run.status).toBe('done')
    expect(tiersOf((await agency.inspect(run)).briefs)).toEqual({ t1: 3, t2: 0, t3: 4, t4: 4, t5: 4 })
  })
})

describe('the gates of a demonstration', () => {
  async function open() {
    const agency = await openAgency()
    const { db, clock, runs, gates } = agency
    const jobs = createJobs({ db, clock, ids: systemIds, worker: 'demo', chaosPoint: noChaos })
    const makeRepository = () => Promise.reject(new Error('there is no git here'))
    const demos = createDemos({ db, clock, log: noLog, jobs, makeRepository, runs, gates })
    await agency.engine.start()
    await jobs.start()
    onTestFinished(() => jobs.stop())
    return { agency, demos }
  }

  it('are approved automatically after a moment, with a note', async () => {
    const { agency, demos } = await open()
    const { id } = await demos.play(operator, { name: 'tiered', profile: 'simple', manual: false })
    expect(demos.approves({ runId: id, summary: '' })).toBe(true)
    const warning = checkedInWarning('workspace')
    expect(demos.approves({ runId: id, summary: `All is well.\n${warning} (a, b)` })).toBe(false)
    while ((await agency.runs.show(id)).endedAt === null) await agency.pass(500)
    const { gates } = await agency.gates.ofRun(id)
    expect(gates.map(({ gate, status, note }) => [gate, status, note])).toEqual([
      ['t1_plan', 'approved', 'Simulated: the demonstration approves its own gates.'],
    ])
    const [opened] = (await agency.events({ id })).filter(({ kind }) => kind === 'gate_pending')
    const [approved] = (await agency.events({ id })).filter(({ kind }) => kind === 'gate_approved')
    expect(Date.parse(approved?.at ?? '') - Date.parse(opened?.at ?? '')).toBeGreaterThanOrEqual(1_500)
  })

  it('wait for the operator in manual mode', async () => {
    const { agency, demos } = await open()
    const { id } = await demos.play(operator, { name: 'tiered', profile: 'simple', manual: true })
    expect(demos.approves({ runId: id, summary: '' })).toBe(false)
    while ((await agency.runs.show(id)).status !== 'gated') await agency.pass(500)
    for (let second = 0; second < 10; second += 1) await agency.pass(1_000)
    expect(await agency.runs.show(id)).toMatchObject({ status: 'gated', gatesPending: 1 })
  })

  describe('of the first demonstration', () => {
    const openFirst = async () => {
      const { agency, demos } = await open()
      const { id } = await demos.first(operator)
      while ((await agency.runs.show(id)).gatesPending === 0) await agency.pass(500)
      const [gate] = (await agency.gates.ofRun(id)).gates
      if (gate === undefined) throw new Error('the run has no gate')
      return { agency, demos, id, gate }
    }
    const statusOf = async ({ agency, id, gate }: Awaited<ReturnType<typeof openFirst>>) =>
      (await agency.gates.ofRun(id)).gates.find((each) => each.id === gate.id)

    it('wait 15 s for the visitor at the first gate, then approve it with a note', async () => {
      const first = await openFirst()
      const { agency, demos, id, gate } = first
      const endsAt = new Date(Date.parse(gate.pendingSince) + 15_000).toISOString()
      expect(await demos.guide(id)).toEqual({ name: 'tiered', gate: { id: gate.id, approvesAt: endsAt } })
      while (agency.clock.nowMs() < Date.parse(endsAt) - 500) await agency.pass(500)
      expect((await statusOf(first))?.status).toBe('pending')
      while ((await statusOf(first))?.status === 'pending') await agency.pass(500)
      expect(await statusOf(first)).toMatchObject({
        status: 'approved',
        note: 'Simulated: no person decided within 15 s, so the demonstration approved this gate itself.',
      })
      expect(agency.clock.nowMs() - Date.parse(endsAt)).toBeLessThan(3_000)
    })

    it('leave the visitor her time again after she has taken a decision back', async () => {
      const first = await openFirst()
      const { agency, demos, id, gate } = first
      await agency.decisions.approve(operator, { target: gate.id, undoSeconds: 30 })
      for (let second = 0; second < 20; second += 1) await agency.pass(1_000)
      expect((await statusOf(first))?.status).toBe('pending')
      await agency.decisions.undo(operator, gate.id)
      for (let second = 0; second < 10; second += 1) await agency.pass(1_000)
      expect((await statusOf(first))?.status).toBe('pending')
      expect(Date.parse((await demos.guide(id)).gate?.approvesAt ?? '')).toBeGreaterThan(agency.clock.nowMs())
      while ((await statusOf(first))?.status === 'pending') await agency.pass(500)
      expect((await statusOf(first))?.status).toBe('approved')
    })

    it('continue with the decision of the visitor, and wait less for later gates', async () => {
      const { agency, demos, id, gate } = await openFirst()
      await agency.gates.approve(operator, { target: gate.id, note: 'Mine.' })
      expect(await demos.guide(id)).toEqual({ name: 'tiered', gate: null })
      while ((await agency.gates.ofRun(id)).gates.length < 2) await agency.pass(500)
      const second = (await agency.gates.ofRun(id)).gates[1]
      const waited = async (): Promise<boolean> => (await agency.gates.ofRun(id)).gates[1]?.status === 'pending'
      while (await waited()) await agency.pass(500)
      expect(agency.clock.nowMs() - Date.parse(second?.pendingSince ?? '')).toBeLessThan(5_000)
      expect((await agency.gates.ofRun(id)).gates[0]?.note).toBe('Mine.')
    })
  })

  it('belong to one run per installation, however often the daemon is started', async () => {
    const { agency, demos } = await open()
    const first = await demos.first(operator)
    expect((await demos.first(operator)).id).toBe(first.id)
    expect((await agency.runs.list({ limit: 10 })).runs.map(({ goalAnchor }) => goalAnchor)).toEqual([
      'Build a webhook ingestion system',
    ])
  })
})

/**
 * Returns the output of `agency watch`, grouped by workstream, because the order between workstreams is not fixed.
 * Within a workstream, the verifiers of one squad may start before or after those of another.
 */
async function liveLog(agency: TestAgency, run: Run): Promise<string> {
  const terminal = createTerminal({})
  // No persona can be cast here: this Agency has no talent pool, and logs that.
  const events = (await agency.events(run)).filter(
    ({ level, message }) => level === 'normal' && !message.includes('there is no talent pool'),
  )
  const lineOf = (event: Event): string =>
    formatEvent(terminal, toWire(Event, event) as EventLine).replace(/^\[\w+\] [\d:]+ /, '')
  return [...Map.groupBy(events, ({ workstream }) => workstream ?? 'the run')]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, own]) => {
      const [floating, ordered] = [true, false].map((floats) =>
        own.filter(({ code }) => (code === 'VERIFY_START') === floats).map(lineOf),
      )
      return `${[`== ${name}`, ...(ordered ?? []), ...(floating ?? []).toSorted()].join('\n')}\n`
    })
    .join('\n')
}

/** Runs a demonstration to its end with every gate approved. */
async function play(profile: DemoProfile, runtimeOptions?: object): Promise<{ agency: TestAgency; run: Run }> {
  const agency = await openAgency()
  await agency.engine.start()
  const input = tieredDemo(profile, null)
  const { id } = await agency.runs.create(operator, {
    ...input,
    ...(runtimeOptions && { runtimeOptions: { ...runtimeOptions } }),
  })
  for (;;) {
    await agency.pass(1_000)
    const run = await agency.runs.show(id)
    if (run.endedAt !== null) return { agency, run }
    if (run.questionsOpen > 0) throw new Error(`it asks something: ${run.heldBy}`)
    const { gates } = await agency.gates.ofRun(id)
    for (const gate of gates) if (gate.status === 'pending') await agency.gates.approve(operator, { target: gate.id })
  }
}
