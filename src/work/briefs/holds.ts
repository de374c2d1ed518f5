import type { ReadTx } from '../../db/port.ts'
import { type Change, deleted, inserted, updated } from '../../events/change.ts'
import type { Brief, Hold } from './contract.ts'
import { type BriefStatus, endStatuses } from './states.ts'
import { briefHolds, briefs, listHoldsOfBrief } from './store.ts'

/**
 * The reasons for which a brief waits are a set: each is added and released by itself, and a brief with one left does
 * not start. `holdCount` of the brief is their number, so that the query for ready briefs reads one table. Every change
 * of the set is made here and stored with an event of the caller.
 */

/** The hold while git merges the work of a brief. */
export const mergeHold: Hold = { kind: 'merge', subject: '' }

/** The hold while another run works in the same workspace. */
export const workspaceHold: Hold = { kind: 'workspace', subject: '' }

/** The hold of a brief whose own limit is used up. */
export const ownBudgetHold: Hold = { kind: 'budget', subject: 'brief' }

export const budgetHold = (scope: string): Hold => ({ kind: 'budget', subject: scope })
export const failedDependency = (briefId: string): Hold => ({ kind: 'dependency_failed', subject: briefId })

export const isSameHold = (one: Hold, other: Hold): boolean => one.kind === other.kind && one.subject === other.subject

/** Returns whether a hold is about a dependency that is none of these unmet ones. */
export const isMetBy =
  (unmet: ReadonlySet<string>) =>
  ({ kind, subject }: Hold): boolean =>
    kind === 'dependency_failed' && !unmet.has(subject)

type Held = Pick<Brief, 'id' | 'runId' | 'holdCount'>

export interface HoldChanges {
  /** Columns of the brief. */
  readonly patch: Partial<Pick<Brief, 'holdCount'>>
  readonly changes: readonly Change[]
}

const unchanged: HoldChanges = { patch: {}, changes: [] }

/** Returns the changes that add a hold and release others; a brief without holds costs no query. */
export async function changeHolds(
  tx: ReadTx,
  brief: Held,
  { add, release }: { add?: Hold | undefined; release?: ((hold: Hold) => boolean) | undefined },
): Promise<HoldChanges> {
  if (add === undefined && (release === undefined || brief.holdCount === 0)) return unchanged
  const known = await listHoldsOfBrief(tx, brief)
  const released = release === undefined ? [] : known.filter(release)
  const kept = known.filter((hold) => !released.includes(hold))
  const isNew = add !== undefined && !kept.some((hold) => isSameHold(hold, add))
  const changes = released.map((hold) => deleted(briefHolds, hold))
  if (isNew) changes.push(inserted(briefHolds, { runId: brief.runId, briefId: brief.id, ...add }))
  return { patch: { holdCount: kept.length + (isNew ? 1 : 0) }, changes }
}

/** Returns the changes that hold a brief for one more reason, for an event that changes nothing else of it. */
export const addHold = async (tx: ReadTx, brief: Brief, hold: Hold, patch: Partial<Brief> = {}): Promise<Change[]> =>
  changesOf(brief, await changeHolds(tx, brief, { add: hold }), patch)

/** Returns the changes that end one reason; the others go on holding the brief. */
export const releaseHold = async (
  tx: ReadTx,
  brief: Brief,
  hold: Hold,
  patch: Partial<Brief> = {},
): Promise<Change[]> =>
  changesOf(brief, await changeHolds(tx, brief, { release: (each) => isSameHold(each, hold) }), patch)

function changesOf(brief: Brief, { patch, changes }: HoldChanges, also: Partial<Brief>): Change[] {
  const columns = { ...also, ...patch }
  return Object.keys(columns).length === 0 ? [...changes] : [updated(briefs, brief, columns), ...changes]
}

export const isHeld = async (tx: ReadTx, brief: Held, hold: Hold): Promise<boolean> =>
  brief.holdCount > 0 && (await listHoldsOfBrief(tx, brief)).some((each) => isSameHold(each, hold))

/** Holds of one try at a brief: the next try begins without them, and meets its own if their causes still exist. */
export const isOfTry = ({ kind }: Hold): boolean => kind === 'budget' || kind === 'checks' || kind === 'merge'

/** Returns the holds that end with a move to this status, beside those that the move names. */
export function endsWith(to: BriefStatus): ((hold: Hold) => boolean) | undefined {
  if (endStatuses.includes(to)) return () => true
  return to === 'pending' ? isOfTry : undefined
}
