import { parseArgs } from 'node:util'

import { setup as bundle, teardown as removeBundle } from '../support/bundle.setup.ts'
import { makeClusterFolder, removeAbandonedClusters, stopCluster } from '../support/cluster.ts'
import { clusterVariable, postgresMissing } from '../support/postgres.ts'
import { allPoints } from './death-points.ts'
import { createInstallation } from './installation.ts'
import { killRepeatedly, type SoakResult } from './kill-repeatedly.ts'

/**
 * `npm run soak -- --kills 200 --store sqlite|postgres|all [--seed N]` kills the daemon repeatedly, at every chaos
 * point in turn.
 */
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    store: { type: 'string', default: 'all' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
  },
})
process.exitCode = await main(Number(values.kills), values.store, Number(values.seed))

async function main(kills: number, store: string, seed: number): Promise<number> {
  if (!(kills > 0) || !Number.isSafeInteger(seed) || !['sqlite', 'postgres', 'all'].includes(store)) {
    console.error('error: --kills takes a number, --store sqlite, postgres or all, --seed a number')
    return 2
  }
  let failed = 0
  // From its sources a daemon takes three times as long to start, and so does every agent.
  await bundle()
  try {
    if (store !== 'postgres') failed += await soak('sqlite', kills, seed)
    if (store !== 'sqlite') failed += await withCluster(() => soak('postgres', kills, seed))
  } finally {
    removeBundle()
  }
  return failed > 0 ? 1 : 0
}

async function soak(store: 'sqlite' | 'postgres', kills: number, seed: number): Promise<number> {
  console.log(`${store}: killing the daemon ${kills} times, seed ${seed}`)
  const installation = await createInstallation(store)
  // With ten deaths for each point, three of them are reached on any machine.
  const isLong = kills >= 10 * allPoints.length
  const result = await killRepeatedly(installation, {
    kills,
    seed,
    deathsAtEachPoint: isLong ? 3 : 0,
    killsAgents: isLong,
    log: (line) => console.log(`  ${line}`),
  })
  for (const line of linesOf(result)) console.log(`  ${line}`)
  if (result.findings.length === 0) {
    await installation.remove()
    return 0
  }
  console.log(
    `  the home is kept: ${installation.home}; repeat with: npm run soak -- --kills ${kills} --store ${store} --seed ${seed}`,
  )
  return 1
}

function linesOf(result: SoakResult): string[] {
  const sum = (counts: Iterable<number>): number => [...counts].reduce((all, each) => all + each, 0)
  const killed = sum(result.deaths.values()) + result.elsewhere
  const outcomes = Object.entries(result.outcomes).map(([outcome, times]) => `${times} ${outcome}`)
  const deaths = [...result.deaths].sort(([one], [other]) => one.localeCompare(other))
  return [
    ...deaths.map(([place, times]) => `${String(times).padStart(6)}  ${place}`),
    `${String(result.elsewhere).padStart(6)}  elsewhere, because the point was not passed in time`,
    `${String(killed).padStart(6)}  daemons killed in total, and ${result.agents} agents`,
    `runs      ${result.runs} with ${result.briefs} briefs`,
    `attempts  ${sum(Object.values(result.outcomes))}: ${outcomes.join(', ')}; at most ${result.interruptions} interrupted in a row`,
    `duration  ${result.seconds} s, ${(result.seconds / killed).toFixed(1)} s for a kill; ${result.secondsOfEnds} s until all runs of a round had ended`,
    ...(result.findings.length === 0
      ? ['every run was done once; audit and replay have no findings; no process is left']
      : result.findings.map((finding) => `✗ ${finding}`)),
  ]
}

async function withCluster(work: () => Promise<number>): Promise<number> {
  await removeAbandonedClusters()
  const folder = makeClusterFolder()
  process.env[clusterVariable] = folder
  const missing = postgresMissing()
  try {
    if (missing === null) return await work()
    console.error(`error: ${missing}`)
    return 1
  } finally {
    await stopCluster(folder)
  }
}
