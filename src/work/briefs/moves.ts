import type { NewEvent } from '../../events/append.ts'
import { type Change, record, updated } from '../../events/change.ts'
import type { Run } from '../runs/contract.ts'
import { runs } from '../runs/store.ts'
import type { RunScope } from '../scope.ts'
import type { Brief } from './contract.ts'
import { type BriefStatus, checkMove, endStatuses } from './states.ts'
import { briefs } from './store.ts'

/** What the live log calls it. */
export const nameOf = ({ label, key }: Pick<Brief, 'label' | 'key'>): string => label ?? key

export interface BriefMove {
  kind: NewEvent['kind']
  message: string
  code?: string
  level?: NewEvent['level']
  attemptId?: string | null
  data?: Record<string, unknown>
  /** Columns beside the status. */
  patch?: Partial<Brief>
  /** Other rows of the run that change in the same breath. */
  also?: readonly Change[]
}

/** The only way a brief changes its status: listed in the table of moves, with its event, the run's counters kept. */
export async function moveBrief(scope: RunScope, brief: Brief, to: BriefStatus, move: BriefMove): Promise<Brief> {
  checkMove(brief.status, to, move.kind)
  const patch: Partial<Brief> = { ...move.patch, status: to, updatedAt: scope.tx.at }
  const changes: Change[] = [updated(briefs, brief, patch), ...(move.also ?? [])]
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
      ...eventTags(brief),
      level: move.level ?? (brief.tier === null || isNews(move.code) ? 'normal' : 'verbose'),
      ...(move.code === undefined ? {} : { code: move.code }),
      message: move.message,
      data: { from: brief.status, to, ...move.data },
    },
    changes,
  )
  if (counters !== null) scope.run = { ...scope.run, ...counters }
  return { ...brief, ...patch }
}

/** Where an event of this brief belongs in a run of tiers. */
export const eventTags = ({ tier, workstream }: Pick<Brief, 'tier' | 'workstream'>) => ({
  ...(tier === null ? {} : { tier: tier.toUpperCase() }),
  ...(workstream === null ? {} : { workstream }),
})

/** In a run of tiers, whose playbook says what goes on, single briefs are told of only where something is wrong. */
const isNews = (code: string | undefined): boolean => code !== undefined && code !== 'START' && code !== 'DONE'

/** A verifier's brief is part of the one it judges: it is in no counter. A plan is no work, but it can be open or fail. */
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
