import { expect, it, onTestFinished } from 'vitest'

import { describeStores } from '../../../test/support/store.ts'
import { createVirtualClock } from '../../../test/support/virtual-clock.ts'
import { createJobs } from '../../jobs/queue.ts'
import { noChaos } from '../../kernel/chaos-point.ts'
import { systemIds } from '../../kernel/ids.ts'
import { laterThrough, wakeRuns } from './wakes.ts'

const second = 1_000
const minute = 60 * second

/** The waits between the tries, in the order of the failures; the last one is repeated. */
const waits = {
  integrate: [second, 2 * second, 5 * second, 10 * second, 30 * second, minute, minute, minute],
  prove: [second, 5 * second, 30 * second, 30 * second],
  repeat: [second, 5 * second, 30 * second, 30 * second],
  clean_run: [minute, 5 * minute, 30 * minute, 60 * minute, 60 * minute],
} as const

describeStores('a wake-up of a run that fails', (openFresh) => {
  it.each(['integrate', 'prove', 'repeat', 'clean_run'] as const)(
    'is repeated after the waits of its kind: %s',
    async (kind) => {
      const clock = createVirtualClock()
      const { db } = await openFresh({ clock })
      const jobs = createJobs({ db, clock, ids: systemIds, worker: 'one', chaosPoint: noChaos })
      const times: number[] = []
      const fail = async (): Promise<never> => {
        times.push(clock.nowMs())
        throw new Error('the disk is full')
      }
      wakeRuns(jobs, { integrate: fail, land: fail, prove: fail, repeat: fail, clean: fail, timer: fail })
      await jobs.start()
      onTestFinished(() => jobs.stop())
      await db.write([], (tx) =>
        laterThrough(jobs)(tx, kind === 'integrate' ? { kind, runId: 'run_1' } : { kind, runId: 'run_1', delayMs: 0 }),
      )
      await jobs.settled()
      for (const wait of waits[kind]) {
        const before = times.length
        clock.advance(wait - 1)
        await jobs.settled()
        expect(times).toHaveLength(before)
        clock.advance(1)
        await jobs.settled()
      }
      expect(times.slice(1).map((at, index) => at - (times[index] as number))).toEqual(waits[kind])
    },
  )
})
