import type { NewEvent } from '../../events/append.ts'
import { type Change, record, updated } from '../../events/change.ts'
import { bug } from '../../kernel/errors.ts'
import { moveMission } from '../missions/moves.ts'
import type { MissionStatus } from '../missions/states.ts'
import { findMission } from '../missions/store.ts'
import type { RunScope } from '../scope.ts'
import type { Run, RunStatus } from './contract.ts'
import { runs } from './store.ts'

const runMoves: Record<RunStatus, readonly RunStatus[]> = {
  planning: ['running', 'gated', 'failed', 'cancelled'],
  running: ['gated', 'paused', 'accepting', 'failed', 'cancelled'],
  gated: ['running', 'paused', 'failed', 'cancelled'],
  // To accepting if the operator opened the gate of an unproven result during the pause.
  paused: ['running', 'gated', 'accepting', 'failed', 'cancelled'],
  accepting: ['running', 'done', 'failed', 'cancelled'],
  done: [],
  failed: [],
  cancelled: [],
}

export async function moveRun(
  scope: RunScope,
  to: RunStatus,
  event: {
    kind?: NewEvent['kind']
    tier?: string
    message: string
    code?: string
    level?: NewEvent['level']
    summary?: string
    data?: Record<string, unknown>
    /** Columns beside the status. */
    patch?: Partial<Run>
    also?: readonly Change[]
  },
): Promise<void> {
  const { run, tx } = scope
  if (!runMoves[run.status].includes(to)) throw bug(`a run cannot go from ${run.status} to ${to}`)
  const ended = runMoves[to].length === 0
  const patch: Partial<Run> = {
    ...event.patch,
    status: to,
    updatedAt: tx.at,
    ...(ended ? { endedAt: tx.at } : {}),
    ...(event.summary === undefined ? {} : { summary: event.summary }),
  }
  await record(
    tx,
    {
      kind: event.kind ?? 'run_status',
      by: scope.by,
      runId: run.id,
      level: event.level ?? 'normal',
      ...scope.playbook.runTags,
      ...(event.tier === undefined ? {} : { tier: event.tier }),
      ...(event.code === undefined ? {} : { code: event.code }),
      message: event.message,
      data: { from: run.status, to, ...event.data },
    },
    [updated(runs, run, patch), ...(event.also ?? [])],
  )
  scope.run = { ...run, ...patch }
}

/**
 * Moves the mission with its run, one listed step at a time. The organisation's stream is locked only here: few
 * attempts end their run, and all runs of an organisation would queue for it. A lock taken late can meet one taken early;
 * PostgreSQL then repeats one of the two.
 */
export async function moveRunsMission(
  scope: RunScope,
  steps: readonly MissionStatus[],
  summary?: string,
): Promise<void> {
  await scope.tx.lock(`org:${scope.run.organisationId}`)
  let mission = await findMission(scope.tx, scope.run.missionId)
  if (mission === undefined) throw bug(`run ${scope.run.id} has no mission`)
  // A single step starts its mission and never ends it.
  if (scope.run.configuration.purpose !== undefined && mission.status !== 'planning') return
  for (const to of steps) {
    const last = to === steps.at(-1)
    const patch = last && summary !== undefined ? { outcomeSummary: summary } : {}
    mission = await moveMission(scope.tx, mission, to, scope.by, { patch })
  }
}

/** Changes the run without moving it: its counters, or its hold. */
export async function touchRun(
  scope: RunScope,
  patch: Partial<Run>,
  event: Pick<NewEvent, 'kind' | 'message'> & Partial<NewEvent>,
  also: readonly Change[] = [],
): Promise<void> {
  const { run, tx } = scope
  const whole = { ...patch, updatedAt: tx.at }
  await record(tx, { by: scope.by, runId: run.id, level: 'verbose', ...scope.playbook.runTags, ...event }, [
    updated(runs, run, whole),
    ...also,
  ])
  scope.run = { ...run, ...whole }
}
