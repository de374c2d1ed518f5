import type { ReadTx } from '../../db/port.ts'
import { shorten } from '../../kernel/text.ts'
import type { Question } from '../questions/contract.ts'
import type { BudgetScope } from './contract.ts'
import { listRunsWaitingFor } from './waiting-store.ts'

/** The number of runs that a card names. */
const maxNamed = 5

/** Names the runs that wait for the answer to a question about a shared budget: they change while it is open. */
export async function withWaitingRuns(tx: ReadTx, question: Question): Promise<Question> {
  const [kind, scope = '', scopeId = ''] = question.askedBy.split(':')
  const isShared = kind === 'budget' && ['mission', 'organisation', 'persona'].includes(scope)
  if (question.class !== 'budget' || !isShared || question.answeredAt !== null) return question
  const runs = await listRunsWaitingFor(tx, { scope: scope as BudgetScope, scopeId })
  if (runs.length < 2) return question
  const named = runs
    .slice(0, maxNamed)
    .map(({ runId, goal }) => `${runId} (${shorten(goal.split('\n')[0] as string, 60)})`)
  const more = runs.length > named.length ? [`and ${runs.length - named.length} more`] : []
  return {
    ...question,
    context: `${question.context}\n\n${runs.length} runs wait for it: ${[...named, ...more].join(', ')}`,
  }
}
