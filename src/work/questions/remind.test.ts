import { expect, it } from 'vitest'

import {
  type AgencyOptions,
  openAgency,
  startAgency,
  type StartRun,
  type TestAgency,
  work,
} from '../../../test/support/agency.ts'
import { describeStores, type FreshStore, type OpenFresh } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import { createVirtualClock, type VirtualClock } from '../../../test/support/virtual-clock.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import type { ChaosPoint } from '../../kernel/chaos-point.ts'
import { systemIds } from '../../kernel/ids.ts'
import { noLog } from '../../kernel/log.ts'
import { createNotifiers } from '../../notify/compose.ts'
import { createNotify } from '../../notify/service.ts'
import type { Run } from '../runs/contract.ts'
import type { Question } from './contract.ts'

const minute = 60_000

const asks: StepInput[] = [
  { report: { status: 'blocked', summary: 'I need a decision.', question: { text: 'Which colour?' } } },
]
const asking: StartRun = { onLimit: 'ask', play: [asks, work], hardMinutes: null, idleMinutes: null }

interface Asked {
  agency: Awaited<ReturnType<typeof startAgency>>
  run: Run
  question: Question
}

const waiting = (agency: TestAgency, run: Run): Promise<Question> =>
  agency.until(async () => (await agency.questions.list({ runId: run.id, limit: 10 })).questions[0])

async function ask(openFresh: OpenFresh, options: AgencyOptions = {}): Promise<Asked> {
  const agency = await startAgency(openFresh, options)
  const run = await agency.run(asking)
  return { agency, run, question: await waiting(agency, run) }
}

const reminders = ({ notices }: TestAgency) => notices.filter(({ kind }) => kind === 'question_reminder')

/** Delivers notifications with the real service, which has one notifier. */
const deliver = (db: TestAgency['db'], clock: TestAgency['clock']): Pick<AgencyOptions, 'notifyThrough'> => ({
  notifyThrough: (jobs) =>
    createNotify({
      db,
      clock,
      ids: systemIds,
      log: noLog,
      jobs,
      notifiers: createNotifiers([{ adapter: 'terminal', timeoutSeconds: 10 }], { environment: {}, write: () => {} }),
      address: () => 'http://127.0.0.1:1',
    }).send,
})

async function fresh(openFresh: OpenFresh): Promise<{ clock: VirtualClock; store: FreshStore }> {
  const clock = createVirtualClock()
  return { clock, store: await openFresh({ clock }) }
}

async function openWorker(
  db: TestAgency['db'],
  clock: VirtualClock,
  worker: string,
  chaosPoint?: ChaosPoint,
): Promise<TestAgency> {
  const more = chaosPoint === undefined ? {} : { chaosPoint }
  const agency = await openAgency({ db, clock, worker, ...deliver(db, clock), ...more })
  await agency.engine.start()
  return agency
}

const sentKinds = async (agency: TestAgency, run: Run): Promise<unknown[]> =>
  (await agency.events(run)).filter(({ kind }) => kind === 'notify_sent').map(({ data }) => data?.['kind'])

describeStores('the reminder of a question', (openFresh) => {
  it('is sent once, an hour after the question reached the operator', async () => {
    const { agency, question } = await ask(openFresh)
    await agency.pass(59 * minute)
    expect(reminders(agency)).toEqual([])
    await agency.pass(2 * minute)
    expect(reminders(agency)).toMatchObject([{ object: question.id, state: 'reminded' }])
    await agency.pass(600 * minute)
    expect(reminders(agency)).toHaveLength(1)
    expect(await agency.questions.show(operator, question.id)).toMatchObject({
      status: 'with_operator',
      answer: null,
    })
  })

  it.each<[string, (asked: Asked) => Promise<unknown>]>([
    ['was answered', ({ agency, question }) => agency.questions.answer(operator, question.id, 'blue')],
    ['was acknowledged', ({ agency, question }) => agency.questions.acknowledge(operator, question.id)],
    ['was withdrawn', ({ agency, run }) => agency.runs.cancel(operator, run.id, 'no longer wanted')],
  ])('does not come if the question %s', async (_, act) => {
    const asked = await ask(openFresh)
    await act(asked)
    await asked.agency.pass(120 * minute)
    expect(reminders(asked.agency)).toEqual([])
  })

  it('comes after the configured time', async () => {
    const { agency } = await ask(openFresh, { defaults: { questionReminderMinutes: 5 } })
    await agency.pass(6 * minute)
    expect(reminders(agency)).toHaveLength(1)
  })

  it('never comes if it is switched off', async () => {
    const { agency } = await ask(openFresh, { defaults: { questionReminderMinutes: null } })
    await agency.pass(6_000 * minute)
    expect(reminders(agency)).toEqual([])
  })

  it('is delivered as a second notification, once, with two workers', async () => {
    const { clock, store } = await fresh(openFresh)
    const workers: TestAgency[] = []
    for (const worker of ['one:1', 'two:1']) workers.push(await openWorker(await store.open({ clock }), clock, worker))
    const [one, two] = workers as [TestAgency, TestAgency]
    const run = await one.run(asking)
    await waiting(one, run)
    await one.pass(61 * minute)
    await one.until(async () => (await sentKinds(one, run)).length === 2)
    for (const each of [two, one]) await each.pass(120 * minute)
    expect(await sentKinds(one, run)).toEqual(['question_asked', 'question_reminder'])
  })

  it.each(['job.claimed', 'job.ran'] as const)('is delivered once if the process dies at %s', async (point) => {
    const { clock, store } = await fresh(openFresh)
    const died = Promise.withResolvers<void>()
    let isArmed = false
    const one = await openWorker(store.db, clock, 'one:1', (name) => {
      if (!isArmed || name !== point) return
      one.die()
      died.resolve()
    })
    const run = await one.run(asking)
    await waiting(one, run)
    await one.pass(59 * minute)
    isArmed = true
    clock.advance(2 * minute)
    await died.promise
    const two = await openWorker(store.db, clock, 'one:2')
    await two.pass(10 * minute)
    expect(await sentKinds(two, run)).toEqual(['question_asked', 'question_reminder'])
  })
})
