import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { pause } from '../../src/kernel/clock.ts'
import { builtEntry } from './bundle.ts'
import { freePort } from './port.ts'

/** A daemon with a home and a port of its own, which stay the same across restarts. */
export interface TestDaemon {
  readonly home: string
  /** The address of the API. */
  readonly address: string
  /** The address of the dashboard, which is known once the daemon has started. */
  readonly dashboard: string
  start(): Promise<void>
  /** Asks the daemon to stop and waits until it has ended. */
  stop(): Promise<void>
  /** Ends the daemon with SIGKILL. */
  kill(): Promise<void>
  /** Sends a request as the operator; body and answer are JSON as on the wire. */
  ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer>
  /** Returns an address that signs in one browser, once. */
  link(path?: string): Promise<string>
  /** Stops the daemon and removes its home. */
  remove(): Promise<void>
}

/** Creates a daemon with the dashboard in this folder and these additional environment variables. */
export async function createTestDaemon(
  webRoot: string | null,
  environment: Readonly<Record<string, string>> = {},
): Promise<TestDaemon> {
  const home = mkdtempSync(join(tmpdir(), 'agency-e2e-'))
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  let child: ChildProcess | null = null

  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ended = child
    child = null
    if (ended === null || ended.exitCode !== null || ended.signalCode !== null) return
    const gone = once(ended, 'exit')
    ended.kill(signal)
    await gone
  }

  const daemon: TestDaemon = {
    home,
    address,
    get dashboard() {
      return `http://${readFileSync(join(home, 'host.name'), 'utf8').trim()}.localhost:${port}`
    },
    async start() {
      const args = [builtEntry('test-daemon'), String(port), ...(webRoot === null ? [] : [webRoot])]
      const started = spawn(process.execPath, args, {
        env: { PATH: process.env['PATH'] ?? '', HOME: home, AGENCY_HOME: home, ...atOnce, ...environment },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      child = started
      let complaint = ''
      started.stderr?.on('data', (data: Buffer) => (complaint += String(data)))
      while (!(await answers(address, home))) {
        await pause(20)
        if (started.exitCode !== null) throw new Error(`the daemon ended with ${started.exitCode}: ${complaint}`)
      }
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    async ask(method, path, body) {
      const headers = {
        accept: 'application/json',
        'content-type': 'application/json',
        authorization: `Bearer ${readFileSync(join(home, 'operator.token'), 'utf8').trim()}`,
      }
      const sent = body === undefined ? {} : { body: JSON.stringify(body) }
      const response = await fetch(`${address}/api${path}`, { method, headers, ...sent })
      const answer: unknown = await response.json()
      if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
      return answer as never
    },
    link: async (path = '/') => (await daemon.ask<{ url: string }>('POST', '/links', { path })).url,
    async remove() {
      await daemon.stop()
      rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  return daemon
}

/** Decisions on the dashboard take effect at once, so that tests do not wait; a test of undoing them sets its own time. */
const atOnce = { AGENCY_UNDO_SECONDS: '0' }

async function answers(address: string, home: string): Promise<boolean> {
  if (!existsSync(join(home, 'daemon.json'))) return false
  try {
    return (await fetch(`${address}/healthz`)).ok
  } catch {
    return false
  }
}
