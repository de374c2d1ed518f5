import { describe, expect, it } from 'vitest'

import type { Event } from '../../src/events/contract.ts'
import { createLog, type LogSource, pageSize } from './log.ts'

const event = (place: number): Event => ({
  position: place,
  stream: 'run:run_a',
  seq: place,
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
  message: `line ${place}`,
  data: {},
})

/** A store of events at the given places, which can grow and fail like a daemon. */
function storeOf(places: number[], options: { gapless?: boolean } = {}) {
  const store = { places, failing: false, asked: 0 }
  const answer = (events: Event[]): Event[] => {
    store.asked += 1
    if (store.failing) throw new Error('gone')
    return events
  }
  const source: LogSource = {
    place: 'seq',
    gapless: options.gapless ?? true,
    newest: async () => answer(store.places.slice(-pageSize).map(event)),
    after: async (place) =>
      answer(
        store.places
          .filter((each) => each > place)
          .slice(0, pageSize)
          .map(event),
      ),
  }
  return { store, log: createLog(source) }
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

describe('a log', () => {
  it('starts with the newest page and knows that older lines exist', async () => {
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

  it('gets past a stretch of places that hold nothing', async () => {
    const { log } = storeOf([1, 2, 9_000, 9_001], { gapless: false })
    await log.catchUp()
    while (!log.state().whole) await log.loadOlder()
    expect(log.state().lines.map((line) => line.seq)).toEqual([1, 2, 9_000, 9_001])
  })

  it('appends what it is sent and drops what it already has', async () => {
    const { log } = storeOf(upTo(3))
    await log.catchUp()
    log.receive([event(3), event(4)])
    log.receive([event(4), event(5)])
    expect(log.state().lines.map((line) => line.seq)).toEqual(upTo(5))
  })

  it('fetches the lines between its last one and a sent one that does not follow', async () => {
    const { log, store } = storeOf(upTo(3))
    await log.catchUp()
    store.places = upTo(7)
    log.receive([event(7)])
    await log.catchUp()
    expect(log.state().lines.map((line) => line.seq)).toEqual(upTo(7))
  })

  it('takes an event of the feed that comes after one with a higher place, and reads on behind it', async () => {
    const { log, store } = storeOf([1, 2, 5], { gapless: false })
    await log.catchUp()
    log.receive([event(4)])
    expect(log.state().lines.map((line) => line.seq)).toEqual([1, 2, 4, 5])
    store.places = [1, 2, 4, 5, 6]
    await log.catchUp()
    expect(log.state().lines.map((line) => line.seq)).toEqual([1, 2, 4, 5, 6])
  })

  it('keeps what is sent while it is still loading, in order', async () => {
    const { log } = storeOf(upTo(3))
    const loading = log.catchUp()
    log.receive([event(4)])
    await loading
    expect(log.state().lines.map((line) => line.seq)).toEqual(upTo(4))
  })

  it('keeps its lines when the daemon is gone and leaves no hole when it is back', async () => {
    const { log, store } = storeOf(upTo(3), { gapless: false })
    await log.catchUp()
    store.failing = true
    await log.catchUp()
    expect(log.state()).toMatchObject({ phase: 'ready', error: new Error('gone') })
    expect(log.state().lines).toHaveLength(3)
    store.failing = false
    store.places = upTo(9)
    log.receive([event(9)])
    await log.catchUp()
    expect(log.state().lines.map((line) => line.seq)).toEqual(upTo(9))
    expect(log.state().error).toBeNull()
  })

  it('says that it failed when not even the first page came', async () => {
    const { log, store } = storeOf(upTo(3))
    store.failing = true
    await log.catchUp()
    expect(log.state().phase).toBe('failed')
  })
})
