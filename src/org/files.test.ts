import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { mountDisk, mountsMissing } from '../../test/support/mounts.ts'
import { createSeenLog, type LogLineSeen } from '../../test/support/server.ts'
import { describeStores, freshFolder, freshSqlite } from '../../test/support/store.ts'
import type { Db } from '../db/port.ts'
import { appendEvent } from '../events/append.ts'
import { newestSeq } from '../events/store.ts'
import { noLog } from '../kernel/log.ts'
import { listFileMoves } from './file-moves-store.ts'
import { createFiles, type Files, maxFileBytes } from './files.ts'
import { organisationPath, personaPath } from './paths.ts'
import type { Content, Put } from './stage.ts'

const robbo = { 'p/skill.md': 'Thinks first.\n', 'p/experience.md': '# Experience\n', 'p/handoffs/': '' }
const toRobbo: Put = { from: 'p', to: personaPath('architect-robbo-3'), keep: true }

const note = (files: Files, content: Content, puts: readonly Put[]): Promise<number> =>
  files.write(['system'], content, async (tx, put) => {
    await put(puts)
    return appendEvent(tx, 'system', { kind: 'org_changed', by: 'operator', message: 'files' })
  })
const eventsIn = (db: Db): Promise<number> => db.read((tx) => newestSeq(tx, 'system'))
const stageOf = (root: string): string[] =>
  existsSync(join(root, '.staging')) ? readdirSync(join(root, '.staging')) : []

async function openFiles(
  db: Db,
  root = join(freshFolder(), 'data'),
): Promise<{ files: Files; root: string; logged: LogLineSeen[] }> {
  const logged: LogLineSeen[] = []
  return { files: createFiles({ root, db, log: createSeenLog(logged) }), root, logged }
}

describeStores('files that belong to rows', (openFresh) => {
  it('appear when their transaction commits', async () => {
    const { db } = await openFresh()
    const { files, root } = await openFiles(db)
    await note(files, robbo, [toRobbo])
    expect(await files.read('personas/architect-robbo-3/skill.md')).toBe('Thinks first.\n')
    expect(readdirSync(join(root, 'personas/architect-robbo-3')).sort()).toEqual([
      'experience.md',
      'handoffs',
      'skill.md',
    ])
    expect(await eventsIn(db)).toBe(1)
    expect(await db.read(listFileMoves)).toEqual([])
    expect(stageOf(root)).toEqual([])
  })

  it('do not appear when their transaction fails', async () => {
    const { db } = await openFresh()
    const { files, root } = await openFiles(db)
    const failed = files.write(['system'], robbo, async (_, put) => {
      await put([toRobbo])
      throw new Error('changed my mind')
    })
    await expect(failed).rejects.toThrow('changed my mind')
    expect(readdirSync(join(root, 'personas'))).toEqual([])
    expect(await db.read(listFileMoves)).toEqual([])
    expect(stageOf(root)).toEqual([])
  })

  it('are not written again for a repeated request', async () => {
    const { db } = await openFresh()
    const { files, root } = await openFiles(db)
    const ask = (): Promise<number> =>
      db.once('key', 'digest', () =>
        note(files, { 'skill.md': 'once' }, [{ from: 'skill.md', to: 'personas/a-1/skill.md' }]),
      )
    await ask()
    writeFileSync(join(root, 'personas/a-1/skill.md'), 'by hand')
    await ask()
    expect(await files.read('personas/a-1/skill.md')).toBe('by hand')
    expect(stageOf(root)).toEqual([])
    expect(await eventsIn(db)).toBe(1)
  })

  it('keep existing files with keep, and replace them otherwise', async () => {
    const { db } = await openFresh()
    const { files, root } = await openFiles(db)
    mkdirSync(join(root, 'personas/architect-robbo-3'), { recursive: true })
    writeFileSync(join(root, 'personas/architect-robbo-3/skill.md'), 'By hand.\n')
    await note(files, robbo, [toRobbo])
    expect(await files.read('personas/architect-robbo-3/skill.md')).toBe('By hand.\n')
    expect(await files.read('personas/architect-robbo-3/experience.md')).toBe('# Experience\n')
    await note(files, robbo, [{ from: 'p', to: 'personas/architect-robbo-3' }])
    expect(await files.read('personas/architect-robbo-3/skill.md')).toBe('Thinks first.\n')
    expect(existsSync(join(root, 'personas/architect-robbo-3/handoffs'))).toBe(true)
  })

  it('are copied with all their content', async () => {
    const { db } = await openFresh()
    const { files, root } = await openFiles(db)
    mkdirSync(join(root, 'organisations/a-1/notes/deep'), { recursive: true })
    writeFileSync(join(root, 'organisations/a-1/intent.md'), 'intent')
    writeFileSync(join(root, 'organisations/a-1/notes/deep/ünï.bin'), Buffer.from([0, 255, 1]))
    const names = files.list('organisations/a-1')
    expect(names).toEqual(['intent.md', 'notes/deep/ünï.bin'])
    const content = Object.fromEntries(names.map((name) => [`o/${name}`, { copyOf: `organisations/a-1/${name}` }]))
    await note(files, content, [{ from: 'o', to: 'organisations/b-1' }])
    expect(readFileSync(join(root, 'organisations/b-1/notes/deep/ünï.bin'))).toEqual(Buffer.from([0, 255, 1]))
    expect(await files.read('organisations/a-1/intent.md')).toBe('intent')
  })

  it.each(['staged', 'put', 'committed', 'moved'] as const)(
    'are complete or absent after kill -9 at the step %s',
    async (step) => {
      const store = await openFresh()
      const { files, root } = await openFiles(store.db)
      const signal = await killedAt(step, store.place, root)
      expect(signal).toBe('SIGKILL')
      await files.recover()
      const isCommitted = step === 'committed' || step === 'moved'
      expect(await eventsIn(store.db)).toBe(isCommitted ? 1 : 0)
      expect(await files.read('personas/a-1/skill.md')).toBe(isCommitted ? 'Skill A' : null)
      expect(await files.read('personas/b-2/skill.md')).toBe(isCommitted ? 'Skill B' : null)
      expect(await store.db.read(listFileMoves)).toEqual([])
      expect(stageOf(root)).toEqual([])
    },
  )

  it('are reported once when they are lost before they reach their target', async () => {
    const { db } = await openFresh()
    const { files, root, logged } = await openFiles(db)
    const staged = await files.stage(robbo)
    await db.write(['system'], (tx) => staged.put(tx, [toRobbo]))
    rmSync(join(root, '.staging'), { recursive: true })
    await files.recover()
    expect(logged.map((line) => line['place'])).toContain('personas/architect-robbo-3')
    logged.length = 0
    await files.recover()
    expect(logged).toEqual([])
  })
})

/** Runs the write in another process, which kills itself at the step. */
async function killedAt(step: string, place: unknown, root: string): Promise<NodeJS.Signals | null> {
  const script = join(import.meta.dirname, '../../test/support/crash-during-files.ts')
  const child = spawn(process.execPath, [script, step, JSON.stringify(place), root], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  return signal
}

describe('the data directory', () => {
  it('may itself be a link', async () => {
    const { db } = await freshSqlite()
    const folder = freshFolder()
    mkdirSync(join(folder, 'elsewhere'))
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'data'))
    const { files } = await openFiles(db, join(folder, 'data'))
    await note(files, robbo, [toRobbo])
    expect(readFileSync(join(folder, 'elsewhere/personas/architect-robbo-3/skill.md'), 'utf8')).toBe('Thinks first.\n')
    expect(await files.read('personas/architect-robbo-3/skill.md')).toBe('Thinks first.\n')
  })

  it.each([
    ['a file', 'personas/a-1/skill.md'],
    ['a directory', 'personas/a-1'],
    ['a whole area', 'personas'],
  ])('refuses a link out of it in %s, for reading and writing', async (_, link) => {
    const { db } = await freshSqlite()
    const { files, root } = await openFiles(db)
    const outside = freshFolder()
    mkdirSync(join(outside, 'a-1'))
    writeFileSync(join(outside, 'skill.md'), 'secret')
    writeFileSync(join(outside, 'a-1/skill.md'), 'secret')
    mkdirSync(join(root, link, '..'), { recursive: true })
    symlinkSync(link.endsWith('.md') ? join(outside, 'skill.md') : outside, join(root, link))
    const place = 'personas/a-1/skill.md'
    await expect(files.read(place)).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('outside the data directory'),
    })
    const written = note(files, { 'skill.md': 'mine' }, [{ from: 'skill.md', to: place }])
    await expect(written).rejects.toMatchObject({ code: 'forbidden' })
    await expect(note(files, { 'copy.md': { copyOf: place } }, [])).rejects.toMatchObject({ code: 'forbidden' })
    expect(await eventsIn(db)).toBe(0)
    expect(readFileSync(join(outside, 'skill.md'), 'utf8')).toBe('secret')
    expect(stageOf(root)).toEqual([])
  })

  it('may contain links that stay inside', async () => {
    const { db } = await freshSqlite()
    const { files, root } = await openFiles(db)
    mkdirSync(join(root, 'people/a-1'), { recursive: true })
    writeFileSync(join(root, 'people/a-1/skill.md'), 'shared')
    symlinkSync('people', join(root, 'personas'))
    expect(await files.read('personas/a-1/skill.md')).toBe('shared')
    await note(files, { 'skill.md': 'mine' }, [{ from: 'skill.md', to: 'personas/a-1/skill.md' }])
    expect(readFileSync(join(root, 'people/a-1/skill.md'), 'utf8')).toBe('mine')
  })

  it('refuses a link that leads nowhere or in a circle', async () => {
    const { db } = await freshSqlite()
    const { files, root } = await openFiles(db)
    mkdirSync(join(root, 'personas/a-1'), { recursive: true })
    symlinkSync('/nowhere/at/all', join(root, 'personas/a-1/skill.md'))
    symlinkSync('experience.md', join(root, 'personas/a-1/experience.md'))
    await expect(files.read('personas/a-1/skill.md')).rejects.toMatchObject({ code: 'forbidden' })
    await expect(files.read('personas/a-1/experience.md')).rejects.toMatchObject({ code: 'forbidden' })
  })

  it.each([
    '../secret',
    'personas/../../secret',
    '/etc/passwd',
    'personas//skill.md',
    'personas/./skill.md',
    'personas/a\0b/skill.md',
    `personas/${'x'.repeat(300)}/skill.md`,
    '.staging/s-1/skill.md',
    'elsewhere/skill.md',
    'personas',
    '',
  ])('refuses the path %j', async (place) => {
    const { db } = await freshSqlite()
    const { files } = await openFiles(db)
    await expect(files.read(place)).rejects.toMatchObject({ code: expect.stringMatching('forbidden|store_unusable') })
    const written = note(files, { a: 'x' }, [{ from: 'a', to: place }])
    await expect(written).rejects.toMatchObject({ code: 'forbidden' })
  })

  it.each(['..', '.', '', 'a/b', 'A-1', 'a\0', 'a-'.repeat(80), '🎉', 'a--b', '-a', 'a_1'])(
    'refuses a directory for the slug %j',
    (slug) => {
      expect(() => personaPath(slug)).toThrow('cannot name a directory')
      expect(() => organisationPath(slug, 'intent.md')).toThrow('cannot name a directory')
    },
  )

  it('refuses to read pipes, directories and huge files as texts', async () => {
    const { db } = await freshSqlite()
    const { files, root } = await openFiles(db)
    mkdirSync(join(root, 'personas/a-1/skill.md'), { recursive: true })
    writeFileSync(join(root, 'personas/a-1/experience.md'), Buffer.alloc(maxFileBytes + 1))
    await expect(files.read('personas/a-1/skill.md')).rejects.toMatchObject({ code: 'store_unusable' })
    await expect(files.read('personas/a-1/experience.md')).rejects.toMatchObject({ code: 'too_large' })
    expect(await files.read('personas/b-1/skill.md')).toBeNull()
    const written = note(files, { s: 'x' }, [{ from: 's', to: 'personas/a-1/skill.md' }])
    await expect(written).rejects.toMatchObject({ code: 'store_unusable' })
    expect(await eventsIn(db)).toBe(0)
  })

  it('is read again for each request', async () => {
    const { db } = await freshSqlite()
    const { files, root } = await openFiles(db)
    await note(files, robbo, [toRobbo])
    writeFileSync(join(root, 'personas/architect-robbo-3/skill.md'), 'By hand.')
    expect(await files.read('personas/architect-robbo-3/skill.md')).toBe('By hand.')
  })

  it('serialises concurrent read-and-write-back operations', async () => {
    const { db } = await freshSqlite()
    const { files } = await openFiles(db)
    const place = 'personas/a-1/experience.md'
    const add = (line: string): Promise<number> =>
      files.withLock('a-1', async () => {
        const text = `${(await files.read(place)) ?? ''}${line}\n`
        return note(files, { e: text }, [{ from: 'e', to: place }])
      })
    await files.recover()
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map(add))
    expect(await files.read(place)).toBe('a\nb\nc\nd\ne\n')
  })

  it('reports a file that has the name of a directory', async () => {
    const { db } = await freshSqlite()
    const folder = freshFolder()
    writeFileSync(join(folder, 'data'), '')
    const { files } = await openFiles(db, join(folder, 'data'))
    await expect(note(files, robbo, [toRobbo])).rejects.toMatchObject({ code: 'store_unusable' })
    expect(await eventsIn(db)).toBe(0)
  })
})

const missing = mountsMissing()
if (missing !== null) console.log(`skipped, full and read-only disks: ${missing}`)

describe.skipIf(missing !== null)('a disk', () => {
  it('that is full leaves no row behind', async () => {
    const { db } = await freshSqlite()
    const { folder } = mountDisk(256)
    const files = createFiles({ root: folder, db, log: noLog })
    const written = note(files, { ...robbo, 'p/skill.md': 'x'.repeat(400_000) }, [toRobbo])
    await expect(written).rejects.toMatchObject({
      code: 'store_full',
      message: expect.stringContaining('nothing was changed'),
    })
    expect(await eventsIn(db)).toBe(0)
    expect(stageOf(folder)).toEqual([])
    await note(files, robbo, [toRobbo])
    expect(await files.read('personas/architect-robbo-3/skill.md')).toBe('Thinks first.\n')
  })

  it('that is read-only leaves no row behind and can still be read', async () => {
    const { db } = await freshSqlite()
    const disk = mountDisk(256)
    const files = createFiles({ root: disk.folder, db, log: noLog })
    await note(files, robbo, [toRobbo])
    disk.makeReadOnly()
    const written = note(files, { s: 'x' }, [{ from: 's', to: 'personas/architect-robbo-3/skill.md' }])
    await expect(written).rejects.toMatchObject({
      code: 'store_unusable',
      message: expect.stringContaining('read-only'),
    })
    expect(await eventsIn(db)).toBe(1)
    expect(await files.read('personas/architect-robbo-3/skill.md')).toBe('Thinks first.\n')
  })

  it('that is mounted below the data directory is refused, because moves to it are not atomic', async () => {
    const { db } = await freshSqlite()
    const root = freshFolder()
    mkdirSync(join(root, 'organisations'))
    mountDisk(256, join(root, 'organisations'))
    const files = createFiles({ root, db, log: noLog })
    const written = note(files, { i: 'x' }, [{ from: 'i', to: 'organisations/a-1/intent.md' }])
    await expect(written).rejects.toMatchObject({
      code: 'store_unusable',
      message: expect.stringContaining('a different disk'),
    })
    expect(await eventsIn(db)).toBe(0)
  })
})
