import { updated } from '../../events/change.ts'
import { bug } from '../../kernel/errors.ts'
import type { Decision, PlaybookEvent } from '../../playbooks/contract.ts'
import { briefs, findBrief } from '../briefs/store.ts'
import { touchRun } from '../runs/moves.ts'
import type { RunScope } from '../scope.ts'
import { answerQuestion } from './answer.ts'
import { raiseQuestion } from './climb.ts'
import type { Question } from './contract.ts'
import { moveUp } from './hop.ts'
import { isOperators } from './resolution.contract.ts'
import { findQuestion } from './store.ts'

/**
 * Answers a question for the rung of the playbook that has it, or that it is offered to with this event. Options that
 * only the operator may choose are not chosen: the question goes on.
 */
export async function answerFromRung(
  scope: RunScope,
  { questionId, answer, by }: Extract<Decision, { kind: 'answer_question' }>,
  event: PlaybookEvent,
): Promise<void> {
  const question = await findOwn(scope, questionId)
  // The operator may have answered meanwhile, or the work has ended.
  if (question.answeredAt !== null) return
  if (by === question.askedBy) throw bug(`${by} answers its own question ${questionId}`)
  const held = isOffered(event, questionId) ? await take(scope, question) : question
  if (held.status !== 'with_lead') throw bug(`no rung of the playbook has question ${questionId}`)
  if (answer.trim() === '') return void (await raiseQuestion(scope, held, `${by} gave no answer`))
  const chosen = held.options.find(({ key, label }) => key === answer || label === answer)
  if (chosen !== undefined && isOperators(chosen.key))
    return void (await raiseQuestion(scope, held, `"${chosen.label}" is only the operator’s to choose`))
  await countEscalation(scope, held, by)
  await answerQuestion(scope, questionId, by, answer)
}

/** The next question about the brief starts one rung higher. */
async function countEscalation(scope: RunScope, { briefId }: Question, by: string): Promise<void> {
  const brief = briefId === null ? undefined : await findBrief(scope.tx, briefId)
  if (brief === undefined) return
  const message = `${by} has answered; the next question about ${brief.key} goes one rung higher`
  await touchRun(scope, {}, { kind: 'log', level: 'verbose', briefId: brief.id, message }, [
    updated(briefs, brief, { escalations: brief.escalations + 1 }),
  ])
}

/** Hands a question of a rung to the next one. A rung that is only offered a question passes it on by not taking it. */
export async function raiseFromRung(
  scope: RunScope,
  { questionId, reason }: Extract<Decision, { kind: 'raise_question' }>,
  event: PlaybookEvent,
): Promise<void> {
  const question = await findOwn(scope, questionId)
  if (question.status === 'with_lead' && !isOffered(event, questionId)) await raiseQuestion(scope, question, reason)
}

async function findOwn({ tx, run }: RunScope, questionId: string): Promise<Question> {
  const question = await findQuestion(tx, questionId)
  if (question === undefined || question.runId !== run.id) throw bug(`run ${run.id} has no question ${questionId}`)
  return question
}

const isOffered = (event: PlaybookEvent, questionId: string): boolean =>
  event.kind === 'question_raised' && event.question.id === questionId

/** Gives a question to the rung that it is offered to, which needs no brief to answer it. */
async function take(scope: RunScope, question: Question): Promise<Question> {
  const [rung, ...ladder] = question.ladder
  if (rung === undefined) throw bug(`question ${question.id} has no rung left`)
  return moveUp(scope, question, rung, { ladder, status: 'with_lead', resolveBriefId: null, currentPositionId: null })
}
