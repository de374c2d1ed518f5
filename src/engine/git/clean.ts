import type { Brief } from '../../work/briefs/contract.ts'
import { listBriefs } from '../../work/briefs/store.ts'
import type { RunRepository } from '../../work/runs/contract.ts'
import { findRun } from '../../work/runs/store.ts'
import type { Workspace } from '../../workspaces/port.ts'
import { workspaceRequest } from '../attempt/workspace.ts'
import type { EngineDeps } from '../deps.ts'

/**
 * Removes the clones of a run that has ended; work that was not collected is kept in the mirror, under the brief's name.
 * Without a repository the work itself stays, and only the copies of its verifiers are removed.
 */
export async function cleanRun(deps: EngineDeps, runId: string): Promise<void> {
  const { run, briefs } = await deps.db.read(async (tx) => ({
    run: await findRun(tx, runId),
    briefs: await listBriefs(tx, runId),
  }))
  if (run === undefined || run.endedAt === null) return
  const { repository } = run
  for (const brief of briefs) {
    if (!hasWorkspace(brief, repository !== null)) continue
    // A verifier leaves no work behind.
    const keep = brief.verifies !== null || repository === null ? undefined : keepWork(deps, repository, brief)
    // A clone is not removed if its work cannot be kept.
    await deps.workspaces.remove(workspaceRequest(deps, run, brief), keep).catch((error: unknown) => {
      deps.log.warn('a clone stays on the disk', { run: runId, brief: brief.id, error: String(error) })
    })
  }
}

/** The remainder of a brief uses the directory of that brief. */
const hasWorkspace = ({ verifies, attempts, startCommit, remainderOf }: Brief, isInRepository: boolean): boolean =>
  verifies === null ? isInRepository && startCommit !== null && remainderOf === null : attempts > 0

const keepWork = (deps: EngineDeps, repository: RunRepository, brief: Brief) => async (workspace: Workspace) => {
  const { id: briefId, runId, startCommit: start } = brief
  if (start === null) return
  const attemptId = brief.attemptId ?? briefId
  const message = `What was left in the clone of ${briefId}`
  await deps.repositories?.keep({ repository, runId, briefId, attemptId, workspace, start, message })
}
