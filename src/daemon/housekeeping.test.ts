import { existsSync, mkdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'

import { expect, it, onTestFinished, vi } from 'vitest'

import { freshFolder, freshSqlite } from '../../test/support/store.ts'
import { createVirtualClock } from '../../test/support/virtual-clock.ts'
import { noChaos } from '../kernel/chaos-point.ts'
import { systemIds } from '../kernel/ids.ts'
import { noLog } from '../kernel/log.ts'
import { createJobs } from '../jobs/queue.ts'
import { setupDirectory } from '../workspaces/setup/setups.ts'
import { scheduleHousekeeping } from './housekeeping.ts'

it('removes unused caches of setups every hour', async () => {
  const clock = createVirtualClock()
  const { db } = await freshSqlite({ clock })
  const jobs = createJobs({ db, clock, ids: systemIds, worker: 'test:1', chaosPoint: noChaos })
  const workspaces = freshFolder()
  const cache = join(workspaces, setupDirectory, 'shop.git', 'cache')
  mkdirSync(cache, { recursive: true })
  const usedSeconds = clock.nowMs() / 1_000 - 15 * 24 * 3_600
  utimesSync(cache, usedSeconds, usedSeconds)
  await scheduleHousekeeping({ db, jobs, clock, workspaces, maxDiskMb: 1_000, log: noLog })
  await jobs.start()
  onTestFinished(() => jobs.stop())
  expect(existsSync(cache)).toBe(true)
  clock.advance(3_600_000)
  await vi.waitFor(() => expect(existsSync(cache)).toBe(false))
})
