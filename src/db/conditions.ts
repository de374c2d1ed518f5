import type { SqlValue } from './port.ts'

/** A part of a WHERE clause with its values. */
export type Condition = readonly [where: string, values: readonly SqlValue[]]

/** Joins the conditions that apply; without any, every row matches. */
export function allOf(...conditions: readonly (Condition | false)[]): { where: string; values: SqlValue[] } {
  const applied = conditions.filter((each) => each !== false)
  return {
    where: applied.map(([where]) => `(${where})`).join(' AND ') || '1 = 1',
    values: applied.flatMap(([, values]) => values),
  }
}

/** Matches rows of one organisation, or all rows if none is given. */
export const ofOrganisation = (organisationId: number | undefined): Condition | false =>
  organisationId !== undefined && ['organisation_id = ?', [organisationId]]

/** Matches rows of the runs of one organisation, or all rows if none is given. */
export const ofRunsOf = (organisationId: number | undefined, column = 'run_id'): Condition | false =>
  organisationId !== undefined && [`${column} IN (SELECT id FROM runs WHERE organisation_id = ?)`, [organisationId]]
