import { inserted, record } from '../../events/change.ts'
import { shorten } from '../../kernel/text.ts'
import { endLiveAttemptOf } from '../attempts/end-live.ts'
import type { Brief } from '../briefs/contract.ts'
import { countBriefs, newBrief } from '../briefs/create.ts'
import { eventTags, moveBrief, nameOf } from '../briefs/moves.ts'
import { endStatuses } from '../briefs/states.ts'
import { briefs, findBrief } from '../briefs/store.ts'
import type { RunScope } from '../scope.ts'
import type { Question } from './contract.ts'
import { isOperators, seatKey, seatStep } from './resolution.contract.ts'

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
    inputs: inputsOf(scope, question, stuck, reason),
    ownerId: question.briefId,
    personaId,
    positionId,
    ...runtime,
    provider: scope.providerOf(runtime.runtime, runtime.runtimeOptions),
    retryBudget: 1,
    // The question may be about a failure, and then it decides whether the run goes on.
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

/** The options that end the run or allow an operation stay with the operator. */
const inputsOf = (
  scope: RunScope,
  { text, context, kind, risk, options, recommendation, askedBy, hops }: Question,
  stuck: Brief | undefined,
  reason: string | undefined,
): Brief['inputs'] => ({
  question: {
    asked_by: askedBy,
    kind,
    risk,
    text,
    context,
    options: options.filter(({ key }) => !isOperators(key)),
    recommendation: recommendation === null || isOperators(recommendation) ? null : recommendation,
  },
  ...(hops.length === 0 ? {} : { way_so_far: hops.map(({ from, to, skipped }) => ({ from, to, skipped })) }),
  ...(reason === undefined ? {} : { handed_up_because: reason }),
  ...(stuck === undefined
    ? {}
    : {
        brief: {
          key: stuck.key,
          name: nameOf(scope, stuck),
          title: stuck.title,
          objective: shorten(stuck.objective, 5_000),
          status: stuck.status,
          attempts: stuck.attempts,
          retries: `${stuck.retriesUsed} of ${stuck.retryBudget}`,
          failure: stuck.failure,
          corrections: stuck.corrections,
          decisions: stuck.guidance,
        },
      }),
})

/** Ends the brief of a rung whose answer is not needed any more. One that has given its answer stays as it is. */
export async function dropResolveBrief(scope: RunScope, { resolveBriefId }: Question, reason: string): Promise<void> {
  const brief = resolveBriefId === null ? undefined : await findBrief(scope.tx, resolveBriefId)
  if (brief !== undefined) await dropBrief(scope, brief, reason)
}

/** Ends a brief that asks for an answer, unless it has given its answer or has ended. */
export async function dropBrief(scope: RunScope, brief: Brief, reason: string): Promise<void> {
  if (brief.status === 'verified') return
  if (endStatuses.includes(brief.status) && brief.status !== 'failed') return
  await endLiveAttemptOf(scope, brief, reason)
  await moveBrief(scope, brief, 'cancelled', {
    kind: 'brief_cancelled',
    level: 'verbose',
    message: `${nameOf(scope, brief)} is cancelled: ${reason}`,
    data: { reason },
  })
}
