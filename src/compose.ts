import type { Runtime } from './adapters/runtime/port.ts'
import type { Db } from './db/port.ts'
import type { AttemptFiles } from './engine/deps.ts'
import { createEngine, type Engine } from './engine/engine.ts'
import type { Clock } from './kernel/clock.ts'
import type { Ids } from './kernel/ids.ts'
import type { Log } from './kernel/log.ts'
import type { Trigger } from './kernel/trigger.ts'
import type { Playbook } from './playbooks/contract.ts'
import { direct } from './playbooks/direct/decide.ts'
import { type Attempts, createAttempts } from './work/attempts/service.ts'
import { type Briefs, createBriefs } from './work/briefs/service.ts'
import { createMissions, type Missions } from './work/missions/service.ts'
import { createRuns, type Runs } from './work/runs/service.ts'
import type { Workspaces } from './workspaces/port.ts'

/** The parts that differ between a daemon, a simulation and a benchmark. */
export interface Parts {
  db: Db
  clock: Clock
  ids: Ids
  log: Log
  trigger: Trigger
  runtimes: readonly Runtime[]
  workspaces: Workspaces
  files: AttemptFiles
  promptOf: (playbook: string) => string
  environmentOf: (attemptId: string, fence: number) => Record<string, string>
  killSurvivors: (attemptIds: readonly string[]) => Promise<number>
  worker: string
  slots: number
  defaultRuntime: string | null
}

export interface Agency {
  engine: Engine
  missions: Missions
  runs: Runs
  briefs: Briefs
  attempts: Attempts
}

export const playbooks: ReadonlyMap<string, Playbook> = new Map([[direct.name, direct]])

/** The core without its edges: the same for every host. */
export function composeAgency(parts: Parts): Agency {
  const { db, ids, trigger } = parts
  const runtimes = new Map(parts.runtimes.map((runtime) => [runtime.name, runtime]))
  const engine = createEngine({ ...parts, runtimes, playbooks })
  const missions = createMissions({ db, ids })
  return {
    engine,
    missions,
    runs: createRuns({
      db,
      ids,
      runtimes,
      playbooks,
      missions,
      defaultRuntime: parts.defaultRuntime,
      trigger,
      interrupt: engine.interrupt,
    }),
    briefs: createBriefs({ db, ids, playbooks }),
    attempts: createAttempts({ db, trigger, touch: engine.touch }),
  }
}
