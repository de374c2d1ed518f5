import type { Brief } from '../../briefs/contract.ts'
import { listAllDependencies, listBriefs } from '../../briefs/store.ts'
import type { RunScope } from '../../scope.ts'
import { findPlanVersion } from '../store.ts'

/** A brief of the plan with the keys of the planned briefs that it waits for. */
export interface Planned {
  readonly brief: Brief
  readonly after: readonly string[]
}

export interface CurrentPlan {
  /** 1 until the first amendment. */
  readonly version: number
  /** By key, in the order of the plan. */
  readonly briefs: ReadonlyMap<string, Planned>
  /** Briefs of the run that belong to no plan: cancelled ones, planners, verifiers and remainders. By key. */
  readonly others: ReadonlyMap<string, Brief>
  /** Keys of the unfinished parts that were split from a brief, by the key of that brief. */
  readonly remainders: ReadonlyMap<string, readonly string[]>
}

/** Reads the plan of a run from its briefs: the engine keeps it nowhere else. */
export async function readCurrentPlan({ tx, run }: RunScope): Promise<CurrentPlan> {
  const rows = await listBriefs(tx, run.id)
  const planned = new Map(rows.filter(isPlanned).map((brief) => [brief.id, brief]))
  const after = new Map<string, string[]>()
  for (const { briefId, afterId } of await listAllDependencies(tx, run.id)) {
    const key = planned.get(afterId)?.key
    if (key !== undefined) after.set(briefId, [...(after.get(briefId) ?? []), key])
  }
  const remainders = new Map<string, string[]>()
  for (const { key, remainderOf, status } of rows) {
    const root = remainderOf === null || status === 'cancelled' ? undefined : planned.get(remainderOf)?.key
    if (root !== undefined) remainders.set(root, [...(remainders.get(root) ?? []), key])
  }
  return {
    version: await findPlanVersion(tx, run.id),
    briefs: new Map(
      [...planned.values()].map((brief) => [brief.key, { brief, after: (after.get(brief.id) ?? []).sort() }]),
    ),
    others: new Map(rows.filter((brief) => !planned.has(brief.id)).map((brief) => [brief.key, brief])),
    remainders,
  }
}

/** Reports whether a brief comes from the plan: not from the engine, which repairs, splits and judges. */
const isPlanned = ({ kind, phase, repairs, remainderOf, status }: Brief): boolean =>
  kind === 'work' && phase === null && repairs === null && remainderOf === null && status !== 'cancelled'

/** Reports whether an agent works, or has worked, on a brief: it can no longer be changed. */
export const hasBegun = ({ status, attempts }: Brief): boolean => status !== 'pending' || attempts > 0
