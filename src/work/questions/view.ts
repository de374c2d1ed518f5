import type { ReadTx } from '../../db/port.ts'
import { withDecisions } from '../decisions/show.ts'
import type { DecidedQuestion, Question } from './contract.ts'

/** Returns questions with the decisions that wait to take effect, or could not. */
export const questionViews = (tx: ReadTx, rows: readonly Question[]): Promise<DecidedQuestion[]> =>
  withDecisions(tx, rows, ({ id, answeredAt }) => ({ id, decidedAt: answeredAt }))
