import { createHash } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, mkdtemp, open, readlink } from 'node:fs/promises'
import { join } from 'node:path'

import { agencyDirectory } from '../workspaces/path.ts'
import { engineAuthor } from './author.ts'
import { makeClone } from './clone.ts'
import { type Git, gitError } from './git.ts'
import { removeTree } from '../workspaces/remove-tree.ts'

export interface ComparedClone {
  readonly mirror: string
  readonly commit: string
  /** The directory of the clone. */
  readonly path: string
  readonly signal?: AbortSignal | undefined
}

/**
 * Lists the files of a commit that a clone no longer has as a new one would: with other content, another mode, or not at
 * all. Files that the commit does not have are left out. An agent has written the clone, so no git runs in it, nothing
 * of its repository is read, and no link is followed.
 */
export async function compareClone(git: Git, clone: ComparedClone): Promise<string[]> {
  const { mirror, commit, path, signal } = clone
  const entries = await entriesOf(git, mirror, commit)
  const differing = await findDiffering(path, entries, signal)
  // Attributes of the commit, such as line ends, let a clone have other bytes than the commit.
  const isConverted = entries.some(({ name }) => /(^|\/)\.gitattributes$/.test(name))
  const found = isConverted && differing.length > 0 ? await compareWritten(git, clone, differing) : differing
  return found.map(({ name }) => Buffer.from(name, 'latin1').toString('utf8'))
}

/** A file of a commit. Names may have any bytes: each is a character here. */
interface Entry {
  readonly name: string
  readonly mode: string
  readonly object: string
  readonly bytes: number
}

async function entriesOf(git: Git, mirror: string, commit: string): Promise<Entry[]> {
  const args = ['ls-tree', '-r', '-z', '-l', '--full-tree', commit]
  const result = await git.run(args, { gitDir: mirror, maxOutputBytes: maxListBytes })
  if (result.exitCode !== 0) throw gitError(args, result)
  const lines = result.stdout.toString('latin1').split('\0').slice(0, -1)
  return lines.flatMap((line) => {
    const [facts = '', name = ''] = [line.slice(0, line.indexOf('\t')), line.slice(line.indexOf('\t') + 1)]
    const [mode = '', kind, object = '', bytes] = facts.split(/ +/)
    const isOurs = name.startsWith(`${agencyDirectory}/`)
    // A clone has none of its submodules.
    return kind === 'blob' && !isOurs ? [{ name, mode, object, bytes: Number(bytes) }] : []
  })
}

const maxListBytes = 512 * 1024 ** 2
const link = '120000'
const executable = '100755'
/** Files that are read at the same time. */
const lanes = 8

async function findDiffering(
  root: string,
  entries: readonly Entry[],
  signal: AbortSignal | undefined,
): Promise<Entry[]> {
  const isFolder = createFolders(root)
  const differing = new Set<Entry>()
  let next = 0
  const follow = async (): Promise<void> => {
    for (let entry = entries[next++]; entry !== undefined; entry = entries[next++]) {
      signal?.throwIfAborted()
      const isSame = (await isFolder(folderOf(entry.name))) && (await isAs(root, entry))
      if (!isSame) differing.add(entry)
    }
  }
  await Promise.all(Array.from({ length: lanes }, follow))
  return entries.filter((entry) => differing.has(entry))
}

/** Compares files with those of a new clone, byte by byte. */
async function compareWritten(
  git: Git,
  { mirror, commit, path, signal }: ComparedClone,
  entries: readonly Entry[],
): Promise<Entry[]> {
  const fresh = await mkdtemp(`${mirror}.compare-`)
  const into = join(fresh, 'clone')
  try {
    const request = { mirror, branch: 'compared', start: commit, author: engineAuthor }
    await makeClone(git, request, into, { paths: partsOf(entries), signal })
    const isFolder = createFolders(path)
    const found: Entry[] = []
    for (const entry of entries) {
      signal?.throwIfAborted()
      const written = await describe(into, entry)
      const isSame = (await isFolder(folderOf(entry.name))) && written !== null && (await isAs(path, written))
      if (!isSame) found.push(entry)
    }
    return found
  } finally {
    await removeTree(fresh)
  }
}

/** More paths, or one with a newline or without UTF-8, are not worth a list: the clone is made as a whole. */
function partsOf(entries: readonly Entry[]): string[] | undefined {
  const names = entries.map(({ name }) => Buffer.from(name, 'latin1').toString('utf8'))
  return names.length > 200 || names.some((name) => /[\n\uFFFD]/.test(name)) ? undefined : names
}

/** Returns the entry that a file would be if it were committed as it is. */
async function describe(root: string, entry: Entry): Promise<Entry | null> {
  const bytes = (await lstat(at(root, entry.name)).catch(unlessMissing))?.size
  if (bytes === undefined) return null
  const object = await hashOf(root, { ...entry, bytes })
  return object === null ? null : { ...entry, bytes, object }
}

const isAs = async (root: string, entry: Entry): Promise<boolean> => (await hashOf(root, entry)) === entry.object

/** Resolves to null for a file of another kind or size, which is not read: an agent can make one of terabytes. */
async function hashOf(root: string, { name, mode, object, bytes }: Entry): Promise<string | null> {
  const path = at(root, name)
  const hash = createHash(object.length === 64 ? 'sha256' : 'sha1').update(`blob ${bytes}\0`)
  const found = await lstat(path).catch(unlessMissing)
  if (found === null || !isOfMode(found, mode) || found.size !== bytes) return null
  if (mode === link) return hash.update(await readlink(path, { encoding: 'buffer' })).digest('hex')
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(unlessMissing)
  if (file === null) return null
  try {
    for await (const part of partsIn(file, bytes)) hash.update(part)
    return hash.digest('hex')
  } finally {
    await file.close()
  }
}

function isOfMode(found: Stats, mode: string): boolean {
  if (mode === link) return found.isSymbolicLink()
  const isExecutable = (found.mode & 0o100) !== 0
  return found.isFile() && isExecutable === (mode === executable)
}

async function* partsIn(file: FileHandle, bytes: number): AsyncGenerator<Buffer> {
  const chunk = Buffer.allocUnsafe(Math.min(bytes, 256 * 1024) || 1)
  for (let read = 0; read < bytes;) {
    const { bytesRead } = await file.read(chunk, 0, Math.min(chunk.length, bytes - read), read)
    if (bytesRead === 0) return
    yield chunk.subarray(0, bytesRead)
    read += bytesRead
  }
}

/** Reports whether a path leads through directories only, none of them a link. */
function createFolders(root: string): (folder: string) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>()
  const isFolder = (folder: string): Promise<boolean> => {
    if (folder === '') return Promise.resolve(true)
    const found = known.get(folder) ?? look(folder)
    known.set(folder, found)
    return found
  }
  const look = async (folder: string): Promise<boolean> =>
    (await isFolder(folderOf(folder))) && ((await lstat(at(root, folder)).catch(unlessMissing))?.isDirectory() ?? false)
  return isFolder
}

const folderOf = (name: string): string => name.slice(0, Math.max(0, name.lastIndexOf('/')))

const at = (root: string, name: string): Buffer => Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, 'latin1')])

/** A file that this user may not read is not as it was in the clone. */
function unlessMissing(error: NodeJS.ErrnoException): null {
  if (missing.has(error.code ?? '')) return null
  throw error
}

const missing = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'ENXIO', 'ENAMETOOLONG'])
