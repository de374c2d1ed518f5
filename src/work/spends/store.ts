import { columns, flag, integer, optional, text } from '../../db/columns.ts'
import { boundLimit } from '../../db/limit.ts'
import type { ReadTx } from '../../db/port.ts'
import { findRow, findRows, table } from '../../db/table.ts'
import { sqlOf } from '../../db/tx.ts'
import type { ModelCost, Spend } from './contract.ts'

export const spends = table<Spend>('spends', {
  booleans: ['simulated', 'claimed'],
  added: { claimed: 0 },
  stream: ({ runId, organisationId }) => (runId === null ? `org:${organisationId}` : `run:${runId}`),
})

/** Consists of attempt and number, so that a repeated record of a call is recognised. */
export const spendId = (attemptId: string, number: number): string => `${attemptId.replace(/^att_/, 'spd_')}.${number}`

/** Consists of agent and number in the same way. */
export const spendIdOfAgent = (agentId: number, number: number): string => `spd_agent_${agentId}.${number}`

export const findSpend = (tx: ReadTx, id: string): Promise<Spend | undefined> => findRow(tx, spends, id)

export const listSpends = (tx: ReadTx, runId: string, limit: number): Promise<Spend[]> =>
  findRows(tx, spends, `run_id = ? ORDER BY at DESC, id DESC ${boundLimit}`, [runId, limit])

export type SpendScope = { [Name in 'runId' | 'missionId' | 'organisationId' | 'personaId']?: string | number }

export async function sumByModel(tx: ReadTx, scope: SpendScope, since = ''): Promise<ModelCost[]> {
  const wanted = Object.entries(scope) as [keyof typeof scopeColumns, string | number][]
  const where = ['at >= ?', ...wanted.map(([name]) => `${scopeColumns[name]} = ?`)].join(' AND ')
  return costs.all(
    sqlOf(tx),
    `SELECT provider, model, simulated, claimed, COUNT(*) AS calls, COUNT(*) - COUNT(cost_micros) AS unpriced_calls,
SUM(input_tokens) AS input_tokens, SUM(output_tokens) AS output_tokens, SUM(cache_read_tokens) AS cache_read_tokens,
SUM(cache_write_tokens) AS cache_write_tokens, COALESCE(SUM(cost_micros), 0) AS cost_micros
FROM spends WHERE ${where} GROUP BY provider, model, simulated, claimed
ORDER BY cost_micros DESC, calls DESC, model, provider, claimed`,
    [since, ...wanted.map(([, value]) => value)],
  )
}

const costs = columns({
  provider: optional(text),
  model: optional(text),
  simulated: flag,
  claimed: flag,
  calls: integer,
  unpricedCalls: integer,
  inputTokens: integer,
  outputTokens: integer,
  cacheReadTokens: integer,
  cacheWriteTokens: integer,
  costMicros: integer,
})

const scopeColumns = {
  runId: 'run_id',
  missionId: 'mission_id',
  organisationId: 'organisation_id',
  personaId: 'persona_id',
} as const
