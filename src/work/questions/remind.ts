import { shorten } from '../../kernel/text.ts'
import type { RunScope } from '../scope.ts'
import type { Question } from './contract.ts'
import { findQuestion } from './store.ts'

const defaultMinutes = 60

/** Schedules the only reminder of a question, in the transaction in which it arrives at the operator. */
export async function scheduleReminder(scope: RunScope, { id }: Question): Promise<void> {
  const { questionReminderMinutes: minutes = defaultMinutes } = scope.run.configuration
  if (minutes !== null) await scope.later(scope.tx, { kind: 'question_due', questionId: id, delayMs: minutes * 60_000 })
}

/** Reminds the operator of a question that still waits for her and that she has not acknowledged. Answers nothing. */
export async function remindOfQuestion(scope: RunScope, questionId: string): Promise<void> {
  const question = await findQuestion(scope.tx, questionId)
  if (question?.status !== 'with_operator' || question.acknowledgedAt !== null) return
  const arrivedAt = question.hops.at(-1)?.at ?? question.createdAt
  await scope.notify(scope.tx, {
    kind: 'question_reminder',
    title: `Still waiting for your answer: ${shorten(question.text, 120)}`,
    summary: [
      `${shorten(scope.run.goalAnchor, 200)} has been waiting since ${arrivedAt}.`,
      ...question.options.map((option) => `${option.key}: ${option.label}`),
    ].join('\n'),
    actions: [{ label: 'Answer', command: `agency answer ${question.id} "…"` }],
    runId: scope.run.id,
    organisationId: scope.run.organisationId,
    object: question.id,
    state: 'reminded',
  })
}
