import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

import { type HomePaths, prepareHome } from '../daemon/home.ts'
import { entryPath } from '../entries.ts'
import { pause, systemClock } from '../kernel/clock.ts'
import { AgencyError, refusal } from '../kernel/errors.ts'
import { ask, Refused } from '../client/client.ts'
import { type Environment, readDaemonFile, socketOf, tokenOf } from './endpoint.ts'
import { ConnectionLost, exchange, NoAnswer, Unreachable } from '../client/http.ts'

export interface DaemonPlace {
  env: Environment
  paths: HomePaths
}

/** The daemon that answers, started if there was none. Two callers at once end with the same one. */
export async function ensureDaemon(
  place: DaemonPlace,
  flags: readonly string[],
): Promise<{ pid: number; started: boolean }> {
  const socket = socketOf(place.env, place.paths)
  const until = systemClock.nowMs() + 30_000
  for (;;) {
    const running = (await isListening(socket)) ? await pidOf(place) : null
    if (running !== null) return { pid: running, started: false }
    const { pid, failure } = await launchDaemon(place, flags)
    if (failure === null) return { pid, started: true }
    // Somebody else's daemon was a moment quicker, and serves as well; or the last one is still on its way down.
    if (!failure.isOwned || systemClock.nowMs() > until) throw failure.error
    await untilListening(socket, 1_000)
  }
}

interface LaunchFailure {
  error: Error
  /** Another daemon has the home. */
  isOwned: boolean
}

async function launchDaemon(
  place: DaemonPlace,
  flags: readonly string[],
): Promise<{ pid: number; failure: LaunchFailure | null }> {
  prepareHome(place.paths)
  const log = join(place.paths.logs, 'daemon.out')
  const output = openLog(log)
  const before = fstatSync(output).size
  const child = spawn(process.execPath, [entryPath('daemon'), ...flags], {
    detached: true,
    stdio: ['ignore', output, output],
    cwd: place.paths.home,
    env: daemonEnvironment(place.env, place.paths),
  })
  closeSync(output)
  const code = await untilReady(child, place)
  child.unref()
  const pid = child.pid ?? 0
  if (code === null) return { pid, failure: null }
  const said = readFileSync(log).subarray(before).toString('utf8')
  return { pid, failure: { error: startFailure(said, code, log), isOwned: / already runs on /.test(said) } }
}

/** With a first line: on a full disk the daemon could not even say why it does not start. */
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

/** Whether a daemon serves there. One on its way down answers too, but 503: the next one waits until it is gone. */
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
      throw refusal('stopping', 'a daemon holds the socket but does not answer', { hint: 'agency doctor says more.' })
    throw error
  }
  return status === 200
}

/** Null when it is ready; its exit code when it died first. */
async function untilReady(child: ChildProcess, place: DaemonPlace): Promise<number | null> {
  let ended: number | null = null
  child.on('exit', (code) => (ended = code ?? 1))
  child.on('error', () => (ended = 1))
  for (;;) {
    if (ended !== null) return ended
    const file = readDaemonFile(place.paths)
    // Until it says otherwise, an answer may come from a daemon that is on its way down.
    if (file?.pid === child.pid && (await isListening(socketOf(place.env, place.paths)))) return null
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
  // As whoever starts it means them: it works in another directory.
  return { ...rest, AGENCY_HOME: home, ...(env['AGENCY_DATA'] ? { AGENCY_DATA: data } : {}) }
}

function startFailure(said: string, code: number, log: string): AgencyError | Refused {
  const lines = said.trimEnd().split('\n')
  const at = lines.findLastIndex((line) => line.startsWith('error: '))
  if (at < 0)
    return refusal('bug', `the daemon ended with code ${code} before it was ready`, {
      hint: `What it said is in ${log}.`,
    })
  const hint = lines[at + 1]?.trim()
  const message = (lines[at] ?? '').slice('error: '.length)
  return new Refused({ code: 'stopping', message, ...(hint ? { hint } : {}), exit: code || 1 })
}

/** Null where it went down since it was seen. */
async function pidOf({ env, paths }: DaemonPlace): Promise<number | null> {
  const headers = { Authorization: `Bearer ${tokenOf(env, paths)}` }
  try {
    return (await ask<{ pid: number }>(socketOf(env, paths), { method: 'GET', path: '/api/status', headers })).pid
  } catch (error) {
    if (isGoing(error)) return null
    throw error
  }
}

/** What is said by, or instead of, a daemon that is on its way down. */
export const isGoing = (error: unknown): boolean =>
  error instanceof Unreachable ||
  error instanceof ConnectionLost ||
  (error instanceof Refused && error.problem.code === 'stopping') ||
  (error instanceof AgencyError && error.code === 'stopping')
