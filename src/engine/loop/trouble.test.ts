import { describe, expect, it } from 'vitest'

import { openAgency, work } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { createVirtualClock } from '../../../test/support/virtual-clock.ts'
import type { Runtime } from '../../adapters/runtime/port.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import { createScriptedRuntime } from '../../adapters/runtime/scripted/runtime.ts'
import type { Db, Stream } from '../../db/port.ts'
import type { Event } from '../../events/contract.ts'
import { type ErrorCode, refusal } from '../../kernel/errors.ts'
import type { ChaosPointName } from '../../kernel/chaos-point.ts'
import { createMemoryWorkspaces } from '../../workspaces/memory.ts'
import type { Workspace } from '../../workspaces/port.ts'

const hang: StepInput[] = [{ hang: {} }]
const ofKind = (events: readonly Event[], kind: Event['kind']): Event[] => events.filter((each) => each.kind === kind)
const turn = () => new Promise((resolve) => setImmediate(resolve))

const ofRun = (streams: readonly Stream[]): boolean => streams.some((stream) => stream.startsWith('run:'))

/** A store that refuses the next writes on request and counts them. */
function troubled(db: Db) {
  let left = 0
  let code: ErrorCode = 'store_full'
  let concerns = (_: readonly Stream[]): boolean => true
  let count = 0
  const waiting = new Set<{ times: number; resolve: () => void }>()
  return {
    db: {
      ...db,
      write: async (streams, body) => {
        if (left === 0 || !concerns(streams)) return db.write(streams, body)
        left--
        count++
        for (const each of waiting) if (each.times <= count) each.resolve()
        throw refusal(code, 'no space left on device')
      },
    } satisfies Db,
    refuse: (times: number, options: { code?: ErrorCode; streams?: typeof concerns } = {}) => {
      left = times
      code = options.code ?? 'store_full'
      concerns = options.streams ?? (() => true)
    },
    /** Resolves when this number of writes has been refused. */
    refused: (times = 1): Promise<void> =>
      count >= times ? Promise.resolve() : new Promise((resolve) => waiting.add({ times, resolve })),
  }
}

describeStores('a store that refuses writes for a while', (openFresh) => {
  const moments: [ChaosPointName, ErrorCode][] = [
    ['agent.launched', 'store_full'],
    ['agent.exited', 'store_full'],
    ['evidence.checked', 'store_unusable'],
  ]
  it.each(moments)('loses nothing and records nothing twice (from "%s" on, %s)', async (moment, code) => {
    const clock = createVirtualClock()
    const { db } = await openFresh({ clock })
    const trouble = troubled(db)
    const agency = await openAgency({
      db: trouble.db,
      clock,
      mayLogErrors: true,
      chaosPoint: (point) => {
        // Jobs write too, at any time, and would use up a refusal.
        if (point === moment) trouble.refuse(2, { code, streams: ofRun })
        if (point === 'attempt.started') agency.gate('started').open()
      },
    })
    await agency.engine.start()
    const started = await agency.run({ play: [[{ log: 'gate started' }, ...work]] })
    for (const [index, waitMs] of [500, 1_000].entries()) {
      await trouble.refused(index + 1)
      await turn()
      clock.advance(waitMs - 1)
      await turn()
      expect(await agency.runs.show(started.id)).toMatchObject({ status: 'running' })
      clock.advance(1)
    }
    const run = await agency.settled(started)
    expect(run).toMatchObject({ status: 'done', briefsDone: 1 })
    const events = await agency.events(run)
    for (const kind of ['spawned', 'turn_ended', 'evidence_checked', 'completed'] as const)
      expect(ofKind(events, kind), kind).toHaveLength(1)
    expect((await agency.inspect(run)).attempts).toMatchObject([{ outcome: 'ok' }])
    expect(agency.logged.filter((line) => line.level === 'error')).toMatchObject([
      { message: 'the store does not take a record; trying again', waitMs: 500 },
      { message: 'the store does not take a record; trying again', waitMs: 1_000 },
    ])
  })

  it('does not prevent the daemon from stopping: the next start records the result', async () => {
    const clock = createVirtualClock()
    const { db } = await openFresh({ clock })
    const trouble = troubled(db)
    const agency = await openAgency({
      db: trouble.db,
      clock,
      mayLogErrors: true,
      chaosPoint: (point) => {
        if (point === 'agent.exited') trouble.refuse(Number.POSITIVE_INFINITY)
        if (point === 'attempt.started') agency.gate('started').open()
      },
    })
    await agency.engine.start()
    const started = await agency.run({ play: [[{ log: 'gate started' }, ...work]] })
    await trouble.refused()
    await agency.engine.stop()
    trouble.refuse(0)
    expect(await agency.brief(started)).toMatchObject({ status: 'working' })
    const next = await openAgency({ db, clock, workspaces: agency.workspaces, worker: 'test:2' })
    await next.engine.start()
    expect(await next.settled(started)).toMatchObject({ status: 'done' })
    expect((await next.inspect(started)).attempts).toMatchObject([{ outcome: 'ok', fence: 1 }])
  })

  it('does not prevent a run from starting if the claim of another failed', async () => {
    const clock = createVirtualClock()
    const { db } = await openFresh({ clock })
    const trouble = troubled(db)
    const agency = await openAgency({ db: trouble.db, clock, mayLogErrors: true })
    const unlucky = await agency.run()
    const lucky = await agency.run()
    trouble.refuse(1, { streams: (streams) => streams.includes(`run:${unlucky.id}`) })
    await agency.engine.start()
    expect(await agency.settled(lucky)).toMatchObject({ status: 'done' })
    expect(await agency.settled(unlucky)).toMatchObject({ status: 'done' })
    for (const run of [lucky, unlucky]) expect((await agency.inspect(run)).attempts).toHaveLength(1)
  })

  it('is retried by the sweep after a failed claim', async () => {
    const clock = createVirtualClock()
    const { db } = await openFresh({ clock })
    const trouble = troubled(db)
    const agency = await openAgency({ db: trouble.db, clock, mayLogErrors: true })
    const started = await agency.run()
    trouble.refuse(1, { streams: (streams) => streams.includes(`run:${started.id}`) })
    await agency.engine.start()
    await trouble.refused()
    await agency.engine.idle()
    expect(await agency.brief(started)).toMatchObject({ status: 'pending', attempts: 0 })
    clock.advance(30_000)
    expect(await agency.settled(started)).toMatchObject({ status: 'done' })
  })
})

describe('a launch that fails', () => {
  const failing = (times: number, error = new Error('no room for another process')): Runtime => {
    const scripted = createScriptedRuntime({ host: 'in-process' })
    let left = times
    return { ...scripted, launch: async (launch) => (left-- > 0 ? Promise.reject(error) : scripted.launch(launch)) }
  }

  it('is a crash that is retried', async () => {
    const agency = await openAgency({ runtimes: [failing(2)] })
    await agency.engine.start()
    const run = await agency.settled(await agency.run())
    expect(run.status).toBe('done')
    expect((await agency.inspect(run)).attempts.map(({ outcome, detail }) => [outcome, detail])).toEqual([
      ['crash', 'could not be started: no room for another process'],
      ['crash', 'could not be started: no room for another process'],
      ['ok', 'Done.'],
    ])
    const events = await agency.events(run)
    expect(ofKind(events, 'spawned')).toHaveLength(1)
    expect(ofKind(events, 'retried')).toMatchObject([
      { message: expect.stringContaining('(retry 1/3)') as never, data: { from: 'assigned', to: 'pending' } },
      { message: expect.stringContaining('(retry 2/3)') as never },
    ])
  })

  it('fails the brief if it never succeeds', async () => {
    const agency = await openAgency({ runtimes: [failing(99)] })
    await agency.engine.start()
    const run = await agency.settled(await agency.run())
    expect(run).toMatchObject({ status: 'failed', briefsFailed: 1 })
    expect(await agency.brief(run)).toMatchObject({ status: 'failed', attempts: 4, crashRetries: 3 })
  })

  it('is a crash if the workspace cannot be prepared', async () => {
    const memory = createMemoryWorkspaces()
    let left = 1
    const agency = await openAgency({
      workspaces: {
        ...memory,
        prepare: async (brief) => {
          if (left-- > 0) throw new Error('ENOSPC')
          return memory.prepare(brief)
        },
      },
    })
    await agency.engine.start()
    const run = await agency.settled(await agency.run())
    expect((await agency.inspect(run)).attempts.map(({ outcome, detail }) => [outcome, detail])).toEqual([
      ['crash', 'could not be started: ENOSPC'],
      ['ok', 'Done.'],
    ])
  })

  it.each(['network_isolation_unavailable', 'box_unavailable'] as const)(
    'is not tried again if the machine lacks a guarantee (%s): the operator is asked',
    async (code) => {
      const agency = await openAgency({
        workspaces: {
          ...createMemoryWorkspaces(),
          prepare: async () => {
            throw refusal(code, 'there is no box')
          },
        },
      })
      await agency.engine.start()
      const run = await agency.run({ onLimit: 'ask' })
      const question = await agency.until(
        async () => (await agency.questions.list({ runId: run.id, limit: 1 })).questions[0],
      )
      expect(question.text).toContain(`${code}: there is no box`)
      expect((await agency.inspect(run)).attempts.map(({ outcome }) => outcome)).toEqual(['blocked'])
    },
  )

  it('is a crash if the runtime no longer exists, and delays no other brief', async () => {
    const extra: Runtime = { ...createScriptedRuntime({ host: 'in-process' }), name: 'extra' }
    const before = await openAgency({ runtimes: [extra] })
    const orphan = await before.run({ runtime: 'extra', play: undefined, runtimeOptions: {} })
    const agency = await openAgency({ db: before.db, clock: before.clock, slots: 1 })
    const other = await agency.run()
    await agency.engine.start()
    expect(await agency.settled(orphan)).toMatchObject({ status: 'failed' })
    expect((await agency.brief(orphan)).failure).toContain('the runtime "extra", which does not exist')
    expect(await agency.settled(other)).toMatchObject({ status: 'done' })
  })
})

describe('an agent that cannot be followed', () => {
  it('is ended, and its attempt is a crash', async () => {
    const scripted = createScriptedRuntime({ host: 'in-process' })
    let interrupted = 0
    const runtime: Runtime = {
      ...scripted,
      launch: async (launch) => {
        const handle = await scripted.launch(launch)
        if (launch.attempt > 1) return handle
        return {
          ...handle,
          // oxlint-disable-next-line require-yield
          events: (async function* () {
            throw new Error('the pipe broke')
          })(),
          interrupt: () => {
            interrupted++
            return handle.interrupt()
          },
        }
      },
    }
    const agency = await openAgency({ runtimes: [runtime] })
    await agency.engine.start()
    const run = await agency.settled(await agency.run({ play: [hang, work] }))
    expect(interrupted).toBe(1)
    expect((await agency.inspect(run)).attempts.map(({ outcome, detail }) => [outcome, detail])).toEqual([
      ['crash', 'could not be followed: the pipe broke'],
      ['ok', 'Done.'],
    ])
  })

  it('does not end the engine by refusing an interrupt', async () => {
    const scripted = createScriptedRuntime({ host: 'in-process' })
    const runtime: Runtime = {
      ...scripted,
      launch: async (launch) => {
        const handle = await scripted.launch(launch)
        return {
          ...handle,
          interrupt: async () => {
            await handle.interrupt()
            throw new Error('no such process')
          },
        }
      },
    }
    const agency = await openAgency({ runtimes: [runtime], mayLogErrors: true })
    await agency.engine.start()
    const started = await agency.run({ play: [hang], crashRetries: 0 })
    await agency.passed('attempt.started')
    agency.clock.advance(30 * 60_000)
    expect(await agency.settled(started)).toMatchObject({ status: 'failed' })
    expect(agency.logged).toContainEqual(expect.objectContaining({ message: 'an agent could not be interrupted' }))
  })
})

describe('evidence that cannot be checked', () => {
  it('neither passes nor fails: it is checked again, and no agent is launched', async () => {
    const memory = createMemoryWorkspaces()
    let failures = 2
    const agency = await openAgency({
      mayLogErrors: true,
      workspaces: {
        ...memory,
        open: async (brief): Promise<Workspace> => {
          const workspace = await memory.open(brief)
          return {
            ...workspace,
            read: async (path, maxBytes) => {
              if (failures === 0) return workspace.read(path, maxBytes)
              failures--
              throw new Error('EIO')
            },
          }
        },
      },
    })
    await agency.engine.start()
    const started = await agency.run()
    await agency.passed('examination.begun')
    while (agency.logged.length < 2) await turn()
    expect(agency.logged).toMatchObject([
      { message: 'the evidence of an attempt could not be checked at once', error: 'Error: EIO' },
      { message: 'the evidence of an attempt could not be checked', error: 'EIO' },
    ])
    await turn()
    agency.clock.advance(1_000)
    const run = await agency.settled(started)
    expect((await agency.inspect(run)).attempts.map(({ outcome, detail }) => [outcome, detail])).toEqual([
      ['ok', 'Done.'],
    ])
    expect(await agency.brief(run)).toMatchObject({ status: 'done', crashRetries: 0, retriesUsed: 0 })
  })
})

describeStores('an agent whose requests the store has failed', (openFresh) => {
  const crash: StepInput = { exit: { code: 1 } }
  const wait: StepInput = { log: 'gate trouble' }
  const quits: StepInput = { say: 'I give up.' }
  const play = async (steps: StepInput[], isOver: boolean) => {
    const { db } = await openFresh()
    const agency = await openAgency({ db })
    await agency.engine.start()
    const started = await agency.run({ play: [steps, work] })
    await agency.gate('trouble').reached
    const [attempt] = (await agency.inspect(started)).attempts
    agency.engine.noteStoreTrouble(attempt?.id ?? '', true)
    if (isOver) agency.engine.noteStoreTrouble(attempt?.id ?? '', false)
    agency.gate('trouble').open()
    const run = await agency.settled(started)
    const { attempts } = await agency.inspect(run)
    const { crashRetries, retriesUsed } = await agency.brief(run)
    return { run, outcomes: attempts.map(({ outcome, detail }) => [outcome, detail]), crashRetries, retriesUsed }
  }

  it.each([
    ['crashes', [wait, crash]],
    ['ends without a report', [wait, quits]],
  ])('is interrupted by that if it %s', async (_, steps) => {
    expect(await play(steps, false)).toMatchObject({
      run: { status: 'done' },
      outcomes: [
        ['interrupted', 'store_trouble'],
        ['ok', 'Done.'],
      ],
      crashRetries: 0,
      retriesUsed: 0,
    })
  })

  it('is at fault again once a request has succeeded', async () => {
    expect(await play([wait, crash], true)).toMatchObject({
      outcomes: [
        ['crash', 'exit code 1'],
        ['ok', 'Done.'],
      ],
      crashRetries: 1,
    })
  })

  it('has done its work if it has reported it', async () => {
    expect(await play([...work, wait, crash], false)).toMatchObject({ outcomes: [['ok', 'Done.']] })
  })
})
