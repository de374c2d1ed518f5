import type { Brief } from '../../work/briefs/contract.ts'
import type { Decision, PlaybookEvent, View } from '../contract.ts'
import { redirect } from './t4-replace.ts'
import { handUp } from './escalate-resolve.ts'
import { keysOf } from './t4-tasks.ts'
import { advance } from './t3-verdict.ts'
import { dataOfBrief } from './contract.ts'

/** Handles a brief that the operator cancelled. A run continues without a task, but not without a step. */
export function onCancelled(
  view: View,
  { brief, wasVerified }: Extract<PlaybookEvent, { kind: 'brief_cancelled' }>,
): readonly Decision[] {
  if (brief.phase === 'resolve')
    // Its decision was followed already.
    return wasVerified ? [] : handUp(view, brief, 'the operator cancelled the brief that was to decide')
  if (brief.phase === 't4') return [...releaseDependents(view, brief), ...advance(view, brief)]
  if (brief.phase === 't5' || brief.phase === 't3_verdict') return advance(view, brief)
  return [
    {
      kind: 'end_run',
      status: 'cancelled',
      summary: `"${brief.title}" was cancelled, and the run cannot continue without it`,
    },
  ]
}

/** Removes the brief from the dependencies of the others. */
function releaseDependents(view: View, brief: Brief): Decision[] {
  const members = view.found.members[brief.part as string] ?? []
  const place = { workstream: dataOfBrief(brief).workstream as string, squad: String(brief.inputs['squad'] ?? '') }
  return redirect(members, [brief], [], keysOf(place, [], members))
}
