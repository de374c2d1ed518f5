import type { Db, Tx } from '../../../db/port.ts'
import { record } from '../../../events/change.ts'
import { addHold, releaseHold, workspaceHold } from '../../briefs/holds.ts'
import { listBriefsHeldBy, listOpenBriefs, listRunIdsHeldBy } from '../../briefs/store.ts'
import type { Run } from '../../runs/contract.ts'
import { findRun, listRunsIn } from '../../runs/store.ts'

/** Queues a run while another one works in the same workspace. */
export async function queueInWorkspace({ tx, run, by }: { tx: Tx; run: Run; by: string }): Promise<void> {
  // Runs from before workspaces were introduced have none.
  const workspace = run.configuration.workspace ?? null
  if (workspace === null) return
  // Two runs of one millisecond have no order in time: each run but this one was created before it.
  const first = (await listRunsIn(tx, run.missionId, workspace)).find(({ id }) => id !== run.id)
  if (first === undefined) return
  for (const brief of await listOpenBriefs(tx, run.id))
    await record(
      tx,
      {
        kind: 'brief_status',
        by,
        runId: run.id,
        briefId: brief.id,
        level: 'verbose',
        message: `${brief.key} is queued: ${first.id} works in ${workspace}`,
        data: { held_by: workspaceHold.kind, behind: first.id },
      },
      await addHold(tx, brief, workspaceHold, { updatedAt: tx.at }),
    )
}

/**
 * Releases the next run of a workspace, unless another one works there, in the transaction that ends the one before it:
 * no kill comes between the two. New runs and the ends of runs lock the stream of the organisation: the queue does not change meanwhile.
 */
export async function releaseNext(tx: Tx, { missionId, configuration }: Run): Promise<void> {
  const workspace = configuration.workspace ?? null
  if (workspace === null) return
  const waiting = await listRunsIn(tx, missionId, workspace)
  for (const { id } of waiting) if ((await listBriefsHeldBy(tx, id, workspaceHold)).length === 0) return
  const [first] = waiting
  if (first === undefined) return
  await tx.lock(`run:${first.id}`)
  for (const brief of await listBriefsHeldBy(tx, first.id, workspaceHold))
    await record(
      tx,
      {
        kind: 'brief_status',
        by: 'daemon',
        runId: first.id,
        briefId: brief.id,
        level: 'verbose',
        message: `${brief.key} is no longer queued`,
        data: { released: workspaceHold.kind },
      },
      await releaseHold(tx, brief, workspaceHold, { updatedAt: tx.at }),
    )
}

/** Releases runs that an earlier version, killed between the two, left behind an ended one. */
export async function releaseLeftBehind(db: Db): Promise<void> {
  const runs = await db.read(async (tx) => {
    const ids = await listRunIdsHeldBy(tx, workspaceHold.kind)
    return (await Promise.all(ids.map((id) => findRun(tx, id)))).filter((run) => run !== undefined)
  })
  for (const run of runs) await db.write([`org:${run.organisationId}`], (tx) => releaseNext(tx, run))
}
