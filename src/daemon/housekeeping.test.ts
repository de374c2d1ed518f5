import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
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

it('removes unused caches of setups and abandoned copies of files every hour', async () => {
  const clock = createVirtualClock()
  const { db } = await freshSqlite({ clock })
  const jobs = createJobs({ db, clock, ids: systemIds, worker: 'test:1', chaosPoint: noChaos })
  const workspaces = freshFolder()
  const cache = join(workspaces, setupDirectory, 'shop.git', 'cache')
  mkdirSync(cache, { recursive: true })
  const usedSeconds = clock.nowMs() / 1_000 - 15 * 24 * 3_600
  utimesSync(cache, usedSeconds, usedSeconds)
  const artifacts = freshFolder()
  const hash = 'a0'.repeat(32)
  mkdirSync(join(artifacts, 'a0'))
  const [copy, abandoned, fresh] = ['', '.dead', '.live'].map((end) => join(artifacts, 'a0', `${hash}${end}`))
  for (const path of [copy, abandoned, fresh] as string[]) {
    writeFileSync(path, 'a')
    const seconds = clock.nowMs() / 1_000 - (path === fresh ? 60 : 25 * 3_600)
    utimesSync(path, seconds, seconds)
  }
  await scheduleHousekeeping({ db, jobs, clock, workspaces, artifacts, maxDiskMb: 1_000, log: noLog })
  await jobs.start()
  onTestFinished(() => jobs.stop())
  expect(existsSync(cache)).toBe(true)
  clock.advance(3_600_000)
  await vi.waitFor(() => expect(existsSync(cache)).toBe(false))
  await vi.waitFor(() => expect(readdirSync(join(artifacts, 'a0'))).toEqual([hash, `${hash}.live`]))
})
