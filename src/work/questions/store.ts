import type { ReadTx } from '../../db/port.ts'
import { findRow, findRows, table } from '../../db/table.ts'
import { sqlOf } from '../../db/tx.ts'
import type { Question } from './contract.ts'

export const questions = table<Question>('questions', {
  json: ['options', 'hops'],
  stream: (row) => `run:${row.runId}`,
})

export const findQuestion = (tx: ReadTx, id: string): Promise<Question | undefined> => findRow(tx, questions, id)

export const listQuestionsOfRun = (tx: ReadTx, runId: string): Promise<Question[]> =>
  findRows(tx, questions, 'run_id = ? ORDER BY created_at, id', [runId])

export const listQuestionsOfBrief = (tx: ReadTx, briefId: string): Promise<Question[]> =>
  findRows(tx, questions, 'brief_id = ? ORDER BY created_at, id', [briefId])

export const listWaitingOfRun = (tx: ReadTx, runId: string): Promise<Question[]> =>
  findRows(tx, questions, 'run_id = ? AND answered_at IS NULL ORDER BY created_at, id', [runId])

export const listWaitingQuestions = (tx: ReadTx, limit: number): Promise<Question[]> =>
  findRows(tx, questions, 'answered_at IS NULL ORDER BY created_at, id LIMIT ?', [limit])

export const listQuestions = (tx: ReadTx, limit: number): Promise<Question[]> =>
  findRows(tx, questions, '1 = 1 ORDER BY created_at DESC, id DESC LIMIT ?', [limit])

export async function countWaitingQuestions(tx: ReadTx): Promise<number> {
  return Number((await sqlOf(tx).get('SELECT COUNT(*) AS count FROM questions WHERE answered_at IS NULL'))?.['count'])
}
