import { spawn } from 'node:child_process'
import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'

import { systemClock } from '../../../kernel/clock.ts'
import { killGroup } from '../../../processes/kill-group.ts'

export const install = 'npm install -g @anthropic-ai/claude-code'

/** The first version whose hooks can answer a permission request, and whose results contain the cost. */
const oldest: readonly [number, number, number] = [2, 1, 0]

export type ClaudeLookup = { readonly ok: true; readonly path: string; readonly version: string } | Unavailable
export interface Unavailable {
  readonly ok: false
  readonly reason: string
  readonly install: string
}

/** Returns the path of the program with all links resolved, or null if it does not exist. */
export function locate(binary: string): string | null {
  const paths = binary.includes('/')
    ? [binary]
    : [...(process.env['PATH'] ?? '').split(delimiter), join(homedir(), '.local', 'bin')].map((directory) =>
        join(directory, binary),
      )
  const found = paths.find(isProgram)
  return found === undefined ? null : realpathSync(found)
}

const checked = new Map<string, ClaudeLookup>()

/** Finds Claude Code and asks for its version; asks again only when the file has changed. */
export async function findClaude(binary: string, timeoutMs: number): Promise<ClaudeLookup> {
  const path = locate(binary)
  if (path === null) return { ok: false, reason: `program "${binary}" was not found`, install }
  const { mtimeMs, size } = statSync(path)
  const key = `${path} ${mtimeMs} ${size}`
  const found = checked.get(key) ?? checkVersion(path, await versionOf(path, timeoutMs))
  if (found.ok) checked.set(key, found)
  return found
}

function checkVersion(path: string, result: { output: string } | { failure: string }): ClaudeLookup {
  if ('failure' in result) return { ok: false, reason: `${path} --version ${result.failure}`, install }
  const version = /^(\d+)\.(\d+)\.(\d+)\S* \(Claude Code\)/.exec(result.output.trim())
  if (version === null)
    return { ok: false, reason: `${path} is not Claude Code: the output of --version does not name it`, install }
  const numbers = version.slice(1, 4).map(Number)
  if (isOlder(numbers, oldest))
    return {
      ok: false,
      reason: `Claude Code ${numbers.join('.')} is too old: version ${oldest.join('.')} or newer is required`,
      install,
    }
  return { ok: true, path, version: numbers.join('.') }
}

function isOlder(one: readonly number[], other: readonly number[]): boolean {
  const at = one.findIndex((number, index) => number !== other[index])
  return at >= 0 && (one[at] ?? 0) < (other[at] ?? 0)
}

/** Ends the program with everything that it started: a program of that name may hang, or be a script whose children do. */
const versionOf = (path: string, timeoutMs: number): Promise<{ output: string } | { failure: string }> =>
  new Promise((resolve) => {
    const environment = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', DISABLE_AUTOUPDATER: '1' }
    const child = spawn(path, ['--version'], {
      env: environment,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let output = ''
    let failure = ''
    const kill = () => killGroup(child.pid)
    const cancel = systemClock.after(timeoutMs, () => {
      failure = `did not end within ${timeoutMs / 1_000} seconds`
      kill()
    })
    child.stdout.on('data', (data: Buffer) => {
      if (output.length < 1_024) output += data.toString('latin1')
    })
    child.once('error', (error: NodeJS.ErrnoException) => {
      cancel()
      resolve({ failure: `cannot be started (${error.code ?? error.message})` })
    })
    child.once('exit', (code, signal) => {
      cancel()
      kill()
      if (failure === '' && code !== 0) failure = `failed (${code === null ? signal : `exit code ${code}`})`
      // Its output may still be in transit; processes that it left behind must not delay the result.
      setImmediate(() => {
        child.stdout.destroy()
        resolve(failure === '' ? { output } : { failure })
      })
    })
  })

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
