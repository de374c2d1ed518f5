import { expect, it } from 'vitest'

import {
  openAgency,
  startAgency,
  startRun,
  type StartRun,
  type TestAgency,
  work,
} from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { Runtime } from '../../adapters/runtime/port.ts'
import { createScriptedRuntime } from '../../adapters/runtime/scripted/runtime.ts'
import type { Db } from '../../db/port.ts'
import { sqlOf } from '../../db/tx.ts'
import { create } from '../../events/change.ts'
import { type IdNoun, type Ids, systemIds } from '../../kernel/ids.ts'
import { findOrganisation, organisations } from '../../org/organisations/store.ts'
import { CreateMission } from '../missions/contract.ts'

const hang = [[{ hang: {} }]]

/** Returns a scripted runtime with another name that does not count as simulated. */
const playedAs = (name: string, more: Partial<Runtime> = {}): Runtime => {
  const scripted = createScriptedRuntime({ host: 'in-process' })
  return { ...scripted, name, capabilities: { ...scripted.capabilities, simulated: false }, ...more }
}

const addOrganisation = (db: Db, id: number): Promise<void> =>
  db.write([`org:${id}`], async (tx) => {
    const first = await findOrganisation(tx, 1)
    if (first === undefined) throw new Error('not seeded')
    const row = { ...first, id, name: 'Other', slug: `other-${id}` }
    await create(tx, organisations, row, { kind: 'org_changed', by: 'operator', message: 'Organisation Other created' })
  })

/** Expects a refusal without any write: no event, no row, no stream. */
async function expectRefusal(agency: TestAgency, input: StartRun, expected: object): Promise<void> {
  const count = () =>
    agency.db.read((tx) =>
      sqlOf(tx).all('SELECT (SELECT COUNT(*) FROM events) AS e, (SELECT COUNT(*) FROM streams) AS s'),
    )
  const before = await count()
  await expect(agency.run(input)).rejects.toMatchObject(expected)
  expect(await count()).toEqual(before)
}

describeStores('a run', (openFresh) => {
  it('takes its mission from the backlog to done, and each status has its time', async () => {
    const agency = await startAgency(openFresh)
    const mission = await agency.missions.create(operator, CreateMission.parse({ title: 'A poem' }))
    agency.clock.advance(1_000)
    const started = await agency.run({ missionId: mission.id.slice(0, 8), play: [[{ log: 'gate work' }, ...work]] })
    expect(started).toMatchObject({ missionId: mission.id, status: 'running', organisationId: 1 })
    await agency.gate('work').reached
    agency.clock.advance(1_000)
    agency.gate('work').open()
    const run = await agency.settled(started)
    expect(await agency.missions.show(mission.id)).toMatchObject({
      status: 'done',
      outcomeSummary: '1 brief done, evidence checked',
      passed: [
        { status: 'backlog', at: '2030-01-01T00:00:00.000Z' },
        { status: 'planning', at: '2030-01-01T00:00:01.000Z' },
        { status: 'assigned', at: '2030-01-01T00:00:01.000Z' },
        { status: 'in_progress', at: '2030-01-01T00:00:01.000Z' },
        { status: 'review', at: '2030-01-01T00:00:02.000Z' },
        { status: 'done', at: '2030-01-01T00:00:02.000Z' },
      ],
    })
    expect(run).toMatchObject({ startedAt: '2030-01-01T00:00:01.000Z', endedAt: '2030-01-01T00:00:02.000Z' })
  })

  it('without a mission creates one from its goal', async () => {
    const agency = await openAgency({ db: (await openFresh()).db })
    const goal = `${'Write '.repeat(50)}\nSecond line`
    const run = await agency.run({ goal })
    const mission = await agency.missions.show(run.missionId)
    expect(mission).toMatchObject({ description: goal, status: 'in_progress', playbook: 'direct', priority: 'medium' })
    expect(mission.title).toHaveLength(200)
    expect(run.goalAnchor).toBe(goal)
    expect(await agency.brief(run)).toMatchObject({ objective: goal, evidence: [{ kind: 'artifact' }] })
  })

  it('cannot use a mission that is active or has ended', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ play: hang })
    await expect(agency.run({ missionId: run.missionId })).rejects.toMatchObject({
      code: 'illegal_transition',
      message: 'a mission cannot go from in_progress to planning',
    })
    await agency.runs.cancel(operator, run.id, undefined)
    await expect(agency.run({ missionId: run.missionId })).rejects.toMatchObject({ code: 'illegal_transition' })
    expect((await agency.runs.list({ limit: 10 })).runs).toHaveLength(1)
  })

  it('records whether it is simulated', async () => {
    const agency = await openAgency({ db: (await openFresh()).db, runtimes: [playedAs('real')] })
    const brief = { key: 'a', objective: 'Do it' }
    expect(await agency.run()).toMatchObject({ simulated: true })
    expect(await agency.run({ runtime: 'real' })).toMatchObject({ simulated: false })
    expect(await agency.run({ runtime: 'real', briefs: [brief] })).toMatchObject({ simulated: false })
    const mixed = [brief, { key: 'b', objective: 'Play it', runtime: 'scripted' }]
    expect(await agency.run({ runtime: 'real', briefs: mixed })).toMatchObject({ simulated: true })
  })

  it('is refused with the field of options that its runtime cannot use', async () => {
    const agency = await openAgency({ db: (await openFresh()).db })
    const issues = [{ path: 'runtime_options', message: expect.stringMatching(/scenario/) as unknown }]
    await expectRefusal(
      agency,
      { runtimeOptions: { scenario: 'none-such' } },
      { code: 'invalid_input', data: { issues } },
    )
  })

  it('follows the first playbook if none is named, and is refused with an unknown one', async () => {
    const agency = await openAgency({ db: (await openFresh()).db })
    expect(await agency.run({ playbook: undefined })).toMatchObject({ playbook: 'direct' })
    const unknown = { code: 'invalid_input', message: 'unknown playbook "diret"; available: direct, tiered' }
    await expectRefusal(agency, { playbook: 'diret' }, unknown)
    const mission = { title: 'Later', description: '', organisationId: 1, priority: 'medium', acceptance: '' } as const
    const rest = { tags: [], contextNotes: '', deliverables: [] }
    expect(await agency.missions.create(operator, { ...mission, ...rest })).toMatchObject({ playbook: 'direct' })
    await expect(agency.missions.create(operator, { ...mission, ...rest, playbook: 'diret' })).rejects.toMatchObject(
      unknown,
    )
  })

  it('is refused without a named runtime: a simulation is never chosen', async () => {
    const agency = await openAgency({ db: (await openFresh()).db, runtime: null })
    await expectRefusal(
      agency,
      {},
      {
        code: 'no_runtime',
        hint: expect.stringContaining('--runtime scripted') as never,
        data: { runtimes: ['scripted'] },
      },
    )
    expect(await agency.run({ runtime: 'scripted' })).toMatchObject({ status: 'running' })
  })

  it('needs no runtime of its own if each of its briefs names one', async () => {
    const agency = await openAgency({
      db: (await openFresh()).db,
      runtime: null,
      runtimes: [playedAs('program')],
    })
    const brief = (key: string, runtime?: string) => ({ key, objective: 'Do it', ...(runtime && { runtime }) })
    const run = await agency.run({ briefs: [brief('a', 'scripted'), brief('b', 'program')] })
    expect(run.configuration.runtime).toBe('program')
    await expectRefusal(agency, { briefs: [brief('a', 'program'), brief('b')] }, { code: 'no_runtime' })
    await expectRefusal(agency, { briefs: [brief('a', 'program')], planner: true }, { code: 'no_runtime' })
  })

  it('uses an installed coding agent if no runtime is named, and otherwise names the one to install', async () => {
    const missing = { ok: false, reason: 'its program is missing', install: 'Install it.' } as const
    const coding = (name: string, more: Partial<Runtime> = {}): Runtime => {
      const played = playedAs(name, more)
      return { ...played, capabilities: { ...played.capabilities, provider: 'somebody' } }
    }
    const absent = coding('absent', { available: async () => missing })
    const installed = [playedAs('program'), absent, coding('one'), coding('another')]
    const agency = await openAgency({ db: (await openFresh()).db, runtime: null, runtimes: installed })
    expect((await agency.run()).configuration.runtime).toBe('one')
    const without = await openAgency({ db: (await openFresh()).db, runtime: null, runtimes: [absent] })
    await expectRefusal(
      without,
      {},
      { code: 'no_runtime', hint: expect.stringContaining('absent: its program is missing (Install it.)') as never },
    )
  })

  it('is refused with a runtime that is unknown, unavailable, or incapable', async () => {
    const missing = { ok: false, reason: 'its program is missing', install: 'Install it.' } as const
    const agency = await openAgency({
      db: (await openFresh()).db,
      runtimes: [playedAs('absent', { available: async () => missing })],
    })
    const brief = { key: 'a', objective: 'Do it' }
    const unknown = {
      code: 'invalid_input',
      message: 'there is no runtime "ghost"',
      hint: 'There are: scripted, absent.',
    }
    const absent = {
      code: 'no_runtime',
      message: 'the runtime "absent" cannot run here: its program is missing',
      hint: 'Install it.',
    }
    await expectRefusal(agency, { runtime: 'ghost' }, unknown)
    await expectRefusal(agency, { briefs: [{ ...brief, runtime: 'ghost' }] }, unknown)
    await expectRefusal(agency, { runtime: 'absent' }, absent)
    await expectRefusal(agency, { briefs: [{ ...brief, runtime: 'absent' }] }, absent)
    const nonsense = { scenario: { steps: [{ dance: {} }] } }
    await expectRefusal(agency, { runtimeOptions: nonsense }, { code: 'invalid_input' })
    await expectRefusal(agency, { briefs: [{ ...brief, runtimeOptions: nonsense }] }, { code: 'invalid_input' })
    expect((await agency.runs.list({ limit: 10 })).runs).toEqual([])
  })

  it('is refused for a missing organisation, and for a missing mission or one of another organisation', async () => {
    const agency = await openAgency({ db: (await openFresh()).db })
    await addOrganisation(agency.db, 2)
    const mission = await agency.missions.create(operator, CreateMission.parse({ title: 'Theirs', organisationId: 2 }))
    await expectRefusal(
      agency,
      { organisationId: 99 },
      {
        code: 'not_found',
        message: 'no organisation "99"',
      },
    )
    await expectRefusal(agency, { missionId: 'mis_nothing' }, { code: 'not_found' })
    await expectRefusal(
      agency,
      { missionId: mission.id },
      {
        code: 'invalid_input',
        message: `mission ${mission.id} belongs to organisation 2`,
        hint: 'Start it with --org 2.',
      },
    )
    expect(await agency.missions.show(mission.id)).toEqual(mission)
    expect(await agency.run({ missionId: mission.id, organisationId: 2 })).toMatchObject({ organisationId: 2 })
  })

  it('is found by its id, by a unique prefix, and without the type prefix', async () => {
    const names = ['run_aaaa00000001', 'run_aaaa00000002', 'run_ab0000000003']
    const ids: Ids = {
      next: (noun: IdNoun) => (noun === 'run' ? names.shift() : systemIds.next(noun)) as never,
    }
    const agency = await openAgency({ db: (await openFresh()).db, ids })
    for (let count = 0; count < 3; count++) await agency.run()
    for (const prefix of ['run_aaaa00000001', 'aaaa00000001', 'run_aaaa00000001'])
      expect(await agency.runs.resolve(prefix)).toBe('run_aaaa00000001')
    for (const prefix of ['run_ab', 'ab', 'ab0000000003'])
      expect((await agency.runs.show(prefix)).id).toBe('run_ab0000000003')
    for (const prefix of ['aaaa', 'run_a', 'a'])
      await expect(agency.runs.show(prefix)).rejects.toMatchObject({
        code: 'invalid_input',
        message: `"${prefix}" is the beginning of several runs`,
      })
    for (const prefix of ['', 'run_', 'zz', 'mis_aaaa', '%', 'AB'])
      await expect(agency.runs.show(prefix), prefix).rejects.toMatchObject({ code: 'not_found' })
    await expect(agency.runs.cancel(operator, 'aaaa', undefined)).rejects.toMatchObject({ code: 'invalid_input' })
    expect(await agency.runs.cancel(operator, 'ab', undefined)).toMatchObject({ id: 'run_ab0000000003' })
  })

  it('is listed newest first, with the number of runs per state', async () => {
    const agency = await startAgency(openFresh)
    const done = await agency.settled(await agency.run())
    agency.clock.advance(1_000)
    const under = await agency.run({ play: hang })
    await agency.until(async () => (await agency.inspect(under)).waitsFor === null)
    const all = await agency.runs.list({ limit: 10 })
    expect(all.runs.map((run) => run.id)).toEqual([under.id, done.id])
    expect(all.counts).toEqual({ done: 1, running: 1 })
    expect(all.runs[0]).not.toHaveProperty('configuration')
    expect((await agency.runs.list({ limit: 10, state: 'done' })).runs.map((run) => run.id)).toEqual([done.id])
    expect(await agency.runs.list({ limit: 10, organisationId: 1 })).toEqual(all)
    expect(await agency.runs.list({ limit: 10, organisationId: 2 })).toEqual({ runs: [], counts: {} })
    expect((await agency.runs.list({ limit: 1 })).runs.map((run) => run.id)).toEqual([under.id])
    expect((await agency.runs.list({ limit: 1, before: under.id })).runs.map((run) => run.id)).toEqual([done.id])
  })

  it('is on exactly one page of the list, also if several started at the same moment', async () => {
    const agency = await startAgency(openFresh)
    const started = []
    for (let at = 0; at < 5; at++) {
      if (at === 4) agency.clock.advance(1)
      started.push((await agency.run({ play: hang })).id)
    }
    const listed: string[] = []
    for (let before: string | undefined; ;) {
      const { runs } = await agency.runs.list({ limit: 2, before })
      if (runs.length === 0) break
      listed.push(...runs.map((run) => run.id))
      before = runs.at(-1)?.id
    }
    expect(listed[0]).toBe(started.at(-1))
    expect(listed.toSorted()).toEqual(started.toSorted())
    await expect(agency.runs.list({ limit: 2, before: 'run_zzzzzzzzzzzz' })).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  it('is inspected with the requested number of newest events', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.settled(await agency.run())
    const all = await agency.events(run)
    expect((await agency.runs.inspect(run.id, 1_000)).events).toEqual(all)
    expect((await agency.runs.inspect(run.id, 3)).events).toEqual(all.slice(-3))
    expect((await agency.runs.inspect(run.id, 0)).events).toEqual([])
  })

  it('takes unset values from the configuration', async () => {
    const agency = await openAgency({ db: (await openFresh()).db })
    expect((await agency.run()).configuration).toMatchObject({
      runtime: 'scripted',
      idleMinutes: 30,
      hardMinutes: 240,
      crashRetries: 3,
      retryBudget: 3,
    })
    const own = { idleMinutes: null, hardMinutes: 5, crashRetries: 0, retryBudget: 7 }
    expect((await agency.runs.create(operator, startRun(own))).configuration).toMatchObject(own)
  })
})
