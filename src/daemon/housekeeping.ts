import type { Db } from '../db/port.ts'
import { forgetAnswers } from '../db/once.ts'
import type { Jobs } from '../jobs/queue.ts'
import { type Clock, isoAt } from '../kernel/clock.ts'
import type { Log } from '../kernel/log.ts'
import { tidySetups } from '../workspaces/setup/tidy.ts'
import { firstDemoKey } from './demos/service.ts'

/** How long answers are kept: a client that repeats a request does so within minutes, so a week is generous. */
const answersMs = 7 * 24 * 3_600_000

export interface HousekeepingDeps {
  readonly db: Db
  readonly jobs: Jobs
  readonly clock: Clock
  /** The root of the workspaces. */
  readonly workspaces: string
  /** The space that caches and results of setups may use. */
  readonly maxDiskMb: number
  readonly log: Log
}

/** Schedules an hourly job that deletes old answers to repeated requests, and unused caches and results of setups. */
export async function scheduleHousekeeping({
  db,
  jobs,
  clock,
  workspaces,
  maxDiskMb,
  log,
}: HousekeepingDeps): Promise<void> {
  jobs.handle('housekeeping', async () => {
    await db.write([], (tx) => forgetAnswers(tx, isoAt(Date.parse(tx.at) - answersMs), firstDemoKey))
    const removed = await tidySetups(workspaces, { nowMs: clock.nowMs(), maxDiskMb })
    if (removed > 0) log.info('caches and results of setups removed', { removed })
  })
  await db.write([], (tx) =>
    jobs.enqueue(tx, { kind: 'housekeeping', key: 'hourly', schedule: '0 * * * *', payload: {} }),
  )
}
