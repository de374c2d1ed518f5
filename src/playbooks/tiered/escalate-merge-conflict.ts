import type { Brief } from '../../work/briefs/contract.ts'
import type { Decision, Needs, View } from '../contract.ts'
import { idOfWorkstream } from './base-names.ts'
import { changedRun, own } from './base-state.ts'
import { line, log } from './base-steps.ts'
import { listed } from './base-text.ts'

export const conflictNeeds = (view: View): Needs => ({ groups: [idOfWorkstream(own(view).key)] })

/** Handles a workstream whose branch conflicts with work merged before: its last task is repeated. */
export function onMergeConflict(view: View, files: readonly string[]): readonly Decision[] {
  const id = idOfWorkstream(own(view).key)
  const last = lastTask(view, id)
  const reason = `files also changed in the branch above: ${listed(files, 20)}`
  if (last === undefined || last.retriesUsed >= last.retryBudget)
    return [
      log(line('T3', 'FAIL', `${id} cannot be merged: ${reason}`, { workstream: id }), [
        changedRun(view, { onResume: { what: 'merge_conflict', workstream: id, reason } }),
      ]),
      {
        kind: 'pause_and_ask',
        text: `Workstream ${id} cannot be merged with the others. Try again?`,
        context: reason,
      },
    ]
  return [
    log(line('T3', 'FAIL', `${id} cannot be merged: ${reason}`, { workstream: id }), reopen(view, last)),
    {
      kind: 'rework_brief',
      brief: last,
      counter: 'retries',
      corrections: files.map((file) => ({ evidence: 'the merge', detail: `${file} was also changed by others` })),
    },
  ]
}

const lastTask = (view: View, id: string): Brief | undefined =>
  (view.found.groups?.[id] ?? [])
    .filter(({ phase, status }) => phase === 't4' && status === 'verified')
    .toSorted((one, other) => (one.number ?? 0) - (other.number ?? 0))
    .at(-1)

const reopen = (view: View, task: Brief) => [
  { key: own(view).key, status: 'open' as const },
  { key: task.part as string, status: 'open' as const },
]

/** Repeats the last task of a workstream once more, after the operator has agreed. */
export function retryMerge(view: View, reason: string): readonly Decision[] {
  const id = idOfWorkstream(own(view).key)
  const last = lastTask(view, id)
  if (last === undefined) return [{ kind: 'merge_part', part: own(view).key }]
  return [
    log(line('T3', 'RESUMED', `${id} is repaired once more`, { workstream: id }), reopen(view, last)),
    { kind: 'send_back', brief: last, reason, class: 'rejected' },
  ]
}
