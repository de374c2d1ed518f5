import type { Report } from '../work/attempts/contract.ts'
import type { Brief, BriefSpec, Correction } from '../work/briefs/contract.ts'
import type { GateRow, GateSummary } from '../work/gates/contract.ts'
import type { QuestionClass } from '../work/questions/contract.ts'
import type { Run } from '../work/runs/contract.ts'
import type { Judgement } from '../work/verdicts/contract.ts'

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

/** What the engine saw of an attempt's work, for whoever has to judge it. */
export interface Seen {
  readonly report: Report
  readonly findings: readonly { readonly what: string; readonly passed: boolean; readonly detail: string }[]
  readonly outputs: readonly { readonly path: string; readonly sha256: string }[]
}

export type Trigger =
  | { readonly kind: 'run_started'; readonly briefs: readonly BriefSpec[] }
  /** The evidence holds and the notes are settled: is it good enough? */
  | { readonly kind: 'brief_ready'; readonly brief: Brief; readonly seen: Seen }
  /** An independent verifier has looked. */
  | { readonly kind: 'brief_judged'; readonly brief: Brief; readonly judgement: Judgement }
  /** Its verifier failed for good: nobody has judged it. */
  | { readonly kind: 'brief_unjudged'; readonly brief: Brief; readonly reason: string }
  | { readonly kind: 'brief_verified'; readonly brief: Brief }
  /** A limit was reached, or the agent asks: nobody below can go on. */
  | { readonly kind: 'brief_blocked'; readonly brief: Brief; readonly class: QuestionClass; readonly reason: string }
  | { readonly kind: 'brief_failed'; readonly brief: Brief }
  | { readonly kind: 'brief_cancelled'; readonly brief: Brief }
  /** The last attempt under way has ended after some brief failed. */
  | { readonly kind: 'siblings_ended' }
  | { readonly kind: 'gate_approved'; readonly gate: GateRow }
  | { readonly kind: 'gate_rejected'; readonly gate: GateRow; readonly reason: string }
  /** The result was approved and could not be merged: what it goes to has moved on. */
  | { readonly kind: 'merge_failed'; readonly reason: string }
  | { readonly kind: 'run_resumed' }

export type Decision =
  | { readonly kind: 'create_briefs'; readonly briefs: readonly BriefSpec[] }
  /** A planner's brief comes first; what it reports becomes the run's briefs with `adopt_plan`. */
  | { readonly kind: 'create_planner'; readonly objective: string }
  | { readonly kind: 'adopt_plan' }
  | { readonly kind: 'replan'; readonly reason: string }
  /** Has it judged by somebody who did not do it. */
  | { readonly kind: 'verify_brief'; readonly brief: Brief; readonly seen: Seen }
  | { readonly kind: 'pass_brief'; readonly brief: Brief; readonly reason: string }
  /** After a verdict: again, with what is wrong. Counts as a failed verification. */
  | { readonly kind: 'rework_brief'; readonly brief: Brief; readonly corrections: readonly Correction[] }
  | { readonly kind: 'block_brief'; readonly brief: Brief; readonly class: QuestionClass; readonly reason: string }
  /** Puts what stopped a brief before whoever can decide. */
  | { readonly kind: 'ask'; readonly brief: Brief; readonly class: QuestionClass; readonly reason: string }
  /** The same for every brief that has failed and was not asked about yet. */
  | { readonly kind: 'ask_about_failures' }
  | { readonly kind: 'close_brief'; readonly brief: Brief }
  | { readonly kind: 'fail_brief'; readonly brief: Brief; readonly reason: string }
  | { readonly kind: 'open_gate'; readonly gate: 'plan' | 'acceptance' | 'merge'; readonly summary: GateSummary }
  /** Brings the result into the repository that it was made from. */
  | { readonly kind: 'land' }
  /** Sends the last briefs of the run back: those that nobody waits for. */
  | { readonly kind: 'rework_result'; readonly reason: string }
  | { readonly kind: 'end_run'; readonly status: 'done' | 'failed' | 'cancelled'; readonly summary: string }
