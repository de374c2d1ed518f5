import { makeClusterFolder, removeAbandonedClusters, stopCluster } from './cluster.ts'
import { postgresBinaries } from './machine.ts'
import { clusterVariable } from './postgres.ts'

let folder: string | null = null

/** Runs once before a test run and starts nothing: a run that needs no PostgreSQL does not pay for it. */
export function setup(): void {
  // The projects of one run share one cluster.
  if (process.env[clusterVariable] !== undefined || postgresBinaries() === null) return
  removeAbandonedClusters()
  folder = makeClusterFolder()
  process.env[clusterVariable] = folder
}

export function teardown(): void {
  if (folder !== null) stopCluster(folder)
}
