import type { NewEvent } from '../../events/append.ts'
import { type Change, record, updated } from '../../events/change.ts'
import type { EventTags } from '../../playbooks/contract.ts'
import type { Run } from '../runs/contract.ts'
import { runs } from '../runs/store.ts'
import type { RunScope } from '../scope.ts'
import type { Brief, Hold } from './contract.ts'
import { changeHolds, endsWith, isSameHold, mergeHold } from './holds.ts'
import { type BriefStatus, checkMove, endStatuses } from './states.ts'
import { briefs, findBrief } from './store.ts'
import { shorten } from '../../kernel/text.ts'
import { holdForMerge, waitsForMerge } from '../pull-requests/moves.ts'
import type { QuestionClass } from '../questions/contract.ts'
import { holdDependents, releaseDependents } from './dependents.ts'
import { touchRun } from '../runs/moves.ts'
import { isWaitingFor } from '../verdicts/subject.ts'

type Described = Pick<RunScope, 'playbook'>

/** Returns the name of a brief in the live log. */
export const nameOf = ({ playbook }: Described, brief: Brief): string => playbook.describe?.(brief).name ?? brief.key

export interface BriefMove {
  kind: NewEvent['kind']
  message: string
  code?: string
  level?: NewEvent['level']
  attemptId?: string | null
  data?: Record<string, unknown>
  /** Statuses that the brief passes on its way, for which nothing is to be done: they share the event of the last move. */
  through?: readonly BriefStatus[]
  /** Columns beside the status. */
  patch?: Partial<Brief>
  /** A further reason for which the brief waits. */
  hold?: Hold | undefined
  /** Reasons that end; those of its last try end with a move to pending, and all with its end. */
  release?: (hold: Hold) => boolean
  /** Other rows of the run that change with the same event. */
  also?: readonly Change[]
}

/** Changes the status of a brief, which no other function does: by listed moves, with their event and the run's counters. */
export async function moveBrief(scope: RunScope, brief: Brief, to: BriefStatus, move: BriefMove): Promise<Brief> {
  const { through = [] } = move
  for (const [index, status] of through.entries()) checkMove(through[index - 1] ?? brief.status, status)
  checkMove(through.at(-1) ?? brief.status, to, move.kind)
  const ended = endsWith(to)
  const holds = await changeHolds(scope.tx, brief, {
    add: move.hold,
    release: (hold) => ended?.(hold) === true || move.release?.(hold) === true,
  })
  const patch: Partial<Brief> = { ...move.patch, ...holds.patch, status: to, updatedAt: scope.tx.at }
  const changes: Change[] = [updated(briefs, brief, patch), ...holds.changes, ...(move.also ?? [])]
  const counters = countersAfter(scope.run, brief, to, scope.tx.at)
  if (counters !== null) changes.push(updated(runs, scope.run, counters))
  await record(
    scope.tx,
    {
      kind: move.kind,
      by: scope.by,
      runId: scope.run.id,
      briefId: brief.id,
      attemptId: move.attemptId ?? brief.attemptId,
      ...eventTags(scope, brief),
      level: move.level ?? (isNews(scope, move.code) ? 'normal' : 'verbose'),
      ...(move.code === undefined ? {} : { code: move.code }),
      message: move.message,
      data: { from: brief.status, ...(through.length === 0 ? {} : { through }), to, ...move.data },
    },
    changes,
  )
  if (counters !== null) scope.run = { ...scope.run, ...counters }
  return { ...brief, ...patch }
}

/** Changes a brief without moving it. */
export const touchBrief = (
  scope: RunScope,
  brief: Brief,
  message: string,
  patch: Partial<Brief>,
  also: readonly Change[] = [],
): Promise<void> =>
  touchRun(
    scope,
    {},
    { kind: 'brief_status', briefId: brief.id, ...eventTags(scope, brief), level: 'verbose', message },
    [updated(briefs, brief, { ...patch, updatedAt: scope.tx.at }), ...also],
  )

/** Returns the tags of an event of this brief. */
export const eventTags = ({ playbook }: Described, brief: Brief): EventTags => playbook.describe?.(brief).tags ?? {}

/** Of a playbook that logs its progress itself, events of single briefs are shown only for problems. */
const isNews = ({ playbook }: RunScope, code: string | undefined): boolean =>
  playbook.logsProgress !== true || (code !== undefined && code !== 'START' && code !== 'DONE')

/** A verifier's brief belongs to the one it verifies and is in no counter. A plan is not work, but it can be open or fail. */
function countersAfter(run: Run, { kind, status: from }: Brief, to: BriefStatus, at: string): Partial<Run> | null {
  if (kind === 'verify') return null
  const ends = endStatuses.includes(to)
  const began = endStatuses.includes(from)
  const verified = kind === 'plan' ? 0 : Number(to === 'verified') - Number(from === 'verified')
  if (ends === began && verified === 0 && to !== 'failed' && from !== 'failed') return null
  return {
    briefsOpen: run.briefsOpen + (began ? 1 : 0) - (ends ? 1 : 0),
    briefsVerified: run.briefsVerified + verified,
    briefsDone: run.briefsDone + (to === 'done' && kind === 'work' ? 1 : 0),
    briefsFailed: run.briefsFailed + (to === 'failed' ? 1 : 0) - (from === 'failed' ? 1 : 0),
    updatedAt: at,
  }
}

/** Completes a brief that has passed; in a repository its work is merged first, so that its dependents find it. */
export async function passBrief(scope: RunScope, brief: Brief, reason: string): Promise<void> {
  if (waitsForMerge(scope, brief)) return holdForMerge(scope, brief, reason)
  await completeBrief(scope, brief, reason)
}

export async function completeBrief(scope: RunScope, brief: Brief, reason: string): Promise<void> {
  const verified = await moveBrief(scope, brief, 'verified', {
    kind: 'completed',
    code: 'DONE',
    message:
      scope.playbook.logsProgress === true
        ? `${nameOf(scope, brief)} ✓${isResolved(brief) ? ' (retry resolved)' : ''}`
        : `${brief.key} ✓ ${reason}`,
    ...(isResolved(brief) ? { level: 'normal' as const } : {}),
    data: { reason },
    release: isMerge,
    also: await releaseDependents(scope, brief),
  })
  await scope.decide({ kind: 'brief_verified', brief: verified })
}

/** Finished work that completes or is blocked no longer waits for git. */
const isMerge = (hold: Hold): boolean => isSameHold(hold, mergeHold)

/** Reports whether an earlier failure of a task was visible in the log. */
const isResolved = ({ kind, retriesUsed }: Brief): boolean => kind === 'work' && retriesUsed > 0

export async function closeBrief(scope: RunScope, brief: Brief): Promise<void> {
  await moveBrief(scope, brief, 'done', {
    kind: 'session_complete',
    level: 'verbose',
    message: `${brief.key} closed`,
  })
}

/** Blocks a brief that cannot continue by itself; the playbook decides whether a question is asked. */
export async function blockBrief(
  scope: RunScope,
  brief: Brief,
  reason: string,
  cause: QuestionClass,
  hold?: Hold,
  patch: Partial<Brief> = {},
): Promise<void> {
  const blocked = await moveBrief(scope, brief, 'blocked', {
    kind: 'escalated',
    code: 'ESCALATE',
    message: `${nameOf(scope, brief)} is blocked: ${shorten(reason, 500)}`,
    data: { class: cause },
    patch: { interruptions: 0, ...patch },
    hold,
    release: isMerge,
  })
  await scope.decide({ kind: 'brief_blocked', brief: blocked, class: cause, reason })
}

/** Fails a brief. That of a verifier is in no counter of the run, so the work that it was to judge fails with it. */
export async function failBrief(scope: RunScope, brief: Brief, reason: string): Promise<void> {
  const failed = await moveBrief(scope, brief, 'failed', {
    kind: 'failed',
    code: 'FAIL',
    message: `${nameOf(scope, brief)} ✗ ${reason}`,
    patch: { failure: shorten(reason, 2_000) },
    also: await holdDependents(scope, brief),
  })
  if (brief.verifies === null) return scope.decide({ kind: 'brief_failed', brief: failed })
  const judged = await findBrief(scope.tx, brief.verifies)
  if (judged !== undefined && isWaitingFor(judged, brief)) await failUnverified(scope, judged, reason)
}

async function failUnverified(scope: RunScope, judged: Brief, reason: string): Promise<void> {
  const cause = `it could not be verified: ${reason}`
  const blocked = await moveBrief(scope, judged, 'blocked', {
    kind: 'escalated',
    code: 'ESCALATE',
    message: `${nameOf(scope, judged)} is blocked: ${shorten(cause, 500)}`,
    data: { class: 'verification' },
  })
  await failBrief(scope, blocked, cause)
}
