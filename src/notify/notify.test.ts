import { expect, it, onTestFinished } from 'vitest'

import { startAgency } from '../../test/support/api.ts'
import { type Behaviour, httpEndpoint, type HttpEndpoint } from '../../test/support/endpoints.ts'
import { describeStores, type FreshStore, type OpenFresh } from '../../test/support/store.ts'
import { createVirtualClock, type VirtualClock } from '../../test/support/virtual-clock.ts'
import { operator } from '../../test/support/work.ts'
import type { NotifierSettings } from '../adapters/notify/contract.ts'
import type { Db, ReadTx } from '../db/port.ts'
import { sqlOf } from '../db/tx.ts'
import { auditEvents } from '../events/audit.ts'
import { replayEvents } from '../events/replay.ts'
import { createJobs, type Jobs } from '../jobs/queue.ts'
import { systemIds } from '../kernel/ids.ts'
import { noLog } from '../kernel/log.ts'
import { noChaos } from '../kernel/chaos-point.ts'
import { eventTables } from '../tables.ts'
import { CreateRun } from '../work/runs/contract.ts'
import { createNotifiers } from './compose.ts'
import type { NewNotification, NotificationRecord } from './contract.ts'
import { createNotify, type Notify } from './service.ts'
import { notifications } from './store.ts'

interface Fixture extends FreshStore {
  clock: VirtualClock
  jobs: Jobs
  notify: Notify
  /** Lines of the terminal. */
  lines: string[]
  hook: HttpEndpoint
  send(more?: Partial<NewNotification>): Promise<void>
  rows(): Promise<NotificationRecord[]>
  /** Returns the kinds of the events with the adapters they name. */
  events(): Promise<string[]>
  pass(ms: number): Promise<void>
  /** Restarts the daemon, with the same settings or others. */
  restart(entries?: readonly NotifierSettings[]): Promise<Fixture>
  /** Cuts the process off from the store when the terminal gets its next line, as a kill would; resolves then. */
  dieAtNextLine(): Promise<void>
  /** Opens a second worker on the same store. */
  second(): Promise<Fixture>
}

const note: NewNotification = {
  kind: 'gate_pending',
  title: 'The plan waits for you',
  summary: 'Three briefs.',
  actions: [{ label: 'Approve', command: 'agency approve gat_1', link: '/gates' }],
  runId: null,
  object: 'gat_1',
  state: 'pending',
}

const terminal: NotifierSettings = { adapter: 'terminal', timeoutSeconds: 10 }

async function openFixture(
  openFresh: OpenFresh,
  behaviour: Behaviour = 'takes it',
  only?: NotifierSettings[],
): Promise<Fixture> {
  const clock = createVirtualClock()
  const store = await openFresh({ clock })
  const hook = await httpEndpoint(behaviour)
  const lines: string[] = []
  const webhook: NotifierSettings = { adapter: 'webhook', timeoutSeconds: 10, url: `${hook.origin}/hooks/hunter2` }
  const live = async (entries: readonly NotifierSettings[], worker = 'w1'): Promise<Fixture> => {
    let isDead = false
    let onLine = (): void => {}
    const db: Db = {
      ...store.db,
      write: (...args) => (isDead ? new Promise<never>(() => {}) : store.db.write(...args)),
    }
    const jobs = createJobs({ db, clock, ids: systemIds, worker, chaosPoint: noChaos })
    const write = (line: string): void => {
      lines.push(line)
      onLine()
    }
    const notifiers = createNotifiers(entries, { environment: {}, write })
    const address = (): string => 'http://127.0.0.1:7717'
    const notify = createNotify({ db, clock, ids: systemIds, log: noLog, jobs, notifiers, address })
    await jobs.start()
    onTestFinished(() => (isDead ? undefined : jobs.stop()))
    return {
      ...store,
      db,
      clock,
      jobs,
      notify,
      lines,
      hook,
      send: (more) => db.write(['system'], (tx) => notify.send(tx, { ...note, ...more })),
      rows: async () => (await notify.list(undefined, 100)).notifications,
      events: () => db.read(listEvents),
      async pass(ms) {
        for (let left = ms; left > 0;) {
          const step = Math.min(clock.untilNext() ?? left, left)
          clock.advance(step)
          await jobs.settled()
          left -= step
        }
      },
      async restart(others = entries) {
        if (!isDead) await jobs.stop()
        return live(others)
      },
      dieAtNextLine: () =>
        new Promise((resolve) => {
          onLine = () => {
            isDead = true
            resolve()
          }
        }),
      second: () => live(entries, 'w2'),
    }
  }
  return live(only ?? [terminal, webhook])
}

async function listEvents(tx: ReadTx): Promise<string[]> {
  const rows = await sqlOf(tx).all("SELECT kind, data FROM events WHERE kind LIKE 'notify%' ORDER BY stream, seq")
  return rows.map(({ kind, data }) => `${kind} ${(JSON.parse(String(data)) as { adapters: string[] }).adapters.join()}`)
}

describeStores('a notification', (openFresh) => {
  it('is sent by every notifier after the commit, and recorded', async () => {
    const { send, jobs, lines, hook, rows, events } = await openFixture(openFresh)
    await send()
    await jobs.settled()
    expect(lines).toEqual([
      expect.stringMatching(/ NOTE +GATE_PENDING +The plan waits for you · Three briefs\. · agency approve gat_1$/),
    ])
    expect(hook.requests.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
      { kind: 'gate_pending', audience: 'operator', actions: [{ link: 'http://127.0.0.1:7717/gates' }], link: null },
    ])
    expect(await rows()).toMatchObject([
      {
        status: 'sent',
        deliveries: [
          { adapter: 'terminal', ok: true },
          { adapter: 'webhook', ok: true },
        ],
      },
    ])
    expect(await events()).toEqual(['notify_requested terminal,webhook', 'notify_sent terminal,webhook'])
  })

  it('is sent once per object, state and audience', async () => {
    const { send, jobs, lines } = await openFixture(openFresh)
    await Promise.all([send(), send(), send()])
    await send({ title: 'The same in other words' })
    await send({ state: 'reminded' })
    await send({ object: 'gat_2' })
    await send({ audience: 'persona:7' })
    await jobs.settled()
    expect(lines).toHaveLength(4)
  })

  it('is sent once if one transaction sends it twice', async () => {
    const { db, notify, jobs, lines } = await openFixture(openFresh)
    await db.write(['system'], async (tx) => {
      await notify.send(tx, note)
      await notify.send(tx, note)
    })
    await jobs.settled()
    expect(lines).toHaveLength(1)
  })

  it('is not sent if its transaction fails', async () => {
    const { db, notify, jobs, lines, rows } = await openFixture(openFresh)
    const writing = db.write(['system'], async (tx) => {
      await notify.send(tx, note)
      throw new Error('no')
    })
    await expect(writing).rejects.toThrow('no')
    await jobs.sweep()
    await jobs.settled()
    expect([lines, await rows()]).toEqual([[], []])
  })

  it('contains no secrets and is cut to its limit', async () => {
    const { send, jobs, lines, rows } = await openFixture(openFresh)
    await send({ title: `key sk-live-0123456789 ${'x'.repeat(9_000)}`, summary: 'Bearer hunter2', actions: [] })
    await jobs.settled()
    expect(lines[0]).toContain('key [redacted] xxx')
    expect(JSON.stringify(await rows())).not.toMatch(/0123456789|hunter2/)
    expect(JSON.stringify(await rows()).length).toBeLessThan(2_000)
  })

  it('is sent only for the kinds in the settings', async () => {
    const here: NotifierSettings = { ...terminal, on: ['run_failed'] }
    const { send, jobs, lines, rows, events } = await openFixture(openFresh, 'takes it', [here])
    await send()
    await send({ kind: 'run_failed', object: 'run_1', state: 'failed' })
    await jobs.settled()
    expect(lines).toHaveLength(1)
    expect((await rows()).map(({ status, deliveries }) => [status, deliveries.length]).sort()).toEqual([
      ['not_sent', 0],
      ['sent', 1],
    ])
    expect(await events()).toEqual(['notify_requested ', 'notify_requested terminal', 'notify_sent terminal'])
  })
})

describeStores('a notifier that fails', (openFresh) => {
  it('is retried until it accepts the message, without the other notifiers', async () => {
    const { send, jobs, lines, hook, rows, events, pass } = await openFixture(openFresh, 'fails')
    await send()
    await jobs.settled()
    expect(await rows()).toMatchObject([
      {
        status: 'waiting',
        deliveries: [
          { adapter: 'terminal', ok: true },
          { adapter: 'webhook', ok: false, error: 'answered 500 Internal Server Error: out of order' },
        ],
      },
    ])
    await pass(1_000)
    hook.behave('takes it')
    await pass(2_000)
    expect(lines).toHaveLength(1)
    expect(new Set(hook.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
    expect(hook.requests).toHaveLength(3)
    expect(await rows()).toMatchObject([{ status: 'sent', deliveries: [{ ok: true }, { ok: true }] }])
    expect(await events()).toEqual([
      'notify_requested terminal,webhook',
      'notify_sent terminal',
      'notify_failed webhook',
      'notify_sent webhook',
    ])
  })

  it('is given up after ten tries, and leaves no dead job', async () => {
    const { send, jobs, hook, rows, events, pass } = await openFixture(openFresh, 'points elsewhere')
    await send()
    await jobs.settled()
    await pass(511_000)
    expect(await rows()).toMatchObject([{ status: 'failed' }])
    expect((await rows())[0]?.deliveries[1]?.error).toMatch(/answered 307.*not followed/)
    expect(await events()).toEqual([
      'notify_requested terminal,webhook',
      'notify_sent terminal',
      'notify_failed webhook',
      'notify_failed webhook',
    ])
    expect(await jobs.listDead()).toEqual([])
    const requests = hook.requests.length
    await pass(3_600_000)
    expect(hook.requests).toHaveLength(requests)
  })

  it('never reveals its secret', async () => {
    const { send, jobs, raw } = await openFixture(openFresh, 'fails and repeats what it was sent')
    await send()
    await jobs.settled()
    const kept = JSON.stringify([await raw('SELECT * FROM events'), await raw('SELECT * FROM notifications')])
    expect(kept).toContain('answered 500')
    expect(kept).not.toContain('hunter2')
  })

  it('is paused after repeated failures, so that other jobs do not wait for it', async () => {
    const { send, jobs, hook, lines, pass, rows } = await openFixture(openFresh, 'fails')
    for (let index = 0; index < 40; index++) {
      await send({ object: `gat_${index}` })
      await jobs.settled()
    }
    expect(lines).toHaveLength(40)
    expect(hook.requests).toHaveLength(3)
    hook.behave('takes it')
    await pass(511_000)
    expect(new Set((await rows()).map(({ status }) => status))).toEqual(new Set(['sent']))
    expect(hook.requests).toHaveLength(43)
  })
})

describeStores('a daemon that is restarted', (openFresh) => {
  it('sends the notifications that it had not sent before', async () => {
    const first = await openFixture(openFresh)
    await first.jobs.stop()
    await first.send()
    expect(first.lines).toEqual([])
    const { jobs, lines, rows } = await first.restart()
    await jobs.settled()
    expect(lines).toHaveLength(1)
    expect(await rows()).toMatchObject([{ status: 'sent' }])
  })

  it('stops without waiting for a hanging notifier, and keeps the finished deliveries', async () => {
    const first = await openFixture(openFresh, 'hangs')
    await first.send()
    await expect.poll(() => first.hook.requests.length).toBe(1)
    first.hook.behave('takes it')
    const second = await first.restart()
    await second.jobs.settled()
    expect(await second.events()).toEqual([
      'notify_requested terminal,webhook',
      'notify_sent terminal',
      'notify_sent webhook',
    ])
    expect(second.lines).toHaveLength(1)
  })

  it('sends a message again, with the same id, if it was killed before the record of it', async () => {
    const killed = await openFixture(openFresh)
    const death = killed.dieAtNextLine()
    await killed.send()
    await death
    await expect.poll(() => killed.hook.requests.length).toBe(1)
    const heir = await killed.restart()
    await heir.jobs.settled()
    const ids = heir.hook.requests.map(({ body }) => (JSON.parse(body) as { id: string }).id)
    const [row] = await heir.rows()
    expect(ids).toEqual([row?.id, row?.id])
    expect(row).toMatchObject({ status: 'sent', deliveries: [{ ok: true }, { ok: true }] })
    expect(await heir.events()).toEqual(['notify_requested terminal,webhook', 'notify_sent terminal,webhook'])
  })

  it('sends a message once if two workers run', async () => {
    const first = await openFixture(openFresh)
    const second = await first.second()
    for (let index = 0; index < 20; index++) await first.send({ object: `gat_${index}` })
    for (const { jobs } of [first, second]) await jobs.sweep()
    for (const { jobs } of [first, second]) await jobs.settled()
    expect(first.lines).toHaveLength(20)
    expect(first.hook.requests).toHaveLength(20)
  })

  it('says that a message was not sent if no notifier is left', async () => {
    const first = await openFixture(openFresh)
    await first.jobs.stop()
    await first.send()
    const second = await first.restart([])
    await second.jobs.settled()
    expect(await second.rows()).toMatchObject([{ status: 'not_sent', deliveries: [] }])
    expect(await second.events()).toEqual(['notify_requested terminal,webhook', 'notify_failed '])
  })

  it('drops the deliveries of a notifier that is no longer configured', async () => {
    const first = await openFixture(openFresh, 'fails')
    await first.send()
    await first.jobs.settled()
    const second = await first.restart([terminal])
    await second.pass(1_000)
    expect(await second.rows()).toMatchObject([{ status: 'sent' }])
    expect(second.lines).toHaveLength(1)
  })
})

describeStores('a test message', (openFresh) => {
  it('is sent by all notifiers in parallel, and returns the outcome of each', async () => {
    const { notify, lines, events, rows } = await openFixture(openFresh, 'fails')
    const record = await notify.test(undefined)
    expect(record).toMatchObject({ kind: 'test', status: 'failed', runId: null })
    expect(record.deliveries.map(({ adapter, ok }) => [adapter, ok])).toEqual([
      ['terminal', true],
      ['webhook', false],
    ])
    expect(lines[0]).toMatch(/ NOTE +TEST +Test message from Agency/)
    expect(await events()).toEqual(['notify_sent terminal', 'notify_failed webhook'])
    expect(await rows()).toEqual([record])
  })

  it('is sent by one notifier, again each time', async () => {
    const { notify, lines, hook } = await openFixture(openFresh)
    expect(await notify.test('webhook')).toMatchObject({ status: 'sent' })
    expect(await notify.test('webhook')).toMatchObject({ status: 'sent' })
    expect([lines.length, hook.requests.length]).toEqual([0, 2])
  })

  it('is rejected for an unknown notifier, and without notifiers', async () => {
    const { notify, restart } = await openFixture(openFresh)
    await expect(notify.test('pigeon')).rejects.toMatchObject({
      code: 'not_found',
      hint: 'Available: terminal, webhook.',
    })
    const { notify: none } = await restart([])
    await expect(none.test(undefined)).rejects.toMatchObject({ code: 'conflict' })
  })
})

describeStores('the list of notifications', (openFresh) => {
  it('has the newest first, and can be filtered by status', async () => {
    const { send, jobs, notify, clock } = await openFixture(openFresh, 'fails')
    for (const object of ['a', 'b', 'c']) {
      await send({ object })
      clock.advance(1)
    }
    await jobs.settled()
    const { notifiers, notifications: all } = await notify.list(undefined, 2)
    expect(notifiers).toEqual([
      { name: 'terminal', kinds: null },
      { name: 'webhook', kinds: null },
    ])
    expect(all.map(({ object }) => object)).toEqual(['c', 'b'])
    expect((await notify.list('sent', 10)).notifications).toEqual([])
    expect((await notify.list('waiting', 10)).notifications).toHaveLength(3)
  })

  it('can be rebuilt from the events', async () => {
    const { db, send, jobs, notify, pass } = await openFixture(openFresh, 'fails')
    await send()
    await notify.test(undefined)
    await jobs.settled()
    await pass(511_000)
    expect((await replayEvents(db, [notifications])).differences).toEqual([])
    expect((await auditEvents(db)).findings).toEqual([])
  })
})

describeStores('the end of a run', (openFresh) => {
  const steps = [
    { write: { path: 'poem.txt', text: 'one' } },
    { report: { status: 'done', summary: 'finished', outputs: ['poem.txt'] } },
  ]

  it('is sent with a link, and does not depend on the delivery', async () => {
    const { db } = await openFresh()
    const hook = await httpEndpoint('fails')
    const notifiers: NotifierSettings[] = [
      terminal,
      { adapter: 'webhook', timeoutSeconds: 10, url: `${hook.origin}/x` },
    ]
    const { agency, notify } = await startAgency(db, { notifiers })
    const { id } = await agency.runs.create(
      operator,
      CreateRun.parse({ goal: 'Write a poem', runtimeOptions: { scenario: { steps } } }),
    )
    await expect.poll(() => hook.requests.length, { timeout: 15_000 }).toBeGreaterThan(0)
    expect(await agency.runs.show(id)).toMatchObject({ status: 'done' })
    expect(hook.requests.map(({ body }) => JSON.parse(body) as unknown)[0]).toMatchObject({
      kind: 'run_done',
      run_id: id,
      link: `http://127.0.0.1:1/runs/${id}`,
      actions: [{ command: `agency inspect ${id}` }],
    })
    await expect
      .poll(async () => (await notify.list(undefined, 10)).notifications[0]?.deliveries.map(({ ok }) => ok))
      .toEqual([true, false])
    expect((await notify.list(undefined, 10)).notifications).toMatchObject([{ object: id, state: 'done', runId: id }])
    expect((await replayEvents(db, eventTables)).differences).toEqual([])
  })
})

describeStores('a team that names a notifier', (openFresh) => {
  it('is notified of its own runs only, in addition to the notifiers of the installation', async () => {
    const { db } = await openFresh()
    const [ours, theirs] = [await httpEndpoint('takes it'), await httpEndpoint('takes it')]
    const webhook = { adapter: 'webhook', timeoutSeconds: 10 } as const
    const notifiers: NotifierSettings[] = [
      { ...webhook, url: `${ours.origin}/ours` },
      { ...webhook, name: 'theirs', teamOnly: true, url: `${theirs.origin}/theirs` },
    ]
    const { agency, notify } = await startAgency(db, { notifiers, slots: 0 })
    const start = (playbook: 'direct' | 'tiered', team?: string) =>
      agency.runs.create(operator, CreateRun.parse({ goal: 'Build it', playbook, team }))
    const withTeam = await start('tiered', 'notify: [theirs, webhook]')
    const alone = await start('direct')
    for (const { id } of [withTeam, alone])
      await db.write([`run:${id}`], (tx) => notify.send(tx, { ...note, runId: id, object: `gate:${id}` }))
    await expect.poll(() => ours.requests.length, { timeout: 15_000 }).toBe(2)
    await expect.poll(async () => (await notify.list('sent', 10)).notifications.length, { timeout: 15_000 }).toBe(2)
    expect(theirs.requests.map(({ body }) => (JSON.parse(body) as { run_id: string }).run_id)).toEqual([withTeam.id])
    const sent = (await notify.list('sent', 10)).notifications.find(({ runId }) => runId === withTeam.id)
    expect(sent?.deliveries.map(({ adapter }) => adapter)).toEqual(['webhook', 'theirs'])
  })
})
