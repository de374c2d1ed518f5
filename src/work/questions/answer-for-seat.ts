import type { Tx } from '../../db/port.ts'
import { change } from '../../events/change.ts'
import { type AgentActor, actorName } from '../../kernel/actor.ts'
import { bug, refusal } from '../../kernel/errors.ts'
import { shorten } from '../../kernel/text.ts'
import { redact } from '../../secrets/redact.ts'
import { attempts, findAttempt } from '../attempts/store.ts'
import { mayDecide } from '../authority.ts'
import { findRun } from '../runs/store.ts'
import { type ScopeParts, scopeOf } from '../scope.ts'
import { answerQuestion } from './answer.ts'
import type { Question } from './contract.ts'
import { faultsOfResolution } from './resolution.contract.ts'

const reason = 'answered while it worked'

/**
 * Answers a question for the seat of an agent. If this is what the brief of the agent is for, the answer is its report
 * too: later reports of the agent change nothing.
 */
export async function answerForSeat(
  parts: ScopeParts,
  tx: Tx,
  by: AgentActor,
  question: Question,
  answer: string,
): Promise<Question> {
  const name = await mayDecide(tx, by, { kind: 'question', question })
  const [fault] =
    question.answeredAt === null ? faultsOfResolution(question, { decision: 'answer', answer, reason }) : []
  if (fault !== undefined)
    throw refusal('invalid_input', fault, { hint: 'Report "hand_up" if the decision is the operator’s.' })
  const run = question.runId === null ? undefined : await findRun(tx, question.runId)
  if (run === undefined) throw bug(`question ${question.id} has no run`)
  const answered = await answerQuestion(scopeOf(parts, tx, run, actorName(by)), question.id, name, answer, by.briefId)
  if (question.resolveBriefId === by.briefId) await reportAnswer(tx, by, question, shorten(redact(answer), 10_000))
  return answered
}

async function reportAnswer(tx: Tx, by: AgentActor, question: Question, answer: string): Promise<void> {
  const attempt = await findAttempt(tx, by.attemptId)
  if (attempt === undefined) throw bug(`attempt ${by.attemptId} vanished`)
  const output = { decision: 'answer', answer, reason }
  await change(
    tx,
    attempts,
    attempt,
    { report: { status: 'done', summary: `Answered: ${shorten(answer, 300)}`, outputs: [], output } },
    {
      kind: 'reported',
      by: actorName(by),
      runId: by.runId,
      briefId: by.briefId,
      attemptId: by.attemptId,
      level: 'verbose',
      message: `reports done: answered ${question.id}`,
      data: { status: 'done', question_id: question.id },
    },
  )
}
