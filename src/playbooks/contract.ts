import type { z } from 'zod'

import type { EventKind, EventLevel } from '../events/contract.ts'
import type { ResolvedTeam, ResolvedTier } from '../team/contract.ts'
import type { AmendPath, PathAmendment } from '../work/amendments/contract.ts'
import type { Report } from '../work/attempts/contract.ts'
import type { Brief, BriefSpec, Correction, Guidance } from '../work/briefs/contract.ts'
import type { Evidence } from '../work/evidence/contract.ts'
import type { GateRow, GateSummary } from '../work/gates/contract.ts'
import type { Part, Tally } from '../work/parts/contract.ts'
import type { Note, NoteCategory } from '../work/notes/contract.ts'
import type { Question, QuestionClass, Rung } from '../work/questions/contract.ts'
import type { CreateRun, PastRun, Run } from '../work/runs/contract.ts'
import type { Judgement, Verdict } from '../work/verdicts/contract.ts'

/**
 * A way of working, as pure functions: no clock, no I/O, no randomness. The engine calls them inside the transaction
 * that records an event, and applies their decisions in the same transaction.
 */
export interface Playbook {
  readonly name: string
  decide(view: View, event: PlaybookEvent): readonly Decision[]
  /** Returns the rows that a decision needs besides those that every view has. Called with such a view. */
  needs?(view: View, event: PlaybookEvent): Needs
  /** Reports whether `needs` or `decide` reads the tally for this event; by default they do. */
  counts?(event: PlaybookEvent): boolean
  /** By phase: the shape of `output` in a step's report. Names are those of the document: snake_case. */
  readonly outputs?: Readonly<Record<string, z.ZodType>>
  /** By phase: the tier in which the personas that an output names are cast. */
  readonly casts?: Readonly<Record<string, string>>
  /** Returns the faults of an output of the right shape, in sentences for its author. `needs` sees it as `brief_reported`. */
  faults?(view: View, brief: Brief, output: unknown): readonly string[]
  /** Refuses settings of a new run that it ignores: the operator must not believe that they apply. */
  checkInput?(input: CreateRun): void
  /** Present where a team file says who works in its runs: returns the runtime of the work. */
  workRuntime?(team: ResolvedTeam): Pick<ResolvedTier, 'runtime' | 'runtimeOptions'>
  /** Returns the runtime of the seats of the organisation that are asked in its runs; by default it is that of the run. */
  seatRuntime?(team: ResolvedTeam): Pick<ResolvedTier, 'runtime' | 'runtimeOptions'>
  /** Returns the status that a brief must reach before its dependents may start: `verified` by default. */
  requires?(run: Run): 'completed' | 'verified'
  /** Gates that wait for an approval of the whole run, beside those of the result; every other gate is an inspection. */
  readonly approvalGates?: readonly string[]
  /** It logs the progress of its runs itself: events of single briefs are shown only for problems. */
  readonly logsProgress?: boolean
  /** Tags of the events that concern a run as a whole. */
  readonly runTags?: EventTags
  /** By default a brief has the name of its key and no tags. */
  describe?(brief: Brief): Description
  /** The shape of `data` in its briefs: fields that the engine keeps and does not read. By default there are none. */
  readonly briefData?: z.ZodType<Brief['data']>
  /** The cap keys of its briefs, in the order in which people read them. */
  readonly capKeys?: readonly string[]
  /** Returns the maximum numbers of agents at work in a run; null: no maximum. */
  caps?(run: Run): Caps | null
  /** Returns the place of the brief that verifies another one, beside its part and its owner. */
  verifier?(run: Run, judged: Brief): VerifierPlace
  /**
   * Returns the place of a brief that continues another one, repairs the result like it, or asks a seat of the
   * organisation about it. By default the first two have its own place, and the last has none.
   */
  derive?(brief: Brief, as: 'remainder' | 'repair' | 'resolve'): Pick<Brief, 'data' | 'groupKey'>
  /** Present where parts of a run have branches of their own, which join the run's. */
  readonly branches?: BranchParts
  /** Present where an agent accepts the result of its runs: its document, and the words in which it accepts; null: it does not. */
  readonly conclusion?: { readonly document: string; textOf(document: unknown): string | null }
  /** Its runs follow a plan of the operator or of a planner, whose briefs can be changed until they start. */
  readonly hasPlan?: boolean
  /** Present where the path of a part can be changed during a run. */
  readonly paths?: Paths
  /**
   * Reports whether it decides what an answer to this question means. By default the brief continues, or is given up. It
   * is not asked about answers with a fixed effect: about budgets, permissions, checks, merges, pauses and faults.
   */
  decidesAnswer?(question: Question): boolean
  /**
   * By category: the role that settles a note of it. Present where escalated notes are handed to the playbook together;
   * by default each becomes a question.
   */
  readonly noteRoutes?: Readonly<Partial<Record<NoteCategory, string>>>
  /** Returns its own rungs above a brief, the lowest first; the lead and the operator follow. By default it has none. */
  ladder?(brief: Brief, cause: QuestionClass): readonly Rung[]
  /** Phases whose briefs may ask similar questions as often as they like, such as an interview. */
  readonly interviews?: readonly string[]
}

/** A question in the words of a playbook; what is left out has the default of its class. */
export type Wording = Partial<
  Pick<Question, 'key' | 'text' | 'context' | 'kind' | 'options' | 'recommendation' | 'risk'>
>

/** The names of a brief in the live log. */
export interface Description {
  readonly name: string
  /** Name under which events list the author of the brief; undefined: its agent. */
  readonly author?: string
  readonly tags: EventTags
  /** The files that its agent may change, if they were agreed. */
  readonly files?: readonly string[]
  /** The id of the brief that it replaces. */
  readonly replaces?: string | null
}

export interface EventTags {
  readonly tier?: string
  readonly workstream?: string
}

export type VerifierPlace = Partial<
  Pick<Brief, 'phase' | 'capKey' | 'groupKey' | 'data' | 'runtime' | 'runtimeOptions'>
>

export interface Caps {
  /** For the whole run. */
  readonly all: number
  /** By cap key; null: no maximum of its own. */
  readonly byKey: Readonly<Record<string, number | null>>
}

/** The parts of a run that have a branch of their own. */
export interface BranchParts {
  /** Returns the key of the part whose branch a brief works on; null: the run's. */
  partOf(brief: Brief): string | null
  /** Returns the name of a part in branches and texts, by its key; null: the part has no branch. */
  nameOf(part: string): string | null
  /** Returns the name of a brief in its branch. */
  taskOf(brief: Brief): string
  /** Reports whether the author of a brief is responsible for the merges of a domain. */
  ownsDomain(brief: Brief): boolean
  /** Heading of these parts in the text of a pull request. */
  readonly heading: string
  /** Returns the document with the verdict on a part below them, by its key. */
  verdictDocument(part: string): string
  /** Describes such a document in a line. */
  verdictText(part: string, document: unknown): string
}

/** The paths of the parts that `branches` names. */
export interface Paths {
  /** Returns the key of the part with this name. */
  partOf(name: string): string
  /** Returns the changed path, or throws a refusal. `begun` are the cap keys of the part's briefs that have started. */
  amend(path: readonly string[], begun: readonly string[], change: AmendPath): string[]
  /** Reports whether the author of a brief may change this path itself, if the change adds scrutiny. */
  owns(brief: Brief, name: string): boolean
  /** Returns the tags of an amendment's event, by its author. */
  tagsOf(author: string): EventTags
}

/** The rows that a decision may use: the run with its counters and those around the brief, never the whole run. */
export interface View {
  readonly run: Run
  /** Number of attempts under way in this run, without the one that has just ended and those that wait for an answer. */
  readonly liveAttempts: number
  /** The part of the event's brief, gate or timer, then that part's parents: innermost first. */
  readonly parts: readonly Part[]
  /** Number of briefs of the innermost part, by phase and status; null: `counts` did not ask for it. */
  readonly tally: Tally | null
  readonly found: NeededRows
}

export interface Needs {
  /** Names of documents: the newest version of each, where one exists. */
  readonly documents?: readonly string[]
  /** Keys of parts. */
  readonly parts?: readonly string[]
  /** Every part below these. */
  readonly partsBelow?: readonly string[]
  /** Number of parts below these, by status. */
  readonly countBelow?: readonly string[]
  /** Every brief of these parts. */
  readonly members?: readonly string[]
  /** Every brief of these parts but those of verifiers; they are in `found.members` too. */
  readonly nonVerifiers?: readonly string[]
  /** The newest verdict on each brief of these parts. */
  readonly verdicts?: readonly string[]
  /** Every brief with these group keys, in whichever part it is. */
  readonly groups?: readonly string[] | 'all'
  /** Briefs by their key. */
  readonly briefs?: readonly string[]
  /** Briefs by their id. */
  readonly briefIds?: readonly string[]
  /** Every failed brief, without those of verifiers. */
  readonly failed?: boolean
  /** The result of the run: verified work without dependents. */
  readonly last?: boolean
  /** At most so many keys of finished work that was not cancelled, the oldest first. */
  readonly work?: number
  /** The newest planner with the plan that it reported. */
  readonly plan?: boolean
  readonly amendments?: boolean
  /** Durations and costs of earlier runs of the same kind in this store, for an estimate. */
  readonly history?: boolean
  /** Whether only a person may accept the work of the run so far. */
  readonly person?: boolean
  /** Names of personalities to look up in the talent pool. */
  readonly personalities?: readonly string[]
}

/** The rows that `Needs` asked for, as far as they exist. */
export interface NeededRows {
  readonly documents: Readonly<Record<string, unknown>>
  readonly parts: Readonly<Record<string, Part>>
  readonly partsBelow: Readonly<Record<string, readonly Part[]>>
  readonly countBelow: Readonly<Record<string, Partial<Record<Part['status'], number>>>>
  readonly members: Readonly<Record<string, readonly Brief[]>>
  /** By brief id. */
  readonly verdicts: Readonly<Record<string, Verdict>>
  readonly groups?: Readonly<Record<string, readonly Brief[]>>
  /** By key. */
  readonly briefs: Readonly<Record<string, Brief>>
  /** By id. */
  readonly briefIds: Readonly<Record<string, Brief>>
  readonly failed: readonly Brief[]
  readonly last: readonly Brief[]
  /** Keys of finished work. */
  readonly work?: readonly string[]
  readonly plan?: { readonly planner: Brief; readonly briefs: readonly BriefSpec[] }
  readonly amendments: readonly PathAmendment[]
  readonly history: readonly PastRun[]
  /** True if agents or checks had no box, or an odd change was shown to no verifier. */
  readonly needsPerson?: boolean
  /** Requested names that the talent pool does not have; another personality is cast for them. */
  readonly unknownPersonalities?: readonly string[]
}

/** The results of an attempt as the engine checked them, for its verifier. */
export interface Seen {
  readonly report: Report
  readonly findings: readonly {
    readonly what: string
    readonly passed: boolean
    readonly detail: string
    /** The beginning and the end of the output of a command. */
    readonly output?: string
  }[]
  readonly outputs: readonly { readonly path: string; readonly sha256: string }[]
}

export type PlaybookEvent =
  | { readonly kind: 'run_started'; readonly briefs: readonly BriefSpec[] }
  /** The output has the right shape; `faults` is called next. Nothing is decided yet. */
  | { readonly kind: 'brief_reported'; readonly brief: Brief; readonly output: unknown }
  /** The evidence holds and the notes are settled; the playbook decides whether that is enough. */
  | { readonly kind: 'brief_ready'; readonly brief: Brief; readonly seen: Seen }
  /** An independent verifier has given its verdict. */
  | { readonly kind: 'brief_judged'; readonly brief: Brief; readonly judgement: Judgement }
  /** The verifier has failed permanently, so that the brief has no verdict. */
  | { readonly kind: 'brief_unjudged'; readonly brief: Brief; readonly reason: string }
  | { readonly kind: 'brief_verified'; readonly brief: Brief }
  /** A limit was reached, or the agent asks a question: the brief cannot continue without a decision from above. */
  | { readonly kind: 'brief_blocked'; readonly brief: Brief; readonly class: QuestionClass; readonly reason: string }
  | { readonly kind: 'brief_failed'; readonly brief: Brief }
  | { readonly kind: 'brief_cancelled'; readonly brief: Brief; readonly wasVerified: boolean }
  /** The last running attempt has ended after a brief failed. */
  | { readonly kind: 'siblings_ended' }
  | { readonly kind: 'gate_approved'; readonly gate: GateRow }
  | { readonly kind: 'gate_rejected'; readonly gate: GateRow; readonly reason: string }
  /** A requested timer has fired; the playbook decides whether it still matters. */
  | { readonly kind: 'timer'; readonly name: string; readonly part: string }
  /** The branch of a part was merged into the one above it. */
  | { readonly kind: 'part_merged'; readonly part: string }
  /** The merge failed: these files were also changed in the branch above. */
  | { readonly kind: 'part_conflict'; readonly part: string; readonly files: readonly string[] }
  /** The path of a workstream was changed; the amendment is already recorded. */
  | { readonly kind: 'amended'; readonly amendment: PathAmendment }
  /** The approved result could not be merged: its target branch has new commits. */
  | { readonly kind: 'merge_failed'; readonly reason: string }
  | { readonly kind: 'run_resumed' }
  /** A question for which `decidesAnswer` holds was answered. `key` is that of the chosen option, if there is one. */
  | {
      readonly kind: 'question_answered'
      readonly question: Question
      readonly brief: Brief
      readonly key: string | null
      readonly answer: string
      readonly by: string
    }
  /** A question has come to one of the playbook's own rungs, which takes it with `add_briefs`, or not at all. */
  | {
      readonly kind: 'question_raised'
      readonly question: Question
      readonly rung: Rung
      readonly brief: Brief
      /** Why the rung below did not answer; undefined for the first rung. */
      readonly reason?: string
    }
  /** The brief is blocked by these notes; all of them are handed over together. Only with `noteRoutes`. */
  | { readonly kind: 'notes_escalated'; readonly brief: Brief; readonly notes: readonly Note[] }

export type Decision =
  | { readonly kind: 'create_briefs'; readonly briefs: readonly BriefSpec[] }
  /** Briefs that the playbook defines itself, in a part of its own. */
  | { readonly kind: 'add_briefs'; readonly briefs: readonly NewBrief[] }
  /** A planner's brief comes first; its report becomes the run's briefs. */
  | { readonly kind: 'create_planner'; readonly objective: string }
  /** Starts a verifier for each brief, which is never the agent that did the work. */
  | {
      readonly kind: 'verify_briefs'
      readonly briefs: readonly Brief[]
      /** The results to judge; undefined for briefs that became ready earlier. */
      readonly seen?: Seen
      /** One line of the live log for all of them. */
      readonly event?: LogLine
    }
  | { readonly kind: 'pass_brief'; readonly brief: Brief; readonly reason: string }
  /** Repeats a brief after a verdict, with corrections. Counts as a failed verification, or as a retry. */
  | {
      readonly kind: 'rework_brief'
      readonly brief: Brief
      readonly corrections: readonly Correction[]
      readonly counter?: 'verification' | 'retries'
    }
  /** Repeats a brief without counting it: it was rejected from above, or its inputs have changed. */
  | {
      readonly kind: 'send_back'
      readonly brief: Brief
      readonly reason: string
      readonly class: 'rejected' | 'invalidated'
      readonly inputs?: Readonly<Record<string, unknown>>
      /** The keys of the briefs whose outputs it is handed now; by default those of before. */
      readonly receives?: readonly string[]
      readonly corrections?: readonly Correction[]
    }
  /** Continues a blocked or failed brief after an answer from above. Resets the counter that stopped it. */
  | {
      readonly kind: 'resolve_brief'
      readonly brief: Brief
      readonly by: string
      readonly class: QuestionClass
      readonly guidance: Guidance | null
      readonly corrections?: readonly Correction[]
    }
  | {
      readonly kind: 'block_brief'
      readonly brief: Brief
      readonly class: QuestionClass
      readonly reason: string
      /** For the agent that continues after the decision; without them the earlier ones stay. */
      readonly corrections?: readonly Correction[]
    }
  /** Asks about the reason that stopped a brief, up the ladder: to the operator if nobody below takes it. */
  | {
      readonly kind: 'ask'
      readonly brief: Brief
      readonly class: QuestionClass
      readonly reason: string
      readonly wording?: Wording
      /** Undefined: `ladder` of the playbook. */
      readonly ladder?: readonly Rung[]
    }
  /**
   * Answers a question from the rung that has it, after `pass_brief` of the brief that took it, or at once on
   * `question_raised`. An option that only the operator may choose hands it up instead.
   */
  | { readonly kind: 'answer_question'; readonly questionId: string; readonly answer: string; readonly by: string }
  /** Hands a question to the next rung, after `pass_brief` of the brief that took it. */
  | { readonly kind: 'raise_question'; readonly questionId: string; readonly reason: string }
  /**
   * Continues a blocked brief after an answer, without counting an escalation; if another question about it is open, after
   * the last answer that releases it.
   */
  | {
      readonly kind: 'release_brief'
      readonly brief: Brief
      readonly by: string
      readonly guidance: Guidance | null
      /** The class of the answered question: the counter that stopped the brief is reset. */
      readonly class?: QuestionClass | null
    }
  /** Settles escalated notes of a brief; it continues when none is left. */
  | {
      readonly kind: 'resolve_notes'
      readonly brief: Brief
      readonly notes: readonly { readonly id: string; readonly resolution: string }[]
      readonly source: NonNullable<Note['resolutionSource']>
      readonly by: string
    }
  /** The same for every failed brief without a question so far. */
  | { readonly kind: 'ask_about_failures' }
  | { readonly kind: 'close_brief'; readonly brief: Brief }
  | { readonly kind: 'fail_brief'; readonly brief: Brief; readonly reason: string }
  /** Cancels superseded briefs and ends their agents. */
  | {
      readonly kind: 'cancel_briefs'
      readonly briefs: readonly Brief[]
      readonly reason: string
      /** The author of the decision, if it is not the playbook's own. */
      readonly by?: string
    }
  /** Drafts are committed by their author, opened again, or released: then they may start. */
  | {
      readonly kind: 'move_drafts'
      readonly briefs: readonly Brief[]
      readonly to: 'draft' | 'committed' | 'pending'
      readonly by?: string
      /** A line of the live log before the moves. */
      readonly event?: LogLine
    }
  /**
   * Changes a brief that has not started: adds inputs, replaces the list of briefs that it waits for, or replaces a draft
   * by its author's newest version.
   */
  | {
      readonly kind: 'amend_brief'
      readonly brief: Brief
      readonly inputs?: Readonly<Record<string, unknown>>
      readonly after?: readonly string[]
      readonly draft?: Revised
    }
  /** Writes a line of the live log, together with changes of the playbook's own state. */
  | { readonly kind: 'log'; readonly event: LogLine; readonly parts?: readonly PartChange[] }
  /** Stores a step's output, or a piece of it, under a name; the same name again adds a version. */
  | { readonly kind: 'write_document'; readonly brief: Brief; readonly name: string; readonly content: unknown }
  | {
      readonly kind: 'open_gate'
      readonly gate: string
      readonly summary: GateSummary
      /** The part that the gate is about, where that is not the whole run. The gate halts the run in both cases. */
      readonly part?: string
      /** The gate's line in the live log. */
      readonly message?: string
      /** The tier that decides instead of the operator; such a gate does not halt the run. */
      readonly approver?: string
      /** Time until the gate expires; undefined takes the run's configuration. */
      readonly timeoutMinutes?: number | null
    }
  /** Records the decision of a gate that a tier decides. */
  | { readonly kind: 'pass_gate'; readonly gate: string; readonly part: string; readonly by: string }
  | { readonly kind: 'start_timer'; readonly name: string; readonly part: string; readonly minutes: number }
  /** Merges the branch of a part into the one above it; without a repository the part counts as merged at once. */
  | { readonly kind: 'merge_part'; readonly part: string }
  /** Asks a question about the whole run; no brief starts before the answer. */
  | { readonly kind: 'pause_and_ask'; readonly text: string; readonly context: string }
  | { readonly kind: 'acknowledge'; readonly amendment: PathAmendment; readonly by: string }
  /** Merges the result into the operator's repository. */
  | { readonly kind: 'land' }
  /**
   * Ends the run. A result that only a person may accept opens the gate `acceptance` instead: the playbook decides again
   * when that is approved or rejected.
   */
  | { readonly kind: 'end_run'; readonly status: 'done' | 'failed' | 'cancelled'; readonly summary: string }

/** A line of the live log. */
export interface LogLine {
  readonly kind?: EventKind
  /** T1 … T5 */
  readonly tier?: string
  readonly code?: string
  readonly workstream?: string
  readonly brief?: Brief
  readonly level?: EventLevel
  /** The author of the decision: `t3/<workstream>`, or `engine for t3/<workstream>`; undefined for the engine. */
  readonly by?: string
  readonly message: string
  readonly data?: Readonly<Record<string, unknown>>
}

/** A change of a part; a part that does not exist yet is created. */
export interface PartChange {
  readonly key: string
  readonly parent?: string | null
  readonly status?: Part['status']
  /** The complete data, not a difference. */
  readonly data?: Readonly<Record<string, unknown>>
}

export interface NewBrief {
  /** Unique in its run. */
  readonly key: string
  /** plan: a step whose output is data; work: a task that produces files. */
  readonly kind: 'plan' | 'work'
  readonly phase: string
  readonly title: string
  readonly objective: string
  readonly context?: string
  readonly part: string
  readonly ownerId?: string | null
  readonly cast: CastRequest
  /** A seat in the organisation of the run, whose holder does it; the cast then only names a verifier. */
  readonly positionId?: number | null
  /** Undefined: the runtime of the run. */
  readonly runtime?: Pick<ResolvedTier, 'runtime' | 'runtimeOptions'>
  readonly capKey?: string | null
  readonly groupKey?: string | null
  readonly startsAfterFailure?: boolean
  /** Checked against `briefData`, with the name of the personality that was cast as `personality`. */
  readonly data: Readonly<Record<string, unknown>>
  readonly inputs?: Readonly<Record<string, unknown>>
  readonly evidence?: readonly Evidence[]
  readonly status?: 'draft' | 'pending'
  /** Keys of the briefs that it waits for, created earlier or together with it. */
  readonly after?: readonly string[]
  /** Keys of further briefs whose outputs it is handed, created earlier. */
  readonly receives?: readonly string[]
  readonly retryBudget: number
  /** The id of the question that it takes at the rung to which `question_raised` has offered it. */
  readonly takes?: string
  readonly guidance?: readonly Guidance[]
  readonly corrections?: readonly Correction[]
}

/** The persona that is wanted for a brief, and for its verification. */
export interface CastRequest {
  readonly tier: string
  readonly domain: string | null
  /** Name of a personality; null casts by tier and domain. */
  readonly wanted: string | null
  /** The tier from which a verifier is cast; undefined: none is. */
  readonly verifierTier?: string
}

export interface Revised extends Pick<NewBrief, 'title' | 'objective' | 'evidence' | 'after'> {
  /** The fields of `data` that change. */
  readonly data: Readonly<Record<string, unknown>>
}
