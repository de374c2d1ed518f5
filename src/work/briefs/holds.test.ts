import { expect, it } from 'vitest'

import { openAgency, startAgency, type TestAgency, work } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import { record } from '../../events/change.ts'
import type { Brief, Hold } from './contract.ts'
import { addHold, budgetHold, mergeHold, ownBudgetHold, releaseHold, workspaceHold } from './holds.ts'
import { reasonText } from './held.ts'
import { findBrief, listHoldsOfRun, listRunIdsHeldBy } from './store.ts'

const others: [string, Hold][] = [
  ['its own budget', ownBudgetHold],
  ['a budget above it', budgetHold('run')],
  ['a merge', mergeHold],
  ['its workspace', workspaceHold],
  ['the checks of its repository', { kind: 'checks', subject: '/shop' }],
]

/** Crashes once; the second attempt succeeds. */
const failing = { key: 'a', objective: 'Do it', runtimeOptions: { scenario: { attempts: [[{ crash: {} }], work] } } }
const dependent = { key: 'b', objective: 'Do it', after: ['a'], runtimeOptions: { scenario: { steps: work } } }
const input = { onLimit: 'ask', crashRetries: 0, briefs: [failing, dependent] } as const
const startRun = (agency: TestAgency) => agency.run({ ...input, briefs: [...input.briefs] })

const change = (agency: TestAgency, { id, runId }: Brief, changes: typeof addHold, hold: Hold): Promise<void> =>
  agency.db.write([`run:${runId}`], async (tx) => {
    const brief = (await findBrief(tx, id)) as Brief
    const event = { kind: 'brief_status', by: 'test', runId, briefId: id, message: 'its holds change' } as const
    await record(tx, event, await changes(tx, brief, hold, { updatedAt: tx.at }))
  })

const questionOf = (agency: TestAgency, run: { id: string }) =>
  agency.until(async () => (await agency.inspect(run)).questions.find((each) => each.answeredAt === null))

/** Waits until the first brief has failed and holds the second, which gets a further hold. */
async function holdTwice(agency: TestAgency, hold: Hold) {
  const run = await startRun(agency)
  await change(agency, await agency.brief(run, 'b'), addHold, hold)
  const question = await questionOf(agency, run)
  const failed = `dependency_failed:${(await agency.brief(run, 'a')).id}`
  const held = await agency.brief(run, 'b')
  expect(held).toMatchObject({ status: 'pending', heldBy: failed, holdCount: 2 })
  expect(held.holds.map(reasonText)).toEqual([failed, reasonText(hold), 'dependencies', 'sibling_failed'])
  return { run, question, failed }
}

describeStores('a brief with two holds', (openFresh) => {
  it.each(others)('by a failed dependency and %s waits for the second after the first', async (_, hold) => {
    const agency = await startAgency(openFresh)
    const { run, question } = await holdTwice(agency, hold)
    await agency.questions.answer(operator, question.id, 'retry')
    await agency.until(async () => (await agency.brief(run, 'a')).status === 'done')
    await agency.engine.sweep()
    const held = await agency.brief(run, 'b')
    expect(held).toMatchObject({ status: 'pending', attempts: 0, unmetDependencies: 0, holdCount: 1 })
    expect(held.holds.map(reasonText)).toEqual([reasonText(hold)])
    await change(agency, held, releaseHold, hold)
    expect(await agency.settled(run)).toMatchObject({ status: 'done', briefsDone: 2 })
  })

  it.each(others)('by a failed dependency and %s waits for the first after the second', async (_, hold) => {
    const agency = await startAgency(openFresh)
    const { run, question, failed } = await holdTwice(agency, hold)
    await change(agency, await agency.brief(run, 'b'), releaseHold, hold)
    await agency.engine.sweep()
    expect(await agency.brief(run, 'b')).toMatchObject({ attempts: 0, heldBy: failed, holdCount: 1 })
    await agency.questions.answer(operator, question.id, 'retry')
    expect(await agency.settled(run)).toMatchObject({ status: 'done', briefsDone: 2 })
  })

  it('keeps both through a restart', async () => {
    const store = await openFresh()
    const first = await openAgency({ db: store.db })
    await first.engine.start()
    const { run, question, failed } = await holdTwice(first, workspaceHold)
    first.die()
    const agency = await openAgency({ db: await store.open(), clock: first.clock, worker: 'test:2' })
    await agency.engine.start()
    expect(await agency.brief(run, 'b')).toMatchObject({ heldBy: failed, holdCount: 2 })
    await agency.questions.answer(operator, question.id, 'retry')
    await agency.until(async () => (await agency.brief(run, 'a')).status === 'done')
    expect(await agency.brief(run, 'b')).toMatchObject({ status: 'pending', attempts: 0, heldBy: 'workspace' })
    await change(agency, await agency.brief(run, 'b'), releaseHold, workspaceHold)
    expect(await agency.settled(run)).toMatchObject({ status: 'done', briefsDone: 2 })
  })

  it('is not started by a raised budget while its workspace is in use', async () => {
    const agency = await startAgency(openFresh)
    const spends: StepInput[] = [{ usage: { input_tokens: 300, output_tokens: 0, model: 'any' } }, { hang: {} }]
    const run = await agency.run({ onLimit: 'ask', tokenBudget: 300, play: [spends, work] })
    const question = await questionOf(agency, run)
    await change(agency, await agency.brief(run), addHold, workspaceHold)
    expect((await agency.brief(run)).holds.map(reasonText)).toEqual(['budget:run', 'workspace'])
    await agency.questions.answer(operator, question.id, 'raise')
    await agency.engine.sweep()
    expect(await agency.brief(run)).toMatchObject({ status: 'pending', attempts: 1, heldBy: 'workspace' })
    await change(agency, await agency.brief(run), releaseHold, workspaceHold)
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
  })

  it('is shown with both by the API and in lists', async () => {
    const agency = await startAgency(openFresh)
    const { run, failed } = await holdTwice(agency, workspaceHold)
    const { id } = await agency.brief(run, 'b')
    const shown = await agency.briefs.show(operator, id)
    expect([shown.heldBy, shown.holds.map(reasonText)]).toEqual([
      failed,
      [failed, 'workspace', 'dependencies', 'sibling_failed'],
    ])
    const { briefs } = await agency.briefs.list('pending', 10)
    expect(briefs.map(({ heldBy, holds }) => [heldBy, holds.map(reasonText)])).toEqual([
      [failed, [failed, 'workspace']],
    ])
  })
})

describeStores('a hold', (openFresh) => {
  it('that exists is not counted again, and one that does not is not released', async () => {
    const agency = await openAgency({ db: (await openFresh()).db })
    const run = await startRun(agency)
    const { holdCount, ...brief } = await agency.brief(run, 'b')
    for (const hold of [workspaceHold, workspaceHold, ownBudgetHold])
      await change(agency, { holdCount, ...brief }, addHold, hold)
    await change(agency, { holdCount, ...brief }, releaseHold, mergeHold)
    expect(await agency.brief(run, 'b')).toMatchObject({ holdCount: 2, heldBy: 'budget:brief' })
    expect(await agency.db.read((tx) => listRunIdsHeldBy(tx, 'workspace'))).toEqual([run.id])
    expect(await agency.db.read((tx) => listRunIdsHeldBy(tx, 'merge'))).toEqual([])
  })

  it('ends with its brief', async () => {
    const agency = await openAgency({ db: (await openFresh()).db })
    const run = await startRun(agency)
    for (const hold of [workspaceHold, mergeHold]) await change(agency, await agency.brief(run, 'b'), addHold, hold)
    await agency.runs.cancel(operator, run.id, undefined)
    expect(await agency.brief(run, 'b')).toMatchObject({ status: 'cancelled', holdCount: 0, heldBy: null, holds: [] })
    expect(await agency.db.read((tx) => listHoldsOfRun(tx, run.id))).toEqual([])
  })
})
