import { createHash } from 'node:crypto'

import { bug, refusal } from '../kernel/errors.ts'
import { isPlainName, namesInside, outbox } from './path.ts'
import { enterDirectly } from './enter-directly.ts'
import type { CommandResult, Workspace, WorkspaceFile, Workspaces } from './port.ts'
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
  return {
    remove: async ({ runId, id }) => void filesOf.delete(`memory:${runId}/${id}`),
    answer: (command, answer) => void answers.set(command, answer),
    prepare: async (brief) => {
      if (!isPlainName(brief.runId) || !isPlainName(brief.id))
        throw bug(`"${brief.runId}/${brief.id}" is not a valid directory name`)
      const path = `memory:${brief.runId}/${brief.id}`
      const files = filesOf.get(path) ?? new Map<string, string>()
      filesOf.set(path, files)
      for (const name of files.keys()) if (name.startsWith(`${outbox}/`)) files.delete(name)
      return createWorkspace(path, files, answers)
    },
  }
}

const createWorkspace = (
  path: string,
  files: Map<string, string>,
  answers: ReadonlyMap<string, Answer>,
): Workspace => ({
  path,
  boxed: false,
  home: `${path}.home`,
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
