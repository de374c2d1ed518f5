import type { Brief } from '../../work/briefs/contract.ts'
import type { Decision, Needs, View } from '../contract.ts'
import { idOfWorkstream } from './base-names.ts'
import { changedRun, own } from './base-state.ts'
import { say, tell } from './base-steps.ts'
import { listed } from './base-text.ts'

export const conflictNeeds = (view: View): Needs => ({ workstreams: [idOfWorkstream(own(view).key)] })

/** What a workstream made does not fit with what others have made meanwhile: whoever came last there mends it. */
export function mergeConflict(view: View, files: readonly string[]): readonly Decision[] {
  const id = idOfWorkstream(own(view).key)
  const last = lastTask(view, id)
  const reason = `changed above it too: ${listed(files, 20)}`
  if (last === undefined || last.retriesUsed >= last.retryBudget)
    return [
      tell(say('T3', 'FAIL', `${id} cannot be merged: ${reason}`, { workstream: id }), [
        changedRun(view, { onResume: { what: 'merge_conflict', workstream: id, reason } }),
      ]),
      {
        kind: 'pause_and_ask',
        text: `Workstream ${id} cannot be merged with the others. Shall it be tried again?`,
        context: reason,
      },
    ]
  return [
    tell(say('T3', 'FAIL', `${id} cannot be merged: ${reason}`, { workstream: id }), reopened(view, last)),
    {
      kind: 'rework_brief',
      brief: last,
      counter: 'retries',
      corrections: files.map((file) => ({ evidence: 'the merge', detail: `${file} was changed by others too` })),
    },
  ]
}

const lastTask = (view: View, id: string): Brief | undefined =>
  (view.found.workstreams?.[id] ?? [])
    .filter(({ phase, status }) => phase === 't4' && status === 'verified')
    .toSorted((one, other) => (one.number ?? 0) - (other.number ?? 0))
    .at(-1)

const reopened = (view: View, task: Brief) => [
  { key: own(view).key, status: 'open' as const },
  { key: task.part as string, status: 'open' as const },
]

/** The operator lets it be tried once more. */
export function retryMerge(view: View, reason: string): readonly Decision[] {
  const id = idOfWorkstream(own(view).key)
  const last = lastTask(view, id)
  if (last === undefined) return [{ kind: 'merge_part', part: own(view).key }]
  return [
    tell(say('T3', 'RESUMED', `${id} is mended once more`, { workstream: id }), reopened(view, last)),
    { kind: 'send_back', brief: last, reason, class: 'rejected' },
  ]
}
