import { describe, expect, it, onTestFinished } from 'vitest'

import { type CommitFate, startCommitProxy } from '../../test/support/commit-proxy.ts'
import { createGate } from '../../test/support/gate.ts'
import { freshTcpDatabase, runOn } from '../../test/support/postgres.ts'
import { describePostgres, testChainKey } from '../../test/support/store.ts'
import { appendEvent } from '../events/append.ts'
import { auditEvents } from '../events/audit.ts'
import { systemClock } from '../kernel/clock.ts'
import type { Db } from './port.ts'
import { openPostgres } from './postgres.ts'
import { type Trouble, troubleOf } from './postgres-errors.ts'
import { nextCounter, sqlOf } from './tx.ts'

describe('an error of PostgreSQL', () => {
  const codes: [code: string, trouble: Trouble][] = [
    ['08006', 'passing'],
    ['0A000', 'passing'],
    ['22021', 'ours'],
    ['23503', 'ours'],
    ['23505', 'duplicate'],
    ['25006', 'passing'],
    ['25P02', 'ours'],
    ['25P03', 'passing'],
    ['26000', 'passing'],
    ['28P01', 'passing'],
    ['40001', 'race'],
    ['40P01', 'race'],
    ['42601', 'ours'],
    ['53100', 'full'],
    ['53300', 'passing'],
    ['54000', 'ours'],
    ['55P03', 'passing'],
    ['57014', 'passing'],
    ['57P01', 'passing'],
    ['58030', 'passing'],
    ['P0001', 'ours'],
    ['XX000', 'passing'],
  ]
  it.each(codes)('with the code %s is %s', (code, trouble) => {
    expect(troubleOf(Object.assign(new Error('refused'), { code, severity: 'ERROR' }))).toBe(trouble)
  })

  it('is not assumed where the work of a transaction failed', () => {
    expect(troubleOf(new TypeError('x is not a function'))).toBeNull()
    expect(troubleOf(Object.assign(new Error('bad argument'), { code: 'ERR_INVALID_ARG_TYPE' }))).toBeNull()
  })
})

describePostgres('a transaction that the server undoes', (openFresh) => {
  const add = (db: Db): Promise<number> => db.write([], (tx) => nextCounter(tx, 'done'))

  it('is run again after its statement was cancelled', async () => {
    const { db, raw } = await openFresh()
    let tries = 0
    const written = await db.write([], async (tx) => {
      const number = await nextCounter(tx, 'done')
      if (++tries > 1) return number
      const { pid } = (await sqlOf(tx).get('SELECT pg_backend_pid() AS pid')) as { pid: number }
      const cancel = async (): Promise<void> => {
        const state = `SELECT 1 FROM pg_stat_activity WHERE pid = ${pid} AND wait_event = 'PgSleep'`
        while ((await raw(state)).length === 0);
        await raw(`SELECT pg_cancel_backend(${pid})`)
      }
      await Promise.all([sqlOf(tx).run('SELECT pg_sleep(60)'), cancel()])
      return number
    })
    expect([written, tries]).toEqual([1, 2])
  })

  it('is run again after it has waited too long for a lock', async () => {
    const { db, raw } = await openFresh()
    const locked = createGate()
    const release = createGate()
    const first = db.write(['run:a'], async () => {
      locked.open()
      await release.opened
    })
    await locked.opened
    let tries = 0
    const second = db.write([], async (tx) => {
      tries++
      if (tries === 2) release.open()
      if (tries === 1) await sqlOf(tx).run("SET LOCAL lock_timeout = '10ms'")
      await tx.lock('run:a')
    })
    await Promise.all([first, second])
    expect(tries).toBe(2)
    const waiting = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    expect(await raw(waiting)).toEqual([])
  })

  it('is run again after its connection was ended', async () => {
    const { db, raw } = await openFresh()
    let tries = 0
    const written = await db.write([], async (tx) => {
      const number = await nextCounter(tx, 'done')
      const { pid } = (await sqlOf(tx).get('SELECT pg_backend_pid() AS pid')) as { pid: number }
      if (++tries === 1) await raw(`SELECT pg_terminate_backend(${pid}, 5000)`)
      await sqlOf(tx).get('SELECT 1 AS one')
      return number
    })
    expect([written, tries]).toEqual([1, 2])
    expect(await add(db)).toBe(2)
  })

  it('is given up with a refusal that names the store if the trouble lasts', { timeout: 30_000 }, async () => {
    const { db, raw } = await openFresh()
    let tries = 0
    const writing = db.write([], async (tx) => {
      tries++
      await sqlOf(tx).run("SET LOCAL statement_timeout = '1ms'")
      await sqlOf(tx).run('SELECT pg_sleep(1)')
    })
    await expect(writing).rejects.toMatchObject({ code: 'store_unusable', data: {} })
    expect(tries).toBe(5)
    expect(await raw('SELECT * FROM counters')).toEqual([])
  })

  it('is not run again because of a mistake', async () => {
    const { db } = await openFresh()
    let tries = 0
    const writing = db.write([], async (tx) => {
      tries++
      await sqlOf(tx).run('SELECT nonsense')
    })
    await expect(writing).rejects.toMatchObject({ code: '42703' })
    expect(tries).toBe(1)
  })

  it('that only reads is run again too', async () => {
    const { db, raw } = await openFresh()
    let tries = 0
    await db.read(async (tx) => {
      const { pid } = (await sqlOf(tx).get('SELECT pg_backend_pid() AS pid')) as { pid: number }
      if (++tries === 1) await raw(`SELECT pg_terminate_backend(${pid}, 5000)`)
      await sqlOf(tx).get('SELECT 1 AS one')
    })
    expect(tries).toBe(2)
  })
})

describePostgres('a connection that breaks during a commit', () => {
  const openThrough = async (fateOf: (number: number) => CommitFate): Promise<{ db: Db; url: string }> => {
    const url = await freshTcpDatabase()
    await (await openPostgres({ url, clock: systemClock, chainKey: testChainKey })).close()
    const db = await openPostgres({
      url: await startCommitProxy(url, fateOf),
      clock: systemClock,
      chainKey: testChainKey,
    })
    onTestFinished(() => db.close())
    return { db, url }
  }
  const counted = (db: Db): Promise<number> =>
    db.write(['run:a'], async (tx) => {
      await appendEvent(tx, 'run:a', { kind: 'log', by: 'daemon', message: 'counted' })
      return nextCounter(tx, 'done')
    })

  it('neither loses nor repeats a transaction whose answer was lost', async () => {
    const { db, url } = await openThrough((number) => (number === 1 ? 'answer_lost' : 'passes'))
    const heard: boolean[] = []
    db.onCommit(({ isForeign }) => heard.push(isForeign))
    expect(await counted(db)).toBe(1)
    expect(heard).toEqual([false])
    expect(await runOn(url, 'SELECT value FROM counters')).toEqual([{ value: '1' }])
  })

  it('repeats a transaction that never reached the server', async () => {
    const { db, url } = await openThrough((number) => (number === 1 ? 'never_sent' : 'passes'))
    expect(await counted(db)).toBe(1)
    expect(await runOn(url, 'SELECT value FROM counters')).toEqual([{ value: '1' }])
  })

  it('counts every transaction once if every fifth answer is lost and every seventh commit is', async () => {
    const { db } = await openThrough((number) =>
      number % 5 === 0 ? 'answer_lost' : number % 7 === 0 ? 'never_sent' : 'passes',
    )
    const numbers = await Promise.all(Array.from({ length: 100 }, () => counted(db)))
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1))
    expect(await auditEvents(db)).toEqual({ streams: 1, events: 100, findings: [] })
  })

  it('says that the outcome is unknown if the server cannot be asked', async () => {
    const { db, url } = await openThrough(() => 'last')
    await expect(counted(db)).rejects.toMatchObject({ code: 'store_unusable', data: { outcome: 'unknown' } })
    expect(await runOn(url, 'SELECT value FROM counters')).toEqual([{ value: '1' }])
  })
})
