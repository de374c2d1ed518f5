import type { TierName } from '../../team/contract.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import type { Decision, NewBrief, LogLine, View } from '../contract.ts'
import type { BriefData, StepPhase } from './contract.ts'
import { budgetOf } from './base-state.ts'

export interface Step {
  readonly key: string
  readonly phase: StepPhase
  readonly tier: TierName
  readonly title: string
  readonly objective: string
  readonly part: string
  readonly label: string
  readonly inputs: Readonly<Record<string, unknown>>
  readonly workstream?: string | null
  /** The brief whose author is responsible for it. */
  readonly ownerId?: string | null
  readonly personality?: string | null
  readonly domain?: string | null
  readonly replaces?: string | null
  /** Keys of the briefs that it waits for. */
  readonly after?: readonly string[]
  /** The id of the question that it takes. */
  readonly takes?: string
  /** Keys of the work that it judges: its files are handed over. */
  readonly receives?: readonly string[]
}

/** Maximum number of briefs whose files are handed to a step. */
export const mostReceived = 50

/** A brief whose result is data. */
const stepBrief = (view: View, step: Step): NewBrief => ({
  key: step.key,
  kind: 'plan',
  phase: step.phase,
  title: step.title,
  objective: step.objective,
  part: step.part,
  ownerId: step.ownerId ?? null,
  inputs: step.inputs,
  retryBudget: budgetOf(view),
  // It decides about the failure.
  startsAfterFailure: step.phase === 'resolve',
  ...(step.after === undefined ? {} : { after: step.after }),
  ...(step.takes === undefined ? {} : { takes: step.takes }),
  ...(step.receives === undefined ? {} : { receives: step.receives }),
  ...placeOf(view, step),
})

export interface Place extends Pick<Step, 'tier' | 'label' | 'workstream' | 'personality' | 'domain' | 'replaces'> {
  /** Undefined for a step. */
  readonly task?: Pick<BriefData, 'files' | 'flow'>
}

/** Returns the tier of a brief with its runtime, its cast and its data. */
export function placeOf(
  { run }: View,
  { tier, label, workstream = null, personality = null, domain = null, replaces = null, task }: Place,
): Pick<NewBrief, 'capKey' | 'groupKey' | 'cast' | 'runtime' | 'data'> {
  const own = run.configuration.team?.tiers[tier]
  const data: Omit<BriefData, 'personality'> = {
    tier,
    workstream,
    label,
    files: task?.files ?? [],
    flow: task?.flow ?? null,
    replaces,
    opaque: task !== undefined && own?.opaque === true,
  }
  return {
    capKey: tier,
    groupKey: workstream,
    cast: { tier, domain, wanted: personality, ...(task === undefined ? {} : { verifierTier: 't5' }) },
    ...(own === undefined ? {} : { runtime: own }),
    data,
  }
}

export const addStep = (view: View, ...steps: readonly Step[]): Decision => ({
  kind: 'add_briefs',
  briefs: steps.map((step) => stepBrief(view, step)),
})

/** Adds a step, or repeats it with new inputs where it exists already. */
export function addOrRepeat(view: View, step: Step, reason: string): Decision {
  const known = view.found.briefs[step.key]
  return known === undefined ? addStep(view, step) : repeatStep(known, step, reason)
}

/** Repeats a step with what it would begin with now: other briefs may have come since. */
export const repeatStep = (brief: Brief, { inputs, receives }: Step, reason: string): Decision => ({
  kind: 'send_back',
  brief,
  class: 'invalidated',
  reason,
  inputs,
  ...(receives === undefined ? {} : { receives }),
})

export const line = (
  tier: string,
  code: string,
  message: string,
  more: Omit<LogLine, 'tier' | 'code' | 'message'> = {},
): LogLine => ({ tier, code, message, ...more })

export const log = (event: LogLine, parts?: Extract<Decision, { kind: 'log' }>['parts']): Decision => ({
  kind: 'log',
  event,
  ...(parts === undefined ? {} : { parts }),
})

/** Passes a step: its output has the right shape and no fault. The owner of the step reads it next. */
export const passStep = (brief: Brief, reason = ''): Decision => ({ kind: 'pass_brief', brief, reason })
