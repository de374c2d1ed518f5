import { findPersona } from '../../org/personas/store.ts'
import type { PlaybookEvent } from '../../playbooks/contract.ts'
import { asksOf } from '../attempts/contract.ts'
import { findAttempt } from '../attempts/store.ts'
import type { Brief } from '../briefs/contract.ts'
import { closeBrief, passBrief } from '../briefs/moves.ts'
import type { RunScope } from '../scope.ts'
import { answerQuestion } from './answer.ts'
import { raiseQuestion } from './climb.ts'
import { holderOf } from './holder.ts'
import { dropBrief } from './seat-brief.ts'
import { asksSeat, type Resolution } from './resolution.contract.ts'
import { findQuestionOfResolve } from './store.ts'

/** Reports whether an event concerns a brief that asks a seat, about which no playbook decides. */
export const isAboutSeat = (event: PlaybookEvent): event is Extract<PlaybookEvent, { brief: Brief }> =>
  'brief' in event && event.kind !== 'question_raised' && asksSeat(event.brief)

/** Decides about a brief that asks a seat: it answers the question, or the question is handed to the next rung. */
export async function decideSeat(scope: RunScope, event: Extract<PlaybookEvent, { brief: Brief }>): Promise<void> {
  const { brief } = event
  switch (event.kind) {
    case 'brief_ready':
      return follow(scope, brief, event.seen.report.output as Resolution)
    case 'brief_verified':
      return closeBrief(scope, brief)
    case 'brief_blocked':
      return handUp(
        scope,
        brief,
        event.class === 'asked' ? await ownQuestion(scope, brief, event.reason) : event.reason,
      )
    case 'brief_failed':
      return handUp(scope, brief, brief.failure ?? 'its agent has failed')
    case 'brief_cancelled':
      return handUp(scope, brief, 'its brief was cancelled')
    default:
  }
}

async function follow(scope: RunScope, brief: Brief, { decision, answer, reason }: Resolution): Promise<void> {
  const question = await findQuestionOfResolve(scope.tx, brief.id)
  await passBrief(scope, brief, reason)
  if (question === undefined) return
  const gone = await reasonOfAbsence(scope, brief)
  if (gone !== null || decision === 'hand_up') return void (await raiseQuestion(scope, question, gone ?? reason))
  const persona = await findPersona(scope.tx, brief.personaId)
  await answerQuestion(scope, question.id, persona?.slug ?? `persona:${brief.personaId}`, answer ?? '')
}

/** Hands the question of a brief to the next rung; the brief ends with that. */
async function handUp(scope: RunScope, brief: Brief, reason: string): Promise<void> {
  const question = await findQuestionOfResolve(scope.tx, brief.id)
  if (question !== undefined) await raiseQuestion(scope, question, reason)
  // Its agent has answered before it ended without a report, or another authority has.
  else await dropBrief(scope, brief, 'its question is settled')
}

/** Returns why the agent on a seat cannot decide, with its own question, which is asked nowhere else. */
async function ownQuestion({ tx }: RunScope, { attemptId }: Brief, reason: string): Promise<string> {
  const report = attemptId === null ? undefined : (await findAttempt(tx, attemptId))?.report
  const asked = report === null || report === undefined ? [] : asksOf(report)
  return asked.length === 0 ? reason : `${reason} It asks: ${asked.map(({ text }) => text).join(' ')}`
}

/**
 * Hands the question of a brief on whose persona has left its seat meanwhile, and ends a brief whose question is settled.
 * Resolves to whether the brief is not to be started.
 */
export async function passOnIfVacated(scope: RunScope, brief: Brief): Promise<boolean> {
  if (!asksSeat(brief)) return false
  const isSettled = (await findQuestionOfResolve(scope.tx, brief.id)) === undefined
  const gone = isSettled ? 'its question is settled' : await reasonOfAbsence(scope, brief)
  if (gone !== null) await handUp(scope, brief, gone)
  return gone !== null
}

/** Returns why a persona is not the one to answer any more; null: it still has its seat. */
async function reasonOfAbsence({ tx, run }: RunScope, { positionId, personaId }: Brief): Promise<string | null> {
  const holder = await holderOf(tx, positionId, run.organisationId)
  return 'persona' in holder && holder.persona.id === personaId ? null : 'who was asked has left the seat'
}
