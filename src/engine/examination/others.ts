import { type FinishedWork, integrationBranch } from '../../repositories/port.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import type { Run } from '../../work/runs/contract.ts'

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
