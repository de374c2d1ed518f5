import type { ReadTx } from '../../db/port.ts'
import { findRows, findRowsByKey } from '../../db/table.ts'
import type { Attempt } from '../attempts/contract.ts'
import { attempts } from '../attempts/store.ts'
import type { Check } from '../evidence/contract.ts'
import { checks } from '../evidence/store.ts'
import type { Run } from '../runs/contract.ts'
import { runs } from '../runs/store.ts'
import type { Verdict } from '../verdicts/contract.ts'
import { verdicts } from '../verdicts/store.ts'

/** Lists the newest attempts at each of these briefs, oldest first. */
export const listLastAttempts = (tx: ReadTx, briefIds: readonly string[], most: number): Promise<Attempt[]> =>
  findRows(
    tx,
    attempts,
    `id IN (SELECT n.id FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY brief_id ORDER BY fence DESC) AS place
FROM attempts WHERE brief_id IN (${marksOf(briefIds)})) n WHERE n.place <= ?) ORDER BY brief_id, fence`,
    [...briefIds, most],
  )

/** Lists the checks of the delivered work of these attempts that did not hold. */
export const listFailedChecks = async (tx: ReadTx, attemptIds: readonly string[]): Promise<Check[]> =>
  attemptIds.length === 0
    ? []
    : findRows(
        tx,
        checks,
        `attempt_id IN (${marksOf(attemptIds)}) AND passed = 0 AND round IN ('delivered', 'again') ORDER BY attempt_id, item, at`,
        attemptIds,
      )

export const listVerdictsOf = (tx: ReadTx, briefIds: readonly string[]): Promise<Verdict[]> =>
  findRows(tx, verdicts, `brief_id IN (${marksOf(briefIds)}) ORDER BY attempt, at, id`, briefIds)

export const listRunsById = (tx: ReadTx, ids: readonly string[]): Promise<Run[]> => findRowsByKey(tx, runs, ids)

const marksOf = (values: readonly unknown[]): string => values.map(() => '?').join(', ')
