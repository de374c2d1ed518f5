import { upgradeHolds } from './upgrade-holds.ts'
import type { RebuiltRows, Upgrade } from './upgrade.ts'

/**
 * By number of the migration: the change that a migration made to rows that older events describe. Such a migration
 * marks the last event before it in every stream:
 * `INSERT INTO schema_marks (version, stream, seq) SELECT 8, stream, seq FROM streams;`
 * A column that was only added or dropped needs no upgrade: `added` of its table has the value of older rows.
 */
export const upgrades: ReadonlyMap<number, Upgrade> = new Map([
  [9, orderClaims],
  [10, keepAccounts],
  [11, upgradeHolds],
  [16, moveToData],
  [20, keepGovernance],
  [29, namePurpose],
])

/** A run and its briefs have a place in the order of claims. */
function orderClaims(rows: RebuiltRows): void {
  for (const run of rows.of('runs')) {
    const claimOrder = `2:${String(run.columns['started_at'])}:${String(run.key[0])}`
    for (const row of [run, ...rows.of('briefs')])
      rows.put(row.table, row.key, { ...row.columns, claim_order: claimOrder })
  }
}

/** Gives each budget its parent, and each brief with limits of its own a budget. */
function keepAccounts(rows: RebuiltRows): void {
  const missions = new Map(rows.of('runs').map(({ key, columns }) => [key[0], columns['mission_id']]))
  for (const { key, columns } of rows.of('budgets')) {
    const [scope, id] = key
    const parent =
      scope === 'run'
        ? { parent_scope: 'mission', parent_id: missions.get(id), run_id: id }
        : scope === 'mission'
          ? { parent_scope: 'organisation', parent_id: String(columns['organisation_id']) }
          : {}
    rows.put('budgets', key, { ...columns, ...parent })
  }
  for (const { key, columns } of rows.of('briefs')) {
    const { token_budget: tokens = null, cost_limit_micros: micros = null, run_id: runId } = columns
    if (tokens === null && micros === null) continue
    const spent = { tokens: Number(columns['tokens_used'] ?? 0), micros: Number(columns['cost_micros'] ?? 0) }
    const isNear = (used: number, limit: unknown): boolean => limit !== null && used * 10 >= Number(limit) * 8
    rows.put('budgets', ['brief', key[0]], {
      scope: 'brief',
      scope_id: key[0],
      parent_scope: 'run',
      parent_id: runId,
      run_id: runId,
      token_limit: tokens,
      cost_limit_micros: micros,
      tokens_spent: spent.tokens,
      micros_spent: spent.micros,
      warned: isNear(spent.tokens, tokens) || isNear(spent.micros, micros) ? 1 : 0,
      updated_at: columns['updated_at'],
    })
  }
}

/** The fields of the tiered playbook became the data of its briefs. */
function moveToData(rows: RebuiltRows): void {
  for (const { table, key, columns } of rows.of('briefs')) {
    const { tier = null, workstream = null, label = null, personality = null, flow = null, replaces = null } = columns
    if (tier === null) continue
    const files = JSON.parse(String(columns['files'] ?? '[]')) as unknown
    const data = { tier, workstream, label, personality, files, flow, replaces, opaque: columns['opaque'] === 1 }
    rows.put(table, key, {
      ...columns,
      cap_key: tier,
      group_key: workstream,
      starts_after_failure: columns['phase'] === 'resolve' ? 1 : 0,
      data: JSON.stringify(data),
    })
  }
}

/** An organisation without a setting of its own keeps the default that it was created with. */
function keepGovernance(rows: RebuiltRows): void {
  const own = new Set(
    rows.of('organisation_settings').flatMap(({ key: [id, name] }) => (name === 'governance' ? [id] : [])),
  )
  for (const { key } of rows.of('organisations'))
    if (!own.has(key[0]))
      rows.put('organisation_settings', [key[0], 'governance'], {
        organisation_id: key[0],
        key: 'governance',
        value: 'advise',
      })
}

/** The kind of step that a run is became its purpose, behind its other settings. */
function namePurpose(rows: RebuiltRows): void {
  for (const { table, key, columns } of rows.of('runs')) {
    const { execution, ...others } = JSON.parse(String(columns['configuration'])) as Record<string, unknown>
    if (execution === undefined) continue
    rows.put(table, key, { ...columns, configuration: JSON.stringify({ ...others, purpose: execution }) })
  }
}
