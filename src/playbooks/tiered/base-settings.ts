import type { Run } from '../../work/runs/contract.ts'

export interface Settings {
  readonly gates: {
    readonly t2Lead: boolean
    readonly t2Synthesis: boolean
    readonly t3Plan: boolean
    readonly t5Verdict: boolean
  }
  readonly retryBudget: number
  readonly conflictCycles: number
  /** null: no time limit. */
  readonly meshMinutes: number | null
  readonly pipelineRequires: 'completed' | 'verified'
}

/** Returns the settings of the run's team, or the defaults of a run without a team. */
export function settingsOf({ configuration: { team } }: Pick<Run, 'configuration'>): Settings {
  if (team === undefined) return defaults
  const { gates, limits } = team
  return {
    gates,
    retryBudget: limits.retryBudget,
    conflictCycles: limits.t2ConflictCycleLimit,
    meshMinutes: limits.t3MeshTimeoutMinutes,
    pipelineRequires: limits.pipelineRequires,
  }
}

const defaults: Settings = {
  gates: { t2Lead: false, t2Synthesis: true, t3Plan: false, t5Verdict: false },
  retryBudget: 3,
  conflictCycles: 2,
  meshMinutes: 10,
  pipelineRequires: 'completed',
}
