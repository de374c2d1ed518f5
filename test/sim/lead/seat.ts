import type { Db } from '../../../src/db/port.ts'
import { inserted, record, updated } from '../../../src/events/change.ts'
import { developmentOrganisation } from '../../../src/kernel/ids.ts'
import { newAssignment } from '../../../src/org/assignments/changes.ts'
import { assignments, findHolder, nextAssignmentId } from '../../../src/org/assignments/store.ts'
import { findOrganisation, organisations } from '../../../src/org/organisations/store.ts'
import { findPosition, nextPositionId, type Position, positions } from '../../../src/org/positions/store.ts'
import { workers } from '../store.ts'

const org = `org:${developmentOrganisation}` as const

/** The personas that work in runs may lead the organisation too: an asker can be its own superior. */
const personaOf = (name: (typeof workers)[number]): number => 5 + workers.indexOf(name)

/** Makes the seat that leads the organisation of all runs; an agent has it. Resolves to its id. */
export const makeLeadSeat = (db: Db): Promise<number> =>
  db.write(['system', org], async (tx) => {
    const organisation = await findOrganisation(tx, developmentOrganisation)
    if (organisation === undefined) throw new Error('the organisation does not exist')
    const id = await nextPositionId(tx)
    const position: Position = {
      id,
      organisationId: developmentOrganisation,
      roleId: 1,
      title: 'Lead',
      level: 1,
      reportsToId: null,
      escalatesToId: null,
      isCrossCutting: false,
      createdAt: tx.at,
      updatedAt: tx.at,
    }
    await record(tx, { kind: 'org_changed', by: 'operator', message: 'a lead' }, [
      inserted(positions, position),
      inserted(assignments, newAssignment(await nextAssignmentId(tx), position, personaOf('cleo'), tx.at)),
      updated(organisations, organisation, { leadPositionId: id }),
    ])
    return id
  })

/** Gives the seat to another worker, or leaves it vacant. */
export const reseat = (db: Db, positionId: number, name: (typeof workers)[number] | null): Promise<void> =>
  db.write(['system', org], async (tx) => {
    const position = await findPosition(tx, positionId)
    if (position === undefined) throw new Error('the seat does not exist')
    const current = await findHolder(tx, positionId)
    const personaId = name === null ? null : personaOf(name)
    if ((current?.personaId ?? null) === personaId) return
    await record(tx, { kind: 'org_changed', by: 'operator', message: `${name ?? 'nobody'} leads` }, [
      ...(current === undefined ? [] : [updated(assignments, current, { unassignedAt: tx.at })]),
      ...(personaId === null
        ? []
        : [inserted(assignments, newAssignment(await nextAssignmentId(tx), position, personaId, tx.at))]),
    ])
  })
