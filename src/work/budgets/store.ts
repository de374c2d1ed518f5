import { columns, integer } from '../../db/columns.ts'
import { boundLimit } from '../../db/limit.ts'
import type { ReadTx, Sql, SqlRow, SqlValue, Stream } from '../../db/port.ts'
import { decode, findRow, table } from '../../db/table.ts'
import { openTx, sqlOf } from '../../db/tx.ts'
import type { Account, Amount, Budget, BudgetRow, BudgetScope, Holder } from './contract.ts'
import { listReservationsOf, reservations } from './reservations-store.ts'

export const budgets = table<BudgetRow>('budgets', {
  key: ['scope', 'scopeId'],
  booleans: ['warned'],
  stream: (row) => streamOf(row),
})

/** A row changes in one stream only: that of its run, of its organisation, or a persona's, which has neither, in the system's. */
function streamOf({ scope, runId, organisationId }: BudgetRow): Stream {
  if (runId !== null) return `run:${runId}`
  return scope === 'persona' ? 'system' : `org:${organisationId as number}`
}

export const findBudgetRow = (tx: ReadTx, scope: BudgetScope, scopeId: string): Promise<BudgetRow | undefined> =>
  findRow(tx, budgets, scope, scopeId)

const sumOf = (name: 'tokens' | 'micros'): string =>
  `(SELECT COALESCE(SUM(v.${name}), 0) FROM reservations v WHERE v.scope = u.scope AND v.scope_id = u.scope_id)`

/** The columns of a budget `u` with the sums of its reservations. */
const withSums = `u.*, ${sumOf('tokens')} AS tokens_reserved, ${sumOf('micros')} AS micros_reserved`

/** Returns the runner of a query about budgets and reservations: other pending rows stay pending. */
function sqlOfBudgets(tx: ReadTx): Sql {
  const { group } = openTx(tx)
  return group.rows.has(budgets.name) || group.rows.has(reservations.name) ? group.rowSql : group.direct
}

const budgetOf = (row: SqlRow): Budget => decode(budgets, row) as Budget

export async function findBudget(tx: ReadTx, scope: BudgetScope, scopeId: string): Promise<Budget | undefined> {
  const text = `SELECT ${withSums} FROM budgets u WHERE u.scope = ? AND u.scope_id = ?`
  const row = await sqlOfBudgets(tx).get(text, [scope, scopeId])
  return row === undefined ? undefined : budgetOf(row)
}

export interface Beneath {
  runId: string
  missionId: string
  organisationId: number
  personaIds: readonly number[]
  briefIds: readonly string[]
}

/**
 * Lists every budget that briefs of this run use if one of these personas does them, with the part that is reserved for
 * the attempt: those named here and all above them.
 */
export async function listAccountsAbove(
  tx: ReadTx,
  beneath: Beneath,
  attemptId: string | null = null,
): Promise<Account[]> {
  const { runId, missionId, organisationId } = beneath
  const named: [BudgetScope, readonly SqlValue[]][] = [
    ['run', [runId]],
    ['mission', [missionId]],
    ['organisation', [String(organisationId)]],
    ['persona', beneath.personaIds.map(String)],
    ['brief', beneath.briefIds],
  ]
  return listAccounts(tx, named, attemptId === null ? null : { holder: 'attempt', holderId: attemptId })
}

/** Lists the budgets of a live agent, which belongs to no run. */
export const listAccountsOfAgent = (
  tx: ReadTx,
  { agentId, organisationId, personaId }: { agentId: number; organisationId: number; personaId: number },
): Promise<Account[]> =>
  listAccounts(
    tx,
    [
      ['organisation', [String(organisationId)]],
      ['persona', [String(personaId)]],
    ],
    { holder: 'agent', holderId: String(agentId) },
  )

async function listAccounts(
  tx: ReadTx,
  named: readonly [BudgetScope, readonly SqlValue[]][],
  holder: Holder | null,
): Promise<Account[]> {
  const known = named.filter(([, ids]) => ids.length > 0)
  const first = known.map(([scope, ids]) => `(scope = '${scope}' AND scope_id IN (${ids.map(() => '?').join(', ')}))`)
  const rows = await sqlOfBudgets(tx).all(
    `WITH RECURSIVE above (scope, scope_id, parent_scope, parent_id) AS (
SELECT scope, scope_id, parent_scope, parent_id FROM budgets WHERE ${first.join(' OR ')}
UNION SELECT p.scope, p.scope_id, p.parent_scope, p.parent_id FROM budgets p
JOIN above c ON p.scope = c.parent_scope AND p.scope_id = c.parent_id)
SELECT ${withSums}, h.tokens AS held_tokens, h.micros AS held_micros, h.run_id AS held_run, h.organisation_id AS held_organisation
FROM above a JOIN budgets u ON u.scope = a.scope AND u.scope_id = a.scope_id
LEFT JOIN reservations h ON h.holder = ? AND h.holder_id = ? AND h.scope = u.scope AND h.scope_id = u.scope_id
ORDER BY u.scope, u.scope_id`,
    [...known.flatMap(([, ids]) => ids), holder?.holder ?? '', holder?.holderId ?? ''],
  )
  const accounts = rows.map((row) => accountOf(row, holder))
  const delegations = accounts.flatMap(({ budget }) => (budget.scope === 'delegation' ? [budget.scopeId] : []))
  return delegations.length === 0 ? accounts : withDelegated(tx, accounts, delegations)
}

function accountOf(row: SqlRow, holder: Holder | null): Account {
  const { held_tokens: tokens, held_micros: micros, held_run: runId, held_organisation: organisation, ...columns } = row
  const budget = budgetOf(columns)
  if (holder === null || typeof tokens !== 'number') return { budget, holdings: [] }
  const { scope, scopeId } = budget
  const held = {
    tokens,
    micros: micros as number,
    runId: runId as string | null,
    organisationId: organisation as number,
  }
  return { budget, holdings: [{ ...holder, scope, scopeId, ...held }] }
}

/** Adds the reservations of the delegations among the accounts: work beneath a delegation may use what it has set aside. */
async function withDelegated(tx: ReadTx, accounts: readonly Account[], ids: readonly string[]): Promise<Account[]> {
  const found = await listReservationsOf(tx, 'delegation', ids)
  return accounts.map(({ budget, holdings }) => ({
    budget,
    holdings: [...holdings, ...found.filter((each) => each.scope === budget.scope && each.scopeId === budget.scopeId)],
  }))
}

/** Lists the budgets above these briefs with nothing left for another attempt. */
export async function listFullBudgetsAbove(tx: ReadTx, beneath: Beneath): Promise<Budget[]> {
  return (await listAccountsAbove(tx, beneath))
    .map(({ budget }) => budget)
    .filter(
      ({ tokenLimit, tokensSpent, tokensReserved, costLimitMicros, microsSpent, microsReserved }) =>
        (tokenLimit !== null && tokensSpent + tokensReserved >= tokenLimit) ||
        (costLimitMicros !== null && microsSpent + microsReserved >= costLimitMicros),
    )
}

/** Lists budgets, those of briefs only if they are asked for: a run has many. */
export async function listBudgets(tx: ReadTx, scope: BudgetScope | undefined, limit: number): Promise<Budget[]> {
  const where = scope === undefined ? "u.scope <> 'brief'" : 'u.scope = ?'
  const rows = await sqlOfBudgets(tx).all(
    `SELECT ${withSums} FROM budgets u WHERE ${where} ORDER BY u.updated_at DESC, u.scope, u.scope_id ${boundLimit}`,
    scope === undefined ? [limit] : [scope, limit],
  )
  return rows.map(budgetOf)
}

/** The limits that a brief has of its own. */
export interface OwnLimits {
  tokenBudget: number | null
  costLimitMicros: number | null
}

/** Returns the own limits of these briefs, of those that have some. */
export async function findLimitsOfBriefs(
  tx: ReadTx,
  briefIds: readonly string[],
): Promise<ReadonlyMap<string, OwnLimits>> {
  if (briefIds.length === 0) return new Map()
  const marks = briefIds.map(() => '?').join(', ')
  return limitsBy(tx, `scope = 'brief' AND scope_id IN (${marks})`, briefIds)
}

/** Returns the own limits of the briefs of a run. */
export const findLimitsOfRun = (tx: ReadTx, runId: string): Promise<ReadonlyMap<string, OwnLimits>> =>
  limitsBy(tx, "run_id = ? AND scope = 'brief'", [runId])

async function limitsBy(
  tx: ReadTx,
  where: string,
  values: readonly SqlValue[],
): Promise<ReadonlyMap<string, OwnLimits>> {
  const rows = await sqlOfBudgets(tx).all(
    `SELECT scope_id, token_limit, cost_limit_micros FROM budgets WHERE ${where}`,
    values,
  )
  return new Map(
    rows.map((row) => [
      row['scope_id'] as string,
      { tokenBudget: row['token_limit'] as number | null, costLimitMicros: row['cost_limit_micros'] as number | null },
    ]),
  )
}

/** Condition on a budget `u`: nothing is left to reserve for another attempt. */
export const isFull = `(u.tokens_spent + ${sumOf('tokens')} >= u.token_limit OR u.micros_spent + ${sumOf('micros')} >= u.cost_limit_micros)`

/** Condition on a budget: everything is spent. The words are those of the index `budgets_used_up`. */
export const isSpent = "scope <> 'brief' AND (tokens_spent >= token_limit OR micros_spent >= cost_limit_micros)"

/** Condition on a budget `u`: it applies to the brief `b` of the run `r`, beside the brief's own. */
export const isAbove = `((u.scope = 'run' AND u.scope_id = b.run_id) OR (u.scope = 'mission' AND u.scope_id = b.mission_id)
OR (u.scope = 'organisation' AND u.scope_id = CAST(r.organisation_id AS TEXT))
OR (u.scope = 'persona' AND u.scope_id = CAST(b.persona_id AS TEXT)))`

/** Sums the use of a scope before it had a limit. */
export async function sumBefore(tx: ReadTx, scope: 'run' | 'mission', scopeId: string): Promise<Amount> {
  const scopeColumn = scope === 'run' ? 'run_id' : 'mission_id'
  return sums.one(
    sqlOf(tx),
    `SELECT COALESCE(SUM(input_tokens + output_tokens), 0) AS tokens, COALESCE(SUM(cost_micros), 0) AS micros
FROM spends WHERE ${scopeColumn} = ?`,
    [scopeId],
  )
}

const sums = columns({ tokens: integer, micros: integer })
