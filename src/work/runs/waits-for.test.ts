import { expect, it } from 'vitest'

import { openAgency, startAgency, type TestAgency, work } from '../../../test/support/agency.ts'
import { changeRun } from '../../../test/support/change-run.ts'
import { slowCommands } from '../../../test/support/slow-commands.ts'
import { describeStores, freshFolder, type OpenFresh } from '../../../test/support/store.ts'
import { createVirtualClock } from '../../../test/support/virtual-clock.ts'
import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import { type CliContext, createContext } from '../../cli/context.ts'
import type { Client } from '../../client/client.ts'
import { toWire } from '../../operations/wire.ts'
import { createDirectoryWorkspaces } from '../../workspaces/directory.ts'
import { updated } from '../../events/change.ts'
import type { Brief, Hold } from '../briefs/contract.ts'
import { addHold } from '../briefs/holds.ts'
import { briefs, listBriefs } from '../briefs/store.ts'
import { openGate } from '../gates/open.ts'
import { Execute } from '../mission-workspaces/executions/contract.ts'
import { CreateMission } from '../missions/contract.ts'
import { listRuns } from './cli.ts'
import { type Run, runOperations } from './contract.ts'
import { touchRun } from './moves.ts'

const uses = (input_tokens: number): StepInput => ({ usage: { input_tokens, output_tokens: 0, model: 'any' } })

/** Returns the line in the list of runs, after a comparison with `agency inspect` and the output of `agency runs`. */
const lineOf = async (agency: TestAgency, run: { id: string }): Promise<string | null | undefined> => {
  const listed = await agency.runs.list({ limit: 10 })
  const { waitsFor } = await agency.inspect(run)
  const line = listed.runs.find(({ id }) => id === run.id)?.waitsFor
  expect(line).toBe(waitsFor)
  const printed = await printRuns(toWire(runOperations.list.output, listed))
  const start = `${run.id} waits for `
  expect(printed.filter((text) => text.startsWith(start))).toEqual(line === null ? [] : [`${start}${line ?? ''}`])
  return line
}

/** Prints an answer of the API as `agency runs` does. */
async function printRuns(answer: unknown): Promise<string[]> {
  const lines: string[] = []
  const client = { call: async () => answer } as unknown as Client
  const context: CliContext = {
    ...createContext({ AGENCY_HOME: '/nonexistent' }),
    out: (text) => void lines.push(text),
    api: () => client,
  }
  await listRuns(context, {} as never)
  return lines
}

/** Opens the product without its loop: a run stays as the test leaves it. */
async function openIdle(openFresh: OpenFresh, options: Parameters<typeof openAgency>[0] = {}): Promise<TestAgency> {
  const clock = createVirtualClock()
  const { db } = await openFresh({ clock })
  return openAgency({ db, clock, ...options })
}

const holdBrief = (agency: TestAgency, run: Run, hold: Hold): Promise<void> =>
  changeRun(agency, run, async (scope) => {
    const [brief] = await listBriefs(scope.tx, run.id)
    await touchRun(scope, {}, { kind: 'log', message: 'held' }, await addHold(scope.tx, brief as Brief, hold))
  })

describeStores('the line about a run of which nothing is at work', (openFresh) => {
  it('names the runs that have the slots, and is empty while an agent works and after the end', async () => {
    const agency = await startAgency(openFresh, { slots: 1 })
    const briefs = ['a', 'b'].map((key) => ({ key, objective: 'Do' }))
    const first = await agency.run({ briefs, play: [[{ log: 'gate go' }, ...work]] })
    await agency.passed('attempt.started')
    const second = await agency.run()
    expect(await lineOf(agency, first)).toBe(null)
    expect(await lineOf(agency, second)).toBe(`a free agent: 1 of 1 busy (${first.goalAnchor})`)
    agency.gate('go').open()
    await agency.settled(second)
    expect(await lineOf(agency, second)).toBe(null)
  })

  it('names the gate or the pause, with the command that ends it', async () => {
    const agency = await startAgency(openFresh)
    const gated = await agency.run({ planGate: true, briefs: [{ key: 'a', objective: 'Do' }] })
    const [gate] = (await agency.inspect(gated)).gates
    expect(await lineOf(agency, gated)).toBe(`your approval of ${gate?.gate}: agency approve ${gate?.id}`)
    await agency.gates.pause(operator, gated.id, undefined)
    expect(await lineOf(agency, gated)).toBe(`the end of its pause: agency resume ${gated.id}`)
  })

  it('names a question', async () => {
    const agency = await startAgency(openFresh, { defaults: { onLimit: 'ask', crashRetries: 0 } })
    const run = await agency.run({ play: [[{ exit: { code: 1 } }]] })
    const question = await agency.until(
      async () => (await agency.questions.list({ runId: run.id, limit: 1 })).questions[0],
    )
    expect(await lineOf(agency, run)).toMatch(
      new RegExp(`^your answer to ".+": agency answer ${question.id} <answer>$`, 'u'),
    )
  })

  it('names a question of another run about a budget that both use', async () => {
    const agency = await startAgency(openFresh, { defaults: { onLimit: 'ask' } })
    await agency.budgets.set(operator, { organisation: 'Development', tokens: 10 })
    const first = await agency.run({ play: [[uses(10), { hang: {} }], work] })
    const question = await agency.until(async () => (await agency.questions.list({ limit: 1 })).questions[0])
    const second = await agency.run()
    await agency.until(async () => (await agency.brief(second)).holdCount > 0)
    const text = 'The budget of organisation 1 is used up (10 tokens of 10 tokens).'
    for (const run of [first, second])
      expect(await lineOf(agency, run)).toBe(`your answer to "${text}": agency answer ${question.id} <answer>`)
  })

  it('names a gate that is not decided by the operator', async () => {
    const agency = await openIdle(openFresh)
    const run = await agency.run()
    const summary = { produced: 'Nothing agreed', next: 'Fresh squads', anomalies: [] }
    const gate = { gate: 't3_mesh_timeout', approver: 't2/api', boundary: 'part:mesh:1', summary }
    await changeRun(agency, run, (scope) => openGate(scope, gate))
    await changeRun(agency, run, (scope) => touchRun(scope, { gatesPending: 1 }, { kind: 'log', message: 'gated' }))
    expect(await lineOf(agency, run)).toBe('the decision of t2/api about t3_mesh_timeout')
  })

  it('names a stop of everything or of an organisation', async () => {
    const agency = await startAgency(openFresh)
    await agency.stops.set(operator, undefined, '')
    const run = await agency.run()
    expect(await lineOf(agency, run)).toBe('the end of a stop (all): agency resume')
    await agency.stops.set(operator, 'Development', '')
    await agency.stops.clear(operator, undefined)
    expect(await lineOf(agency, run)).toBe('the end of a stop (org:1): agency resume')
  })

  it('names the stop before the check of the merged result', async () => {
    const agency = await openIdle(openFresh)
    const run = await agency.run()
    await changeRun(agency, run, (scope) => touchRun(scope, { heldBy: 'proof' }, { kind: 'log', message: 'held' }))
    await agency.stops.set(operator, undefined, '')
    expect(await lineOf(agency, run)).toBe('the end of a stop (all): agency resume')
  })

  it('names the reason of a brief that is to resolve a failure, and that of no other after one', async () => {
    const agency = await openIdle(openFresh)
    const run = await agency.run({ briefs: ['a', 'b'].map((key) => ({ key, objective: 'Do it' })) })
    const fail = (startsAfterFailure: boolean) =>
      changeRun(agency, run, async (scope) => {
        const [first] = await listBriefs(scope.tx, run.id)
        const resolves = updated(briefs, first as Brief, { startsAfterFailure })
        await touchRun(scope, { briefsFailed: 1 }, { kind: 'log', message: 'failed' }, [resolves])
      })
    await fail(false)
    expect(await lineOf(agency, run)).toBeNull()
    await fail(true)
    expect(await lineOf(agency, run)).toMatch(/^the start of an agent: 0 of/)
    await agency.stops.set(operator, undefined, '')
    expect(await lineOf(agency, run)).toBe('the end of a stop (all): agency resume')
  })

  it('names a provider with the time at which it accepts calls again', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ play: [[{ quota: { seconds: 600, reason: 'come back later' } }], work] })
    const [hold] = await agency.until(async () => {
      const { providerHolds } = await agency.stops.list()
      return providerHolds.length > 0 && providerHolds
    })
    expect(await lineOf(agency, run)).toBe(`the provider scripted until ${hold?.until}`)
  })

  it('tells a used-up budget from one that running agents have reserved', async () => {
    const agency = await startAgency(openFresh, { slots: 2 })
    await agency.budgets.set(operator, { persona: 'system', tokens: 1 })
    const play = [[{ log: 'gate spend' }, uses(1), { log: 'gate end' }, ...work]]
    await agency.run({ play })
    await agency.passed('attempt.started')
    const waiting = await agency.run()
    expect(await lineOf(agency, waiting)).toBe(
      'running agents, which have reserved the rest of a budget (persona): agency budget list',
    )
    agency.gate('spend').open()
    await agency.until(async () => (await agency.budgets.list('persona', 1)).budgets[0]?.tokensSpent === 1)
    await agency.until(async () => (await lineOf(agency, waiting))?.startsWith('a used-up budget'))
    expect(await lineOf(agency, waiting)).toBe('a used-up budget (persona): agency budget list')
  })

  it('names the workspace and the run that works in it', async () => {
    const root = freshFolder()
    const agency = await openIdle(openFresh, {
      missionWorkspaces: { root, attempts: freshFolder(), reviewPrompt: () => '', host: 'test' },
      workspaces: createDirectoryWorkspaces({ root }),
    })
    const { id: missionId } = await agency.missions.create(operator, CreateMission.parse({ title: 'An app' }))
    const { path } = await agency.missionWorkspaces.create(operator, { missionId })
    const begin = () => agency.executions.execute(operator, Execute.parse({ missionId, prompt: 'Do it' }))
    const first = await begin()
    agency.clock.advance(1)
    const second = await begin()
    expect(await lineOf(agency, { id: second.runId })).toBe(`the workspace ${path}, in which ${first.runId} works`)
  })

  it.each([
    ['git: finished work is being merged', { kind: 'merge', subject: '' }],
    ['the checks of /shop: agency questions', { kind: 'checks', subject: '/shop' }],
    ['the failed brief brf_1', { kind: 'dependency_failed', subject: 'brf_1' }],
  ] as const)('is "%s" for a brief with this hold', async (line, hold) => {
    const agency = await openIdle(openFresh)
    const run = await agency.run()
    await holdBrief(agency, run, hold)
    expect(await lineOf(agency, run)).toBe(line)
  })

  it.each([
    ['the check of all evidence on its merged result', 'proof'],
    ['git: its result is being merged', 'landing'],
  ] as const)('is "%s" for a run that waits for its %s', async (line, heldBy) => {
    const agency = await openIdle(openFresh)
    const run = await agency.run()
    await changeRun(agency, run, (scope) => touchRun(scope, { heldBy }, { kind: 'log', message: 'held' }))
    expect(await lineOf(agency, run)).toBe(line)
  })

  it('names a run that cannot be claimed', async () => {
    const agency = await openIdle(openFresh, { mayLogErrors: true })
    const run = await agency.run()
    await changeRun(agency, run, (scope) =>
      touchRun(scope, { playbook: 'rolled-back' }, { kind: 'log', message: 'changed' }),
    )
    await agency.engine.start()
    await agency.engine.idle()
    expect(await lineOf(agency, run)).toBe(
      'Agency: its briefs could not be claimed (the daemon’s log has the reason); it is tried again soon',
    )
  })

  it('names the stop that finished work waits for before its evidence is checked', async () => {
    const slow = slowCommands()
    const agency = await startAgency(openFresh, { workspaces: slow.workspaces })
    const run = await agency.run({ evidence: [{ kind: 'command', run: 'npm test' }] })
    await slow.begun
    await agency.stops.set(operator, undefined, '')
    await agency.until(async () => (await agency.inspect(run)).attempts[0]?.status === 'reported')
    expect(await lineOf(agency, run)).toBe('the end of a stop (all): agency resume')
  })
})
