import type { Tx } from '../../db/port.ts'
import { change } from '../../events/change.ts'
import type { Mission } from './contract.ts'
import { checkMissionMove, type MissionStatus } from './states.ts'
import { missions } from './store.ts'

/** Moves a mission one step along its chain, with its event; an unlisted step is refused. */
export function moveMission(
  tx: Tx,
  mission: Mission,
  to: MissionStatus,
  by: string,
  options: { reason?: string | undefined; patch?: Partial<Mission> } = {},
): Promise<Mission> {
  checkMissionMove(mission.status, to, mission.pausedFrom)
  return recordMove(tx, mission, to, by, options)
}

/** Takes an ended mission up again, for a run that continues its work. */
export const reopenMission = (tx: Tx, mission: Mission, by: string): Promise<Mission> =>
  recordMove(tx, mission, 'planning', by, { reason: 'its work is continued' })

function recordMove(
  tx: Tx,
  mission: Mission,
  to: MissionStatus,
  by: string,
  options: { reason?: string | undefined; patch?: Partial<Mission> },
): Promise<Mission> {
  const reason = options.reason === undefined ? '' : `: ${options.reason}`
  return change(
    tx,
    missions,
    mission,
    {
      ...options.patch,
      status: to,
      pausedFrom: to === 'paused' ? mission.status : null,
      passed: [...mission.passed, { status: to, at: tx.at }],
      updatedAt: tx.at,
    },
    {
      kind: 'mission_status',
      by,
      level: 'verbose',
      message: `mission ${mission.status} → ${to}${reason}`,
      data: {
        mission_id: mission.id,
        from: mission.status,
        to,
        ...(options.reason === undefined ? {} : { reason: options.reason }),
      },
    },
  )
}
