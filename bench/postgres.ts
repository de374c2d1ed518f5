import { openPostgres } from '../src/db/postgres.ts'
import type { Db } from '../src/db/port.ts'
import { systemClock } from '../src/kernel/clock.ts'
import { databaseUrl, makeClusterFolder, startCluster, stopCluster } from '../test/support/cluster.ts'
import { postgresBinaries } from '../test/support/machine.ts'
import { benchKey, openBenchOn } from './engine-store.ts'
import { atMost, type Benchmark, skipped, withoutTarget } from './figures.ts'

const briefs = 60
const name = 'postgres: statements of an idle process / commits of another'

/** A run on PostgreSQL beside a second process with free slots that finds nothing to do. */
export const postgres: Benchmark = {
  name: 'postgres',
  run: async ({ log }) => {
    if (postgresBinaries() === null)
      return [skipped(name, '×', '≤ 1', 'no PostgreSQL server programs found (Debian: apt-get install postgresql)')]
    const folder = makeClusterFolder()
    try {
      const url = databaseUrl(await startCluster(folder), 'postgres')
      const open = (): Promise<Db> => openPostgres({ url, clock: systemClock, chainKey: benchKey })
      const { statements, idle, commits } = await playBesideIdle(await open(), await open())
      log(`${briefs} briefs: ${commits} commits, ${statements} statements, ${idle} by the idle process`)
      return [
        atMost(name, idle / commits, 1, '×', `${idle} statements, ${commits} commits`),
        withoutTarget('postgres: statements per brief', statements / briefs, ''),
      ]
    } finally {
      await stopCluster(folder)
    }
  },
}

async function playBesideIdle(
  store: Db,
  idleStore: Db,
): Promise<{ statements: number; idle: number; commits: number }> {
  const launched = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  let launches = 0
  const busy = await openBenchOn(store, {
    beforeLaunch: () => {
      if (++launches === briefs) launched.resolve()
      return go.promise
    },
  })
  const statementsBefore = store.statements()
  const run = busy.run(briefs)
  // The other process starts when nothing is left to claim.
  await launched.promise
  const other = await openBenchOn(idleStore, { worker: 'idle:1' })
  const idleBefore = idleStore.statements()
  let commits = 0
  store.onCommit(() => commits++)
  go.resolve()
  await run
  const counted = {
    statements: store.statements() - statementsBefore,
    idle: idleStore.statements() - idleBefore,
    commits,
  }
  await other.close()
  await busy.close()
  return counted
}
