import { inserted, record } from '../../events/change.ts'
import { shorten } from '../../kernel/text.ts'
import { endLiveAttemptOf } from '../attempts/end-live.ts'
import type { Brief } from '../briefs/contract.ts'
import { countBriefs, newBrief } from '../briefs/create.ts'
import { eventTags, moveBrief, nameOf } from '../briefs/moves.ts'
import { endStatuses, liveStatuses } from '../briefs/states.ts'
import { briefs, findBrief } from '../briefs/store.ts'
import type { RunScope } from '../scope.ts'
import type { Question } from './contract.ts'
import { seatKey, seatStep } from './resolution.contract.ts'
import { seatInputs } from './seat-inputs.ts'

export type SeatRuntime = Pick<Brief, 'runtime' | 'runtimeOptions'>

/**
 * Returns the runtime of the seats that are asked in a run: the one that its playbook names, or the run's, or that of its
 * verifiers. A program does one thing whatever its prompt says, so it cannot answer.
 */
export function runtimeOfSeats({ run: { configuration }, playbook, takesAnyTask }: RunScope): SeatRuntime | null {
  const { team, runtime, runtimeOptions, verifierRuntime, verifierOptions } = configuration
  const own = team === undefined ? undefined : playbook.seatRuntime?.(team)
  const candidates: SeatRuntime[] = [
    ...(own === undefined ? [] : [own]),
    { runtime, runtimeOptions },
    ...(typeof verifierRuntime === 'string'
      ? [{ runtime: verifierRuntime, runtimeOptions: verifierOptions ?? {} }]
      : []),
  ]
  const found = candidates.find((each) => takesAnyTask(each.runtime))
  return found === undefined ? null : { runtime: found.runtime, runtimeOptions: found.runtimeOptions }
}

interface Seat {
  readonly positionId: number
  readonly personaId: number
  readonly runtime: SeatRuntime
  /** Why the rung below did not answer. */
  readonly reason: string | undefined
}

/** Adds the brief in which the holder of a seat answers a question, or hands it up. */
export async function addSeatBrief(
  scope: RunScope,
  question: Question,
  { positionId, personaId, runtime, reason }: Seat,
): Promise<Brief> {
  const { tx, run } = scope
  const stuck = question.briefId === null ? undefined : await findBrief(tx, question.briefId)
  const place = stuck === undefined ? undefined : scope.playbook.derive?.(stuck, 'resolve')
  const brief = newBrief(scope, {
    id: scope.ids.next('brief'),
    key: `${seatKey}${question.id.slice('qst_'.length)}:${positionId}`,
    number: null,
    kind: 'plan',
    phase: seatStep,
    title: shorten(`Answer ${question.askedBy}`, 120),
    objective: `${question.askedBy} asks: ${question.text}`,
    inputs: await seatInputs(scope, question, stuck, reason),
    ownerId: question.briefId,
    personaId,
    positionId,
    ...runtime,
    provider: scope.providerOf(runtime.runtime, runtime.runtimeOptions),
    retryBudget: 1,
    // The question may be about a failure, and then it decides whether the run continues.
    startsAfterFailure: true,
    ...place,
  })
  await record(
    tx,
    {
      kind: 'brief_created',
      by: scope.by,
      runId: run.id,
      briefId: brief.id,
      ...eventTags(scope, brief),
      level: 'verbose',
      message: `${brief.key}: ${brief.title}`,
      data: { to: 'pending', question_id: question.id, position_id: positionId },
    },
    [inserted(briefs, brief)],
  )
  await countBriefs(scope, [brief], [], '1 brief more, to answer a question')
  return brief
}

/** Ends the brief of a rung whose answer is not needed any more, as `dropBrief` does. */
export async function dropResolveBrief(
  scope: RunScope,
  { resolveBriefId }: Question,
  reason: string,
): Promise<boolean> {
  const brief = resolveBriefId === null ? undefined : await findBrief(scope.tx, resolveBriefId)
  return brief === undefined ? false : dropBrief(scope, brief, reason)
}

/**
 * Ends a brief that asks somebody, unless it has given its answer or has ended. Resolves to whether it was live, so that
 * its end may be the one for which the failure of a sibling has waited.
 */
export async function dropBrief(scope: RunScope, brief: Brief, reason: string): Promise<boolean> {
  if (brief.status === 'verified') return false
  if (endStatuses.includes(brief.status) && brief.status !== 'failed') return false
  await endLiveAttemptOf(scope, brief, reason)
  await moveBrief(scope, brief, 'cancelled', {
    kind: 'brief_cancelled',
    level: 'verbose',
    message: `${nameOf(scope, brief)} is cancelled: ${reason}`,
    data: { reason },
  })
  return liveStatuses.includes(brief.status)
}
