import { updated } from '../../events/change.ts'
import { shorten } from '../../kernel/text.ts'
import { touchRun } from '../runs/moves.ts'
import type { RunScope } from '../scope.ts'
import type { Hop, Question } from './contract.ts'
import { questions } from './store.ts'

/** Hands a question to the next rung above it that somebody holds, and notifies that holder. */
export async function raiseQuestion(scope: RunScope, question: Question): Promise<Question> {
  const { tx, run } = scope
  const from = question.hops.at(-1)?.to ?? question.askedBy
  const hop: Hop = { from, to: 'operator', rank: question.hops.length + 1, at: tx.at }
  const patch = { status: 'with_operator' as const, hops: [...question.hops, hop] }
  await touchRun(
    scope,
    {},
    {
      kind: 'question_routed',
      code: 'ESCALATE',
      level: 'verbose',
      runId: run.id,
      briefId: question.briefId,
      message: `${hop.from} → ${hop.to}`,
      data: { question_id: question.id, ...hop },
    },
    [updated(questions, question, patch)],
  )
  const routed = { ...question, ...patch }
  await scope.notify(tx, {
    kind: 'question_asked',
    title: `A question: ${shorten(routed.text, 120)}`,
    summary: [routed.context, ...routed.options.map((option) => `${option.key}: ${option.label}`)]
      .filter(Boolean)
      .join('\n'),
    actions: [{ label: 'Answer', command: `agency answer ${routed.id} "…"` }],
    runId: run.id,
    organisationId: run.organisationId,
    object: routed.id,
    state: 'asked',
  })
  return routed
}
