import { createHash } from 'node:crypto'

import { bug, refusal } from '../kernel/errors.ts'
import { agencyDirectory, isPlainName, namesInside, outbox } from './path.ts'
import { enterDirectly } from './enter-directly.ts'
import type { CheckoutRequest, CommandResult, Workspace, WorkspaceFile, WorkspaceRequest, Workspaces } from './port.ts'
import { textOf } from './text.ts'

export type Files = ReadonlyMap<string, string>

/** Simulates a command in a workspace in which no process can run. */
export type Answer = (files: Files) => { readonly exitCode: number; readonly output: string }

export interface MemoryWorkspaces extends Workspaces {
  /** Sets the simulated result of `command` in every workspace. */
  answer(command: string, answer: Answer): void
}

/** Workspaces without a disk, for simulations and benchmarks. */
export function createMemoryWorkspaces(): MemoryWorkspaces {
  const filesOf = new Map<string, Map<string, string>>()
  const answers = new Map<string, Answer>()
  const pathOf = ({ runId, id }: Pick<WorkspaceRequest, 'runId' | 'id'>): string => {
    if (!isPlainName(runId) || !isPlainName(id)) throw bug(`"${runId}/${id}" is not a valid directory name`)
    return `memory:${runId}/${id}`
  }
  const existing = (request: WorkspaceRequest): Map<string, string> => {
    const files = filesOf.get(pathOf(request))
    if (files === undefined) throw refusal('not_found', `the workspace of ${request.id} no longer exists`)
    return files
  }
  const homeOf = (request: WorkspaceRequest): string =>
    `${pathOf({ runId: request.runId, id: request.homeOf ?? request.id })}.home`
  /** There is no git: a commit has the files of all workspaces of its run. */
  const filesIn = ({ runId, source }: CheckoutRequest): [name: string, text: string][] =>
    source.kind === 'workspace'
      ? [...existing(source.workspace)]
      : [...filesOf].flatMap(([path, files]) => (path.startsWith(`memory:${runId}/`) ? [...files] : []))
  return {
    remove: async (request) => void filesOf.delete(pathOf(request)),
    answer: (command, answer) => void answers.set(command, answer),
    prepare: async (request) => {
      const path = pathOf(request)
      const files = filesOf.get(path) ?? new Map<string, string>()
      filesOf.set(path, files)
      for (const name of files.keys()) if (name.startsWith(`${outbox}/`)) files.delete(name)
      return createWorkspace({ path, home: homeOf(request), files, answers })
    },
    open: async (request) =>
      createWorkspace({ path: pathOf(request), home: homeOf(request), files: existing(request), answers }),
    checkout: async (request) => {
      request.signal?.throwIfAborted()
      if (!isPlainName(request.id)) throw bug(`"${request.id}" is not a valid directory name`)
      const files = new Map(filesIn(request).filter(([name]) => !name.startsWith(`${agencyDirectory}/`)))
      const path = `memory:checkouts/${request.id}`
      const remove = async (): Promise<void> => files.clear()
      const workspace = createWorkspace({ path, home: `${path}.home`, files, answers })
      return { ...workspace, setUp: async () => null, remove }
    },
    removeCheckouts: async () => {},
  }
}

interface MemoryWorkspace {
  readonly path: string
  readonly home: string
  readonly files: Map<string, string>
  readonly answers: ReadonlyMap<string, Answer>
}

const createWorkspace = ({ path, home, files, answers }: MemoryWorkspace): Workspace => ({
  path,
  boxed: false,
  home,
  enter: enterDirectly(path),
  read: async (name, maxBytes) => {
    const text = namesInside(name) ? files.get(plain(name)) : undefined
    return text === undefined ? null : fileOf(text, maxBytes)
  },
  write: async (name, text) => {
    if (!namesInside(name)) throw refusal('invalid_input', `"${name}" leads outside the workspace`)
    files.set(plain(name), text.toWellFormed())
  },
  run: async (command, { maxOutputBytes }) => {
    const { exitCode, output } = answers.get(command)?.(files) ?? { exitCode: 127, output: `${command}: not found\n` }
    return resultOf(exitCode, output, maxOutputBytes)
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
    outputSha256: sha256(bytes),
    durationMs: 0,
    boxed: false,
  }
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
