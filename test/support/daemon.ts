import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { pause } from '../../src/kernel/clock.ts'
import { builtEntry } from './built.ts'
import { freePort } from './port.ts'

/** A daemon of its own, on a home and a port of its own; both stay the same when it is started again. */
export interface TestDaemon {
  readonly home: string
  readonly address: string
  start(): Promise<void>
  /** Asks it to stop and waits until it is gone. */
  stop(): Promise<void>
  /** Ends it without a word. */
  kill(): Promise<void>
  /** As the operator. JSON as it is on the wire. */
  ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer>
  /** An address that signs one browser in, once. */
  link(path?: string): Promise<string>
  /** Stops it and takes its home away. */
  remove(): Promise<void>
}

/** With the dashboard of this folder, and with this beside what every daemon finds in its environment. */
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
    async start() {
      const args = [builtEntry('test-daemon'), String(port), ...(webRoot === null ? [] : [webRoot])]
      const started = spawn(process.execPath, args, {
        env: { PATH: process.env['PATH'] ?? '', HOME: home, AGENCY_HOME: home, ...environment },
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

async function answers(address: string, home: string): Promise<boolean> {
  if (!existsSync(join(home, 'daemon.json'))) return false
  try {
    return (await fetch(`${address}/healthz`)).ok
  } catch {
    return false
  }
}
