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
  /** Holds data, socket and log; whoever may not enter it may not connect. */
  readonly folder: string
  readonly port: number
  /** For connections over TCP; over the socket the folder is the guard. */
  readonly password: string
}

/** A PostgreSQL server of our own: PostgreSQL refuses to run as root, so then it runs as somebody with fewer rights. */
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
    // What is killed in tests are processes, never the machine: what was written is there without waiting for the disk.
    'fsync=off',
    'full_page_writes=off',
    'autovacuum=off',
    // Cheap on both sides: a race that this machine can show should show within a test.
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
 * Never blocks: every test leaves a database of hundreds of files behind, and who waits for their removal without
 * hearing anything else takes the test processes that end meanwhile for stuck.
 */
export async function stopCluster(folder: string): Promise<void> {
  try {
    await run('pg_ctl', ['stop', '--silent', '--wait', '--mode=immediate', `--pgdata=${join(folder, 'data')}`])
  } catch {
    // It had not started, or it is gone already.
  }
  await rm(folder, { recursive: true, force: true })
}

/** Named after its test run, so that the next one can clear up after a run that was killed. */
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

/** The form that most people give; it carries a password. */
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

/** In memory where there is room. Root's own temporary directory may be closed to the user that the server runs as. */
const clustersFolder = (): string => memoryFolder() ?? (unprivileged() === null ? tmpdir() : '/tmp')

async function run(program: string, args: string[]): Promise<void> {
  const binaries = postgresBinaries()
  if (binaries === null) throw new Error('no PostgreSQL server programs found')
  const user = unprivileged()
  // Inherited pipes would be kept open by the server and never end.
  const child = spawn(join(binaries, program), args, {
    cwd: '/',
    stdio: ['ignore', 'ignore', program === 'pg_ctl' ? 'ignore' : 'pipe'],
    ...user,
  })
  const said = child.stderr === null ? '' : text(child.stderr)
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`${program} failed (${code}): ${await said}`)
}

function unprivileged(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null
  const users = readFileSync('/etc/passwd', 'utf8').split('\n')
  const line = users.find((user) => user.startsWith('postgres:')) ?? users.find((user) => user.startsWith('nobody:'))
  const [, , uid, gid] = line?.split(':') ?? []
  if (uid === undefined || gid === undefined) throw new Error('no user "postgres" or "nobody" to run PostgreSQL as')
  return { uid: Number(uid), gid: Number(gid) }
}
