import { updated } from '../../events/change.ts'
import { shorten } from '../../kernel/text.ts'
import { findPart, parts } from '../parts/store.ts'
import { askQuestion } from '../questions/ask.ts'
import type { Question } from '../questions/contract.ts'
import { endRun } from '../runs/end.ts'
import { touchRun } from '../runs/moves.ts'
import type { RunScope } from '../scope.ts'
import { landingHold, partMergeHold, wakeLanding } from './moves.ts'

/** The merge that could not be recorded: of a part, by its key, or of the whole result into its target. */
export type FaultyMerge = { readonly part: string } | 'landing'

const prefix = 'merge:'
const landing = `${prefix}landing`

/** Asks about a merge that git has done, but that could not be recorded; until the answer it is not tried again. */
export async function askAboutMerge(scope: RunScope, merge: FaultyMerge, reason: string): Promise<void> {
  const { tx, run } = scope
  const part = merge === 'landing' ? undefined : await findPart(tx, run.id, merge.part)
  const isWaiting = merge === 'landing' ? run.heldBy === landingHold : part?.heldBy === partMergeHold
  if (!isWaiting) return
  const question = await askQuestion(scope, {
    brief: null,
    kind: 'technical',
    class: 'fault',
    text: `The ${merge === 'landing' ? 'merge of the result' : `merge of ${merge.part}`} is stuck: ${shorten(reason, 1_000)}`,
    context: '',
    options: [
      { key: 'retry', label: 'Try again', detail: 'The merge is done again from the recorded commits.' },
      { key: 'abandon', label: 'Give up', detail: 'The run fails.' },
    ],
    recommendation: 'retry',
    risk: 'medium',
    askedBy: merge === 'landing' ? landing : `${prefix}part:${merge.part}`,
  })
  const heldBy = `question:${question.id}`
  const message = 'the merge waits for an answer'
  if (part === undefined) await touchRun(scope, { heldBy }, { kind: 'log', message })
  else await touchRun(scope, {}, { kind: 'log', message }, [updated(parts, part, { heldBy, updatedAt: tx.at })])
}

export const isAboutMerge = ({ askedBy }: Question): boolean => askedBy.startsWith(prefix)

/** Continues a merge after the operator's answer, unless it is no longer wanted. */
export async function continueMerge(
  scope: RunScope,
  { id, askedBy }: Question,
  key: string | null,
  by: string,
): Promise<void> {
  const { tx, run } = scope
  if (key === 'abandon') return endRun(scope, 'failed', `given up by ${by}`)
  const heldBy = `question:${id}`
  const message = 'the merge is tried again'
  if (askedBy === landing) {
    if (run.heldBy !== heldBy) return
    await touchRun(scope, { heldBy: landingHold }, { kind: 'log', message })
    await wakeLanding(scope)
  } else {
    const part = await findPart(tx, run.id, askedBy.slice(`${prefix}part:`.length))
    if (part?.heldBy !== heldBy) return
    await touchRun(scope, {}, { kind: 'log', message }, [
      updated(parts, part, { heldBy: partMergeHold, updatedAt: tx.at }),
    ])
    await scope.later(tx, { kind: 'integrate', runId: run.id })
  }
}
