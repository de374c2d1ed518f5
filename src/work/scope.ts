import type { Tx } from '../db/port.ts'
import type { NewEvent } from '../events/append.ts'
import { type Change, record, updated } from '../events/change.ts'
import { bug } from '../kernel/errors.ts'
import { type Ids, systemPersona } from '../kernel/ids.ts'
import type { Playbook, PlaybookEvent } from '../playbooks/contract.ts'
import type { Brief, Tier } from './briefs/contract.ts'
import { type BriefStatus, checkMove, endStatuses } from './briefs/states.ts'
import { briefs } from './briefs/store.ts'
import { moveMission } from './missions/moves.ts'
import type { MissionStatus } from './missions/states.ts'
import { findMission } from './missions/store.ts'
import type { Run, RunStatus } from './runs/contract.ts'
import { findRun, runs } from './runs/store.ts'

/** A run inside one transaction. `run` is always the row as it is now, so that a decision sees what the last one did. */
export interface RunScope {
  readonly tx: Tx
  readonly by: string
  readonly ids: Ids
  readonly playbook: Playbook
  /** Asks the playbook and applies its decisions in this transaction. */
  readonly decide: (event: PlaybookEvent) => Promise<void>
  /** Tells somebody, once per object and state, after commit. */
  readonly notify: Notify
  /** Looks at a gate again at that time, or does in git what a run waits for. */
  readonly later: Later
  /** Called after a commit that opened or decided a gate. */
  readonly gatesChanged: () => void
  /** Whose quota a runtime's launches use. */
  readonly providerOf: (runtime: string, options: Record<string, unknown>) => string
  /** Ends the agents of attempts that have been ended, after commit. */
  readonly interrupt: (attemptIds: readonly string[]) => void
  /** Who is to do something, of those that are there. */
  readonly cast: CastFor
  /** Whether somebody can be cast by this name. */
  readonly isTalent: (name: string) => boolean
  run: Run
}

export interface Cast {
  personaId: number
  /** The file of the talent pool, where it is from there. */
  personality: string | null
  /** Somebody was asked for by a name that nobody bears. */
  warning: string | null
}
export interface WantedCast {
  organisationId: number
  tier: Tier
  domain: string | null
  wanted: string | null
  not: number | null
}
export type CastFor = (tx: Tx, wanted: WantedCast) => Promise<Cast>

export interface Notice {
  kind:
    'gate_pending' | 'gate_reminder' | 'question_asked' | 'run_done' | 'run_failed' | 'run_paused' | 'budget_warning'
  title: string
  summary: string
  actions: { label: string; command: string }[]
  runId: string
  organisationId: number
  /** Never told twice about the same object in the same state. */
  object: string
  state: string
}
export type Notify = (tx: Tx, notice: Notice) => Promise<void>
export type Wake =
  | { kind: 'gate_timeout' | 'gate_reminder'; gateId: string; delayMs: number }
  /** Something of the run waits for git. */
  | { kind: 'integrate'; runId: string }
  /** A time that a playbook has asked for. */
  | { kind: 'playbook_timer'; runId: string; name: string; part: string; delayMs: number }
  /** What an ended run leaves on the disk is in the way. */
  | { kind: 'clean_run'; runId: string; delayMs: number }
export type Later = (tx: Tx, wake: Wake) => Promise<void>

/** What a scope is made of, beside the transaction and the run. */
export interface ScopeParts {
  readonly ids: Ids
  readonly playbooks: ReadonlyMap<string, Playbook>
  /** Applies the decisions of the scope's playbook. */
  readonly decide: (scope: RunScope, event: PlaybookEvent) => Promise<void>
  readonly notify?: Notify
  readonly later?: Later
  readonly gatesChanged?: () => void
  readonly providerOf?: (runtime: string, options: Record<string, unknown>) => string
  readonly interrupt?: (attemptIds: readonly string[]) => void
  readonly cast?: (tx: Tx, wanted: WantedCast, run: Run) => Promise<Cast>
  readonly isTalent?: (name: string, run: Run) => boolean
}

export function scopeOf(parts: ScopeParts, tx: Tx, run: Run, by: string): RunScope {
  const playbook = parts.playbooks.get(run.playbook)
  if (playbook === undefined) throw bug(`a run follows the playbook "${run.playbook}", which is not there`)
  const {
    ids,
    notify = nobody,
    later = nobody,
    gatesChanged = nothing,
    providerOf = itself,
    interrupt = nothing,
    cast = nobodyInParticular,
    isTalent = nobodyKnown,
  } = parts
  const casting: Pick<RunScope, 'cast' | 'isTalent'> = {
    cast: (inner, wanted) => cast(inner, wanted, run),
    isTalent: (name) => isTalent(name, run),
  }
  const scope: RunScope = {
    tx,
    by,
    ids,
    playbook,
    decide: (event) => parts.decide(scope, event),
    notify,
    later,
    gatesChanged,
    providerOf,
    interrupt,
    run,
    ...casting,
  }
  return scope
}

export async function openScope(deps: ScopeParts, tx: Tx, runId: string, by = 'engine'): Promise<RunScope | null> {
  const run = await findRun(tx, runId)
  return run === undefined ? null : scopeOf(deps, tx, run, by)
}

const nobody = async (): Promise<void> => {}
const nothing = (): void => {}
const itself = (name: string): string => name
const nobodyKnown = (): boolean => false
const nobodyInParticular: CastFor = async (_, { wanted }) => ({
  personaId: systemPersona,
  personality: null,
  warning: wanted === null ? null : `there is no talent pool to find "${wanted}" in`,
})

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
      ...placeOf(brief),
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

/** What concerns a run of tiers as a whole belongs to the first of them. */
const topOf = ({ playbook }: Run) => (playbook === 'tiered' ? { tier: 'T1' } : {})

/** Where an event of this brief belongs in a run of tiers. */
export const placeOf = ({ tier, workstream }: Pick<Brief, 'tier' | 'workstream'>) => ({
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

const runMoves: Record<RunStatus, readonly RunStatus[]> = {
  planning: ['running', 'gated', 'failed', 'cancelled'],
  running: ['gated', 'paused', 'accepting', 'failed', 'cancelled'],
  gated: ['running', 'paused', 'failed', 'cancelled'],
  paused: ['running', 'gated', 'failed', 'cancelled'],
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
      ...topOf(run),
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
 * The mission goes where its run goes, one listed step at a time. The organisation's stream is taken only here: few
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
  // A step of a mission brings it under way, and never to its end.
  if (scope.run.configuration.execution !== undefined && mission.status !== 'planning') return
  for (const to of steps) {
    const last = to === steps.at(-1)
    const patch = last && summary !== undefined ? { outcomeSummary: summary } : {}
    mission = await moveMission(scope.tx, mission, to, scope.by, { patch })
  }
}

/** Changes the run without moving it: counters, what it waits for. */
export async function touchRun(
  scope: RunScope,
  patch: Partial<Run>,
  event: Pick<NewEvent, 'kind' | 'message'> & Partial<NewEvent>,
  also: readonly Change[] = [],
): Promise<void> {
  const { run, tx } = scope
  const whole = { ...patch, updatedAt: tx.at }
  await record(tx, { by: scope.by, runId: run.id, level: 'verbose', ...topOf(run), ...event }, [
    updated(runs, run, whole),
    ...also,
  ])
  scope.run = { ...run, ...whole }
}
