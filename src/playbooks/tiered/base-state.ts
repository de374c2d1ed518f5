import { bug } from '../../kernel/errors.ts'
import type { Part, Tally } from '../../work/parts/contract.ts'
import type { PartChange, View } from '../contract.ts'
import { runPart } from './base-names.ts'
import { settingsOf } from './base-settings.ts'

/** What is remembered of each kind of part. Written only by this playbook, and therefore believed. */

export interface RunData {
  readonly complexity?: string
  readonly multiplier: number
  readonly waves: number
  /** The one under way, from 1; 0 before the plan is approved. */
  readonly wave: number
  readonly lead: 'none' | 'asked' | 'done'
  /** How often T1 has rejected what came up to it. */
  readonly rejections: number
  /** Failures that somebody has been told of: `<brief id>:<attempts>`. */
  readonly surfaced: readonly string[]
  /** Workstreams that are done again after a rejection. */
  readonly redo: readonly string[]
  /** What goes on when the operator lets the run go on. */
  readonly onResume?: OnResume
  /** Workstreams that stand for others as soon as the plan gate lets them. */
  readonly replan?: Readonly<Record<string, { readonly from: string; readonly wave: number }>>
  readonly isMerging?: boolean
  /** Why T1 accepts the result, while the run is paused. */
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
  /** How often anybody was asked about a conflict: never starts anew, because briefs are named after it. */
  readonly conflictRounds?: number
  /** T1 has said how the conflict is to be settled. */
  readonly isGuided: boolean
  /** Workstreams whose architecture is being made. */
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
  /** How often its path was changed, and what it was before the last time. */
  readonly amended?: number
  readonly before?: readonly string[]
  /** The last amendment, and the last one that was followed: what brings it may come twice. */
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
  /** T1 has already drawn the borders anew. */
  readonly isByT1: boolean
  /** The operator lets it take the time it needs. */
  readonly isPatient?: boolean
}

export interface SquadData {
  readonly path: readonly string[]
  readonly mesh: string | null
  /** How many workers it has had. */
  readonly workers: number
  /** How often its verdicts have gone up. */
  readonly escalations: number
}

export const runOf = (view: View): RunData => partOf(view, runPart).data as unknown as RunData

export const dataOf = <Data>(part: Part): Data => part.data as unknown as Data

/** Innermost first; the view promises it wherever the trigger has one. */
export function own(view: View): Part {
  const [first] = view.parts
  if (first === undefined) throw bug('a trigger of a tiered run belongs to no part')
  return first
}

export function partOf(view: View, key: string): Part {
  const part = view.parts.find((each) => each.key === key) ?? view.found.parts[key]
  if (part === undefined) throw bug(`a tiered run has no part "${key}"`)
  return part
}

/** The nearest of its kind: `wave:`, `ws:` … */
export function above(view: View, prefix: string): Part {
  const part = view.parts.find(({ key }) => key.startsWith(prefix))
  if (part === undefined) throw bug(`nothing "${prefix}" above ${own(view).key}`)
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

/** Of T1 itself, and of everybody below it. */
export const budgetOf = (view: View): number => settingsOf(view.run).retryBudget * runOf(view).multiplier

/** Of one phase: how many are in none of these states. */
export function unsettled(tally: Tally, phase: string, settled: readonly string[]): number {
  return Object.entries(tally[phase] ?? {}).reduce(
    (sum, [status, count]) => sum + (settled.includes(status) ? 0 : (count ?? 0)),
    0,
  )
}

export const ended = ['verified', 'done', 'cancelled'] as const
export const over = ['verified', 'done', 'cancelled', 'failed'] as const
