import { existsSync } from 'node:fs'

import type { HomePaths } from '../daemon/home.ts'
import { openStore, type StoreLocation } from '../db/open.ts'
import type { ReadTx } from '../db/port.ts'
import type { Clock } from '../kernel/clock.ts'
import { listSessions } from '../sessions/store.ts'
import { listTrustedFiles } from '../work/trusted-files/store.ts'
import { type Finding, ok, reasonOf, warn } from './finding.ts'
import { examineGovernance } from './governance.ts'

/** Reports the rights that rows of the store give: to agents, to files and to browsers. */
export async function examineStoredRights(
  { paths, clock }: { paths: HomePaths; clock: Clock },
  databaseUrl: string | null,
): Promise<Finding[]> {
  if (databaseUrl === null && !existsSync(paths.store)) return []
  const location: StoreLocation =
    databaseUrl === null ? { kind: 'sqlite', path: paths.store } : { kind: 'postgres', url: databaseUrl }
  try {
    const db = await openStore(location, { clock, chainKey: new Uint8Array(32), readOnly: true })
    try {
      return await db.read(examineRows)
    } finally {
      await db.close()
    }
  } catch (error) {
    return [warn('stored rights', `not examined: ${reasonOf(error)}`, 'Run "agency doctor".')]
  }
}

async function examineRows(tx: ReadTx): Promise<Finding[]> {
  const [files, sessions] = [await listTrustedFiles(tx), await listSessions(tx)]
  const advised = await examineGovernance(tx)
  return [
    ...(advised.length > 0 ? advised : [ok('governance', 'enforced: agents propose changes of every organisation')]),
    ok('trusted files', files.length === 0 ? 'none' : `${files.length}; "agency trust --list" shows them`),
    ok('browsers', sessions.length === 0 ? 'none is signed in' : `${sessions.length} signed in; "agency sessions"`),
  ]
}
