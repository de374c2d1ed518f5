import { expect, it } from 'vitest'

import { openAgency, type TestAgency, work } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { giveTeam } from '../../../test/support/team.ts'
import { createVirtualClock } from '../../../test/support/virtual-clock.ts'
import { record, updated } from '../../events/change.ts'
import { direct } from '../../playbooks/direct/decide.ts'
import { caps } from '../../playbooks/tiered/describe.ts'
import { briefs as briefTable } from '../../work/briefs/store.ts'
import type { Run } from '../../work/runs/contract.ts'

/** Starts a run of independent briefs, one for each of these tiers; their agents wait for the gate `go`. */
async function runInTiers(agency: TestAgency, tiers: readonly (string | null)[], limits: string): Promise<Run> {
  const play = { runtimeOptions: { scenario: { attempts: [[{ log: 'gate go' }, ...work]] } } }
  const run = await agency.run({ briefs: tiers.map((_, at) => ({ key: `b${at}`, objective: 'Do', ...play })) })
  await giveTeam(agency, run, `limits: ${limits}`)
  const { briefs } = await agency.inspect(run)
  await agency.db.write([`run:${run.id}`], (tx) =>
    record(
      tx,
      { kind: 'log', by: 'test', runId: run.id, message: 'tiers' },
      briefs.map((brief) => updated(briefTable, brief, { capKey: tiers[Number(brief.key.slice(1))] ?? null })),
    ),
  )
  return run
}

const working = async (agency: TestAgency, run: Run): Promise<string[]> =>
  (await agency.inspect(run)).briefs.filter(({ status }) => status === 'working').map(({ key }) => key)

/** Returns the largest number of agents that worked at the same time, by the events of the run. */
async function most(agency: TestAgency, run: Run, isMeant: (briefId: string) => boolean = () => true): Promise<number> {
  const events = (await agency.events(run)).filter(({ briefId }) => briefId !== null && isMeant(briefId))
  let [now, highest] = [0, 0]
  const over = new Set<string | null>()
  for (const { kind, attemptId } of events) {
    if (kind === 'assigned') highest = Math.max(highest, ++now)
    if ((kind !== 'agent_ended' && kind !== 'turn_ended') || over.has(attemptId)) continue
    over.add(attemptId)
    now--
  }
  return highest
}

describeStores('a run with a team', (openFresh) => {
  const open = async (): Promise<TestAgency> => {
    const clock = createVirtualClock()
    const { db } = await openFresh({ clock })
    return openAgency({ db, clock, slots: 20, playbooks: [{ ...direct, caps }] })
  }

  it('never runs more agents of a tier than the team allows', async () => {
    const agency = await open()
    const run = await runInTiers(
      agency,
      Array.from({ length: 10 }, () => 't4' as const),
      '{}',
    )
    await agency.engine.start()
    await agency.until(async () => (await working(agency, run)).length === 5)
    await agency.engine.sweep()
    expect(await working(agency, run)).toEqual(['b0', 'b1', 'b2', 'b3', 'b4'])
    agency.gate('go').open()
    expect(await agency.settled(run)).toMatchObject({ status: 'done', briefsDone: 10 })
    expect(await most(agency, run)).toBe(5)
  })

  it('never runs more agents than the total cap, and other tiers continue if one is full', async () => {
    const agency = await open()
    const tiers = [...Array.from({ length: 6 }, () => 't4' as const), ...Array.from({ length: 6 }, () => 't5' as const)]
    const run = await runInTiers(agency, tiers, '{ max_parallel_agents: 4, max_parallel: { t4: 3 } }')
    await agency.engine.start()
    await agency.until(async () => (await working(agency, run)).length === 4)
    expect(await working(agency, run)).toEqual(['b0', 'b1', 'b2', 'b6'])
    agency.gate('go').open()
    await agency.settled(run)
    const { briefs } = await agency.inspect(run)
    const t4 = new Set(briefs.filter(({ capKey: tier }) => tier === 't4').map(({ id }) => id))
    expect([await most(agency, run), await most(agency, run, (id) => t4.has(id))]).toEqual([4, 3])
  })

  it('does not delay other briefs behind one that waits for a cap', async () => {
    const agency = await open()
    const crowd = Array.from({ length: 40 }, () => 't4' as const)
    const full = await runInTiers(agency, crowd, '{ max_parallel: { t4: 2 } }')
    const crowded = await runInTiers(agency, [...crowd, null], '{ max_parallel: { t4: 1 } }')
    await agency.engine.start()
    const other = await agency.settled(await agency.run())
    expect(other.status).toBe('done')
    await agency.until(async () => (await working(agency, crowded)).length === 2)
    expect([await working(agency, full), await working(agency, crowded)]).toEqual([
      ['b0', 'b1'],
      ['b0', 'b40'],
    ])
  })
})
