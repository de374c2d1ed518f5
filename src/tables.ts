import { agents } from './work/agents/store.ts'
import type { AnyTable } from './db/table.ts'
import { notifications } from './notify/store.ts'
import { assignments } from './org/assignments/store.ts'
import { organisations, organisationSettings } from './org/organisations/store.ts'
import { personas } from './org/personas/store.ts'
import { positionAuthorities, positions } from './org/positions/store.ts'
import { proposals } from './org/proposals/store.ts'
import { roles } from './org/roles/store.ts'
import { amendments } from './work/amendments/store.ts'
import { artifacts } from './work/artifacts/store.ts'
import { attempts } from './work/attempts/store.ts'
import { briefHolds, briefs, dependencies } from './work/briefs/store.ts'
import { budgets } from './work/budgets/store.ts'
import { reservations } from './work/budgets/reservations-store.ts'
import { decisions } from './work/decisions/store.ts'
import { checks } from './work/evidence/store.ts'
import { gates } from './work/gates/store.ts'
import { missions } from './work/missions/store.ts'
import { notes } from './work/notes/store.ts'
import { parts } from './work/parts/store.ts'
import { proofs } from './work/proofs/store.ts'
import { repeats } from './work/repeats/store.ts'
import { questions } from './work/questions/store.ts'
import { pullRequests } from './work/pull-requests/store.ts'
import { repositorySettings } from './work/repository-settings/store.ts'
import { runSteps } from './work/run-steps/store.ts'
import { runs } from './work/runs/store.ts'
import { spends } from './work/spends/store.ts'
import { providerHolds, stops } from './work/stops/store.ts'
import { trustedFiles } from './work/trusted-files/store.ts'
import { verdicts } from './work/verdicts/store.ts'
import { workspaces } from './work/mission-workspaces/store.ts'

/** Every table with rows that only events change; a replay rebuilds and compares them. */
export const eventTables: readonly AnyTable[] = [
  organisations,
  roles,
  personas,
  organisationSettings,
  positions,
  positionAuthorities,
  assignments,
  proposals,
  missions,
  runs,
  briefs,
  dependencies,
  briefHolds,
  parts,
  amendments,
  agents,
  attempts,
  checks,
  artifacts,
  verdicts,
  pullRequests,
  proofs,
  repeats,
  workspaces,
  runSteps,
  repositorySettings,
  trustedFiles,
  gates,
  questions,
  decisions,
  notes,
  spends,
  budgets,
  reservations,
  stops,
  providerHolds,
  notifications,
]
