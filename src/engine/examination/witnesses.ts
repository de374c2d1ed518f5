import { type FileChange, type FinishedWork, integrationBranch } from '../../repositories/port.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import type { Run } from '../../work/runs/contract.ts'
import type { Claimed } from '../attempt/start.ts'
import type { EngineDeps } from '../deps.ts'
import { checksOf } from './place.ts'
import { findWitnessChanges, type WitnessChanges } from '../witnesses/find.ts'

/**
 * Returns verified work of the run, and work of the operator: its changes were shown when it was collected. A brief that
 * is done again finds its own earlier work there, which stays its own.
 */
export const othersOf = ({ id, repository }: Run, brief: Brief): FinishedWork => ({
  refs: [
    `refs/heads/${integrationBranch(id).replace(/\/[^/]*$/, '/')}`,
    `refs/heads/workstream/${id}/`,
    ...(repository === null ? [] : [`refs/source/${repository.branch}`]),
  ],
  ownBriefs: [brief.id, ...(brief.remainderOf === null ? [] : [brief.remainderOf])],
  ownCommits: brief.branchCommit === null ? [] : [brief.branchCommit],
})

/** Finds the changes of finished work on which the result of its own evidence may rest. */
export async function findWitnesses(
  deps: EngineDeps,
  { run, brief }: Claimed,
  commit: string | null,
): Promise<WitnessChanges & { readonly changes: readonly FileChange[] }> {
  const { repositories } = deps
  const { repository } = run
  const { startCommit: start } = brief
  if (repositories === undefined || repository === null || start === null || commit === null)
    return { changes: [], witnesses: [], newTests: [] }
  const { mirror } = repository
  const changes = await repositories.changes(mirror, { from: start, to: commit, others: othersOf(run, brief) })
  const found = await findWitnessChanges({
    start,
    changes,
    evidence: brief.evidence,
    setup: (await checksOf(deps, run)).setup,
    asked: [brief.title, brief.objective, brief.context].join('\n'),
    read: (which, path) => repositories.text(mirror, which === 'start' ? start : commit, path),
    pathsAtStart: () => repositories.paths(mirror, start),
  })
  return { changes, ...found }
}
