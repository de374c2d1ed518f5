import { closeSync, existsSync, openSync, readdirSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import { mountDisk, mountsMissing } from '../../test/support/mounts.ts'
import { testChainKey } from '../../test/support/store.ts'
import { appendEvent } from '../events/append.ts'
import { auditEvents } from '../events/audit.ts'
import { newestSeq } from '../events/store.ts'
import { systemClock } from '../kernel/clock.ts'
import { AgencyError } from '../kernel/errors.ts'
import { ownHome } from './owner.ts'
import type { Db } from './port.ts'
import { openSqlite } from './sqlite.ts'

const missing = mountsMissing()
if (missing !== null) console.log(`skipped, full and read-only disks: ${missing}`)

const open = async (folder: string): Promise<Db> => {
  const db = await openSqlite({ path: join(folder, 'store.db'), clock: systemClock, chainKey: testChainKey })
  onTestFinished(() => db.close())
  return db
}
const log = (db: Db, message = 'x'.repeat(2_000)): Promise<number> =>
  db.write(['run:a'], (tx) => appendEvent(tx, 'run:a', { kind: 'log', by: 'daemon', message }))

/** Writes until the disk is full; returns the number of acknowledged writes. */
async function fill(db: Db, together: number): Promise<{ acknowledged: number; refusal: unknown }> {
  for (let acknowledged = 0; ;) {
    const results = await Promise.allSettled(Array.from({ length: together }, () => log(db)))
    acknowledged += results.filter((result) => result.status === 'fulfilled').length
    const refused = results.find((result) => result.status === 'rejected')
    if (refused !== undefined) return { acknowledged, refusal: refused.reason }
    if (acknowledged > 10_000) throw new Error('the disk never got full')
  }
}

describe.skipIf(missing !== null)('a full disk', () => {
  it.each([1, 16])(
    'is reported, loses nothing, and the store works again after space is freed (%i at once)',
    async (together) => {
      const { folder } = mountDisk(4_096)
      const ballast = join(folder, 'ballast')
      writeFileSync(ballast, Buffer.alloc(512 * 1_024))
      const db = await open(folder)
      const { acknowledged, refusal } = await fill(db, together)
      expect(refusal).toMatchObject({ code: 'store_full' })
      expect(refusal).toBeInstanceOf(AgencyError)
      expect(acknowledged).toBeGreaterThan(0)
      expect(await db.read((tx) => newestSeq(tx, 'run:a'))).toBe(acknowledged)
      // A batch that does not fit leaves space for single writes.
      const more = (await fill(db, 1)).acknowledged

      rmSync(ballast)
      const last = acknowledged + more + 1
      expect(await log(db, 'there is space again')).toBe(last)
      expect(await auditEvents(db)).toEqual({ streams: 1, events: last, findings: [] })
    },
  )

  it('is reported when a new store does not fit, and the next start succeeds', async () => {
    const { folder } = mountDisk(256)
    const ballast = join(folder, 'ballast')
    writeFileSync(ballast, Buffer.alloc(200 * 1_024))
    await expect(open(folder)).rejects.toMatchObject({ code: 'store_full' })
    expect(existsSync(join(folder, 'store.db'))).toBe(false)
    rmSync(ballast)
    await expect(open(mountDisk(4_096).folder)).resolves.toBeDefined()
  })

  it('without a free byte is reported when a store is opened, and the store stays unchanged', async () => {
    const { folder } = mountDisk(4_096)
    const first = await open(folder)
    await log(first)
    await first.close()
    const ballast = fillUp(folder)
    await expect(open(folder)).rejects.toMatchObject({ code: 'store_full' })
    rmSync(ballast)
    const second = await open(folder)
    expect(await auditEvents(second)).toEqual({ streams: 1, events: 1, findings: [] })
  })
})

describe.skipIf(missing !== null)('a read-only disk', () => {
  it('is reported when a store is opened on it', async () => {
    const { folder, makeReadOnly } = mountDisk(4_096)
    await (await open(folder)).close()
    makeReadOnly()
    await expect(open(folder)).rejects.toMatchObject({ code: 'store_unusable' })
  })

  it('is reported when there is no store yet, and no file is created', async () => {
    const { folder, makeReadOnly } = mountDisk(4_096)
    makeReadOnly()
    await expect(open(folder)).rejects.toMatchObject({ code: 'store_unusable' })
    expect(readdirSync(folder)).toEqual([])
  })

  it('cannot be owned', () => {
    const { folder, makeReadOnly } = mountDisk(4_096)
    ownHome(folder).release()
    makeReadOnly()
    expect(() => ownHome(folder)).toThrow(expect.objectContaining({ code: 'store_unusable' }))
  })
})

/** Fills the disk to the last byte. */
function fillUp(folder: string): string {
  const path = join(folder, 'fill')
  const file = openSync(path, 'w')
  try {
    for (;;) writeSync(file, Buffer.alloc(4_096))
  } catch {
    closeSync(file)
    return path
  }
}
