import { type Change, updated } from '../../events/change.ts'
import { bug } from '../../kernel/errors.ts'
import type { Brief } from './contract.ts'
import { briefs, dependencies, findBrief, listDependenciesOf, listDependents } from './store.ts'
import type { RunScope } from '../scope.ts'

/** Returns the status that a brief must reach before its dependents may start. */
export const requiresOf = ({ playbook, run }: Pick<RunScope, 'playbook' | 'run'>): 'completed' | 'verified' =>
  playbook.requires?.(run) ?? 'verified'

/** Marks this dependency as met; a brief without unmet dependencies is ready. */
export async function releaseDependents(scope: RunScope, brief: Brief): Promise<Change[]> {
  const changes: Change[] = []
  for (const dependency of await listDependents(scope.tx, brief.id)) {
    const waiting = await findBrief(scope.tx, dependency.briefId)
    if (waiting === undefined) throw bug(`dependency of a missing brief: ${dependency.briefId}`)
    changes.push(updated(dependencies, dependency, { met: true }))
    changes.push(updated(briefs, waiting, { unmetDependencies: waiting.unmetDependencies - 1 }))
  }
  return changes
}

/** Holds the dependents of a brief that will not be done. */
export async function holdDependents(scope: RunScope, brief: Brief): Promise<Change[]> {
  const held: Change[] = []
  for (const dependency of await listDependents(scope.tx, brief.id)) {
    const waiting = await findBrief(scope.tx, dependency.briefId)
    if (waiting !== undefined) held.push(updated(briefs, waiting, { heldBy: holdOf(brief.id) }))
  }
  return held
}

/** Releases the held dependents of a brief that is tried again, unless another brief holds them as well. */
export async function freeDependents(scope: RunScope, brief: Brief): Promise<Change[]> {
  const freed: Change[] = []
  for (const dependency of await listDependents(scope.tx, brief.id)) {
    const waiting = await findBrief(scope.tx, dependency.briefId)
    if (waiting?.heldBy !== holdOf(brief.id)) continue
    const other = await findOtherHolder(scope, waiting, brief)
    freed.push(updated(briefs, waiting, { heldBy: other === null ? null : holdOf(other) }))
  }
  return freed
}

const holdOf = (briefId: string): string => `dependency_failed:${briefId}`

async function findOtherHolder({ tx }: RunScope, waiting: Brief, freed: Brief): Promise<string | null> {
  for (const { afterId, met } of await listDependenciesOf(tx, waiting.id)) {
    if (met || afterId === freed.id) continue
    const before = await findBrief(tx, afterId)
    if (before?.status === 'failed' || before?.status === 'cancelled') return afterId
  }
  return null
}
