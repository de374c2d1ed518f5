import type { Db, ReadTx, Tx } from '../../../db/port.ts'
import { record, updated } from '../../../events/change.ts'
import type { Log } from '../../../kernel/log.ts'
import { briefs, listBriefsHeldBy, listOpenBriefs, listRunIdsHeldBy } from '../../briefs/store.ts'
import type { Run } from '../../runs/contract.ts'
import { findRun, listRunsIn } from '../../runs/store.ts'

/** The hold of a brief whose workspace is used by another run. */
export const queuedHold = 'workspace'

/** Queues a run while another one works in the same workspace; resolves to whether it was queued. */
export async function queueInWorkspace({ tx, run, by }: { tx: Tx; run: Run; by: string }): Promise<boolean> {
  // Runs from before workspaces were introduced have none.
  const workspace = run.configuration.workspace ?? null
  if (workspace === null) return false
  const [first] = await listRunsIn(tx, run.missionId, workspace)
  if (first === undefined || first.id === run.id) return false
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
        data: { held_by: queuedHold, behind: first.id },
      },
      [updated(briefs, brief, { heldBy: queuedHold, updatedAt: tx.at })],
    )
  return true
}

export interface Queue {
  /** Loads the runs that were queued before a restart. */
  start(): Promise<void>
  /** Adds a queued run. */
  expect(runId: string): void
  stop(): void
}

/** Releases the next run whenever the one before it has ended. The queue is in the store: a restart loses nothing. */
export function createQueue({ db, log }: { db: Db; log: Log }): Queue {
  const queued = new Set<string>()
  let checking: Promise<void> | null = null
  let again = false

  /** Runs after every commit, but only while a run is queued. */
  function check(): void {
    if (queued.size === 0) return
    if (checking !== null) {
      again = true
      return
    }
    checking = releaseFirst(db, queued)
      .catch((error: unknown) => log.error('a queued run could not be released', { error: String(error) }))
      .finally(() => {
        checking = null
        if (!again) return
        again = false
        check()
      })
  }

  const stop = db.onCommit(check)
  return {
    stop,
    expect(runId) {
      queued.add(runId)
      check()
    },
    async start() {
      for (const runId of await db.read((tx) => listRunIdsHeldBy(tx, queuedHold))) queued.add(runId)
      check()
    },
  }
}

async function releaseFirst(db: Db, queued: Set<string>): Promise<void> {
  for (const runId of queued) {
    const standing = await db.read((tx) => standingOf(tx, runId))
    if (standing === 'waits') continue
    // No run can overtake the first one, so it stays the first.
    if (standing === 'next') await db.write([`run:${runId}`], (tx) => release(tx, runId))
    queued.delete(runId)
  }
}

async function release(tx: Tx, runId: string): Promise<void> {
  for (const brief of await listBriefsHeldBy(tx, runId, queuedHold))
    await record(
      tx,
      {
        kind: 'brief_status',
        by: 'daemon',
        runId,
        briefId: brief.id,
        level: 'verbose',
        message: `${brief.key} is no longer queued`,
        data: { held_by: null },
      },
      [updated(briefs, brief, { heldBy: null, updatedAt: tx.at })],
    )
}

async function standingOf(tx: ReadTx, runId: string): Promise<'next' | 'waits' | 'gone'> {
  const run = await findRun(tx, runId)
  const workspace = run?.configuration.workspace ?? null
  if (run === undefined || run.endedAt !== null || workspace === null) return 'gone'
  const [first] = await listRunsIn(tx, run.missionId, workspace)
  return first?.id === runId ? 'next' : 'waits'
}
