import { constants, lstatSync, readdirSync } from 'node:fs'
import { open, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import type { Db, Stream, Tx } from '../db/port.ts'
import { mayHaveHappened, refusal } from '../kernel/errors.ts'
import type { Log } from '../kernel/log.ts'
import { deleteFileMoves, type FileMove, insertFileMoves, listFileMoves } from './file-moves-store.ts'
import { follow, followPath, prepareRoot, realRoot, unusableData } from './paths.ts'
import {
  type Content,
  fillFolder,
  isStaged,
  makeFolder,
  moveIntoPlace,
  movesFor,
  type Put,
  staging,
  syncDirectories,
} from './stage.ts'

export interface Staged {
  /** Records the moves in the transaction of the rows that the files belong to: either both take effect, or neither. */
  put(tx: Tx, puts: readonly Put[]): Promise<void>
  /** Moves the recorded files after the commit and removes the rest of the stage. */
  finish(): Promise<void>
  discard(): Promise<void>
}

export interface Files {
  readonly root: string
  /**
   * Reads the file from the disk each time; nothing is cached, so edits by hand take effect at once. Null: it does not
   * exist.
   */
  read(path: string): Promise<string | null>
  /** The same without decoding, for callers that write the file back: a file in another encoding survives. */
  readBytes(path: string): Promise<Buffer | null>
  /** Lists the files below a directory, as paths relative to it. */
  list(path: string): string[]
  stage(content: Content): Promise<Staged>
  /**
   * Writes rows and files together. The content is on the disk before the transaction begins, and in its final location
   * after the commit.
   */
  write<T>(
    streams: readonly Stream[],
    content: Content,
    work: (tx: Tx, put: (puts: readonly Put[]) => Promise<void>) => Promise<T>,
  ): Promise<T>
  /** Serialises work with the same key, such as reading a file and writing it back. */
  withLock<T>(key: string, work: () => Promise<T>): Promise<T>
  /**
   * Runs before the daemon serves requests: finishes moves that an earlier process committed, removes content that it
   * did not.
   */
  recover(): Promise<void>
}

/** A larger file is not a text that a person wrote. */
export const maxFileBytes = 10_000_000

export function createFiles({ root, db, log }: { root: string; db: Db; log: Log }): Files {
  const files: Files = {
    root,
    read: async (path) => (await files.readBytes(path))?.toString('utf8') ?? null,
    async readBytes(path) {
      try {
        return await readWhole(realRoot(root), path)
      } catch (error) {
        throw unusableData(root, error)
      }
    },
    list: (path) => {
      try {
        return listBelow(realRoot(root), path)
      } catch (error) {
        throw unusableData(root, error)
      }
    },
    async stage(content) {
      const base = prepareRoot(root)
      let folder: string | null = null
      try {
        folder = await makeFolder(base)
        await fillFolder(base, folder, content)
        return stagedIn(base, folder, content)
      } catch (error) {
        if (folder !== null) await rm(join(base, folder), { recursive: true, force: true })
        throw unusableData(root, error)
      }
    },
    async write(streams, content, work) {
      if (Object.keys(content).length === 0) return db.write(streams, (tx) => work(tx, async () => {}))
      const staged = await files.stage(content)
      let result
      try {
        result = await db.write(streams, (tx) => work(tx, (puts) => staged.put(tx, puts)))
      } catch (error) {
        // The next start finishes the moves if they were recorded, and removes the content if they were not.
        if (mayHaveHappened(error)) log.warn('files stay staged: the answer to their commit was lost', { error })
        else await staged.discard()
        throw error
      }
      await staged.finish()
      return result
    },
    withLock: createQueues(),
    async recover() {
      try {
        await recover({ root, db, log })
      } catch (error) {
        throw unusableData(root, error)
      }
    },
  }

  function stagedIn(base: string, folder: string, content: Content): Staged {
    const committed: FileMove[] = []
    let wasPut = false
    const empty = (): Promise<void> => rm(join(base, folder), { recursive: true, force: true })
    return {
      async put(tx, puts) {
        wasPut = true
        const moves = puts.flatMap((each) => movesFor(base, folder, content, each))
        const rows = await insertFileMoves(tx, moves)
        tx.afterCommit(() => committed.push(...rows))
      },
      async finish() {
        try {
          for (const move of committed) moveIntoPlace(base, move)
          await syncDirectories(committed.map((move) => dirname(join(base, move.target))))
        } catch (error) {
          log.error('files could not be moved into place; the next start retries', { error })
          throw refusal('store_unusable', `the change is recorded, but its files are not in place in ${root}`, {
            hint: 'Free some space or make it writable, then restart the daemon: it moves them into place.',
            cause: error,
          })
        }
        if (committed.length > 0)
          await forget(
            db,
            log,
            committed.map((move) => move.id),
          )
        await empty()
      },
      async discard() {
        // After a connection that broke during a commit, it is unknown whether the commit happened: the next start
        // decides.
        if (!wasPut || (await isFree(db, folder))) await empty()
      },
    }
  }

  return files
}

async function isFree(db: Db, folder: string): Promise<boolean> {
  try {
    return !(await db.read(listFileMoves)).some((move) => move.source.startsWith(`${folder}/`))
  } catch {
    return false
  }
}

async function readWhole(base: string, path: string): Promise<Buffer | null> {
  const absolute = join(base, follow(base, path))
  let file
  try {
    // Opens neither a link that has appeared since the check nor, blocking, a pipe without a writer.
    file = await open(absolute, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  try {
    const found = await file.stat()
    if (!found.isFile()) throw refusal('store_unusable', `${path} in the data directory is not a file`)
    if (found.size > maxFileBytes)
      throw refusal('too_large', `${path} is larger than ${maxFileBytes / 1_000_000} MB`, {
        hint: 'Shorten it in an editor.',
      })
    return await file.readFile()
  } finally {
    await file.close()
  }
}

function listBelow(base: string, path: string): string[] {
  const absolute = join(base, follow(base, path))
  if (lstatSync(absolute, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  return readdirSync(absolute, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      if (entry.isDirectory()) return listBelow(base, `${path}/${entry.name}`).map((below) => `${entry.name}/${below}`)
      // A link is followed, and checked, when it is opened.
      return entry.isFile() || entry.isSymbolicLink() ? [entry.name] : []
    })
}

async function forget(db: Db, log: Log, ids: readonly number[]): Promise<void> {
  try {
    await db.write([], (tx) => deleteFileMoves(tx, ids))
  } catch (error) {
    // The files are in place; the next start finds nothing left to move and deletes the rows then.
    log.warn('rows of finished file moves could not be deleted', { error })
  }
}

async function recover({ root, db, log }: { root: string; db: Db; log: Log }): Promise<void> {
  const base = prepareRoot(root)
  const moves = await db.read(listFileMoves)
  const finished: number[] = []
  const kept = new Set<string>()
  for (const move of moves) {
    try {
      if (!isStaged(move.source)) throw refusal('forbidden', `${move.source} is not in the staging directory`)
      const isLost =
        lstatSync(join(base, move.source), { throwIfNoEntry: false }) === undefined &&
        lstatSync(join(base, followPath(base, move.target)), { throwIfNoEntry: false }) === undefined
      if (isLost) log.warn('a file of the organisation is missing', { place: move.target })
      else moveIntoPlace(base, move)
      finished.push(move.id)
    } catch (error) {
      kept.add(move.source.split('/')[1] ?? '')
      log.error('a file could not be moved into place', { place: move.target, error })
    }
  }
  const parents = moves.map((move) => dirname(join(base, move.target)))
  await syncDirectories(
    parents.filter((parent) => lstatSync(parent, { throwIfNoEntry: false })?.isDirectory() === true),
  )
  if (finished.length > 0) await db.write([], (tx) => deleteFileMoves(tx, finished))
  if (finished.length > 0) log.info('finished file moves of an earlier process', { files: finished.length })
  const stage = join(base, staging)
  if (lstatSync(stage, { throwIfNoEntry: false })?.isDirectory() !== true) return
  for (const name of await readdir(stage))
    if (!kept.has(name)) await rm(join(stage, name), { recursive: true, force: true })
}

function createQueues(): Files['withLock'] {
  const last = new Map<string, Promise<void>>()
  return async (key, work) => {
    const before = last.get(key)
    const { promise, resolve } = Promise.withResolvers<void>()
    last.set(key, promise)
    await before
    try {
      return await work()
    } finally {
      resolve()
      if (last.get(key) === promise) last.delete(key)
    }
  }
}
