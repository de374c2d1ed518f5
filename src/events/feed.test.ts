import { expect, it, onTestFinished } from 'vitest'

import { describeStores } from '../../test/support/store.ts'
import type { Db, Stream } from '../db/port.ts'
import { appendEvent, type NewEvent } from './append.ts'
import type { Event } from './contract.ts'
import { createFeed, type Subscription } from './feed.ts'

const write = (db: Db, stream: Stream, message: string, more: Partial<NewEvent> = {}): Promise<number> =>
  db.write([stream], (tx) => appendEvent(tx, stream, { kind: 'log', by: 'daemon', message, ...more }))

/** Reads until `count` events have arrived, or without end. */
async function take(events: AsyncIterable<Event>, count: number): Promise<Event[]> {
  const taken: Event[] = []
  for await (const event of events) if (taken.push(event) === count) break
  return taken
}

const signal = (): AbortSignal => {
  const controller = new AbortController()
  onTestFinished(() => controller.abort())
  return controller.signal
}
const from = (stream: Stream | null, after = 0): Subscription => ({ stream, after, signal: signal() })
const messages = (events: readonly Event[]): string[] => events.map((event) => event.message)
const numbers = (count: number, start = 1): number[] => Array.from({ length: count }, (_, index) => start + index)

describeStores('the feed', (openFresh, kind) => {
  it('yields existing events first, then new ones', async () => {
    const { db } = await openFresh()
    await write(db, 'run:a', 'one')
    const reading = take(createFeed({ db }).follow(from('run:a')), 2)
    await write(db, 'run:b', 'of another')
    await write(db, 'run:a', 'two')
    expect(messages(await reading)).toEqual(['one', 'two'])
  })

  it('continues after any position without a gap or a duplicate under concurrent writes', async () => {
    const { db } = await openFresh()
    const feed = createFeed({ db })
    const streams: Stream[] = ['run:a', 'run:b', 'run:c', 'run:d']
    const each = 75
    const total = streams.length * each
    const writing = Promise.all(
      streams.map(async (stream) => {
        for (const number of numbers(each)) await write(db, stream, `${stream} ${number}`)
      }),
    )
    // A reader that loses its connection after every few events and reconnects with the last position it saw.
    const everything: Event[] = []
    while (everything.length < total) {
      const missing = total - everything.length
      everything.push(...(await take(feed.follow(from(null, everything.at(-1)?.position ?? 0)), Math.min(missing, 7))))
    }
    const own: Event[] = []
    while (own.length < each)
      own.push(...(await take(feed.follow(from('run:c', own.at(-1)?.seq ?? 0)), Math.min(each - own.length, 4))))
    await writing

    expect(new Set(everything.map((event) => event.position)).size).toBe(total)
    for (const stream of streams)
      expect(everything.filter((event) => event.stream === stream).map((event) => event.seq)).toEqual(numbers(each))
    expect(own.map((event) => event.seq)).toEqual(numbers(each))
  })

  it('reads no more events than its reader pulls', async () => {
    const { db } = await openFresh()
    for (const number of numbers(5))
      await Promise.all(numbers(100).map((each) => write(db, 'run:a', `${number} ${each}`)))
    const iterator = createFeed({ db }).follow(from('run:a'))[Symbol.asyncIterator]()
    await iterator.next()
    const before = db.statements()
    for (const number of numbers(50)) expect(((await iterator.next()).value as Event).seq).toBe(number + 1)
    expect(db.statements()).toBe(before)
    await iterator.return?.()
  })

  it('yields only the requested kinds and levels, and does not read the others twice', async () => {
    const { db } = await openFresh()
    const feed = createFeed({ db })
    const reading = take(feed.follow({ ...from(null), kinds: ['completed'], level: 'normal' }), 2)
    await write(db, 'run:a', 'no')
    await write(db, 'run:a', 'no', { kind: 'completed', level: 'verbose' })
    await write(db, 'run:a', 'first', { kind: 'completed' })
    await write(db, 'run:a', 'no')
    await write(db, 'run:b', 'second', { kind: 'completed' })
    expect(messages(await reading)).toEqual(['first', 'second'])
  })

  it('ends when its signal is aborted, at any point', async () => {
    const { db } = await openFresh()
    let listeners = 0
    const counted: Db = {
      ...db,
      onCommit: (listener) => {
        listeners++
        const stop = db.onCommit(listener)
        return () => {
          listeners--
          stop()
        }
      },
    }
    const controller = new AbortController()
    const reading = take(createFeed({ db: counted }).follow({ ...from(null), signal: controller.signal }), Infinity)
    await write(db, 'run:a', 'one')
    controller.abort()
    expect((await reading).length).toBeLessThanOrEqual(1)
    expect(listeners).toBe(0)
  })

  it('ends by itself after the last event of a run that has ended', async () => {
    const { db } = await openFresh()
    let over = false
    const reading = take(createFeed({ db }).follow({ ...from('run:a'), until: async () => over }), Infinity)
    await write(db, 'run:a', 'one')
    await db.write(['run:a'], async (tx) => {
      tx.afterCommit(() => (over = true))
      await appendEvent(tx, 'run:a', { kind: 'log', by: 'daemon', message: 'two' })
    })
    expect(messages(await reading)).toEqual(['one', 'two'])
  })

  if (kind === 'sqlite') return

  it('misses no event of overlapping transactions, whichever commits last', async () => {
    const { db } = await openFresh()
    const feed = createFeed({ db })
    const begun = gate()
    const appended = gate()
    const release = gate()
    const first = db.write(['run:a'], async (tx) => {
      begun.open()
      await appended.opened
      await appendEvent(tx, 'run:a', { kind: 'log', by: 'daemon', message: 'began first, appended second' })
    })
    await begun.opened
    const second = db.write(['run:b'], async (tx) => {
      await appendEvent(tx, 'run:b', { kind: 'log', by: 'daemon', message: 'appended first, committed last' })
      appended.open()
      await release.opened
    })
    await first
    const early = await take(feed.follow(from(null)), 1)
    release.open()
    await second
    const late = await take(feed.follow(from(null, early[0]?.position)), 1)
    expect(messages([...early, ...late])).toEqual(['began first, appended second', 'appended first, committed last'])
  })
})

function gate(): { opened: Promise<void>; open(): void } {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { opened, open: () => open() }
}
