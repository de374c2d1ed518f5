import type { Brief } from '../../work/briefs/contract.ts'
import type { Run } from '../../work/runs/contract.ts'
import type { WorkspaceRequest } from '../../workspaces/port.ts'
import { branchOf } from '../../work/briefs/branches.ts'
import type { EngineDeps } from '../deps.ts'

/**
 * Returns the workspace of a brief. The rest of a brief continues where its work is. A verifier has a clone of the
 * judged commit; without a repository it looks at the directory of the work, with a HOME of its own.
 */
export function workspaceRequest(deps: EngineDeps, run: Run, brief: Brief): WorkspaceRequest {
  const { repository, configuration } = run
  const judged = repository === null ? brief.verifies : null
  const isInClone = repository !== null && brief.verifies !== null
  return {
    id: isInClone ? brief.id : (brief.remainderOf ?? judged ?? brief.id),
    ...(judged === null ? {} : { homeOf: brief.id }),
    runId: brief.runId,
    attemptId: brief.attemptId,
    box: deps.runtimes.get(brief.runtime)?.capabilities.boxed ?? false,
    directory: configuration.workspace ?? null,
    clone:
      repository === null || brief.startCommit === null
        ? (configuration.clone ?? null)
        : { mirror: repository.mirror, branch: branchOf(run, brief), start: brief.startCommit },
    ...(deps.policyOf === undefined ? {} : { policy: deps.policyOf(run, brief) }),
  }
}
