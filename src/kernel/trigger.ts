/**
 * Named points between two commits. In production nothing listens; a chaos test hands in a listener that
 * kills its process at one of them. There is no option, variable or flag that reaches them.
 */
export const triggerPoints = [
  'run.created',
  'brief.claimed',
  'workspace.prepared',
  'agent.launched',
  'attempt.started',
  'agent.reported',
  'agent.exited',
  'evidence.checked',
  'attempt.ended',
  'gate.decided',
  'question.answered',
  'run.ended',
  'recovery.begun',
  'recovery.attempt_interrupted',
  'job.claimed',
  'job.ran',
] as const
/** Only of runs with a repository. */
export const repositoryPoints = ['branch.merged', 'result.landed'] as const
export type TriggerPoint = (typeof triggerPoints)[number] | (typeof repositoryPoints)[number]
export type Trigger = (point: TriggerPoint) => void

export const noTrigger: Trigger = () => {}
