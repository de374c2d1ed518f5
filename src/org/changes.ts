import type { ReadTx, Tx } from '../db/port.ts'
import { type Change, record } from '../events/change.ts'
import { type Actor, actorName } from '../kernel/actor.ts'
import type { Organisation } from './organisations/store.ts'
import type { Persona } from './personas/store.ts'

/** What services of the organisation need of each other, handed in where they are put together. */
export interface OrgAccess {
  /** Slug, or a name that only one has; refuses what is unknown or ambiguous. */
  resolveOrganisation(tx: ReadTx, reference: string): Promise<Organisation>
  resolvePersona(tx: ReadTx, reference: string): Promise<Persona>
  /** Refuses where governance is enforced; otherwise what the event should say about who acted. */
  govern(tx: ReadTx, by: Actor, organisationId: number): Promise<Governed>
}

export interface Governed {
  /** Goes into the event's data. */
  data: Record<string, unknown>
  /** For the answer, where it has a place for warnings. */
  warnings: string[]
}

/** One change of the structure, as its history tells it. */
export const recordOrgChange = (
  tx: Tx,
  by: Actor,
  governed: Governed,
  change: { noun: string; action: string; message: string; data?: Record<string, unknown> },
  changes: readonly Change[],
): Promise<number> =>
  record(
    tx,
    {
      kind: 'org_changed',
      by: actorName(by),
      message: change.message,
      data: { noun: change.noun, action: change.action, persona_id: by.personaId, ...governed.data, ...change.data },
    },
    changes,
  )
