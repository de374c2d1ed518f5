import type { Db, ReadTx } from '../db/port.ts'
import type { Actor } from '../kernel/actor.ts'
import { notFound, refusal } from '../kernel/errors.ts'
import { requireMission } from '../work/missions/find.ts'
import { findRun } from '../work/runs/store.ts'
import type { MemoryType, MissionMemory } from './contract.ts'
import { countMemories, findMemory, listMemories } from './store.ts'

export type Memories = ReturnType<typeof createMemories>

export interface MissionMemoryInput {
  missionId: string
  type?: MemoryType | undefined
  organisationId?: number | undefined
  limit: number
  before?: string | undefined
}

/** Reads the answers that missions have got. */
export function createMemories({ db }: { db: Db }) {
  return {
    ofMission: (
      by: Actor,
      { missionId, organisationId, type, limit, before }: MissionMemoryInput,
    ): Promise<{ missionId: string; memories: MissionMemory[]; total: number }> =>
      db.read(async (tx) => {
        const id = await missionOf(tx, by, missionId, organisationId)
        const last = before === undefined ? undefined : await findMemory(tx, id, before)
        if (before !== undefined && last === undefined)
          throw refusal('invalid_input', `before: mission ${id} has no memory "${before}"`, {
            hint: 'It is the id of the last entry of the page before.',
          })
        return {
          missionId: id,
          memories: await listMemories(tx, { missionId: id, type, before: last }, limit),
          total: await countMemories(tx, { missionId: id, type }),
        }
      }),
  }
}

/** Neither an agent nor a page of one organisation learns whether another mission exists. */
async function missionOf(
  tx: ReadTx,
  by: Actor,
  missionId: string,
  organisationId: number | undefined,
): Promise<string> {
  const own = by.kind === 'agent' ? (await findRun(tx, by.runId))?.missionId : undefined
  if (by.kind === 'agent' && missionId !== 'own' && missionId !== own) throw notFound('mission', missionId)
  const mission = await requireMission(tx, own ?? missionId)
  if (organisationId !== undefined && mission.organisationId !== organisationId) throw notFound('mission', missionId)
  return mission.id
}
