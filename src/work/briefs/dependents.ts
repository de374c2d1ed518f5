import { type Change, updated } from '../../events/change.ts'
import { bug } from '../../kernel/errors.ts'
import type { Brief } from './contract.ts'
import { addHold, changeHolds, failedDependency, isSameHold, releaseHold } from './holds.ts'
import { endStatuses } from './states.ts'
import { briefs, dependencies, findBrief, listDependents } from './store.ts'
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
    const hold = failedDependency(brief.id)
    const holds = await changeHolds(scope.tx, waiting, { release: (each) => isSameHold(each, hold) })
    changes.push(updated(dependencies, dependency, { met: true }))
    changes.push(updated(briefs, waiting, { unmetDependencies: waiting.unmetDependencies - 1, ...holds.patch }))
    changes.push(...holds.changes)
  }
  return changes
}

/** Holds the dependents of a brief that will not be done, unless they have ended themselves. */
export async function holdDependents(scope: RunScope, brief: Brief): Promise<Change[]> {
  const held: Change[] = []
  for (const dependency of await listDependents(scope.tx, brief.id)) {
    const waiting = await findBrief(scope.tx, dependency.briefId)
    if (waiting !== undefined && !endStatuses.includes(waiting.status))
      held.push(...(await addHold(scope.tx, waiting, failedDependency(brief.id))))
  }
  return held
}

/** Releases the held dependents of a brief that is tried again; whatever else holds them stays. */
export async function freeDependents(scope: RunScope, brief: Brief): Promise<Change[]> {
  const freed: Change[] = []
  for (const dependency of await listDependents(scope.tx, brief.id)) {
    const waiting = await findBrief(scope.tx, dependency.briefId)
    if (waiting !== undefined) freed.push(...(await releaseHold(scope.tx, waiting, failedDependency(brief.id))))
  }
  return freed
}
