import { listBriefs } from '../../work/briefs/store.ts'
import { findRun } from '../../work/runs/store.ts'
import { workspaceRequest } from '../attempt/workspace.ts'
import type { EngineDeps } from '../deps.ts'

/** Removes the clones of a run that has ended; work that was not collected is kept in the mirror, under the brief's name. */
export async function cleanRun(deps: EngineDeps, runId: string): Promise<void> {
  const { run, briefs } = await deps.db.read(async (tx) => ({
    run: await findRun(tx, runId),
    briefs: await listBriefs(tx, runId),
  }))
  if (run === undefined || run.endedAt === null || run.repository === null) return
  const { repository } = run
  for (const brief of briefs) {
    const { startCommit: start } = brief
    // The remainder of a brief uses the directory of that brief.
    if (start === null || (brief.remainderOf !== null && brief.verifies === null)) continue
    const removed = deps.workspaces.remove(workspaceRequest(deps, run, brief), async (workspace) => {
      // A verifier leaves no work behind.
      if (brief.verifies !== null) return
      const attemptId = brief.attemptId ?? brief.id
      const message = `What was left in the clone of ${brief.id}`
      await deps.repositories?.keep({ repository, runId, briefId: brief.id, attemptId, workspace, start, message })
    })
    // A clone is not removed if its work cannot be kept.
    await removed.catch((error: unknown) => {
      deps.log.warn('a clone stays on the disk', { run: runId, brief: brief.id, error: String(error) })
    })
  }
}
