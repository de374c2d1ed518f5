import type { Brief } from '../../work/briefs/contract.ts'
import type { Decision, View } from '../contract.ts'
import { redirect } from './t4-replace.ts'
import { handUp } from './escalate-resolve.ts'
import { keysOf } from './t4-tasks.ts'
import { advance } from './t3-verdict.ts'

/** The operator has taken a brief out. A task less is a task less; without a step there is no way on. */
export function cancelled(view: View, brief: Brief): readonly Decision[] {
  if (brief.phase === 'resolve') return handUp(view, brief, 'the operator has cancelled whoever was to decide')
  if (brief.phase === 't4') return [...released(view, brief), ...advance(view, brief)]
  if (brief.phase === 't5' || brief.phase === 't3_verdict') return advance(view, brief)
  return [
    { kind: 'end_run', status: 'cancelled', summary: `"${brief.title}" was cancelled, and nothing goes on without it` },
  ]
}

/** Whoever waited for it waits for one less. */
function released(view: View, brief: Brief): Decision[] {
  const members = view.found.members[brief.part as string] ?? []
  const place = { workstream: brief.workstream as string, squad: String(brief.inputs['squad'] ?? '') }
  return redirect(members, [brief], [], keysOf(place, [], members))
}
