import type { Db, ReadTx } from '../../db/port.ts'
import { type Change, inserted, updated } from '../../events/change.ts'
import type { Actor } from '../../kernel/actor.ts'
import { bug, notFound, refusal } from '../../kernel/errors.ts'
import { operatorPersona } from '../../kernel/ids.ts'
import { type OrgAccess, recordOrgChange, warned } from '../changes.ts'
import type { Contents } from '../contents.ts'
import { findOrganisation, type Organisation } from '../organisations/store.ts'
import { isSeeded, kindOf } from '../personas/kinds.ts'
import { findPersona, listPersonas, type Persona } from '../personas/store.ts'
import { findPosition, listPositions, type Position } from '../positions/store.ts'
import { findRole, listRoles } from '../roles/store.ts'
import { assignmentView } from '../structure.ts'
import { newAssignment } from './changes.ts'
import type { AssignmentRecord } from './contract.ts'
import {
  type Assignment,
  assignments,
  findHolder,
  listAssignments,
  listOpenAssignments,
  listSeatedPersonas,
  nextAssignmentId,
} from './store.ts'

export type Assignments = ReturnType<typeof createAssignments>

export function createAssignments({ db, access, contents }: { db: Db; access: OrgAccess; contents: Contents }) {
  return {
    async assign(by: Actor, positionId: number, reference: string, reassign: boolean) {
      const { organisationId } = await db.read((tx) => requirePosition(tx, positionId))
      return db.write(['system', `org:${organisationId}`], async (tx) => {
        const governed = await access.govern(tx, by, organisationId)
        const position = await requirePosition(tx, positionId)
        const persona = await access.resolvePersona(tx, reference)
        refuseUnseatable(persona)
        const current = await findHolder(tx, positionId)
        if (current !== undefined && !reassign) {
          const holder = await findPersona(tx, current.personaId)
          throw refusal('conflict', `seat "${position.title}" is held by ${holder?.slug}; use --reassign to replace`, {
            data: { flag: '--reassign', holder: holder?.slug },
          })
        }
        const assignment = newAssignment(await nextAssignmentId(tx), position, persona.id, tx.at)
        const changes: Change[] = [inserted(assignments, assignment)]
        if (current !== undefined) changes.unshift(updated(assignments, current, { unassignedAt: tx.at }))
        const message = `${persona.slug} takes seat "${position.title}"`
        const data = { position_id: position.id, persona_id: persona.id, replaced: current?.personaId ?? null }
        await recordOrgChange(tx, by, governed, { noun: 'assignment', action: 'assign', message, data }, changes)
        return {
          assignment: recordOf(assignment, persona),
          warnings: [...governed.warnings, ...(await roleWarnings(tx, position, persona))],
        }
      })
    },

    async unassign(by: Actor, positionId: number) {
      const { organisationId } = await db.read((tx) => requirePosition(tx, positionId))
      return db.write(['system', `org:${organisationId}`], async (tx) => {
        const governed = await access.govern(tx, by, organisationId)
        const position = await requirePosition(tx, positionId)
        const current = await findHolder(tx, positionId)
        if (current === undefined) throw refusal('illegal_transition', `seat "${position.title}" is vacant already`)
        const persona = await requirePersonaRow(tx, current.personaId)
        const message = `${persona.slug} leaves seat "${position.title}"`
        const data = { position_id: position.id, persona_id: persona.id }
        await recordOrgChange(tx, by, governed, { noun: 'assignment', action: 'unassign', message, data }, [
          updated(assignments, current, { unassignedAt: tx.at }),
        ])
        return { assignment: recordOf({ ...current, unassignedAt: tx.at }, persona), ...warned(governed) }
      })
    },

    list: (query: {
      org: string
      includeHistory: boolean
      persona?: string | undefined
      positionId?: number | undefined
    }) =>
      db.read(async (tx) => {
        const organisation = await access.resolveOrganisation(tx, query.org)
        const only = query.persona === undefined ? null : await access.resolvePersona(tx, query.persona)
        const personas = new Map((await listPersonas(tx)).map((persona) => [persona.id, persona]))
        const rows = query.includeHistory
          ? await listAssignments(tx, organisation.id)
          : await listOpenAssignments(tx, organisation.id)
        return {
          assignments: rows
            .filter((row) => only === null || row.personaId === only.id)
            .filter((row) => query.positionId === undefined || row.positionId === query.positionId)
            .map((row) => recordOf(row, personas.get(row.personaId) as Persona)),
        }
      }),

    vacancies: (org: string) =>
      db.read(async (tx) => {
        const organisation = await access.resolveOrganisation(tx, org)
        const held = new Set((await listOpenAssignments(tx, organisation.id)).map((row) => row.positionId))
        const roles = new Map((await listRoles(tx)).map((role) => [role.id, role.name]))
        return {
          vacancies: (await listPositions(tx, organisation.id))
            .filter((position) => !held.has(position.id))
            .map((position) => seatLine(position, roles.get(position.roleId) ?? '')),
        }
      }),

    available: () =>
      db.read(async (tx) => {
        const roles = new Map((await listRoles(tx)).map((role) => [role.id, role.name]))
        const seated = await listSeatedPersonas(tx)
        return {
          personas: (await listPersonas(tx))
            .filter((persona) => persona.status === 'active' && persona.origin !== 'pool' && !seated.has(persona.id))
            .filter((persona) => kindOf(persona).type === 'agent' && !isSeeded(persona))
            .map(({ id, name, slug, roleId }) => ({ personaId: id, name, slug, role: roles.get(roleId) ?? '' })),
        }
      }),

    async assessFit(positionId: number, reference: string) {
      const { position, organisation, role, persona, personaRole } = await db.read(async (tx) => {
        const seat = await requirePosition(tx, positionId)
        const found = await access.resolvePersona(tx, reference)
        return {
          position: seat,
          organisation: (await findOrganisation(tx, seat.organisationId)) as Organisation,
          role: await findRole(tx, seat.roleId),
          persona: found,
          personaRole: await findRole(tx, found.roleId),
        }
      })
      return {
        position: {
          ...seatLine(position, role?.name ?? ''),
          roleDescription: role?.description ?? '',
          organisation: organisation.slug,
        },
        intent: (await contents.readIntent(organisation)).text,
        persona: {
          personaId: persona.id,
          name: persona.name,
          slug: persona.slug,
          role: personaRole?.name ?? '',
          skill: await contents.readSkill(persona),
        },
      }
    },
  }
}

/** Refuses the operator, who is above the chart, and the system, which is outside it: neither takes a seat. */
export function refuseUnseatable(persona: Persona): void {
  if (persona.status === 'archived')
    throw refusal('illegal_transition', `${persona.slug} is archived`, {
      hint: `Reactivate it: agency org persona update --slug ${persona.slug} --status active`,
    })
  if (isSeeded(persona))
    throw refusal(
      'illegal_transition',
      `${persona.slug} cannot hold a seat: it is ${persona.id === operatorPersona ? 'above' : 'outside'} the chart`,
    )
}

async function roleWarnings(tx: ReadTx, position: Position, persona: Persona): Promise<string[]> {
  if (position.roleId === persona.roleId) return []
  const [wanted, has] = [await findRole(tx, position.roleId), await findRole(tx, persona.roleId)]
  return [`the seat needs the role "${wanted?.name}", ${persona.slug} has "${has?.name}"`]
}

const seatLine = (position: Position, role: string) => ({
  positionId: position.id,
  title: position.title,
  role,
  level: position.level,
})

const recordOf = (assignment: Assignment, persona: Persona): AssignmentRecord => ({
  ...assignmentView({ assignment, persona }),
  organisationId: assignment.organisationId,
  positionId: assignment.positionId,
  positionTitle: assignment.positionTitle,
  unassignedAt: assignment.unassignedAt,
})

async function requirePosition(tx: ReadTx, positionId: number): Promise<Position> {
  const position = await findPosition(tx, positionId)
  if (position === undefined)
    throw notFound('position', positionId, 'List them with "agency org position list --org …".')
  return position
}

async function requirePersonaRow(tx: ReadTx, personaId: number): Promise<Persona> {
  const persona = await findPersona(tx, personaId)
  if (persona === undefined) throw bug(`persona ${personaId} vanished`)
  return persona
}
