import type { Prices } from '../adapters/prices/port.ts'
import type { Runtime } from '../adapters/runtime/port.ts'
import type { Db } from '../db/port.ts'
import type { Clock } from '../kernel/clock.ts'
import { bug } from '../kernel/errors.ts'
import type { Log } from '../kernel/log.ts'
import type { ChaosPoint } from '../kernel/chaos-point.ts'
import type { Brief, Tier } from '../work/briefs/contract.ts'
import type { Repositories } from '../repositories/port.ts'
import type { Run } from '../work/runs/contract.ts'
import type { WorkspacePolicy, Workspaces } from '../workspaces/port.ts'
import type { ScopeParts } from '../work/scope.ts'
import type { AttemptFiles } from '../work/attempts/files.ts'

export interface EngineDeps extends ScopeParts {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly chaosPoint: ChaosPoint
  readonly runtimes: ReadonlyMap<string, Runtime>
  /** Without any, no call has a known price. */
  readonly prices?: Prices
  readonly workspaces: Workspaces
  /** Without it, no run has a repository. */
  readonly repositories?: Repositories
  /** What may be done from inside a brief's workspace. */
  readonly policyOf?: (run: Run, brief: Brief) => WorkspacePolicy
  /** Who a persona is in a run, in its own words. */
  readonly personaText?: (personaId: number, run: Run) => Promise<string>
  /** Who of the talent pool may be cast in a tier, and for what; without one, nobody. */
  readonly talentOf?: (tier: Tier, run: Run) => Readonly<Record<string, string>>
  readonly files: AttemptFiles
  /** The Markdown template of a brief's prompt: that of its phase, where it has one, else of its kind. */
  readonly promptOf: (playbook: string, kind: Brief['kind'], phase: Brief['phase']) => string
  /** What an agent needs to talk to us, bound to its attempt. */
  readonly environmentOf: (attemptId: string, fence: number) => Record<string, string>
  /** `<worker id>:<boot>`: an attempt of an earlier boot of the same worker is certainly dead. */
  readonly worker: string
  /** The number of agents that may run at once in this process. */
  readonly slots: number
  /** The number of attempts whose evidence may be checked at once in this process; by default as many as agents. */
  readonly checkSlots?: number
  /** Aborted when the engine stops: from then on a store that takes no record is not waited for. */
  readonly stopped?: AbortSignal
  /** Whatever else wants to be looked after in the same rhythm. */
  readonly alsoSweep?: () => Promise<void>
  /** Where we listen: a server that evidence asks is never ourselves. */
  readonly ourPorts?: () => readonly number[]
  /** Ends what is left of an earlier life's agent; resolves to how many processes were ended. */
  readonly killSurvivors: (attemptIds: readonly string[]) => Promise<number>
}

export const runtimeOf = (deps: EngineDeps, brief: Pick<Brief, 'runtime'>): Runtime => {
  const runtime = deps.runtimes.get(brief.runtime)
  if (runtime === undefined) throw bug(`a brief asks for the runtime "${brief.runtime}", which does not exist`)
  return runtime
}
