import { counted } from '../../kernel/amounts.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import type { Decision, Needs, PlaybookEvent, View } from '../contract.ts'
import { jointReason } from './escalate-squad.ts'
import { escalate } from './escalate-ladder.ts'
import { runPart } from './base-names.ts'
import { handUp, questionOf, resolveNeeds } from './escalate-resolve.ts'
import { changedRun, runOf } from './base-state.ts'
import { log } from './base-steps.ts'
import { dataOfBrief } from './contract.ts'

const isResolve = ({ phase }: Brief): boolean => phase === 'resolve'

export const blockedNeeds = (view: View, brief: Brief): Needs => (isResolve(brief) ? resolveNeeds(view, brief) : {})

/** Escalates a blocked brief; one that was to decide hands its decision up instead. */
export function onBlocked(
  view: View,
  { brief, class: cause, reason }: Extract<PlaybookEvent, { kind: 'brief_blocked' }>,
): readonly Decision[] {
  // The tier above the squad was already asked about all its failed slices at once.
  if (reason === jointReason) return []
  if (!isResolve(brief) || !canHandUp(brief) || isForOperator(cause)) return [escalate(brief, cause, reason)]
  return [
    { kind: 'cancel_briefs', briefs: [brief], reason: 'the decision is handed up' },
    ...handUp(view, brief, reason),
  ]
}

/** Reports whether a step that was to decide can hand the decision up; above T1 only a question goes on. */
const canHandUp = (brief: Brief): boolean => dataOfBrief(brief).tier !== 't1' || questionOf(brief) !== undefined

const isForOperator = (cause: string): boolean => ['permission', 'secret', 'budget', 'interrupted'].includes(cause)

export const failedNeeds = (view: View, brief?: Brief): Needs => ({
  failed: true,
  parts: [runPart],
  ...(brief !== undefined && isResolve(brief) && canHandUp(brief) ? resolveNeeds(view, brief) : {}),
})

/** Handles a failed brief. A resolve brief is skipped at once; any other failure waits until the running attempts have ended. */
export function onFailed(view: View, brief: Brief): readonly Decision[] {
  if (!isResolve(brief) || !canHandUp(brief) || view.run.abandoned) return escalateFailures(view)
  return [
    { kind: 'cancel_briefs', briefs: [brief], reason: 'the decision is handed up' },
    ...handUp(view, brief, brief.failure ?? 'the brief that was to decide has failed'),
  ]
}

/** Escalates failures once no attempt is running: each goes to the tier above it, and those of T1 to the operator. */
export function escalateFailures(view: View): readonly Decision[] {
  const { run, liveAttempts, found } = view
  if (liveAttempts > 0) return []
  if (run.abandoned)
    return [{ kind: 'end_run', status: 'failed', summary: `${counted(run.briefsFailed, 'brief')} failed` }]
  const { surfaced } = runOf(view)
  const fresh = found.failed.filter((brief) => !surfaced.includes(markOf(brief)))
  if (fresh.length === 0) return []
  const own = fresh.filter((brief) => dataOfBrief(brief).tier === 't1')
  return [
    log({ level: 'verbose', message: `${counted(fresh.length, 'failure')} surfaced` }, [
      changedRun(view, { surfaced: [...surfaced, ...fresh.map(markOf)] }),
    ]),
    ...fresh
      .filter((brief) => dataOfBrief(brief).tier !== 't1')
      .map((brief) => escalate(brief, 'crash', brief.failure ?? 'it failed')),
    ...(own.length === 0 ? [] : [haltFor(own)]),
  ]
}

export const markOf = ({ id, attempts }: Brief): string => `${id}:${attempts}`

const haltFor = (own: readonly Brief[]): Decision => ({
  kind: 'pause_and_ask',
  text: `T1 has failed: ${own.map((brief) => dataOfBrief(brief).label ?? brief.key).join(', ')}. Try again?`,
  context: own.map(({ failure }) => failure ?? '').join('\n'),
})
