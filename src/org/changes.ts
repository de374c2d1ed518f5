import type { ReadTx, Stream, Tx } from '../db/port.ts'
import { appendEvent, type NewEvent } from '../events/append.ts'
import { type Change, record } from '../events/change.ts'
import type { EventLevel } from '../events/contract.ts'
import { type Actor, actorName, type AgentActor } from '../kernel/actor.ts'
import type { Organisation } from './organisations/store.ts'
import type { Persona } from './personas/store.ts'

/** The facts about agents at work on which decisions about the structure depend; `src/work` provides them. */
export interface AgentWork {
  /** Refuses an agent whose attempt has ended or whose brief another attempt has taken over. */
  checkFence(tx: ReadTx, by: AgentActor): Promise<unknown>
  /** The organisation that a run works for; undefined for an unknown run. */
  findOrganisationOfRun(tx: ReadTx, runId: string): Promise<number | undefined>
  /** Live and ended agents whose row points at the seat. */
  listSeatedAgents(tx: ReadTx, positionId: number): Promise<SeatedAgent[]>
}

export interface SeatedAgent {
  readonly id: number
  readonly stream: Stream
  /** Clears the agent's reference to the seat. */
  readonly leaveSeat: Change
}

/** The functions that services of the organisation share; `compose.ts` passes them in. */
export interface OrgAccess extends Pick<AgentWork, 'checkFence' | 'findOrganisationOfRun' | 'listSeatedAgents'> {
  /** Finds by slug, or by a name that only one organisation has; refuses unknown and ambiguous references. */
  resolveOrganisation(tx: ReadTx, reference: string): Promise<Organisation>
  resolvePersona(tx: ReadTx, reference: string): Promise<Persona>
  /** Refuses every agent that does not decide for the organisation; returns what the event records about the actor. */
  govern(tx: ReadTx, by: Actor, organisationId: number | null): Promise<Governed>
  /** Reports whether the agent works for the organisation and holds its AR Director's seat. */
  mayDecide(tx: ReadTx, by: AgentActor, organisationId: number): Promise<boolean>
}

export interface Governed {
  /** Added to the event's data. */
  data: Record<string, unknown>
  /** Warnings for the answer, where its shape has a field for them. */
  warnings: string[]
  /**
   * The event level. Of many changes made at once, one event summarises all; the others have a lower level for close
   * inspection.
   */
  level?: EventLevel
}

/** Returns the warnings field of an answer; it is absent where there are none. */
export const warned = ({ warnings }: { warnings: readonly string[] }): { warnings?: string[] } =>
  warnings.length === 0 ? {} : { warnings: [...warnings] }

/** The content of an event about a change of the organisation. */
export interface OrgChange {
  noun: string
  action: string
  message: string
  data?: Record<string, unknown>
}

/** Records one change of the structure and its event. */
export const recordOrgChange = (
  tx: Tx,
  by: Actor,
  governed: Governed,
  change: OrgChange,
  changes: readonly Change[],
): Promise<number> => record(tx, eventOf(by, governed, change), changes)

/** Appends the event of a change of files, which no row records. */
export const noteOrgChange = (
  tx: Tx,
  stream: Stream,
  by: Actor,
  governed: Governed,
  change: OrgChange,
): Promise<number> => appendEvent(tx, stream, eventOf(by, governed, change))

const eventOf = (by: Actor, governed: Governed, { noun, action, message, data }: OrgChange): NewEvent => ({
  kind: 'org_changed',
  by: actorName(by),
  message,
  ...(governed.level === undefined ? {} : { level: governed.level }),
  data: { noun, action, by_persona_id: by.personaId, ...governed.data, ...data },
})
