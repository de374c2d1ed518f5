import type { Tx } from '../../db/port.ts'
import { change, create } from '../../events/change.ts'
import { shorten } from '../../kernel/text.ts'
import { redact } from '../../secrets/redact.ts'
import type { ScopeParts } from '../scope.ts'
import { notifyOperator } from './climb.ts'
import type { Question } from './contract.ts'
import { readAnswer } from './read-answer.ts'
import { operatorRung } from './rungs.ts'
import { questions } from './store.ts'

export interface OrganisationQuestion extends Pick<Question, 'kind' | 'text' | 'context' | 'options' | 'risk'> {
  readonly organisationId: number
  readonly recommendation: string | null
  readonly key?: string | null
  /** The author, as hops and events name it. */
  readonly askedBy: string
}

/**
 * Asks the operator a question that belongs to no run. The transaction has locked the stream of the organisation, and
 * `system` for the notification.
 */
export async function askOrganisation(
  { ids, notify }: Pick<ScopeParts, 'ids' | 'notify'>,
  tx: Tx,
  { askedBy, text, context, key = null, ...wanted }: OrganisationQuestion,
): Promise<Question> {
  const question: Question = {
    ...wanted,
    id: ids.next('question'),
    runId: null,
    briefId: null,
    attemptId: null,
    key,
    noteId: null,
    delegationId: null,
    class: null,
    text: shorten(redact(text), 4_000),
    context: shorten(redact(context), 20_000),
    status: 'with_operator',
    answer: null,
    answeredBy: null,
    askedBy,
    hops: [{ from: askedBy, to: operatorRung.name, rank: 1, at: tx.at }],
    ladder: [],
    resolveBriefId: null,
    currentPositionId: null,
    acknowledgedAt: null,
    createdAt: tx.at,
    answeredAt: null,
  }
  await create(tx, questions, question, {
    kind: 'question_asked',
    by: askedBy,
    level: 'normal',
    code: 'QUESTION',
    message: `? ${shorten(question.text, 300)}`,
    data: { question_id: question.id, kind: question.kind, class: null, hops: question.hops },
  })
  if (notify !== undefined) await notifyOperator({ tx, notify }, question, wanted.organisationId)
  return question
}

/** Records the answer to a question that belongs to no run; nothing waits for it but its author. */
export async function answerOfOrganisation(tx: Tx, question: Question, by: string, answer: string): Promise<Question> {
  const { chosen, clean } = readAnswer(question, answer)
  return change(
    tx,
    questions,
    question,
    { status: 'answered', answer: clean, answeredBy: by, answeredAt: tx.at },
    {
      kind: 'question_answered',
      by,
      level: 'normal',
      code: 'QUESTION',
      message: `✓ ${chosen?.label ?? shorten(clean, 300)}`,
      data: { question_id: question.id, answer: clean, by },
    },
  )
}
