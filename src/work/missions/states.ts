import { refusal } from '../../kernel/errors.ts'

export const missionStatuses = [
  'backlog',
  'planning',
  'assigned',
  'in_progress',
  'review',
  'done',
  'failed',
  'paused',
  'cancelled',
] as const
export type MissionStatus = (typeof missionStatuses)[number]

const chain: readonly MissionStatus[] = ['backlog', 'planning', 'assigned', 'in_progress', 'review', 'done']
const active: readonly MissionStatus[] = ['planning', 'assigned', 'in_progress', 'review']

/**
 * Moves follow the chain; failed, paused and cancelled can follow every active status, and cancelled also backlog; paused
 * leads only back to the status before, or to cancelled.
 */
export function canMoveMission(from: MissionStatus, to: MissionStatus, pausedFrom: MissionStatus | null): boolean {
  if (from === 'paused') return to === pausedFrom || to === 'cancelled'
  const place = chain.indexOf(from)
  if (place >= 0 && chain[place + 1] === to) return true
  // The result was not accepted.
  if (from === 'review' && to === 'in_progress') return true
  if (to === 'cancelled') return from === 'backlog' || active.includes(from)
  return active.includes(from) && (to === 'failed' || to === 'paused')
}

/** Only a run that continues the work of an ended mission takes it up again. */
export const hasEnded = (status: MissionStatus): boolean =>
  status === 'done' || status === 'failed' || status === 'cancelled'

export function checkMissionMove(from: MissionStatus, to: MissionStatus, pausedFrom: MissionStatus | null): void {
  if (canMoveMission(from, to, pausedFrom)) return
  const next = missionStatuses.filter((status) => canMoveMission(from, status, pausedFrom))
  throw refusal('illegal_transition', `a mission cannot go from ${from} to ${to}`, {
    hint: `From ${from} a mission can become: ${next.join(', ') || 'nothing else'}.`,
    data: { from, to },
  })
}
