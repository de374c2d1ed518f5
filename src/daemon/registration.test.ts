import { readFileSync } from 'node:fs'

import { expect, it } from 'vitest'

import { createSeenLog, type LogLineSeen } from '../../test/support/server.ts'
import { describePostgres, describeStores } from '../../test/support/store.ts'
import { createVirtualClock } from '../../test/support/virtual-clock.ts'
import type { Db } from '../db/port.ts'
import { retireWorker, type WorkerIdentity } from '../engine/workers-store.ts'
import { appendEvent } from '../events/append.ts'
import { refuseForeign, registerDaemon } from './registration.ts'

const identity = (home: string, id = 'wrk_1'): WorkerIdentity => ({
  id,
  host: 'machine',
  pid: 12,
  home,
  fingerprint: `fingerprint of ${home}`,
})

/** No process can have this pid. */
const noPid = 4_194_305

describePostgres('a daemon on a shared database', (openFresh) => {
  const begin = async () => {
    const clock = createVirtualClock()
    const store = await openFresh({ clock })
    const logged: LogLineSeen[] = []
    const register = (db: Db, who: WorkerIdentity): Promise<string> => registerDaemon(db, who, createSeenLog(logged))
    return { ...store, clock, logged, register }
  }

  it('is refused while the daemon of another home uses it, and told which one', async () => {
    const { db, open, register } = await begin()
    await register(db, identity('/homes/a'))
    const refused = register(await open(), identity('/homes/b', 'wrk_2'))
    await expect(refused).rejects.toMatchObject({
      code: 'store_unusable',
      message:
        'the database is in use by the daemon of /homes/a on machine (pid 12, started 2030-01-01T00:00:00.000Z, last heartbeat 2030-01-01T00:00:00.000Z)',
    })
  })

  it('is refused if its home is a copy with the same id', async () => {
    const { db, open, register, raw } = await begin()
    expect(await register(db, identity('/homes/a'))).toBe('wrk_1:1')
    await expect(register(await open(), identity('/homes/copy'))).rejects.toMatchObject({ code: 'store_unusable' })
    expect(await raw('SELECT home, boot FROM workers')).toEqual([{ home: '/homes/a', boot: '1' }])
  })

  it('starts again at once after it was killed', async () => {
    const { db, open, register } = await begin()
    await register(db, identity('/homes/a'))
    expect(await register(await open(), identity('/homes/a'))).toBe('wrk_1:2')
  })

  it('starts in a moved home once the other one has stopped or is dead, and logs it', async () => {
    const { db, open, register, clock, logged } = await begin()
    await register(db, identity('/homes/a'))
    clock.advance(61_000)
    expect(await register(await open(), identity('/homes/b'))).toBe('wrk_1:2')
    expect(logged).toMatchObject([{ level: 'warn', home: '/homes/a', host: 'machine' }])
    await db.write([], (tx) => retireWorker(tx, 'wrk_1:2'))
    expect(await register(db, identity('/homes/a'))).toBe('wrk_1:3')
  })

  it('is the only one of several that start at the same moment', async () => {
    const { open, register } = await begin()
    const stores = await Promise.all(Array.from({ length: 5 }, () => open()))
    const results = await Promise.allSettled(
      stores.map((db, index) => register(db, identity(`/homes/${index}`, `wrk_${index}`))),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('is refused if the events are sealed with another key, even if no daemon lives', async () => {
    const { db, open, register, clock } = await begin()
    await register(db, identity('/homes/a'))
    await db.write(['org:1'], (tx) => appendEvent(tx, 'org:1', { kind: 'log', by: 'daemon', message: 'used' }))
    clock.advance(3_600_000)
    const other = await open({ chainKey: new Uint8Array(32).fill(9) })
    await expect(register(other, identity('/homes/b', 'wrk_2'))).rejects.toMatchObject({
      code: 'store_unusable',
      message: expect.stringContaining('belongs to the daemon of /homes/a on machine') as never,
      hint: expect.stringContaining('chain.key') as never,
    })
    expect(await register(db, identity('/homes/b', 'wrk_2'))).toBe('wrk_2:1')
  })

  /** Makes the database one of the first version, which a daemon with this pid has just used from `/homes/a`. */
  const beginOld = async (pid: number) => {
    const { db, open, raw, clock } = await begin()
    await db.close()
    await raw('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
    const first = readFileSync(new URL('../db/migrations/0001.postgres.sql', import.meta.url), 'utf8')
    await raw(`${first}; CREATE TABLE migrations (number INTEGER PRIMARY KEY, applied_at TEXT NOT NULL);
INSERT INTO migrations (number, applied_at) VALUES (1, 'then');
INSERT INTO workers (id, boot, host, pid, started_at, heartbeat_at) VALUES ('wrk_1', 1, 'machine', ${pid}, '${clock.at()}', '${clock.at()}')`)
    const openAs = (who: WorkerIdentity): Promise<Db> =>
      open({ beforeMigration: async (tx) => void (await refuseForeign(tx, who)) })
    const findSchema = async (): Promise<unknown> =>
      (await raw('SELECT MAX(number) AS number FROM migrations'))[0]?.['number']
    return { clock, openAs, findSchema }
  }

  it('leaves the schema as it is while a daemon of an older version uses it', async () => {
    const { openAs, findSchema } = await beginOld(noPid)
    await expect(openAs(identity('/homes/b', 'wrk_2'))).rejects.toMatchObject({
      code: 'store_unusable',
      message: expect.stringContaining(`in use by the daemon of another home on machine (pid ${noPid}`) as never,
    })
    expect(await findSchema()).toBe(1)
  })

  it('takes the database of its older version over at once if that daemon has ended', async () => {
    const { openAs, findSchema } = await beginOld(noPid)
    await openAs(identity('/homes/a'))
    expect(await findSchema()).toBeGreaterThan(1)
  })

  it('is refused in a copy of a home whose daemon of an older version lives', async () => {
    const { openAs, findSchema, clock } = await beginOld(process.ppid)
    await expect(openAs(identity('/homes/copy'))).rejects.toMatchObject({
      code: 'store_unusable',
      message: expect.stringMatching(
        new RegExp(
          `^the database is in use by the daemon of the home that this one is a copy of on machine \\(pid ${process.ppid}, `,
        ),
      ) as never,
      hint: expect.stringContaining('Run "agency down" there') as never,
    })
    expect(await findSchema()).toBe(1)
    // Another process has the pid by then.
    clock.advance(61_000)
    await openAs(identity('/homes/copy'))
    expect(await findSchema()).toBeGreaterThan(1)
  })

  it('takes a database that was never used, with any key', async () => {
    const { open, register } = await begin()
    const other = await open({ chainKey: new Uint8Array(32).fill(9) })
    expect(await register(other, identity('/homes/b', 'wrk_2'))).toBe('wrk_2:1')
  })
})

describeStores('a daemon of an embedded or shared store', (openFresh, kind) => {
  it('is judged by the time of the store, not by its own clock', async () => {
    const clock = createVirtualClock()
    const { db, open } = await openFresh({ clock })
    await registerDaemon(db, identity('/homes/a'), createSeenLog([]))
    const ahead = createVirtualClock('2031-01-01T00:00:00.000Z')
    const other = await open({ clock: ahead, serverClock: clock })
    const second = registerDaemon(other, identity('/homes/b', 'wrk_2'), createSeenLog([]))
    // An embedded store has its owner's home around it.
    if (kind === 'sqlite') await expect(second).resolves.toBe('wrk_2:1')
    else await expect(second).rejects.toMatchObject({ code: 'store_unusable' })
  })
})
