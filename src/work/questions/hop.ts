import { updated } from '../../events/change.ts'
import { shorten } from '../../kernel/text.ts'
import { touchRun } from '../runs/moves.ts'
import type { RunScope } from '../scope.ts'
import type { Hop, Question, Rung } from './contract.ts'
import { questions } from './store.ts'

export type Move = Pick<Question, 'ladder' | 'resolveBriefId' | 'currentPositionId'> & {
  status?: Question['status']
  skipped?: NonNullable<Hop['skipped']>
  /** Why the rung below did not answer. */
  reason?: string | undefined
}

/** Records one hop. A rung that was passed never had the question, so the next hop starts where this one did. */
export async function moveUp(
  scope: RunScope,
  question: Question,
  rung: Rung,
  { skipped, reason, ...patch }: Move,
): Promise<Question> {
  const hop: Hop = {
    from: question.hops.findLast((each) => each.skipped === undefined)?.to ?? question.askedBy,
    to: rung.name,
    rank: question.hops.length + 1,
    at: scope.tx.at,
    ...(skipped === undefined ? {} : { skipped }),
  }
  const changed = { ...patch, hops: [...question.hops, hop] }
  await touchRun(
    scope,
    {},
    {
      kind: 'question_routed',
      code: 'ESCALATE',
      level: 'verbose',
      runId: scope.run.id,
      briefId: question.briefId,
      message: `${hop.from} → ${hop.to}${skipped === undefined ? '' : ` skipped (${skipped.replace('_', ' ')})`}${reason === undefined ? '' : `: ${shorten(reason, 300)}`}`,
      data: { question_id: question.id, ...hop, ...(reason === undefined ? {} : { reason: shorten(reason, 2_000) }) },
    },
    [updated(questions, question, changed)],
  )
  return { ...question, ...changed }
}
