import { expect, it } from 'vitest'

import {
  type AgencyOptions,
  openAgency,
  startRun,
  type StartRun,
  type TestAgency,
} from '../../../test/support/agency.ts'
import { describePostgres, describeStores } from '../../../test/support/store.ts'
import { createVirtualClock } from '../../../test/support/virtual-clock.ts'
import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import { change } from '../../events/change.ts'
import type { ChaosPointName } from '../../kernel/chaos-point.ts'
import { AmendPlan } from '../amendments/contract.ts'
import { findMission, missions } from '../missions/store.ts'
import type { Run } from '../runs/contract.ts'
import type { StepHandler } from './apply.ts'
import { findRunStep } from './store.ts'

const reports = (summary: string): StepInput[] => [{ report: { status: 'done', summary } }]

/** Adds the summary of a step to the title of its mission: an application that is visible if it happens twice. */
const review: StepHandler = async (tx, { run, report }) => {
  const mission = await findMission(tx, run.missionId)
  if (mission === undefined) throw new Error('no mission')
  const title = `${mission.title} ${report.summary}`
  const event = { kind: 'log', by: 'daemon', message: 'summarised' } as const
  await change(tx, missions, mission, { title }, event)
  return { title }
}

/** A store that several workers can open one after the other, or at once. */
async function scene(openFresh: Parameters<Parameters<typeof describeStores>[1]>[0]) {
  const clock = createVirtualClock()
  const store = await openFresh({ clock })
  const options: AgencyOptions = { db: store.db, clock, stepHandlers: { review } }
  return { options, store, clock }
}

/** Starts a run that is a step of a mission with the title "Do it". */
const step = (agency: TestAgency, input: StartRun = {}): Promise<Run> =>
  agency.runs.create(operator, startRun({ play: [reports('twice')], ...input }), { kind: 'review', contextFiles: [] })

const applied = async (agency: TestAgency, run: Run) => {
  const brief = await agency.brief(run)
  return agency.db.read(async (tx) => ({
    step: await findRunStep(tx, brief.id),
    title: (await findMission(tx, run.missionId))?.title,
  }))
}
const untilApplied = (agency: TestAgency, run: Run) =>
  agency.until(async () => {
    const found = await applied(agency, run)
    return found.step === undefined ? null : found
  })
const countEvents = async (agency: TestAgency, run: Run): Promise<number> =>
  (await agency.events(run)).filter(({ kind }) => kind === 'step_applied').length

describeStores('the end of a step of a mission', (openFresh) => {
  it('applies its output once, although the job comes again and at the same time', async () => {
    const { options } = await scene(openFresh)
    const agency = await openAgency(options)
    await agency.engine.start()
    const run = await step(agency)
    expect(await untilApplied(agency, run)).toMatchObject({
      step: { runId: run.id, purpose: 'review', status: 'done', result: { title: 'Do it twice' } },
      title: 'Do it twice',
    })
    await Promise.all([1, 2, 3].map(() => agency.runSteps.apply(run.id)))
    expect((await applied(agency, run)).title).toBe('Do it twice')
    expect(await countEvents(agency, run)).toBe(1)
  })

  it('does not end its mission', async () => {
    const { options } = await scene(openFresh)
    const agency = await openAgency(options)
    await agency.engine.start()
    const run = await step(agency)
    await untilApplied(agency, run)
    expect((await agency.missions.show(run.missionId)).status).toBe('in_progress')
  })

  it('applies nothing of a step that failed or was cancelled, and its event states that', async () => {
    const { options } = await scene(openFresh)
    const agency = await openAgency(options)
    await agency.engine.start()
    const failed = await step(agency, { play: [[{ exit: { code: 1 } }]], crashRetries: 0 })
    expect(await untilApplied(agency, failed)).toMatchObject({
      step: { status: 'failed', result: null },
      title: 'Do it',
    })
    const cancelled = await step(agency, { play: [[{ hang: {} }]] })
    await agency.runs.cancel(operator, cancelled.id, undefined)
    expect(await untilApplied(agency, cancelled)).toMatchObject({ step: { status: 'cancelled', result: null } })
    expect((await agency.events(failed)).find(({ kind }) => kind === 'step_applied')).toMatchObject({
      data: { purpose: 'review', status: 'failed', applied: false },
    })
  })

  it('leaves no row behind if the application fails, and is applied by the next try', async () => {
    const { options } = await scene(openFresh)
    let isBroken = true
    const agency = await openAgency({
      ...options,
      stepHandlers: {
        review: async (tx, finished) => {
          const result = await review(tx, finished)
          if (isBroken) throw new Error('the disk is full')
          return result
        },
      },
    })
    await agency.engine.start()
    const run = await agency.settled(await step(agency))
    await expect(agency.runSteps.apply(run.id)).rejects.toThrow('the disk is full')
    const before = await applied(agency, run)
    isBroken = false
    expect(before).toMatchObject({ step: undefined, title: 'Do it' })
    await agency.runSteps.apply(run.id)
    expect(await applied(agency, run)).toMatchObject({ step: { status: 'done' }, title: 'Do it twice' })
  })

  it.each<ChaosPointName>(['run.ended', 'job.claimed', 'job.ran'])(
    'is applied once after a kill at %s',
    async (fatal) => {
      const { options } = await scene(openFresh)
      const killed = await openAgency({ ...options, chaosPoint: (point) => point === fatal && killed.die() })
      await killed.engine.start()
      const run = await step(killed)
      await killed.passed(fatal)
      const heir = await openAgency(options)
      await heir.engine.start()
      expect(await untilApplied(heir, run)).toMatchObject({ title: 'Do it twice' })
      await heir.runSteps.apply(run.id)
      expect((await applied(heir, run)).title).toBe('Do it twice')
      expect(await countEvents(heir, run)).toBe(1)
    },
  )

  it('has no plan to amend: its output is that of its one brief', async () => {
    const { options } = await scene(openFresh)
    const agency = await openAgency(options)
    const run = await step(agency)
    const [main] = (await agency.inspect(run)).briefs
    const amended = agency.amendments.amendPlan(
      operator,
      AmendPlan.parse({
        runId: run.id,
        reason: 'Another brief',
        add: [{ key: 'other', objective: 'Do it differently' }],
        remove: [main?.key],
      }),
    )
    await expect(amended).rejects.toMatchObject({
      code: 'illegal_transition',
      message: `run ${run.id} is a single step of its mission: it has no plan to change`,
    })
    await agency.engine.start()
    expect(await untilApplied(agency, run)).toMatchObject({ step: { status: 'done' }, title: 'Do it twice' })
  })

  it('does nothing for a run that is no step, or has not ended', async () => {
    const { options } = await scene(openFresh)
    const agency = await openAgency(options)
    const [plain, open] = [await agency.run(), await step(agency)]
    for (const id of [plain.id, open.id, 'run_unknown']) await agency.runSteps.apply(id)
    expect(await countEvents(agency, open)).toBe(0)
    expect(await countEvents(agency, plain)).toBe(0)
  })
})

describePostgres('the end of a step of a mission, with two workers', (openFresh) => {
  it('is applied once', async () => {
    const { options, store, clock } = await scene(openFresh)
    const one = await openAgency({ ...options, worker: 'one:1' })
    const two = await openAgency({ ...options, db: await store.open(), clock, worker: 'two:1' })
    const runs = await Promise.all([one, two, one, two].map((agency) => step(agency)))
    await Promise.all([one.engine.start(), two.engine.start()])
    await Promise.all(runs.map((run) => one.settled(run)))
    await Promise.all(runs.flatMap((run) => [one.runSteps.apply(run.id), two.runSteps.apply(run.id)]))
    for (const run of runs) {
      expect((await applied(one, run)).title).toBe('Do it twice')
      expect(await countEvents(one, run)).toBe(1)
    }
  })
})
