import { allOf, ofOrganisation } from '../../db/conditions.ts'
import { boundLimit } from '../../db/limit.ts'
import type { ReadTx } from '../../db/port.ts'
import { findRows, table } from '../../db/table.ts'
import { sqlOf } from '../../db/tx.ts'
import type { MissionWorkspace } from './contract.ts'

export const workspaces = table<MissionWorkspace>('workspaces', {
  json: ['repository', 'policy'],
  stream: (row) => `org:${row.organisationId}`,
})

export const findActiveWorkspace = async (tx: ReadTx, missionId: string): Promise<MissionWorkspace | undefined> =>
  (await findRows(tx, workspaces, `mission_id = ? AND status = 'active'`, [missionId]))[0]

export const findNewestWorkspace = async (tx: ReadTx, missionId: string): Promise<MissionWorkspace | undefined> =>
  (await findRows(tx, workspaces, 'mission_id = ? ORDER BY created_at DESC, id DESC LIMIT 1', [missionId]))[0]

export const listWorkspaces = (
  tx: ReadTx,
  { removed, organisationId, limit }: { removed: boolean; organisationId?: number | undefined; limit: number },
): Promise<MissionWorkspace[]> => {
  const { where, values } = allOf(!removed && ["status = 'active'", []], ofOrganisation(organisationId))
  return findRows(tx, workspaces, `${where} ORDER BY created_at DESC, id DESC ${boundLimit}`, [...values, limit])
}

/** Reports whether another workspace has this path or is inside it. */
export async function isTaken(tx: ReadTx, path: string): Promise<boolean> {
  const row = await sqlOf(tx).get(
    `SELECT 1 AS found FROM workspaces WHERE status = 'active' AND (path = ? OR (path > ? AND path < ?)) LIMIT 1`,
    // The character after "/" is "0".
    [path, `${path}/`, `${path}0`],
  )
  return row !== undefined
}

/** Finds the workspace that contains a path. */
export async function findEnclosing(tx: ReadTx, path: string): Promise<MissionWorkspace | undefined> {
  const above = path.split('/').map((_, index, names) => names.slice(0, index).join('/'))
  const marks = above.map(() => '?').join(', ')
  return (await findRows(tx, workspaces, `status = 'active' AND path IN (${marks})`, above))[0]
}
