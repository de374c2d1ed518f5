import { expect, it } from 'vitest'

import { agentOf, startAgency, type StartRun, type TestAgency, work } from '../../../test/support/agency.ts'
import { describeStores, type OpenFresh } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { AgentActor } from '../../kernel/actor.ts'
import type { Attempt } from '../attempts/contract.ts'
import type { Run } from '../runs/contract.ts'
import { noteCategories, noteOperations, ownCategories } from './contract.ts'

const atGate = [{ log: 'gate here' }, ...work]

/** Starts a run with an agent that waits at its gate while the test acts in its name. */
async function atWork(
  openFresh: OpenFresh,
  input: StartRun = {},
): Promise<{ agency: TestAgency; run: Run; agent: AgentActor }> {
  const agency = await startAgency(openFresh)
  const run = await agency.run({ play: [atGate, work], ...input })
  await agency.gate('here').reached
  await agency.passed('attempt.started')
  return { agency, run, agent: await newestAgent(agency, run) }
}

const newestAgent = async (agency: TestAgency, run: Run): Promise<AgentActor> =>
  agentOf((await agency.inspect(run)).attempts.at(-1) as Attempt)

const doubt = { description: 'Dates are UTC', context: 'the brief names no zone', status: 'open' } as const
const blocked = (agency: TestAgency, run: Run) =>
  agency.until(async () => (await agency.brief(run)).status === 'blocked')

describeStores('a note', (openFresh) => {
  it('is numbered in its run and settled by its author if allowed, and its brief is then done', async () => {
    const { agency, run, agent } = await atWork(openFresh)
    const first = await agency.notes.add(agent, { ...doubt, category: 'implementation' })
    agency.clock.advance(1_000)
    const second = await agency.notes.add(agent, doubt)
    expect([first.noteId, second.noteId]).toEqual(['note_001', 'note_002'])
    expect(first).toMatchObject({
      ...doubt,
      runId: run.id,
      briefId: agent.briefId,
      attemptId: agent.attemptId,
      agentId: agent.agentId,
      category: 'implementation',
      resolution: null,
      resolvedBy: null,
      resolutionSource: null,
      resolutionTimestamp: null,
      escalationReason: null,
      questionId: null,
    })
    expect(first.timestamp < second.timestamp).toBe(true)
    expect(await agency.notes.resolve(agent, { noteId: 'note_001', resolution: 'as its neighbours' })).toMatchObject({
      status: 'resolved',
      resolution: 'as its neighbours',
      resolvedBy: 'agent_self',
      resolutionSource: 'agent',
      resolutionTimestamp: agency.clock.at(),
    })
    await agency.notes.resolve(agent, {
      noteId: 'note_002',
      resolution: 'said so in the text',
      category: 'documentation',
    })
    expect((await agency.notes.list(agent, {})).notes.map((note) => [note.noteId, note.category])).toEqual([
      ['note_001', 'implementation'],
      ['note_002', 'documentation'],
    ])
    agency.gate('here').open()
    expect(await agency.settled(run)).toMatchObject({ status: 'done', notesTotal: 2, questionsOpen: 0 })
    expect((await agency.inspect(run)).attempts).toHaveLength(1)
    const kinds = (await agency.events(run)).map((event) => [event.kind, event.by])
    expect(kinds.filter(([kind]) => kind?.startsWith('note_'))).toEqual([
      ['note_created', `agent:${agent.agentId}`],
      ['note_created', `agent:${agent.agentId}`],
      ['note_resolved', `agent:${agent.agentId}`],
      ['note_resolved', `agent:${agent.agentId}`],
    ])
  })

  it('that its author leaves open sends the work back, and the next attempt gets it', async () => {
    const { agency, run, agent } = await atWork(openFresh, { play: [atGate, [{ log: 'gate again' }, ...work]] })
    await agency.notes.add(agent, { ...doubt, category: 'bug' })
    agency.gate('here').open()
    await agency.gate('again').reached
    const brief = await agency.brief(run)
    expect(brief).toMatchObject({
      retriesUsed: 1,
      corrections: [{ evidence: 'note_001', detail: 'settle it before you report: Dates are UTC' }],
    })
    const next = await newestAgent(agency, run)
    expect(agency.prompts.get(next.attemptId)).toContain(
      '## Notes so far\n\n- note_001 (bug): Dates are UTC\n  open: resolve or escalate it before you report\n',
    )
    await agency.notes.resolve(next, { noteId: 'note_001', resolution: 'fixed' })
    agency.gate('again').open()
    expect((await agency.settled(run)).status).toBe('done')
  })

  it.each([
    ['has no category', undefined, 'conflict', /^category required/],
    ['is about technology', 'technology', 'forbidden', /^must_escalate: operator$/],
    ['is about architecture', 'architecture', 'forbidden', /^must_escalate/],
    ['is about security', 'security', 'forbidden', /^must_escalate/],
    ['is about requirements', 'requirements', 'forbidden', /^must_escalate/],
    ['is about a conflict', 'conflict', 'forbidden', /^must_escalate/],
  ] as const)(
    'that %s cannot be settled by an agent, and is escalated when the work is reported',
    async (_, category, code, message) => {
      const { agency, run, agent } = await atWork(openFresh)
      await agency.notes.add(agent, { ...doubt, category })
      const settling = { noteId: 'note_001', resolution: 'I think so' }
      await expect(agency.notes.resolve(agent, settling)).rejects.toMatchObject({
        code,
        message: expect.stringMatching(message) as never,
      })
      if (category !== undefined) {
        // Another category does not let the agent settle the note.
        const renamed = { ...settling, category: 'bug' } as const
        await expect(agency.notes.resolve(agent, renamed)).rejects.toMatchObject({ code: 'forbidden' })
      }
      agency.gate('here').open()
      await blocked(agency, run)
      expect((await agency.notes.list(operator, { runId: run.id })).notes).toMatchObject([
        {
          status: 'escalated',
          escalationReason: 'open when the work was reported',
          questionId: expect.any(String) as never,
        },
      ])
      expect((await agency.runs.show(run.id)).questionsOpen).toBe(1)
      expect((await agency.events(run)).map((event) => event.kind)).not.toContain('ready_for_verification')
    },
  )

  it('without a category can be given one by the agent later', async () => {
    const { agency, agent } = await atWork(openFresh)
    await agency.notes.add(agent, doubt)
    for (const category of noteCategories.filter((each) => !ownCategories.includes(each)))
      await expect(
        agency.notes.resolve(agent, { noteId: 'note_001', resolution: 'x', category }),
      ).rejects.toMatchObject({ code: 'forbidden' })
    expect(await agency.notes.resolve(agent, { noteId: 'NOTE_1', resolution: 'x', category: 'bug' })).toMatchObject({
      category: 'bug',
      status: 'resolved',
    })
  })

  it('answered before its agent ends blocks nothing', async () => {
    const { agency, run, agent } = await atWork(openFresh)
    await agency.notes.add(agent, { ...doubt, category: 'requirements' })
    const escalated = await agency.notes.escalate(agent, { noteId: 'note_001', reason: 'legal asked for local time' })
    expect(escalated).toMatchObject({ status: 'escalated', escalationReason: 'legal asked for local time' })
    expect((await agency.runs.show(run.id)).questionsOpen).toBe(1)
    const answered = await agency.notes.resolve(operator, {
      noteId: 'note_001',
      runId: run.id,
      resolution: 'UTC it is',
    })
    expect(answered).toMatchObject({
      status: 'resolved',
      resolution: 'UTC it is',
      resolvedBy: 'user',
      resolutionSource: 'operator',
      questionId: escalated.questionId,
    })
    expect(await agency.notes.show(agent, { noteId: 'note_001' })).toMatchObject({ resolution: 'UTC it is' })
    agency.gate('here').open()
    expect(await agency.settled(run)).toMatchObject({ status: 'done', questionsOpen: 0 })
    expect((await agency.inspect(run)).attempts).toHaveLength(1)
  })

  it('that waits for its answer blocks the brief until all are answered; the brief then restarts with them', async () => {
    const { agency, run, agent } = await atWork(openFresh, { play: [atGate, [{ log: 'gate again' }, ...work]] })
    for (const category of ['requirements', 'technology', 'security'] as const) {
      const { noteId } = await agency.notes.add(agent, { ...doubt, description: `About ${category}`, category })
      await agency.notes.escalate(agent, { noteId, reason: 'not mine' })
    }
    const answer = (noteId: string) =>
      agency.notes.resolve(operator, { noteId, runId: run.id, resolution: `yes, ${noteId}` })
    await answer('note_001')
    agency.gate('here').open()
    await blocked(agency, run)
    await answer('note_002')
    expect((await agency.brief(run)).status).toBe('blocked')
    await answer('note_003')
    await agency.gate('again').reached
    const prompt = agency.prompts.get((await newestAgent(agency, run)).attemptId)
    for (const text of ['About requirements\n  operator: yes, note_001', 'About technology\n  operator: yes, note_002'])
      expect(prompt).toContain(text)
    expect(await agency.brief(run)).toMatchObject({
      retriesUsed: 0,
      guidance: [{ answer: 'yes, note_001', by: 'operator' }, { answer: 'yes, note_002' }, { answer: 'yes, note_003' }],
    })
    agency.gate('again').open()
    expect((await agency.settled(run)).status).toBe('done')
  })

  it('leads to one question if its agent also reports blocked over it', async () => {
    const stuck = [{ log: 'gate here' }, { report: { status: 'blocked', summary: 'I wait for note_001' } }]
    const { agency, run, agent } = await atWork(openFresh, { play: [stuck, work] })
    await agency.notes.add(agent, { ...doubt, category: 'security' })
    await agency.notes.escalate(agent, { noteId: 'note_001', reason: 'not mine' })
    agency.gate('here').open()
    await blocked(agency, run)
    expect((await agency.runs.show(run.id)).questionsOpen).toBe(1)
    await agency.notes.resolve(operator, { noteId: 'note_001', runId: run.id, resolution: 'It is safe' })
    expect((await agency.settled(run)).status).toBe('done')
  })

  it('answered with "abandon" while its agent works fails the brief when the agent ends, independent of its report', async () => {
    const { agency, run, agent } = await atWork(openFresh)
    await agency.notes.add(agent, { ...doubt, category: 'security' })
    await agency.notes.escalate(agent, { noteId: 'note_001', reason: 'not mine' })
    await agency.notes.resolve(operator, { noteId: 'note_001', runId: run.id, resolution: 'abandon' })
    expect((await agency.brief(run)).status).toBe('working')
    agency.gate('here').open()
    expect(await agency.settled(run)).toMatchObject({ status: 'failed', briefsFailed: 1, briefsDone: 0 })
    expect(await agency.brief(run)).toMatchObject({ status: 'failed', failure: 'abandoned by the operator' })
  })

  it('neither prevents the question about a failed brief nor restarts it', async () => {
    const crash = [{ log: 'gate here' }, { crash: {} }]
    const { agency, run, agent } = await atWork(openFresh, { play: [crash, work], crashRetries: 0, onLimit: 'ask' })
    await agency.notes.add(agent, { ...doubt, category: 'security' })
    await agency.notes.escalate(agent, { noteId: 'note_001', reason: 'not mine' })
    agency.gate('here').open()
    await agency.until(async () => (await agency.runs.show(run.id)).questionsOpen === 2)
    await agency.notes.resolve(operator, { noteId: 'note_001', runId: run.id, resolution: 'fine' })
    expect(await agency.brief(run)).toMatchObject({ status: 'failed', guidance: [] })
    expect((await agency.runs.show(run.id)).questionsOpen).toBe(1)
  })

  it('is settled once', async () => {
    const { agency, run, agent } = await atWork(openFresh)
    await agency.notes.add(agent, { ...doubt, category: 'bug' })
    const byOperator = { noteId: 'note_001', runId: run.id }
    const settled = await Promise.allSettled([
      agency.notes.resolve(agent, { noteId: 'note_001', resolution: 'mine' }),
      agency.notes.resolve(operator, { ...byOperator, resolution: 'theirs' }),
    ])
    expect(settled.map((each) => each.status).sort()).toEqual(['fulfilled', 'rejected'])
    const again = { code: 'illegal_transition', message: expect.stringContaining('resolved already') as never }
    await expect(agency.notes.resolve(operator, { ...byOperator, resolution: 'x' })).rejects.toMatchObject(again)
    await expect(agency.notes.escalate(agent, { noteId: 'note_001', reason: 'x' })).rejects.toMatchObject(again)
    await agency.notes.add(agent, doubt)
    await agency.notes.escalate(agent, { noteId: 'note_002', reason: 'x', category: 'conflict' })
    await expect(agency.notes.escalate(agent, { noteId: 'note_002', reason: 'x' })).rejects.toMatchObject({
      code: 'illegal_transition',
      message: 'note_002 is escalated already',
    })
    await expect(
      agency.notes.resolve(agent, { noteId: 'note_002', resolution: 'x', category: 'bug' }),
    ).rejects.toMatchObject({
      code: 'illegal_transition',
      message: 'note_002 is escalated and waits for an answer from above',
    })
    expect(await agency.notes.show(operator, { ...byOperator, noteId: 'note_002' })).toMatchObject({
      category: 'conflict',
    })
  })

  it('can be written only while an agent works on its brief', async () => {
    const { agency, run, agent } = await atWork(openFresh, {
      briefs: [
        { key: 'first', objective: 'One' },
        { key: 'second', objective: 'Two', after: ['first'] },
      ],
    })
    const place = { ...doubt, runId: run.id }
    const refusal = { code: 'illegal_transition' }
    await expect(agency.notes.add(operator, { ...place, briefId: 'second' })).rejects.toMatchObject({
      ...refusal,
      message: 'notes only in working or completion_drive_review; second is pending',
    })
    expect(await agency.notes.add(operator, { ...place, briefId: 'first' })).toMatchObject({
      noteId: 'note_001',
      attemptId: null,
      agentId: null,
    })
    await agency.notes.resolve(operator, { runId: run.id, noteId: 'note_001', resolution: 'it is so' })
    agency.gate('here').open()
    await agency.settled(run)
    await expect(agency.notes.add(operator, { ...place, briefId: 'first' })).rejects.toMatchObject({
      ...refusal,
      message: 'notes only in working or completion_drive_review; first is done',
    })
    await expect(agency.notes.add(agent, doubt)).rejects.toMatchObject({ code: 'stale_fence' })
  })

  it('can be written by an agent only about its own brief, run and fence', async () => {
    const agency = await startAgency(openFresh)
    const briefs = [
      { key: 'one', objective: 'One' },
      { key: 'two', objective: 'Two' },
    ]
    const run = await agency.run({ briefs, play: [atGate] })
    const other = await agency.run({ play: [atGate] })
    await agency.passed('attempt.started', 3)
    const [one, two] = (await agency.inspect(run)).attempts.map((attempt) => agentOf(attempt)) as [
      AgentActor,
      AgentActor,
    ]
    const [stranger] = (await agency.inspect(other)).attempts.map((attempt) => agentOf(attempt)) as [AgentActor]
    await agency.notes.add(one, { ...doubt, category: 'bug' })
    await expect(agency.notes.add(two, { ...doubt, briefId: 'one' })).rejects.toMatchObject({ code: 'forbidden' })
    const settling = { noteId: 'note_001', resolution: 'x', reason: 'x' }
    await expect(agency.notes.resolve(two, settling)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(agency.notes.escalate(two, settling)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(agency.notes.show(stranger, { noteId: 'note_001' })).rejects.toMatchObject({ code: 'not_found' })
    await expect(agency.notes.show(stranger, { noteId: 'note_001', runId: run.id })).rejects.toMatchObject({
      code: 'not_found',
      message: `no run "${run.id}"`,
    })
    await expect(agency.notes.list(stranger, { briefId: one.briefId })).rejects.toMatchObject({ code: 'not_found' })
    const stale = { ...one, fence: 7 } as AgentActor
    for (const late of [
      () => agency.notes.add(stale, doubt),
      () => agency.notes.resolve(stale, settling),
      () => agency.notes.escalate(stale, settling),
    ])
      await expect(late()).rejects.toMatchObject({ code: 'stale_fence' })
    // An agent may read the notes of other briefs of its run.
    expect((await agency.notes.list(two, {})).notes).toEqual([])
    expect((await agency.notes.list(two, { briefId: 'one' })).notes).toHaveLength(1)
    expect((await agency.notes.list(two, { runId: run.id })).notes).toHaveLength(1)
    expect((await agency.notes.list(operator, { runId: run.id.slice(0, 9), status: 'resolved' })).notes).toEqual([])
    await expect(agency.notes.list(operator, {})).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(agency.notes.add(operator, { ...doubt, runId: run.id })).rejects.toMatchObject({
      code: 'invalid_input',
    })
  })

  it('is created from a report’s assumptions, once per assumption', async () => {
    const assuming = [
      { write: { path: 'result.md', text: 'Done.\n' } },
      {
        report: {
          status: 'done',
          summary: 'Done.',
          outputs: ['result.md'],
          assumptions: ['Dates are UTC', { text: 'Tabs, as elsewhere', category: 'consistency' }],
        },
      },
    ]
    const agency = await startAgency(openFresh)
    const run = await agency.run({ play: [assuming, [{ log: 'gate again' }, ...assuming]] })
    await blocked(agency, run)
    expect((await agency.notes.list(operator, { runId: run.id })).notes).toMatchObject([
      { noteId: 'note_001', status: 'escalated', description: 'Dates are UTC', category: null },
      { noteId: 'note_002', status: 'open', description: 'Tabs, as elsewhere', category: 'consistency' },
    ])
    await agency.notes.resolve(operator, { noteId: 'note_001', runId: run.id, resolution: 'confirm' })
    await agency.gate('again').reached
    await agency.notes.resolve(await newestAgent(agency, run), { noteId: 'note_002', resolution: 'tabs' })
    agency.gate('again').open()
    expect(await agency.settled(run)).toMatchObject({ status: 'done', notesTotal: 2 })
    expect(await agency.notes.show(operator, { noteId: 'note_001', runId: run.id })).toMatchObject({
      resolution: 'Confirmed',
    })
  })

  it('contains no secret', async () => {
    const { agency, agent } = await atWork(openFresh)
    const note = await agency.notes.add(agent, { ...doubt, context: 'the key is sk-abcdefgh12345678' })
    expect(note.context).toBe('the key is [redacted]')
    const settled = { noteId: note.noteId, resolution: 'used sk-abcdefgh12345678', category: 'bug' } as const
    expect((await agency.notes.resolve(agent, settled)).resolution).toBe('used [redacted]')
  })

  it('has a unique number, also when many are written at once', async () => {
    const { agency, agent } = await atWork(openFresh)
    const many = await Promise.all(Array.from({ length: 20 }, () => agency.notes.add(agent, doubt)))
    expect(many.map((note) => note.noteId).sort()).toEqual(
      Array.from({ length: 20 }, (_, index) => `note_${String(index + 1).padStart(3, '0')}`),
    )
  })
})

it('lists the known categories in its refusal', () => {
  const wrong = noteOperations.add.input.safeParse({ ...doubt, status: 'maybe', category: 'colour' })
  const said = wrong.error?.issues.map((issue) => issue.message).join('\n')
  for (const word of ['open', 'resolved', 'escalated', ...noteCategories]) expect(said).toContain(word)
  expect(noteOperations.resolve.input.safeParse({ noteId: 'note_001', resolution: ' ' }).success).toBe(false)
})
