import { columns, integer } from '../../db/columns.ts'
import { allOf } from '../../db/conditions.ts'
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

/**
 * Returns the query of a chain of budgets: the first ones and, step by step, the parent of each. A brief has a budget of
 * its own above which are perhaps a delegation, its run, the mission and the organisation; and that of its persona.
 * Everything that asks which budgets apply to a brief follows this chain: the search, reservations, questions, answers
 * and releases.
 */
const chainFrom = (first: string): string => `WITH RECURSIVE chain (scope, scope_id) AS (
SELECT f.scope, f.scope_id FROM budgets f WHERE ${first}
UNION SELECT p.scope, p.scope_id FROM chain n JOIN budgets k ON k.scope = n.scope AND k.scope_id = n.scope_id
JOIN budgets p ON p.scope = k.parent_scope AND p.scope_id = k.parent_id)`

/** The chain of one brief of a run, given the names of both in the query around it. */
const chainOf = (brief: string, run: string): string =>
  chainFrom(`((f.scope = 'brief' AND f.scope_id = ${brief}.id) OR (f.scope = 'run' AND f.scope_id = ${run}.id)
OR (f.scope = 'mission' AND f.scope_id = ${run}.mission_id)
OR (f.scope = 'organisation' AND f.scope_id = CAST(${run}.organisation_id AS TEXT))
OR (f.scope = 'persona' AND f.scope_id = CAST(${brief}.persona_id AS TEXT)))`)

/** Condition on a budget `u`: it is in the chain of a brief. */
export const isAbove = (brief: string, run: string): string =>
  `(u.scope, u.scope_id) IN (${chainOf(brief, run)} SELECT scope, scope_id FROM chain)`

/** Condition on a budget `u`: it is the brief's own. */
export const isOwn = (brief: string): string => `(u.scope = 'brief' AND u.scope_id = ${brief}.id)`

/** Condition on a brief: nothing is left to reserve in a budget above its own. */
export const isShortOfBudget = (brief: string, run: string): string =>
  `EXISTS (${chainOf(brief, run)} SELECT 1 FROM chain a JOIN budgets u ON u.scope = a.scope AND u.scope_id = a.scope_id
WHERE NOT ${isOwn(brief)} AND ${isFull})`

export interface Beneath {
  runId: string
  missionId: string
  organisationId: number
  personaIds: readonly number[]
  /** `all`: every brief of the run. */
  briefIds: readonly string[] | 'all'
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
  const isOfRun = { text: "(f.scope = 'brief' AND f.run_id = ?)", values: [runId] }
  const named = [
    ...namedIn('run', [runId]),
    ...namedIn('mission', [missionId]),
    ...namedIn('organisation', [String(organisationId)]),
    ...namedIn('persona', beneath.personaIds.map(String)),
    ...(beneath.briefIds === 'all' ? [isOfRun] : namedIn('brief', beneath.briefIds)),
  ]
  return listAccounts(tx, named, attemptId === null ? null : { holder: 'attempt', holderId: attemptId })
}

/** A condition on the budgets `f` at which a chain begins, with its values. */
interface First {
  readonly text: string
  readonly values: readonly SqlValue[]
}

const namedIn = (scope: BudgetScope, ids: readonly string[]): First[] =>
  ids.length === 0
    ? []
    : [{ text: `(f.scope = '${scope}' AND f.scope_id IN (${ids.map(() => '?').join(', ')}))`, values: ids }]

/** Lists the budgets of a live agent, which belongs to no run. */
export const listAccountsOfAgent = (
  tx: ReadTx,
  { agentId, organisationId, personaId }: { agentId: number; organisationId: number; personaId: number },
): Promise<Account[]> =>
  listAccounts(tx, [...namedIn('organisation', [String(organisationId)]), ...namedIn('persona', [String(personaId)])], {
    holder: 'agent',
    holderId: String(agentId),
  })

async function listAccounts(tx: ReadTx, first: readonly First[], holder: Holder | null): Promise<Account[]> {
  const rows = await sqlOfBudgets(tx).all(
    `${chainFrom(first.map(({ text }) => text).join(' OR '))}
SELECT ${withSums}, h.tokens AS held_tokens, h.micros AS held_micros, h.run_id AS held_run, h.organisation_id AS held_organisation
FROM chain a JOIN budgets u ON u.scope = a.scope AND u.scope_id = a.scope_id
LEFT JOIN reservations h ON h.holder = ? AND h.holder_id = ? AND h.scope = u.scope AND h.scope_id = u.scope_id
ORDER BY u.scope, u.scope_id`,
    [...first.flatMap(({ values }) => values), holder?.holder ?? '', holder?.holderId ?? ''],
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

/** Lists budgets, those of briefs only if they are asked for: a run has many. */
/** Lists budgets; of one organisation: its own, and those of its missions, runs and briefs. */
export async function listBudgets(
  tx: ReadTx,
  scope: BudgetScope | undefined,
  limit: number,
  organisationId?: number,
): Promise<Budget[]> {
  const { where, values } = allOf(
    scope === undefined ? ["u.scope <> 'brief'", []] : ['u.scope = ?', [scope]],
    organisationId !== undefined && [
      'u.organisation_id = ? OR u.run_id IN (SELECT id FROM runs WHERE organisation_id = ?)',
      [organisationId, organisationId],
    ],
  )
  const rows = await sqlOfBudgets(tx).all(
    `SELECT ${withSums} FROM budgets u WHERE ${where} ORDER BY u.updated_at DESC, u.scope, u.scope_id ${boundLimit}`,
    [...values, limit],
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
const isFull = `(u.tokens_spent + ${sumOf('tokens')} >= u.token_limit OR u.micros_spent + ${sumOf('micros')} >= u.cost_limit_micros)`

/** 1 if there is something left to reserve in the budget `u`; a limit that is null makes the condition null. */
export const roomFlag = `CASE WHEN ${isFull} THEN 0 ELSE 1 END`

/** Condition on a budget: everything is spent. The words are those of the index `budgets_used_up`. */
export const isSpent = "scope <> 'brief' AND (tokens_spent >= token_limit OR micros_spent >= cost_limit_micros)"

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
