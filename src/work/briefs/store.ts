import type { ReadTx } from '../../db/port.ts'
import { findFields, findRow, findRows, table } from '../../db/table.ts'
import { sqlOf } from '../../db/tx.ts'
import type { Brief, Dependency } from './contract.ts'

export const briefs = table<Brief>('briefs', {
  json: ['evidence', 'runtimeOptions', 'corrections', 'guidance'],
  booleans: ['checkable'],
  added: {
    kind: 'work',
    verify: 'none',
    checkable: 1,
    verification_failures: 0,
    verification_limit: 3,
    similar_escalations: 0,
    guidance: '[]',
    provider: '',
    tokens_used: 0,
    cost_micros: 0,
  },
  stream: (row) => `run:${row.runId}`,
})

export const dependencies = table<Dependency>('dependencies', {
  key: ['briefId', 'afterId'],
  booleans: ['met'],
  stream: (row) => `run:${row.runId}`,
})

export const findBrief = (tx: ReadTx, id: string): Promise<Brief | undefined> => findRow(tx, briefs, id)

/** What is used of its own limits changes while an agent is at work on it. */
export const findMoneyOf = (tx: ReadTx, id: string) =>
  findFields(tx, briefs, ['tokenBudget', 'costLimitMicros', 'tokensUsed', 'costMicros'], id)

export const listBriefs = (tx: ReadTx, runId: string): Promise<Brief[]> =>
  findRows(tx, briefs, 'run_id = ? ORDER BY created_at, number, id', [runId])

export async function findBriefByKey(tx: ReadTx, runId: string, key: string): Promise<Brief | undefined> {
  return (await findRows(tx, briefs, 'run_id = ? AND key = ?', [runId, key]))[0]
}

export const listBriefsById = (tx: ReadTx, ids: readonly string[]): Promise<Brief[]> =>
  findRows(tx, briefs, `id IN (${ids.map(() => '?').join(', ')}) ORDER BY created_at, number, id`, ids)

export const listBriefsByStatus = (tx: ReadTx, status: string, limit: number): Promise<Brief[]> =>
  findRows(tx, briefs, 'status = ? ORDER BY updated_at DESC, id LIMIT ?', [status, limit])

export const listOpenBriefs = (tx: ReadTx, runId: string): Promise<Brief[]> =>
  findRows(tx, briefs, "run_id = ? AND status NOT IN ('done', 'failed', 'cancelled') ORDER BY created_at, number, id", [
    runId,
  ])

/** Who waits for this brief. */
export const listDependents = (tx: ReadTx, briefId: string): Promise<Dependency[]> =>
  findRows(tx, dependencies, 'after_id = ? AND met = 0 ORDER BY brief_id', [briefId])

/** Briefs that may start now: nothing unmet, nothing holding them, their run under way and without a failure. */
export async function listReadyBriefs(tx: ReadTx, limit: number): Promise<{ briefId: string; runId: string }[]> {
  const rows = await sqlOf(tx).all(
    `SELECT b.id, b.run_id FROM briefs b JOIN runs r ON r.id = b.run_id
WHERE b.status = 'pending' AND b.unmet_dependencies = 0 AND b.held_by IS NULL AND r.status = 'running' AND r.briefs_failed = 0
ORDER BY b.created_at, b.number, b.id LIMIT ?`,
    [limit],
  )
  return rows.map((row) => ({ briefId: row['id'] as string, runId: row['run_id'] as string }))
}

/** Of one run, whatever holds the run itself. */
export async function countReadyBriefs(tx: ReadTx, runId: string): Promise<number> {
  const row = await sqlOf(tx).get(
    "SELECT COUNT(*) AS count FROM briefs WHERE run_id = ? AND status = 'pending' AND unmet_dependencies = 0 AND held_by IS NULL",
    [runId],
  )
  return Number(row?.['count'])
}

export const listFailedBriefs = (tx: ReadTx, runId: string): Promise<Brief[]> =>
  findRows(tx, briefs, "run_id = ? AND status = 'failed' AND kind <> 'verify' ORDER BY updated_at, id", [runId])

/** The newest brief that plans the run. */
export async function findPlanner(tx: ReadTx, runId: string): Promise<Brief | undefined> {
  return (
    await findRows(tx, briefs, "run_id = ? AND kind = 'plan' ORDER BY created_at DESC, id DESC LIMIT 1", [runId])
  )[0]
}

/** Verified work that nobody waits for: what the run comes to. */
export const listLastBriefs = (tx: ReadTx, runId: string): Promise<Brief[]> =>
  findRows(
    tx,
    briefs,
    `run_id = ? AND status = 'verified' AND kind = 'work'
AND NOT EXISTS (SELECT 1 FROM dependencies d WHERE d.after_id = briefs.id) ORDER BY created_at, number, id`,
    [runId],
  )

export const listVerifiedBriefs = (tx: ReadTx, runId: string): Promise<Brief[]> =>
  findRows(tx, briefs, "run_id = ? AND status = 'verified' AND kind = 'work' ORDER BY created_at, number, id", [runId])

/** Whoever is to judge this brief, or does. */
export const listVerifiersOf = (tx: ReadTx, briefId: string): Promise<Brief[]> =>
  findRows(tx, briefs, "verifies = ? AND status NOT IN ('done', 'failed', 'cancelled') ORDER BY created_at, id", [
    briefId,
  ])
