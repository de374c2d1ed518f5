import { constants, lstatSync, mkdirSync, readdirSync, renameSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { refusal } from '../kernel/errors.ts'
import type { FileMove } from './file-moves-store.ts'
import { follow, followPath } from './paths.ts'

/** Texts, bytes, or copies of existing content, by their paths in the stage; `x/` is an empty directory. */
export type Content = Readonly<Record<string, string | Uint8Array | { readonly copyOf: string }>>

/** `from` is a path in the stage, a file or a directory; `to` is a content path. */
export interface Put {
  from: string
  to: string
  /** Existing files stay as they are; otherwise they are replaced. */
  keep?: true
}

/** On the same disk as the targets of its content, so that a move is one atomic step. */
export const staging = '.staging'

export async function makeFolder(base: string): Promise<string> {
  const stage = join(base, staging)
  await mkdir(stage, { recursive: true, mode: 0o700 })
  if (!lstatSync(stage).isDirectory()) throw refusal('forbidden', `${stage} is a link; remove it`)
  return join(staging, (await mkdtemp(join(stage, 's-'))).slice(stage.length + 1))
}

/** The number of files that the disk flushes in parallel. */
const together = 32

export async function fillFolder(base: string, folder: string, content: Content): Promise<void> {
  const entries = Object.entries(content)
  const parents = new Set(
    entries.map(([name]) => (name.endsWith('/') ? join(base, folder, name) : dirname(join(base, folder, name)))),
  )
  for (const parent of parents) mkdirSync(parent, { recursive: true })
  for (let from = 0; from < entries.length; from += together)
    await Promise.all(
      entries
        .slice(from, from + together)
        .filter(([name]) => !name.endsWith('/'))
        .map(([name, value]) => writeDurably(base, join(base, folder, name), value)),
    )
  await syncDirectories([...parents, join(base, folder), join(base, staging)])
}

async function writeDurably(base: string, path: string, value: Content[string]): Promise<void> {
  if (typeof value === 'object' && 'copyOf' in value)
    await copyFile(join(base, follow(base, value.copyOf)), path, constants.COPYFILE_EXCL)
  const file = await open(path, typeof value === 'object' && 'copyOf' in value ? 'r+' : 'wx', 0o644)
  try {
    if (typeof value === 'string' || value instanceof Uint8Array) await file.writeFile(value)
    await file.sync()
  } finally {
    await file.close()
  }
}

export async function syncDirectories(paths: readonly string[]): Promise<void> {
  const all = [...new Set(paths)]
  for (let from = 0; from < all.length; from += together)
    await Promise.all(
      all.slice(from, from + together).map(async (path) => {
        const directory = await open(path, 'r')
        try {
          await directory.sync()
        } finally {
          await directory.close()
        }
      }),
    )
}

/**
 * Returns the moves for one put: a directory that does not exist yet moves as a whole; into an existing one, files move
 * one by one.
 */
export function movesFor(
  base: string,
  folder: string,
  content: Content,
  { from, to, keep }: Put,
): Omit<FileMove, 'id'>[] {
  const target = follow(base, to)
  const source = join(folder, from).replace(/\/$/, '')
  checkDisk(base, target)
  const there = lstatSync(join(base, target), { throwIfNoEntry: false })
  if (there === undefined) return [{ source, target }]
  const isWhole = !Object.hasOwn(content, from) || from.endsWith('/')
  if (isWhole !== there.isDirectory())
    throw refusal('store_unusable', `${to} in the data directory is ${isWhole ? 'not ' : ''}a directory`, {
      hint: 'Move it away.',
    })
  if (Object.hasOwn(content, from)) return keep === true ? [] : [{ source, target }]
  return Object.keys(content)
    .filter((name) => name.startsWith(`${from}/`))
    .flatMap((name) =>
      movesFor(base, folder, content, {
        from: name,
        to: `${to}/${name.slice(from.length + 1).replace(/\/$/, '')}`,
        ...(keep === true || name.endsWith('/') ? { keep: true } : {}),
      }),
    )
}

/** Refuses a target on another disk: only a move on one disk is atomic. */
function checkDisk(base: string, target: string): void {
  let place = join(base, target)
  // Compares directories, because overlay file systems report a file's device as that of its layer.
  while (lstatSync(place, { throwIfNoEntry: false })?.isDirectory() !== true) place = dirname(place)
  if (lstatSync(place).dev !== lstatSync(base).dev)
    throw refusal('store_unusable', `${place} is on a different disk from the rest of the data directory`, {
      hint: 'Keep the whole data directory on one disk.',
    })
}

/**
 * Moves a staged file or directory to its target. A missing source means that an earlier process has moved it already.
 */
export function moveIntoPlace(base: string, { source, target }: { source: string; target: string }): void {
  const from = join(base, source)
  if (lstatSync(from, { throwIfNoEntry: false }) === undefined) return
  const to = join(base, followPath(base, target))
  mkdirSync(dirname(to), { recursive: true })
  try {
    renameSync(from, to)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
    // The directory was created by hand in the meantime: its files take precedence.
    for (const name of readdirSync(from))
      if (lstatSync(join(to, name), { throwIfNoEntry: false }) === undefined)
        moveIntoPlace(base, { source: join(source, name), target: join(target, name) })
  }
}

export const isStaged = (source: string): boolean =>
  source.startsWith(`${staging}/s-`) && !source.split('/').some((segment) => segment === '..' || segment === '')
