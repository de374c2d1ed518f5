import { columns, integer, json, optional, text } from '../../db/columns.ts'
import { boundLimit } from '../../db/limit.ts'
import type { ReadTx } from '../../db/port.ts'
import { sqlOf } from '../../db/tx.ts'
import type { Report } from '../attempts/contract.ts'
import type { ResultsRequest } from './contract.ts'

/** The verdict on the newest attempt of a brief `b`; an attempt is judged once. */
const joined = `FROM briefs b LEFT JOIN attempts a ON a.id = b.attempt_id
LEFT JOIN verdicts v ON v.brief_id = b.id AND v.attempt = b.attempts AND v.scope = 'brief'`

const isSettled = "v.verdict = 'pass' AND b.status IN ('verified', 'done')"

const resultRows = columns({
  key: text,
  title: text,
  groupKey: optional(text),
  status: text,
  attempts: integer,
  attemptId: optional(text),
  report: optional(json<Report>()),
  outputs: optional(json<{ path: string; sha256: string }[]>()),
  verdict: optional(text),
  issues: optional(json<string[]>()),
  missingEvidence: optional(json<string[]>()),
  notes: optional(text),
})
export type ResultRow = ReturnType<typeof resultRows.read>

/**
 * Lists the newest results of the work of a run or of a part. Work without a passing verdict comes first, then work
 * that waits for a joint one, and cancelled work last. The groups take turns, so that a maximum leaves none of them out.
 */
export function listResults(
  tx: ReadTx,
  runId: string,
  selection: ResultsRequest | { readonly briefId: string },
  most: number,
): Promise<ResultRow[]> {
  const { where, values } =
    'briefId' in selection ? { where: 'b.id = ?', values: [selection.briefId] } : selected(runId, selection.part)
  return resultRows.all(
    sqlOf(tx),
    `SELECT w.key, w.title, w.group_key, w.status, w.attempts, w.attempt_id, w.report, w.outputs, w.verdict, w.issues,
w.missing_evidence, w.notes
FROM (SELECT r.*, ROW_NUMBER() OVER (PARTITION BY r.turn, r.group_key ORDER BY r.number, r.id) AS place
  FROM (SELECT b.id, b.number, b.key, b.title, b.group_key, b.status, b.attempts, b.attempt_id, a.report, a.outputs,
    v.verdict, v.issues, v.missing_evidence, v.notes,
    CASE WHEN b.status = 'cancelled' THEN 3 WHEN ${isSettled} THEN 2 WHEN v.verdict = 'pass' THEN 1 ELSE 0 END AS turn
    ${joined} WHERE ${where}) r) w
ORDER BY w.turn, w.place, w.number, w.id ${boundLimit}`,
    [...values, most],
  )
}

const groupRows = columns({
  groupKey: optional(text),
  tasks: integer,
  pass: integer,
  fail: integer,
  unjudged: integer,
  cancelled: integer,
})
export type GroupRow = ReturnType<typeof groupRows.read>

/** Counts the work of each group by its verdict; groups with work that did not pass come first. */
export function countResults(tx: ReadTx, runId: string, { part }: ResultsRequest): Promise<GroupRow[]> {
  const { where, values } = selected(runId, part)
  const sum = (condition: string): string => `SUM(CASE WHEN ${condition} THEN 1 ELSE 0 END)`
  const living = "b.status <> 'cancelled'"
  return groupRows.all(
    sqlOf(tx),
    `SELECT g.* FROM (SELECT b.group_key, COUNT(*) AS tasks, ${sum(`${living} AND v.verdict = 'pass'`)} AS pass,
${sum(`${living} AND v.verdict <> 'pass'`)} AS fail, ${sum(`${living} AND v.verdict IS NULL`)} AS unjudged,
${sum("b.status = 'cancelled'")} AS cancelled
${joined} WHERE ${where} GROUP BY b.group_key) g
ORDER BY CASE WHEN g.fail + g.unjudged > 0 THEN 0 ELSE 1 END, g.group_key`,
    values,
  )
}

const selected = (runId: string, part: string | undefined): { where: string; values: string[] } => ({
  where: `b.run_id = ? AND b.kind = 'work'${part === undefined ? '' : ' AND b.part = ?'}`,
  values: [runId, ...(part === undefined ? [] : [part])],
})
