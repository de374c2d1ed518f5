import type { Db, Tx } from '../../db/port.ts'
import { updated } from '../../events/change.ts'
import type { Actor } from '../../kernel/actor.ts'
import { refusal } from '../../kernel/errors.ts'
import { type OrgAccess, recordOrgChange } from '../changes.ts'
import { insertRole, requireRole } from './changes.ts'
import type { RoleView } from './contract.ts'
import { findRoleByName, listRoles, type Role, roles } from './store.ts'

export type Roles = ReturnType<typeof createRoles>

type Changed = RoleView & { warnings?: string[] }

export function createRoles({ db, access: { govern } }: { db: Db; access: Pick<OrgAccess, 'govern'> }) {
  return {
    create: (by: Actor, name: string, description: string): Promise<Changed> =>
      db.write(['system'], async (tx) => {
        const governed = await govern(tx, by, null)
        await refuseDuplicate(tx, name)
        return answer(await insertRole(tx, by, governed, { name, description }), governed.warnings)
      }),

    list: (): Promise<{ roles: RoleView[] }> =>
      db.read(async (tx) => ({ roles: (await listRoles(tx)).map((role) => answer(role, [])) })),

    update: (by: Actor, name: string, description: string): Promise<Changed> =>
      db.write(['system'], async (tx) => {
        const governed = await govern(tx, by, null)
        const role = await requireRole(tx, name)
        if (role.description === description) return answer(role, governed.warnings)
        await recordOrgChange(
          tx,
          by,
          governed,
          { noun: 'role', action: 'update', message: `Role ${role.name}: new description`, data: { role_id: role.id } },
          [updated(roles, role, { description })],
        )
        return answer({ ...role, description }, governed.warnings)
      }),
  }
}

async function refuseDuplicate(tx: Tx, name: string): Promise<void> {
  const taken = await findRoleByName(tx, name)
  if (taken === undefined) return
  throw refusal('conflict', `the role "${taken.name}" exists already (role_id ${taken.id})`, {
    hint: `Use it, or change its description: agency org role update --name ${taken.name} --description …`,
  })
}

const answer = ({ id, ...rest }: Role, warnings: readonly string[]): Changed => ({
  roleId: id,
  ...rest,
  ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
})
