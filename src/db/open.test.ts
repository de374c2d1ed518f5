import { spawn } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'

import { describe, expect, it, onTestFinished } from 'vitest'

import { freshFolder, freshSqlite, testChainKey } from '../../test/support/store.ts'
import { appendEvent } from '../events/append.ts'
import { auditEvents } from '../events/audit.ts'
import { systemClock } from '../kernel/clock.ts'
import type { Db } from './port.ts'
import { openSqlite } from './sqlite.ts'

const open = async (path: string, more: { readOnly?: boolean } = {}): Promise<Db> => {
  const db = await openSqlite({ path, clock: systemClock, chainKey: testChainKey, ...more })
  onTestFinished(() => db.close())
  return db
}

/** Creates a store with events and closes it. */
async function closedStore(): Promise<string> {
  const { db, place } = await freshSqlite()
  await db.write(['run:a'], async (tx) => {
    for (let index = 0; index < 100; index++)
      await appendEvent(tx, 'run:a', { kind: 'log', by: 'daemon', message: 'x'.repeat(1_000) })
  })
  await db.close()
  return place.path
}

describe('opening a store file', () => {
  it.each([
    ['nothing', () => 0],
    ['one byte', () => 1],
    ['part of its header', () => 50],
    ['its first page', () => 4_096],
    ['half', (size: number) => Math.floor(size / 2)],
    ['all but one page', (size: number) => size - 4_096],
    ['all but one byte', (size: number) => size - 1],
  ])('refuses a file of which only %s is left, and does not change it', async (_, length) => {
    const path = await closedStore()
    truncateSync(path, length(readFileSync(path).length))
    const before = readFileSync(path)
    await expect(open(path)).rejects.toMatchObject({ code: 'store_unusable' })
    await expect(open(path, { readOnly: true })).rejects.toMatchObject({ code: 'store_unusable' })
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  it.each([
    ['a text', Buffer.from('Dear diary, '.repeat(1_000))],
    ['a header and rubbish', Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(10_000, 0xa5)])],
  ])('refuses %s, and does not change the file', async (_, content) => {
    const path = join(freshFolder(), 'store.db')
    writeFileSync(path, content)
    await expect(open(path)).rejects.toMatchObject({ code: 'store_unusable' })
    expect(readFileSync(path).equals(content)).toBe(true)
  })

  it('refuses a directory', async () => {
    const path = join(freshFolder(), 'store.db')
    mkdirSync(path)
    await expect(open(path)).rejects.toMatchObject({ code: 'store_unusable' })
  })

  it('refuses the database of another program and adds nothing to it', async () => {
    const path = join(freshFolder(), 'store.db')
    const theirs = new DatabaseSync(path)
    theirs.exec('CREATE TABLE bookmarks (url TEXT)')
    theirs.close()
    await expect(open(path)).rejects.toMatchObject({ code: 'store_unusable' })
    const after = new DatabaseSync(path, { readOnly: true })
    expect(after.prepare('SELECT name FROM sqlite_schema').all()).toEqual([{ name: 'bookmarks' }])
    after.close()
  })

  it('reports damage in the middle of the file when it is read', async () => {
    const path = await closedStore()
    const content = readFileSync(path)
    const page = Math.floor(content.lastIndexOf('x'.repeat(900)) / 4_096)
    content.fill(0xa5, page * 4_096, (page + 1) * 4_096)
    writeFileSync(path, content)
    const db = await open(path)
    await expect(auditEvents(db)).rejects.toMatchObject({ code: 'store_unusable' })
  })

  it('refuses a missing file whose log still exists, instead of creating an empty store', async () => {
    const { db, place } = await freshSqlite()
    await db.write(['run:a'], (tx) => appendEvent(tx, 'run:a', { kind: 'log', by: 'daemon', message: 'kept' }))
    const copy = join(freshFolder(), 'store.db')
    copyFileSync(`${place.path}-wal`, `${copy}-wal`)
    await expect(open(copy)).rejects.toMatchObject({ code: 'store_unusable' })
    expect(existsSync(copy)).toBe(false)
  })

  it('does not create a file when opened read-only', async () => {
    const path = join(freshFolder(), 'store.db')
    await expect(open(path, { readOnly: true })).rejects.toMatchObject({ code: 'store_unusable' })
    expect(existsSync(path)).toBe(false)
  })

  it('starts over after a first start that was killed before the store was complete', async () => {
    const folder = freshFolder()
    const path = join(folder, 'store.db')
    await (await open(path)).close()
    renameSync(path, `${path}.new`)
    truncateSync(`${path}.new`, 8_192)
    writeFileSync(`${path}.new-wal`, 'half a page')
    const db = await open(path)
    expect((await auditEvents(db)).findings).toEqual([])
    await db.close()
    expect(readdirSync(folder)).toEqual(['store.db'])
  })

  it('names the missing directory', async () => {
    const path = join(freshFolder(), 'nowhere', 'store.db')
    await expect(open(path)).rejects.toMatchObject({ code: 'store_unusable' })
  })
})

describe('a process that is killed while it writes', () => {
  it('has kept every acknowledged write and no partial one', async () => {
    const path = join(freshFolder(), 'store.db')
    let acknowledged = 0
    for (const round of [1, 2, 3]) {
      const child = spawn(process.execPath, ['--input-type=module', '--eval', writer, path])
      onTestFinished(() => void child.kill('SIGKILL'))
      const ended = new Promise((resolve) => child.on('exit', resolve))
      for await (const line of createInterface({ input: child.stdout })) {
        acknowledged = Number(line)
        if (acknowledged > round * 300) child.kill('SIGKILL')
      }
      await ended
      const db = await open(path)
      const { events, findings } = await auditEvents(db)
      expect(findings).toEqual([])
      // Each write appends two events.
      expect(events % 2).toBe(0)
      expect(events).toBeGreaterThanOrEqual(acknowledged)
      await db.close()
    }
    rmSync(path)
  })
})

const writer = `
  import { openSqlite } from ${JSON.stringify(new URL('./sqlite.ts', import.meta.url).href)}
  import { appendEvent } from ${JSON.stringify(new URL('../events/append.ts', import.meta.url).href)}
  import { systemClock } from ${JSON.stringify(new URL('../kernel/clock.ts', import.meta.url).href)}
  const db = await openSqlite({ path: process.argv[1], clock: systemClock, chainKey: new Uint8Array(32).fill(7) })
  const event = { kind: 'log', by: 'daemon', message: 'x'.repeat(500) }
  const write = () => db.write(['run:a'], async (tx) => {
    await appendEvent(tx, 'run:a', event)
    return appendEvent(tx, 'run:a', event)
  })
  for (;;) for (const seq of await Promise.all([write(), write(), write()])) console.log(seq)
`
