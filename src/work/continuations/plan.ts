import { counted } from '../../kernel/amounts.ts'
import { refusal } from '../../kernel/errors.ts'
import { shorten } from '../../kernel/text.ts'
import type { Brief, BriefSpec } from '../briefs/contract.ts'
import type { Continuation } from '../runs/contract.ts'
import { type Origin, type Piece, requirePiece } from './origin.ts'

/** The work of a retry: without briefs, the run begins again as a whole. */
export interface RetryPlan {
  readonly briefs: readonly BriefSpec[]
  readonly continues: Omit<Continuation, 'commit'>
  /** The commit that has the work that is kept; null: the newest one of the branch. */
  readonly commit: string | null
}

export interface RetryQuery {
  readonly from?: string | undefined
  readonly reason?: string | undefined
}

/** Reports whether the work of a brief is in the commit with which another brief began. */
export type IsIn = (brief: Brief, commit: string) => Promise<boolean>

/** Chooses the briefs that are done again, and those whose work is kept. */
export async function planRetry(
  origin: Origin,
  { from, reason }: RetryQuery,
  { hasPlan, isIn }: { hasPlan: boolean; isIn: IsIn },
): Promise<RetryPlan> {
  const { run, pieces } = origin
  const continues = { runId: run.id, kind: 'retry', reason: reason ?? null } as const
  if (!hasPlan || pieces.length === 0) {
    if (from !== undefined && !hasPlan)
      throw refusal('unsupported', `run ${run.id} is in tiers: it cannot be continued from one of its briefs`, {
        hint: `Begin the whole run again: agency retry ${run.id}`,
      })
    if (from !== undefined) requirePiece(origin, from)
    if (run.status === 'done') throw nothingLeft(origin)
    const why = hasPlan
      ? `${run.id} had no brief yet`
      : `the work of a run in tiers belongs to its own plan, and cannot be taken over`
    const whole = { from: null, kept: [], receives: {}, planned: false }
    return {
      briefs: [],
      commit: null,
      continues: { ...continues, ...whole, note: `It begins again and keeps nothing of ${run.id}, because ${why}.` },
    }
  }
  const first = from === undefined ? null : requirePiece(origin, from)
  const chosen = choose(origin, first)
  if (chosen.size === 0) throw nothingLeft(origin)
  const commit = await reduceToCommit(origin, first, chosen, isIn)
  // The repair of a merged result is no work of its own where that result does not exist.
  const isVoid = ({ repairs }: Brief): boolean => repairs !== null && commit !== run.head
  const again = pieces.filter(({ brief }) => chosen.has(brief.id) && !isVoid(brief))
  const kept = pieces.filter(({ brief, state }) => state === 'accepted' && !chosen.has(brief.id))
  const isKept = new Set(kept.map(({ brief }) => brief.id))
  const earlier = run.configuration.continues
  // A commit from before the first merge has the work that the run itself had kept.
  const allKept = [...(earlier?.kept ?? []), ...kept.flatMap(keptOf)]
  return {
    briefs: again.map((piece) => specOf(origin, piece, chosen, reason)),
    commit: allKept.length === 0 ? null : commit,
    continues: {
      ...continues,
      from: first?.brief.key ?? null,
      kept: allKept,
      receives: Object.fromEntries(
        again.map(({ brief, after }) => [
          brief.key,
          [
            ...brief.receives,
            ...pieces.filter(({ brief: { id } }) => after.includes(id) && isKept.has(id)).flatMap(idsOf),
          ],
        ]),
      ),
      planned: run.configuration.planner || earlier?.planned === true,
      note: noteOf(origin, {
        again,
        kept,
        dropped: pieces.filter(({ brief, state }) => state === 'dropped' && !chosen.has(brief.id)),
      }),
    },
  }
}

/** Returns the ids of the work that is done again: everything that was not accepted, with its dependents. */
function choose({ pieces }: Origin, first: Piece | null): Set<string> {
  const chosen = new Set(pieces.filter(({ state }) => state === 'left').map(({ brief }) => brief.id))
  if (first !== null) chosen.add(first.brief.id)
  close(pieces, chosen)
  return chosen
}

/** Adds the dependents of the chosen work, and dropped work that it waits for. */
function close(pieces: readonly Piece[], chosen: Set<string>): void {
  for (let before = -1; before < chosen.size;) {
    before = chosen.size
    for (const { brief, after, state } of pieces) {
      if (state !== 'dropped' && after.some((id) => chosen.has(id))) chosen.add(brief.id)
      if (!chosen.has(brief.id)) continue
      for (const each of pieces)
        if (each.state === 'dropped' && after.includes(each.brief.id)) chosen.add(each.brief.id)
    }
  }
}

/**
 * Returns the commit with which the work begins. Accepted work that is done again is in the newest commit already, so the
 * run then begins where that work began, and work that was merged later is done again too.
 */
async function reduceToCommit(
  { run, pieces }: Origin,
  first: Piece | null,
  chosen: Set<string>,
  isIn: IsIn,
): Promise<string | null> {
  if (run.repository === null) return null
  if (first === null || first.state !== 'accepted') return run.head
  const commit = first.brief.startCommit
  if (commit === null) return run.head
  for (const { brief, rests, state } of pieces) {
    if (state !== 'accepted' || chosen.has(brief.id)) continue
    for (const each of [brief, ...rests]) if (!(await isIn(each, commit))) chosen.add(brief.id)
  }
  close(pieces, chosen)
  return commit
}

function specOf(
  { run, limits, personas, pieces }: Origin,
  piece: Piece,
  chosen: Set<string>,
  reason?: string,
): BriefSpec {
  const { brief } = piece
  const { tokenBudget = null, costLimitMicros = null } = limits.get(brief.id) ?? {}
  const persona = personas.get(brief.personaId)
  const verifier = brief.verifierId === null ? undefined : personas.get(brief.verifierId)
  const isDefault = !brief.checkable && brief.evidence.length === 1 && brief.evidence[0]?.kind === 'artifact'
  return {
    key: brief.key,
    title: brief.title,
    objective: brief.objective,
    context: [
      brief.context,
      earlierText(run.id, piece),
      reason === undefined ? '' : `Advice of the operator: ${reason}`,
    ]
      .filter((text) => text !== '')
      .join('\n\n'),
    // Without evidence of its own, a brief must show the files that it reports.
    evidence: isDefault ? [] : brief.evidence,
    after: pieces
      .filter(({ brief: { id } }) => piece.after.includes(id) && chosen.has(id))
      .map((each) => each.brief.key),
    runtime: brief.runtime,
    runtimeOptions: brief.runtimeOptions,
    dispatch: brief.dispatch,
    ...(persona === undefined ? {} : { persona }),
    ...(verifier === undefined ? {} : { verifier }),
    ...(brief.verifyFixed ? { verify: brief.verify } : {}),
    retryBudget: brief.retryBudget,
    verificationLimit: brief.verificationLimit,
    ...(tokenBudget === null ? {} : { tokenBudget }),
    ...(costLimitMicros === null ? {} : { costLimit: costLimitMicros / 1e6 }),
  }
}

function earlierText(runId: string, { brief, rests }: Piece): string {
  if (brief.attempts === 0) return ''
  const failure = [brief, ...rests].map((each) => each.failure).find((text) => text !== null)
  return failure === undefined || failure === null
    ? ''
    : `An earlier try in ${runId} was not accepted: ${shorten(failure, 2_000)}`
}

const nothingLeft = ({ run, pieces }: Origin) =>
  refusal('conflict', `everything of ${run.id} was accepted: there is nothing to try again`, {
    hint: `Do a part of it again with "agency retry ${run.id} --from ${pieces[0]?.brief.key ?? 'BRIEF'}", continue with "agency fork ${run.id}", or run it again with "agency new --from ${run.id}".`,
  })

const idsOf = ({ brief, rests }: Piece): string[] => [brief, ...rests].map(({ id }) => id)
const keptOf = ({ brief, rests }: Piece): { id: string; key: string }[] =>
  [brief, ...rests].map(({ id, key }) => ({ id, key }))

function noteOf(
  { run }: Origin,
  { again, kept, dropped }: { again: readonly Piece[]; kept: readonly Piece[]; dropped: readonly Piece[] },
): string {
  const keeps =
    kept.length === 0
      ? `It keeps nothing of ${run.id}, because no other brief was accepted`
      : `It keeps ${counted(kept.length, 'accepted brief')} of ${run.id} (${keysOf(kept)})`
  const without = dropped.length === 0 ? '' : `, without what was dropped (${keysOf(dropped)})`
  return `${keeps} and does ${counted(again.length, 'brief')} again (${keysOf(again)})${without}.`
}

const keysOf = (pieces: readonly Piece[]): string => shorten(pieces.map(({ brief }) => brief.key).join(', '), 300)
