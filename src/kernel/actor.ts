import type { AgentId, AttemptId, BriefId, PersonaId, RunId } from './ids.ts'

/**
 * The party that performs an action. Built once from credentials at the edge, and the first argument of every service
 * method. Text never grants authority: an agent has exactly the rights of its attempt's token.
 */
export type Actor = OperatorActor | AgentActor | SystemActor

export interface OperatorActor {
  readonly kind: 'operator'
  readonly personaId: PersonaId
  /** The session of a browser; absent if the operator's token was sent. */
  readonly sessionId?: string
}

export interface AgentActor {
  readonly kind: 'agent'
  readonly personaId: PersonaId
  readonly agentId: AgentId
  readonly runId: RunId
  readonly briefId: BriefId
  readonly attemptId: AttemptId
  /** Increases with every attempt of a brief; a write under an older fence is refused. */
  readonly fence: number
}

export interface SystemActor {
  readonly kind: 'system'
  readonly personaId: PersonaId
  /** The part of the daemon that acts: `engine` launches agents, `daemon` does the rest. */
  readonly part: 'engine' | 'daemon'
}

/** Returns the actor's name in events: `operator`, `engine`, `daemon`, `agent:12`. */
export const actorName = (actor: Actor): string => {
  if (actor.kind === 'agent') return `agent:${actor.agentId}`
  return actor.kind === 'system' ? actor.part : 'operator'
}
