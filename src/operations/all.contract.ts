import { daemonOperations } from '../daemon/contract.ts'
import { eventOperations } from '../events/contract.ts'
import { attemptOperations } from '../work/attempts/contract.ts'
import { briefOperations } from '../work/briefs/contract.ts'
import { missionOperations } from '../work/missions/contract.ts'
import { runOperations } from '../work/runs/contract.ts'
import type { Operation } from './contract.ts'

export const operations = {
  daemon: daemonOperations,
  event: eventOperations,
  attempt: attemptOperations,
  brief: briefOperations,
  mission: missionOperations,
  run: runOperations,
}

export const allOperations: readonly Operation[] = Object.values(operations).flatMap((group) => Object.values(group))
