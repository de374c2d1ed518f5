import type { Db, ReadTx, Tx } from '../../../db/port.ts'
import { record, updated } from '../../../events/change.ts'
import type { Log } from '../../../kernel/log.ts'
import { briefs, listBriefsHeldBy, listOpenBriefs, listRunIdsHeldBy } from '../../briefs/store.ts'
import type { Run } from '../../runs/contract.ts'
import { findRun, listRunsIn } from '../../runs/store.ts'

/** Why a brief waits in whose workspace somebody else works. */
export const queuedHold = 'workspace'

/** One at a time: whoever comes while another run is under way in the same workspace waits for its end; then true. */
export async function queueInWorkspace({ tx, run, by }: { tx: Tx; run: Run; by: string }): Promise<boolean> {
  // Runs that are older than workspaces say nothing.
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
  /** Looks for what an earlier life left queued. */
  start(): Promise<void>
  /** This run is queued. */
  expect(runId: string): void
  stop(): void
}

/** Lets the next one go whenever the one before it has ended. What is queued stands in the store: a restart loses nothing. */
export function createQueue({ db, log }: { db: Db; log: Log }): Queue {
  const queued = new Set<string>()
  let looking: Promise<void> | null = null
  let again = false

  /** After every commit, but only while somebody waits. */
  function look(): void {
    if (queued.size === 0) return
    if (looking !== null) {
      again = true
      return
    }
    looking = releaseFirst(db, queued)
      .catch((error: unknown) => log.error('queued work could not be let go', { error: String(error) }))
      .finally(() => {
        looking = null
        if (!again) return
        again = false
        look()
      })
  }

  const stop = db.onCommit(look)
  return {
    stop,
    expect(runId) {
      queued.add(runId)
      look()
    },
    async start() {
      for (const runId of await db.read((tx) => listRunIdsHeldBy(tx, queuedHold))) queued.add(runId)
      look()
    },
  }
}

async function releaseFirst(db: Db, queued: Set<string>): Promise<void> {
  for (const runId of queued) {
    const standing = await db.read((tx) => standingOf(tx, runId))
    if (standing === 'waits') continue
    // Nobody comes before the first: whoever is it now stays it.
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
