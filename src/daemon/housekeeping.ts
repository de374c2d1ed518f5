import type { Db } from '../db/port.ts'
import { forgetAnswers } from '../db/once.ts'
import type { Jobs } from '../jobs/queue.ts'
import { type Clock, isoAt } from '../kernel/clock.ts'
import type { Log } from '../kernel/log.ts'
import { tidySetups } from '../workspaces/setup/tidy.ts'
import { firstDemoKey } from './demos/service.ts'
import { removeDrafts } from './kept-files.ts'

/** How long answers are kept: a client that repeats a request does so within minutes, so a week is generous. */
const answersMs = 7 * 24 * 3_600_000

export interface HousekeepingDeps {
  readonly db: Db
  readonly jobs: Jobs
  readonly clock: Clock
  /** The root of the workspaces. */
  readonly workspaces: string
  /** The root of the copies of produced files. */
  readonly artifacts: string
  /** The space that caches and results of setups may use. */
  readonly maxDiskMb: number
  readonly log: Log
}

/**
 * Schedules an hourly job that deletes old answers to repeated requests, unused caches and results of setups, and copies
 * of produced files that were never finished.
 */
export async function scheduleHousekeeping({
  db,
  jobs,
  clock,
  workspaces,
  artifacts,
  maxDiskMb,
  log,
}: HousekeepingDeps): Promise<void> {
  jobs.handle('housekeeping', async () => {
    await db.write([], (tx) => forgetAnswers(tx, isoAt(Date.parse(tx.at) - answersMs), firstDemoKey))
    const removed = await tidySetups(workspaces, { nowMs: clock.nowMs(), maxDiskMb })
    const drafts = await removeDrafts(artifacts, clock.nowMs())
    if (drafts > 0) log.info('incomplete copies of produced files removed', { removed: drafts })
    if (removed > 0) log.info('caches and results of setups removed', { removed })
  })
  await db.write([], (tx) =>
    jobs.enqueue(tx, { kind: 'housekeeping', key: 'hourly', schedule: '0 * * * *', payload: {} }),
  )
}
