import { columns, integer, optional, text, textOf } from '../../db/columns.ts'
import { boundLimit } from '../../db/limit.ts'
import type { ReadTx } from '../../db/port.ts'
import { findRows } from '../../db/table.ts'
import { sqlOf } from '../../db/tx.ts'
import type { Artifact } from '../artifacts/contract.ts'
import { artifacts } from '../artifacts/store.ts'
import { type BriefStatus, briefStatuses } from '../briefs/states.ts'
import { authorName } from '../proof-sheets/store.ts'
import type { Question } from '../questions/contract.ts'
import { questions } from '../questions/store.ts'
import type { VerifiedBy } from './contract.ts'

/** Counts the briefs of work of a run by status. */
export async function countBriefs(tx: ReadTx, runId: string): Promise<Record<BriefStatus, number>> {
  const rows = await columns({ status: textOf<BriefStatus>(), count: integer }).all(
    sqlOf(tx),
    "SELECT status, COUNT(*) AS count FROM briefs WHERE run_id = ? AND kind = 'work' GROUP BY status",
    [runId],
  )
  const counts = new Map(rows.map(({ status, count }) => [status, count]))
  return Object.fromEntries(briefStatuses.map((status) => [status, counts.get(status) ?? 0])) as Record<
    BriefStatus,
    number
  >
}

/** Lists the newest version of each of these files of a run. */
export const listNewestFiles = async (tx: ReadTx, runId: string, names: readonly string[]): Promise<Artifact[]> =>
  names.length === 0
    ? []
    : findRows(
        tx,
        artifacts,
        `run_id = ? AND content IS NULL AND name IN (${marksOf(names)}) AND NOT EXISTS (SELECT 1 FROM artifacts n
WHERE n.run_id = artifacts.run_id AND n.name = artifacts.name AND n.version > artifacts.version AND n.content IS NULL)`,
        [runId, ...names],
      )

/** Lists the recorded versions of these outputs; a version that equals the one before it is recorded once. */
export const listVersions = async (
  tx: ReadTx,
  runId: string,
  outputs: readonly { readonly path: string; readonly sha256: string }[],
): Promise<Artifact[]> =>
  outputs.length === 0
    ? []
    : findRows(
        tx,
        artifacts,
        `run_id = ? AND content IS NULL AND name IN (${marksOf(outputs)}) AND sha256 IN (${marksOf(outputs)}) ORDER BY version`,
        [runId, ...outputs.map(({ path }) => path), ...outputs.map(({ sha256 }) => sha256)],
      )

/** Counts the verdicts on the newest attempts of briefs by the persona of the verifier. */
export const countVerifiers = (
  tx: ReadTx,
  runId: string,
  briefId: string | undefined,
  limit: number,
): Promise<VerifiedBy[]> =>
  verifiers.all(
    sqlOf(tx),
    `SELECT p.slug AS persona, ${authorName} AS name, COUNT(DISTINCT CASE WHEN v.verdict = 'pass' THEN v.brief_id END) AS passed,
COUNT(DISTINCT CASE WHEN v.verdict <> 'pass' THEN v.brief_id END) AS failed
FROM verdicts v JOIN briefs b ON b.id = v.brief_id AND b.attempts = v.attempt JOIN personas p ON p.id = v.verifier_persona_id
WHERE v.run_id = ?${briefId === undefined ? '' : ' AND v.brief_id = ?'}
GROUP BY p.id, p.slug, p.name ORDER BY 3 DESC, 4 DESC, p.slug ${boundLimit}`,
    [runId, ...(briefId === undefined ? [] : [briefId]), limit],
  )

const verifiers = columns({ persona: text, name: text, passed: integer, failed: integer })

/** Lists the newest answered questions, the newest first. */
export const listAnswered = (
  tx: ReadTx,
  runId: string,
  briefId: string | undefined,
  limit: number,
): Promise<Question[]> =>
  findRows(
    tx,
    questions,
    `run_id = ?${briefId === undefined ? '' : ' AND brief_id = ?'} AND answer IS NOT NULL ORDER BY answered_at DESC, id DESC ${boundLimit}`,
    [runId, ...(briefId === undefined ? [] : [briefId]), limit],
  )

/** Returns the agent of an attempt. */
export async function findAgentOf(tx: ReadTx, attemptId: string): Promise<number | undefined> {
  const found = await columns({ agentId: optional(integer) }).first(
    sqlOf(tx),
    'SELECT agent_id FROM attempts WHERE id = ?',
    [attemptId],
  )
  return found?.agentId ?? undefined
}

const marksOf = (values: readonly unknown[]): string => values.map(() => '?').join(', ')
