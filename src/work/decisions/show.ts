import type { ReadTx } from '../../db/port.ts'
import type { Decision } from './contract.ts'
import { listDecisionsAbout } from './store.ts'

export interface Decided {
  readonly id: string
  /** When it was decided; null while it waits for a decision. */
  readonly decidedAt: string | null
}

/** Adds to gates or questions the decisions that wait to take effect, and the newest one if it could not. */
export async function withDecisions<Row extends object>(
  tx: ReadTx,
  rows: readonly Row[],
  decidedOf: (row: Row) => Decided,
): Promise<(Row & { decisions?: Decision[] })[]> {
  const ids = rows.map((row) => decidedOf(row).id)
  const all = Map.groupBy(await listDecisionsAbout(tx, ids), ({ target }) => target)
  return rows.map((row) => {
    const { id, decidedAt } = decidedOf(row)
    const shown = shownOf(all.get(id) ?? [], decidedAt)
    return shown.length === 0 ? row : { ...row, decisions: shown }
  })
}

function shownOf(decisions: readonly Decision[], decidedAt: string | null): Decision[] {
  const newest = decisions.at(-1)
  return decisions.filter(
    (each) =>
      each.status === 'waiting' ||
      (each === newest && each.status === 'refused' && (decidedAt === null || decidedAt <= (each.settledAt ?? ''))),
  )
}
