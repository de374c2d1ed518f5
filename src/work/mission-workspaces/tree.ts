import { constants } from 'node:fs'
import {
  appendFile,
  chmod,
  lstat,
  mkdir,
  open,
  opendir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  statfs,
  writeFile,
} from 'node:fs/promises'
import { join, sep } from 'node:path'

import { refusal } from '../../kernel/errors.ts'
import { filePart, maxPartBytes } from '../../workspaces/file-part.ts'
import { openInside } from '../../workspaces/files.ts'
import { agencyDirectory, namesInside } from '../../workspaces/path.ts'
import { measureDisk } from '../../workspaces/box/disk.ts'
import { removeTree } from '../../workspaces/remove-tree.ts'
import type { FileEntry } from './contract.ts'

/** The directories below the workspace root other than those of briefs: `missions/`, `shared/`, `.agency-global/`. */
export type WorkspaceTree = ReturnType<typeof createWorkspaceTree>

export interface Use {
  bytes: number
  files: number
  isPartial: boolean
}

export const globalDirectory = '.agency-global'
const sharedFolders = ['templates', 'configs', 'libraries']
const maxEntries = 5_000
const maxCounted = 300_000
const maxLog = 5_000_000

/** Creates the tree. Without a root, as on a host for simulations, every access is refused. */
export function createWorkspaceTree(root: string | null) {
  /** The root itself may be a link; nothing below it may. */
  const base = async (): Promise<string> => {
    if (root === null) throw refusal('unsupported', 'this Agency has no workspaces of missions')
    await mkdir(root, { recursive: true, mode: 0o700 })
    return realpath(root)
  }

  /** Returns the directory of a workspace; refuses one that no longer exists, or was replaced by a link. */
  async function directoryOf(path: string): Promise<string> {
    const directory = join(await base(), path)
    const real = await realpath(directory).catch(() => null)
    if (real === null) throw refusal('not_found', `the directory ${directory} no longer exists`)
    if (real !== directory) throw outside(path, real)
    return directory
  }

  return {
    root: root ?? '',
    directoryOf,

    /**
     * Creates the directories and the configuration that every workspace relies on; existing directories stay
     * unchanged.
     */
    async prepare(configuration: object): Promise<void> {
      const place = await base()
      for (const folder of sharedFolders) await mkdir(join(place, 'shared', folder), { recursive: true, mode: 0o700 })
      await mkdir(join(place, globalDirectory), { recursive: true, mode: 0o700 })
      const file = join(place, globalDirectory, 'workspace-config.json')
      await writeFile(file, `${JSON.stringify({ root: place, ...configuration }, null, 2)}\n`, { mode: 0o600 })
    },

    async make(path: string): Promise<void> {
      const directory = join(await base(), path)
      await mkdir(directory, { recursive: true, mode: 0o700 })
      await directoryOf(path)
    },

    isFree: async (path: string): Promise<boolean> =>
      (await lstat(join(await base(), path)).catch(() => null)) === null,

    exists: (path: string): Promise<boolean> =>
      directoryOf(path).then(
        () => true,
        () => false,
      ),

    async list(path: string, folder: string): Promise<{ path: string; entries: FileEntry[]; isPartial: boolean }> {
      const directory = await directoryOf(path)
      const place = await inside(directory, folder)
      const found: string[] = []
      let isPartial = false
      for await (const entry of await openFolder(place, folder)) {
        isPartial = found.length >= maxEntries
        if (isPartial) break
        found.push(entry.name)
      }
      const entries = (await Promise.all(found.map((name) => describe(place, name)))).filter((entry) => entry !== null)
      const order = (entry: FileEntry): string => `${entry.kind === 'directory' ? 0 : 1}${entry.name}`
      entries.sort((a, b) => (order(a) < order(b) ? -1 : 1))
      return { path: place === directory ? '.' : place.slice(directory.length + 1), entries, isPartial }
    },

    async read(path: string, name: string, from: number) {
      const directory = await directoryOf(path)
      await inside(directory, name)
      const handle = await openInside(directory, name)
      if (handle === null) throw refusal('not_found', `"${name}" is not a readable file`)
      try {
        const { size } = await handle.stat()
        const buffer = Buffer.alloc(Math.max(0, Math.min(maxPartBytes, size - from)))
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, from)
        return filePart({ path: name, bytes: size, from }, buffer.subarray(0, bytesRead))
      } finally {
        await handle.close()
      }
    },

    use: async (path: string): Promise<Use> => countUse(await directoryOf(path)),

    /** Measures each workspace, each run's directories, and the rest. */
    async parts(paths: readonly string[]): Promise<{ parts: (Use & { path: string })[]; freeBytes: number }> {
      const place = await base()
      const { bavail, bsize } = await statfs(place)
      const others = (await readdir(place)).filter((name) => name !== 'missions')
      const parts: (Use & { path: string })[] = []
      for (const path of [...paths, ...others])
        parts.push({ path, ...(await countUse(join(place, path)).catch(() => none)) })
      return { parts, freeBytes: bavail * bsize }
    },

    /** Removes a workspace with its HOME. */
    async remove(path: string): Promise<void> {
      const directory = await directoryOf(path)
      for (const each of [directory, `${directory}.home`]) await removeTree(each)
    },

    async readLog(path: string): Promise<string> {
      const handle = await openInside(await directoryOf(path), logFile)
      if (handle === null) return ''
      try {
        const { size } = await handle.stat()
        const buffer = Buffer.alloc(Math.min(size, maxLog))
        // Of a log over the limit, only the newest part is read.
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, Math.max(0, size - maxLog))
        return buffer.subarray(0, bytesRead).toString('utf8')
      } finally {
        await handle.close()
      }
    },

    async appendLog(path: string, line: object): Promise<void> {
      const own = await agencyOf(await directoryOf(path))
      // It was read-only while an agent worked without a box.
      await chmod(own, 0o700)
      await appendLine(join(own, 'log.jsonl'), line)
    },

    /** Writes `mission.json` or `agent.json`: facts for the agent about its work. */
    writeFact: async (path: string, name: 'mission.json' | 'agent.json', fact: object): Promise<void> => {
      const file = join(await agencyOf(await directoryOf(path)), name)
      // Written as a new file, so that a link in its place is replaced and not followed.
      const draft = `${file}.draft`
      await rm(draft, { force: true })
      await writeFile(draft, `${JSON.stringify(fact, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
      await rename(draft, file)
    },

    appendSession: async (line: object): Promise<void> => {
      const folder = join(await base(), globalDirectory)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await appendFile(join(folder, 'agent-sessions.jsonl'), `${JSON.stringify(line)}\n`, { mode: 0o600 })
    },

    readGlobal: async (name: string): Promise<string> => readFile(join(await base(), globalDirectory, name), 'utf8'),
  }
}

const logFile = join(agencyDirectory, 'log.jsonl')

const none: Use = { bytes: 0, files: 0, isPartial: true }

export const outside = (path: string, real: string) =>
  refusal('forbidden', `outside_workspace: "${path}" leads to ${real}`, {
    hint: 'Only files inside the workspace are visible.',
    data: { reason: 'outside_workspace' },
  })

/** Resolves a name to its real path; refuses one outside the workspace. */
async function inside(directory: string, name: string): Promise<string> {
  const trimmed = name.replace(/\/+$/, '')
  if (trimmed === '.' || trimmed === '') return directory
  if (!namesInside(trimmed)) throw outside(name, trimmed.startsWith('/') ? trimmed : 'a directory above it')
  const real = await realpath(join(directory, trimmed)).catch((error: NodeJS.ErrnoException) => {
    throw refusal('not_found', `"${name}" does not exist in this workspace`, { cause: error })
  })
  if (real !== directory && !real.startsWith(directory + sep)) throw outside(name, real)
  return real
}

const openFolder = (place: string, folder: string) =>
  opendir(place).catch((error: NodeJS.ErrnoException) => {
    const problem = error.code === 'ENOTDIR' ? 'is a file' : 'cannot be opened'
    throw refusal('invalid_input', `"${folder}" ${problem}`, { cause: error })
  })

async function describe(folder: string, name: string): Promise<FileEntry | null> {
  const found = await lstat(join(folder, name)).catch(() => null)
  if (found === null) return null
  const kind = found.isFile()
    ? ('file' as const)
    : found.isDirectory()
      ? ('directory' as const)
      : found.isSymbolicLink()
        ? ('link' as const)
        : ('other' as const)
  return { name, kind, bytes: found.size, modifiedAt: found.mtime.toISOString() }
}

async function countUse(directory: string): Promise<Use> {
  const { megabytes, files } = await measureDisk([directory], maxCounted)
  return { bytes: megabytes * 1024 * 1024, files, isPartial: files > maxCounted }
}

/** Returns Agency's own directory in a workspace. Without a box an agent may have replaced it by a link. */
async function agencyOf(directory: string): Promise<string> {
  const own = join(directory, agencyDirectory)
  if (!(await lstat(own)).isDirectory()) throw new Error(`${own} is no longer a directory`)
  return own
}

async function appendLine(path: string, line: object): Promise<void> {
  const found = await lstat(path).catch(() => null)
  // A symbolic link, or a hard link to another file, is replaced and never followed.
  if (found !== null && (!found.isFile() || found.nlink > 1)) await removeTree(path)
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW
  const handle = await open(path, flags, 0o600)
  try {
    await handle.writeFile(`${JSON.stringify(line)}\n`)
  } finally {
    await handle.close()
  }
}
