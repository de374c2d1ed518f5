import { listEarlierOutputs } from '../../work/attempts/handed-store.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import type { Output } from '../../work/evidence/record.ts'
import type { Workspace } from '../../workspaces/port.ts'
import type { EngineDeps } from '../deps.ts'
import { findOutputs } from '../evidence/outputs.ts'

/**
 * Finds the files of the earlier parts of a brief that its rest has changed without naming them: the version that was
 * there when the rest was checked is the one that others are handed.
 */
export async function changedOfEarlierParts(
  { db }: EngineDeps,
  brief: Brief,
  workspace: Workspace,
  named: readonly Output[],
): Promise<Output[]> {
  if (brief.kind !== 'work' || brief.remainderOf === null) return []
  const known = new Set(named.map(({ path }) => path))
  const earlier = (await db.read((tx) => listEarlierOutputs(tx, brief))).flat().filter(({ path }) => !known.has(path))
  const before = new Map(earlier.map(({ path, sha256 }) => [path, sha256]))
  const { outputs } = await findOutputs([...before.keys()], workspace)
  return outputs.filter(({ path, sha256 }) => before.get(path) !== sha256)
}
