import { column, columns, flag, integer, optional, text } from '../../db/columns.ts'
import type { ReadTx } from '../../db/port.ts'
import { openTx, sqlOf } from '../../db/tx.ts'
import { isShortOfBudget, isSpent } from '../budgets/store.ts'
import { isStopped } from '../stops/store.ts'

export interface Work {
  ready: ReadyBrief[]
  /** A stop is in force, of everything or of an organisation. */
  stopped: boolean
  /** Budgets exist, whether or not one holds a brief. */
  budgeted: boolean
  /** A budget is used up or holds a brief. */
  lacking: boolean
  /** Evidence of an attempt waits to be checked. */
  reported: boolean
  /** The time at which the next held provider accepts launches again. */
  heldUntil: string | null
}

export interface ReadyBrief {
  briefId: string
  runId: string
  missionId: string
  organisationId: number
  personaId: number
  /** The seat that it is done for. */
  positionId: number | null
  capKey: string | null
  /** The place of its run in the order of claims. */
  claimOrder: string
  /** The range in which its run was found. */
  range: number
}

/** A part of the order of claims: above `low`, up to and including `high`. */
export interface Range {
  readonly low: string
  readonly high: string
}

/** A run, or the briefs of one cap key in it, with the maximum number of agents at work. */
export interface FullKey {
  readonly runId: string
  /** Null: the whole run. */
  readonly capKey: string | null
}

export interface Look {
  /** Maximum number of briefs. */
  limit: number
  /** Runs and cap keys that are left out. */
  full?: readonly FullKey[]
  /** The order in which runs of the same priority take turns; without it, the oldest is first. */
  ranges?: readonly Range[]
}

export const allRuns: readonly Range[] = [{ low: '', high: '~' }]

/**
 * Finds briefs that may start now: no unmet dependency, no hold, a run that is active and has no failure (or that the
 * brief is to resolve), no stop, a provider that accepts calls, no agent at work for their seat, and something left of
 * every budget above them. It runs after every commit, mostly in vain: a small query looks whether there is anything to
 * find. The obstacles are returned too, for the callers that act on them.
 *
 * Their order: by priority of the run; then in turns over the runs, of which those with fewer agents at work come first;
 * then in the order of the ranges; within a run by age.
 */
export async function findWork(tx: ReadTx, look: Look): Promise<Work> {
  const { at } = openTx(tx)
  const { hasReady, seated, ...around } = await surroundings.one(sqlOf(tx), surroundingsText, [at])
  const ready = hasReady && look.limit > 0 ? await listReady(tx, look, { ...around, seated }) : []
  return { ...around, ready }
}

/** Lists the seats of these for which an agent is at work. */
export async function listBusySeats(tx: ReadTx, positionIds: readonly number[]): Promise<Set<number>> {
  if (positionIds.length === 0) return new Set()
  const marks = positionIds.map(() => '?').join(', ')
  const busy = await column('position_id', integer).all(
    sqlOf(tx),
    `SELECT DISTINCT o.position_id FROM briefs o WHERE o.position_id IN (${marks}) AND ${isAtSeat}`,
    positionIds,
  )
  return new Set(busy)
}

/** Returns the last place of a running run in the order of claims, of those with a rank of priority. */
export const findLastPlace = async (tx: ReadTx, rank: number): Promise<string> =>
  (await places.first(
    sqlOf(tx),
    "SELECT claim_order FROM runs WHERE status = 'running' AND claim_order < ? ORDER BY claim_order DESC LIMIT 1",
    [String(rank + 1)],
  )) ?? String(rank)

const places = column('claim_order', text)

type Around = Pick<Work, 'stopped' | 'budgeted' | 'heldUntil'> & {
  /** An agent is at work for a seat. */
  seated: boolean
}

function listReady(tx: ReadTx, { limit, full = [], ranges = allRuns }: Look, around: Around): Promise<ReadyBrief[]> {
  const { at } = openTx(tx)
  const runs = padded(full.flatMap(({ runId, capKey }) => (capKey === null ? [runId] : [])))
  const parts = full.flatMap(({ runId, capKey }) => (capKey === null ? [] : [runId, capKey]))
  return readyBriefs.all(
    sqlOf(tx),
    readyText({ ranges: ranges.length, fullRuns: runs.length, fullKeys: parts.length / 2, around }),
    [at, limit, ...ranges.flatMap(({ low, high }, index) => [index, low, high]), ...parts, ...runs],
  )
}

/** Fills up to a power of two with ids of no run: each length is a statement that stays prepared. */
const padded = (runIds: readonly string[]): string[] =>
  runIds.length === 0
    ? []
    : [...runIds, ...Array.from({ length: 2 ** Math.ceil(Math.log2(runIds.length)) - runIds.length }, () => '')]

const surroundings = columns({
  hasReady: flag,
  stopped: flag,
  budgeted: flag,
  lacking: flag,
  reported: flag,
  seated: flag,
  heldUntil: optional(text),
})
const readyBriefs = columns({
  briefId: text,
  runId: text,
  missionId: text,
  organisationId: integer,
  personaId: integer,
  positionId: optional(integer),
  capKey: optional(text),
  claimOrder: text,
  range: integer,
})

/** Condition on a brief `c`: nothing of its own holds it. The words are those of the index `briefs_ready`. */
const isReady = "c.status = 'pending' AND c.unmet_dependencies = 0 AND c.hold_count = 0"

/** Condition on a brief `o`: its agent is at work for a seat. The words are those of the index `briefs_at_seats`. */
const isAtSeat = "o.position_id IS NOT NULL AND o.status IN ('assigned', 'working', 'completion_drive_review')"

/** The briefs of runs that wait for a gate or a pause are ready for as long as they wait: without a running run, none starts. */
const surroundingsText = `SELECT CASE WHEN EXISTS (SELECT 1 FROM briefs c WHERE ${isReady})
AND EXISTS (SELECT 1 FROM runs WHERE status = 'running') THEN 1 ELSE 0 END AS has_ready,
CASE WHEN EXISTS (SELECT 1 FROM stops) THEN 1 ELSE 0 END AS stopped,
CASE WHEN EXISTS (SELECT 1 FROM budgets) THEN 1 ELSE 0 END AS budgeted,
CASE WHEN EXISTS (SELECT 1 FROM budgets WHERE ${isSpent}) OR EXISTS (SELECT 1 FROM brief_holds WHERE kind = 'budget') THEN 1 ELSE 0 END AS lacking,
CASE WHEN EXISTS (SELECT 1 FROM attempts WHERE status = 'reported' AND held_by IS NULL) THEN 1 ELSE 0 END AS reported,
CASE WHEN EXISTS (SELECT 1 FROM briefs o WHERE ${isAtSeat}) THEN 1 ELSE 0 END AS seated,
(SELECT MIN(until) FROM provider_holds WHERE until > ?) AS held_until`

const isAtWork = "status IN ('launching', 'running')"

interface Shape {
  readonly ranges: number
  readonly fullRuns: number
  readonly fullKeys: number
  readonly around: Around
}

/** The first brief at a place in the order of claims that nothing holds, of those that meet the condition. */
const firstAt = (place: string, { fullRuns, fullKeys, around }: Shape, condition?: string): string => {
  const conditions = [
    isReady,
    `c.claim_order = ${place}`,
    condition,
    '(r.briefs_failed = 0 OR (c.starts_after_failure = 1 AND r.abandoned = 0))',
    around.stopped && `NOT ${isStopped}`,
    around.heldUntil !== null &&
      'NOT EXISTS (SELECT 1 FROM provider_holds h WHERE h.provider = c.provider AND h.until > (SELECT at FROM look))',
    around.seated && `NOT EXISTS (SELECT 1 FROM briefs o WHERE o.position_id = c.position_id AND ${isAtSeat})`,
    around.budgeted && `NOT ${isShortOfBudget('c', 'r')}`,
    fullRuns > 0 && 'c.run_id NOT IN (SELECT run_id FROM full_runs)',
    fullKeys > 0 && 'NOT EXISTS (SELECT 1 FROM full_keys k WHERE k.run_id = c.run_id AND k.cap_key = c.cap_key)',
  ].filter((each) => typeof each === 'string')
  return `(SELECT c.id FROM briefs c JOIN runs r ON r.id = c.run_id WHERE ${conditions.join(' AND ')}
ORDER BY c.created_at, c.id LIMIT 1)`
}

/** The place of the next running run, from the place that the condition names. */
const nextRun = (condition: string): string =>
  `(SELECT r.claim_order FROM runs r WHERE r.status = 'running' AND r.claim_order ${condition} AND r.claim_order <= s.high
ORDER BY r.claim_order LIMIT 1)`

/** The place of the next ready brief, from the place of the walk. */
const nextBrief = `(SELECT c.claim_order FROM briefs c WHERE ${isReady}
    AND c.claim_order >= w.place AND c.claim_order <= s.high ORDER BY c.claim_order LIMIT 1)`

/** A null with the collation of the column, which PostgreSQL wants to be the same in all steps of a recursion. */
const noPlace = '(SELECT claim_order FROM runs WHERE 1 = 0)'
const noBrief = '(SELECT id FROM briefs WHERE 1 = 0)'

const values = (name: string, count: number, row: string): string =>
  count === 0 ? '' : `${name} AS (VALUES ${Array.from({ length: count }, () => row).join(', ')}),`

/**
 * Finds the first ready brief of each run that has one, in the order of claims. Two pointers, one into the running runs
 * and one into the ready briefs, take turns: each jumps to the first place that is not before the other. Where both meet,
 * the run has a ready brief, and the pointer of runs goes on behind it. At the end of a range the next one begins. The
 * walk ends when it has found so many runs that those without an agent at work fill the slots.
 *
 * Of the runs 1 to 9, these are running: 1, 2, 3 and 8. Ready briefs belong to 2, 4 (paused) and 8:
 *
 *     step  side   place  before  brief
 *     0     brief  –      –       –      the beginning of the range
 *     1     run    1      –       –
 *     2     brief  2      1       –      run 1 has no ready brief
 *     3     run    2      2       –
 *     4     brief  2      2       –      both are at run 2
 *     5     run    3      2       2’s    its first brief that nothing holds, or null
 *     6     brief  4      3       –
 *     7     run    8      4       –      run 4 is not running; 5, 6 and 7 cost nothing
 *     8     brief  8      8       –
 *     9     run    –      8       8’s    the end of the range
 */
const walk = (shape: Shape): string => `walk (step, range, side, place, before, brief_id, found) AS (
  SELECT 0, -1, 'brief', ${noPlace}, ${noPlace}, ${noBrief}, 0
  UNION ALL
  SELECT w.step + 1, s.range, CASE WHEN ${isBeginning} OR w.side = 'brief' THEN 'run' ELSE 'brief' END,
  CASE WHEN ${isBeginning} THEN ${nextRun('> s.low')}
  WHEN w.side = 'run' THEN ${nextBrief}
  WHEN ${isMeeting} THEN ${nextRun('> w.place')}
  ELSE ${nextRun('>= w.place')} END,
  w.place,
  CASE WHEN w.side = 'brief' AND ${isMeeting} THEN ${firstAt('w.place', shape)} END,
  w.found + CASE WHEN w.brief_id IS NULL THEN 0 ELSE 1 END
  FROM walk w JOIN ranges s ON s.range = w.range + CASE WHEN ${isBeginning} THEN 1 ELSE 0 END
  WHERE w.found < (SELECT most FROM look) + (SELECT COUNT(DISTINCT run_id) FROM attempts WHERE ${isAtWork})
)`

/** Condition on a step of the walk: it has reached the end of its range. */
const isBeginning = 'w.place IS NULL'

/** Condition on a step of the walk: it is at the place of the step before. */
const isMeeting = 'w.place = w.before'

/** The priority of a run, with which its place begins. */
const priorityOf = (place: string): string => `SUBSTR(${place}, 1, 1)`

/**
 * Adds further briefs of the same runs, as far as slots can be left for them: `rank` is the place of a brief among those
 * of its run, and `most` the number of slots that the runs of its priority and above without an agent at work leave.
 */
const picked = (
  shape: Shape,
): string => `picked (step, range, claim_order, brief_id, created_at, at_work, rank, most) AS (
  SELECT step, range, claim_order, id, created_at, at_work, 1, (SELECT most FROM look) + 1
    - SUM(CASE WHEN at_work = 0 THEN 1 ELSE 0 END) OVER (ORDER BY ${priorityOf('claim_order')})
  FROM (SELECT w.step, w.range, b.claim_order, b.id, b.created_at,
    (SELECT COUNT(*) FROM attempts WHERE run_id = b.run_id AND ${isAtWork}) AS at_work
    FROM walk w CROSS JOIN briefs b WHERE b.id = w.brief_id) f
  UNION ALL
  SELECT p.step, p.range, p.claim_order, b.id, b.created_at, p.at_work, p.rank + 1, p.most
  FROM picked p CROSS JOIN briefs b
  WHERE p.rank < p.most AND b.id = ${firstAt('p.claim_order', shape, '(c.created_at, c.id) > (p.created_at, p.brief_id)')}
)`

/** The order of claims: by priority; then in turns, runs with fewer agents at work first; then as the walk came by. */
const turnsOf = (name: string): string =>
  `${priorityOf(`${name}claim_order`)}, ${name}at_work + ${name}rank, ${name}step`

/**
 * The cost of this statement depends on the number of slots, not on that of open runs. A CROSS JOIN keeps SQLite from
 * beginning with the table of briefs, however small it seems to be.
 */
const readyText = (shape: Shape): string =>
  `WITH RECURSIVE look (at, most) AS (SELECT CAST(? AS TEXT), CAST(? AS INTEGER)),
${values('ranges (range, low, high)', shape.ranges, '(CAST(? AS INTEGER), CAST(? AS TEXT), CAST(? AS TEXT))')}
${values('full_keys (run_id, cap_key)', shape.fullKeys, '(CAST(? AS TEXT), CAST(? AS TEXT))')}
${values('full_runs (run_id)', shape.fullRuns, '(CAST(? AS TEXT))')}
${walk(shape)},
${picked(shape)}
SELECT b.id AS brief_id, b.run_id, b.mission_id, r.organisation_id, b.persona_id, b.position_id, b.cap_key, w.claim_order, w.range
FROM (SELECT * FROM picked ORDER BY ${turnsOf('')} LIMIT (SELECT most FROM look)) w
CROSS JOIN briefs b CROSS JOIN runs r WHERE b.id = w.brief_id AND r.id = b.run_id
ORDER BY ${turnsOf('w.')}`
