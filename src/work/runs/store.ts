import { column, columns, integer, json, text } from '../../db/columns.ts'
import { allOf, ofOrganisation } from '../../db/conditions.ts'
import { boundLimit } from '../../db/limit.ts'
import type { ReadTx } from '../../db/port.ts'
import { findRow, findRows, table } from '../../db/table.ts'
import { sqlOf } from '../../db/tx.ts'
import type { PastRun, Run } from './contract.ts'

export const runs = table<Run>('runs', {
  json: ['configuration', 'repository'],
  booleans: ['simulated', 'abandoned'],
  added: {
    priority: 'medium',
    briefs_verified: 0,
    abandoned: 0,
    gates_pending: 0,
    questions_open: 0,
    notes_total: 0,
    cost_micros: 0,
    unpriced_calls: 0,
    continues: null,
    dismissed_at: null,
  },
  stream: (row) => `run:${row.id}`,
})

export const findRun = (tx: ReadTx, id: string): Promise<Run | undefined> => findRow(tx, runs, id)

/** Returns at most two: enough to detect an ambiguous prefix. */
export const findRunIdsByPrefix = (tx: ReadTx, prefix: string): Promise<string[]> =>
  runIds.all(sqlOf(tx), 'SELECT id FROM runs WHERE id >= ? AND id < ? ORDER BY id LIMIT 2', [prefix, `${prefix}~`])

const runIds = column('id', text)

export interface RunQuery {
  status?: string | undefined
  /** Only runs that have ended, or only those that have not. */
  hasEnded?: boolean | undefined
  /** Only runs that were dismissed, or only those that were not. */
  isDismissed?: boolean | undefined
  organisationId?: number | undefined
  /** Several runs may start within one millisecond: the time alone would lose some between two pages. */
  before?: Pick<Run, 'startedAt' | 'id'> | undefined
  limit: number
}

/** Lists runs, newest first. */
export function listRuns(
  tx: ReadTx,
  { status, hasEnded, isDismissed, organisationId, before, limit }: RunQuery,
): Promise<Run[]> {
  const { where, values } = allOf(
    before !== undefined && ['(started_at, id) < (?, ?)', [before.startedAt, before.id]],
    status !== undefined && ['status = ?', [status]],
    hasEnded !== undefined && [`ended_at IS ${hasEnded ? 'NOT NULL' : 'NULL'}`, []],
    isDismissed !== undefined && [`dismissed_at IS ${isDismissed ? 'NOT NULL' : 'NULL'}`, []],
    ofOrganisation(organisationId),
  )
  return findRows(tx, runs, `${where} ORDER BY started_at DESC, id DESC ${boundLimit}`, [...values, limit])
}

/** Finds an active run of a mission, which moves the mission. Only steps in a workspace can be active beside one another. */
export const findOpenRunOf = (tx: ReadTx, missionId: string): Promise<string | undefined> =>
  runIds.first(sqlOf(tx), 'SELECT id FROM runs WHERE mission_id = ? AND ended_at IS NULL', [missionId])

/** Lists the runs that continue a run, oldest first. */
export const listContinuations = (tx: ReadTx, runId: string): Promise<Run[]> =>
  findRows(tx, runs, `continues = ? ORDER BY started_at, id ${boundLimit}`, [runId, 50])

export const listOpenRunIds = (tx: ReadTx, missionId: string): Promise<string[]> =>
  runIds.all(sqlOf(tx), 'SELECT id FROM runs WHERE mission_id = ? AND ended_at IS NULL ORDER BY id', [missionId])

/** Returns those of the missions whose runs were all simulated; a mission without runs is not. */
export async function listSimulatedMissions(tx: ReadTx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const marks = ids.map(() => '?').join(', ')
  const found = await runIds.all(
    sqlOf(tx),
    `SELECT mission_id AS id FROM runs WHERE mission_id IN (${marks}) GROUP BY mission_id HAVING MIN(simulated) = 1`,
    ids,
  )
  return new Set(found)
}

/** Lists the active runs in a mission's workspace, oldest first. */
export const listRunsIn = async (tx: ReadTx, missionId: string, workspace: string): Promise<Run[]> =>
  (await findRows(tx, runs, 'mission_id = ? AND ended_at IS NULL ORDER BY started_at, id', [missionId])).filter(
    (run) => run.configuration.workspace === workspace,
  )

export const listOpenRunsOf = (tx: ReadTx, playbook: string): Promise<Run[]> =>
  findRows(tx, runs, 'playbook = ? AND ended_at IS NULL ORDER BY id', [playbook])

/** Counts the runs that have ended, by their status. */
export async function countEndedRuns(tx: ReadTx, organisationId?: number): Promise<Record<string, number>> {
  const { where, values } = allOf(['ended_at IS NOT NULL', []], ofOrganisation(organisationId))
  const rows = await columns({ status: text, count: integer }).all(
    sqlOf(tx),
    `SELECT status, COUNT(*) AS count FROM runs WHERE ${where} GROUP BY status ORDER BY status`,
    values,
  )
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

/** Counts active runs, and their calls without a known price; calls of simulated runs never have one. */
export const countOpenRuns = (tx: ReadTx): Promise<{ runs: number; unpricedCalls: number }> =>
  columns({ runs: integer, unpricedCalls: integer }).one(
    sqlOf(tx),
    `SELECT COUNT(*) AS runs, COALESCE(SUM(CASE WHEN simulated = 0 THEN unpriced_calls ELSE 0 END), 0) AS unpriced_calls
FROM runs WHERE ended_at IS NULL`,
  )

/** As many as a person would read. */
const newest = 20

/** Lists completed runs of the same playbook: simulated runs are no basis for real ones, nor real ones for simulated. */
export async function listPastRuns(tx: ReadTx, { playbook, simulated }: Run): Promise<PastRun[]> {
  const rows = await keysOfRuns.all(
    sqlOf(tx),
    `SELECT r.id, r.started_at, r.ended_at, r.input_tokens + r.output_tokens AS tokens, r.cost_micros, b.cap_key,
COUNT(b.id) AS briefs, SUM(b.tokens_used) AS key_tokens, SUM(b.cost_micros) AS key_cost
FROM (SELECT * FROM runs WHERE playbook = ? AND simulated = ? AND status = 'done' ORDER BY ended_at DESC, id ${boundLimit}) r
JOIN briefs b ON b.run_id = r.id AND b.cap_key IS NOT NULL AND b.attempts > 0
GROUP BY r.id, r.started_at, r.ended_at, r.input_tokens, r.output_tokens, r.cost_micros, b.cap_key
ORDER BY r.ended_at DESC, r.id, b.cap_key`,
    [playbook, simulated ? 1 : 0, newest],
  )
  const past = new Map<string, { run: Omit<PastRun, 'byCapKey'>; byCapKey: PastRun['byCapKey'] }>()
  for (const row of rows) {
    const known = past.get(row.id) ?? {
      run: {
        simulated,
        tokens: row.tokens,
        costMicros: row.costMicros,
        minutes: (Date.parse(row.endedAt) - Date.parse(row.startedAt)) / 60_000,
      },
      byCapKey: {},
    }
    past.set(row.id, {
      run: known.run,
      byCapKey: {
        ...known.byCapKey,
        [row.capKey]: { briefs: row.briefs, tokens: row.keyTokens, costMicros: row.keyCost },
      },
    })
  }
  return [...past.values()].map(({ run, byCapKey }) => ({ ...run, byCapKey }))
}

const keysOfRuns = columns({
  id: text,
  startedAt: text,
  endedAt: text,
  tokens: integer,
  costMicros: integer,
  capKey: text,
  briefs: integer,
  keyTokens: integer,
  keyCost: integer,
})

/** A completed run with the times in which its agents were at work. */
export interface FinishedRun {
  readonly tokens: number
  readonly costMicros: number
  readonly unpricedCalls: number
  /** Start and end of each attempt, in milliseconds. */
  readonly work: readonly (readonly [start: number, end: number])[]
}

/** Lists the newest completed runs of a playbook, simulated ones or real ones. */
export async function listFinishedRuns(
  tx: ReadTx,
  { playbook, simulated }: Pick<Run, 'playbook' | 'simulated'>,
): Promise<FinishedRun[]> {
  const rows = await finishedWork.all(
    sqlOf(tx),
    `SELECT r.id, r.input_tokens + r.output_tokens AS tokens, r.cost_micros, r.unpriced_calls, a.started_at, a.ended_at
FROM (SELECT * FROM runs WHERE playbook = ? AND simulated = ? AND status = 'done' ORDER BY ended_at DESC, id ${boundLimit}) r
JOIN attempts a ON a.run_id = r.id AND a.started_at IS NOT NULL AND a.ended_at IS NOT NULL ORDER BY r.id`,
    [playbook, simulated ? 1 : 0, newest],
  )
  return [...Map.groupBy(rows, ({ id }) => id).values()].map((own) => {
    const { tokens, costMicros, unpricedCalls } = own[0] as (typeof rows)[number]
    const work = own.map(({ startedAt, endedAt }) => [Date.parse(startedAt), Date.parse(endedAt)] as const)
    return { tokens, costMicros, unpricedCalls, work }
  })
}

const finishedWork = columns({
  id: text,
  tokens: integer,
  costMicros: integer,
  unpricedCalls: integer,
  startedAt: text,
  endedAt: text,
})

/** Lists the repositories of the newest runs, each once, with the start of the newest run in it. */
export async function listRecentRepositories(tx: ReadTx): Promise<{ path: string; usedAt: string }[]> {
  const rows = await columns({ repository: json<{ path: string }>(), startedAt: text }).all(
    sqlOf(tx),
    `SELECT repository, started_at FROM runs WHERE repository IS NOT NULL ORDER BY started_at DESC, id DESC ${boundLimit}`,
    [searchedRuns],
  )
  const found = new Map<string, string>()
  for (const { repository, startedAt } of rows) if (!found.has(repository.path)) found.set(repository.path, startedAt)
  return [...found].map(([path, usedAt]) => ({ path, usedAt }))
}

/** Enough to find every repository in use. */
const searchedRuns = 200
