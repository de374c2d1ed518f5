import type { ReadTx } from '../../db/port.ts'
import { findRows, table } from '../../db/table.ts'
import type { Verdict } from './contract.ts'

export const verdicts = table<Verdict>('verdicts', {
  json: ['checked', 'missingEvidence', 'issues'],
  stream: (row) => `run:${row.runId}`,
})

export const listVerdicts = (tx: ReadTx, runId: string): Promise<Verdict[]> =>
  findRows(tx, verdicts, 'run_id = ? ORDER BY at, id', [runId])

export const listVerdictsOfBrief = (tx: ReadTx, briefId: string): Promise<Verdict[]> =>
  findRows(tx, verdicts, 'brief_id = ? ORDER BY attempt, at, id', [briefId])

/** Returns, for each brief of a part, the verdict on its newest attempt that was judged. */
export async function listNewestVerdicts(tx: ReadTx, runId: string, part: string): Promise<Verdict[]> {
  const all = await findRows(
    tx,
    verdicts,
    "run_id = ? AND scope = 'brief' AND brief_id IN (SELECT id FROM briefs WHERE run_id = ? AND part = ?) ORDER BY attempt",
    [runId, runId, part],
  )
  return [...new Map(all.map((verdict) => [verdict.briefId, verdict])).values()]
}
