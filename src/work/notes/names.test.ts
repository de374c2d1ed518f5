import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'

import { expect, it, onTestFinished } from 'vitest'

import { agentOf, startAgency, work } from '../../../test/support/agency.ts'
import { describeStores, type OpenFresh } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import { migrationNumbers } from '../../db/migrate.ts'
import type { AgentActor } from '../../kernel/actor.ts'

const doubt = { description: 'Dates are UTC', context: 'the brief names no zone', status: 'open' } as const

/** Starts a run of two briefs whose agents wait at their gate. */
async function twoAtWork(openFresh: OpenFresh) {
  const agency = await startAgency(openFresh)
  const briefs = [
    { key: 'one', objective: 'One' },
    { key: 'two', objective: 'Two' },
  ]
  const run = await agency.run({ briefs, play: [[{ log: 'gate here' }, ...work]] })
  await agency.passed('attempt.started', 2)
  const { attempts, briefs: rows } = await agency.inspect(run)
  const agents = rows.map(({ id }) => agentOf(attempts.find(({ briefId }) => briefId === id)!))
  return { agency, run, one: agents[0] as AgentActor, two: agents[1] as AgentActor }
}

describeStores('the name of a note', (openFresh) => {
  it('is counted within its brief, so that two briefs of a run both have a note_001', async () => {
    const { agency, run, one, two } = await twoAtWork(openFresh)
    const added = [
      await agency.notes.add(one, doubt),
      await agency.notes.add(two, doubt),
      await agency.notes.add(two, { ...doubt, description: 'Files are UTF-8' }),
      await agency.notes.add(one, { ...doubt, description: 'Lines end in LF' }),
    ]
    expect(added.map(({ noteId, briefId }) => [noteId, briefId])).toEqual([
      ['note_001', one.briefId],
      ['note_001', two.briefId],
      ['note_002', two.briefId],
      ['note_002', one.briefId],
    ])
    // The notes of a run are listed in the order in which they were written.
    expect((await agency.notes.list(operator, { runId: run.id })).notes.map(({ id }) => id)).toEqual(
      added.map(({ id }) => id),
    )
    expect(await agency.runs.show(run.id)).toMatchObject({ notesTotal: 4 })
  })

  it('means a note of its own brief to an agent, and of the brief that is named beside it', async () => {
    const { agency, run, one, two } = await twoAtWork(openFresh)
    await agency.notes.add(one, { ...doubt, description: 'Of one' })
    await agency.notes.add(two, { ...doubt, description: 'Of two' })
    const shown = async (...[by, place]: Parameters<typeof agency.notes.show>) =>
      (await agency.notes.show(by, place)).description
    expect(await shown(one, { noteId: 'note_001' })).toBe('Of one')
    expect(await shown(two, { noteId: 'note_001' })).toBe('Of two')
    expect(await shown(two, { noteId: 'note_001', briefId: 'one' })).toBe('Of one')
    expect(await shown(operator, { noteId: 'note_001', runId: run.id, briefId: 'two' })).toBe('Of two')
    expect(await shown(operator, { noteId: 'note_001', briefId: one.briefId })).toBe('Of one')
  })

  it('that several briefs have is refused with all candidates, and the id of a note needs nothing beside it', async () => {
    const { agency, run, one, two } = await twoAtWork(openFresh)
    const first = await agency.notes.add(one, { ...doubt, category: 'bug' })
    const second = await agency.notes.add(two, { ...doubt, category: 'bug' })
    const given = { noteId: 'note_001', runId: run.id }
    const refused = {
      code: 'conflict',
      message: `2 briefs have a note_001: one (${first.id}), two (${second.id})`,
      data: { candidates: [{ id: first.id, brief: 'one' }, { id: second.id }] },
    }
    await expect(agency.notes.show(operator, given)).rejects.toMatchObject(refused)
    await expect(agency.notes.resolve(operator, { ...given, resolution: 'x' })).rejects.toMatchObject(refused)
    await expect(agency.notes.escalate(operator, { ...given, reason: 'x' })).rejects.toMatchObject(refused)
    expect(await agency.notes.resolve(operator, { noteId: second.id, resolution: 'yes' })).toMatchObject({
      id: second.id,
      status: 'resolved',
    })
    expect(await agency.notes.show(operator, { noteId: first.id })).toMatchObject({ status: 'open' })
    // The id of a note of another brief is not found where a brief is named.
    const other = { noteId: second.id, briefId: 'one', runId: run.id }
    await expect(agency.notes.show(operator, other)).rejects.toMatchObject({ code: 'not_found' })
    await expect(agency.notes.resolve(one, { noteId: second.id, resolution: 'x' })).rejects.toMatchObject({
      code: 'forbidden',
    })
  })

  it('that one brief of the run has is enough, as in runs of earlier releases', async () => {
    const { agency, run, one, two } = await twoAtWork(openFresh)
    await agency.notes.add(one, doubt)
    await agency.notes.add(one, { ...doubt, description: 'Lines end in LF' })
    expect(await agency.notes.show(operator, { noteId: 'note_002', runId: run.id })).toMatchObject({
      description: 'Lines end in LF',
    })
    expect(await agency.notes.show(two, { noteId: 'note_002' })).toMatchObject({ briefId: one.briefId })
    await expect(agency.notes.show(operator, { noteId: 'note_003', runId: run.id })).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})

it('stays the same for notes of an earlier release, and the next note of their brief follows', () => {
  const folder = fileURLToPath(new URL('../../db/migrations/', import.meta.url))
  const database = new DatabaseSync(':memory:')
  onTestFinished(() => database.close())
  database.exec('PRAGMA foreign_keys = OFF')
  const apply = (numbers: readonly number[]) => {
    for (const number of numbers)
      database.exec(readFileSync(`${folder}${String(number).padStart(4, '0')}.sqlite.sql`, 'utf8'))
  }
  const numbers = migrationNumbers()
  apply(numbers.filter((number) => number < 24))
  const insert = database.prepare(
    `INSERT INTO notes (id, run_id, brief_id, number, status, description, context, extra, created_at)
     VALUES (?, 'run_1', ?, ?, 'open', 'x', 'x', '{"colour":"red"}', '2026')`,
  )
  insert.run('nte_1', 'brf_1', 1)
  insert.run('nte_2', 'brf_2', 2)
  apply(numbers.filter((number) => number >= 24))
  insert.run('nte_3', 'brf_1', 2)
  expect(() => insert.run('nte_4', 'brf_1', 2)).toThrow(/UNIQUE/)
  expect(
    database
      .prepare('SELECT id, brief_id, number, extra FROM notes ORDER BY id')
      .all()
      .map((row) => Object.values(row)),
  ).toEqual([
    ['nte_1', 'brf_1', 1, '{"colour":"red"}'],
    ['nte_2', 'brf_2', 2, '{"colour":"red"}'],
    ['nte_3', 'brf_1', 2, '{"colour":"red"}'],
  ])
})
