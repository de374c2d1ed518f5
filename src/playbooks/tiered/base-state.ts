import { bug } from '../../kernel/errors.ts'
import type { BriefStatus } from '../../work/briefs/states.ts'
import type { Part } from '../../work/parts/contract.ts'
import type { PartChange, View } from '../contract.ts'
import { runPart } from './base-names.ts'
import { settingsOf } from './base-settings.ts'

/** The data of each kind of part. Only this playbook writes them, so they are read without validation. */

export interface RunData {
  readonly complexity?: string
  readonly multiplier: number
  readonly waves: number
  /** Number of the current wave, from 1; 0 before the plan is approved. */
  readonly wave: number
  readonly lead: 'none' | 'asked' | 'done'
  /** Number of architectures and results that T1 has rejected. */
  readonly rejections: number
  /** Failures that were already escalated: `<brief id>:<attempts>`. */
  readonly surfaced: readonly string[]
  /** Number of tasks that started without a question since the operator approved some. */
  readonly unasked?: number
  /** Workstreams that are repeated after a rejection. */
  readonly redo: readonly string[]
  /** The step that follows when the operator resumes the run. */
  readonly onResume?: OnResume
  /** Workstreams that replace others as soon as the plan gate is approved. */
  readonly replan?: Readonly<Record<string, { readonly from: string; readonly wave: number }>>
  readonly isMerging?: boolean
  /** The reason for which T1 accepts a result that is not merged, kept while the run is paused or waits for a person. */
  readonly accepted?: string
}

export type OnResume =
  | { readonly what: 'rejected'; readonly reason: string; readonly workstreams: readonly string[] }
  | { readonly what: 'architecture'; readonly wave: number; readonly reason: string }
  | { readonly what: 'conflict'; readonly wave: number }
  | { readonly what: 'merge_conflict'; readonly workstream: string; readonly reason: string }

export interface WaveData {
  readonly group: string
  readonly conflictCycles: number
  /** Number of rounds of questions about conflicts. Never reset, because the keys of briefs contain it. */
  readonly conflictRounds?: number
  /** T1 has decided how to settle the conflict. */
  readonly isGuided: boolean
  /** Workstreams whose architecture is being designed. */
  readonly designing: readonly string[]
}

export interface WorkstreamData {
  readonly name: string
  readonly domain: string
  readonly path: readonly string[]
  readonly specialist: string | null
  readonly revision: number
  /** Its architecture is approved, or it needs none. */
  readonly isDesigned: boolean
  /** Number of changes of its path, and the path before the last one. */
  readonly amended?: number
  readonly before?: readonly string[]
  /** The last amendment, and the last one that was followed. The timer that follows it may fire twice. */
  readonly amendment?: string
  readonly followed?: string
}

export interface SquadRef {
  readonly workstream: string
  readonly squad: string
  readonly name: string
  readonly scope: string
}

export interface MeshData {
  readonly domain: string
  readonly path: readonly string[]
  readonly squads: readonly SquadRef[]
  /** `<workstream>/<squad>` */
  readonly committed: readonly string[]
  readonly revision: number
  readonly timeouts: number
  /** T1 has already redrawn the scopes of the squads. */
  readonly isByT1: boolean
  /** The operator has removed the time limit. */
  readonly isPatient?: boolean
}

export interface SquadData {
  readonly path: readonly string[]
  readonly mesh: string | null
  /** Number of tasks it has had; labels of T4 briefs are numbered with it. */
  readonly workers: number
  /** Number of its joint verdicts that were escalated. */
  readonly escalations: number
}

export const runOf = (view: View): RunData => partOf(view, runPart).data as unknown as RunData

export const dataOf = <Data>(part: Part): Data => part.data as unknown as Data

/** Returns the innermost part. The view has it whenever the event belongs to a part. */
export function own(view: View): Part {
  const [first] = view.parts
  if (first === undefined) throw bug('an event of a tiered run belongs to no part')
  return first
}

export function partOf(view: View, key: string): Part {
  const part = view.parts.find((each) => each.key === key) ?? view.found.parts[key]
  if (part === undefined) throw bug(`a tiered run has no part "${key}"`)
  return part
}

/** Returns the nearest part above whose key has this prefix: `wave:`, `ws:` … */
export function above(view: View, prefix: string): Part {
  const part = view.parts.find(({ key }) => key.startsWith(prefix))
  if (part === undefined) throw bug(`there is no part "${prefix}" above ${own(view).key}`)
  return part
}

export const waveNumber = (part: Part): number => Number(part.key.slice('wave:'.length))

export function changed<Data extends object>(part: Part, data: Partial<Data>, status?: Part['status']): PartChange {
  return {
    key: part.key,
    data: { ...part.data, ...data } as Record<string, unknown>,
    ...(status === undefined ? {} : { status }),
  }
}

export const changedRun = (view: View, data: Partial<RunData>): PartChange =>
  changed<RunData>(partOf(view, runPart), data)

export const unaskedOf = (view: View): number => runOf(view).unasked ?? 0

/** Returns the retry budget of T1 and of every brief below it. */
export const budgetOf = (view: View): number => settingsOf(view.run).retryBudget * runOf(view).multiplier

/** Returns the number of briefs of a phase that are in none of these states. */
export function unsettled({ tally, run }: View, phase: string, settled: readonly string[]): number {
  if (tally === null) throw bug(`a decision about ${run.id} counts briefs that were not counted`)
  let sum = 0
  const counts = tally[phase] ?? {}
  for (const status in counts) if (!settled.includes(status)) sum += counts[status as BriefStatus] ?? 0
  return sum
}

export const ended = ['verified', 'done', 'cancelled'] as const
export const over = ['verified', 'done', 'cancelled', 'failed'] as const
