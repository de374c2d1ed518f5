import type { Brief } from '../../work/briefs/contract.ts'
import type { Run } from '../../work/runs/contract.ts'
import type { CopiedWorkspace, WorkspaceRequest } from '../../workspaces/port.ts'
import { branchOf } from '../../work/briefs/branches.ts'
import type { EngineDeps } from '../deps.ts'

/**
 * Returns the workspace of a brief. The rest of a brief continues where its work is. A verifier has a place of its own:
 * a clone of the judged commit; without a repository a copy of the files that it judges.
 */
export function workspaceRequest(deps: EngineDeps, run: Run, brief: Brief): WorkspaceRequest {
  const { repository, configuration } = run
  const judged = repository === null ? judgedWorkspace(run, brief) : null
  return {
    id: brief.verifies === null ? (brief.remainderOf ?? brief.id) : brief.id,
    ...(judged === null ? {} : { copyOf: judged }),
    runId: brief.runId,
    attemptId: brief.attemptId,
    box: boxOf(deps, brief),
    directory: judged === null ? (configuration.workspace ?? null) : null,
    clone:
      repository === null || brief.startCommit === null
        ? (configuration.clone ?? null)
        : { mirror: repository.mirror, branch: branchOf(run, brief), start: brief.startCommit },
    ...(configuration.readable === undefined ? {} : { readable: configuration.readable }),
    ...(deps.policyOf === undefined ? {} : { policy: deps.policyOf(run, brief) }),
  }
}

/** Agents run in the box; one that plays a scenario of our own needs none, unless no process may start without. */
function boxOf({ runtimes }: EngineDeps, { runtime: name, runtimeOptions }: Brief): boolean | 'if_required' {
  const runtime = runtimes.get(name)
  if (runtime === undefined || !runtime.capabilities.boxed) return false
  return runtime.isBundled?.(runtimeOptions) === true ? 'if_required' : true
}

/** Returns the place of the work that a verifier judges; null: the brief is not a verifier's. */
export const judgedWorkspace = ({ configuration }: Run, brief: Brief): CopiedWorkspace | null =>
  brief.verifies === null
    ? null
    : { id: brief.remainderOf ?? brief.verifies, directory: configuration.workspace ?? null }
