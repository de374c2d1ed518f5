import type { EventKind } from '../../events/contract.ts'
import { refusal } from '../../kernel/errors.ts'

export const briefStatuses = [
  'draft',
  'committed',
  'pending',
  'assigned',
  'working',
  'completion_drive_review',
  'ready_for_verification',
  'verified',
  'done',
  'blocked',
  'failed',
  'cancelled',
] as const
export type BriefStatus = (typeof briefStatuses)[number]

type Move = readonly [from: BriefStatus, to: BriefStatus, event: EventKind]

const running = ['assigned', 'working', 'completion_drive_review'] as const
const each = (from: readonly BriefStatus[], to: BriefStatus, event: EventKind): Move[] =>
  from.map((one) => [one, to, event])

/** The life cycle of a brief, the same for every playbook. A move that is not listed is refused. */
export const briefMoves: readonly Move[] = [
  ['draft', 'committed', 'tasks_committed'],
  ['committed', 'draft', 'tasks_reopened'],
  ['draft', 'pending', 'gate_approved'],
  ['committed', 'pending', 'all_committed'],
  ['pending', 'assigned', 'assigned'],
  ['assigned', 'working', 'spawned'],
  // Launch error, crash, timeout, bad output, death of the daemon, or an invalidated input.
  ...each(running, 'pending', 'retried'),
  ['assigned', 'pending', 'declined'],
  ...each(running, 'failed', 'failed'),
  // Its budget is used up before it starts, while other agents of the run are still at work.
  ['pending', 'failed', 'failed'],
  // The engine does its work itself, or cannot.
  ['pending', 'ready_for_verification', 'ready_for_verification'],
  ['pending', 'blocked', 'escalated'],
  ['working', 'completion_drive_review', 'review_started'],
  // From assigned only by a fault of Agency, which is no reason to launch an agent again.
  ...each(running, 'blocked', 'escalated'),
  ['completion_drive_review', 'working', 'brief_status'],
  // Directly from working: after a partial output the brief continues with the kept part.
  ...each(['working', 'completion_drive_review'], 'ready_for_verification', 'ready_for_verification'),
  ['ready_for_verification', 'verified', 'completed'],
  ['ready_for_verification', 'pending', 'retried'],
  ['ready_for_verification', 'blocked', 'escalated'],
  ['verified', 'pending', 'retried'],
  ['verified', 'done', 'session_complete'],
  ['blocked', 'working', 'unblocked'],
  ['blocked', 'pending', 'unblocked'],
  // With finished work, if a fault of Agency interrupted its merge.
  ['blocked', 'ready_for_verification', 'unblocked'],
  ['blocked', 'failed', 'failed'],
  ['failed', 'pending', 'retried'],
  // From every status except done.
  ...each(
    briefStatuses.filter((status) => status !== 'done' && status !== 'cancelled'),
    'cancelled',
    'brief_cancelled',
  ),
]

const movesFrom = new Map(briefStatuses.map((status) => [status, briefMoves.filter(([from]) => from === status)]))

export const canMove = (from: BriefStatus, to: BriefStatus, event?: EventKind): boolean =>
  movesFrom.get(from)?.some((move) => move[1] === to && (event === undefined || move[2] === event)) ?? false

export function checkMove(from: BriefStatus, to: BriefStatus, event?: EventKind): void {
  if (canMove(from, to, event)) return
  throw refusal('illegal_transition', `a brief cannot go from ${from} to ${to}`, {
    hint: `From ${from} a brief can become: ${nextStatuses(from).join(', ') || 'nothing else'}.`,
    data: { from, to },
  })
}

export const nextStatuses = (from: BriefStatus): BriefStatus[] => [
  ...new Set(briefMoves.filter(([source]) => source === from).map(([, to]) => to)),
]

/** Reports whether the dependents of a brief may start. */
export const isMet = (status: BriefStatus, requires: 'completed' | 'verified' = 'verified'): boolean =>
  status === 'verified' || status === 'done' || (requires === 'completed' && status === 'ready_for_verification')

/** Statuses in which an agent works, or may work, on the brief. */
export const liveStatuses: readonly BriefStatus[] = running

/** Statuses in which the brief needs nothing more. */
export const endStatuses: readonly BriefStatus[] = ['done', 'failed', 'cancelled']
