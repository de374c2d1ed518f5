import type { ReadTx } from '../../db/port.ts'
import { findRow, findRows, table } from '../../db/table.ts'
import { sqlOf } from '../../db/tx.ts'
import type { ModelCost, Spend } from './contract.ts'

export const spends = table<Spend>('spends', { booleans: ['simulated'], stream: (row) => `run:${row.runId}` })

/** Made of attempt and number, so that a call that was recorded already is known again. */
export const spendId = (attemptId: string, number: number): string => `${attemptId.replace(/^att_/, 'spd_')}.${number}`

export const findSpend = (tx: ReadTx, id: string): Promise<Spend | undefined> => findRow(tx, spends, id)

export const listSpends = (tx: ReadTx, runId: string, limit: number): Promise<Spend[]> =>
  findRows(tx, spends, 'run_id = ? ORDER BY at DESC, id DESC LIMIT ?', [runId, limit])

export type SpendScope = { [Name in 'runId' | 'missionId' | 'organisationId' | 'personaId']?: string | number }

export async function sumByModel(tx: ReadTx, scope: SpendScope): Promise<ModelCost[]> {
  const wanted = Object.entries(scope) as [keyof typeof columns, string | number][]
  const where = wanted.map(([name]) => `${columns[name]} = ?`).join(' AND ') || '1 = 1'
  const rows = await sqlOf(tx).all(
    `SELECT provider, model, simulated, COUNT(*) AS calls, COUNT(*) - COUNT(cost_micros) AS unpriced,
SUM(input_tokens) AS input, SUM(output_tokens) AS output, SUM(cache_read_tokens) AS reads,
SUM(cache_write_tokens) AS writes, COALESCE(SUM(cost_micros), 0) AS micros
FROM spends WHERE ${where} GROUP BY provider, model, simulated ORDER BY micros DESC, calls DESC, model, provider`,
    wanted.map(([, value]) => value),
  )
  return rows.map((row) => ({
    provider: row['provider'] as string | null,
    model: row['model'] as string | null,
    simulated: row['simulated'] === 1,
    calls: Number(row['calls']),
    unpricedCalls: Number(row['unpriced']),
    inputTokens: Number(row['input']),
    outputTokens: Number(row['output']),
    cacheReadTokens: Number(row['reads']),
    cacheWriteTokens: Number(row['writes']),
    costMicros: Number(row['micros']),
  }))
}

const columns = {
  runId: 'run_id',
  missionId: 'mission_id',
  organisationId: 'organisation_id',
  personaId: 'persona_id',
} as const
