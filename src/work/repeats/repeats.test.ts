// @suite process

import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import { openAgency, startAgency, type StartRun, type TestAgency } from '../../../test/support/agency.ts'
import { makeRepository, openRepositories, type TestRepository } from '../../../test/support/repository.ts'
import { describeStores, type FreshStore } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { Run } from '../runs/contract.ts'
import type { RepeatView } from './contract.ts'
import { checkoutName, checkoutsDirectory } from '../../workspaces/checkout.ts'

const writes = (path: string, text: string): StepInput[] => [
  { write: { path, text } },
  { report: { summary: `wrote ${path}`, outputs: [path] } },
]

/** A flag of the world outside of any checkout: evidence that depends on it stops holding when it is removed. */
function makeFlag(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agency-flag-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const flag = join(folder, 'flag')
  writeFileSync(flag, '')
  return flag
}

const play = (...attempts: StepInput[][]) => ({ scenario: { attempts } })

async function runToEnd(
  agency: TestAgency,
  repository: TestRepository,
  evidence: NonNullable<StartRun['evidence']>,
): Promise<Run> {
  const run = await agency.run({
    goal: 'Add a number',
    repo: repository.path,
    briefs: [
      { key: 'a', objective: 'Write a', evidence, runtimeOptions: play(writes('a.n', '1\n')) },
      {
        key: 'b',
        objective: 'Write b',
        after: ['a'],
        evidence: [{ kind: 'file', path: 'b.n' }, { kind: 'artifact' }],
        runtimeOptions: play(writes('b.n', '2\n')),
      },
    ],
  })
  await agency.until(async () =>
    (await agency.gates.ofRun(run.id)).gates.find(({ gate, status }) => gate === 'merge' && status === 'pending'),
  )
  await agency.gates.approve(operator, { target: run.id, gate: 'merge' })
  return agency.settled(run)
}

const ended = (agency: TestAgency, run: Run): Promise<RepeatView> =>
  agency.until(async () => {
    const shown = await agency.repeats.show(run.id, 'latest')
    return shown.endedAt === null ? null : shown
  })

const sum = { kind: 'command', run: 'cat a.n' } as const

async function open(options: Parameters<typeof openAgency>[0] = {}) {
  const repository = makeRepository()
  const { repositories, workspaces, root } = openRepositories()
  const agency = await openAgency({ repositories, workspaces, ...options })
  await agency.engine.start()
  return { repository, agency, root }
}

describeStores('a repeated proof', (openFresh) => {
  it('checks all evidence on the merged commit and changes nothing of the run', async () => {
    const repository = makeRepository()
    const { repositories, workspaces, root } = openRepositories()
    const agency = await startAgency(openFresh, { repositories, workspaces })
    const run = await runToEnd(agency, repository, [sum])
    const merged = repository.git('rev-parse', 'main')
    const asked = await agency.repeats.start(operator, run.id, false)
    expect(asked).toMatchObject({ subject: 'merged', commitId: merged, branchCommit: merged, inBranch: true })
    const shown = await ended(agency, run)
    expect(shown).toMatchObject({ status: 'passed', checkedIn: 'checkout', total: 2, requestedBy: 'operator' })
    expect(shown.detail).toBe(
      `evidence 2/2 holds on ${merged.slice(0, 12)} (checked in a fresh checkout, commands not boxed)`,
    )
    expect(shown.findings).toMatchObject([
      { briefs: ['b'], passed: true, before: true },
      { briefs: ['a'], passed: true, before: true, output: '1\n', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ])
    expect(shown.notRepeated).toMatchObject([{ evidence: { kind: 'artifact' }, briefs: ['b'] }])
    expect(await agency.runs.show(run.id)).toEqual(run)
    expect(existsSync(join(root, 'workspaces', checkoutsDirectory, checkoutName(shown.id)))).toBe(false)
    const kinds = (await agency.events(run)).map(({ kind }) => kind)
    expect(kinds.slice(-2)).toEqual(['repeat_started', 'repeat_ended'])
  })

  it.each(['repeat.begun', 'repeat.checked'] as const)('is taken up again after a kill at %s', async (point) => {
    const repository = makeRepository()
    const { repositories, workspaces } = openRepositories()
    const agency: TestAgency & { store: FreshStore } = await startAgency(openFresh, {
      repositories,
      workspaces,
      mayLogErrors: true,
      chaosPoint: (reached) => {
        if (reached !== point) return
        agency.die()
        throw new Error('killed')
      },
    })
    const run = await runToEnd(agency, repository, [sum])
    await agency.repeats.start(operator, run.id, false)
    await agency.passed(point)
    const next = await openAgency({
      db: await agency.store.open(),
      clock: agency.clock,
      repositories,
      workspaces,
      worker: 'test:2',
    })
    await next.engine.start()
    expect(await ended(next, run)).toMatchObject({ status: 'passed', total: 2 })
    const kinds = (await next.events(run)).map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind.startsWith('repeat_'))).toEqual(['repeat_started', 'repeat_ended'])
  })
})

describe('a repeated proof', () => {
  it('says which evidence no longer holds, and can be repeated again', async () => {
    const flag = makeFlag()
    const { repository, agency } = await open()
    const run = await runToEnd(agency, repository, [sum, { kind: 'command', run: `echo looked; test -f ${flag}` }])
    rmSync(flag)
    await agency.repeats.start(operator, run.id, false)
    const failed = await ended(agency, run)
    expect(failed).toMatchObject({ status: 'failed' })
    expect(failed.findings.map(({ passed, before }) => [passed, before])).toEqual([
      [true, true],
      [true, true],
      [false, true],
    ])
    expect(failed.detail).toContain('evidence 2/3 holds')
    expect(await agency.runs.show(run.id)).toMatchObject({ status: 'done' })
    writeFileSync(flag, '')
    await agency.repeats.start(operator, run.id, false)
    expect(await ended(agency, run)).toMatchObject({ status: 'passed' })
  })

  it('checks the merged commit also when its branch has moved, and the branch itself on request', async () => {
    const { repository, agency } = await open()
    const run = await runToEnd(agency, repository, [{ kind: 'command', run: 'test "$(cat a.n)" = 1' }])
    const merged = repository.git('rev-parse', 'main')
    repository.write('a.n', '9\n')
    const moved = repository.commit('Change a')
    const asked = await agency.repeats.start(operator, run.id, false)
    expect(asked).toMatchObject({ subject: 'merged', commitId: merged, branchCommit: moved, inBranch: true })
    expect(await ended(agency, run)).toMatchObject({ status: 'passed' })
    const now = await agency.repeats.start(operator, run.id, true)
    expect(now).toMatchObject({ subject: 'branch', commitId: moved, branchCommit: moved })
    expect(await ended(agency, run)).toMatchObject({ status: 'failed' })
  })

  it('checks a merged commit that its branch has dropped, and says that the branch lacks it', async () => {
    const { repository, agency } = await open()
    const run = await runToEnd(agency, repository, [sum])
    repository.git('reset', '--quiet', '--hard', run.repository?.base as string)
    expect(await agency.repeats.start(operator, run.id, false)).toMatchObject({ subject: 'merged', inBranch: false })
    expect(await ended(agency, run)).toMatchObject({ status: 'passed' })
  })

  it('checks the result of a run that is not merged yet', async () => {
    const { repository, agency } = await open()
    const run = await agency.run({ repo: repository.path, evidence: [sum], play: [writes('a.n', '1\n')] })
    await agency.until(async () => (await agency.runs.show(run.id)).gatesPending > 0)
    const { head } = await agency.runs.show(run.id)
    expect(await agency.repeats.start(operator, run.id, false)).toMatchObject({ subject: 'result', commitId: head })
    expect(await ended(agency, run)).toMatchObject({ status: 'passed' })
    expect((await agency.runs.show(run.id)).gatesPending).toBe(1)
  })

  it('is refused while another one is under way, which can be followed or cancelled', async () => {
    const flag = makeFlag()
    const { repository, agency } = await open()
    const wait = { kind: 'command', run: `while test ! -f ${flag}; do sleep 0.05; done` } as const
    const run = await runToEnd(agency, repository, [wait])
    rmSync(flag)
    const first = await agency.repeats.start(operator, run.id, false)
    await agency.passed('repeat.begun')
    await expect(agency.repeats.start(operator, run.id, false)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(`the evidence of ${run.id} is being checked already`),
      hint: expect.stringContaining(`agency prove ${run.id} --follow`),
    })
    await agency.repeats.cancel(operator, run.id, 'latest')
    expect(await agency.repeats.show(run.id, first.id)).toMatchObject({
      status: 'cancelled',
      detail: 'cancelled by operator',
    })
    await expect(agency.repeats.cancel(operator, run.id, 'latest')).rejects.toMatchObject({
      code: 'illegal_transition',
    })
    writeFileSync(flag, '')
    const second = await agency.repeats.start(operator, run.id, false)
    expect(await ended(agency, run)).toMatchObject({ id: second.id, status: 'passed' })
  })

  it('that cannot be made says why, and not that the evidence failed', async () => {
    const { repository, agency } = await open()
    const run = await runToEnd(agency, repository, [sum])
    await agency.repositorySettings.set(operator, { path: repository.path, setup: 'echo no registry; exit 4' })
    await agency.repeats.start(operator, run.id, false)
    await agency.passed('repeat.begun')
    await agency.pass(60_000)
    const shown = await ended(agency, run)
    expect(shown).toMatchObject({ status: 'unchecked', findings: [] })
    expect(shown.detail).toContain(
      'the evidence could not be checked again: the setup "echo no registry; exit 4" failed',
    )
  })
})

describe('a proof cannot be repeated', () => {
  it('without a repository', async () => {
    const agency = await openAgency()
    await agency.engine.start()
    const run = await agency.settled(await agency.run({}))
    await expect(agency.repeats.start(operator, run.id, false)).rejects.toMatchObject({
      code: 'invalid_input',
      message: `run ${run.id} has no repository, so what it delivered is not kept as a commit`,
      hint: expect.stringContaining(`agency proof ${run.id}`),
    })
    await expect(agency.repeats.show(run.id, 'latest')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('without evidence that the merged result could show', async () => {
    const { repository, agency } = await open()
    const run = await agency.run({
      repo: repository.path,
      evidence: [{ kind: 'artifact' }],
      play: [writes('a.n', '1\n')],
    })
    await agency.until(async () => (await agency.runs.show(run.id)).gatesPending > 0)
    await expect(agency.repeats.start(operator, run.id, false)).rejects.toMatchObject({
      message: `no finished brief of ${run.id} has evidence that can be checked again`,
    })
  })

  it('once its repository is gone, or its branch', async () => {
    const { repository, agency } = await open()
    const run = await runToEnd(agency, repository, [sum])
    repository.git('branch', '-m', 'main', 'trunk')
    await expect(agency.repeats.start(operator, run.id, false)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining(`${run.id} cannot be proven again: `),
    })
    const elsewhere = `${repository.path}-moved`
    renameSync(repository.path, elsewhere)
    onTestFinished(() => rmSync(elsewhere, { recursive: true, force: true }))
    await expect(agency.repeats.start(operator, run.id, false)).rejects.toMatchObject({
      message: expect.stringContaining(`${run.id} cannot be proven again: `),
      hint: expect.any(String),
    })
    renameSync(elsewhere, repository.path)
    repository.git('branch', '-m', 'trunk', 'main')
    await agency.repeats.start(operator, run.id, false)
    expect(await ended(agency, run)).toMatchObject({ status: 'passed' })
  })

  it('on a commit that exists nowhere any more; on its branch it can', async () => {
    const { repository, agency, root } = await open()
    const run = await runToEnd(agency, repository, [sum])
    repository.git('checkout', '--quiet', '--orphan', 'fresh')
    const now = repository.commit('Begin again')
    repository.git('branch', '-M', 'fresh', 'main')
    repository.git('reflog', 'expire', '--expire=now', '--all')
    repository.git('gc', '--quiet', '--prune=now')
    rmSync(join(root, 'mirrors'), { recursive: true, force: true })
    await expect(agency.repeats.start(operator, run.id, false)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringMatching(/^commit \w{12} of run_\w+ exists no longer in /),
      hint: expect.stringContaining('--head'),
    })
    expect(await agency.repeats.start(operator, run.id, true)).toMatchObject({ subject: 'branch', commitId: now })
    expect(await ended(agency, run)).toMatchObject({ status: 'passed' })
  })

  it('in the agents’ workspaces, which an ended run no longer has', async () => {
    const { repository, agency } = await open()
    const run = await runToEnd(agency, repository, [sum])
    await agency.repositorySettings.set(operator, { path: repository.path, checks: 'workspace' })
    await expect(agency.repeats.start(operator, run.id, false)).rejects.toMatchObject({
      code: 'conflict',
      hint: `Check it in fresh checkouts: agency repo set ${repository.path} --checks checkout`,
    })
  })
})
