import type { Brief } from '../../work/briefs/contract.ts'
import type { Decision, Needs, View } from '../contract.ts'
import { end, goBack, mergeGate, rejectionNeeds, withoutResume } from './t1-accept.ts'
import { architectureNeeds, redesign, retryConflict } from './t2-architecture.ts'
import { conflictNeeds, retryMerge } from './escalate-merge-conflict.ts'
import { markOf, surface } from './escalate-failures.ts'
import { runPart, wavePart, workstreamPart } from './base-names.ts'
import { changedRun, type OnResume, own, runOf } from './base-state.ts'
import { tell } from './base-steps.ts'
import { withChanges } from './base-view.ts'

/** What has to be known differs by what it is: a time that comes at once brings it, where it belongs. */
export const resumeTimer = 'go_on'

export const resumeNeeds: Needs = { parts: [runPart], failed: true, amendments: true }

/** The operator lets a paused run go on. */
export function resumed(view: View): readonly Decision[] {
  const { onResume, isMerging = false, accepted, surfaced } = runOf(view)
  const { run } = view
  if (onResume !== undefined) return [{ kind: 'start_timer', name: resumeTimer, part: placeOf(onResume), minutes: 0 }]
  // Whoever gave it up does not want it tried again.
  if (run.abandoned) return surface(view)
  // It comes after every gate too: only what somebody was asked about, and has let go on, is tried again.
  const own = view.found.failed.filter((brief) => brief.tier === 't1' && surfaced.includes(markOf(brief)))
  if (own.length > 0) return own.map(retry)
  if (run.briefsFailed > 0) return surface(view)
  if (accepted !== undefined && !isMerging) return [end(view, accepted)]
  // A gate that nobody decided in time is opened again by whoever knows what it was about.
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

export function goOnNeeds(view: View): Needs {
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

/** With a fresh count: whoever lets it go on has looked at it. */
export function goOn(view: View): readonly Decision[] {
  const { onResume } = runOf(view)
  // It may come late, or twice: by then somebody may have been asked again.
  if (onResume === undefined || view.run.status === 'paused') return []
  const change = withoutResume(changedRun(view, { rejections: 0 }))
  const next = withChanges(view, [change])
  const told = tell({ level: 'verbose', message: 'the operator lets it go on' }, [change])
  switch (onResume.what) {
    case 'rejected':
      return [told, ...goBack(next, { ...onResume, workstreams: [...onResume.workstreams], action: 'rework' }, 0)]
    case 'architecture':
      return [told, redesign(next, onResume.wave, onResume.reason)]
    case 'conflict':
      return [told, ...retryConflict(next, onResume.wave)]
    case 'merge_conflict':
      return [told, ...retryMerge(next, onResume.reason)]
  }
}
