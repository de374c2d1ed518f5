import { counted } from '../../kernel/amounts.ts'
import type { Db, ReadTx, Stream, Tx } from '../../db/port.ts'
import { updated } from '../../events/change.ts'
import type { Actor } from '../../kernel/actor.ts'
import { refusal } from '../../kernel/errors.ts'
import { type Assignment, assignments, listOpenAssignmentsOfPersona } from '../assignments/store.ts'
import { recordOrgChange } from '../changes.ts'
import type { Govern } from '../governance.ts'
import { findOrganisation } from '../organisations/store.ts'
import { isSeeded } from './kinds.ts'
import { countLiveAgents, type Persona } from './store.ts'

/** A seat that a persona holds, in the form that refusals and previews show. */
export interface HeldSeat {
  assignment: Assignment
  organisation: string
  label: string
}

export async function listHeldSeats(tx: ReadTx, persona: Persona): Promise<HeldSeat[]> {
  const seats: HeldSeat[] = []
  for (const assignment of await listOpenAssignmentsOfPersona(tx, persona.id)) {
    const organisation = (await findOrganisation(tx, assignment.organisationId))?.slug ?? ''
    seats.push({ assignment, organisation, label: `${assignment.positionTitle}@${organisation}` })
  }
  return seats
}

/** Refuses to archive a persona that is needed, has live agents, or holds seats that are not to be emptied. */
export async function refuseArchiving(
  tx: ReadTx,
  persona: Persona,
  seats: readonly HeldSeat[],
  unassign: boolean,
): Promise<void> {
  if (isSeeded(persona)) throw refusal('forbidden', `${persona.slug} cannot be archived: every installation needs it`)
  const agents = (await countLiveAgents(tx)).get(persona.id) ?? 0
  if (agents > 0)
    throw refusal('illegal_transition', `${persona.slug} has ${counted(agents, 'live agent')}`, {
      hint: 'List them with "agency agent list", then cancel their runs with "agency cancel <run>".',
    })
  if (seats.length > 0 && !unassign)
    throw refusal(
      'conflict',
      `${persona.slug} holds ${seats.map((seat) => seat.label).join(', ')}; use --unassign to empty them first`,
      { data: { flag: '--unassign', positions: seats.map((seat) => seat.label) } },
    )
}

export async function emptySeats(
  tx: Tx,
  by: Actor,
  govern: Govern,
  persona: Persona,
  seats: readonly HeldSeat[],
): Promise<{ warnings: string[] }> {
  const warnings = new Set<string>()
  for (const { assignment } of seats) {
    const governed = await govern(tx, by, assignment.organisationId)
    for (const warning of governed.warnings) warnings.add(warning)
    await recordOrgChange(
      tx,
      by,
      governed,
      {
        noun: 'assignment',
        action: 'unassign',
        message: `${persona.slug} leaves seat "${assignment.positionTitle}"`,
        data: { position_id: assignment.positionId, persona_id: persona.id },
      },
      [updated(assignments, assignment, { unassignedAt: tx.at })],
    )
  }
  return { warnings: [...warnings] }
}

/**
 * Runs a transaction that locks the streams of all organisations in which the persona holds a seat. They are known only
 * after reading, and assignments are made under the lock on `system`: if the transaction finds one more organisation,
 * it starts again.
 */
export async function writeWithSeats<T>(db: Db, personaId: number, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (;;) {
    const named = await db.read((tx) => organisationsOf(tx, personaId))
    const streams: Stream[] = ['system', ...named.map((id): Stream => `org:${id}`)]
    const outcome = await db.write(streams, async (tx): Promise<{ result: T } | null> => {
      const found = await organisationsOf(tx, personaId)
      return found.every((id) => named.includes(id)) ? { result: await work(tx) } : null
    })
    if (outcome !== null) return outcome.result
  }
}

const organisationsOf = async (tx: ReadTx, personaId: number): Promise<number[]> => [
  ...new Set((await listOpenAssignmentsOfPersona(tx, personaId)).map((each) => each.organisationId)),
]
