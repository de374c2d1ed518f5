import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import type { DaemonStatus } from '../daemon/contract.ts'
import { entryPath, version } from '../entries.ts'
import { pause } from '../kernel/clock.ts'
import { refusal } from '../kernel/errors.ts'
import { ask, Refused } from '../client/client.ts'
import { type CliContext, notRunning } from './context.ts'
import { type Environment, readDaemonFile, socketOf, tokenOf } from './endpoint.ts'
import { ConnectionLost, NoAnswer, Unreachable } from '../client/http.ts'
import { ensureDaemon, isGoing, isListening } from './launch.ts'
import { ago, plain } from './terminal.ts'
import type { Wire } from './wire.ts'

export interface UpOptions {
  foreground?: true
  demo?: true
  /** False with --no-seed. */
  seed: boolean
  port?: string
}

type Status = Wire<DaemonStatus>

export async function up(context: CliContext, options: UpOptions): Promise<number> {
  const flags = [
    ...(options.port === undefined ? [] : ['--port', options.port]),
    ...(options.demo ? ['--demo'] : []),
    ...(options.seed ? [] : ['--no-seed']),
  ]
  if (options.foreground && !(await isListening(socketOf(context.env, context.paths)))) {
    await becomeDaemon(['--foreground', ...flags])
    return 0
  }
  const { pid, started, address, url } = await bringUp(context, flags)
  if (!started && options.port !== undefined && new URL(address).port !== options.port)
    context.err(`agency: it listens on ${address}; "agency down" first to change the port`)
  context.out(`agency ${started ? 'is up' : 'was already up'} (pid ${pid})  ${url}`)
  return 0
}

/** Where somebody stops it at the same moment, the one that was found is gone when it is asked: then another is started. */
async function bringUp(context: CliContext, flags: string[], triesLeft = 3): Promise<Up> {
  const daemon = await ensureDaemon(context, flags)
  try {
    const { address } = await context.runningApi().get<Status>('/status')
    const { url } = await context.runningApi().post<{ url: string }>('/links', {})
    return { ...daemon, address, url }
  } catch (error) {
    if (triesLeft === 0 || !isGoing(error)) throw error
    return bringUp(context, flags, triesLeft - 1)
  }
}

interface Up {
  pid: number
  started: boolean
  address: string
  url: string
}

/** Asks it to stop and waits until its process is gone. */
export async function down(context: CliContext): Promise<number> {
  const { paths } = context
  const socket = socketOf(context.env, paths)
  const headers = { Authorization: `Bearer ${tokenOf(context.env, paths)}` }
  let pid = readDaemonFile(paths)?.pid ?? null
  try {
    pid = (await ask<Status>(socket, { method: 'GET', path: '/api/status', headers }, 5_000)).pid
    await ask(socket, { method: 'POST', path: '/api/stop', headers, body: '{}' }, 5_000)
  } catch (error) {
    if (error instanceof Unreachable) {
      context.out('no daemon is running')
      return 0
    }
    if (error instanceof NoAnswer)
      throw refusal('stopping', `the daemon${pid === null ? '' : ` (pid ${pid})`} does not answer`, {
        hint:
          pid === null
            ? 'agency doctor says more.'
            : `End it with "kill -9 ${pid}"; nothing that was acknowledged is lost.`,
      })
    // Already stopping, or stopped before it could answer: what remains is to wait.
    if (!(error instanceof ConnectionLost) && !(error instanceof Refused && error.problem.code === 'stopping'))
      throw error
  }
  if (!(await isGone(socket, pid, 15_000)))
    throw refusal('stopping', `the daemon (pid ${pid}) was asked to stop 15 s ago and still runs`, {
      hint: `Its log is ${join(paths.logs, 'daemon.log')}; "kill -9 ${pid}" ends it, nothing that was acknowledged is lost.`,
    })
  context.out(`stopped${pid === null ? '' : ` (pid ${pid})`}`)
  return 0
}

export async function status(context: CliContext, options: { json?: true }): Promise<number> {
  const { env, paths } = context
  let found: Status
  try {
    const headers = { Authorization: `Bearer ${tokenOf(env, paths)}` }
    found = await ask<Status>(socketOf(env, paths), { method: 'GET', path: '/api/status', headers }, 10_000)
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error
    if (!options.json) throw notRunning(paths.home)
    context.json({ pid: null, version, home: paths.home, running: null })
    return 1
  }
  if (options.json) {
    context.json(found)
    return 0
  }
  const { running, store } = found
  context.out(
    `agency ${found.version}, up since ${ago(found.started_at, context.nowMs()).replace(/ ago$/, '')} (pid ${found.pid})`,
  )
  for (const [name, value] of [
    ['address', found.address],
    ['home', found.home],
    ['store', `${store.kind} ${store.place}`],
    ['box', found.box],
    ['running', `${running.runs} runs, ${running.agents} of ${running.slots} agents`],
    ...found.stops.map((stop): [string, string] => ['stopped', stopText(stop, context.nowMs())]),
    ...found.provider_holds.map((hold): [string, string] => [
      'held',
      `${hold.provider} until ${hold.until}: ${hold.reason}; agency resume asks it again`,
    ]),
    ...(found.unpriced_calls === 0
      ? []
      : [['unpriced', `${found.unpriced_calls} model calls of runs under way have no known price`] as const]),
  ] as const)
    context.out(`${name.padEnd(8)} ${plain(value)}`)
  return 0
}

export async function open(context: CliContext, options: { path?: string }): Promise<number> {
  const { url } = await context
    .api()
    .post<{ url: string }>('/links', options.path === undefined ? {} : { path: options.path })
  context.out(url)
  const browser = context.isTty ? findBrowser(context.env) : null
  if (browser === null) return 0
  const child = spawn(browser, [url], { detached: true, stdio: 'ignore' })
  // It is a convenience: the link is printed whether or not the browser comes up.
  child.on('error', () => {})
  child.unref()
  return 0
}

const stopText = (stop: Status['stops'][number], nowMs: number): string =>
  `${stop.scope}, ${ago(stop.at, nowMs)}${stop.reason === '' ? '' : `: ${stop.reason}`}; ${
    stop.organisation === null ? 'agency resume' : `agency resume --org ${stop.organisation}`
  } lifts it`

async function isGone(socket: string, pid: number | null, patienceMs: number): Promise<boolean> {
  for (let waited = 0; waited < patienceMs; waited += 25) {
    if (pid === null ? !(await isListening(socket)) : !isAlive(pid)) return true
    await pause(25)
  }
  return false
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The same process goes on as the daemon, so that Ctrl-C and a supervisor's signals reach it directly. */
async function becomeDaemon(flags: string[]): Promise<void> {
  const entry = entryPath('daemon')
  process.argv = [process.execPath, entry, ...flags]
  await import(pathToFileURL(entry).href)
}

/** Null where a browser could not be shown: opening one on a server would only waste time. */
function findBrowser(env: Environment): string | null {
  if (env['BROWSER']) return env['BROWSER']
  if (process.platform === 'darwin') return 'open'
  if (!env['DISPLAY'] && !env['WAYLAND_DISPLAY']) return null
  const found = (env['PATH'] ?? '').split(':').some((directory) => existsSync(join(directory, 'xdg-open')))
  return found ? 'xdg-open' : null
}
