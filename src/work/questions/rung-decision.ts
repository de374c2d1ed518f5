import { updated } from '../../events/change.ts'
import { briefs, findBrief } from '../briefs/store.ts'
import { touchRun } from '../runs/moves.ts'
import type { RunScope } from '../scope.ts'
import { answerQuestion } from './answer.ts'
import { raiseQuestion } from './climb.ts'
import type { Question } from './contract.ts'
import { isOperators } from './resolution.contract.ts'
import { findQuestion } from './store.ts'

/**
 * Answers a question from one of the playbook's rungs. The next question about the brief starts one rung higher. A
 * question that was answered or withdrawn meanwhile stays as it is.
 */
export async function answerFromRung(
  scope: RunScope,
  { questionId, answer, by }: { readonly questionId: string; readonly answer: string; readonly by: string },
): Promise<void> {
  const question = await findOpen(scope, questionId)
  if (question === undefined) return
  const given = answer.trim()
  const chosen = question.options.find(({ key, label }) => key === given || label === given)
  if (chosen !== undefined && isOperators(chosen.key))
    return void (await raiseQuestion(scope, question, `${by} proposes "${chosen.label}", which the operator decides`))
  const brief = question.briefId === null ? undefined : await findBrief(scope.tx, question.briefId)
  if (brief !== undefined)
    await touchRun(
      scope,
      {},
      {
        kind: 'log',
        level: 'verbose',
        briefId: brief.id,
        message: `${by} has answered; the next question about ${brief.key} goes one rung higher`,
      },
      [updated(briefs, brief, { escalations: brief.escalations + 1 })],
    )
  await answerQuestion(scope, question.id, by, given)
}

/** Hands a question of one of the playbook's rungs to the next one, if it is still open. */
export async function raiseFromRung(
  scope: RunScope,
  { questionId, reason }: { readonly questionId: string; readonly reason: string },
): Promise<void> {
  const question = await findOpen(scope, questionId)
  if (question !== undefined) await raiseQuestion(scope, question, reason)
}

async function findOpen({ tx }: RunScope, questionId: string): Promise<Question | undefined> {
  const question = await findQuestion(tx, questionId)
  return question?.answeredAt === null ? question : undefined
}
