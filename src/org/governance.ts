import type { ReadTx } from '../db/port.ts'
import { refusal } from '../kernel/errors.ts'
import { fold } from '../kernel/text.ts'
import { listOpenAssignmentsOfPersona } from './assignments/store.ts'
import type { AgentWork, Governed, OrgAccess } from './changes.ts'
import { settingOf } from './organisations/settings.ts'
import { findPosition } from './positions/store.ts'
import { findRole } from './roles/store.ts'

/** The holder of a seat with this role may change the structure. */
export const directorRole = 'ar-director'

const within: Governed = { data: {}, warnings: [] }

export type Govern = OrgAccess['govern']

/**
 * Returns the check that runs inside every transaction that changes the structure. An agent without an AR Director's seat
 * is allowed and noted, or refused, according to the organisation's setting; the operator and the daemon are always
 * allowed. Roles and personas belong to no organisation (null): a director of any organisation may change them, and for
 * other agents the setting of the organisation that the agent works for decides.
 */
export const createGovern =
  ({ checkFence, findOrganisationOfRun }: AgentWork): Govern =>
  async (tx, by, organisationId) => {
    if (by.kind !== 'agent') return within
    await checkFence(tx, by)
    if (await isDirector(tx, by.personaId, organisationId)) return within
    const deciding = organisationId ?? (await findOrganisationOfRun(tx, by.runId))
    if (deciding !== undefined && (await settingOf(tx, deciding, 'governance')) === 'enforce')
      throw refusal('forbidden', 'only the AR Director and the operator may change this organisation', {
        hint: 'Propose it: agency org export --org ORG, edit, then agency org propose --file F --reason TEXT.',
      })
    return {
      data: { outside_governance: true },
      warnings: ['the AR Director makes changes of the organisation; this one is recorded as outside governance'],
    }
  }

/** Reports whether the persona holds an AR Director's seat of the organisation; null: of any organisation. */
export async function isDirector(tx: ReadTx, personaId: number, organisationId: number | null): Promise<boolean> {
  for (const held of await listOpenAssignmentsOfPersona(tx, personaId)) {
    if (held.positionId === null || (organisationId !== null && held.organisationId !== organisationId)) continue
    const seat = await findPosition(tx, held.positionId)
    const role = seat === undefined ? undefined : await findRole(tx, seat.roleId)
    if (role !== undefined && fold(role.name) === directorRole) return true
  }
  return false
}
