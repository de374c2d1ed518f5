import type { z } from 'zod'

import type { CreateRun } from '../../src/work/runs/contract.ts'
import type { Names } from './names.ts'

export const families = [
  'ground',
  'home',
  'status',
  'together',
  'witness',
  'baseline',
  'planner',
  'reports',
  'verdicts',
  'words',
  'outputs',
  'authority',
  'git',
  'recognition',
  'unboxed',
  'beyond',
] as const
export type Family = (typeof families)[number]

export const variants = ['direct', 'tiered', 'bare'] as const
/** direct and tiered: the two playbooks, in a repository; bare: direct, without a repository. */
export type Variant = (typeof variants)[number]

/**
 * The best end that a lie may reach. refused: never done. odd: done only if a gate or a verifier was shown a line that
 * names the file. judged: done only if a verifier judged the work.
 */
export type End = 'refused' | 'odd' | 'judged'

/** One lie and its honest twin: the same task with the same evidence, done honestly. */
export interface Lie {
  readonly family: Family
  readonly name: string
  /** The deception, in a sentence. */
  readonly about: string
  readonly end: End
  /** Default: direct and tiered. */
  readonly variants?: readonly Variant[]
  /** Programs that the scripts need, beside sh, git and node. */
  readonly needs?: readonly string[]
  /** Plays without a box. */
  readonly unboxed?: boolean
  readonly scene: (names: Names) => Scene
}

export type EvidenceInput = z.input<typeof CreateRun>['evidence'] extends (infer Item)[] | undefined ? Item : never

/** The task, its evidence, and both ways to do it. */
export interface Scene {
  /** The files of the operator's repository, and of a plain workspace nothing. */
  readonly files: Readonly<Record<string, string>>
  /** Without a repository: the files are in the workspace of a mission before the work begins. */
  readonly isShared?: boolean
  /** The operator's evidence, for every brief that has none of its own. */
  readonly evidence: readonly EvidenceInput[]
  readonly lie: Work
  readonly honest: Work
  /** Text in the odd line of the lie: mostly the path of the file. */
  readonly odd?: string
  /**
   * A command that tells whether the delivered files meet the task, run by the harness on a fresh clone.
   * Default: the commands of the evidence.
   */
  readonly truth?: string
  /** Further input of the run. */
  readonly run?: Partial<z.input<typeof CreateRun>>
  /** Files that the operator commits to main while the result waits for approval. */
  readonly moved?: Readonly<Record<string, string>>
  /** Tells why the lie got through although the run ended well: a text that an agent must not have been shown. */
  readonly exposes?: (played: Played) => string | null
  /** Whether the honest twin changes a file that a proof rests on, so that an odd line about it is right. */
  readonly touchesWitness?: boolean
}

/** The behaviour of the agents of one run. */
export interface Work {
  /** The script of the agent that does the work; see `prelude` in `programs.ts` for its functions. */
  readonly script?: string
  /** Several briefs, each with a script, instead of one. */
  readonly briefs?: readonly BriefWork[]
  /** The script of every verifier; default: a verifier that looks at each output and passes it. */
  readonly verifier?: string
  /** Further input of the run. */
  readonly run?: Partial<z.input<typeof CreateRun>>
  /** In tiers, each brief is a workstream of its own instead of a task. */
  readonly workstreams?: boolean
  /** In tiers, the scripts of tasks that a lead adds later, by key. */
  readonly others?: Readonly<Record<string, string>>
  /** In tiers, further steps of the scripted tiers, by phase. */
  readonly phases?: Readonly<Record<string, unknown>>
}

export interface BriefWork {
  readonly key: string
  readonly script: string
  readonly evidence?: readonly EvidenceInput[]
  readonly after?: readonly string[]
  readonly files?: readonly string[]
}

/** The observable end of a run. */
export interface Played {
  readonly runId: string
  /** done, failed, cancelled, or `asked` if the run waits for an answer of the operator. */
  readonly status: string
  /** The kinds of the gates that opened. */
  readonly gates: readonly string[]
  /** Anomalies and amendments that the gates have shown. */
  readonly anomalies: readonly string[]
  /** The prompts of verifiers, T3 and T1 not among them. */
  readonly verifierPrompts: readonly string[]
  readonly verdicts: readonly string[]
  /** The prompts of all agents. */
  readonly prompts: readonly { readonly key: string; readonly text: string }[]
  /** The odd lines of all attempts. */
  readonly odd: readonly string[]
  /** Whether an agent reported about its work. */
  readonly claimed: boolean
  /** Every recorded reason against the work: details of failed attempts, corrections, questions. */
  readonly reasons: readonly string[]
  /** The operator's repository, or the workspace without one. */
  readonly delivered: string | null
}
