import { makeClusterFolder, removeAbandonedClusters, stopCluster } from './cluster.ts'
import { postgresBinaries } from './machine.ts'
import { clusterVariable, postgresMissing } from './postgres.ts'

let folder: string | null = null

/** Runs once before a test run and starts nothing: a run that needs no PostgreSQL does not pay for it. */
export async function setup(): Promise<void> {
  // The projects of one run share one cluster.
  if (process.env[clusterVariable] !== undefined) return
  if (postgresBinaries() === null) return sayOnce(postgresMissing())
  folder = makeClusterFolder()
  process.env[clusterVariable] = folder
  await removeAbandonedClusters()
}

/** Tests that ask for SQLite alone miss nothing. */
function sayOnce(missing: string | null): void {
  if (process.env['AGENCY_TEST_STORE'] === 'sqlite' || process.env[saidVariable] !== undefined) return
  process.env[saidVariable] = 'yes'
  console.log(`tests on PostgreSQL are skipped: ${missing}`)
}
const saidVariable = 'AGENCY_TEST_POSTGRES_MISSING_SAID'

export async function teardown(): Promise<void> {
  if (folder !== null) await stopCluster(folder)
}
