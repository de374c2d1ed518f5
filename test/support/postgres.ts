import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import pg from 'pg'
import { onTestFinished } from 'vitest'

import { openPostgres } from '../../src/db/postgres.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { type Cluster, databaseUrl, readCluster, startCluster, tcpUrl, writeCluster } from './cluster.ts'
import { postgresBinaries } from './machine.ts'

/** Set by `postgres.setup.ts` to the folder of this run's cluster, which exists only once a test wants it. */
export const clusterVariable = 'AGENCY_TEST_CLUSTER'

/** Why no test of this run can use PostgreSQL, or null. */
export function postgresMissing(): string | null {
  if (postgresBinaries() === null) return 'no PostgreSQL server programs found (Debian: apt-get install postgresql)'
  if (process.env[clusterVariable] === undefined) return 'vitest.config.ts does not run test/support/postgres.setup.ts'
  return null
}

/** The address of an empty database that nobody else uses, gone when the test is. */
export async function freshDatabase(): Promise<string> {
  const cluster = await sharedCluster()
  return databaseUrl(cluster, await createDatabase(cluster))
}

/** One that already has the schema: copying it is faster than migrating again. */
export async function freshStoreDatabase(): Promise<string> {
  const cluster = await sharedCluster()
  return databaseUrl(cluster, await createDatabase(cluster, migrated))
}

/** An empty one over TCP and with a password, as a remote server would be named. */
export async function freshTcpDatabase(): Promise<string> {
  const cluster = await sharedCluster()
  return tcpUrl(cluster, await createDatabase(cluster))
}

/** One statement or script on a connection of its own, past everything that the product does. */
export async function runOn(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

const migrated = 'agency_migrated'
let made = 0
async function createDatabase(cluster: Cluster, source = 'template1'): Promise<string> {
  const name = `test_${process.pid}_${++made}`
  const server = databaseUrl(cluster, 'postgres')
  // Copying files is twice as fast as writing them to the log, where no checkpoint waits for a disk.
  await runOn(server, `CREATE DATABASE ${name} TEMPLATE ${source} STRATEGY file_copy`)
  // Each is ten megabytes, and there are hundreds of them.
  afterTest(() => runOn(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
  return name
}

/** Nobody waits for it but the cluster's end. Outside of a test (`npm run soak`) that is all there is. */
function afterTest(drop: () => Promise<unknown>): void {
  try {
    onTestFinished(() => void drop().catch(() => {}))
  } catch {
    // No test is under way.
  }
}

let shared: Promise<Cluster> | null = null

/** One cluster for all test files of a run: the first that wants it starts it, the others wait for the file lock. */
function sharedCluster(): Promise<Cluster> {
  shared ??= startOnce(process.env[clusterVariable] as string)
  return shared
}

async function startOnce(folder: string): Promise<Cluster> {
  const path = join(folder, 'lock.db')
  const lock = new DatabaseSync(path)
  chmodSync(path, 0o600)
  lock.exec('PRAGMA busy_timeout = 60000; BEGIN EXCLUSIVE')
  try {
    const running = readCluster(folder)
    if (running !== null) return running
    const cluster = await startCluster(folder)
    await runOn(databaseUrl(cluster, 'postgres'), `CREATE DATABASE ${migrated}`)
    const url = databaseUrl(cluster, migrated)
    const db = await openPostgres({ url, clock: systemClock, chainKey: new Uint8Array(32) })
    await db.close()
    writeCluster(cluster)
    return cluster
  } finally {
    lock.close()
  }
}
