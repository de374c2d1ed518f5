import type { Prices } from '../adapters/prices/port.ts'
import type { Runtime } from '../adapters/runtime/port.ts'
import type { Db } from '../db/port.ts'
import type { Clock } from '../kernel/clock.ts'
import { bug } from '../kernel/errors.ts'
import type { Log } from '../kernel/log.ts'
import type { ChaosPoint } from '../kernel/chaos-point.ts'
import type { Brief } from '../work/briefs/contract.ts'
import type { Repositories } from '../repositories/port.ts'
import type { HostChecks } from '../work/repository-settings/contract.ts'
import type { Run } from '../work/runs/contract.ts'
import type { WorkspacePolicy, Workspaces } from '../workspaces/port.ts'
import type { ScopeParts } from '../work/scope.ts'
import type { KeptOutcomes } from './evidence/kept-outcomes.ts'
import type { Troubles } from './evidence/trouble.ts'
import type { KeptFiles } from '../work/artifacts/kept-files.ts'
import type { AttemptFiles } from '../work/attempts/files.ts'

export interface EngineDeps extends ScopeParts {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly chaosPoint: ChaosPoint
  readonly runtimes: ReadonlyMap<string, Runtime>
  /** Without it, no call has a known price. */
  readonly prices?: Prices
  readonly workspaces: Workspaces
  /** Without it, no run has a repository. */
  readonly repositories?: Repositories
  /** Tells the fault of a place from that of an agent; without it, every failed check is the agent's. */
  readonly troubles?: Troubles
  /** Remembers how checks of commits ended with which work began. */
  readonly outcomes?: KeptOutcomes
  /** The commands that the configuration allows outside any box, by repository. */
  readonly hostChecks?: ReadonlyMap<string, HostChecks>
  /** What may be done from inside a brief's workspace. */
  readonly policyOf?: (run: Run, brief: Brief) => WorkspacePolicy
  /** Returns the text of a persona for the system prompt, in a run. */
  readonly personaText?: (personaId: number, run: Run) => Promise<string>
  /** Returns the talent pool of a tier, with descriptions; without this function there is none. */
  readonly talentOf?: (tier: string, run: Run) => Readonly<Record<string, string>>
  readonly files: AttemptFiles
  /** Keeps copies of the files that agents produce; without it there are none. */
  readonly kept?: KeptFiles | undefined
  /** Returns the Markdown template of a prompt: that of its phase if there is one, otherwise that of its kind. */
  readonly promptOf: (playbook: string, kind: Brief['kind'], phase: Brief['phase']) => string
  /** Returns the environment that gives an agent access to Agency, bound to its attempt. */
  readonly environmentOf: (attemptId: string, fence: number) => Record<string, string>
  /** `<worker id>:<boot>`: an attempt of an earlier boot of the same worker is certainly dead. */
  readonly worker: string
  /** The number of agents that may run at once in this process. */
  readonly slots: number
  /** The number of attempts with evidence being checked at once in this process; by default as many as agents. */
  readonly checkSlots?: number
  /** Aborted when the engine stops: from then on the engine does not wait for a store that refuses writes. */
  readonly stopped?: AbortSignal
  /** False while the process is cut off from the store, also for claims that were begun before. */
  readonly mayClaim?: () => boolean
  /** Further work for each sweep. */
  readonly alsoSweep?: () => Promise<void>
  /** The ports on which Agency listens: evidence must not query Agency itself. */
  readonly ourPorts?: () => readonly number[]
  /** Ends surviving processes of an earlier boot's agents; resolves to their number. */
  readonly killSurvivors: (attemptIds: readonly string[]) => Promise<number>
  /** Returns the launch ids of all agents and checks alive on this machine, also those of other stores. */
  readonly listSurvivors?: () => Promise<readonly string[]>
}

export const runtimeOf = (deps: EngineDeps, brief: Pick<Brief, 'runtime'>): Runtime => {
  const runtime = deps.runtimes.get(brief.runtime)
  if (runtime === undefined) throw bug(`a brief asks for the runtime "${brief.runtime}", which does not exist`)
  return runtime
}
