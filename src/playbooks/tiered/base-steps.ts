import type { Brief, Tier } from '../../work/briefs/contract.ts'
import type { Decision, NewBrief, Told, View } from '../contract.ts'
import type { StepPhase } from './contract.ts'
import { budgetOf } from './base-state.ts'

export interface Step {
  readonly key: string
  readonly phase: StepPhase
  readonly tier: Tier
  readonly title: string
  readonly objective: string
  readonly part: string
  readonly label: string
  readonly inputs: Readonly<Record<string, unknown>>
  readonly workstream?: string | null
  /** The brief whose author answers for it. */
  readonly ownerId?: string | null
  readonly personality?: string | null
  readonly domain?: string | null
  readonly replaces?: string | null
  /** Keys of the briefs that it waits for. */
  readonly after?: readonly string[]
}

/** A brief whose result is data. */
const stepBrief = (view: View, step: Step): NewBrief => ({ kind: 'plan', ...step, retryBudget: budgetOf(view) })

export const addStep = (view: View, ...steps: readonly Step[]): Decision => ({
  kind: 'add_briefs',
  briefs: steps.map((step) => stepBrief(view, step)),
})

/** The first time a step of its own, then the same one again with what it is given now. */
export function addOrRepeat(view: View, step: Step, reason: string): Decision {
  const known = view.found.briefs[step.key]
  return known === undefined
    ? addStep(view, step)
    : { kind: 'send_back', brief: known, class: 'invalidated', reason, inputs: step.inputs }
}

export const say = (
  tier: string,
  code: string,
  message: string,
  more: Omit<Told, 'tier' | 'code' | 'message'> = {},
): Told => ({ tier, code, message, ...more })

export const tell = (event: Told, parts?: Extract<Decision, { kind: 'tell' }>['parts']): Decision => ({
  kind: 'tell',
  event,
  ...(parts === undefined ? {} : { parts }),
})

/** A step is good when its output has the right shape and no fault; whoever owns it reads it next. */
export const passed = (brief: Brief, reason = ''): Decision => ({ kind: 'pass_brief', brief, reason })
