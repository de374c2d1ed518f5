import type { World } from '../world.ts'
import { watchAgents } from './agents.ts'
import { watchCounters } from './counters.ts'
import { watchFinished } from './finished.ts'
import { watchInputs } from './inputs.ts'
import { watchGates } from './gates.ts'
import { inspectHolds } from './holds.ts'
import { watchLaunches } from './launches.ts'
import { watchLadder } from '../lead/invariants.ts'
import { watchMoney } from './money.ts'
import { inspectQuestions } from './questions.ts'
import { inspectRuns } from './runs.ts'
import { watchTiers } from './tiers.ts'
import { watchGit } from '../repositories/invariants.ts'
import { watchVerified } from './verified.ts'

/** Registers the checks of every event and every commit. */
export function registerInvariants(world: World): void {
  watchAgents(world)
  watchLaunches(world)
  watchTiers(world)
  watchVerified(world)
  watchCounters(world)
  watchGates(world)
  watchMoney(world)
  watchLadder(world)
  watchFinished(world)
  watchInputs(world)
  inspectQuestions(world)
  inspectRuns(world)
  inspectHolds(world)
  watchGit(world)
}
