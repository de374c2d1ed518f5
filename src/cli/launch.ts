import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

import { type HomePaths, prepareHome } from '../daemon/home.ts'
import { entryPath } from '../entries.ts'
import { pause, systemClock } from '../kernel/clock.ts'
import { AgencyError, refusal } from '../kernel/errors.ts'
import { ConnectionLost, exchange, NoAnswer, Unreachable } from '../client/http.ts'
import { callOnce } from '../client/send.ts'
import { daemonEndpoints } from '../daemon/endpoints.ts'
import { ApiError } from '../operations/problem.ts'
import { daemonAddress, type Environment, readDaemonFile, socketOf } from './daemon-address.ts'

export interface Installation {
  env: Environment
  paths: HomePaths
}

/** Returns the running daemon, started if there was none. Two simultaneous callers get the same one. */
export async function ensureDaemon(
  installation: Installation,
  flags: readonly string[],
): Promise<{ pid: number; started: boolean }> {
  const socket = socketOf(installation.env, installation.paths)
  const until = systemClock.nowMs() + 30_000
  for (;;) {
    const running = (await isListening(socket)) ? await pidOf(installation) : null
    if (running !== null) return { pid: running, started: false }
    const { pid, failure } = await launchDaemon(installation, flags)
    if (failure === null) return { pid, started: true }
    // Another caller's daemon was a moment faster, and serves as well; or the previous daemon is still shutting down.
    if (!failure.isOwned || systemClock.nowMs() > until) throw failure.error
    await untilListening(socket, 1_000)
  }
}

interface LaunchFailure {
  error: Error
  /** Whether another daemon owns the home. */
  isOwned: boolean
}

async function launchDaemon(
  installation: Installation,
  flags: readonly string[],
): Promise<{ pid: number; failure: LaunchFailure | null }> {
  prepareHome(installation.paths)
  const log = join(installation.paths.logs, 'daemon.out')
  const logFile = openLog(log)
  const before = fstatSync(logFile).size
  const child = spawn(process.execPath, [entryPath('daemon'), '--started-in', currentFolder(installation), ...flags], {
    detached: true,
    stdio: ['ignore', logFile, logFile],
    cwd: installation.paths.home,
    env: daemonEnvironment(installation.env, installation.paths),
  })
  closeSync(logFile)
  const code = await untilReady(child, installation)
  child.unref()
  const pid = child.pid ?? 0
  if (code === null) return { pid, failure: null }
  const output = readFileSync(log).subarray(before).toString('utf8')
  return { pid, failure: { error: startFailure(output, code, log), isOwned: / already runs on /.test(output) } }
}

/** A folder that was removed has no path any more. */
function currentFolder({ paths }: Installation): string {
  try {
    return process.cwd()
  } catch {
    return paths.home
  }
}

/** Opens the log and writes a first line: on a full disk the daemon could not even report why it does not start. */
function openLog(path: string): number {
  const file = openSync(path, 'a', 0o600)
  try {
    if (fstatSync(file).size > 1_000_000) ftruncateSync(file)
    writeSync(file, `${systemClock.at()} starting\n`)
    return file
  } catch (error) {
    closeSync(file)
    throw refusal('store_full', `${path} cannot be written: ${(error as Error).message}`, {
      hint: 'Free some space, then repeat the command.',
      cause: error,
    })
  }
}

/** Reports whether a daemon serves there. One that shuts down answers 503, and its successor waits until it is gone. */
export async function isListening(socket: string): Promise<boolean> {
  let status = 0
  try {
    await exchange(
      socket,
      { method: 'GET', path: '/healthz', headers: {} },
      { onHead: (head) => (status = head.status), onBody: () => {}, silenceMs: 10_000 },
    )
  } catch (error) {
    if (error instanceof Unreachable || error instanceof ConnectionLost) return false
    if (error instanceof NoAnswer)
      throw refusal('stopping', 'a daemon holds the socket but does not answer', {
        hint: 'Run "agency doctor" for details.',
      })
    throw error
  }
  return status === 200
}

/** Resolves to null when the daemon is ready, and to its exit code when it died first. */
async function untilReady(child: ChildProcess, installation: Installation): Promise<number | null> {
  let ended: number | null = null
  child.on('exit', (code) => (ended = code ?? 1))
  child.on('error', () => (ended = 1))
  for (;;) {
    if (ended !== null) return ended
    const file = readDaemonFile(installation.paths)
    // Until the file names this daemon, an answer may come from one that is shutting down.
    if (file?.pid === child.pid && (await isListening(socketOf(installation.env, installation.paths)))) return null
    await pause(20)
  }
}

async function untilListening(socket: string, patienceMs: number): Promise<boolean> {
  for (let waited = 0; waited < patienceMs; waited += 50) {
    if (await isListening(socket)) return true
    await pause(50)
  }
  return false
}

function daemonEnvironment(env: Environment, { home, data }: HomePaths): NodeJS.ProcessEnv {
  const { AGENCY_TOKEN: _token, AGENCY_SOCKET: _socket, ...rest } = env
  // Absolute, as the caller means them: the daemon runs in another directory.
  return { ...rest, AGENCY_HOME: home, ...(env['AGENCY_DATA'] ? { AGENCY_DATA: data } : {}) }
}

function startFailure(output: string, code: number, log: string): AgencyError | ApiError {
  const lines = output.trimEnd().split('\n')
  const at = lines.findLastIndex((line) => line.startsWith('error: '))
  if (at < 0)
    return refusal('bug', `the daemon ended with code ${code} before it was ready`, {
      hint: `Its output is in ${log}.`,
    })
  const hint = lines[at + 1]?.trim()
  const message = (lines[at] ?? '').slice('error: '.length)
  return new ApiError({ code: 'stopping', message, ...(hint ? { hint } : {}), exit: code || 1 })
}

/** Returns null when the daemon went down in the meantime. */
async function pidOf(installation: Installation): Promise<number | null> {
  try {
    return (await callOnce<{ pid: number }>(daemonAddress(installation), daemonEndpoints.status)).pid
  } catch (error) {
    if (isShuttingDown(error)) return null
    throw error
  }
}

/** Reports whether an error means that the daemon is shutting down or gone. */
export const isShuttingDown = (error: unknown): boolean =>
  error instanceof Unreachable ||
  error instanceof ConnectionLost ||
  (error instanceof ApiError && error.problem.code === 'stopping') ||
  (error instanceof AgencyError && error.code === 'stopping')
