import { describe, expect, it } from 'vitest'

import { openAgency, startAgency, type TestAgency, work } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import type { Db } from '../../db/port.ts'
import type { Event } from '../../events/contract.ts'
import type { Run } from '../../work/runs/contract.ts'

const scenario = (...attempts: (readonly StepInput[])[]) => ({ runtimeOptions: { scenario: { attempts } } })
const brief = (key: string, after: string[] = [], ...attempts: (readonly StepInput[])[]) => ({
  key,
  objective: `Do ${key}`,
  after,
  ...(attempts.length === 0 ? {} : scenario(...attempts)),
})
const waits = (gate: string): StepInput[] => [{ log: `gate ${gate}` }, ...work]
const crash: StepInput[] = [{ crash: {} }]

/** Returns `kind key` of all events of briefs, in order. */
async function story(agency: TestAgency, run: Run, ...kinds: Event['kind'][]): Promise<string[]> {
  const { briefs } = await agency.inspect(run)
  const keys = new Map(briefs.map((each) => [each.id, each.key]))
  return (await agency.events(run))
    .filter((event) => kinds.includes(event.kind))
    .map((event) => `${event.kind} ${keys.get(event.briefId ?? '') ?? event.data['to']}`)
}

describeStores('briefs of one run', (openFresh) => {
  it('start when all their dependencies are verified, and not before', async () => {
    const agency = await startAgency(openFresh)
    const briefs = [
      brief('last', ['left', 'right']),
      brief('left', ['first']),
      brief('right', ['first'], waits('right')),
      brief('first'),
    ]
    const started = await agency.run({ briefs })
    await agency.gate('right').reached
    await agency.until(async () => (await agency.brief(started, 'left')).status === 'done')
    await agency.engine.sweep()
    expect(await agency.brief(started, 'last')).toMatchObject({ status: 'pending', unmetDependencies: 1, attempts: 0 })
    agency.gate('right').open()
    const run = await agency.settled(started)
    expect(run).toMatchObject({ status: 'done', summary: '4 briefs done, evidence checked', briefsDone: 4 })
    const order = await story(agency, run, 'assigned', 'completed')
    expect(order.slice(0, 2)).toEqual(['assigned first', 'completed first'])
    expect(order.slice(2, 4).sort()).toEqual(['assigned left', 'assigned right'])
    expect(order.slice(4)).toEqual(['completed left', 'completed right', 'assigned last', 'completed last'])
  })

  it('do not start on a report alone: its evidence must pass', async () => {
    const agency = await startAgency(openFresh)
    const boast: StepInput[] = [{ report: { status: 'done', summary: 'Done.', outputs: ['gone.md'] } }]
    const started = await agency.run({ briefs: [brief('a', [], boast, waits('again')), brief('b', ['a'])] })
    await agency.gate('again').reached
    expect(await agency.brief(started, 'b')).toMatchObject({ status: 'pending', unmetDependencies: 1, attempts: 0 })
    agency.gate('again').open()
    const run = await agency.settled(started)
    expect(await story(agency, run, 'assigned', 'retried', 'completed')).toEqual([
      'assigned a',
      'retried a',
      'assigned a',
      'completed a',
      'assigned b',
      'completed b',
    ])
  })

  it('share the slots: never more agents at once, and every brief gets one', async () => {
    let most = 0
    const agency = await startAgency(openFresh, {
      slots: 3,
      chaosPoint: (point) => {
        if (point === 'agent.launched') most = Math.max(most, agency.engine.running())
      },
    })
    const briefs = Array.from({ length: 10 }, (_, index) => brief(`b${index}`, [], waits('all')))
    const started = await agency.run({ briefs })
    await agency.passed('attempt.started', 3)
    await agency.engine.sweep()
    expect(agency.engine.running()).toBe(3)
    expect(await agency.store.raw("SELECT COUNT(*) AS live FROM attempts WHERE status <> 'ended'")).toMatchObject([
      { live: expect.toSatisfy((count) => Number(count) === 3) as never },
    ])
    agency.gate('all').open()
    expect(await agency.settled(started)).toMatchObject({ status: 'done', briefsDone: 10 })
    expect(most).toBe(3)
  })

  it('are listed and claimed in the order of the plan', async () => {
    const agency = await startAgency(openFresh, { slots: 1 })
    const keys = Array.from({ length: 12 }, (_, index) => `b${11 - index}`)
    const run = await agency.settled(await agency.run({ briefs: keys.map((key) => brief(key)) }))
    expect((await agency.inspect(run)).briefs.map((row) => row.key)).toEqual(keys)
    expect(await story(agency, run, 'assigned')).toEqual(keys.map((key) => `assigned ${key}`))
  })

  it('of several runs are claimed together', async () => {
    const agency = await startAgency(openFresh)
    const runs = await Promise.all(
      Array.from({ length: 6 }, () => agency.run({ briefs: [brief('a'), brief('b', ['a'])] })),
    )
    for (const run of runs) expect(await agency.settled(run)).toMatchObject({ status: 'done', briefsDone: 2 })
  })

  describe('with a failed sibling', () => {
    it('finish their running attempts before the failure is surfaced, and start nothing new', async () => {
      const agency = await startAgency(openFresh, { slots: 2 })
      const briefs = [
        brief('broken', [], crash),
        brief('slow', [], waits('slow')),
        brief('next', ['slow']),
        brief('other', ['first']),
        brief('first', ['slow']),
      ]
      const started = await agency.run({ briefs, crashRetries: 0 })
      await agency.gate('slow').reached
      await agency.until(async () => (await agency.brief(started, 'broken')).status === 'failed')
      await agency.engine.sweep()
      expect(await agency.runs.show(started.id)).toMatchObject({ status: 'running', briefsFailed: 1, endedAt: null })
      agency.gate('slow').open()
      const run = await agency.settled(started)
      expect(run).toMatchObject({
        status: 'failed',
        summary: '1 brief failed: broken: killed by SIGSEGV (after 0 of 0 retries)',
        briefsDone: 1,
        briefsFailed: 1,
        briefsOpen: 0,
      })
      const told = await story(agency, run, 'assigned', 'completed', 'failed', 'brief_cancelled', 'run_status')
      expect(told.slice(2).filter((line) => !line.startsWith('assigned'))).toEqual([
        'failed broken',
        'completed slow',
        expect.stringMatching(/^brief_cancelled (next|other|first)$/),
        expect.stringMatching(/^brief_cancelled (next|other|first)$/),
        expect.stringMatching(/^brief_cancelled (next|other|first)$/),
        'run_status failed',
      ])
      expect(told.filter((line) => line.startsWith('assigned')).sort()).toEqual(['assigned broken', 'assigned slow'])
    })

    it('start neither newly ready briefs nor those that waited for a slot', async () => {
      const agency = await startAgency(openFresh, { slots: 2 })
      const briefs = [
        brief('broken', [], crash),
        brief('slow', [], waits('slow')),
        brief('next', ['slow']),
        brief('spare', ['slow']),
      ]
      const started = await agency.run({ briefs, crashRetries: 0 })
      await agency.until(async () => (await agency.brief(started, 'broken')).status === 'failed')
      agency.gate('slow').open()
      const run = await agency.settled(started)
      for (const key of ['next', 'spare'])
        expect(await agency.brief(run, key)).toMatchObject({ status: 'cancelled', attempts: 0 })
    })

    it.each([
      ['crashes', crash],
      ['hands in what does not hold', [{ report: { status: 'done', summary: 'Done.', outputs: ['gone.md'] } }]],
    ] satisfies [string, StepInput[]][])(
      'surface it when the last running one %s and would be retried',
      async (_, end) => {
        const agency = await startAgency(openFresh)
        const briefs = [
          brief('broken', [], [{ report: { status: 'blocked', summary: 'Stuck.' } }]),
          brief('slow', [], [{ log: 'gate slow' }, ...end]),
        ]
        const started = await agency.run({ briefs })
        await agency.gate('slow').reached
        await agency.until(async () => (await agency.brief(started, 'broken')).status === 'failed')
        agency.gate('slow').open()
        const run = await agency.settled(started)
        expect(run).toMatchObject({ status: 'failed', summary: '1 brief failed: broken: Stuck.', briefsOpen: 0 })
        expect(await agency.brief(run, 'slow')).toMatchObject({ status: 'cancelled', attempts: 1 })
      },
    )

    it('are not claimed by a worker that saw them ready a moment before', async () => {
      const agency = await startAgency(openFresh, { slots: 2 })
      const briefs = [
        brief('broken', [], [{ log: 'gate broken' }, ...crash]),
        brief('slow', [], waits('slow')),
        brief('next'),
      ]
      const started = await agency.run({ briefs, crashRetries: 0 })
      await agency.passed('attempt.started', 2)
      const claiming = Promise.withResolvers<void>()
      const failed = Promise.withResolvers<void>()
      let isSlow = false
      const db: Db = {
        ...agency.store.db,
        write: async (streams, body) => {
          if (isSlow) claiming.resolve()
          if (isSlow) await failed.promise
          return agency.store.db.write(streams, body)
        },
      }
      const other = await openAgency({ db, clock: agency.clock, worker: 'other:1' })
      isSlow = true
      await other.engine.start()
      await claiming.promise
      agency.gate('broken').open()
      await agency.until(async () => (await agency.runs.show(started.id)).briefsFailed === 1)
      failed.resolve()
      await other.engine.idle()
      agency.gate('slow').open()
      const run = await agency.settled(started)
      expect(run.status).toBe('failed')
      expect((await agency.inspect(run)).attempts).toHaveLength(2)
    })

    it('count every failure', async () => {
      const agency = await startAgency(openFresh)
      const failing = (key: string) => brief(key, [], [{ log: 'gate all' }, { crash: {} }])
      const started = await agency.run({ briefs: [failing('a'), failing('b'), failing('c')], crashRetries: 0 })
      await agency.passed('attempt.started', 3)
      agency.gate('all').open()
      expect(await agency.settled(started)).toMatchObject({
        status: 'failed',
        summary: '3 briefs failed',
        briefsFailed: 3,
      })
    })

    it('hold its dependents by name', async () => {
      const agency = await startAgency(openFresh)
      const briefs = [brief('a', [], crash), brief('b', ['a']), brief('c', ['b']), brief('slow', [], waits('slow'))]
      const started = await agency.run({ briefs, crashRetries: 0 })
      await agency.until(async () => (await agency.brief(started, 'a')).status === 'failed')
      const failed = await agency.brief(started, 'a')
      expect(await agency.brief(started, 'b')).toMatchObject({
        status: 'pending',
        heldBy: `dependency_failed:${failed.id}`,
      })
      expect(await agency.brief(started, 'c')).toMatchObject({
        status: 'pending',
        heldBy: 'dependencies',
        unmetDependencies: 1,
      })
      agency.gate('slow').open()
      expect(await agency.settled(started)).toMatchObject({ status: 'failed' })
    })
  })

  it('with a cycle, a missing dependency or a duplicate key are refused, and nothing is written', async () => {
    const agency = await startAgency(openFresh)
    const plans: [ReturnType<typeof brief>[], string][] = [
      [
        [brief('a', ['c']), brief('b', ['a']), brief('c', ['b']), brief('free')],
        'these briefs depend on each other in a cycle: a, b, c',
      ],
      [[brief('a', ['a'])], 'these briefs depend on each other in a cycle: a'],
      [[brief('a', ['ghost'])], 'brief "a" waits for "ghost", which is not in the plan'],
      [[brief('a'), brief('b', ['a', 'a'])], 'brief "b" names a brief twice in "after"'],
      [[brief('a'), brief('a')], 'two briefs have the key "a"'],
    ]
    for (const [briefs, message] of plans)
      await expect(agency.run({ briefs })).rejects.toMatchObject({ code: 'invalid_input', message })
    expect((await agency.runs.list({ limit: 10 })).runs).toEqual([])
    expect((await agency.missions.list(undefined, 10)).missions).toEqual([])
  })
})
