import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'

import { homePaths } from '../src/daemon/home.ts'
import { freshFolder } from './daemon-process.ts'

const bundle = fileURLToPath(new URL('../dist/agency.mjs', import.meta.url))

/** A home with a daemon that was started from the bundle. */
export interface Home {
  readonly home: string
  /** Runs the command line; returns milliseconds. */
  timed(...words: string[]): number
  /** Kills the daemon with SIGKILL. */
  kill(): void
  remove(): void
}

export function startHome(config = ''): Home {
  if (!existsSync(bundle)) throw new Error('dist/agency.mjs does not exist; run: npm run build')
  const home = freshFolder()
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, AGENCY_HOME: home, AGENCY_PORT: '0' }
  const run = (...words: string[]): number => timed([bundle, ...words], env)
  mkdirSync(home, { recursive: true })
  if (config !== '') writeFileSync(join(home, 'config.yaml'), config)
  run('up')
  return {
    home,
    timed: run,
    kill: () => process.kill(daemonOf(home).pid, 'SIGKILL'),
    remove() {
      run('down')
      rmSync(home, { recursive: true, force: true })
    },
  }
}

interface DaemonFile {
  readonly pid: number
  readonly address: string
}

const daemonOf = (home: string): DaemonFile =>
  JSON.parse(readFileSync(homePaths({ AGENCY_HOME: home }).daemonFile, 'utf8')) as DaemonFile

/** Requests something of the home's daemon as its operator. */
export async function post<Answer>(home: string, path: string, body: unknown): Promise<Answer> {
  const token = readFileSync(homePaths({ AGENCY_HOME: home }).operatorToken, 'utf8').trim()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(`${daemonOf(home).address}/api${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as Answer
}

/** Runs Node with these arguments; returns milliseconds. */
export function timed(args: readonly string[], env: Record<string, string>): number {
  const began = performance.now()
  const { status: code, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`)
  return performance.now() - began
}
