import type { Db, Tx } from '../db/port.ts'
import { raiseCounter } from '../db/tx.ts'
import { create, inserted, record } from '../events/change.ts'
import { developmentOrganisation, operatorPersona, systemPersona } from '../kernel/ids.ts'
import { slug } from '../kernel/text.ts'
import { organisations } from './organisations/store.ts'
import { findPersona, type Persona, personas } from './personas/store.ts'
import { roles } from './roles/store.ts'

const seededRoles: readonly (readonly [name: string, description: string])[] = [
  ['architect', 'Architecture, specifications and their review'],
  ['pm', 'Breaking work down, assigning it and following it'],
  ['developer', 'Implementation and its tests'],
  ['qa', 'Quality and acceptance'],
  ['ar-director', 'Personas, structure and the composition of teams'],
  ['operator', 'The human owner of this installation'],
  ['system', 'Agency itself, where no persona is named'],
]

/**
 * Inserts the rows that actors refer to from the start and, unless the store is to start empty, the first organisation
 * with its roles. Runs at every start but writes only at the first: a home that started empty stays empty. Resolves to
 * whether it wrote anything.
 */
export const seedOrganisation = (db: Db, { isEmpty = false } = {}): Promise<boolean> =>
  db.write(['system', `org:${developmentOrganisation}`], async (tx) => {
    if ((await findPersona(tx, operatorPersona)) !== undefined) return false
    await record(tx, { kind: 'installed', by: 'daemon', message: 'Agency is installed' }, [
      // The same ids either way, so that a document of another installation finds its own ids free.
      ...seededRoles
        .map(([name, description], index) => ({ id: index + 1, name, description }))
        .filter(({ name }) => !isEmpty || name === 'operator' || name === 'system')
        .map((role) => inserted(roles, role)),
      inserted(personas, seededPersona(tx, operatorPersona, 'Operator', 'operator', 3, true)),
      inserted(personas, seededPersona(tx, systemPersona, 'System', 'system', 1, false)),
    ])
    await raiseCounter(tx, 'roles', seededRoles.length)
    await raiseCounter(tx, 'personas', systemPersona)
    if (isEmpty) return true
    const name = 'Development'
    const purpose = 'software-development'
    await create(
      tx,
      organisations,
      {
        id: developmentOrganisation,
        name,
        purpose,
        slug: slug(`${purpose} ${name} ${developmentOrganisation}`),
        description: 'The first organisation, made at installation',
        status: 'active',
        leadPositionId: null,
        createdAt: tx.at,
        updatedAt: tx.at,
      },
      { kind: 'org_changed', by: 'daemon', message: `Organisation ${name} created` },
    )
    await raiseCounter(tx, 'organisations', developmentOrganisation)
    return true
  })

function seededPersona(
  tx: Tx,
  id: number,
  name: string,
  role: string,
  type: 1 | 3,
  canCreateChannel: boolean,
): Persona {
  return {
    id,
    name,
    slug: slug(`${role} ${name} ${id}`),
    roleId: seededRoles.findIndex(([each]) => each === role) + 1,
    personaTypeId: type,
    status: 'active',
    canCreateChannel,
    origin: 'seed',
    createdAt: tx.at,
    updatedAt: tx.at,
  }
}
