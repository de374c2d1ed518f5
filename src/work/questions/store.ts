import { countRows } from '../../db/columns.ts'
import { allOf } from '../../db/conditions.ts'
import { boundLimit } from '../../db/limit.ts'
import type { ReadTx } from '../../db/port.ts'
import { findRow, findRows, table } from '../../db/table.ts'
import { sqlOf } from '../../db/tx.ts'
import type { Question } from './contract.ts'

export const questions = table<Question>('questions', {
  json: ['options', 'hops', 'ladder'],
  added: { ladder: '[]' },
  stream: ({ runId, organisationId }) => (runId === null ? `org:${organisationId as number}` : `run:${runId}`),
})

export const findQuestion = (tx: ReadTx, id: string): Promise<Question | undefined> => findRow(tx, questions, id)

/** Returns at most two: enough to detect an ambiguous prefix. */
export const findQuestionsByPrefix = (tx: ReadTx, prefix: string): Promise<Question[]> =>
  findRows(tx, questions, 'id >= ? AND id < ? ORDER BY id LIMIT 2', [prefix, `${prefix}~`])

export const listQuestionsOfRun = (tx: ReadTx, runId: string): Promise<Question[]> =>
  findRows(tx, questions, 'run_id = ? ORDER BY created_at, id', [runId])

export const listQuestionsOfBrief = (tx: ReadTx, briefId: string): Promise<Question[]> =>
  findRows(tx, questions, 'brief_id = ? ORDER BY created_at, id', [briefId])

export const listWaitingOfRun = (tx: ReadTx, runId: string): Promise<Question[]> =>
  findRows(tx, questions, 'run_id = ? AND answered_at IS NULL ORDER BY created_at, id', [runId])

/** Finds the open question that a brief is to resolve. */
export async function findQuestionOfResolve(tx: ReadTx, briefId: string): Promise<Question | undefined> {
  return (await findRows(tx, questions, 'resolve_brief_id = ? AND answered_at IS NULL LIMIT 1', [briefId]))[0]
}

export interface QuestionQuery {
  runId?: string | undefined
  organisationId?: number | undefined
  onlyWaiting: boolean
}

/** Lists open questions oldest first; together with answered ones, newest first. */
export const listQuestions = (tx: ReadTx, query: QuestionQuery, limit: number): Promise<Question[]> => {
  const { where, values } = condition(query)
  const order = query.onlyWaiting ? 'created_at, id' : 'created_at DESC, id DESC'
  return findRows(tx, questions, `${where} ORDER BY ${order} ${boundLimit}`, [...values, limit])
}

export function countQuestions(tx: ReadTx, query: QuestionQuery): Promise<number> {
  const { where, values } = condition(query)
  return countRows(sqlOf(tx), `SELECT COUNT(*) AS count FROM questions WHERE ${where}`, values)
}

/** Counts the open questions that have come to the operator. */
export const countOperatorsQuestions = (tx: ReadTx): Promise<number> =>
  countRows(
    sqlOf(tx),
    "SELECT COUNT(*) AS count FROM questions WHERE answered_at IS NULL AND status <> 'with_lead'",
    [],
  )

const condition = ({ runId, organisationId, onlyWaiting }: QuestionQuery) =>
  allOf(
    onlyWaiting && ['answered_at IS NULL', []],
    runId !== undefined && [`run_id = ? OR ${holdsRun}`, [runId, runId]],
    organisationId !== undefined && [
      'organisation_id = ? OR run_id IN (SELECT id FROM runs WHERE organisation_id = ?)',
      [organisationId, organisationId],
    ],
  )

/** Condition on a question: it is about a budget for which this run waits too, beside the run that asked first. */
const holdsRun = `(answered_at IS NULL AND class = 'budget' AND EXISTS (SELECT 1 FROM brief_holds h JOIN briefs b ON b.id = h.brief_id JOIN runs r ON r.id = h.run_id
WHERE h.run_id = ? AND h.kind = 'budget' AND b.status IN ('pending', 'blocked') AND asked_by = 'budget:' || h.subject || ':' || CASE h.subject
WHEN 'mission' THEN r.mission_id WHEN 'organisation' THEN CAST(r.organisation_id AS TEXT)
WHEN 'persona' THEN CAST(b.persona_id AS TEXT) END))`

/** Lists the open questions of other runs for whose answer this run waits too. */
export const listSharedQuestions = (tx: ReadTx, runId: string): Promise<Question[]> =>
  findRows(tx, questions, `run_id <> ? AND ${holdsRun} ORDER BY created_at, id`, [runId, runId])
