import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { expect, it, onTestFinished } from 'vitest'

import { createGate } from '../../test/support/gate.ts'
import { freshDatabase, freshTcpDatabase, runOn } from '../../test/support/postgres.ts'
import { describePostgres, testChainKey } from '../../test/support/store.ts'
import { appendEvent } from '../events/append.ts'
import { auditEvents } from '../events/audit.ts'
import { systemClock } from '../kernel/clock.ts'
import { migrationNumbers } from './migrate.ts'
import type { Db, Stream } from './port.ts'
import { openPostgres } from './postgres.ts'
import { nextCounter, sqlOf } from './tx.ts'

const log = (db: Db, stream: Stream, message: string): Promise<number> =>
  db.write([stream], (tx) => appendEvent(tx, stream, { kind: 'log', by: 'daemon', message }))

async function open(url: string): Promise<Db> {
  const db = await openPostgres({ url, clock: systemClock, chainKey: testChainKey })
  onTestFinished(() => db.close())
  return db
}

describePostgres('PostgreSQL with many writers', (openFresh) => {
  it(
    'keeps every stream without a gap and its chain intact under load from two processes',
    { timeout: 120_000 },
    async () => {
      const { db, place } = await openFresh()
      const rounds = 25
      const hammers = [1, 2].map((seed) => hammer(place.url, seed, rounds))
      const finished = Promise.all(hammers)
      const seen = await followUntil(db, finished)
      const written = await finished

      const expected: Record<string, number> = {}
      for (const one of written)
        for (const [name, count] of Object.entries(one)) expected[name] = (expected[name] ?? 0) + count
      const { x, y, z, ...streams } = expected
      const total = Object.values(streams).reduce((sum, count) => sum + count, 0)
      expect(await amounts(db, 'SELECT stream AS name, seq AS amount FROM streams')).toEqual(streams)
      expect(await amounts(db, 'SELECT name, value AS amount FROM counters')).toEqual({ x, y, z })
      expect(await auditEvents(db)).toEqual({ streams: 3, events: total, findings: [] })
      expect(seen.size).toBe(total)
    },
  )

  it('never lets a reader skip events of a transaction that was still open', async () => {
    const { db } = await openFresh()
    const appended = createGate()
    const release = createGate()
    const slow = db.write(['run:slow'], async (tx) => {
      await appendEvent(tx, 'run:slow', { kind: 'log', by: 'daemon', message: 'begun first' })
      appended.open()
      await release.opened
    })
    await appended.opened
    await log(db, 'run:fast', 'committed first')
    const early = await positions(db, 0)
    expect(early.map(({ message }) => message)).toEqual(['committed first'])
    release.open()
    await slow
    const late = await positions(db, early.at(-1)?.position ?? 0)
    expect(late.map(({ message }) => message)).toEqual(['begun first'])
  })

  it('wakes listeners in other processes, and its own listeners once', async () => {
    const { db, open } = await openFresh()
    const other = await open()
    const own = listening(db)
    const others = listening(other)
    await log(db, 'run:a', 'ours')
    expect(own.count()).toBe(1)
    await others.reaches(1)
    await log(other, 'run:a', 'theirs')
    // A notification of our own commit would have arrived before this one.
    await own.reaches(2)
    expect(own.count()).toBe(2)
  })

  it('throws when a statement failed and its error was swallowed', async () => {
    const { db } = await openFresh()
    const writing = db.write([], async (tx) => {
      await nextCounter(tx, 'lost')
      await sqlOf(tx)
        .run('INSERT INTO counters (name, value) VALUES (?, ?)', ['bad', null])
        .catch(() => {})
    })
    await expect(writing).rejects.toMatchObject({ code: 'bug' })
    expect(await db.read((tx) => sqlOf(tx).all('SELECT * FROM counters'))).toEqual([])
  })

  it('survives the loss of a connection in the middle of a transaction', async () => {
    const { db, raw } = await openFresh()
    const writing = db.write([], async (tx) => {
      const row = await sqlOf(tx).get('SELECT pg_backend_pid() AS pid')
      await nextCounter(tx, 'calls')
      await raw(`SELECT pg_terminate_backend(${row?.['pid']}, 5000)`)
      await nextCounter(tx, 'calls')
    })
    await expect(writing).rejects.toMatchObject({ code: 'store_unusable' })
    expect(await db.write([], (tx) => nextCounter(tx, 'calls'))).toBe(1)
  })

  it('listens again after its listening connection was terminated', async () => {
    const { db, open, raw } = await openFresh()
    const other = await open()
    const wakeUps = listening(other)
    await raw("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE query = 'LISTEN agency_events'")
    // One wake-up for missed notifications, one for the new one.
    await wakeUps.reaches(1)
    await log(db, 'run:a', 'after')
    await wakeUps.reaches(2)
    expect(wakeUps.count()).toBe(2)
  })

  it('is migrated once when several processes open it at the same moment', async () => {
    const url = await freshDatabase()
    await Promise.all([open(url), open(url), open(url)])
    expect(await runOn(url, 'SELECT number FROM migrations ORDER BY number')).toEqual(
      migrationNumbers().map((number) => ({ number })),
    )
  })

  it('is reached over TCP with a password that no error reveals', async () => {
    const url = await freshTcpDatabase()
    await open(url)
    const wrong = url.replace(/:[^:@/]+@/, ':not-the-password@')
    const refused = open(wrong)
    await expect(refused).rejects.toMatchObject({ code: 'store_unusable' })
    await expect(refused).rejects.not.toThrow(/not-the-password/)
  })

  it('refuses to truncate, change or delete events', async () => {
    const { db, raw } = await openFresh()
    await log(db, 'run:a', 'stays')
    await expect(raw('TRUNCATE events')).rejects.toThrow('events are never removed')
  })
})

it('reports in one line that no server answers', async () => {
  const opening = openPostgres({ url: 'postgresql://127.0.0.1:1/none', clock: systemClock, chainKey: testChainKey })
  await expect(opening).rejects.toMatchObject({ code: 'store_unusable' })
})

async function amounts(db: Db, query: string): Promise<Record<string, number>> {
  const rows = await db.read((tx) => sqlOf(tx).all(query))
  return Object.fromEntries(rows.map((row) => [row['name'], row['amount']]))
}

function hammer(url: string, seed: number, rounds: number): Promise<Record<string, number>> {
  const script = fileURLToPath(new URL('../../test/support/concurrent-writer.ts', import.meta.url))
  const child = spawn(process.execPath, [script, url, String(seed), String(rounds)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  let errors = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  return new Promise((resolve, reject) => {
    child.on('close', (code) => {
      if (code === 0) resolve(JSON.parse(output) as Record<string, number>)
      else reject(new Error(`the hammer ended with ${code}: ${errors}`))
    })
  })
}

/** Reads repeatedly from the last position until the writers are done; returns the events seen, each once. */
async function followUntil(db: Db, finished: Promise<unknown>): Promise<Set<string>> {
  const seen = new Set<string>()
  let after = 0
  let done = false
  const settle = finished.finally(() => (done = true)).catch(() => {})
  for (let last = false; ; last = done) {
    const events = await positions(db, after)
    for (const event of events) {
      const name = `${event.stream} ${event.seq}`
      if (seen.has(name)) throw new Error(`${name} was seen twice`)
      seen.add(name)
      after = event.position
    }
    if (last && events.length === 0) break
  }
  await settle
  return seen
}

interface EventPosition {
  position: number
  stream: string
  seq: number
  message: string
}

const positions = (db: Db, after: number): Promise<EventPosition[]> =>
  db.read(
    async (tx) =>
      (await sqlOf(tx).all(
        'SELECT position, stream, seq, message FROM events WHERE position > ? ORDER BY position LIMIT 500',
        [after],
      )) as unknown as EventPosition[],
  )

function listening(db: Db): { count(): number; reaches(count: number): Promise<void> } {
  let rings = 0
  const waiting: { count: number; resolve: () => void }[] = []
  db.onCommit(() => {
    rings++
    for (const each of waiting) if (rings >= each.count) each.resolve()
  })
  return {
    count: () => rings,
    reaches: (count) => new Promise((resolve) => (rings >= count ? resolve() : waiting.push({ count, resolve }))),
  }
}
