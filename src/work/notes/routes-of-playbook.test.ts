import { expect, it } from 'vitest'
import { z } from 'zod'

import { agentOf, openAgency, startAgency, type StartRun, type TestAgency, work } from '../../../test/support/agency.ts'
import { changeRun } from '../../../test/support/change-run.ts'
import { bundledPrompt } from '../../../test/support/prompts.ts'
import { openOrg } from '../../../test/support/org.ts'
import { describeStores } from '../../../test/support/store.ts'
import { createVirtualClock } from '../../../test/support/virtual-clock.ts'
import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import type { Decision, NewBrief, Playbook, PlaybookEvent } from '../../playbooks/contract.ts'
import { direct } from '../../playbooks/direct/decide.ts'
import type { Actor } from '../../kernel/actor.ts'
import type { Attempt } from '../attempts/contract.ts'
import { answerQuestion } from '../questions/answer.ts'
import type { Question } from '../questions/contract.ts'
import { moveUp } from '../questions/hop.ts'
import type { Run } from '../runs/contract.ts'
import { resolveNotes } from './hand-over.ts'

const Answers = z.object({ answers: z.array(z.string()) })
const Asked = z.array(z.object({ id: z.string() }))

type Handed = Extract<PlaybookEvent, { kind: 'notes_escalated' }>

/** Work whose technology and architecture a solution architect decides, in one brief for all notes of the work. */
const architect = ({ brief, notes }: Handed): NewBrief => ({
  key: `architect-${brief.attempts}`,
  kind: 'plan',
  phase: 'architect',
  title: 'Answer the notes',
  objective: `Answer ${notes.length} notes of ${brief.key}`,
  part: 'work',
  ownerId: brief.id,
  cast: { tier: 'architect', domain: null, wanted: null },
  retryBudget: 1,
  data: {},
  inputs: { questions: notes.map(({ id, description, escalationReason }) => ({ id, description, escalationReason })) },
})

const noteRoutes = {
  technology: 'solution_architect',
  architecture: 'solution_architect',
  conflict: 'escalation_resolution',
} as const

const routed = (onNotes: (event: Handed) => readonly Decision[], seen: Handed[] = []): Playbook => ({
  ...direct,
  noteRoutes,
  briefData: z.strictObject({ personality: z.null().default(null) }),
  outputs: { architect: Answers },
  needs: (view, event) =>
    event.kind === 'brief_ready' && event.brief.ownerId !== null
      ? { briefIds: [event.brief.ownerId] }
      : (direct.needs?.(view, event) ?? {}),
  decide(view, event): readonly Decision[] {
    if (event.kind === 'notes_escalated') {
      seen.push(event)
      return onNotes(event)
    }
    if (!('brief' in event) || event.brief.phase !== 'architect') return direct.decide(view, event)
    if (event.kind === 'brief_verified') return [{ kind: 'close_brief', brief: event.brief }]
    const owner = view.found.briefIds[event.brief.ownerId ?? '']
    if (event.kind !== 'brief_ready' || owner === undefined) return []
    const { answers } = Answers.parse(event.seen.report.output)
    const asked = Asked.parse(event.brief.inputs['questions'])
    const resolutions = answers.map((resolution, index) => ({ id: asked[index]?.id ?? '', resolution }))
    return [
      { kind: 'pass_brief', brief: event.brief, reason: 'answered' },
      { kind: 'resolve_notes', brief: owner, notes: resolutions, source: 'solution_architect', by: 'architect' },
    ]
  },
})
const note = (description: string, category: string, more: object = {}) => ({
  description,
  context: 'the brief does not say',
  category,
  status: 'escalated',
  escalation_reason: 'not mine',
  ...more,
})
const stops = (...notes: object[]): StepInput[] => [
  { report: { status: 'blocked', summary: 'I wait.', notes, via: 'file' } },
]
const two = stops(note('SQLite', 'technology'), note('One process', 'architecture'))

const blocked = (agency: TestAgency, run: Run) =>
  agency.until(async () => {
    const brief = await agency.brief(run, 'main')
    return brief.status === 'blocked' && brief
  })
const notesOf = async (agency: TestAgency, run: Run) => (await agency.notes.list(operator, { runId: run.id })).notes
const messagesOf = async (agency: TestAgency, run: Run) => (await agency.events(run)).map(({ message }) => message)

/** A run whose architect gives these answers to the notes that it is handed. */
const asking = (first: StepInput[], answers: string[], second: readonly StepInput[] = work): StartRun => ({
  verify: 'none',
  runtimeOptions: {
    scenario: {
      attempts: [first, second],
      phases: {
        architect: { steps: [{ log: 'gate architect' }, { report: { summary: 'Answered.', output: { answers } } }] },
      },
    },
  },
})
/** The architect has the prompt of any work. */
const promptOf: typeof bundledPrompt = (playbook) => bundledPrompt(playbook, 'work', null)
const withArchitect = (seen: Handed[] = []): Playbook =>
  routed((event) => [{ kind: 'add_briefs', briefs: [architect(event)] }], seen)
const resolve = (by: Actor, run: Run, agency: TestAgency, noteId: string, resolution: string) =>
  agency.notes.resolve(by, { noteId, runId: run.id, resolution })

describeStores('notes for which a playbook has routes', (openFresh) => {
  it('are handed over together, and their brief continues with the answers of one architect', async () => {
    const seen: Handed[] = []
    const agency = await startAgency(openFresh, { playbooks: [withArchitect(seen)], promptOf })
    const run = await agency.run(asking(two, ['PostgreSQL', 'Two processes']))
    const main = await blocked(agency, run)
    expect(seen).toHaveLength(1)
    expect(seen[0]?.notes).toMatchObject([
      { description: 'SQLite', status: 'escalated', questionId: null, handedAt: agency.clock.at() },
      { description: 'One process', status: 'escalated', questionId: null, handedAt: agency.clock.at() },
    ])
    expect((await agency.brief(run, 'architect-1')).inputs['questions']).toHaveLength(2)
    expect((await agency.runs.show(run.id)).questionsOpen).toBe(0)
    expect(agency.notices).toEqual([])
    await agency.gate('architect').reached
    agency.gate('architect').open()
    const done = await agency.until(async () => {
      const brief = await agency.brief(run, 'main')
      return brief.attempts === 2 && brief
    })
    expect(done.guidance).toEqual([
      { question: 'SQLite', answer: 'PostgreSQL', by: 'architect' },
      { question: 'One process', answer: 'Two processes', by: 'architect' },
    ])
    expect(await notesOf(agency, run)).toMatchObject(
      ['PostgreSQL', 'Two processes'].map((resolution) => ({
        status: 'resolved',
        resolution,
        resolvedBy: 'workflow_executor',
        resolutionSource: 'solution_architect',
        resolutionTimestamp: agency.clock.at(),
        questionId: null,
      })),
    )
    await agency.settled(run)
    const kinds = (await agency.events(run)).filter(({ briefId }) => briefId === main.id).map(({ kind }) => kind)
    const decisive = ['note_escalated', 'escalated', 'note_resolved', 'unblocked', 'spawned']
    expect(kinds.filter((kind) => decisive.includes(kind))).toEqual([
      'spawned',
      'note_escalated',
      'note_escalated',
      'escalated',
      'note_resolved',
      'note_resolved',
      'unblocked',
      'spawned',
    ])
    expect(await messagesOf(agency, run)).toContain('note_001 → solution_architect')
  })

  it('are the route’s to settle, and the refusal to their author names it', async () => {
    const agency = await startAgency(openFresh, { playbooks: [withArchitect()], promptOf })
    const run = await agency.run({ play: [[{ log: 'gate here' }, ...work]] })
    await agency.gate('here').reached
    const agent = agentOf((await agency.inspect(run)).attempts.at(-1) as Attempt)
    for (const [category, role] of [
      ['technology', 'solution_architect'],
      ['conflict', 'escalation_resolution'],
      ['security', 'operator'],
    ] as const) {
      const { id } = await agency.notes.add(agent, { description: category, context: 'x', category, status: 'open' })
      await expect(agency.notes.resolve(agent, { noteId: id, resolution: 'mine' })).rejects.toMatchObject({
        code: 'forbidden',
        message: `must_escalate: ${role}`,
      })
    }
    await agency.runs.cancel(operator, run.id, undefined)
  })

  it('wait together with a note that has no route, which is a question', async () => {
    const agency = await startAgency(openFresh, { playbooks: [withArchitect()], promptOf })
    const both = stops(note('SQLite', 'technology'), note('Public', 'security'))
    const run = await agency.run(asking(both, ['PostgreSQL']))
    await blocked(agency, run)
    agency.gate('architect').open()
    await agency.until(async () => (await notesOf(agency, run))[0]?.status === 'resolved')
    expect(await agency.brief(run, 'main')).toMatchObject({ status: 'blocked', attempts: 1 })
    expect((await agency.runs.show(run.id)).questionsOpen).toBe(1)
    await resolve(operator, run, agency, 'note_002', 'Private')
    await agency.until(async () => (await agency.brief(run, 'main')).attempts === 2)
    expect(await notesOf(agency, run)).toMatchObject([
      { resolutionSource: 'solution_architect', resolvedBy: 'workflow_executor' },
      { resolutionSource: 'operator', resolvedBy: 'user' },
    ])
    await agency.settled(run)
  })

  it('can be settled by the operator first: the answer of the architect changes nothing', async () => {
    const agency = await startAgency(openFresh, { playbooks: [withArchitect()], promptOf })
    const run = await agency.run(asking(two, ['PostgreSQL', 'Two processes']))
    await blocked(agency, run)
    await agency.gate('architect').reached
    expect(await resolve(operator, run, agency, 'note_001', 'SQLite it is')).toMatchObject({ resolvedBy: 'user' })
    expect(await agency.brief(run, 'main')).toMatchObject({ status: 'blocked', guidance: [{ by: 'operator' }] })
    await expect(resolve(operator, run, agency, 'note_001', 'Other')).rejects.toMatchObject({
      message: 'note_001 is resolved already: user',
    })
    agency.gate('architect').open()
    await agency.until(async () => (await agency.brief(run, 'main')).attempts === 2)
    expect((await notesOf(agency, run)).map(({ resolution }) => resolution)).toEqual(['SQLite it is', 'Two processes'])
    expect(await messagesOf(agency, run)).toContain(
      'note_001 is resolved already: user; the answer of architect changes nothing',
    )
    expect((await agency.events(run)).filter(({ kind }) => kind === 'note_resolved')).toHaveLength(2)
    await agency.settled(run)
  })

  it('are settled once when several answer at the same moment', async () => {
    const agency = await startAgency(openFresh, { playbooks: [withArchitect()], promptOf })
    const run = await agency.run(asking(stops(note('SQLite', 'technology')), ['PostgreSQL']))
    await blocked(agency, run)
    await agency.gate('architect').reached
    agency.gate('architect').open()
    const answers = await Promise.allSettled(
      ['a', 'b', 'c'].map((text) => resolve(operator, run, agency, 'note_001', text)),
    )
    expect(answers.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1)
    await agency.settled(run)
    expect((await agency.events(run)).filter(({ kind }) => kind === 'note_resolved')).toHaveLength(1)
    expect((await agency.brief(run, 'main')).guidance).toHaveLength(1)
  })

  it('are handed over with a question that their author asks too, and both are waited for', async () => {
    const seen: Handed[] = []
    const agency = await startAgency(openFresh, { playbooks: [withArchitect(seen)], promptOf })
    const asks: StepInput[] = [
      {
        report: {
          status: 'blocked',
          summary: 'I wait.',
          notes: [note('SQLite', 'technology')],
          question: { text: 'Which colour?' },
          via: 'file',
        },
      },
    ]
    const run = await agency.run({ ...asking(asks, ['PostgreSQL']), onLimit: 'ask' })
    await blocked(agency, run)
    const [question] = (await agency.questions.list({ runId: run.id, limit: 10 })).questions
    await agency.questions.answer(operator, question?.id ?? '', 'Blue')
    expect(await agency.brief(run, 'main')).toMatchObject({ status: 'blocked', attempts: 1 })
    agency.gate('architect').open()
    await agency.until(async () => (await agency.brief(run, 'main')).attempts === 2)
    expect(seen.map(({ notes }) => notes.length)).toEqual([1])
    await agency.settled(run)
  })

  it('of a playbook that does nothing wait for the operator, and the run says so', async () => {
    const agency = await startAgency(openFresh, { playbooks: [routed(() => [])] })
    const run = await agency.run(asking(two, []))
    await blocked(agency, run)
    const [first] = await notesOf(agency, run)
    expect((await agency.inspect(run)).waitsFor).toBe(
      `the authority above note_001, or you: agency note resolve ${first?.id} <answer>`,
    )
    for (const name of ['note_001', 'note_002']) await resolve(operator, run, agency, name, 'yes')
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
  })

  it('can be asked about together in one question, whose answer settles them all', async () => {
    const playbook = routed(({ brief }) => [{ kind: 'ask', brief, class: 'note', reason: 'two notes' }])
    const agency = await startAgency(openFresh, { playbooks: [playbook] })
    const run = await agency.run(asking(two, []))
    const question = await agency.until(
      async () => (await agency.questions.list({ runId: run.id, limit: 10 })).questions[0],
    )
    await agency.questions.answer(operator, question.id, 'As you say')
    expect(await agency.settled(run)).toMatchObject({ status: 'done', questionsOpen: 0 })
    expect(await notesOf(agency, run)).toMatchObject(
      [1, 2].map(() => ({ resolution: 'As you say', resolutionSource: 'operator', resolvedBy: 'user' })),
    )
  })

  it('of another brief, or of nobody, are refused, and nothing of the decision is kept', async () => {
    const agency = await startAgency(openFresh, { playbooks: [routed(() => [])] })
    const run = await agency.run(asking(two, []))
    const main = await blocked(agency, run)
    const [first] = await notesOf(agency, run)
    const notes = [first?.id ?? '', 'nte_nobody'].map((id) => ({ id, resolution: 'yes' }))
    await expect(
      changeRun(agency, run, (scope) => resolveNotes(scope, { brief: main, notes, source: 'owner', by: 'x' })),
    ).rejects.toThrow('x resolves note nte_nobody, which main does not have')
    expect((await notesOf(agency, run)).map(({ status }) => status)).toEqual(['escalated', 'escalated'])
    await agency.runs.cancel(operator, run.id, undefined)
  })

  it('are still there after a kill, and are settled by the next process', async () => {
    const clock = createVirtualClock()
    const { db } = await openFresh({ clock })
    const playbooks = [withArchitect()]
    const before = await openAgency({ db, clock, playbooks, promptOf })
    const run = await before.run(asking(two, ['PostgreSQL', 'Two processes']))
    await before.engine.start()
    await blocked(before, run)
    before.die()
    const after = await openAgency({ db, clock, playbooks, promptOf, worker: 'test:2' })
    after.gate('architect').open()
    await after.engine.start()
    await after.pass(600_000)
    await after.until(async () => (await after.brief(run, 'main')).attempts === 2)
    expect(await notesOf(after, run)).toMatchObject([{ status: 'resolved' }, { status: 'resolved' }])
    await after.settled(run)
  })
})

describeStores('the source of a resolution', (openFresh) => {
  it.each([
    ['owner', 'workflow_executor'],
    ['solution_architect', 'workflow_executor'],
    ['escalation_resolution', 'workflow_executor'],
    ['lead', 'workflow_executor'],
    ['operator', 'user'],
    ['agent', 'agent_self'],
  ] as const)('%s is kept, and is resolved by %s', async (source, resolvedBy) => {
    const agency = await startAgency(openFresh, { playbooks: [routed(() => [])] })
    const run = await agency.run(asking(stops(note('SQLite', 'technology')), []))
    const main = await blocked(agency, run)
    const notes = (await notesOf(agency, run)).map(({ id }) => ({ id, resolution: 'yes' }))
    await changeRun(agency, run, (scope) => resolveNotes(scope, { brief: main, notes, source, by: 'somebody' }))
    expect(await notesOf(agency, run)).toMatchObject([{ resolutionSource: source, resolvedBy }])
  })

  it('is the lead if the lead answers the question of a note', async () => {
    const org = await openOrg(openFresh)
    const { positionId } = await org.positions.create(operator, 'Development', {
      title: 'Head',
      role: 'architect',
      level: 1,
      reportsTo: null,
      escalatesTo: null,
      isCrossCutting: false,
    })
    await org.organisations.update(operator, 'Development', { leadPositionId: positionId })
    const run = await org.agency.run({ play: [two, work] })
    await org.agency.until(async () => (await org.agency.runs.show(run.id)).questionsOpen === 2)
    const { questions } = await org.agency.questions.list({ runId: run.id, limit: 10 })
    const rungs = [
      { kind: 'lead', name: 'lead:Head', positionId },
      { kind: 'role', name: 'solution_architect', positionId: null },
    ] as const
    for (const [index, rung] of rungs.entries())
      await changeRun(org.agency, run, async (scope) => {
        const move = { ladder: [], resolveBriefId: null, currentPositionId: rung.positionId }
        const question = await moveUp(scope, questions[index] as Question, rung, { ...move, status: 'with_lead' })
        await answerQuestion(scope, question.id, 'ada', 'yes')
      })
    expect(await notesOf(org.agency, run)).toMatchObject([
      { resolutionSource: 'lead', resolvedBy: 'workflow_executor' },
      { resolutionSource: 'solution_architect', resolvedBy: 'workflow_executor' },
    ])
  })
})
