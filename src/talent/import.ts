import { constants } from 'node:fs'
import {
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'

import { AgencyError, refusal } from '../kernel/errors.ts'
import { slug } from '../kernel/text.ts'
import type { OutputOf } from '../operations/contract.ts'
import type { talentOperations } from './contract.ts'
import { findMarkdown, isDirectory, maxPoolBytes, readMarkdown, type Skipped } from './markdown-files.ts'
import { isSkippedFolder, stemOf } from './pick.ts'
import { draftOf } from './pool.ts'
import { createPoolReader, type PoolReader, readRegistryText } from './reader.ts'

export type Imported = OutputOf<typeof talentOperations.import>

/**
 * The source pool of each file: importing the same pool again updates its files; those of another pool are kept apart.
 */
type Sources = Record<string, string>

/** Paths relative to a home's talent folder. */
const agents = 'agents'
const mapping = 'role_registry.yaml'
const sourcesFile = 'sources.json'
const unfinished = '.import-'
const decided = '.decided-'

/**
 * Imports the personalities of a folder into the home's talent folder, all or none: everything is staged first; one
 * rename commits the import; its files are moved into place now, or at the next start or import. `bundled` is our own
 * pool, whose personalities keep their paths.
 */
export async function importPool(
  home: string,
  bundled: string,
  directory: string,
  reader: PoolReader = createPoolReader(),
): Promise<Imported> {
  const pool = await poolIn(directory)
  const { files, skipped } = await readPool(pool, reader)
  await mkdir(home, { recursive: true, mode: 0o700 })
  await finishImports(home)
  const sources = await readSources(home)
  const plan = await planImport({ home, bundled, pool, files, sources })
  const registry = await registryOf(pool, home, skipped)
  const hasWrites = plan.writes.length > 0 || registry !== null
  if (hasWrites) {
    await stageAndDecide(home, [
      ...plan.writes.map(({ path, text }) => ({ path: `${agents}/${path}`, text })),
      ...(registry === null ? [] : [{ path: mapping, text: registry }]),
      { path: sourcesFile, text: `${JSON.stringify(plan.sources, null, 2)}\n` },
    ])
    await finishImports(home)
  }
  return {
    imported: plan.writes.filter((each) => !each.isUpdate).map((each) => each.path),
    updated: plan.writes.filter((each) => each.isUpdate).map((each) => each.path),
    skipped: [...skipped, ...plan.skipped].sort((a, b) => (a.path < b.path ? -1 : 1)),
    mapping: registry !== null,
  }
}

/**
 * Moves the files of committed imports of an earlier process into place, and removes uncommitted ones. Runs before the
 * pool is read.
 */
export async function finishImports(home: string): Promise<void> {
  const names = await readdir(home).catch(() => [])
  try {
    for (const name of names.filter((each) => each.startsWith(decided))) {
      for (const path of await filesBelow(join(home, name))) {
        await mkdir(dirname(join(home, path)), { recursive: true })
        await move(join(home, name, path), join(home, path))
      }
      await rm(join(home, name), { recursive: true, force: true })
    }
    for (const name of names.filter((each) => each.startsWith(unfinished)))
      await rm(join(home, name), { recursive: true, force: true })
  } catch (error) {
    throw unwritable(
      home,
      error,
      'the import is committed, but some files are not in place: fix the cause, then repeat the command',
    )
  }
}

/** Copies where a rename is impossible: the agents folder may be a link to another file system. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    const beside = `${to}.importing`
    await rm(beside, { force: true })
    await copyFile(from, beside, constants.COPYFILE_EXCL)
    await sync(beside)
    await rename(beside, to)
    await sync(dirname(to))
    await rm(from)
  }
}

async function sync(path: string): Promise<void> {
  const file = await open(path)
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

interface SourcePool {
  /** The folder that contains the divisions. */
  root: string
  /** The folder that the caller named. */
  directory: string
  /** The name that keeps its files apart from those of other pools. */
  name: string
}

/**
 * Finds the personalities: a project keeps them in `.claude/agents`, a pool may keep them in `agents`; any other folder
 * is used as it is.
 */
async function poolIn(directory: string): Promise<SourcePool> {
  let real: string
  try {
    real = await realpath(directory)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') throw refusal('not_found', `there is no folder ${directory}`)
    throw unreadable(directory, error)
  }
  if (!(await isDirectory(real))) throw refusal('invalid_input', `${directory} is not a folder`)
  for (const inner of [join('.claude', 'agents'), 'agents']) {
    const root = await realpath(join(real, inner)).catch(() => null)
    // A link that leads out of the named folder is not part of it.
    if (root !== null && root.startsWith(real + sep) && (await isDirectory(root)))
      return { root, directory: real, name: nameOf(real) }
  }
  return { root: real, directory: real, name: nameOf(real) }
}

/** Returns the nearest folder name that identifies the pool: not `agents`, not `.claude`. */
function nameOf(path: string): string {
  const names = path.split(sep).filter((part) => part !== '' && part !== 'agents' && !part.startsWith('.'))
  return slug(names.at(-1) ?? '') || 'pool'
}

interface SourceFile {
  /** Relative to the pool's root. */
  path: string
  division: string
  text: string
}

async function readPool(
  { root, name }: SourcePool,
  reader: PoolReader,
): Promise<{ files: SourceFile[]; skipped: Skipped[] }> {
  const { paths, skipped } = await findMarkdown(root, isSkippedFolder).catch((error: unknown) => {
    throw error instanceof AgencyError ? error : unreadable(root, error)
  })
  if (paths.length + skipped.length === 0)
    throw refusal('not_found', `no Markdown file in ${root}`, { hint: 'Give .claude/agents, or a pool of divisions.' })
  const files: SourceFile[] = []
  let bytes = 0
  const found = await reader.read(root, paths)
  for (const [index, path] of paths.entries()) {
    const read = found[index] as (typeof found)[number]
    const drafted = 'reason' in read ? read : draftOf(path, read.personality)
    if ('reason' in read || 'reason' in drafted) {
      skipped.push({ path, reason: (drafted as { reason: string }).reason })
      continue
    }
    bytes += read.bytes
    if (bytes > maxPoolBytes)
      throw refusal('too_large', `${root} contains more than ${maxPoolBytes / 1024 / 1024} MB of personalities`)
    // A file outside all folders belongs to its pool, not to the general division.
    const isLoose = !path.includes('/') && drafted.frontMatter.division === undefined
    files.push({ path, division: isLoose ? name : drafted.division, text: read.text })
  }
  return { files, skipped }
}

interface Write {
  /** Relative to `agents`. */
  path: string
  text: string
  isUpdate: boolean
}

async function planImport({
  home,
  bundled,
  pool,
  files,
  sources,
}: {
  home: string
  bundled: string
  pool: SourcePool
  files: readonly SourceFile[]
  sources: Sources
}): Promise<{ writes: Write[]; skipped: Skipped[]; sources: Sources }> {
  const writes = new Map<string, Write>()
  const skipped: Skipped[] = []
  const now: Sources = { ...sources }
  for (const { path, division, text } of files) {
    const file = `${slug(stemOf(path))}.md`
    for (const folder of foldersFor(division, pool.name)) {
      const target = `${folder}/${file}`
      if (writes.has(target)) {
        // Two files of one pool, from folders of the same division.
        skipped.push({ path, reason: `${target} is another file of the same pool` })
        break
      }
      const ours = await textAt(join(bundled, target))
      const there = await textAt(join(home, agents, target))
      if (there === text || (there === null && ours === text)) {
        skipped.push({ path, reason: `${target} has the same text already` })
        break
      }
      const isFree = ours === null && there === null
      const isOfThisPool = there !== null && sources[target] === pool.directory
      if (!isFree && !isOfThisPool) continue
      writes.set(target, { path: target, text, isUpdate: isOfThisPool })
      now[target] = pool.directory
      break
    }
  }
  return { writes: [...writes.values()].sort((a, b) => (a.path < b.path ? -1 : 1)), skipped, sources: now }
}

/** Yields the division, and where another pool has taken the path there: `engineering-acme`, `engineering-acme-2` … */
function* foldersFor(division: string, pool: string): Generator<string> {
  yield division
  yield `${division}-${pool}`
  for (let number = 2; ; number++) yield `${division}-${pool}-${number}`
}

async function registryOf({ directory, root }: SourcePool, home: string, skipped: Skipped[]): Promise<string | null> {
  for (const path of [join(root, mapping), join(directory, mapping), join(directory, 'config', mapping)]) {
    const read = await readMarkdown(path)
    if ('reason' in read) {
      if ((await lstat(path).catch(() => null)) !== null) skipped.push({ path: mapping, reason: read.reason })
      continue
    }
    const { faults } = await readRegistryText(read.text)
    if (faults.length > 0)
      throw refusal(
        'invalid_input',
        `${path}:${faults[0]}${faults.length > 1 ? ` (and ${faults.length - 1} more)` : ''}`,
        {
          hint: 'Nothing was imported. Correct the registry, or remove it.',
          data: { faults },
        },
      )
    const own = await textAt(join(home, mapping))
    if (own === null) return read.text
    skipped.push({
      path: mapping,
      reason:
        own === read.text ? 'the home has the same file already' : `this home has its own: ${join(home, mapping)}`,
    })
    return null
  }
  return null
}

async function stageAndDecide(home: string, files: readonly { path: string; text: string }[]): Promise<void> {
  const folder = await mkdtemp(join(home, unfinished))
  try {
    for (const parent of new Set(files.map(({ path }) => dirname(path)))) {
      await refuseLinks(home, parent)
      await mkdir(join(folder, parent), { recursive: true })
    }
    for (let start = 0; start < files.length; start += batchSize)
      await Promise.all(
        files
          .slice(start, start + batchSize)
          .map(({ path, text }) => writeFile(join(folder, path), text, { flag: 'wx', mode: 0o644, flush: true })),
      )
    await rename(folder, join(home, basename(folder).replace(unfinished, decided)))
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error instanceof AgencyError ? error : unwritable(home, error)
  }
}

const batchSize = 16

/**
 * Refuses a division that is a link, because it would redirect our files to its target. The agents folder itself may be
 * a link.
 */
async function refuseLinks(home: string, parent: string): Promise<void> {
  if (!parent.includes('/')) return
  const found = await lstat(join(home, parent)).catch(() => null)
  if (found !== null && !found.isDirectory())
    throw refusal('conflict', `${join(home, parent)} is not a folder of this home; nothing was imported`, {
      hint: 'Move it away.',
    })
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
}

async function textAt(path: string): Promise<string | null> {
  const read = await readMarkdown(path)
  if ('text' in read) return read.text
  // Any other kind of file belongs to the operator, and no text equals it.
  return (await lstat(path).catch(() => null)) === null ? null : '\0'
}

async function readSources(home: string): Promise<Sources> {
  try {
    const value: unknown = JSON.parse(await readFile(join(home, sourcesFile), 'utf8'))
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return Object.fromEntries(
        Object.entries(value).filter((each): each is [string, string] => typeof each[1] === 'string'),
      )
  } catch {
    // Without the file every existing personality counts as another pool's: kept apart, never replaced.
  }
  return {}
}

const unreadable = (path: string, error: unknown): AgencyError =>
  refusal('invalid_input', `${path} cannot be read: ${(error as Error).message}`)

function unwritable(home: string, error: unknown, outcome = 'nothing was imported'): AgencyError {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return refusal('store_full', `the disk that holds ${home} is full; ${outcome}`, {
      hint: 'Free some space, then repeat the command.',
      cause: error,
    })
  return refusal('store_unusable', `${home} cannot be written: ${message}; ${outcome}`, { cause: error })
}
