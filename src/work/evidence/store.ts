import { column, columns, countRows, flag, json, optional, text } from '../../db/columns.ts'
import type { ReadTx } from '../../db/port.ts'
import { findRows, table } from '../../db/table.ts'
import { sqlOf } from '../../db/tx.ts'
import type { Check, Odd } from './contract.ts'

export const checks = table<Check>('checks', {
  json: ['evidence'],
  booleans: ['passed', 'boxed'],
  added: { round: 'delivered' },
  stream: (row) => `run:${row.runId}`,
})

/** Lists the checks of delivered work. */
export const listChecks = (tx: ReadTx, runId: string): Promise<Check[]> =>
  findRows(tx, checks, "run_id = ? AND round = 'delivered' ORDER BY at, attempt_id, item", [runId])

/** Lists the checks of all rounds. */
export const listRounds = (tx: ReadTx, runId: string): Promise<Check[]> =>
  findRows(tx, checks, 'run_id = ? ORDER BY at, attempt_id, round, item', [runId])

/** Lists which evidence of a brief held in its workspace before its first agent worked there. */
export const listBaseline = (tx: ReadTx, briefId: string): Promise<Check[]> =>
  findRows(tx, checks, "brief_id = ? AND round = 'before' AND commit_id IS NULL ORDER BY at, attempt_id, item", [
    briefId,
  ])

/** Lists the checks of the delivered work of these attempts; those of one are in the order of its evidence. */
export function listChecksOfAttempts(tx: ReadTx, attemptIds: readonly string[]): Promise<Check[]> {
  if (attemptIds.length === 0) return Promise.resolve([])
  const marks = attemptIds.map(() => '?').join(', ')
  return findRows(tx, checks, `attempt_id IN (${marks}) AND round = 'delivered' ORDER BY attempt_id, item`, attemptIds)
}

const checkPlaces = columns({ key: text, checkedIn: text })

/** Lists where the work of each brief of a run was checked, by its newest attempt. */
export const listCheckPlaces = (tx: ReadTx, runId: string): Promise<{ key: string; checkedIn: string }[]> =>
  checkPlaces.all(
    sqlOf(tx),
    `SELECT b.key, a.checked_in FROM briefs b JOIN attempts a ON a.id = b.attempt_id
WHERE b.run_id = ? AND b.kind = 'work' AND b.status <> 'cancelled' AND a.checked_in IS NOT NULL ORDER BY b.number`,
    [runId],
  )

/** Selects the attempts whose agents had no box; simulated ones need none. */
const isUnboxed = 'a.boxed = 0 AND a.simulated = 0 AND a.started_at IS NOT NULL'

/** Lists the briefs of a run whose agents had no box, steps of the playbook and verifiers too. */
export const listUnboxed = (tx: ReadTx, runId: string): Promise<string[]> =>
  column('key', text).all(
    sqlOf(tx),
    `SELECT b.key FROM briefs b WHERE b.id IN (SELECT a.brief_id FROM attempts a WHERE a.run_id = ? AND ${isUnboxed})
ORDER BY b.created_at, b.id`,
    [runId],
  )

/** Selects the checks on which a result rests and that ran outside any box; one that did not run has no box either. */
const ranUnboxed = "c.passed = 1 AND c.boxed = 0 AND c.kind IN ('command', 'git', 'http')"

/** Lists the briefs whose agent had a box, but not every command that checked its newest attempt. */
export const listCheckedUnboxed = (tx: ReadTx, runId: string): Promise<string[]> =>
  column('key', text).all(
    sqlOf(tx),
    `SELECT b.key FROM briefs b JOIN attempts a ON a.id = b.attempt_id
WHERE b.run_id = ? AND a.boxed = 1 AND a.simulated = 0 AND b.status <> 'cancelled' AND EXISTS
(SELECT 1 FROM checks c WHERE c.attempt_id = a.id AND ${ranUnboxed})
ORDER BY b.created_at, b.id`,
    [runId],
  )

const isJudged = `EXISTS (SELECT 1 FROM verdicts v
WHERE v.brief_id = b.id AND v.scope = 'brief' AND v.attempt = a.fence AND v.verdict = 'pass')`

const oddRows = columns({ key: text, odd: json<Odd[]>(), verdictOdd: optional(json<Odd[]>()), judged: flag })

/** The odd lines about the verdict that passed an attempt: they are recorded with the attempt of its verifier. */
export const oddOfVerdict = `(SELECT j.odd FROM verdicts v JOIN briefs w ON w.id = v.verifier_brief_id JOIN attempts j ON j.id = w.attempt_id
WHERE v.brief_id = b.id AND v.scope = 'brief' AND v.attempt = a.fence AND v.verdict = 'pass' AND j.odd <> '[]' LIMIT 1)`

/**
 * Lists the odd changes of the work of a run, by its newest attempts, and whether a verifier passed each; odd verdicts
 * count as a change of the work that they passed.
 */
export async function listOdd(tx: ReadTx, runId: string): Promise<{ key: string; odd: Odd; isJudged: boolean }[]> {
  const rows = await oddRows.all(
    sqlOf(tx),
    `SELECT b.key, a.odd, ${oddOfVerdict} AS verdict_odd, CASE WHEN ${isJudged} THEN 1 ELSE 0 END AS judged
FROM attempts a JOIN briefs b ON b.attempt_id = a.id
WHERE a.run_id = ? AND b.kind = 'work' AND b.status <> 'cancelled' AND (a.odd <> '[]' OR ${oddOfVerdict} IS NOT NULL)
ORDER BY b.created_at, b.number, b.id`,
    [runId],
  )
  return rows.flatMap(({ key, odd, verdictOdd, judged }) =>
    [...(verdictOdd ?? []), ...odd].map((each) => ({ key, odd: each, isJudged: judged })),
  )
}

/**
 * Reports whether nothing but a person may accept the work of a run: agents or checks had no box, or an odd change was
 * shown to no verifier. With a brief, only the checks of that one are looked at.
 */
export async function needsPerson(tx: ReadTx, runId: string, briefId?: string): Promise<boolean> {
  const found = await countRows(
    sqlOf(tx),
    `SELECT CASE WHEN EXISTS (SELECT 1 FROM attempts a WHERE a.run_id = ? AND ${isUnboxed})
OR EXISTS (SELECT 1 FROM attempts a JOIN briefs b ON b.attempt_id = a.id
  WHERE a.run_id = ? AND a.odd <> '[]' AND b.kind = 'work' AND b.status <> 'cancelled' AND NOT ${isJudged})
OR EXISTS (SELECT 1 FROM briefs b JOIN attempts a ON a.id = b.attempt_id JOIN checks c ON c.attempt_id = a.id
  WHERE b.run_id = ? ${briefId === undefined ? '' : 'AND b.id = ?'} AND b.status <> 'cancelled' AND a.simulated = 0
  AND ${ranUnboxed})
THEN 1 ELSE 0 END AS count`,
    [runId, runId, runId, ...(briefId === undefined ? [] : [briefId])],
  )
  return found > 0
}
