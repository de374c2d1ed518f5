import { expect, it } from 'vitest'

import { openAgency, type StartRun, type TestAgency, work } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { createVirtualClock } from '../../../test/support/virtual-clock.ts'
import type { Run } from '../../work/runs/contract.ts'

/** Starts a run of independent briefs, younger than those before it; with `gate`, their agents wait there. */
function runOf(agency: TestAgency, count: number, input: StartRun = {}, gate?: string): Promise<Run> {
  agency.clock.advance(1)
  return agency.run({
    briefs: Array.from({ length: count }, (_, index) => ({ key: `b${index}`, objective: 'Do' })),
    play: [gate === undefined ? work : [{ log: `gate ${gate}` }, ...work]],
    ...input,
  })
}

/** Returns the places of a run's attempts in the order of all starts, from 1. */
const placesOf = async (agency: TestAgency, run: Run): Promise<number[]> =>
  (await agency.inspect(run)).attempts.map(({ agentId }) => agentId)

/** The places of three runs with three briefs each that take turns. */
const inTurns = [
  [1, 4, 7],
  [2, 5, 8],
  [3, 6, 9],
]

describeStores('claims', (openFresh) => {
  const open = async (slots: number): Promise<TestAgency> => {
    const clock = createVirtualClock()
    const { db } = await openFresh({ clock })
    return openAgency({ db, clock, slots })
  }

  it('start a run of one brief although a run of 100 took every slot before it', async () => {
    const agency = await open(2)
    await agency.engine.start()
    const large = await runOf(agency, 100, {}, 'go')
    await agency.passed('attempt.started', 2)
    const small = await runOf(agency, 1)
    agency.gate('go').open()
    await agency.settled(large)
    // Both agents of the large run may end before the next claim, which then takes a brief of each run.
    expect([[3], [4]]).toContainEqual(await placesOf(agency, small))
  })

  it('go to runs in turns, the oldest first', async () => {
    const agency = await open(1)
    const runs = []
    for (let count = 0; count < 3; count++) runs.push(await runOf(agency, 3))
    await agency.engine.start()
    for (const run of runs) await agency.settled(run)
    expect(await Promise.all(runs.map((run) => placesOf(agency, run)))).toEqual(inTurns)
  })

  it('go to runs in turns also after the clock was set back to before or between their starts', async () => {
    for (const backMs of [3_600_000, 1_500]) {
      const agency = await open(1)
      const runs = []
      for (let count = 0; count < 3; count++) {
        agency.clock.advance(1_000)
        runs.push(await runOf(agency, 3))
      }
      agency.clock.jump(-backMs)
      await agency.engine.start()
      for (const run of runs) await agency.settled(run)
      expect(await Promise.all(runs.map((run) => placesOf(agency, run)))).toEqual(inTurns)
    }
  })

  it('prefer a run without an agent at work to one that has some', async () => {
    const agency = await open(3)
    await agency.engine.start()
    const held = await runOf(agency, 6, {}, 'go')
    await agency.passed('attempt.started', 3)
    const late = await runOf(agency, 2, {}, 'late')
    const later = await runOf(agency, 2, {}, 'late')
    agency.gate('go').open()
    await agency.passed('attempt.started', 6)
    agency.gate('late').open()
    for (const run of [held, late, later]) await agency.settled(run)
    // Of the next three claims each of the two gets one, also if all agents end before it.
    const [first, second] = [(await placesOf(agency, late))[0], (await placesOf(agency, later))[0]] as [number, number]
    expect(first).toBeLessThan(second)
    expect(second).toBeLessThanOrEqual(6)
  })

  it('go to runs of higher priority first', async () => {
    const agency = await open(1)
    const runs = []
    for (const priority of ['low', 'medium', 'high', 'urgent'] as const) runs.push(await runOf(agency, 2, { priority }))
    await agency.engine.start()
    for (const run of runs) await agency.settled(run)
    expect(await Promise.all(runs.map((run) => placesOf(agency, run)))).toEqual([
      [7, 8],
      [5, 6],
      [3, 4],
      [1, 2],
    ])
  })

  it('take the priority of a mission for its runs, unless the run has its own', async () => {
    const agency = await open(1)
    const { organisationId } = await runOf(agency, 1)
    const mission = () =>
      agency.missions.create(
        { kind: 'operator', personaId: 1 as never },
        {
          title: 'Ship',
          description: '',
          organisationId,
          priority: 'high',
          playbook: 'direct',
          acceptance: '',
          tags: [],
          contextNotes: '',
          deliverables: [],
        },
      )
    expect((await agency.run({ missionId: (await mission()).id })).priority).toBe('high')
    expect((await agency.run({ missionId: (await mission()).id, priority: 'low' })).priority).toBe('low')
    expect((await agency.run()).priority).toBe('medium')
  })

  it('reach every ready run within two turns of the others, also while new runs keep coming', async () => {
    const agency = await open(1)
    const others: Run[] = []
    for (let count = 0; count < 4; count++) others.push(await runOf(agency, 25))
    const ours = await runOf(agency, 3)
    let left = 60
    let busy = Promise.resolve()
    const stopListening = agency.db.onCommit(() => {
      busy = busy.then(async () => {
        if (left-- <= 0) return
        others.push(await runOf(agency, 1))
      })
    })
    await agency.engine.start()
    for (const run of [ours, ...others.slice(0, 4)]) await agency.settled(run)
    await busy
    stopListening()
    const [first, second, third] = (await placesOf(agency, ours)) as [number, number, number]
    expect(first).toBe(5)
    // Between two of its turns lies at most one of each run that existed at the first of them, and one of those that
    // came in between.
    const startedBefore = async (place: number): Promise<number> => {
      const places = await Promise.all(others.map((run) => placesOf(agency, run)))
      return places.filter((each) => (each[0] ?? Infinity) < place).length
    }
    expect(second - first).toBeLessThanOrEqual((await startedBefore(second)) + 1)
    expect(third - second).toBeLessThanOrEqual((await startedBefore(third)) + 1)
  })
})
