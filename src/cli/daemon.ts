import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import type { DaemonStatus } from '../daemon/contract.ts'
import { entryPath, version } from '../entries.ts'
import { pause } from '../kernel/clock.ts'
import { refusal } from '../kernel/errors.ts'
import { ConnectionLost, NoAnswer, Unreachable } from '../client/http.ts'
import { callOnce } from '../client/send.ts'
import { daemonEndpoints } from '../daemon/endpoints.ts'
import { isOpenHome } from '../daemon/home.ts'
import { counted } from '../kernel/amounts.ts'
import { ApiError } from '../operations/problem.ts'
import type { downCommand } from './commands/down.ts'
import type { openCommand } from './commands/open.ts'
import type { statusCommand } from './commands/status.ts'
import type { upCommand } from './commands/up.ts'
import { type CliContext, notRunning } from './context.ts'
import { daemonAddress, type Environment, readDaemonFile, socketOf } from './daemon-address.ts'
import type { Handler } from './declare.ts'
import { ensureDaemon, isListening, isShuttingDown } from './launch.ts'
import { ago, plain } from './terminal.ts'
import type { Wire } from './wire.ts'

type Status = Wire<DaemonStatus>

export const up: Handler<typeof upCommand> = async (context, options) => {
  const flags = [
    ...(options.port === undefined ? [] : ['--port', options.port]),
    ...(options.demo ? ['--demo'] : []),
    ...(options.seed ? [] : ['--no-seed']),
  ]
  if (options.foreground && !(await isListening(socketOf(context.env, context.paths)))) {
    warnOfOpenHome(context)
    await becomeDaemon(['--foreground', ...flags])
    return 0
  }
  const { pid, started, address, url, lostPort } = await bringUp(context, flags)
  if (!started && options.port !== undefined && new URL(address).port !== options.port)
    context.err(`agency: it listens on ${address}; "agency down" first to change the port`)
  warnOfVersions(context)
  warnOfOpenHome(context)
  if (lostPort !== '') context.err(`agency:${lostPort}`)
  context.out(`agency ${started ? 'is up' : 'was already up'} (pid ${pid})  ${url}`)
  return 0
}

/** Starts the daemon. If the running one is stopped at the same moment, it is gone when called: then another is started. */
async function bringUp(context: CliContext, flags: string[], triesLeft = 3): Promise<Up> {
  const daemon = await ensureDaemon(context, flags)
  try {
    // All versions have an address, whatever else they may lack.
    const onHead = context.versions.note
    const status = await callOnce<Status>(daemonAddress(context), daemonEndpoints.status, {}, { onHead })
    const { address } = status
    const { url } = await context.runningApi().call<{ url: string }>(daemonEndpoints.link)
    return { ...daemon, address, url, lostPort: lostPortText(status) }
  } catch (error) {
    if (triesLeft === 0 || !isShuttingDown(error)) throw error
    return bringUp(context, flags, triesLeft - 1)
  }
}

interface Up {
  pid: number
  started: boolean
  address: string
  url: string
  lostPort: string
}

/** Asks the daemon to stop and waits until its process is gone. */
export const down: Handler<typeof downCommand> = async (context) => {
  const { paths } = context
  const socket = socketOf(context.env, paths)
  let pid = readDaemonFile(paths)?.pid ?? null
  try {
    pid = (await callOnce<Status>(daemonAddress(context), daemonEndpoints.status, {}, { silenceMs: 5_000 })).pid
    await callOnce(daemonAddress(context), daemonEndpoints.stop, {}, { silenceMs: 5_000 })
  } catch (error) {
    if (error instanceof Unreachable) {
      context.out('no daemon is running')
      return 0
    }
    if (error instanceof NoAnswer)
      throw refusal('stopping', `the daemon${pid === null ? '' : ` (pid ${pid})`} does not answer`, {
        hint:
          pid === null
            ? 'Run "agency doctor" for details.'
            : `End it with "kill -9 ${pid}"; no acknowledged change is lost.`,
      })
    // The daemon is already stopping, or stopped before it could answer: it remains to wait for its end.
    if (!(error instanceof ConnectionLost) && !(error instanceof ApiError && error.problem.code === 'stopping'))
      throw error
  }
  if (!(await isGone(socket, pid, 15_000)))
    throw refusal('stopping', `the daemon (pid ${pid}) was asked to stop 15 s ago and still runs`, {
      hint: `Its log is ${join(paths.logs, 'daemon.log')}; "kill -9 ${pid}" ends it, no acknowledged change is lost.`,
    })
  context.out(`stopped${pid === null ? '' : ` (pid ${pid})`}`)
  return 0
}

export const status: Handler<typeof statusCommand> = async (context, options) => {
  const { paths, versions } = context
  const found = await ask(context)
  if (found === null) {
    if (!options.json) throw notRunning(paths.home)
    context.json({ pid: null, version, home: paths.home, running: null })
    return 1
  }
  if (options.json) {
    context.json(found)
    return 0
  }
  const complete = await versions.read(daemonEndpoints.status, found)
  for (const line of statusLines(complete, context.nowMs())) context.out(line)
  warnOfVersions(context)
  return 0
}

/** Returns the status of the daemon, complete for this version, or null when none is running; starts none. */
export async function probe(context: CliContext): Promise<Status | null> {
  const found = await ask(context)
  return found === null ? null : context.versions.read(daemonEndpoints.status, found)
}

async function ask(context: CliContext): Promise<Status | null> {
  const options = { silenceMs: 10_000, onHead: context.versions.note }
  try {
    return await callOnce<Status>(daemonAddress(context), daemonEndpoints.status, {}, options)
  } catch (error) {
    if (error instanceof Unreachable) return null
    if (!(error instanceof NoAnswer) && !(error instanceof ConnectionLost)) throw error
    throw refusal('stopping', `the daemon does not answer (${error.message})`, {
      hint: 'Run "agency doctor" for details.',
    })
  }
}

function statusLines(found: Status, nowMs: number): string[] {
  const { running, store } = found
  const fields: readonly (readonly [name: string, value: string])[] = [
    ['address', `${found.address}${lostPortText(found)}`],
    ['home', found.home],
    ['store', `${store.kind} ${store.place}`],
    ['box', found.box],
    [
      'running',
      [
        counted(running.runs, 'run'),
        `${running.agents} of ${counted(running.slots, 'agent')}`,
        ...(running.checks === 0 ? [] : [counted(running.checks, 'check')]),
      ].join(', '),
    ],
    ...found.waiting.map((run): [string, string] => ['waiting', `${run.run_id} for ${run.waits_for}`]),
    ...found.stops.map((stop): [string, string] => ['stopped', stopText(stop, nowMs)]),
    ...found.provider_holds.map((hold): [string, string] => [
      'held',
      `${hold.provider} until ${hold.until}: ${hold.reason}; "agency resume" releases it`,
    ]),
    ...(found.dead_jobs === 0
      ? []
      : [['jobs', `${counted(found.dead_jobs, 'job')} given up; "agency jobs" lists them`] as const]),
    ...(found.unpriced_calls === 0
      ? []
      : [['unpriced', `${counted(found.unpriced_calls, 'model call')} of active runs without a known price`] as const]),
  ]
  return [
    ...waitingLine(found.waiting_for_you),
    `agency ${found.version}, up since ${ago(found.started_at, nowMs).replace(/ ago$/, '')} (pid ${found.pid})`,
    ...fields.map(([name, value]) => `${name.padEnd(8)} ${plain(value)}`),
  ]
}

const waitingLine = (count: number): string[] =>
  count === 0
    ? []
    : [
        `${count === 1 ? '1 thing waits' : `${count} things wait`} for you: "agency gates" and "agency questions" list them; the inbox of the dashboard has all`,
      ]

/** An older daemon does not know the field. */
const lostPortText = ({ lost_port = null }: Pick<Status, 'lost_port'>): string =>
  lost_port === null
    ? ''
    : `  (another program has the usual port ${lost_port}; "agency down" and "agency up" try it again)`

function warnOfVersions(context: CliContext): void {
  const difference = context.versions.difference()
  if (difference !== null) context.err(`warning: ${difference.message}\n  ${difference.hint}`)
}

function warnOfOpenHome({ paths, err }: CliContext): void {
  if (isOpenHome(paths))
    err(`warning: other users may enter ${paths.home}\n  Run "chmod 700 ${paths.home}" unless you share it on purpose.`)
}

export const open: Handler<typeof openCommand> = async (context, { path, numeric = false }) => {
  // A numeric link is for a browser that the operator chooses, so none is opened.
  const browser = context.isTty && !numeric ? findBrowser(context.env) : null
  const input = { path, ...(browser === null ? {} : { file: true }) }
  const link = await context
    .api()
    .call<{ url: string; numeric_url?: string; file: string | null }>(daemonEndpoints.link, input)
  context.out(numeric ? (link.numeric_url ?? link.url) : link.url)
  if (browser === null || link.file === null) return 0
  // Every user of this machine can read the arguments of a process, so the link itself is not among them.
  const child = spawn(browser, [link.file], { detached: true, stdio: 'ignore' })
  // The browser is a convenience: the link is printed whether or not it starts.
  child.on('error', () => {})
  child.unref()
  return 0
}

const stopText = (stop: Status['stops'][number], nowMs: number): string =>
  `${stop.scope}, ${ago(stop.at, nowMs)}${stop.reason === '' ? '' : `: ${stop.reason}`}; ${
    stop.organisation === null ? '"agency resume"' : `"agency resume --org ${stop.organisation}"`
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

/** Turns this process into the daemon, so that Ctrl-C and a supervisor's signals reach it directly. */
async function becomeDaemon(flags: string[]): Promise<void> {
  const entry = entryPath('daemon')
  process.argv = [process.execPath, entry, ...flags]
  await import(pathToFileURL(entry).href)
}

/** Returns null without a display: opening a browser on a server would only waste time. */
function findBrowser(env: Environment): string | null {
  if (env['BROWSER']) return env['BROWSER']
  if (process.platform === 'darwin') return 'open'
  if (!env['DISPLAY'] && !env['WAYLAND_DISPLAY']) return null
  const found = (env['PATH'] ?? '').split(':').some((directory) => existsSync(join(directory, 'xdg-open')))
  return found ? 'xdg-open' : null
}
