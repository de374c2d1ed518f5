import type { ReadTx } from '../db/port.ts'
import type { AgentActor } from '../kernel/actor.ts'
import { refusal } from '../kernel/errors.ts'
import { fold } from '../kernel/text.ts'
import { listOpenAssignmentsOfPersona } from './assignments/store.ts'
import type { AgentWork, Governed, OrgAccess } from './changes.ts'
import { findPosition } from './positions/store.ts'
import { findRole } from './roles/store.ts'

/** The holder of a seat with this role decides about proposals. */
export const directorRole = 'ar-director'

const within: Governed = { data: {}, warnings: [] }

export type Govern = OrgAccess['govern']

/**
 * Returns the check that runs inside every transaction that changes the structure. The operator and the daemon are always
 * allowed. An agent only follows a proposal: it has to work for the organisation and to hold its AR Director's seat.
 * Roles, personas and new organisations belong to no organisation (null), so no agent changes them.
 */
export const createGovern =
  (work: AgentWork): Govern =>
  async (tx, by, organisationId) => {
    if (by.kind !== 'agent') return within
    await work.checkFence(tx, by)
    if (organisationId !== null && (await mayDecide(work, tx, by, organisationId))) return within
    throw refusal('forbidden', 'only the operator changes this; agents propose it', {
      hint: 'Propose it: agency org export --org ORG, edit, then agency org propose --file F --reason TEXT.',
    })
  }

/** Reports whether the agent works for the organisation and holds its AR Director's seat. */
export async function mayDecide(
  work: Pick<AgentWork, 'findOrganisationOfRun'>,
  tx: ReadTx,
  { runId, personaId }: AgentActor,
  organisationId: number,
): Promise<boolean> {
  return (await work.findOrganisationOfRun(tx, runId)) === organisationId && isDirector(tx, personaId, organisationId)
}

/** Reports whether a persona holds the AR Director's seat of the organisation. */
export async function isDirector(tx: ReadTx, personaId: number, organisationId: number): Promise<boolean> {
  for (const held of await listOpenAssignmentsOfPersona(tx, personaId)) {
    if (held.positionId === null || held.organisationId !== organisationId) continue
    const seat = await findPosition(tx, held.positionId)
    const role = seat === undefined ? undefined : await findRole(tx, seat.roleId)
    if (role !== undefined && fold(role.name) === directorRole) return true
  }
  return false
}
