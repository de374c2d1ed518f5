import { describe, expect, it } from 'vitest'

import {
  type AgencyOptions,
  openAgency,
  startAgency,
  type StartRun,
  type TestAgency,
  work,
} from '../../../test/support/agency.ts'
import { describeStores, freshSqlite, type OpenFresh } from '../../../test/support/store.ts'
import { createPlayedRepositories } from '../../../test/support/tiered/repositories.ts'
import { operator } from '../../../test/support/work.ts'
import { playbooks } from '../../compose.ts'
import { applyDecisions } from '../../engine/outcome/decide.ts'
import { systemIds } from '../../kernel/ids.ts'
import { createMemoryWorkspaces } from '../../workspaces/memory.ts'
import type { CommandLimits, CommandResult, Workspaces } from '../../workspaces/port.ts'
import type { Attempt } from '../attempts/contract.ts'
import { findAttempt } from '../attempts/store.ts'
import { findBrief } from '../briefs/store.ts'
import type { Run } from '../runs/contract.ts'
import { openScope } from '../scope.ts'
import { type CheckTrouble, holdForChecks } from './ask.ts'

const evidence = [{ kind: 'command' as const, run: 'npm test' }]
const defaults = { onLimit: 'ask' } as const
const path = '/shop'
const text = 'The check cannot run in a fresh checkout: `npm ci` fails on main as well (E401).'

/** Workspaces with commands that last until the test lets them pass, and from then on end at once. */
function slowCommands() {
  const memory = createMemoryWorkspaces()
  const passing = Promise.withResolvers<CommandResult>()
  const passed = {
    exitCode: 0,
    signal: null,
    timedOut: false,
    output: '',
    outputSha256: '',
    durationMs: 0,
    boxed: true,
  }
  const run = async (_: string, { signal }: CommandLimits): Promise<CommandResult> => {
    const ended = Promise.withResolvers<CommandResult>()
    signal?.addEventListener('abort', () => ended.resolve({ ...passed, exitCode: null, signal: 'SIGTERM' }))
    return Promise.race([passing.promise, ended.promise])
  }
  const workspaces: Workspaces = {
    ...memory,
    checkout: async (request) => ({ ...(await memory.checkout(request)), boxed: true, run }),
  }
  return { workspaces, pass: () => passing.resolve(passed) }
}

async function start(openFresh: OpenFresh, options: AgencyOptions = {}) {
  const slow = slowCommands()
  const repositories = createPlayedRepositories()
  const agency = await startAgency(openFresh, { workspaces: slow.workspaces, repositories, defaults, ...options })
  return { agency, slow, repositories }
}

const run = (agency: TestAgency, more: StartRun = {}): Promise<Run> =>
  agency.run({ repo: path, evidence, play: [work], ...more })

const checks = { place: 'checkout', setup: null, paths: [], host: null } as const
const trouble: CheckTrouble = { repository: path, what: '`npm ci` fails on main as well', detail: 'E401', checks }

/** Holds an attempt as an examination with this trouble would; resolves to the attempt. */
async function meetTrouble(
  agency: TestAgency,
  of: Run,
  { key = 'main', ...more }: Partial<CheckTrouble> & { key?: string } = {},
): Promise<Attempt> {
  const examining = await agency.until(async () => {
    const { briefs, attempts } = await agency.inspect(of)
    const brief = briefs.find((each) => each.key === key)
    return attempts.find(({ id, status }) => id === brief?.attemptId && status === 'examining')
  })
  const held = await agency.db.write([`run:${of.id}`], async (tx) => {
    const scope = await openScope({ ids: systemIds, playbooks, decide: applyDecisions }, tx, of.id)
    const attempt = await findAttempt(tx, examining.id)
    const brief = await findBrief(tx, examining.briefId)
    if (scope === null || attempt === undefined || brief === undefined) throw new Error('it is there')
    await holdForChecks(scope, brief, attempt, { ...trouble, ...more })
    return (await findAttempt(tx, attempt.id)) as Attempt
  })
  // The examination itself would have ended with that.
  agency.engine.interrupt([examining.id])
  return held
}

const questionsOf = async (agency: TestAgency) => (await agency.questions.list({ limit: 10 })).questions

describeStores('work that no fresh checkout can check', (openFresh) => {
  it('is held by one question for its repository, in every run, and continues after the answer', async () => {
    const { agency, slow } = await start(openFresh)
    const first = await run(agency, { briefs: ['a', 'b'].map((key) => ({ key, objective: 'Do it' })) })
    const second = await run(agency)
    expect(await meetTrouble(agency, first, { key: 'a' })).toMatchObject({ status: 'reported', heldBy: 'checks:/shop' })
    await meetTrouble(agency, first, { key: 'b' })
    await meetTrouble(agency, second)
    expect(await agency.brief(first, 'b')).toMatchObject({ status: 'blocked', heldBy: 'checks:/shop' })
    expect(await agency.brief(second)).toMatchObject({ status: 'blocked', heldBy: 'checks:/shop' })
    const [question, ...others] = await questionsOf(agency)
    expect(others).toEqual([])
    expect(question).toMatchObject({ class: 'checks', text, runId: first.id, askedBy: 'checks:/shop' })
    expect(question?.options.map(({ key }) => key)).toEqual(['setup', 'workspace', 'retry', 'agent', 'abandon'])
    expect(await agency.repositorySettings.show(path)).toMatchObject({ questionId: question?.id })

    slow.pass()
    await agency.questions.answer(operator, question?.id as string, ' make deps ')
    expect(await agency.repositorySettings.show(path)).toMatchObject({
      checks: 'checkout',
      setup: 'make deps',
      updatedBy: 'operator',
      questionId: null,
    })
    for (const each of [first, second])
      await agency.until(async () => (await agency.gates.ofRun(each.id)).gates.some(({ gate }) => gate === 'merge'))
    const { attempts, briefs } = await agency.inspect(first)
    expect(attempts).toMatchObject([
      { outcome: 'ok', heldBy: null },
      { outcome: 'ok', heldBy: null },
    ])
    expect(briefs).toMatchObject([
      { status: 'verified', heldBy: null },
      { status: 'verified', heldBy: null },
    ])
    expect((await agency.inspect(second)).attempts).toHaveLength(1)
    const unblocked = (await agency.events(second)).filter(({ kind }) => kind === 'unblocked')
    expect(unblocked.map(({ data }) => [data['from'], data['to']])).toEqual([['blocked', 'working']])
  })

  it('is given up with its run, and other runs ask again', async () => {
    const { agency } = await start(openFresh)
    const first = await run(agency)
    const second = await run(agency)
    await meetTrouble(agency, first)
    await meetTrouble(agency, second)
    const [question] = await questionsOf(agency)
    await agency.questions.answer(operator, question?.id as string, 'Give up')
    expect(await agency.settled(first)).toMatchObject({ status: 'failed' })
    expect((await agency.inspect(first)).attempts).toMatchObject([{ status: 'ended', outcome: 'interrupted' }])
    await meetTrouble(agency, second)
    expect(await questionsOf(agency)).toMatchObject([{ runId: second.id, class: 'checks' }])
    expect((await agency.repositorySettings.list()).repositories).toMatchObject([{ path, updatedAt: null }])
  })

  it('does not wait for a question that is withdrawn with its run', async () => {
    const { agency, slow } = await start(openFresh)
    const first = await run(agency)
    const second = await run(agency)
    await meetTrouble(agency, first)
    await meetTrouble(agency, second)
    await agency.runs.cancel(operator, first.id, undefined)
    expect((await agency.inspect(first)).attempts).toMatchObject([{ status: 'ended', heldBy: null }])
    slow.pass()
    await agency.until(async () => (await agency.gates.ofRun(second.id)).gates.some(({ gate }) => gate === 'merge'))
    expect((await agency.inspect(second)).attempts).toHaveLength(1)
  })

  it('continues after the settings of its repository are changed, and its question is withdrawn', async () => {
    const { agency, slow } = await start(openFresh)
    const started = await run(agency)
    await meetTrouble(agency, started)
    slow.pass()
    await agency.repositorySettings.set(operator, { path, checks: 'workspace' })
    await agency.until(async () => (await agency.gates.ofRun(started.id)).gates.some(({ gate }) => gate === 'merge'))
    expect((await agency.inspect(started)).questions).toMatchObject([{ status: 'withdrawn' }])
    expect((await agency.inspect(started)).run.questionsOpen).toBe(0)
  })

  it('continues in other runs after a daemon that died right after the answer', async () => {
    let agency: TestAgency | null = null
    const {
      agency: before,
      slow,
      repositories,
    } = await start(openFresh, {
      chaosPoint: (point) => point === 'question.answered' && agency?.die(),
    })
    agency = before
    const first = await run(before)
    const second = await run(before)
    await meetTrouble(before, first)
    await meetTrouble(before, second)
    const [question] = await questionsOf(before)
    void before.questions.answer(operator, question?.id as string, 'workspace')
    await before.passed('question.answered')
    const after = await openAgency({
      db: before.store.db,
      clock: before.clock,
      workspaces: slow.workspaces,
      repositories,
      worker: 'test:2',
      defaults,
    })
    slow.pass()
    await after.engine.start()
    // The claim of the dead worker on the job expires.
    await after.pass(200_000)
    for (const each of [first, second])
      await after.until(async () => (await after.gates.ofRun(each.id)).gates.some(({ gate }) => gate === 'merge'))
    expect((await after.inspect(second)).attempts).toHaveLength(1)
  })
})

describe('work that no fresh checkout can check', () => {
  it('is checked again without a question if the settings have changed meanwhile', async () => {
    const { agency } = await start(freshSqlite)
    const started = await run(agency)
    await agency.until(async () => (await agency.inspect(started)).attempts[0]?.status === 'examining')
    await agency.repositorySettings.set(operator, { path, setup: 'make deps' })
    expect(await meetTrouble(agency, started)).toMatchObject({ status: 'reported', heldBy: null })
    expect(await questionsOf(agency)).toEqual([])
    expect(await agency.brief(started)).toMatchObject({ status: 'working' })
  })

  it('fails its run without a question if the operator is not to be asked', async () => {
    const { agency } = await start(freshSqlite)
    const started = await run(agency, { onLimit: 'fail' })
    await meetTrouble(agency, started)
    expect(await agency.settled(started)).toMatchObject({ status: 'failed' })
    expect(await agency.brief(started)).toMatchObject({ status: 'failed', failure: text })
    expect((await agency.inspect(started)).questions).toEqual([])
    expect((await agency.inspect(started)).attempts).toMatchObject([{ status: 'ended', outcome: 'interrupted' }])
  })

  it('is checked with the answered command also in a run that began with another', async () => {
    const { agency, slow } = await start(freshSqlite)
    const started = await run(agency, { setup: 'make old' })
    await meetTrouble(agency, started, { checks: { ...checks, setup: 'make old' } })
    const [question] = await questionsOf(agency)
    slow.pass()
    await agency.questions.answer(operator, question?.id as string, 'make new')
    expect((await agency.runs.show(started.id)).configuration.setup).toBe('make new')
  })

  it('is checked again as it is after “retry”', async () => {
    const { agency } = await start(freshSqlite)
    const started = await run(agency, { setup: 'make old' })
    await meetTrouble(agency, started, { checks: { ...checks, setup: 'make old' } })
    const [question] = await questionsOf(agency)
    await agency.questions.answer(operator, question?.id as string, 'retry')
    await agency.until(async () => (await agency.inspect(started)).attempts[0]?.status === 'examining')
    expect((await agency.runs.show(started.id)).configuration.setup).toBe('make old')
    expect((await agency.repositorySettings.list()).repositories).toEqual([])
  })

  it.each([
    ['setup', 'the setup command is missing'],
    ['Give a setup command', 'the setup command is missing'],
    ['x'.repeat(4_001), 'the setup command'],
    [`TOKEN=ghp_${'x1Y2'.repeat(9)} npm ci`, 'the setup command contains a secret'],
  ])('does not continue after an answer that is no command', async (answer, message) => {
    const { agency } = await start(freshSqlite)
    await meetTrouble(agency, await run(agency))
    const [question] = await questionsOf(agency)
    await expect(agency.questions.answer(operator, question?.id as string, answer)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(message),
    })
    expect(await questionsOf(agency)).toMatchObject([{ id: question?.id, answeredAt: null }])
  })
})
