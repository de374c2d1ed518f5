import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'

import { homePaths } from '../../src/daemon/home.ts'
import type { ChaosPointName } from '../../src/kernel/chaos-point.ts'
import { builtEntry } from '../support/bundle.ts'
import { freshDatabase, runOn } from '../support/postgres.ts'
import { type Client, createClient } from './client.ts'
import { processesOf } from './processes.ts'

export type StoreKind = 'sqlite' | 'postgres'

/** A home and a store of its own, used by successive daemons. */
export interface Installation {
  readonly home: string
  readonly store: StoreKind
  readonly client: Client
  /** Starts a daemon; with `kill` it dies at the n-th passing of the point. */
  start(options?: { kill?: `${ChaosPointName}:${number}` | undefined; demo?: boolean }): Life
  /** Runs the product's command line. */
  agency(...words: string[]): Promise<Ended>
  /** Queries the store directly, bypassing the product. */
  query(sql: string): Promise<Record<string, unknown>[]>
  /** Kills the remaining processes and removes the home. */
  remove(): Promise<void>
}

/** One process of the daemon. */
export interface Life {
  readonly pid: number
  /** Resolves with false if the daemon ended before it was ready. */
  readonly ready: Promise<boolean>
  readonly ended: Promise<Ended>
  kill(): void
  /** Asks the daemon to stop, and waits for its end. */
  stop(): Promise<Ended>
}

export interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly output: string
}

/** Without a box, agents and commands outlive the daemon, because no kernel ends them with it. */
export async function createInstallation(
  store: StoreKind,
  { isBoxed = true }: { isBoxed?: boolean } = {},
): Promise<Installation> {
  const home = mkdtempSync(join(tmpdir(), 'agency-chaos-'))
  if (!isBoxed) writeFileSync(join(home, 'config.yaml'), 'box: off\n')
  const databaseUrl = store === 'postgres' ? await freshDatabase() : null
  const env = environmentOf(home, databaseUrl)
  const run = (args: readonly string[]): ChildProcess =>
    spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  return {
    home,
    store,
    client: createClient(home),
    start: ({ kill, demo = false } = {}) =>
      liveOf(
        run([builtEntry('chaos-daemon'), ...(kill === undefined ? [] : ['--kill', kill]), ...(demo ? ['--demo'] : [])]),
      ),
    agency: (...words) => endOf(run([builtEntry('agency'), ...words])),
    query: (sql) => (databaseUrl === null ? queryFile(homePaths(env).store, sql) : runOn(databaseUrl, sql)),
    async remove() {
      for (const { pid } of processesOf(home)) process.kill(pid, 'SIGKILL')
      rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

const environmentOf = (home: string, databaseUrl: string | null): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  AGENCY_HOME: home,
  AGENCY_PORT: '0',
  // Starting takes most of a short life, and the tests start hundreds of daemons.
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/agency-chaos', import.meta.url)),
  ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
})

function liveOf(child: ChildProcess): Life {
  const ended = endOf(child)
  const ready = new Promise<boolean>((resolve) => {
    child.stdout?.on('data', (part: Buffer) => part.toString().includes('ready') && resolve(true))
    void ended.then(() => resolve(false))
  })
  return {
    pid: child.pid ?? 0,
    ready,
    ended,
    kill: () => void child.kill('SIGKILL'),
    stop: () => {
      child.kill('SIGTERM')
      return ended
    },
  }
}

async function endOf(child: ChildProcess): Promise<Ended> {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part: Buffer) => (output += part.toString()))
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  return { code, signal, output }
}

function queryFile(path: string, sql: string): Promise<Record<string, unknown>[]> {
  const database = new DatabaseSync(path, { timeout: 5_000 })
  try {
    return Promise.resolve(database.prepare(sql).all())
  } finally {
    database.close()
  }
}
