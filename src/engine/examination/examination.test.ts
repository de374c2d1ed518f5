import { expect, it } from 'vitest'

import {
  agentOf,
  type AgencyOptions,
  openAgency,
  startAgency,
  type TestAgency,
  work,
} from '../../../test/support/agency.ts'
import { slowCommands } from '../../../test/support/slow-commands.ts'
import { describeStores, type FreshStore } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { RuntimeEvent } from '../../adapters/runtime/port.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import type { Db } from '../../db/port.ts'
import { refusal } from '../../kernel/errors.ts'
import type { Playbook } from '../../playbooks/contract.ts'
import { direct } from '../../playbooks/direct/decide.ts'
import type { Attempt } from '../../work/attempts/contract.ts'
import { createMemoryWorkspaces } from '../../workspaces/memory.ts'
import type { Workspaces } from '../../workspaces/port.ts'

const command = [{ kind: 'command', run: 'npm test' }] as const
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Opens the agency again after it died or was stopped: the same store and workspaces, and the worker's next boot. */
const reopen = (before: TestAgency, store: FreshStore, options: AgencyOptions = {}): Promise<TestAgency> =>
  openAgency({ db: store.db, clock: before.clock, workspaces: before.workspaces, worker: 'test:2', ...options })

describeStores('an examination', (openFresh) => {
  it('of finished work survives the death of the daemon, and no agent is launched again', async () => {
    const slow = slowCommands()
    const before = await startAgency(openFresh, { workspaces: slow.workspaces })
    const started = await before.run({ evidence: [...command], play: [work, [{ hang: {} }]] })
    await slow.begun
    expect((await before.inspect(started)).attempts).toMatchObject([
      { status: 'examining', outcome: null, report: { status: 'done' }, ending: { outcome: 'ok' } },
    ])
    // The agent has ended, and its slot is free.
    expect(before.engine.running()).toBe(0)
    expect(await before.store.raw('SELECT state FROM agents')).toEqual([{ state: 'ended' }])
    before.die()
    const after = await reopen(before, before.store, { workspaces: slow.workspaces })
    await after.engine.start()
    // The start only marks the row: the check itself is still to be done.
    expect((await after.inspect(started)).attempts).toMatchObject([{ outcome: null }])
    await after.until(async () => (await after.inspect(started)).attempts[0]?.worker === 'test:2')
    await turn()
    slow.finish()
    const run = await after.settled(started)
    expect(run.status).toBe('done')
    expect((await after.inspect(run)).attempts).toMatchObject([{ outcome: 'ok', checkedIn: 'copy' }])
  })

  const ways: [string, (steps: StepInput[]) => StepInput[], RuntimeEvent | null][] = [
    ['the API', (steps) => steps, null],
    [
      'a file in the outbox',
      ([first]) => [
        first as StepInput,
        { write: { path: '.agency/outbox/report.json', text: '{"status":"done","summary":"Done."}' } },
      ],
      null,
    ],
    [
      'its output',
      ([first]) => [first as StepInput],
      { kind: 'report', report: { status: 'done', summary: 'Done.', outputs: ['result.md'] } },
    ],
  ]
  it.each(ways)('keeps a report that came through %s', async (_, steps, report) => {
    const slow = slowCommands()
    const before = await startAgency(openFresh, {
      workspaces: slow.workspaces,
      ...(report === null ? {} : { runtimes: [saying(report)] }),
    })
    const started = await before.run({
      evidence: [...command],
      ...(report === null ? { play: [steps([...work]), [{ hang: {} }]] } : { runtime: 'saying' }),
    })
    await slow.begun
    before.die()
    const after = await reopen(before, before.store, {
      workspaces: slow.workspaces,
      ...(report === null ? {} : { runtimes: [saying(report)] }),
    })
    await after.engine.start()
    await after.until(async () => (await after.inspect(started)).attempts[0]?.worker === 'test:2')
    await turn()
    slow.finish()
    expect((await after.settled(started)).status).toBe('done')
    expect((await after.inspect(started)).attempts).toHaveLength(1)
  })

  it('refuses a report that arrives after the exit, and the last report before it counts', async () => {
    const slow = slowCommands()
    const agency = await startAgency(openFresh, { workspaces: slow.workspaces })
    const twice: StepInput[] = [{ report: { status: 'partial', summary: 'A part.', outputs: [] } }, ...work]
    const started = await agency.run({ evidence: [...command], play: [twice] })
    await slow.begun
    const [attempt] = (await agency.inspect(started)).attempts as [Attempt]
    expect(attempt.report).toMatchObject({ status: 'done' })
    const late = agency.attempts.report(agentOf(attempt), { status: 'blocked', summary: 'Late.', outputs: [] })
    await expect(late).rejects.toMatchObject({ code: 'stale_fence' })
    slow.finish()
    expect((await agency.settled(started)).status).toBe('done')
    expect((await agency.inspect(started)).attempts).toMatchObject([{ outcome: 'ok', report: { status: 'done' } }])
  })

  it('during which the daemon dies again and again becomes a question', async () => {
    const slow = slowCommands()
    const first = await startAgency(openFresh, { workspaces: slow.workspaces })
    const started = await first.run({ evidence: [...command], play: [work, [{ hang: {} }]] })
    await slow.begun
    let now: TestAgency = first
    for (let boot = 2; boot <= 21; boot++) {
      now.die()
      now = await reopen(first, first.store, { workspaces: slow.workspaces, worker: `test:${boot}` })
      await now.engine.start()
      if (boot <= 20) while (slow.count() < boot) await turn()
    }
    expect((await now.inspect(started)).questions).toMatchObject([
      {
        class: 'fault',
        text: 'main is stuck: the daemon died 20 times in a row while its evidence was checked',
      },
    ])
    expect((await now.inspect(started)).attempts).toMatchObject([{ status: 'reported' }])
    const [question] = (await now.inspect(started)).questions
    await now.questions.answer(operator, question!.id, 'retry')
    while (slow.count() < 21) await turn()
    slow.finish()
    expect((await now.settled(started)).status).toBe('done')
    expect(await now.brief(started)).toMatchObject({ interruptions: 0, attempts: 1 })
  })

  it('ends when its run is cancelled', async () => {
    const slow = slowCommands()
    const agency = await startAgency(openFresh, { workspaces: slow.workspaces })
    const started = await agency.run({ evidence: [...command] })
    await slow.begun
    await agency.runs.cancel(operator, started.id, undefined)
    expect(slow.running()).toBe(0)
    await agency.engine.idle()
    expect(agency.engine.examining()).toBe(0)
    expect((await agency.inspect(started)).attempts).toMatchObject([{ status: 'ended', outcome: 'interrupted' }])
  })

  it('ends at a stop and continues when the stop is lifted, without another agent', async () => {
    const slow = slowCommands()
    const agency = await startAgency(openFresh, { workspaces: slow.workspaces })
    const started = await agency.run({ evidence: [...command] })
    await slow.begun
    await agency.stops.set(operator, undefined, 'for a test')
    await agency.until(async () => (await agency.inspect(started)).attempts[0]?.status === 'reported')
    expect(slow.running()).toBe(0)
    await agency.stops.clear(operator, undefined)
    await agency.until(async () => (await agency.inspect(started)).attempts[0]?.status === 'examining')
    await turn()
    slow.finish()
    expect((await agency.settled(started)).status).toBe('done')
    expect((await agency.inspect(started)).attempts).toHaveLength(1)
  })

  it('ends when the daemon stops, and the next one continues it', async () => {
    const slow = slowCommands()
    const before = await startAgency(openFresh, { workspaces: slow.workspaces })
    const started = await before.run({ evidence: [...command] })
    await slow.begun
    await before.engine.stop()
    expect(slow.running()).toBe(0)
    expect((await before.inspect(started)).attempts).toMatchObject([{ status: 'reported' }])
    const after = await reopen(before, before.store, { workspaces: slow.workspaces })
    await after.engine.start()
    await after.until(async () => (await after.inspect(started)).attempts[0]?.status === 'examining')
    await turn()
    slow.finish()
    expect((await after.settled(started)).status).toBe('done')
    expect((await after.inspect(started)).attempts).toHaveLength(1)
  })

  it('waits for a free slot, and agents do not wait for it', async () => {
    const slow = slowCommands()
    const agency = await startAgency(openFresh, { workspaces: slow.workspaces, slots: 1 })
    const first = await agency.run({ evidence: [...command] })
    await slow.begun
    const second = await agency.run({ evidence: [...command] })
    await agency.until(async () => (await agency.inspect(second)).attempts[0]?.status === 'reported')
    expect(slow.running()).toBe(1)
    slow.finish()
    expect((await agency.settled(first)).status).toBe('done')
    await agency.until(async () => (await agency.inspect(second)).attempts[0]?.status === 'examining')
    await turn()
    slow.finish()
    expect((await agency.settled(second)).status).toBe('done')
  })

  it('that cannot be done is repeated, then a question; the answer repeats it without another agent', async () => {
    const memory = createMemoryWorkspaces()
    let isBroken = true
    const workspaces: Workspaces = {
      ...memory,
      checkout: async (request) => {
        if (isBroken) throw new Error('no space left on device')
        return { ...(await memory.checkout(request)), boxed: true }
      },
    }
    memory.answer('npm test', () => ({ exitCode: 0, output: '' }))
    const agency = await startAgency(openFresh, { workspaces })
    const started = await agency.run({ evidence: [...command], play: [work, [{ hang: {} }]] })
    for (const [index, waitMs] of [1_000, 5_000, 30_000].entries()) {
      while (agency.logged.filter(isUnchecked).length <= index) await turn()
      await turn()
      agency.clock.advance(waitMs)
    }
    const { question } = await agency.until(async () => {
      const [found] = (await agency.inspect(started)).questions
      return found === undefined ? null : { question: found }
    })
    expect(question).toMatchObject({
      class: 'fault',
      text: 'main is stuck: its evidence could not be checked: no space left on device',
    })
    expect(await agency.brief(started)).toMatchObject({ status: 'blocked', retriesUsed: 0, crashRetries: 0 })
    expect((await agency.inspect(started)).attempts).toMatchObject([
      { status: 'reported', heldBy: `question:${question.id}` },
    ])
    isBroken = false
    await agency.questions.answer(operator, question.id, 'retry')
    expect((await agency.settled(started)).status).toBe('done')
    expect((await agency.inspect(started)).attempts).toHaveLength(1)
  })

  it('that waits for an answer ends with its brief', async () => {
    const memory = createMemoryWorkspaces()
    const workspaces: Workspaces = {
      ...memory,
      open: async () => {
        throw refusal('bug', 'a fault')
      },
    }
    const agency = await startAgency(openFresh, { workspaces })
    const started = await agency.run({ evidence: [...command] })
    const question = await agency.until(async () => (await agency.inspect(started)).questions[0])
    await agency.questions.answer(operator, question.id, 'abandon')
    expect((await agency.settled(started)).status).toBe('failed')
    expect((await agency.inspect(started)).attempts).toMatchObject([{ status: 'ended', outcome: 'interrupted' }])
  })
})

const isUnchecked = ({ message }: { message: string }): boolean =>
  message === 'the evidence of an attempt could not be checked'

/** A runtime whose agent reports in its output and ends. */
const saying = (report: RuntimeEvent) => ({
  name: 'saying',
  capabilities: { simulated: true, boxed: false, evidenceUnboxed: true, send: false, resume: false },
  available: async () => ({ ok: true as const }),
  checkOptions: () => {},
  launch: async ({ workspace }: { workspace: { write(path: string, text: string): Promise<void> } }) => {
    await workspace.write('result.md', 'Done.\n')
    return {
      pid: null,
      events: (async function* (): AsyncGenerator<RuntimeEvent> {
        yield report
        yield { kind: 'ended', exitCode: 0, signal: null }
      })(),
      send: async () => {},
      interrupt: async () => {},
    }
  },
})

/** A playbook that throws at this event until `times` are used up. */
const throwing = (kind: string, times: { left: number }): Playbook => ({
  ...direct,
  decide: (view, event) => {
    if (event.kind === kind && times.left > 0) {
      times.left--
      throw new Error('a fault of the playbook')
    }
    return direct.decide(view, event)
  },
})

describeStores('a playbook that throws', (openFresh) => {
  it('always becomes a question, also after a restart, and the finished work is kept', async () => {
    const times = { left: Number.POSITIVE_INFINITY }
    const options = { playbooks: [throwing('brief_ready', times)], mayLogErrors: true }
    const before = await startAgency(openFresh, options)
    const started = await before.run({ play: [work, [{ hang: {} }]] })
    const question = await before.until(async () => (await before.inspect(started)).questions[0])
    expect(question).toMatchObject({
      class: 'fault',
      text: 'main is stuck: Agency failed to record its result: a fault of the playbook',
    })
    expect(await before.brief(started)).toMatchObject({ status: 'blocked', crashRetries: 0 })
    await before.engine.stop()
    const after = await reopen(before, before.store, options)
    await after.engine.start()
    await after.engine.sweep()
    expect((await after.inspect(started)).attempts).toMatchObject([{ status: 'reported' }])
    times.left = 0
    await after.questions.answer(operator, question.id, 'retry')
    expect((await after.settled(started)).status).toBe('done')
    expect((await after.inspect(started)).attempts).toHaveLength(1)
  })

  it.each(['abandon', 'cancel'] as const)(
    'at every event does not prevent the operator from ending the run: %s',
    async (way) => {
      let isBroken = false
      const broken: Playbook = {
        ...direct,
        decide: (view, event) => {
          if (isBroken) throw new Error('a fault of the playbook')
          return direct.decide(view, event)
        },
      }
      const agency = await startAgency(openFresh, { playbooks: [broken], mayLogErrors: true })
      const started = await agency.run()
      isBroken = true
      const question = await agency.until(async () => (await agency.inspect(started)).questions[0])
      if (way === 'abandon') await agency.questions.answer(operator, question.id, 'abandon')
      else await agency.runs.cancel(operator, started.id, undefined)
      expect(await agency.settled(started)).toMatchObject(
        way === 'abandon'
          ? { status: 'failed', summary: 'abandoned by operator, without its playbook: a fault of the playbook' }
          : { status: 'cancelled' },
      )
    },
  )

  it('once is asked again without notice', async () => {
    const agency = await startAgency(openFresh, { playbooks: [throwing('brief_ready', { left: 1 })] })
    const run = await agency.settled(await agency.run())
    expect(run.status).toBe('done')
    expect((await agency.inspect(run)).questions).toEqual([])
  })

  it('does not lose the last calls of an agent', async () => {
    const agency = await startAgency(openFresh, {
      playbooks: [throwing('brief_failed', { left: Number.POSITIVE_INFINITY })],
      mayLogErrors: true,
    })
    const started = await agency.run({
      play: [[{ usage: { input_tokens: 700, output_tokens: 5 } }, { crash: {} }] as StepInput[]],
      crashRetries: 0,
    })
    await agency.until(async () => (await agency.inspect(started)).questions[0])
    expect((await agency.inspect(started)).run).toMatchObject({ inputTokens: 700, outputTokens: 5 })
  })

  it('while an abandoned attempt is marked does not prevent the start', async () => {
    const before = await startAgency(openFresh)
    const started = await before.run({ play: [[{ hang: {} }], work], crashRetries: 0 })
    await before.passed('attempt.started')
    before.die()
    const after = await reopen(before, before.store, {
      playbooks: [throwing('brief_blocked', { left: Number.POSITIVE_INFINITY })],
      mayLogErrors: true,
    })
    // The twentieth interruption in a row blocks the brief.
    await before.store.raw('UPDATE briefs SET interruptions = 19')
    await after.engine.start()
    const question = await after.until(async () => (await after.inspect(started)).questions[0])
    expect(question).toMatchObject({ class: 'fault' })
    expect((await after.inspect(started)).attempts).toMatchObject([{ status: 'ended' }])
    await before.store.raw('UPDATE briefs SET interruptions = 0')
    await after.questions.answer(operator, question.id, 'retry')
    expect((await after.settled(started)).status).toBe('done')
  })
})

describeStores('a commit whose answer is lost', (openFresh) => {
  /** Commits the next write of this kind and then fails as if the store were unreachable. */
  function losing(db: Db): { db: Db; lose(): void } {
    let isLost = false
    return {
      lose: () => {
        isLost = true
      },
      db: {
        ...db,
        write: async (streams, body) => {
          const answer = await db.write(streams, body)
          if (!isLost || !streams.some((stream) => stream.startsWith('run:'))) return answer
          isLost = false
          throw refusal('store_unusable', 'the connection is gone')
        },
      },
    }
  }

  it('leaves no claimed brief behind: the sweep finds it', async () => {
    const store = await openFresh()
    const { db, lose } = losing(store.db)
    const agency = await openAgency({ db, mayLogErrors: true })
    await agency.engine.start()
    await agency.stops.set(operator, undefined, 'wait')
    const started = await agency.run()
    lose()
    await agency.stops.clear(operator, undefined)
    await agency.until(async () => (await agency.brief(started)).status === 'assigned')
    await agency.engine.idle()
    expect(agency.engine.running()).toBe(0)
    await agency.engine.sweep()
    expect((await agency.settled(started)).status).toBe('done')
    expect((await agency.inspect(started)).attempts).toMatchObject([
      { outcome: 'interrupted', detail: 'record_lost' },
      { outcome: 'ok' },
    ])
  })

  it('begins no examination twice', async () => {
    const store = await openFresh()
    const { db, lose } = losing(store.db)
    const slow = slowCommands()
    let exits = 0
    const agency = await openAgency({
      db,
      slots: 1,
      workspaces: slow.workspaces,
      mayLogErrors: true,
      chaosPoint: (point) => {
        if (point === 'agent.exited' && ++exits === 2) lose()
      },
    })
    await agency.engine.start()
    const first = await agency.run({ evidence: [...command] })
    await slow.begun
    // No slot is free when the second agent ends; one is free before its end is recorded again.
    const second = await agency.run({ evidence: [...command] })
    await agency.until(async () => (await agency.inspect(second)).attempts[0]?.status === 'reported')
    while (!agency.logged.some(({ level }) => level === 'error')) await turn()
    slow.finish()
    await agency.settled(first)
    for (let turns = 0; turns < 100; turns++) await turn()
    agency.clock.advance(500)
    while (slow.count() < 2 || agency.engine.running() > 0) await turn()
    await turn()
    expect([slow.count(), agency.engine.examining()]).toEqual([2, 1])
    slow.finish()
    expect((await agency.settled(second)).status).toBe('done')
  })

  it('records no call twice and loses no report', async () => {
    const store = await openFresh()
    const { db, lose } = losing(store.db)
    const agency = await openAgency({
      db,
      mayLogErrors: true,
      chaosPoint: (point) => {
        if (point === 'agent.exited') lose()
      },
    })
    await agency.engine.start()
    const started = await agency.run({
      play: [[{ usage: { input_tokens: 10, output_tokens: 5 } }, ...work] as StepInput[], [{ hang: {} }]],
    })
    while (!agency.logged.some(({ level }) => level === 'error')) await turn()
    await turn()
    agency.clock.advance(500)
    const run = await agency.settled(started)
    expect(run).toMatchObject({ status: 'done', inputTokens: 10, outputTokens: 5 })
    expect((await agency.inspect(run)).attempts).toHaveLength(1)
  })
})
