import { createHash } from 'node:crypto'

import { bug, refusal } from '../kernel/errors.ts'
import { agencyDirectory, inputsDirectory, isPlainName, namesInside, outbox } from './path.ts'
import { enterDirectly } from './enter-directly.ts'
import { sourceOfBytes } from './file-source.ts'
import { changed, faultOfName, missing, refused } from './handed-files.ts'
import type {
  CheckoutRequest,
  CloneRequest,
  CommandResult,
  HandedFile,
  Workspace,
  WorkspaceFile,
  WorkspaceRequest,
  Workspaces,
} from './port.ts'
import { textOf } from './text.ts'

export type Files = ReadonlyMap<string, string>

/** Simulates a command in a workspace in which no process can run. */
export type Answer = (files: Files) => Answered

export interface Answered {
  readonly exitCode: number
  readonly output: string
}

/** The files of a workspace, which a simulated git may change. */
export interface MemoryPlace {
  readonly path: string
  readonly files: Map<string, string>
}

export interface MemoryGit {
  /** Writes the files of a commit into a place that is no clone yet. */
  materialise(clone: CloneRequest, place: MemoryPlace, options: { over?: string; paths?: readonly string[] }): void
  /** Simulates a command of git; null: it is none. */
  run(command: string, place: MemoryPlace): Answered | null
}

export interface MemoryWorkspaces extends Workspaces {
  /** Sets the simulated result of `command` in every workspace. */
  answer(command: string, answer: Answer): void
  /** Returns the paths of all workspaces and checkouts that exist. */
  list(): string[]
  /** Returns the files of a workspace by its path. */
  filesAt(path: string): Map<string, string> | undefined
}

/** Workspaces without a disk, for simulations and benchmarks; without a git, a commit has the files of all workspaces of its run. */
export function createMemoryWorkspaces({ git }: { git?: MemoryGit } = {}): MemoryWorkspaces {
  const filesOf = new Map<string, Map<string, string>>()
  const checkouts = new Map<string, Map<string, string>>()
  /** The files of copies as they were made. */
  const copied = new Map<string, ReadonlyMap<string, string>>()
  const answers = new Map<string, Answer>()
  /** By run: the newest version of each file, whichever workspace it is in. */
  const newest = new Map<string, Map<string, string>>()
  const pathOf = ({ runId, id }: Pick<WorkspaceRequest, 'runId' | 'id'>): string => {
    if (!isPlainName(runId) || !isPlainName(id)) throw bug(`"${runId}/${id}" is not a valid directory name`)
    return `memory:${runId}/${id}`
  }
  const existing = (request: WorkspaceRequest): Map<string, string> => {
    const files = filesOf.get(pathOf(request))
    if (files === undefined) throw refusal('not_found', `the workspace of ${request.id} no longer exists`)
    return files
  }
  const homeOf = (request: WorkspaceRequest): string => `${pathOf(request)}.home`
  const isOfAgent = (name: string): boolean => !name.startsWith(`${agencyDirectory}/`) && !name.startsWith('.git/')
  const copyOf = ({ runId, copyOf: copied }: WorkspaceRequest): [name: string, text: string][] =>
    copied === undefined ? [] : [...existing({ runId, id: copied.id })].filter(([name]) => isOfAgent(name))
  const filesOfRun = (runId: string): [name: string, text: string][] => [
    ...[...filesOf].flatMap(([path, files]) => (path.startsWith(`memory:${runId}/`) ? [...files] : [])),
    ...(newest.get(runId) ?? []),
  ]
  const filesIn = ({ runId, source }: CheckoutRequest): [name: string, text: string][] => {
    if (source.kind === 'workspace') return [...existing(source.workspace)]
    if (git !== undefined) return []
    return filesOfRun(runId)
  }
  const materialise = ({ source }: CheckoutRequest, place: MemoryPlace): void => {
    if (source.kind === 'commit') {
      const { mirror, branch, commit: start, paths } = source
      git?.materialise({ mirror, branch, start }, place, paths === undefined ? {} : { paths })
    } else if (source.commit !== null && (source.workspace.clone ?? null) !== null) {
      const clone = source.workspace.clone as CloneRequest
      git?.materialise({ ...clone, start: source.commit }, place, { over: clone.start })
    }
  }
  const keeperOf =
    ({ runId }: WorkspaceRequest) =>
    (name: string, text: string): void => {
      if (git !== undefined || !isOfAgent(name)) return
      newest.set(runId, (newest.get(runId) ?? new Map<string, string>()).set(name, text))
    }
  const workspaces: MemoryWorkspaces = {
    list: () => [...filesOf.keys(), ...checkouts.keys()],
    filesAt: (path) => filesOf.get(path) ?? checkouts.get(path),
    remove: async (request, before) => {
      const path = pathOf(request)
      if ((filesOf.get(path)?.size ?? 0) > 0) await before?.(await workspaces.prepare(request))
      filesOf.delete(path)
      copied.delete(path)
    },
    answer: (command, answer) => void answers.set(command, answer),
    prepare: async (request) => {
      const path = pathOf(request)
      const { clone = null } = request
      const isClone = clone !== null && request.copyOf === undefined
      const begun = isClone && git === undefined ? filesOfRun(request.runId) : copyOf(request)
      const files = filesOf.get(path) ?? new Map<string, string>(begun)
      if (request.copyOf !== undefined && !filesOf.has(path)) copied.set(path, new Map(begun))
      if (isClone) git?.materialise(clone, { path, files }, {})
      filesOf.set(path, files)
      for (const name of files.keys())
        if (name.startsWith(`${outbox}/`) || name.startsWith(`${inputsDirectory}/`)) files.delete(name)
      return createWorkspace({ path, home: homeOf(request), files, answers, git, keep: keeperOf(request) })
    },
    open: async (request) => {
      const files = existing(request)
      const keep = keeperOf(request)
      return createWorkspace({ path: pathOf(request), home: homeOf(request), files, answers, git, keep })
    },
    lay: async (request, handed) => {
      const { runId, clone = null } = request
      const sourceOf = ({ from }: HandedFile) => filesOf.get(pathOf({ runId: from.runId ?? runId, id: from.id }))
      return layInMemory(existing(request), handed, { sourceOf, isClone: clone !== null })
    },
    changedInCopy: async (request) => {
      const files = existing(request)
      return [...(copied.get(pathOf(request)) ?? [])]
        .filter(([name, text]) => files.get(name) !== text)
        .map(([name]) => name)
    },
    source: async (runId, { id }, path) => {
      const text = filesOf.get(pathOf({ runId, id }))?.get(plain(path))
      return text === undefined ? null : sourceOfBytes(Buffer.from(text))
    },
    checkout: async (request) => {
      request.signal?.throwIfAborted()
      if (!isPlainName(request.id)) throw bug(`"${request.id}" is not a valid directory name`)
      const files = new Map(filesIn(request).filter(([name]) => isOfAgent(name)))
      const path = `memory:checkouts/${request.id}`
      materialise(request, { path, files })
      checkouts.set(path, files)
      const remove = async (): Promise<void> => {
        files.clear()
        if (checkouts.get(path) === files) checkouts.delete(path)
      }
      const workspace = createWorkspace({ path, home: `${path}.home`, files, answers, git })
      return { ...workspace, isCleanClone: request.source.kind === 'commit', setUp: async () => null, remove }
    },
    removeCheckouts: async (keep) => {
      for (const path of checkouts.keys()) if (!keep.has(path.slice('memory:checkouts/'.length))) checkouts.delete(path)
    },
  }
  return workspaces
}

interface MemorySources {
  readonly sourceOf: (file: HandedFile) => Files | undefined
  readonly isClone: boolean
}

function layInMemory<File extends HandedFile>(
  files: Map<string, string>,
  handed: readonly File[],
  { sourceOf, isClone }: MemorySources,
) {
  const laid: (File & { bytes: number })[] = []
  const drop = () => laid.forEach(({ folder, path }) => files.delete(`${inputsDirectory}/${folder}/${path}`))
  for (const file of handed) {
    const source = sourceOf(file)
    const text = source?.get(file.path)
    const named = faultOfName(file)
    const isNeedless = isClone && (files.has(file.path) || file.mayBeGone === true)
    const hasOther = isNeedless && (text === undefined || sha256(Buffer.from(text)) !== file.sha256)
    const isGone = source !== undefined && text === undefined && file.mayBeGone === true
    if (named === null && (hasOther || isGone)) continue
    const fault = named ?? (text === undefined ? missing : null)
    if (fault !== null || sha256(Buffer.from(text ?? '')) !== file.sha256) {
      drop()
      return refused(file, fault ?? changed)
    }
    if (text === undefined || (isClone && files.get(file.path) === text)) continue
    files.set(`${inputsDirectory}/${file.folder}/${file.path}`, text)
    laid.push({ ...file, bytes: Buffer.byteLength(text) })
  }
  return { files: laid }
}

interface MemoryWorkspace {
  readonly path: string
  readonly home: string
  readonly files: Map<string, string>
  readonly answers: ReadonlyMap<string, Answer>
  readonly git: MemoryGit | undefined
  /** Is told of every file that is written. */
  readonly keep?: (name: string, text: string) => void
}

const createWorkspace = ({ path, home, files, answers, git, keep }: MemoryWorkspace): Workspace => ({
  path,
  boxed: false,
  home,
  enter: enterDirectly(path),
  read: async (name, maxBytes) => {
    const text = namesInside(name) ? files.get(plain(name)) : undefined
    return text === undefined ? null : fileOf(text, maxBytes)
  },
  source: async (name) => {
    const text = namesInside(name) ? files.get(plain(name)) : undefined
    return text === undefined ? null : sourceOfBytes(Buffer.from(text))
  },
  write: async (name, text) => {
    if (!namesInside(name)) throw refusal('invalid_input', `"${name}" leads outside the workspace`)
    files.set(plain(name), text.toWellFormed())
    keep?.(plain(name), text.toWellFormed())
  },
  run: async (command, { maxOutputBytes, searchFor }) => {
    const { exitCode, output } = answers.get(command)?.(files) ??
      git?.run(command, { path, files }) ?? { exitCode: 127, output: `${command}: not found\n` }
    const result = resultOf(exitCode, output, maxOutputBytes)
    return searchFor === undefined ? result : { ...result, contains: output.includes(searchFor) }
  },
})

const plain = (name: string): string =>
  name
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')

function fileOf(text: string, maxBytes: number): WorkspaceFile {
  const bytes = Buffer.from(text)
  return { bytes: bytes.length, sha256: sha256(bytes), text: textOf(bytes, maxBytes) }
}

function resultOf(exitCode: number, output: string, maxBytes: number): CommandResult {
  const bytes = Buffer.from(output)
  return {
    exitCode,
    signal: null,
    timedOut: false,
    output: textOf(bytes, maxBytes),
    ...(bytes.length > maxBytes ? { cut: { bytes: bytes.length, end: output.slice(-64 * 1024) } } : {}),
    outputSha256: sha256(bytes),
    durationMs: 0,
    boxed: false,
  }
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
