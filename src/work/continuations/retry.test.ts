// @suite process

import { expect, it } from 'vitest'

import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import { openAgency, startAgency, type TestAgency, work } from '../../../test/support/agency.ts'
import { makeRepository, openRepositories } from '../../../test/support/repository.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
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
