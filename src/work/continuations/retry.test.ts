// @suite process

import { rmSync } from 'node:fs'

import { describe, expect, it } from 'vitest'

import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import { type AgencyOptions, openAgency, startAgency, type TestAgency, work } from '../../../test/support/agency.ts'
import { makeRepository, openRepositories } from '../../../test/support/repository.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import { direct } from '../../playbooks/direct/decide.ts'
import type { Brief } from '../briefs/contract.ts'
import type { Run } from '../runs/contract.ts'

const writes = (path: string, text: string): StepInput[] => [
  { write: { path, text } },
  { report: { status: 'done', summary: `wrote ${path}`, outputs: [path] } },
]
const options = (play: StepInput[]) => ({ scenario: { attempts: [play] } })

/** Starts a plan of which `b` waits at a gate after `a`, and cancels it there: `a` and `c` are accepted. */
async function cancelled(agency: TestAgency, repo?: string, { isOpen = true } = {}): Promise<Run> {
  const run = await agency.run({
    goal: 'Write a book',
    ...(repo === undefined ? {} : { repo }),
    briefs: [
      {
        key: 'a',
        objective: 'first',
        after: [],
        evidence: [{ kind: 'file', path: 'a.txt' }],
        runtimeOptions: options(writes('a.txt', 'one\n')),
      },
      {
        key: 'b',
        objective: 'second',
        after: ['a'],
        evidence: [{ kind: 'file', path: 'b.txt' }],
        runtimeOptions: options([{ log: 'gate b' }, ...writes('b.txt', 'two\n')]),
      },
      {
        key: 'c',
        objective: 'third',
        after: [],
        evidence: [{ kind: 'file', path: 'c.txt' }],
        runtimeOptions: options(writes('c.txt', 'three\n')),
      },
      {
        key: 'd',
        objective: 'last',
        after: ['b'],
        evidence: [{ kind: 'file', path: 'd.txt' }],
        runtimeOptions: options(writes('d.txt', 'four\n')),
      },
    ],
  })
  await agency.gate('b').reached
  await agency.until(async () => {
    const { briefs } = await agency.inspect(run)
    return (
      briefs.filter(({ key, status }) => ['a', 'c'].includes(key) && ['verified', 'done'].includes(status)).length === 2
    )
  })
  await agency.runs.cancel(operator, run.id, undefined)
  if (isOpen) agency.gate('b').open()
  return agency.settled(run)
}

async function started(options: AgencyOptions = {}): Promise<TestAgency> {
  const agency = await openAgency(options)
  await agency.engine.start()
  return agency
}

const retry = (agency: TestAgency, run: Run, query = {}) => agency.continuations.retry(operator, run.id, query)
const keysOf = async (agency: TestAgency, run: Run) => (await agency.inspect(run)).briefs.map(({ key }) => key)

describeStores('a retry of an ended run', (openFresh) => {
  it('keeps what was accepted, hands it over, and does the rest again', async () => {
    const agency = await startAgency(openFresh)
    const old = await cancelled(agency)
    const before = await agency.inspect(old)
    const run = await retry(agency, old, { reason: 'Write shorter.' })
    expect(run).toMatchObject({ continues: old.id, missionId: old.missionId, goalAnchor: old.goalAnchor })
    expect(run.configuration.continues).toMatchObject({
      kind: 'retry',
      kept: [{ key: 'a' }, { key: 'c' }],
      note: `It keeps 2 accepted briefs of ${old.id} (a, c) and does 2 briefs again (b, d).`,
    })
    expect((await agency.settled(run)).status).toBe('done')
    expect(await keysOf(agency, run)).toEqual(['b', 'd'])
    const { attempts, briefs } = await agency.inspect(run)
    const [b] = briefs
    expect(b?.context).toContain('Advice of the operator: Write shorter.')
    expect(attempts.find(({ briefId }) => briefId === b?.id)?.inputsSeen).toMatchObject([{ key: 'a', path: 'a.txt' }])
    expect(await agency.missions.show(old.missionId)).toMatchObject({ status: 'done' })
    const after = await agency.inspect(old)
    expect(after.continuedBy).toEqual([{ id: run.id, status: 'done', kind: 'retry' }])
    expect({ ...after, continuedBy: [] }).toEqual({ ...before, continuedBy: [] })
    const [created] = await agency.events(run)
    expect(created).toMatchObject({ kind: 'run_created', data: { continues: old.id, as: 'retry' } })
  })

  it('begins at a named brief, and does everything that depends on it again', async () => {
    const agency = await startAgency(openFresh)
    const old = await cancelled(agency)
    const run = await agency.settled(await retry(agency, old, { from: 'a' }))
    expect(await keysOf(agency, run)).toEqual(['a', 'b', 'd'])
    const last = await agency.settled(await retry(agency, run, { from: 'd' }))
    expect(await keysOf(agency, last)).toEqual(['d'])
    expect(last.configuration.continues?.kept.map(({ key }) => key)).toEqual(['c', 'a', 'b'])
  })

  it('begins in a repository with the accepted work, and proves it again with the new result', async () => {
    const repository = makeRepository({ 'readme.txt': 'hello\n' })
    const agency = await startAgency(openFresh, openRepositories())
    const old = await cancelled(agency, repository.path)
    expect(old.head).not.toBe(old.repository?.base)
    const run = await retry(agency, old)
    expect(run).toMatchObject({ head: old.head, repository: { base: old.repository?.base } })
    expect(run.configuration.continues?.note).toContain(`begins at ${old.head?.slice(0, 12)}`)
    await agency.until(async () => (await agency.gates.ofRun(run.id)).gates.find(({ status }) => status === 'pending'))
    const [proof] = (await agency.inspect(run)).proofs
    expect(proof?.findings.flatMap(({ briefs }) => briefs).toSorted()).toEqual(['a', 'b', 'c', 'd'])
    await agency.gates.approve(operator, { target: run.id, gate: 'merge' })
    expect((await agency.settled(run)).status).toBe('done')
    for (const name of ['a', 'b', 'c', 'd']) expect(repository.read(`${name}.txt`)).not.toBe('')
  })

  it('starts once, whoever asks at the same time, and again only on purpose', async () => {
    const agency = await startAgency(openFresh)
    const old = await cancelled(agency, undefined, { isOpen: false })
    const both = await Promise.allSettled([retry(agency, old), retry(agency, old)])
    const run = both.find((each) => each.status === 'fulfilled')?.value as Run
    expect(both.find((each) => each.status === 'rejected')?.reason).toMatchObject({
      code: 'conflict',
      data: { continued_by: run.id },
      hint: expect.stringContaining('--anyway'),
    })
    const second = await retry(agency, old, { anyway: true })
    expect(second.missionId).not.toBe(run.missionId)
    agency.gate('b').open()
    expect((await agency.settled(second)).status).toBe('done')
    await agency.settled(run)
    const again = await retry(agency, old, { anyway: true })
    expect((await agency.settled(again)).status).toBe('done')
  })

  it('is refused with the cause and the next step', async () => {
    const agency = await startAgency(openFresh)
    const open = await agency.run({ play: [[{ hang: {} }]] })
    await expect(retry(agency, open)).rejects.toMatchObject({
      code: 'illegal_transition',
      hint: expect.stringContaining(`agency cancel ${open.id}`),
    })
    await agency.runs.cancel(operator, open.id, undefined)
    await expect(retry(agency, open, { from: 'other' })).rejects.toMatchObject({
      code: 'not_found',
      hint: 'It has: main.',
    })
    const done = await agency.settled(await agency.run({ play: [work] }))
    await expect(retry(agency, done)).rejects.toMatchObject({ hint: expect.stringContaining('agency fork') })
  })

  it('survives the death of the daemon between its creation and its start', async () => {
    const agency = await startAgency(openFresh)
    const old = await cancelled(agency)
    const run = await retry(agency, old)
    agency.die()
    const next = await openAgency({
      db: agency.store.db,
      clock: agency.clock,
      workspaces: agency.workspaces,
      worker: 'test:2',
    })
    next.gate('b').open()
    await next.engine.start()
    expect((await next.settled(run)).status).toBe('done')
    expect((await next.inspect(old)).continuedBy.map(({ id }) => id)).toEqual([run.id])
  })
})

describe('a retry', () => {
  it('begins where a named brief began, so that its first result is not in the new one', async () => {
    const repository = makeRepository({ 'readme.txt': 'hello\n' })
    const agency = await started(openRepositories())
    const brief = (key: string, after: string[]) => ({
      key,
      objective: `Write ${key}`,
      after,
      evidence: [{ kind: 'file' as const, path: `${key}.txt` }],
      runtimeOptions: options(writes(`${key}.txt`, `${key}\n`)),
      tokenBudget: 5_000_000,
    })
    const old = await agency.run({ repo: repository.path, briefs: [brief('a', []), brief('b', ['a'])] })
    await agency.until(async () => (await agency.gates.ofRun(old.id)).gates.find(({ status }) => status === 'pending'))
    await agency.runs.cancel(operator, old.id, undefined)
    await expect(retry(agency, old)).rejects.toMatchObject({ code: 'conflict' })
    const b = (await agency.inspect(old)).briefs.find(({ key }) => key === 'b')
    const run = await retry(agency, old, { from: b?.id })
    expect(run.configuration.continues).toMatchObject({ from: 'b', kept: [{ key: 'a' }], commit: b?.startCommit })
    expect(run.head).toBe(b?.startCommit)
    expect(run.head).not.toBe((await agency.runs.show(old.id)).head)
    expect((await agency.inspect(run)).briefs).toMatchObject([{ key: 'b', tokenBudget: 5_000_000 }])
    await agency.until(async () => (await agency.gates.ofRun(run.id)).gates.find(({ status }) => status === 'pending'))
    await agency.gates.approve(operator, { target: run.id, gate: 'merge' })
    expect((await agency.settled(run)).status).toBe('done')
    expect([repository.read('a.txt'), repository.read('b.txt')]).toEqual(['a\n', 'b\n'])
    const fork = await agency.run({ goal: 'More', fork: { runId: run.id }, play: [writes('x.txt', 'x\n')] })
    // The branch has the merged result already: the fork brings only its own work.
    expect(fork.repository?.base).toBe((await agency.runs.show(run.id)).head)
    await agency.runs.cancel(operator, fork.id, undefined)
  })

  it('leaves a brief out that was cancelled on purpose, and says so', async () => {
    const agency = await started()
    const file = (key: string, after: string[], first: StepInput[] = []) => ({
      key,
      objective: key,
      after,
      evidence: [{ kind: 'file' as const, path: 'x.txt' }],
      runtimeOptions: options([...first, ...writes('x.txt', 'x\n')]),
    })
    const old = await agency.run({ briefs: [file('a', [], [{ log: 'gate a' }]), file('b', []), file('c', ['a'])] })
    await agency.gate('a').reached
    const c = await agency.brief(old, 'c')
    await agency.briefs.update(operator, c.id, 'cancelled', undefined)
    await agency.until(async () => (await agency.brief(old, 'b')).status === 'done')
    await agency.runs.cancel(operator, old.id, undefined)
    agency.gate('a').open()
    const run = await agency.settled(await retry(agency, old))
    expect(run.status).toBe('done')
    expect(run.configuration.continues?.note).toBe(
      `It keeps 1 accepted brief of ${old.id} (b) and does 1 brief again (a), without what was dropped (c).`,
    )
  })

  it('begins the whole run again where its playbook has no plan to continue, and says why', async () => {
    const agency = await started({ playbooks: [{ ...direct, hasPlan: false }] })
    const old = await agency.run({ acceptance: 'operator', costLimit: 3, play: [[{ hang: {} }]] })
    await agency.runs.cancel(operator, old.id, undefined)
    await expect(retry(agency, old, { from: 'main' })).rejects.toMatchObject({ code: 'unsupported' })
    const run = await retry(agency, old)
    expect(run.configuration).toMatchObject({ acceptance: 'operator', costLimit: 3 })
    expect(run.configuration.continues?.note).toContain(`keeps nothing of ${old.id}, because`)
    expect(await keysOf(agency, run)).toEqual(['main'])
    await agency.runs.cancel(operator, run.id, undefined)
  })

  it('keeps a plan that an agent made, and neither plans nor asks again', async () => {
    const agency = await started()
    const plan = [
      { key: 'a', objective: 'first', after: [] },
      { key: 'b', objective: 'second', after: ['a'] },
    ]
    const report = { status: 'done', summary: 'A plan.', plan, via: 'stdout' }
    const scenario = { attempts: [[{ hang: {} }]], plan: [[{ report }]] }
    const old = await agency.run({ planner: true, planGate: true, runtimeOptions: { scenario } })
    await agency.until(async () => (await agency.gates.ofRun(old.id)).gates.find(({ status }) => status === 'pending'))
    await agency.gates.approve(operator, { target: old.id, gate: 'plan' })
    await agency.until(async () => (await keysOf(agency, old)).includes('b'))
    await agency.runs.cancel(operator, old.id, undefined)
    const before = (await agency.inspect(old)).briefs.filter(({ kind }) => kind === 'work')
    const run = await retry(agency, old)
    const { briefs } = await agency.inspect(run)
    const facts = ({ key, kind, evidence, checkable, verify, verifyFixed }: Brief) => ({
      key,
      kind,
      evidence,
      checkable,
      verify,
      verifyFixed,
    })
    expect(briefs.map(facts)).toEqual(before.map(facts))
    expect(run.configuration).toMatchObject({ planner: false, planGate: false, continues: { planned: true } })
    await agency.runs.cancel(operator, run.id, undefined)
  })

  it('is refused when the repository or its commit is gone', async () => {
    const repository = makeRepository({ 'readme.txt': 'hello\n' })
    const agency = await started(openRepositories())
    const old = await cancelled(agency, repository.path)
    rmSync(old.repository?.mirror ?? '', { recursive: true })
    await expect(retry(agency, old)).rejects.toMatchObject({
      code: 'conflict',
      message: `the commit ${old.head?.slice(0, 12)} of ${old.id} no longer exists`,
    })
    rmSync(repository.path, { recursive: true })
    await expect(retry(agency, old)).rejects.toMatchObject({ code: expect.stringMatching(/not_found|invalid_input/) })
    expect((await agency.inspect(old)).continuedBy).toEqual([])
  })
})

describeStores('a fork of an ended run', (openFresh) => {
  it('begins at the commit of the run, or of a brief, with another goal', async () => {
    const repository = makeRepository({ 'readme.txt': 'hello\n' })
    const agency = await startAgency(openFresh, openRepositories())
    const old = await cancelled(agency, repository.path)
    const fork = await agency.run({ goal: 'Another', fork: { runId: old.id }, play: [writes('x.txt', 'x\n')] })
    expect(fork).toMatchObject({ continues: old.id, head: old.head, goalAnchor: 'Another' })
    expect(fork.missionId).not.toBe(old.missionId)
    const a = (await agency.inspect(old)).briefs.find(({ key }) => key === 'a')
    const second = await agency.run({ goal: 'A', fork: { runId: old.id, from: 'a' }, play: [writes('y.txt', 'y\n')] })
    expect(second).toMatchObject({ head: a?.branchCommit })
    expect(second.configuration.continues?.note).toBe(
      `It begins at ${a?.branchCommit?.slice(0, 12)}, the result of a of ${old.id}.`,
    )
    await expect(agency.run({ fork: { runId: old.id, from: 'd' } })).rejects.toMatchObject({ code: 'conflict' })
    for (const each of [fork, second]) await agency.runs.cancel(operator, each.id, undefined)
  })
})
