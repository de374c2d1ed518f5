import { expect, it } from 'vitest'

import { openAgency, type TestAgency } from '../../../test/support/agency.ts'
import { describeStores, type FreshStore } from '../../../test/support/store.ts'
import { createVirtualClock } from '../../../test/support/virtual-clock.ts'
import { bundledPrompt } from '../../../test/support/prompts.ts'
import { operator } from '../../../test/support/work.ts'
import type { Playbook } from '../../playbooks/contract.ts'
import { sqlOf } from '../../db/tx.ts'
import { direct } from '../../playbooks/direct/decide.ts'
import type { Run } from '../../work/runs/contract.ts'

const rolledBack: Playbook = { ...direct, name: 'rolled-back' }
const promptOf: typeof bundledPrompt = (_, kind, phase) => bundledPrompt('direct', kind, phase)
const two = [
  { key: 'a', objective: 'Do' },
  { key: 'b', objective: 'Do' },
]
/** The pauses after failed claims, and the time until the last of them has ended. */
const [firstPauseMs, allPausesMs] = [1_000, 36_000]

describeStores('a run that cannot be claimed', (openFresh) => {
  /** Opens the product twice on a store, the second time without the playbook of an open run. */
  async function rollBack() {
    const clock = createVirtualClock()
    const store = await openFresh({ clock })
    const options = { db: store.db, clock, slots: 2, mayLogErrors: true }
    const before = await openAgency({ ...options, playbooks: [rolledBack], promptOf })
    const run = await before.run({ playbook: 'rolled-back', briefs: two })
    clock.advance(1)
    return { run, store, agency: await openAgency(options), withPlaybook: before }
  }

  const errorsOf = (agency: TestAgency) =>
    agency.logged.filter(({ level, message }) => level === 'error' && message.includes('could not be claimed'))

  it('leaves the slots to other runs and is logged once per pause', async () => {
    const { run, agency } = await rollBack()
    await agency.engine.start()
    expect(await agency.settled(await agency.run())).toMatchObject({ status: 'done' })
    for (let sweep = 0; sweep < 10; sweep++) await agency.engine.sweep()
    expect(errorsOf(agency)).toHaveLength(1)
    expect(await agency.inspect(run)).toMatchObject({ waitsFor: expect.stringContaining('could not be claimed') })
    await agency.pass(firstPauseMs)
    await agency.engine.idle()
    expect(errorsOf(agency)).toHaveLength(2)
    expect(await agency.runs.show(run.id)).toMatchObject({ status: 'running', questionsOpen: 0 })
  })

  it('leaves the slots to other runs if its playbook throws about its limits', async () => {
    const { db } = await openFresh()
    const broken: Playbook = {
      ...direct,
      name: 'broken',
      caps: () => {
        throw new Error('no limits')
      },
    }
    const agency = await openAgency({ db, slots: 2, mayLogErrors: true, playbooks: [broken], promptOf })
    const run = await agency.run({ playbook: 'broken', briefs: two })
    const setCapKey = (key: string | null) =>
      db.write([`run:${run.id}`], (tx) =>
        sqlOf(tx).run('UPDATE briefs SET cap_key = ? WHERE run_id = ?', [key, run.id]),
      )
    await setCapKey('any')
    await agency.engine.start()
    expect(await agency.settled(await agency.run())).toMatchObject({ status: 'done' })
    expect(await agency.inspect(run)).toMatchObject({ waitsFor: expect.stringContaining('could not be claimed') })
    // The rows have to match the events again.
    await setCapKey(null)
  })

  /** Waits until the operator is asked about the run. */
  async function asked(agency: TestAgency, run: Run) {
    await agency.engine.start()
    await agency.engine.idle()
    for (const pauseMs of [1_000, 5_000, 30_000]) {
      await agency.pass(pauseMs)
      await agency.engine.idle()
    }
    return agency.until(async () => (await agency.questions.list({ runId: run.id, limit: 10 })).questions[0])
  }

  it('is paused with one question after four failures, without its playbook', async () => {
    const { run, agency } = await rollBack()
    const question = await asked(agency, run)
    expect(question).toMatchObject({ class: 'fault', briefId: null, text: expect.stringContaining('rolled-back') })
    expect(await agency.inspect(run)).toMatchObject({
      run: { status: 'paused', questionsOpen: 1 },
      briefs: [{ status: 'pending' }, { status: 'pending' }],
    })
    expect((await agency.runs.list({ limit: 10 })).runs).toMatchObject([{ id: run.id, status: 'paused' }])
    await expect(agency.questions.answer(operator, question.id, 'retry')).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('rolled-back'),
    })
  })

  it('continues after the answer "retry" when the playbook is back', async () => {
    const { run, agency, withPlaybook } = await rollBack()
    const question = await asked(agency, run)
    await agency.engine.stop()
    await withPlaybook.engine.start()
    await withPlaybook.questions.answer(operator, question.id, 'retry')
    expect(await withPlaybook.settled(run)).toMatchObject({ status: 'done', briefsDone: 2 })
  })

  it('continues after a restart with its playbook before the operator is asked', async () => {
    const { run, agency, withPlaybook } = await rollBack()
    await agency.engine.start()
    await agency.engine.idle()
    await agency.engine.stop()
    await withPlaybook.engine.start()
    expect(await withPlaybook.settled(run)).toMatchObject({ status: 'done', briefsDone: 2 })
  })

  it.each(['cancel', 'abandon'])('can be ended without its playbook: %s', async (how) => {
    const { run, agency } = await rollBack()
    const question = await asked(agency, run)
    if (how === 'cancel') await agency.runs.cancel(operator, run.id, undefined)
    else await agency.questions.answer(operator, question.id, 'abandon')
    expect(await agency.inspect(run)).toMatchObject({
      run: { status: how === 'cancel' ? 'cancelled' : 'failed', questionsOpen: 0 },
      briefs: [{ status: 'cancelled' }, { status: 'cancelled' }],
    })
  })

  it('is paused with a question if its playbook throws, and continues when that is repaired', async () => {
    const clock = createVirtualClock()
    const { db } = await openFresh({ clock })
    let isBroken = true
    const broken: Playbook = {
      ...direct,
      describe: ({ key }) => {
        if (isBroken) throw new Error('no name for a brief')
        return { name: key, tags: {} }
      },
    }
    const agency = await openAgency({ db, clock, playbooks: [broken], mayLogErrors: true })
    const run = await agency.run({ briefs: two })
    const question = await asked(agency, run)
    expect(question).toMatchObject({ class: 'fault', text: expect.stringContaining('no name for a brief') })
    isBroken = false
    await agency.questions.answer(operator, question.id, 'retry')
    expect(await agency.settled(run)).toMatchObject({ status: 'done', questionsOpen: 0 })
  })

  it('can be cancelled without its playbook while its agent is at work', async () => {
    const clock = createVirtualClock()
    const store = await openFresh({ clock })
    const options = { db: store.db, clock, mayLogErrors: true }
    const before = await openAgency({ ...options, playbooks: [rolledBack], promptOf })
    await before.engine.start()
    const run = await before.run({ playbook: 'rolled-back', play: [[{ hang: {} }]] })
    await before.passed('attempt.started')
    before.die()
    const agency = await openAgency({ ...options, worker: 'test:2' })
    await agency.engine.start()
    await agency.runs.cancel(operator, run.id, undefined)
    expect(await agency.inspect(run)).toMatchObject({ run: { status: 'cancelled' }, attempts: [{ status: 'ended' }] })
  })

  it('does not hold up others if its row cannot be read', async () => {
    const { agency, run, store } = await openCorrupt()
    await agency.engine.start()
    expect(await agency.settled(await agency.run())).toMatchObject({ status: 'done' })
    for (let sweep = 0; sweep < 10; sweep++) await agency.engine.sweep()
    expect(errorsOf(agency)).toHaveLength(1)
    await agency.pass(allPausesMs)
    await agency.engine.idle()
    await store.raw(`UPDATE runs SET repository = NULL WHERE id = '${run.id}'`)
    await agency.pass(10 * 60_000)
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
  })

  async function openCorrupt(): Promise<{ agency: TestAgency; run: Run; store: FreshStore }> {
    const clock = createVirtualClock()
    const store = await openFresh({ clock })
    const made = await openAgency({ db: store.db, clock })
    const run = await made.run({ briefs: two })
    clock.advance(1)
    await store.raw(`UPDATE runs SET repository = '{' WHERE id = '${run.id}'`)
    // Another handle, which does not know the row.
    const db = await store.open()
    return { agency: await openAgency({ db, clock, slots: 2, mayLogErrors: true }), run, store }
  }
})
