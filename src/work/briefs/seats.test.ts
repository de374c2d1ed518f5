import { expect, it } from 'vitest'
import { z } from 'zod'

import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import { openAgency, type TestAgency, work } from '../../../test/support/agency.ts'
import { changeRun } from '../../../test/support/change-run.ts'
import { openOrg } from '../../../test/support/org.ts'
import { makeSeat } from '../../../test/support/seats.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { NewBrief } from '../../playbooks/contract.ts'
import { findAgentRow } from '../agents/store.ts'
import type { Attempt } from '../attempts/contract.ts'
import { addBriefs } from './add.ts'

const wait: StepInput[] = [{ log: 'gate work' }, ...work]

const seatOf = ({ db }: Pick<TestAgency, 'db'>, { agentId }: Attempt) =>
  db.read(async (tx) => (await findAgentRow(tx, agentId))?.positionId)

describeStores('a brief of a seat', (openFresh, kind) => {
  it('gives its seat to its agent', async () => {
    const org = await openOrg(openFresh)
    const { agency } = org
    const ada = await makeSeat(org, 'Ada')
    const briefs = [{ key: 'poem', objective: 'A poem', persona: 'ada' }]
    const run = await agency.settled(await agency.run({ briefs }))
    const other = await agency.settled(await agency.run())
    expect(await seatOf(agency, (await agency.inspect(run)).attempts[0]!)).toBe(ada.positionId)
    expect(await seatOf(agency, (await agency.inspect(other)).attempts[0]!)).toBeNull()
  })

  it('gives no seat to an agent after its persona has left it', async () => {
    const org = await openOrg(openFresh)
    const { agency } = org
    const ada = await makeSeat(org, 'Ada')
    const briefs = [{ key: 'poem', objective: 'A poem', persona: 'ada' }]
    const run = await agency.run({ briefs, planGate: true })
    await org.assignments.unassign(operator, ada.positionId)
    await agency.gates.approve(operator, { target: run.id })
    await agency.settled(run)
    const { attempts } = await agency.inspect(run)
    expect(await seatOf(agency, attempts[0]!)).toBeNull()
  })

  it('waits while an agent works for the same seat, also of another run; briefs without a seat do not wait', async () => {
    const org = await openOrg(openFresh)
    const { agency } = org
    const ada = await makeSeat(org, 'Ada')
    await org.personas.create(operator, {
      name: 'Bo',
      role: 'qa',
      type: 'agent',
      subtype: 'internal',
      canCreateChannel: false,
    })
    const briefs = ['ada', 'ada', 'bo', 'bo'].map((persona, index) => ({
      key: `b${index}`,
      objective: 'Do it',
      persona,
      evidence: [],
    }))
    const run = await agency.run({ briefs, play: [wait] })
    const other = await agency.run({ briefs: briefs.slice(0, 1), play: [wait] })
    const working = () =>
      agency.until(async () => {
        const { briefs: rows } = await agency.inspect(run)
        return rows.filter(({ status }) => status === 'working').length === 3 && rows
      })
    const rows = await working()
    expect(rows.map(({ key, status, heldBy }) => [key, status, heldBy])).toEqual([
      ['b0', 'working', null],
      ['b1', 'pending', `seat:${ada.positionId}`],
      ['b2', 'working', null],
      ['b3', 'working', null],
    ])
    expect((await agency.brief(other, 'b0')).heldBy).toBe(`seat:${ada.positionId}`)
    expect(await agency.inspect(other)).toMatchObject({
      waitsFor: `the agent that works for its seat (${ada.positionId})`,
    })
    agency.gate('work').open()
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect(await agency.settled(other)).toMatchObject({ status: 'done' })
  })

  it('never runs beside another one, with two workers and ten runs', { timeout: 60_000 }, async () => {
    const org = await openOrg(openFresh)
    const { agency: one } = org
    await makeSeat(org, 'Ada')
    const db = kind === 'postgres' ? await one.store.open() : one.store.db
    const two = await openAgency({ db, clock: one.clock, worker: 'two:1', slots: 8 })
    await two.engine.start()
    const briefs = ['a', 'b'].map((key) => ({ key, objective: 'Do it', persona: 'ada' }))
    const runs = await Promise.all(Array.from({ length: 10 }, () => one.run({ briefs })))
    await one.until(async () => {
      one.clock.advance(250)
      const ended = await Promise.all(runs.map(({ id }) => one.runs.show(id)))
      return ended.every(({ endedAt }) => endedAt !== null)
    })
    let atWork = 0
    for (const { kind: event } of await movesOf(one, runs)) {
      if (event === 'assigned') expect((atWork += 1)).toBe(1)
      else atWork -= 1
    }
    expect(atWork).toBe(0)
    const attempts = (await Promise.all(runs.map((run) => one.inspect(run)))).flatMap((each) => each.attempts)
    expect(attempts).toHaveLength(20)
    if (kind === 'postgres') expect(new Set(attempts.map(({ worker }) => worker)).size).toBe(2)
  })

  const step = (positionId: number): NewBrief => ({
    key: 'sky',
    kind: 'plan',
    phase: 'paint',
    title: 'Paint',
    objective: 'Paint',
    part: 'picture',
    cast: { tier: 'painter', domain: null, wanted: null },
    positionId,
    retryBudget: 1,
    data: {},
  })

  const add = (agency: TestAgency, run: { id: string }, positionId: number): Promise<void> =>
    changeRun(agency, run, (scope) =>
      addBriefs({ ...scope, playbook: { ...scope.playbook, briefData: z.looseObject({}) } }, [step(positionId)]),
    )

  it('that a playbook makes is done by the holder of the seat', async () => {
    const org = await openOrg(openFresh)
    const { agency } = org
    const run = await agency.run({ play: [[{ hang: {} }]] })
    const ada = await makeSeat(org, 'Ada')
    await add(agency, run, ada.positionId)
    expect(await agency.brief(run, 'sky')).toMatchObject(ada)
    await agency.runs.cancel(operator, run.id, undefined)
  })

  it('is refused by name while the seat is vacant, unknown, or of another organisation', async () => {
    const org = await openOrg(openFresh)
    const { agency } = org
    const run = await agency.run({ play: [[{ hang: {} }]] })
    const ada = await makeSeat(org, 'Ada')
    await org.assignments.unassign(operator, ada.positionId)
    await expect(add(agency, run, ada.positionId)).rejects.toMatchObject({
      code: 'conflict',
      message: `seat ${ada.positionId} (Seat of Ada) is vacant`,
      hint: `Assign somebody: agency org assign --position-id ${ada.positionId} --persona-slug SLUG`,
    })
    await org.organisations.create(operator, { name: 'Elsewhere', purpose: 'trial', description: '' })
    const bo = await makeSeat(org, 'Bo', 'Elsewhere')
    for (const unknown of [bo.positionId, 999])
      await expect(add(agency, run, unknown)).rejects.toMatchObject({
        code: 'not_found',
        message: expect.stringContaining(String(unknown)),
      })
    await agency.runs.cancel(operator, run.id, undefined)
  })
})

/** Returns the events by which briefs came to an agent and left it, in their order. */
async function movesOf({ events }: Pick<TestAgency, 'events'>, runs: readonly { id: string }[]) {
  const all = (await Promise.all(runs.map(events))).flat()
  const moves = all.filter(({ kind }) => kind === 'assigned' || kind === 'ready_for_verification')
  return moves.sort((a, b) => a.position - b.position)
}
