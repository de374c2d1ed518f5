/**
 * Names of the points between two commits. In production the hook does nothing; a chaos test passes a hook
 * that kills its process at one of them. No option, variable or flag reaches them.
 */
export const chaosPointNames = [
  'run.created',
  'brief.claimed',
  'workspace.prepared',
  'inputs.laid',
  'agent.launched',
  'attempt.started',
  'agent.reported',
  'agent.exited',
  'attempt.reported',
  'examination.begun',
  'evidence.checked',
  'attempt.ended',
  'gate.decided',
  'question.answered',
  'decision.made',
  'run.ended',
  'recovery.begun',
  'recovery.attempt_marked',
  'job.claimed',
  'job.ran',
] as const
/** Points that only runs with a repository pass. */
export const repositoryPointNames = ['branch.merged', 'proof.begun', 'proof.checked', 'result.landed'] as const
/** Points that only `agency prove` passes. */
export const repeatPointNames = ['repeat.begun', 'repeat.checked'] as const
export type ChaosPointName =
  (typeof chaosPointNames)[number] | (typeof repositoryPointNames)[number] | (typeof repeatPointNames)[number]
export type ChaosPoint = (point: ChaosPointName) => void

export const noChaos: ChaosPoint = () => {}
