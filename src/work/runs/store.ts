import type { ReadTx } from '../../db/port.ts'
import { findRow, findRows, table } from '../../db/table.ts'
import { sqlOf } from '../../db/tx.ts'
import type { Tier } from '../briefs/contract.ts'
import type { PastRun, Run } from './contract.ts'

export const runs = table<Run>('runs', {
  json: ['configuration', 'repository'],
  booleans: ['simulated', 'abandoned'],
  added: {
    briefs_verified: 0,
    abandoned: 0,
    gates_pending: 0,
    questions_open: 0,
    notes_total: 0,
    cost_micros: 0,
    unpriced_calls: 0,
  },
  stream: (row) => `run:${row.id}`,
})

export const findRun = (tx: ReadTx, id: string): Promise<Run | undefined> => findRow(tx, runs, id)

/** At most two: enough to know that a prefix is not unique. */
export async function findRunIdsByPrefix(tx: ReadTx, prefix: string): Promise<string[]> {
  const rows = await sqlOf(tx).all('SELECT id FROM runs WHERE id >= ? AND id < ? ORDER BY id LIMIT 2', [
    prefix,
    `${prefix}~`,
  ])
  return rows.map((row) => row['id'] as string)
}

export interface RunQuery {
  status?: string | undefined
  organisationId?: number | undefined
  /** Several may start within one millisecond: the time alone would lose some of them between two pages. */
  before?: Pick<Run, 'startedAt' | 'id'> | undefined
  limit: number
}

export function listRuns(tx: ReadTx, { status, organisationId, before, limit }: RunQuery): Promise<Run[]> {
  const wanted: [string, (string | number)[]][] = [['1 = 1', []]]
  if (before !== undefined) wanted.push(['(started_at, id) < (?, ?)', [before.startedAt, before.id]])
  if (status !== undefined) wanted.push(['status = ?', [status]])
  if (organisationId !== undefined) wanted.push(['organisation_id = ?', [organisationId]])
  const where = wanted.map(([condition]) => condition).join(' AND ')
  return findRows(tx, runs, `${where} ORDER BY started_at DESC, id DESC LIMIT ?`, [
    ...wanted.flatMap(([, values]) => values),
    limit,
  ])
}

/** A mission has at most one run under way; it moves the mission. */
export async function findOpenRunOf(tx: ReadTx, missionId: string): Promise<string | undefined> {
  const row = await sqlOf(tx).get('SELECT id FROM runs WHERE mission_id = ? AND ended_at IS NULL', [missionId])
  return row?.['id'] as string | undefined
}

/** Runs under way in a mission's workspace, whoever came first first. */
export const listRunsIn = async (tx: ReadTx, missionId: string, workspace: string): Promise<Run[]> =>
  (await findRows(tx, runs, 'mission_id = ? AND ended_at IS NULL ORDER BY started_at, id', [missionId])).filter(
    (run) => run.configuration.workspace === workspace,
  )

export const listOpenTieredRuns = (tx: ReadTx): Promise<Run[]> =>
  findRows(tx, runs, "playbook = 'tiered' AND ended_at IS NULL ORDER BY id")

export async function countRuns(tx: ReadTx, organisationId?: number): Promise<Record<string, number>> {
  const [where, values] = organisationId === undefined ? ['', []] : ['WHERE organisation_id = ?', [organisationId]]
  const rows = await sqlOf(tx).all(
    `SELECT status, COUNT(*) AS count FROM runs ${where} GROUP BY status ORDER BY status`,
    values,
  )
  return Object.fromEntries(rows.map((row) => [row['status'] as string, Number(row['count'])]))
}

export async function countOpenRuns(tx: ReadTx): Promise<{ runs: number; unpricedCalls: number }> {
  const row = await sqlOf(tx).get(
    'SELECT COUNT(*) AS runs, COALESCE(SUM(unpriced_calls), 0) AS unpriced FROM runs WHERE ended_at IS NULL',
  )
  return { runs: Number(row?.['runs']), unpricedCalls: Number(row?.['unpriced']) }
}

/** As many as a person would look at, too. */
const newest = 20

/** What runs by the same playbook have come to here: played ones say nothing about real ones, and the other way round. */
export async function listPastRuns(tx: ReadTx, { playbook, simulated }: Run): Promise<PastRun[]> {
  const rows = await sqlOf(tx).all(
    `SELECT r.id, r.started_at, r.ended_at, r.input_tokens + r.output_tokens AS tokens, r.cost_micros, b.tier,
COUNT(b.id) AS briefs, SUM(b.tokens_used) AS tier_tokens, SUM(b.cost_micros) AS tier_cost
FROM (SELECT * FROM runs WHERE playbook = ? AND simulated = ? AND status = 'done' ORDER BY ended_at DESC, id LIMIT ?) r
JOIN briefs b ON b.run_id = r.id AND b.tier IS NOT NULL AND b.attempts > 0
GROUP BY r.id, r.started_at, r.ended_at, r.input_tokens, r.output_tokens, r.cost_micros, b.tier
ORDER BY r.ended_at DESC, r.id, b.tier`,
    [playbook, simulated ? 1 : 0, newest],
  )
  const past = new Map<string, { run: Omit<PastRun, 'tiers'>; tiers: Partial<PastRun['tiers'] & object> }>()
  for (const row of rows) {
    const id = row['id'] as string
    const known = past.get(id) ?? {
      run: {
        simulated,
        tokens: Number(row['tokens']),
        costMicros: Number(row['cost_micros']),
        minutes: (Date.parse(row['ended_at'] as string) - Date.parse(row['started_at'] as string)) / 60_000,
      },
      tiers: {},
    }
    past.set(id, {
      run: known.run,
      tiers: {
        ...known.tiers,
        [row['tier'] as Tier]: {
          briefs: Number(row['briefs']),
          tokens: Number(row['tier_tokens']),
          costMicros: Number(row['tier_cost']),
        },
      },
    })
  }
  return [...past.values()].map(({ run, tiers }) => ({ ...run, tiers }))
}
