import { bug } from '../../kernel/errors.ts'
import { shorten } from '../../kernel/text.ts'
import type { Brief } from '../briefs/contract.ts'
import { findBrief } from '../briefs/store.ts'
import type { RunScope } from '../scope.ts'
import type { Hop, Question, Rung } from './contract.ts'
import { holderOf, leadRungOf } from './holder.ts'
import { addSeatBrief, dropResolveBrief, runtimeOfSeats } from './seat-brief.ts'
import { doesClimb, operatorRung, wholeLadder } from './rungs.ts'
import { moveUp } from './hop.ts'
import { scheduleReminder } from './remind.ts'
import { findQuestion } from './store.ts'

/** Returns the rungs of a new question about a brief. Its asker is none of them. */
export async function ladderOf(
  scope: RunScope,
  question: Question,
  brief: Brief | null,
  wanted?: readonly Rung[],
): Promise<Rung[]> {
  if (brief === null || !doesClimb(question) || question.class === null) return [operatorRung]
  const own = wanted ?? scope.playbook.ladder?.(brief, question.class) ?? []
  const lead = await leadRungOf(scope.tx, scope.run.organisationId)
  const ladder: Rung[] = []
  for (const rung of wholeLadder(own, lead)) if (!(await isAsker(scope, rung, brief, question))) ladder.push(rung)
  return ladder
}

async function isAsker(scope: RunScope, rung: Rung, brief: Brief, { askedBy }: Question): Promise<boolean> {
  if (rung.name === askedBy) return true
  if (rung.positionId === null) return false
  if (rung.positionId === brief.positionId) return true
  const holder = await holderOf(scope.tx, rung.positionId, scope.run.organisationId)
  return 'persona' in holder && holder.persona.id === brief.personaId
}

/**
 * Hands a question to the next rung above it that has somebody. A rung without anybody is passed, with the reason. Only
 * the operator is notified, and only when the question arrives at her.
 */
export async function raiseQuestion(scope: RunScope, asked: Question, reason?: string): Promise<Question> {
  await dropResolveBrief(scope, asked, reason ?? 'the question goes on')
  let question = asked
  for (;;) {
    const [rung = operatorRung, ...ladder] = question.ladder
    const above = { ladder, resolveBriefId: null, currentPositionId: null }
    if (rung.kind === 'operator') {
      const arrived = await moveUp(scope, question, rung, { ...above, status: 'with_operator', reason })
      await notifyOperator(scope, arrived, scope.run.organisationId)
      await scheduleReminder(scope, arrived)
      return arrived
    }
    const taken =
      rung.kind === 'tier' || rung.kind === 'role'
        ? await offer(scope, question, rung, reason)
        : await askSeat(scope, question, rung, reason)
    if (typeof taken === 'object') return taken
    question = await moveUp(scope, question, rung, { ...above, skipped: taken })
  }
}

/** Hands a question to the operator without a notification: a gate shows it. */
export const handToOperator = (scope: RunScope, question: Question): Promise<Question> =>
  moveUp(scope, question, operatorRung, {
    ladder: [],
    resolveBriefId: null,
    currentPositionId: null,
    status: 'with_operator',
    reason: 'it is asked again and again',
  })

/** Offers a question to a rung of the playbook, which takes it by adding a brief that names it. */
async function offer(
  scope: RunScope,
  question: Question,
  rung: Rung,
  reason: string | undefined,
): Promise<Question | 'not_taken'> {
  const brief = question.briefId === null ? undefined : await findBrief(scope.tx, question.briefId)
  if (brief === undefined) return 'not_taken'
  const before = question.hops.length
  await scope.decide({
    kind: 'question_raised',
    question,
    rung,
    brief,
    ...(reason === undefined ? {} : { reason }),
  })
  const now = await findQuestion(scope.tx, question.id)
  if (now === undefined) throw bug(`question ${question.id} vanished`)
  return now.hops.length > before || now.answeredAt !== null ? now : 'not_taken'
}

async function askSeat(
  scope: RunScope,
  question: Question,
  rung: Rung,
  reason: string | undefined,
): Promise<Question | NonNullable<Hop['skipped']>> {
  const { tx, run } = scope
  const holder = await holderOf(tx, rung.positionId, run.organisationId)
  if ('absent' in holder) return holder.absent
  // The persona that asks may have got the seat since its ladder was made.
  const stuck = question.briefId === null ? undefined : await findBrief(tx, question.briefId)
  if (stuck !== undefined && (await isAsker(scope, rung, stuck, question))) return 'asker'
  const runtime = runtimeOfSeats(scope)
  if (runtime === null) return 'no_runtime'
  const positionId = rung.positionId as number
  const brief = await addSeatBrief(scope, question, { positionId, personaId: holder.persona.id, runtime, reason })
  return moveUp(scope, question, rung, {
    ladder: question.ladder.slice(1),
    status: 'with_lead',
    resolveBriefId: brief.id,
    currentPositionId: positionId,
    reason,
  })
}

/** Notifies the operator of a question that has arrived at her. */
export const notifyOperator = (
  { tx, notify }: Pick<RunScope, 'tx' | 'notify'>,
  question: Question,
  organisationId: number,
): Promise<void> =>
  notify(tx, {
    kind: 'question_asked',
    title: `A question: ${shorten(question.text, 120)}`,
    summary: [question.context, ...question.options.map((option) => `${option.key}: ${option.label}`)]
      .filter(Boolean)
      .join('\n'),
    actions: [{ label: 'Answer', command: `agency answer ${question.id} "…"` }],
    runId: question.runId,
    organisationId,
    object: question.id,
    state: 'asked',
  })
