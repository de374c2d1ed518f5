import type { ReadTx } from '../../db/port.ts'
import { withDecisions } from '../decisions/show.ts'
import type { Question, QuestionView } from './contract.ts'

/** Returns questions with the decisions that wait to take effect, or could not. */
export const questionViews = (tx: ReadTx, rows: readonly Question[]): Promise<QuestionView[]> =>
  withDecisions(tx, rows, ({ id, answeredAt }) => ({ id, decidedAt: answeredAt }))
