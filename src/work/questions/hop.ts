import { updated } from '../../events/change.ts'
import { shorten } from '../../kernel/text.ts'
import { eventTags } from '../briefs/moves.ts'
import { findBrief } from '../briefs/store.ts'
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
  const brief = question.briefId === null ? undefined : await findBrief(scope.tx, question.briefId)
  const changed = { ...patch, hops: [...question.hops, hop] }
  await touchRun(
    scope,
    {},
    {
      kind: 'question_routed',
      code: 'ESCALATE',
      ...(brief === undefined ? {} : eventTags(scope, brief)),
      // Where the playbook has rungs of its own, the way of a question is progress of the run.
      level: scope.playbook.ladder === undefined || skipped !== undefined ? 'verbose' : 'normal',
      runId: scope.run.id,
      briefId: question.briefId,
      message: `${hop.from} → ${hop.to}${skipped === undefined ? '' : ` skipped (${skipped.replace('_', ' ')})`}${reason === undefined ? '' : `: ${shorten(reason, 300)}`}`,
      data: {
        question_id: question.id,
        class: question.class,
        ...hop,
        ...(reason === undefined ? {} : { reason: shorten(reason, 2_000) }),
      },
    },
    [updated(questions, question, changed)],
  )
  return { ...question, ...changed }
}
