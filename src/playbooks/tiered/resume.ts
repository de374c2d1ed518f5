import type { Brief } from '../../work/briefs/contract.ts'
import type { Decision, Needs, View } from '../contract.ts'
import { endRun, repeatWork, mergeGate, rejectionNeeds, withoutResume } from './t1-accept.ts'
import { architectureNeeds, redesign, retryConflict } from './t2-architecture.ts'
import { conflictNeeds, retryMerge } from './escalate-merge-conflict.ts'
import { markOf, escalateFailures } from './escalate-failures.ts'
import { runPart, wavePart, workstreamPart } from './base-names.ts'
import { changedRun, type OnResume, own, runOf } from './base-state.ts'
import { log } from './base-steps.ts'
import { withChanges } from './base-view.ts'
import { dataOfBrief } from './contract.ts'

/** The steps that follow a pause need different rows: a timer that fires at once calls them in their own part. */
export const resumeTimer = 'go_on'

export const resumeNeeds: Needs = { parts: [runPart], failed: true, amendments: true }

/** Handles a run that the operator has resumed. */
export function onResumed(view: View): readonly Decision[] {
  const { onResume, isMerging = false, accepted, surfaced } = runOf(view)
  const { run } = view
  if (onResume !== undefined) return [{ kind: 'start_timer', name: resumeTimer, part: placeOf(onResume), minutes: 0 }]
  // The operator has abandoned it: it is not retried.
  if (run.abandoned) return escalateFailures(view)
  // A resumption follows every gate too: only failures that the operator was asked about are retried.
  const own = view.found.failed.filter((brief) => dataOfBrief(brief).tier === 't1' && surfaced.includes(markOf(brief)))
  if (own.length > 0) return own.map(retry)
  if (run.briefsFailed > 0) return escalateFailures(view)
  if (accepted !== undefined && !isMerging) return [endRun(view, accepted)]
  // A merge gate that expired without a decision is opened again.
  return isMerging && run.gatesPending === 0 && run.heldBy !== 'landing' ? [mergeGate(view)] : []
}

const retry = (brief: Brief): Decision => ({
  kind: 'resolve_brief',
  brief,
  by: 'operator',
  class: 'crash',
  guidance: null,
})

const placeOf = (onResume: OnResume): string => {
  if (onResume.what === 'rejected') return runPart
  return onResume.what === 'merge_conflict' ? workstreamPart(onResume.workstream) : wavePart(onResume.wave)
}

export function continueNeeds(view: View): Needs {
  const { onResume } = runOf(view)
  switch (onResume?.what) {
    case undefined:
      return {}
    case 'rejected':
      return rejectionNeeds(view, onResume.workstreams)
    case 'merge_conflict':
      return conflictNeeds(view)
    case 'architecture':
    case 'conflict':
      return { ...architectureNeeds(own(view)), parts: [own(view).key] }
  }
}

/** Continues the paused step and resets the count of rejections: the operator has seen the result. */
export function continuePaused(view: View): readonly Decision[] {
  const { onResume } = runOf(view)
  // The timer may fire late, or twice; by then the run may be paused by another question.
  if (onResume === undefined || view.run.status === 'paused') return []
  const change = withoutResume(changedRun(view, { rejections: 0 }))
  const next = withChanges(view, [change])
  const logged = log({ level: 'verbose', message: 'the operator continues the run' }, [change])
  switch (onResume.what) {
    case 'rejected':
      return [logged, ...repeatWork(next, { ...onResume, workstreams: [...onResume.workstreams], action: 'rework' }, 0)]
    case 'architecture':
      return [logged, redesign(next, onResume.wave, onResume.reason)]
    case 'conflict':
      return [logged, ...retryConflict(next, onResume.wave)]
    case 'merge_conflict':
      return [logged, ...retryMerge(next, onResume.reason)]
  }
}
