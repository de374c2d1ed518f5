import type { Tx } from '../db/port.ts'
import { refusal } from '../kernel/errors.ts'
import { type Ids, systemPersona } from '../kernel/ids.ts'
import type { Playbook, PlaybookEvent } from '../playbooks/contract.ts'
import type { Run } from './runs/contract.ts'
import { findRun } from './runs/store.ts'

/**
 * A run inside one transaction. `run` is always the current row, so that a decision sees the effects of the last one.
 */
export interface RunScope {
  readonly tx: Tx
  readonly by: string
  readonly ids: Ids
  readonly playbook: Playbook
  /** Asks the playbook and applies its decisions in this transaction. */
  readonly decide: (event: PlaybookEvent) => Promise<void>
  /** Sends a notification after commit, once per object and state. */
  readonly notify: Notify
  /** Schedules a wake-up: for a gate, for work of a run in git, or for a file that shows rows of the store. */
  readonly later: Later
  /**
   * Returns the provider with the quota that a runtime's launches use. A runtime without one, such as `program`, is a
   * provider of its own in each run, so that the word of its agents holds no other run.
   */
  readonly providerOf: (runtime: string, options: Record<string, unknown>) => string
  /** Reports whether the agents of a runtime do whatever their prompt says. */
  readonly takesAnyTask: (runtime: string) => boolean
  /** Ends the agents of attempts that have been ended, after commit. */
  readonly interrupt: (attemptIds: readonly string[]) => void
  /** Chooses a persona among the available ones. */
  readonly cast: CastFor
  /** Reports whether a persona of this name can be cast. */
  readonly isTalent: (name: string) => boolean
  run: Run
}

export interface Cast {
  personaId: number
  /** The file in the talent pool, if the persona comes from there. */
  personality: string | null
  /** Set if the requested name is unknown. */
  warning: string | null
}
export interface WantedCast {
  organisationId: number
  tier: string
  domain: string | null
  wanted: string | null
  not: number | null
}
export type CastFor = (tx: Tx, wanted: WantedCast) => Promise<Cast>

export interface Notice {
  kind:
    | 'gate_pending'
    | 'gate_reminder'
    | 'question_asked'
    | 'question_reminder'
    | 'run_done'
    | 'run_failed'
    | 'run_paused'
    | 'budget_warning'
  title: string
  summary: string
  actions: { label: string; command: string }[]
  /** Null: it is about no run. */
  runId: string | null
  organisationId: number
  /** Object and state identify a notification: it is sent once for each pair. */
  object: string
  state: string
}
export type Notify = (tx: Tx, notice: Notice) => Promise<void>
export type Wake =
  | { kind: 'gate_timeout' | 'gate_reminder'; gateId: string; delayMs: number }
  /** The operator is to be reminded of a question, if it still waits for her. */
  | { kind: 'question_due'; questionId: string; delayMs: number }
  /** A decision takes effect, unless it was taken back. */
  | { kind: 'decision_due'; decisionId: string; delayMs: number }
  /** Something of the run waits for git. */
  | { kind: 'integrate'; runId: string }
  /** The approved result of the run is to land in its repository. */
  | { kind: 'land'; runId: string; repository: string }
  /** The result of the run is to be proven. */
  | { kind: 'prove'; runId: string; delayMs: number }
  /** All evidence of the run is to be checked again, on request. */
  | { kind: 'repeat'; runId: string; delayMs: number }
  /** A timer of a playbook expires after the delay. */
  | { kind: 'playbook_timer'; runId: string; name: string; part: string; delayMs: number }
  /** Work that waits for the checks of a repository may be checked again. */
  | { kind: 'release_checks'; repository: string }
  /** A file that shows rows of the store is to be rendered again. */
  | { kind: 'project'; name: 'pending_gates' }
  /** The clones of an ended run are to be removed. */
  | { kind: 'clean_run'; runId: string; delayMs: number }
  /** The run of a step of a mission has ended, and its output is to be applied. */
  | { kind: 'run_ended'; runId: string }
export type Later = (tx: Tx, wake: Wake) => Promise<void>

/** The dependencies of a scope beside the transaction and the run. */
export interface ScopeParts {
  readonly ids: Ids
  readonly playbooks: ReadonlyMap<string, Playbook>
  /** Applies the decisions of the scope's playbook. */
  readonly decide: (scope: RunScope, event: PlaybookEvent) => Promise<void>
  readonly notify?: Notify
  readonly later?: Later
  /** Returns null for a runtime that no provider answers. */
  readonly providerOf?: (runtime: string, options: Record<string, unknown>) => string | null
  readonly takesAnyTask?: (runtime: string) => boolean
  readonly interrupt?: (attemptIds: readonly string[]) => void
  readonly cast?: (tx: Tx, wanted: WantedCast, run: Run) => Promise<Cast>
  readonly isTalent?: (name: string, run: Run) => boolean
}

export function scopeOf(parts: ScopeParts, tx: Tx, run: Run, by: string): RunScope {
  const playbook = playbookOf(parts, run)
  const {
    ids,
    notify = nobody,
    later = nobody,
    providerOf = none,
    takesAnyTask = () => false,
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
    providerOf: (runtime, options) => providerOf(runtime, options) ?? ownProvider(runtime, run),
    takesAnyTask,
    interrupt,
    run,
    ...casting,
  }
  return scope
}

/** Returns the name under which a runtime without a provider is held for one run. */
export const ownProvider = (runtime: string, { id }: Pick<Run, 'id'>): string => `${runtime}@${id}`

/** Returns the playbook of a run. */
export function playbookOf({ playbooks }: Pick<ScopeParts, 'playbooks'>, run: Pick<Run, 'id' | 'playbook'>): Playbook {
  const playbook = playbooks.get(run.playbook)
  if (playbook !== undefined) return playbook
  throw refusal(
    'unsupported',
    `run ${run.id} follows the playbook "${run.playbook}", which this Agency does not have`,
    {
      hint: `Start a version of Agency that has it, or end the run with "agency cancel ${run.id}".`,
    },
  )
}

/** Returns parts that ask no playbook: that of the run may be the one that throws, or may no longer exist. */
export const withoutPlaybook = <Parts extends ScopeParts>(
  parts: Parts,
  { playbook }: Pick<Run, 'playbook'>,
): Parts => ({
  ...parts,
  playbooks: new Map([[playbook, { name: playbook, decide: () => [] }]]),
  decide: async () => {},
})

/** As `scopeOf`, also for a run whose playbook no longer exists: it can still be ended. */
export const scopeToEnd = (parts: ScopeParts, tx: Tx, run: Run, by: string): RunScope =>
  scopeOf(parts.playbooks.has(run.playbook) ? parts : withoutPlaybook(parts, run), tx, run, by)

export async function openScope(deps: ScopeParts, tx: Tx, runId: string, by = 'engine'): Promise<RunScope | null> {
  const run = await findRun(tx, runId)
  return run === undefined ? null : scopeOf(deps, tx, run, by)
}

const nobody = async (): Promise<void> => {}
const nothing = (): void => {}
const none = (): null => null
const nobodyKnown = (): boolean => false
const nobodyInParticular: CastFor = async (_, { wanted }) => ({
  personaId: systemPersona,
  personality: null,
  warning: wanted === null ? null : `there is no talent pool to find "${wanted}" in`,
})
