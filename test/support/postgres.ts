import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import pg from 'pg'
import { onTestFinished } from 'vitest'

import { openPostgres } from '../../src/db/postgres.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { type Cluster, databaseUrl, readCluster, startCluster, tcpUrl, writeCluster } from './cluster.ts'
import { postgresBinaries } from './machine.ts'

/** Set by `postgres.setup.ts` to the folder of this run's cluster, which the first test that needs it starts. */
export const clusterVariable = 'AGENCY_TEST_CLUSTER'

/** Returns the reason why no test of this run can use PostgreSQL, or null. */
export function postgresMissing(): string | null {
  if (postgresBinaries() === null) return 'no PostgreSQL server programs found (Debian: apt-get install postgresql)'
  if (process.env[clusterVariable] === undefined) return 'vitest.config.ts does not run test/support/postgres.setup.ts'
  return null
}

/** Creates an empty database for one test, dropped at its end; returns the URL. */
export async function freshDatabase(): Promise<string> {
  const cluster = await sharedCluster()
  return databaseUrl(cluster, await createDatabase(cluster))
}

/** Creates a database with the schema by copying a template, which is faster than migrating. */
export async function freshStoreDatabase(): Promise<string> {
  const cluster = await sharedCluster()
  return databaseUrl(cluster, await createDatabase(cluster, migrated))
}

/** Creates an empty database; returns a URL over TCP with a password, as for a remote server. */
export async function freshTcpDatabase(): Promise<string> {
  const cluster = await sharedCluster()
  return tcpUrl(cluster, await createDatabase(cluster))
}

/** Runs a statement or script on a connection of its own, bypassing the product. */
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
  // Copying files is twice as fast as writing them to the log, if no checkpoint waits for a disk.
  await runOn(server, `CREATE DATABASE ${name} TEMPLATE ${source} STRATEGY file_copy`)
  // Each database has ten megabytes, and there are hundreds of them.
  afterTest(() => runOn(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
  return name
}

/**
 * Drops the database after the test without waiting. Outside a test (`npm run soak`) only the cluster's end removes it.
 */
function afterTest(drop: () => Promise<unknown>): void {
  try {
    onTestFinished(() => void drop().catch(() => {}))
  } catch {
    // No test is running.
  }
}

let shared: Promise<Cluster> | null = null

/** Returns the cluster of the run: the first test file that needs it starts it, the others wait for the file lock. */
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
