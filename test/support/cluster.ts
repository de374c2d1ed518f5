import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

import { memoryFolder, postgresBinaries } from './machine.ts'
import { freePort } from './port.ts'
import { isRunning } from './processes.ts'

export interface Cluster {
  /** Holds data, socket and log; its permissions decide which users can connect through the socket. */
  readonly folder: string
  readonly port: number
  /** For connections over TCP; the socket is protected by the folder's permissions. */
  readonly password: string
}

/** Starts a private PostgreSQL server. PostgreSQL refuses to run as root, so root starts it as an unprivileged user. */
export async function startCluster(folder: string): Promise<Cluster> {
  const data = join(folder, 'data')
  const password = randomBytes(12).toString('hex')
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, password)
  await run('initdb', [
    `--pgdata=${data}`,
    '--username=agency',
    '--encoding=UTF8',
    '--no-locale',
    '--auth-local=trust',
    '--auth-host=scram-sha-256',
    `--pwfile=${passwordFile}`,
  ])
  const port = await freePort()
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
    'max_connections=200',
    // Tests kill processes, never the machine: written data survives without waiting for the disk.
    'fsync=off',
    'full_page_writes=off',
    'autovacuum=off',
    // A short timeout, so that a deadlock that can occur on this machine shows within a test.
    'deadlock_timeout=200ms',
  ]
  await run('pg_ctl', [
    'start',
    '--wait',
    '--silent',
    `--pgdata=${data}`,
    `--log=${join(folder, 'log')}`,
    `--options=${settings.map((setting) => `-c ${setting}`).join(' ')}`,
  ])
  return { folder, port, password }
}

/**
 * Stops the server and removes its folder without blocking the event loop: every test leaves a database of hundreds of
 * files behind, and vitest would take test processes that end during a synchronous removal for stuck.
 */
export async function stopCluster(folder: string): Promise<void> {
  try {
    await run('pg_ctl', ['stop', '--silent', '--wait', '--mode=immediate', `--pgdata=${join(folder, 'data')}`])
  } catch {
    // The server had not started, or has already ended.
  }
  await rm(folder, { recursive: true, force: true })
}

/** Creates a folder named after the test run's process, so that the next run can remove the folder of a killed run. */
export function makeClusterFolder(): string {
  const folder = mkdtempSync(join(clustersFolder(), `${prefix}${process.pid}-`))
  chmodSync(folder, 0o700)
  const user = unprivileged()
  if (user !== null) chownSync(folder, user.uid, user.gid)
  return folder
}

export async function removeAbandonedClusters(): Promise<void> {
  for (const name of readdirSync(clustersFolder())) {
    if (!name.startsWith(prefix)) continue
    if (!isRunning(Number(name.slice(prefix.length).split('-')[0]))) await stopCluster(join(clustersFolder(), name))
  }
}

export const databaseUrl = (cluster: Cluster, database: string): string =>
  `postgresql:///${database}?host=${encodeURIComponent(cluster.folder)}&port=${cluster.port}&user=agency`

/** Returns the usual form of a connection URL, with a password. */
export const tcpUrl = (cluster: Cluster, database: string): string =>
  `postgresql://agency:${cluster.password}@127.0.0.1:${cluster.port}/${database}`

export const writeCluster = (cluster: Cluster): void =>
  writeFileSync(join(cluster.folder, 'cluster.json'), JSON.stringify(cluster))

export function readCluster(folder: string): Cluster | null {
  try {
    return JSON.parse(readFileSync(join(folder, 'cluster.json'), 'utf8')) as Cluster
  } catch {
    return null
  }
}

const prefix = 'agency-postgres-'

/** Prefers memory. Root's own temporary directory may be closed to the user that runs the server. */
const clustersFolder = (): string => memoryFolder() ?? (unprivileged() === null ? tmpdir() : '/tmp')

async function run(program: string, args: string[]): Promise<void> {
  const binaries = postgresBinaries()
  if (binaries === null) throw new Error('no PostgreSQL server programs found')
  const user = unprivileged()
  // The server would keep inherited pipes open, and they would never end.
  const child = spawn(join(binaries, program), args, {
    cwd: '/',
    stdio: ['ignore', 'ignore', program === 'pg_ctl' ? 'ignore' : 'pipe'],
    ...user,
  })
  const errors = child.stderr === null ? '' : text(child.stderr)
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`${program} failed (${code}): ${await errors}`)
}

function unprivileged(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null
  const users = readFileSync('/etc/passwd', 'utf8').split('\n')
  const line = users.find((user) => user.startsWith('postgres:')) ?? users.find((user) => user.startsWith('nobody:'))
  const [, , uid, gid] = line?.split(':') ?? []
  if (uid === undefined || gid === undefined) throw new Error('no user "postgres" or "nobody" to run PostgreSQL as')
  return { uid: Number(uid), gid: Number(gid) }
}
