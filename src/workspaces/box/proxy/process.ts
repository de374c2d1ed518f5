import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

import { entryPath } from '../../../entries.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Order, Report, Service } from './services.ts'

/** The process with the proxies of all boxes. It starts with the first service, and again whenever it has ended. */
export interface ProxyProcess {
  /** Opens a service at the path of a socket; resolves once it listens. */
  open(path: string, service: Service, refused?: Refused): Promise<{ close(): void }>
}

type Refused = (host: string, why: string) => void

interface ProxyOptions {
  readonly clock: Clock
  /** Called with the reason whenever the process has ended. */
  readonly ended?: (reason: string) => void
}

interface Opening {
  readonly path: string
  readonly service: Service
  readonly refused: Refused
  readonly resolve: () => void
  readonly reject: (error: Error) => void
  isOpen: boolean
  /** How often the process ended before it had opened this. */
  deaths: number
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

/** An opening that ends the process is given up after so many times. */
const maxDeaths = 3
/** A process that ends within this time is started again only after it. */
const restartMs = 500

export function createProxyProcess({ clock, ended = () => {} }: ProxyOptions): ProxyProcess {
  const openings = new Map<number, Opening>()
  let lastId = 0
  let child: Child | null = null
  let isWaiting = false

  const start = (): void => {
    isWaiting = false
    if (openings.size === 0) return
    const startedAt = clock.nowMs()
    const started = spawnProxy()
    child = started
    followReports(started, (report) => onReport(openings, report))
    whenEnded(started, (reason) => {
      child = null
      ended(reason)
      for (const [id, each] of openings) {
        if (each.isOpen || ++each.deaths < maxDeaths) continue
        openings.delete(id)
        each.reject(new Error(`the proxy of the boxes ended (${reason})`))
      }
      isWaiting = true
      if (clock.nowMs() - startedAt > restartMs) start()
      else clock.after(restartMs, start)
    })
    for (const [id, each] of openings) send(started, { open: id, path: each.path, service: each.service })
    holdOpen(started, true)
  }

  return {
    open: async (path, service, refused = () => {}) => {
      const id = (lastId += 1)
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      openings.set(id, { path, service, refused, resolve, reject, isOpen: false, deaths: 0 })
      if (child !== null) {
        send(child, { open: id, path, service })
        holdOpen(child, true)
      } else if (!isWaiting) start()
      await promise
      return {
        close: () => {
          openings.delete(id)
          if (child === null) return
          send(child, { close: id })
          if (openings.size === 0) holdOpen(child, false)
        },
      }
    },
  }
}

/** Node looks up names in threads, four by default: a few boxes with names that nobody answers would occupy all of them. */
const lookupThreads = '64'

function spawnProxy(): Child {
  // A group of its own: an interrupt at the terminal is for the daemon, which ends its agents first.
  return spawn(process.execPath, ['--max-old-space-size=256', entryPath('box-proxy')], {
    env: { ...certificateFiles(), UV_THREADPOOL_SIZE: lookupThreads },
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

/** The daemon's own environment contains the operator's secrets; these variables name files with certificates. */
const certificateFiles = (): Record<string, string> =>
  Object.fromEntries(
    ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'].flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

function send(child: Child, order: Order): void {
  child.stdin.write(`${JSON.stringify(order)}\n`)
}

function followReports(child: Child, onLine: (report: Report) => void): void {
  // The orders of a process that has ended are given to the next one.
  child.stdin.on('error', () => {})
  createInterface({ input: child.stdout }).on('line', (line) => onLine(JSON.parse(line) as Report))
}

function onReport(openings: Map<number, Opening>, report: Report): void {
  if ('refused' in report) return openings.get(report.refused)?.refused(report.host, report.why)
  const id = 'opened' in report ? report.opened : report.failed
  const opening = openings.get(id)
  if (opening === undefined) return
  if ('opened' in report) {
    opening.isOpen = true
    return opening.resolve()
  }
  openings.delete(id)
  opening.reject(new Error(report.error))
}

function whenEnded(child: Child, callback: (reason: string) => void): void {
  let errors = ''
  child.stderr.on('data', (data: Buffer) => (errors = (errors + String(data)).slice(-2_000)))
  // Node reports that it could not start the process, and then its end.
  child.on('error', (error) => (errors = String(error)))
  child.once('close', (code, signal) => callback(/^\w*Error.*$/m.exec(errors)?.[0] ?? signal ?? `exit code ${code}`))
}

/** An idle proxy does not keep a program from ending. */
function holdOpen(child: Child, isHeld: boolean): void {
  for (const each of [child, child.stdin, child.stdout, child.stderr] as unknown as Socket[])
    if (isHeld) each.ref()
    else each.unref()
}
