import { agents } from './agents/store.ts'
import type { AnyTable } from './db/table.ts'
import { organisations, personas, roles } from './org/store.ts'
import { artifacts } from './work/artifacts/store.ts'
import { attempts } from './work/attempts/store.ts'
import { briefs, dependencies } from './work/briefs/store.ts'
import { checks } from './work/evidence/store.ts'
import { missions } from './work/missions/store.ts'
import { runs } from './work/runs/store.ts'

/** Every table whose rows are changed by events and by nothing else; a replay rebuilds and compares them. */
export const eventTables: readonly AnyTable[] = [
  organisations,
  roles,
  personas,
  missions,
  runs,
  briefs,
  dependencies,
  agents,
  attempts,
  checks,
  artifacts,
]
