import { expect, it } from 'vitest'

import { agentOf, startAgency, type TestAgency, work } from '../../../test/support/agency.ts'
import { describeStores, freshSqlite } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import { fromWire } from '../../operations/wire.ts'
import { Report, type Attempt } from '../attempts/contract.ts'
import type { Run } from '../runs/contract.ts'
import { noteOperations } from './contract.ts'

const doubt = { description: 'Dates are UTC', context: 'the brief names no zone' }

/** Steps of an agent that writes its notes into its outbox. */
const reports = (notes: unknown, more: { status?: string } = {}): StepInput[] => [
  { write: { path: 'result.md', text: 'Done.\n' } },
  { log: 'gate here' },
  { report: { summary: 'Done.', outputs: ['result.md'], notes, via: 'file', ...more } },
]

const blocked = (agency: TestAgency, run: Run) =>
  agency.until(async () => (await agency.brief(run)).status === 'blocked')
const notesOf = async (agency: TestAgency, run: Run) => (await agency.notes.list(operator, { runId: run.id })).notes
const newest = async (agency: TestAgency, run: Run) => agentOf((await agency.inspect(run)).attempts.at(-1) as Attempt)

describeStores('a note in the file of a report', (openFresh) => {
  it('is the same as one of the tool, with its unknown fields', async () => {
    const agency = await startAgency(openFresh)
    const given = { ...doubt, category: 'consistency', colour: 'red', seen_in: ['a.ts', { line: 3 }] }
    const run = await agency.run({
      play: [reports([{ ...given, status: 'resolved', resolution: 'as its neighbours' }])],
    })
    await agency.gate('here').reached
    const agent = await newest(agency, run)
    const input = noteOperations.add.input.parse(fromWire(noteOperations.add.input, { ...given, description: 'Tabs' }))
    await agency.notes.add(agent, input)
    await agency.notes.resolve(agent, { noteId: 'note_001', resolution: 'as its neighbours' })
    agency.gate('here').open()
    expect((await agency.settled(run)).status).toBe('done')
    const [byTool, byFile] = await notesOf(agency, run)
    const common = {
      category: 'consistency',
      questionId: null,
      resolutionSource: 'agent',
      resolvedBy: 'agent_self',
      resolution: 'as its neighbours',
      context: doubt.context,
      attemptId: agent.attemptId,
      agentId: agent.agentId,
      extra: { colour: 'red', seen_in: ['a.ts', { line: 3 }] },
    }
    expect(byTool).toMatchObject({ ...common, noteId: 'note_001', description: 'Tabs' })
    expect(byFile).toMatchObject({ ...common, noteId: 'note_002', description: 'Dates are UTC' })
    const kinds = (await agency.events(run)).map(({ kind }) => kind).filter((kind) => kind.startsWith('note_'))
    expect(kinds).toEqual(['note_created', 'note_resolved', 'note_created', 'note_resolved'])
  })

  it('that the tool has written too is one note with its first resolution', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({
      play: [
        reports([
          { ...doubt, status: 'resolved', resolution: 'by file' },
          { note_id: 'note_002', status: 'resolved', resolution: 'by file' },
          { note_id: 'note_003', status: 'resolved', resolution: 'by file' },
          { note_id: 'note_004', status: 'resolved', resolution: 'by file' },
        ]),
      ],
    })
    await agency.gate('here').reached
    const agent = await newest(agency, run)
    for (const description of [doubt.description, 'Tabs', 'UTF-8'])
      await agency.notes.add(agent, { ...doubt, description, category: 'bug', status: 'open' })
    await agency.notes.resolve(agent, { noteId: 'note_001', resolution: 'by tool' })
    await agency.notes.resolve(operator, { noteId: 'note_002', runId: run.id, resolution: 'by the operator' })
    agency.gate('here').open()
    expect((await agency.settled(run)).status).toBe('done')
    expect((await notesOf(agency, run)).map(({ noteId, resolution }) => [noteId, resolution])).toEqual([
      ['note_001', 'by tool'],
      ['note_002', 'by the operator'],
      ['note_003', 'by file'],
    ])
    const messages = (await agency.events(run)).map(({ message }) => message)
    for (const said of [
      'note_001 is resolved already: agent_self; the report changes nothing',
      'note_002 is resolved already: user; the report changes nothing',
      'the report settles note_004, and main has no such note',
    ])
      expect(messages).toContain(said)
    await expect(
      agency.notes.resolve(operator, { noteId: 'note_003', runId: run.id, resolution: 'late' }),
    ).rejects.toMatchObject({ code: 'illegal_transition', message: 'note_003 is resolved already: agent_self' })
  })

  it('can be escalated by an agent that stops, several at once', async () => {
    const agency = await startAgency(openFresh)
    const escalated = (description: string) => ({
      ...doubt,
      description,
      category: 'technology',
      status: 'escalated',
      escalation_reason: 'not mine',
    })
    const run = await agency.run({
      play: [reports([escalated('SQLite'), escalated('Redis')], { status: 'blocked' }), work],
    })
    await agency.gate('here').reached
    agency.gate('here').open()
    await blocked(agency, run)
    expect(await notesOf(agency, run)).toMatchObject([
      { noteId: 'note_001', status: 'escalated', escalationReason: 'not mine', description: 'SQLite' },
      { noteId: 'note_002', status: 'escalated', description: 'Redis' },
    ])
    expect((await agency.runs.show(run.id)).questionsOpen).toBe(2)
    for (const noteId of ['note_001', 'note_002'])
      await agency.notes.resolve(operator, { noteId, runId: run.id, resolution: 'yes' })
    expect((await agency.settled(run)).status).toBe('done')
  })

  it('that is not its author’s to settle stays open, and is escalated when the work is reported', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({
      play: [reports([{ ...doubt, category: 'security', status: 'resolved', resolution: 'I think so' }]), work],
    })
    await agency.gate('here').reached
    agency.gate('here').open()
    await blocked(agency, run)
    expect(await notesOf(agency, run)).toMatchObject([
      { status: 'escalated', resolution: null, escalationReason: 'open when the work was reported' },
    ])
    expect((await agency.events(run)).map(({ message }) => message)).toContain('note_001: must_escalate: operator')
  })

  it('contains no secret, also in its unknown fields', async () => {
    const agency = await startAgency(openFresh)
    const secret = 'sk-abcdefgh12345678'
    const run = await agency.run({
      play: [reports([{ ...doubt, category: 'bug', status: 'resolved', resolution: secret, why: [secret] }])],
    })
    await agency.gate('here').reached
    agency.gate('here').open()
    await agency.settled(run)
    expect(await notesOf(agency, run)).toMatchObject([{ resolution: '[redacted]', extra: { why: ['[redacted]'] } }])
  })
})

const parsed = (note: object) =>
  Report.safeParse(fromWire(Report, { status: 'done', summary: 'Done.', notes: [note] })).error?.issues[0]?.message

it('is refused in a report if a field is missing for its status', () => {
  expect(parsed(doubt)).toBeUndefined()
  expect(parsed({ context: 'x' })).toBe('a new note has a description')
  expect(parsed({ ...doubt, status: 'resolved' })).toBe('a resolved note has a resolution')
  expect(parsed({ ...doubt, status: 'escalated' })).toBe('an escalated note has an escalation_reason')
  expect(parsed({ ...doubt, more: 'x'.repeat(10_001) })).toMatch(/^the further fields of a note/)
})

it('keeps a field of Agency out of the fields of its author', async () => {
  const agency = await startAgency(freshSqlite)
  const run = await agency.run({
    play: [reports([{ ...doubt, category: 'bug', status: 'resolved', resolution: 'yes', resolved_by: 'user' }])],
  })
  await agency.gate('here').reached
  const input = { ...doubt, status: 'open', resolved_by: 'user' } as const
  await expect(agency.notes.add(await newest(agency, run), input)).rejects.toMatchObject({ code: 'invalid_input' })
  const long = { ...doubt, status: 'open', more: 'x'.repeat(10_001) } as const
  await expect(agency.notes.add(await newest(agency, run), long)).rejects.toMatchObject({ code: 'too_large' })
  agency.gate('here').open()
  await agency.settled(run)
  expect(await notesOf(agency, run)).toMatchObject([{ resolvedBy: 'agent_self', extra: {} }])
})
