import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'

import type { Clock } from '../kernel/clock.ts'
import { refusal } from '../kernel/errors.ts'
import { shorten } from '../kernel/text.ts'
import { killGroup } from '../processes/kill-group.ts'
import { safeEnvironment, safeSettings, settingWords } from './safe-git-config.ts'
import { withInheritedUmask } from '../processes/umask.ts'

/**
 * Git as the daemon runs it: on its own mirrors, and on the operator's repository to read it and to fast-forward it.
 */
export interface Git {
  /** Resolves with any exit code; rejects with `GitError` if git could not run, took too long or printed too much. */
  run(args: readonly string[], options: GitOptions): Promise<GitResult>
  /** Resolves to the output without the last newline; rejects for every exit code but 0. */
  ask(args: readonly string[], options: GitOptions): Promise<string>
  readonly clock: Clock
}

export interface GitOptions {
  readonly cwd?: string
  readonly gitDir?: string
  readonly input?: string
  /** An open file to read instead of `input`. */
  readonly inputFd?: number
  readonly timeoutMs?: number
  readonly maxOutputBytes?: number
  /** Cuts the output at `maxOutputBytes` instead of rejecting. */
  readonly mayCut?: boolean
  /** Added to the minimal environment of git; undefined removes a variable. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Override the default settings; a key may occur more than once. */
  readonly settings?: readonly Setting[]
  /** Address space of git and each of its children: a small pack can be made to unpack to a huge file. */
  readonly maxMemoryBytes?: number
  /** Kills git with the programs that it started; the call rejects with the reason. */
  readonly signal?: AbortSignal | undefined
}

export type Setting = readonly [key: string, value: string]

export interface GitResult {
  readonly stdout: Buffer
  readonly stderr: string
  readonly exitCode: number
  readonly cut: boolean
}

/** A failure of git; the message names the command and the first line of its error. */
export class GitError extends Error {
  readonly stderr: string
  readonly exitCode: number | null

  constructor(message: string, { stderr = '', exitCode = null }: { stderr?: string; exitCode?: number | null } = {}) {
    super(message)
    this.name = 'GitError'
    this.stderr = stderr
    this.exitCode = exitCode
  }
}

const minute = 60_000
const megabyte = 1024 ** 2
const keptErrorBytes = 64 * 1024

export function createGit({ program = 'git', clock }: { program?: string; clock: Clock }): Git {
  const run = async (args: readonly string[], options: GitOptions): Promise<GitResult> => {
    const { timeoutMs = 5 * minute, maxOutputBytes = 64 * megabyte, signal } = options
    signal?.throwIfAborted()
    const child = start(commandOf(program, args, options), options)
    const output = collectOutput(child, maxOutputBytes)
    let timedOut = false
    const cancel = clock.after(timeoutMs, () => {
      timedOut = true
      killGroup(child.pid)
    })
    const abort = (): void => void killGroup(child.pid)
    signal?.addEventListener('abort', abort)
    try {
      const exitCode = await exitOf(child, () => missing(program, options))
      signal?.throwIfAborted()
      if (timedOut) throw new GitError(`${commandName(args)} took longer than ${Math.round(timeoutMs / 1_000)} seconds`)
      const stderr = output.errors()
      if (output.isFull() && options.mayCut !== true)
        throw new GitError(`${commandName(args)} printed more than ${maxOutputBytes} bytes`, { stderr })
      if (exitCode === null && !output.isFull()) throw new GitError(`${commandName(args)} was killed`, { stderr })
      return { stdout: output.bytes(), stderr, exitCode: exitCode ?? 0, cut: output.isFull() }
    } finally {
      cancel()
      signal?.removeEventListener('abort', abort)
    }
  }
  return {
    clock,
    run,
    ask: async (args, options) => {
      const result = await run(args, options)
      if (result.exitCode !== 0) throw gitError(args, result)
      return result.stdout.toString('utf8').replace(/\n$/, '')
    },
  }
}

export const gitError = (args: readonly string[], { stderr, exitCode }: GitResult): GitError =>
  new GitError(shorten(`${commandName(args)}: ${errorLine(stderr) ?? `exit code ${exitCode}`}`, 500), {
    stderr,
    exitCode,
  })

/** Returns the line of the error; lines before it are only hints or warnings. */
export const errorLine = (stderr: string): string | null => {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '')
  const line =
    lines.find((each) => /^(fatal|error): /.test(each)) ?? lines.find((each) => !/^(hint|warning):/.test(each))
  return line?.replace(/^(fatal|error): /, '') ?? null
}

export const isFull = (stderr: string): boolean => /No space left on device|[Dd]isk quota exceeded/.test(stderr)

const commandName = (args: readonly string[]): string =>
  `git ${args.find((word) => !word.startsWith('-')) ?? ''}`.trimEnd()

/** Builds the command. A shell sets the memory limit, because Node cannot; the shell is replaced by git. */
function commandOf(program: string, args: readonly string[], options: GitOptions): [string, ...string[]] {
  const { gitDir, settings = [], maxMemoryBytes } = options
  const words = [
    '--no-pager',
    ...(gitDir === undefined ? [] : [`--git-dir=${gitDir}`]),
    ...settingWords([
      ...Object.entries(safeSettings),
      ...(maxMemoryBytes === undefined ? [] : smallWindows),
      ...settings,
    ]),
    ...args,
  ]
  if (maxMemoryBytes === undefined) return [program, ...words]
  const kilobytes = String(Math.floor(maxMemoryBytes / 1024))
  return ['/bin/sh', '-c', 'ulimit -v "$0" 2>/dev/null; exec "$@"', kilobytes, program, ...words]
}

/** Limits mapped packs; otherwise merely reading a large repository would count as using much memory. */
const smallWindows: readonly Setting[] = [
  ['core.packedGitWindowSize', '32m'],
  ['core.packedGitLimit', '256m'],
]

/**
 * Starts git without the daemon's own environment: that holds the operator's secrets, and git obeys a hundred
 * variables.
 */
function start([program, ...words]: [string, ...string[]], options: GitOptions): ChildProcess {
  const child = withInheritedUmask(() =>
    spawn(program, words, {
      cwd: options.cwd ?? options.gitDir ?? '/',
      env: { ...gitEnvironment(), ...options.environment },
      // A process group of its own: the programs that git starts are killed with it.
      detached: true,
      stdio: [options.inputFd ?? (options.input === undefined ? 'ignore' : 'pipe'), 'pipe', 'pipe'],
    }),
  )
  // Git may exit without reading all of its input.
  child.stdin?.on('error', () => {})
  child.stdin?.end(options.input)
  return child
}

export const gitEnvironment = (): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
  HOME: '/nonexistent',
  LANG: 'C',
  ...safeEnvironment,
})

function collectOutput(child: ChildProcess, maxBytes: number) {
  const chunks: Buffer[] = []
  const errors: Buffer[] = []
  let kept = 0
  let keptErrors = 0
  let full = false
  child.stdout?.on('data', (chunk: Buffer) => {
    if (full) return
    chunks.push(chunk.subarray(0, maxBytes - kept))
    kept += chunk.length
    if (kept <= maxBytes) return
    full = true
    killGroup(child.pid)
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    if (keptErrors < keptErrorBytes) errors.push(chunk.subarray(0, keptErrorBytes - keptErrors))
    keptErrors += chunk.length
  })
  return {
    bytes: () => Buffer.concat(chunks),
    errors: () => Buffer.concat(errors).toString('utf8'),
    isFull: () => full,
  }
}

/** Resolves after the exit and once the pipes are closed too, so that no output is missing. */
const exitOf = (child: ChildProcess, missing: () => Error): Promise<number | null> =>
  new Promise((resolve, reject) => {
    child.once('close', (exitCode) => resolve(exitCode))
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'ENOENT' ? missing() : new GitError(`git could not be started: ${error.message}`)),
    )
  })

/** Distinguishes a missing program from a missing directory: the system reports the same error for both. */
const missing = (program: string, { cwd, gitDir }: GitOptions): Error => {
  const directory = cwd ?? gitDir
  if (directory !== undefined && !existsSync(directory))
    return new GitError(`git cannot run in ${directory}: the directory does not exist`)
  return refusal('unsupported', `git is not installed here: no program "${program}"`, {
    hint: 'Install git 2.38 or newer, for example with "apt install git".',
  })
}
