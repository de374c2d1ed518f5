import type { z } from 'zod'

import type { EventKind, EventLevel } from '../events/contract.ts'
import type { Amendment } from '../work/amendments/contract.ts'
import type { Report } from '../work/attempts/contract.ts'
import type { Brief, BriefSpec, Correction, Guidance, Tier } from '../work/briefs/contract.ts'
import type { Evidence } from '../work/evidence/contract.ts'
import type { GateRow, GateSummary } from '../work/gates/contract.ts'
import type { Part, Tally } from '../work/parts/contract.ts'
import type { QuestionClass } from '../work/questions/contract.ts'
import type { PastRun, Run } from '../work/runs/contract.ts'
import type { Judgement, Verdict } from '../work/verdicts/contract.ts'

/**
 * A way of working, as pure functions: no clock, no I/O, no randomness. The engine calls them inside the transaction
 * that records what happened and applies what is decided there too.
 */
export interface Playbook {
  readonly name: Run['playbook']
  decide(view: View, event: PlaybookEvent): readonly Decision[]
  /** What else this decision has to see; asked with what is always there. */
  needs?(view: View, event: PlaybookEvent): Needs
  /** By phase: the shape of what a step's report brings in `output`. Names are those of the document: snake_case. */
  readonly outputs?: Readonly<Record<string, z.ZodType>>
  /** By phase: whom its output may name, as the tier that these are cast in. */
  readonly casts?: Readonly<Record<string, Tier>>
  /** What is wrong with an output of the right shape, in sentences for its author. `needs` sees it as `brief_reported`. */
  faults?(view: View, brief: Brief, output: unknown): readonly string[]
  /** Absent where runs have no tiers and no workstreams. */
  readonly wording?: Wording
}

/**
 * The names that a playbook gives to the divisions of its runs. Services and the engine take them from here, so that
 * neither has to know a tier or a part by name.
 */
export interface Wording {
  /** Tier of the events that concern a run as a whole. */
  readonly topTier: Tier
  /** Tier of the briefs that design, that make something, and that verify it. */
  readonly designTier: Tier
  readonly workTier: Tier
  readonly verifyTier: Tier
  /** Phase of the briefs that verify. */
  readonly verifyPhase: string
  /** Gates that wait for an approval of the whole run; every other gate is an inspection. */
  readonly approvalGates: readonly string[]
  /** Key of the part that stands for a workstream; its branch joins the run's. */
  workstreamPart(workstream: string): string
  /** The workstream that a part stands for, by the part's key; null for parts of other kinds. */
  workstreamOf(part: string): string | null
  /** Name of the document with the joint verdict on the squad with this part key. */
  verdictDocument(squad: string): string
  /** Name under which events list the author of a brief: `t3/<workstream>`, `t2/lead` or `t1`. */
  authorOf(brief: Brief): string
}

/** What a decision may rest on: the run with its counters and what concerns the brief, never the whole run. */
export interface View {
  readonly run: Run
  /** Attempts that are still under way in this run, without the one that has just ended. */
  readonly liveAttempts: number
  /** What the event's brief, gate or timer belongs to, innermost first, and what those belong to. */
  readonly parts: readonly Part[]
  /** How many briefs of the innermost part stand where, by phase. */
  readonly tally: Tally
  readonly found: Found
}

export interface Needs {
  /** By name: the newest version of each, where there is one. */
  readonly documents?: readonly string[]
  /** By key. */
  readonly parts?: readonly string[]
  /** Every part below these. */
  readonly partsBelow?: readonly string[]
  /** How many parts below these stand where. */
  readonly countBelow?: readonly string[]
  /** Every brief of these parts. */
  readonly members?: readonly string[]
  /** The newest verdict on each brief of these parts. */
  readonly verdicts?: readonly string[]
  /** Every brief of these workstreams, whatever part of them it belongs to. */
  readonly workstreams?: readonly string[] | 'all'
  /** Briefs by their key. */
  readonly briefs?: readonly string[]
  /** Briefs by their id. */
  readonly briefIds?: readonly string[]
  /** Every brief that has failed and is not a verifier's. */
  readonly failed?: boolean
  readonly amendments?: boolean
  /** What runs like this one have come to here, for an estimate. */
  readonly history?: boolean
  /** Names of personalities of which to know whether the talent pool has them. */
  readonly personalities?: readonly string[]
}

/** What was asked for, as far as it is there. */
export interface Found {
  readonly documents: Readonly<Record<string, unknown>>
  readonly parts: Readonly<Record<string, Part>>
  readonly partsBelow: Readonly<Record<string, readonly Part[]>>
  readonly countBelow: Readonly<Record<string, Partial<Record<Part['status'], number>>>>
  readonly members: Readonly<Record<string, readonly Brief[]>>
  /** By brief id. */
  readonly verdicts: Readonly<Record<string, Verdict>>
  readonly workstreams?: Readonly<Record<string, readonly Brief[]>>
  /** By key. */
  readonly briefs: Readonly<Record<string, Brief>>
  /** By id. */
  readonly briefIds: Readonly<Record<string, Brief>>
  readonly failed: readonly Brief[]
  readonly amendments: readonly Amendment[]
  readonly history: readonly PastRun[]
  /** Those asked for that the talent pool does not have; somebody else is cast for them. */
  readonly unknownPersonalities?: readonly string[]
}

/** What the engine saw of an attempt's work, for whoever has to judge it. */
export interface Seen {
  readonly report: Report
  readonly findings: readonly { readonly what: string; readonly passed: boolean; readonly detail: string }[]
  readonly outputs: readonly { readonly path: string; readonly sha256: string }[]
}

export type PlaybookEvent =
  | { readonly kind: 'run_started'; readonly briefs: readonly BriefSpec[] }
  /** Its output has the right shape: `faults` is asked next. Nothing is decided yet. */
  | { readonly kind: 'brief_reported'; readonly brief: Brief; readonly output: unknown }
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
  /** A time that was asked for has come; whether it still matters is for the playbook to see. */
  | { readonly kind: 'timer'; readonly name: string; readonly part: string }
  /** The branch of a part is joined with the one above it. */
  | { readonly kind: 'part_merged'; readonly part: string }
  /** It could not be: these files were changed above it too. */
  | { readonly kind: 'part_conflict'; readonly part: string; readonly files: readonly string[] }
  /** Somebody changes the path of a workstream; already recorded. */
  | { readonly kind: 'amended'; readonly amendment: Amendment }
  /** The result was approved and could not be merged: what it goes to has moved on. */
  | { readonly kind: 'merge_failed'; readonly reason: string }
  | { readonly kind: 'run_resumed' }

export type Decision =
  | { readonly kind: 'create_briefs'; readonly briefs: readonly BriefSpec[] }
  /** Briefs of the playbook's own making, in a place of its own. */
  | { readonly kind: 'add_briefs'; readonly briefs: readonly NewBrief[] }
  /** A planner's brief comes first; what it reports becomes the run's briefs with `adopt_plan`. */
  | { readonly kind: 'create_planner'; readonly objective: string }
  | { readonly kind: 'adopt_plan' }
  | { readonly kind: 'replan'; readonly reason: string }
  /** Has it judged by somebody who did not do it. */
  | { readonly kind: 'verify_brief'; readonly brief: Brief; readonly seen: Seen }
  /** The same for several that have been ready for a while. */
  | { readonly kind: 'verify_briefs'; readonly briefs: readonly Brief[]; readonly event: Told }
  | { readonly kind: 'pass_brief'; readonly brief: Brief; readonly reason: string }
  /** After a verdict: again, with what is wrong. Counts as a failed verification, or as a retry. */
  | {
      readonly kind: 'rework_brief'
      readonly brief: Brief
      readonly corrections: readonly Correction[]
      readonly counter?: 'verification' | 'retries'
    }
  /** Again, counted by nothing: it was rejected from above, or what it rests on has changed. */
  | {
      readonly kind: 'send_back'
      readonly brief: Brief
      readonly reason: string
      readonly class: 'rejected' | 'invalidated'
      readonly inputs?: Readonly<Record<string, unknown>>
      readonly corrections?: readonly Correction[]
    }
  /** A blocked or failed brief goes on: whoever stands above it has answered. The counter that stopped it starts anew. */
  | {
      readonly kind: 'resolve_brief'
      readonly brief: Brief
      readonly by: string
      readonly class: QuestionClass
      readonly guidance: Guidance | null
      readonly corrections?: readonly Correction[]
    }
  | { readonly kind: 'block_brief'; readonly brief: Brief; readonly class: QuestionClass; readonly reason: string }
  /** Puts what stopped a brief before whoever can decide. */
  | { readonly kind: 'ask'; readonly brief: Brief; readonly class: QuestionClass; readonly reason: string }
  /** The same for every brief that has failed and was not asked about yet. */
  | { readonly kind: 'ask_about_failures' }
  | { readonly kind: 'close_brief'; readonly brief: Brief }
  | { readonly kind: 'fail_brief'; readonly brief: Brief; readonly reason: string }
  /** Superseded; agents at work on them are ended. */
  | { readonly kind: 'cancel_briefs'; readonly briefs: readonly Brief[]; readonly reason: string }
  /** A proposal is changed by its author. */
  | { readonly kind: 'revise_draft'; readonly brief: Brief; readonly draft: Revised }
  | { readonly kind: 'commit_drafts'; readonly briefs: readonly Brief[]; readonly by: string }
  | { readonly kind: 'reopen_drafts'; readonly briefs: readonly Brief[]; readonly by: string }
  /** One that has not begun: given more besides, or waiting for exactly these from now on. */
  | {
      readonly kind: 'amend_brief'
      readonly brief: Brief
      readonly inputs?: Readonly<Record<string, unknown>>
      readonly after?: readonly string[]
    }
  /** Everybody has committed: they may start. */
  | { readonly kind: 'release_drafts'; readonly briefs: readonly Brief[]; readonly event: Told }
  /** Something worth telling, and what the playbook remembers from now on. */
  | { readonly kind: 'tell'; readonly event: Told; readonly parts?: readonly PartChange[] }
  /** A step's output, or a piece of it, under its own name; a second time adds a version. */
  | { readonly kind: 'write_document'; readonly brief: Brief; readonly name: string; readonly content: unknown }
  | {
      readonly kind: 'open_gate'
      readonly gate: string
      readonly summary: GateSummary
      /** What it is about, where that is not the run as a whole. It halts the run all the same. */
      readonly part?: string
      /** What the live log says of it. */
      readonly message?: string
      /** A tier instead of the operator: it halts nothing by itself. */
      readonly approver?: string
      /** Who waits longest is asked again after this; without one, as the run is configured. */
      readonly timeoutMinutes?: number | null
    }
  /** A gate that a tier decides has been decided by it. */
  | { readonly kind: 'pass_gate'; readonly gate: string; readonly part: string; readonly by: string }
  | { readonly kind: 'start_timer'; readonly name: string; readonly part: string; readonly minutes: number }
  /** Joins the branch of a part with the one above it; without a repository it is merged at once. */
  | { readonly kind: 'merge_part'; readonly part: string }
  /** A question about the run as a whole; nothing starts before it is answered. */
  | { readonly kind: 'pause_and_ask'; readonly text: string; readonly context: string }
  | { readonly kind: 'acknowledge'; readonly amendment: Amendment; readonly by: string }
  /** Brings the result into the repository that it was made from. */
  | { readonly kind: 'land' }
  /** Sends the last briefs of the run back: those that nobody waits for. */
  | { readonly kind: 'rework_result'; readonly reason: string }
  | { readonly kind: 'end_run'; readonly status: 'done' | 'failed' | 'cancelled'; readonly summary: string }

/** A line of the live log. */
export interface Told {
  readonly kind?: EventKind
  /** T1 … T5 */
  readonly tier?: string
  readonly code?: string
  readonly workstream?: string
  readonly brief?: Brief
  readonly level?: EventLevel
  /** Who decided: `t3/<workstream>`, or `engine for t3/<workstream>`; without one, the engine. */
  readonly by?: string
  readonly message: string
  readonly data?: Readonly<Record<string, unknown>>
}

/** Made where it is not there yet. */
export interface PartChange {
  readonly key: string
  readonly parent?: string | null
  readonly status?: Part['status']
  /** All of it, not a difference. */
  readonly data?: Readonly<Record<string, unknown>>
}

export interface NewBrief {
  /** Unique in its run. */
  readonly key: string
  /** plan: a step whose output is data; work: something is made. */
  readonly kind: 'plan' | 'work'
  readonly tier: Tier
  readonly phase: string
  readonly title: string
  readonly objective: string
  readonly context?: string
  readonly workstream?: string | null
  readonly part: string
  readonly ownerId?: string | null
  /** Whom to cast: by name, else by what fits tier and domain. */
  readonly personality?: string | null
  readonly domain?: string | null
  readonly label?: string
  readonly inputs?: Readonly<Record<string, unknown>>
  readonly evidence?: readonly Evidence[]
  readonly files?: readonly string[]
  readonly flow?: 'swarm' | 'pipeline'
  readonly status?: 'draft' | 'pending'
  /** Keys of briefs, made before or together with it, that it waits for. */
  readonly after?: readonly string[]
  readonly retryBudget: number
  readonly replaces?: string | null
  readonly guidance?: readonly Guidance[]
  readonly corrections?: readonly Correction[]
}

export type Revised = Pick<NewBrief, 'title' | 'objective' | 'files' | 'flow' | 'evidence' | 'after' | 'personality'>
