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
export interface OrgAccess extends Pick<AgentWork, 'checkFence' | 'listSeatedAgents'> {
  /** Finds by slug, or by a name that only one organisation has; refuses unknown and ambiguous references. */
  resolveOrganisation(tx: ReadTx, reference: string): Promise<Organisation>
  resolvePersona(tx: ReadTx, reference: string): Promise<Persona>
  /** Refuses where governance is enforced; otherwise returns what the event records about the actor. */
  govern(tx: ReadTx, by: Actor, organisationId: number | null): Promise<Governed>
  /** Whether the persona holds an AR Director's seat of that organisation. */
  isDirector(tx: ReadTx, personaId: number, organisationId: number): Promise<boolean>
}

export interface Governed {
  /** Goes into the event's data. */
  data: Record<string, unknown>
  /** For the answer, where it has a place for warnings. */
  warnings: string[]
  /** Of many changes made at once, one event speaks for all; the rest are for whoever looks closely. */
  level?: EventLevel
}

/** For an answer: absent where there is nothing to say. */
export const warned = ({ warnings }: { warnings: readonly string[] }): { warnings?: string[] } =>
  warnings.length === 0 ? {} : { warnings: [...warnings] }

/** What an event says about a change of the organisation. */
export interface OrgChange {
  noun: string
  action: string
  message: string
  data?: Record<string, unknown>
}

/** One change of the structure, as its history tells it. */
export const recordOrgChange = (
  tx: Tx,
  by: Actor,
  governed: Governed,
  change: OrgChange,
  changes: readonly Change[],
): Promise<number> => record(tx, eventOf(by, governed, change), changes)

/** A change of files, which no row tells of. */
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
