import { makeClusterFolder, removeAbandonedClusters, stopCluster } from './cluster.ts'
import { postgresBinaries } from './machine.ts'
import { clusterVariable, postgresMissing } from './postgres.ts'

let folder: string | null = null

/**
 * Prepares a folder once per test run, without starting the cluster: a run without PostgreSQL tests does not pay for
 * it.
 */
export async function setup(): Promise<void> {
  // The projects of one run share one cluster.
  if (process.env[clusterVariable] !== undefined) return
  if (postgresBinaries() === null) return printOnce(postgresMissing())
  folder = makeClusterFolder()
  process.env[clusterVariable] = folder
  await removeAbandonedClusters()
}

/** Prints the reason once per run; a run on SQLite alone skips nothing. */
function printOnce(missing: string | null): void {
  if (process.env['AGENCY_TEST_STORE'] === 'sqlite' || process.env[printedVariable] !== undefined) return
  process.env[printedVariable] = 'yes'
  console.log(`tests on PostgreSQL are skipped: ${missing}`)
}
const printedVariable = 'AGENCY_TEST_POSTGRES_MISSING_PRINTED'

export async function teardown(): Promise<void> {
  if (folder !== null) await stopCluster(folder)
}
