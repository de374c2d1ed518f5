import type { ReadTx } from '../db/port.ts'
import type { Actor } from '../kernel/actor.ts'
import { refusal } from '../kernel/errors.ts'
import { fold } from '../kernel/text.ts'
import { checkFence } from '../work/attempts/store.ts'
import { findRun } from '../work/runs/store.ts'
import { listOpenAssignmentsOfPersona } from './assignments/store.ts'
import type { Governed } from './changes.ts'
import { settingOf } from './organisations/settings.ts'
import { findPosition } from './positions/store.ts'
import { findRole } from './roles/store.ts'

/** The role whose seat makes changes of the structure one's own business. */
export const directorRole = 'ar-director'

const within: Governed = { data: {}, warnings: [] }

/**
 * Inside the transaction that changes the structure. An agent without an AR Director's seat is let through and noted, or
 * refused, as the organisation has set it; the operator and the daemon are always let through.
 * Roles and personas belong to no organisation (null): there, a director of any will do, and the organisation that the
 * agent works for decides about the others.
 */
export async function govern(tx: ReadTx, by: Actor, organisationId: number | null): Promise<Governed> {
  if (by.kind !== 'agent') return within
  await checkFence(tx, by)
  if (await isDirector(tx, by.personaId, organisationId)) return within
  const deciding = organisationId ?? (await findRun(tx, by.runId))?.organisationId
  if (deciding !== undefined && (await settingOf(tx, deciding, 'governance')) === 'enforce')
    throw refusal('forbidden', 'only the AR Director and the operator change the organisation here', {
      hint: 'Propose it: agency org export, edit, then agency org propose --file F --reason TEXT.',
    })
  return {
    data: { outside_governance: true },
    warnings: ['changes of the organisation are the AR Director’s; this one is noted as outside governance'],
  }
}

/** Of that organisation; null: of any. */
export async function isDirector(tx: ReadTx, personaId: number, organisationId: number | null): Promise<boolean> {
  for (const held of await listOpenAssignmentsOfPersona(tx, personaId)) {
    if (held.positionId === null || (organisationId !== null && held.organisationId !== organisationId)) continue
    const seat = await findPosition(tx, held.positionId)
    const role = seat === undefined ? undefined : await findRole(tx, seat.roleId)
    if (role !== undefined && fold(role.name) === directorRole) return true
  }
  return false
}
