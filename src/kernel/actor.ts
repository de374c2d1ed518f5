import type { AgentId, AttemptId, BriefId, PersonaId, RunId } from './ids.ts'

/**
 * Who is acting. Built once from credentials at the edge, handed to every service method first.
 * A text never grants authority: an agent is what its attempt's token says, nothing more.
 */
export type Actor = OperatorActor | AgentActor | SystemActor

export interface OperatorActor {
  readonly kind: 'operator'
  readonly personaId: PersonaId
}

export interface AgentActor {
  readonly kind: 'agent'
  readonly personaId: PersonaId
  readonly agentId: AgentId
  readonly runId: RunId
  readonly briefId: BriefId
  readonly attemptId: AttemptId
  /** Rises with every attempt of a brief; a write under an older one is refused. */
  readonly fence: number
}

export interface SystemActor {
  readonly kind: 'system'
  readonly personaId: PersonaId
  /** Which part of the daemon: `engine` launches, `daemon` does the rest. */
  readonly part: 'engine' | 'daemon'
}

/** How an actor stands in an event: `operator`, `engine`, `daemon`, `agent:12`. */
export const actorName = (actor: Actor): string => {
  if (actor.kind === 'agent') return `agent:${actor.agentId}`
  return actor.kind === 'system' ? actor.part : 'operator'
}
