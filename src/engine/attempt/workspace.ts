import type { Brief } from '../../work/briefs/contract.ts'
import type { Run } from '../../work/runs/contract.ts'
import type { WorkspaceRequest } from '../../workspaces/port.ts'
import { branchOf } from '../../work/briefs/branches.ts'
import type { EngineDeps } from '../deps.ts'

/** Who judges looks at the place of whoever worked; who finishes the rest goes on where the work is. */
export function workspaceRequest(deps: EngineDeps, run: Run, brief: Brief): WorkspaceRequest {
  const id = brief.remainderOf ?? brief.verifies ?? brief.id
  const { repository, configuration } = run
  return {
    id,
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
