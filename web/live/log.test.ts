import { describe, expect, it } from 'vitest'

import type { Event } from '../../src/events/contract.ts'
import { createLog, type LogSource, pageSize } from './log.ts'

const event = (number: number): Event => ({
  position: number,
  stream: 'run:run_a',
  seq: number,
  at: '2026-01-01T00:00:00.000Z',
  kind: 'log',
  by: 'agent:1',
  runId: 'run_a',
  briefId: null,
  attemptId: null,
  tier: null,
  workstream: null,
  level: 'normal',
  code: null,
  message: `line ${number}`,
  data: {},
})

/** A store of events with the given numbers, which can grow and fail like a daemon. */
function storeOf(numbers: number[], options: { gapless?: boolean; accepts?: (event: Event) => boolean } = {}) {
  const store = { numbers, failing: false, asked: 0 }
  const answer = (events: Event[]): Event[] => {
    store.asked += 1
    if (store.failing) throw new Error('gone')
    return events
  }
  const source: LogSource = {
    lineKey: 'seq',
    gapless: options.gapless ?? true,
    newest: async () => answer(store.numbers.slice(-pageSize).map(event)),
    after: async (number) =>
      answer(
        store.numbers
          .filter((each) => each > number)
          .slice(0, pageSize)
          .map(event),
      ),
    before: async (number) =>
      answer(
        store.numbers
          .filter((each) => each < number)
          .slice(-pageSize)
          .map(event),
      ),
    accepts: options.accepts ?? (({ runId }) => runId === 'run_a'),
  }
  return { store, log: createLog(source) }
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

describe('createLog', () => {
  it('takes only the events of its own run from the stream of all runs', async () => {
    const { log } = storeOf(upTo(3))
    await log.catchUp()
    log.receive([{ ...event(4), runId: 'run_b', message: 'another run' }, event(4)])
    log.receive([{ ...event(5), runId: 'run_b', message: 'another run' }])
    expect(log.state().lines.map(({ message }) => message)).toEqual(['line 1', 'line 2', 'line 3', 'line 4'])
  })

  it('loads the newest page first and records that older lines exist', async () => {
    const { log } = storeOf(upTo(2_500))
    await log.catchUp()
    expect(log.state().lines[0]?.seq).toBe(1_501)
    expect(log.state().whole).toBe(false)
  })

  it('reaches the first line by loading older pages, each line once and in order', async () => {
    const { log } = storeOf(upTo(2_500))
    await log.catchUp()
    while (!log.state().whole) await log.loadOlder()
    expect(log.state().lines.map((line) => line.seq)).toEqual(upTo(2_500))
  })

  it('loads across a long gap in the numbers', async () => {
    const { log } = storeOf([1, 2, 9_000, 9_001], { gapless: false })
    await log.catchUp()
    while (!log.state().whole) await log.loadOlder()
    expect(log.state().lines.map((line) => line.seq)).toEqual([1, 2, 9_000, 9_001])
  })

  it('appends received events and drops those that it already holds', async () => {
    const { log } = storeOf(upTo(3))
    await log.catchUp()
    log.receive([event(3), event(4)])
    log.receive([event(4), event(5)])
    expect(log.state().lines.map((line) => line.seq)).toEqual(upTo(5))
  })

  it('fetches the lines between its last one and a received one that does not follow it directly', async () => {
    const { log, store } = storeOf(upTo(3))
    await log.catchUp()
    store.numbers = upTo(7)
    log.receive([event(7)])
    await log.catchUp()
    expect(log.state().lines.map((line) => line.seq)).toEqual(upTo(7))
  })

  it('accepts an event of the feed that arrives after one with a higher position, and continues reading after it', async () => {
    const { log, store } = storeOf([1, 2, 5], { gapless: false })
    await log.catchUp()
    log.receive([event(4)])
    expect(log.state().lines.map((line) => line.seq)).toEqual([1, 2, 4, 5])
    store.numbers = [1, 2, 4, 5, 6]
    await log.catchUp()
    expect(log.state().lines.map((line) => line.seq)).toEqual([1, 2, 4, 5, 6])
  })

  it('keeps events that arrive while it is loading, in order', async () => {
    const { log } = storeOf(upTo(3))
    const loading = log.catchUp()
    log.receive([event(4)])
    await loading
    expect(log.state().lines.map((line) => line.seq)).toEqual(upTo(4))
  })

  it('keeps its lines while the daemon is unreachable and leaves no gap when it is back', async () => {
    const { log, store } = storeOf(upTo(3), { gapless: false })
    await log.catchUp()
    store.failing = true
    await log.catchUp()
    expect(log.state()).toMatchObject({ phase: 'ready', error: new Error('gone') })
    expect(log.state().lines).toHaveLength(3)
    store.failing = false
    store.numbers = upTo(9)
    log.receive([event(9)])
    await log.catchUp()
    expect(log.state().lines.map((line) => line.seq)).toEqual(upTo(9))
    expect(log.state().error).toBeNull()
  })

  it('drops live events that its filter does not accept', async () => {
    const { log } = storeOf([2, 4], { gapless: false, accepts: ({ seq }) => seq % 2 === 0 })
    await log.catchUp()
    log.receive([event(5), event(6)])
    expect(log.state().lines.map((line) => line.seq)).toEqual([2, 4, 6])
    expect(log.state().whole).toBe(true)
  })

  it('reports a failure when even the first page cannot be loaded', async () => {
    const { log, store } = storeOf(upTo(3))
    store.failing = true
    await log.catchUp()
    expect(log.state().phase).toBe('failed')
  })
})
