import type { Brief, BriefSpec } from '../work/briefs/contract.ts'
import type { Run } from '../work/runs/contract.ts'

/**
 * A way of working, as a pure function: no clock, no I/O, no randomness. The engine calls it inside the transaction
 * that records what happened and applies what it decides there too.
 */
export interface Playbook {
  readonly name: Run['playbook']
  decide(view: View, trigger: Trigger): readonly Decision[]
}

/** What a decision may rest on: the run with its counters and the brief concerned, never the whole run's briefs. */
export interface View {
  readonly run: Run
  /** Attempts that are still under way in this run, without the one that has just ended. */
  readonly liveAttempts: number
}

export type Trigger =
  | { readonly kind: 'run_started'; readonly briefs: readonly BriefSpec[] }
  /** The evidence holds and the work is complete: is it good enough? */
  | { readonly kind: 'brief_ready'; readonly brief: Brief }
  | { readonly kind: 'brief_verified'; readonly brief: Brief }
  /** A limit was reached: nobody below can go on. */
  | { readonly kind: 'brief_blocked'; readonly brief: Brief; readonly reason: string }
  | { readonly kind: 'brief_failed'; readonly brief: Brief }
  | { readonly kind: 'brief_cancelled'; readonly brief: Brief }
  /** The last attempt under way has ended after some brief failed. */
  | { readonly kind: 'siblings_ended' }

export type Decision =
  | { readonly kind: 'create_briefs'; readonly briefs: readonly BriefSpec[] }
  | { readonly kind: 'pass_brief'; readonly brief: Brief; readonly reason: string }
  | { readonly kind: 'close_brief'; readonly brief: Brief }
  | { readonly kind: 'fail_brief'; readonly brief: Brief; readonly reason: string }
  | { readonly kind: 'end_run'; readonly status: 'done' | 'failed' | 'cancelled'; readonly summary: string }
