import { agents } from '../agents/store.ts'
import { column, columns, countRows, flag, integer, optional, text } from '../../db/columns.ts'
import type { ReadTx } from '../../db/port.ts'
import { boundLimit } from '../../db/limit.ts'
import { findFields, findRow, findRows, table } from '../../db/table.ts'
import { sqlOf } from '../../db/tx.ts'
import type { AgentActor } from '../../kernel/actor.ts'
import { refusal } from '../../kernel/errors.ts'
import { isStopped } from '../stops/store.ts'
import type { Attempt } from './contract.ts'

export const attempts = table<Attempt>('attempts', {
  json: ['report', 'outputs', 'inputsSeen', 'used', 'denied', 'ending', 'odd'],
  booleans: ['simulated', 'boxed', 'budgeted'],
  added: { cost_micros: 0, budgeted: 0, denied: '[]', outputs: '[]', inputs_seen: '[]', odd: '[]' },
  stream: (row) => `run:${row.runId}`,
})

export const findAttempt = (tx: ReadTx, id: string): Promise<Attempt | undefined> => findRow(tx, attempts, id)

/** Returns the attempt of a brief with this number. */
export const findAttemptOf = async (tx: ReadTx, briefId: string, fence: number): Promise<Attempt | undefined> =>
  (await findRows(tx, attempts, 'brief_id = ? AND fence = ?', [briefId, fence]))[0]

/** Reads the columns that others may have changed since the attempt was claimed: its agent, the operator, another worker. */
export const findProgress = (tx: ReadTx, id: string): Promise<Progress | undefined> =>
  findFields(tx, attempts, progress, id)

const progress = [
  'status',
  'worker',
  'report',
  'contradiction',
  'inputTokens',
  'outputTokens',
  'costMicros',
  'budgeted',
] as const
export type Progress = Pick<Attempt, (typeof progress)[number]>

/** Orders attempts by launch: agents are numbered, and several may share a millisecond. */
export const listAttempts = (tx: ReadTx, runId: string): Promise<Attempt[]> =>
  findRows(tx, attempts, 'run_id = ? ORDER BY agent_id', [runId])

export const listLiveAttemptsOfRun = (tx: ReadTx, runId: string): Promise<Attempt[]> =>
  findRows(tx, attempts, "run_id = ? AND status <> 'ended' ORDER BY created_at, id", [runId])

/** Counts the attempts of a run that end by themselves: none that waits for an answer. */
export const countUnderWay = (tx: ReadTx, runId: string): Promise<number> =>
  countRows(
    sqlOf(tx),
    "SELECT COUNT(*) AS count FROM attempts WHERE run_id = ? AND status <> 'ended' AND held_by IS NULL",
    [runId],
  )

/** Counts the attempts of a run whose agents are at work, by the cap key of their briefs. */
export async function countLiveByKey(tx: ReadTx, runId: string): Promise<Map<string | null, number>> {
  const rows = await columns({ capKey: optional(text), count: integer }).all(
    sqlOf(tx),
    "SELECT b.cap_key, COUNT(*) AS count FROM attempts a JOIN briefs b ON b.id = a.brief_id WHERE a.run_id = ? AND a.status IN ('launching', 'running') GROUP BY b.cap_key",
    [runId],
  )
  return new Map(rows.map(({ capKey, count }) => [capKey, count]))
}

/** Counts the attempts whose agents are at work, by run. */
export const countAtWork = (tx: ReadTx): Promise<{ runId: string; count: number }[]> =>
  columns({ runId: text, count: integer }).all(
    sqlOf(tx),
    "SELECT run_id, COUNT(*) AS count FROM attempts WHERE status IN ('launching', 'running') GROUP BY run_id ORDER BY 2 DESC, 1",
  )

/** Lists every attempt that has not ended. */
export const listLiveAttempts = (tx: ReadTx): Promise<Attempt[]> =>
  findRows(tx, attempts, "status <> 'ended' ORDER BY created_at, id")

/** Lists the attempts whose evidence can be checked now, oldest first. */
export const listReported = (tx: ReadTx, limit: number): Promise<{ attemptId: string; runId: string }[]> =>
  reported.all(
    sqlOf(tx),
    `SELECT a.id AS attempt_id, a.run_id FROM attempts a JOIN runs r ON r.id = a.run_id
WHERE a.status = 'reported' AND a.held_by IS NULL AND NOT ${isStopped} ORDER BY a.created_at, a.id ${boundLimit}`,
    [limit],
  )

/** Lists the attempts of a run whose evidence waits for this, oldest first. */
export const listHeldAttemptsOfRun = (tx: ReadTx, runId: string, heldBy: string): Promise<Attempt[]> =>
  findRows(tx, attempts, "run_id = ? AND status = 'reported' AND held_by = ? ORDER BY created_at, id", [runId, heldBy])

/** Lists the runs with such attempts. */
export const listRunsHeldBy = (tx: ReadTx, heldBy: string): Promise<string[]> =>
  column('run_id', text).all(
    sqlOf(tx),
    "SELECT DISTINCT run_id FROM attempts WHERE status = 'reported' AND held_by = ? ORDER BY run_id",
    [heldBy],
  )

const reported = columns({ attemptId: text, runId: text })

const attemptIds = column('id', text)

/** Lists those of the given attempts that another party has ended: a cancelled run, or a worker that took over. */
export async function listEnded(tx: ReadTx, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const marks = ids.map(() => '?').join(', ')
  return attemptIds.all(sqlOf(tx), `SELECT id FROM attempts WHERE status = 'ended' AND id IN (${marks})`, ids)
}

/** The state of an attempt that the check of its token needs. */
export interface AttemptStanding {
  attemptId: string
  runId: string
  briefId: string
  agentId: number
  personaId: number
  fence: number
  /** Its agent has ended: its later writes no longer count. */
  ended: boolean
  newestFence: number
}

const standings = columns({
  attemptId: text,
  runId: text,
  briefId: text,
  agentId: integer,
  personaId: integer,
  fence: integer,
  ended: flag,
  newestFence: integer,
})

export const findStanding = (tx: ReadTx, attemptId: string): Promise<AttemptStanding | undefined> =>
  standings.first(
    sqlOf(tx),
    `SELECT a.id AS attempt_id, a.run_id, a.brief_id, a.agent_id, g.persona_id, a.fence, a.status NOT IN ('launching', 'running') AS ended,
b.attempts AS newest_fence
FROM attempts a JOIN briefs b ON b.id = a.brief_id JOIN ${agents.name} g ON g.id = a.agent_id WHERE a.id = ?`,
    [attemptId],
  )

/**
 * Checks the fence inside the writing transaction: an agent whose attempt has ended, or whose brief has a newer attempt,
 * can no longer change anything.
 */
export async function checkFence(tx: ReadTx, by: AgentActor): Promise<AttemptStanding> {
  const standing = await findStanding(tx, by.attemptId)
  if (standing !== undefined && !standing.ended && standing.fence === by.fence && standing.newestFence === by.fence)
    return standing
  throw refusal('stale_fence', `attempt ${by.attemptId} is no longer the current attempt of ${by.briefId}`, {
    hint: 'Stop: another attempt has taken over this brief, or it was ended.',
  })
}
