import { bug } from '../../kernel/errors.ts'
import type { RunScope } from '../scope.ts'
import { moveUp } from './hop.ts'
import { findQuestion } from './store.ts'

/** Gives a question to a brief that the playbook has added for it, at the rung to which it was offered. */
export async function takeQuestion(scope: RunScope, questionId: string, briefId: string): Promise<void> {
  const question = await findQuestion(scope.tx, questionId)
  const [rung, ...ladder] = question?.ladder ?? []
  if (question === undefined || question.answeredAt !== null || (rung?.kind !== 'tier' && rung?.kind !== 'role'))
    throw bug(`no rung of the playbook is offered question ${questionId}`)
  await moveUp(scope, question, rung, { ladder, status: 'with_lead', resolveBriefId: briefId, currentPositionId: null })
}
