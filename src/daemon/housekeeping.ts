import type { Db } from '../db/port.ts'
import { forgetAnswers } from '../db/once.ts'
import type { Jobs } from '../jobs/queue.ts'
import { isoAt } from '../kernel/clock.ts'
import { firstDemoKey } from './demos/service.ts'

/** How long answers are kept: a client that repeats a request does so within minutes, so a week is generous. */
const answersMs = 7 * 24 * 3_600_000

/** Schedules an hourly job that deletes old answers to repeated requests. */
export async function scheduleHousekeeping(db: Db, jobs: Jobs): Promise<void> {
  jobs.handle('housekeeping', async () => {
    await db.write([], (tx) => forgetAnswers(tx, isoAt(Date.parse(tx.at) - answersMs), firstDemoKey))
  })
  await db.write([], (tx) =>
    jobs.enqueue(tx, { kind: 'housekeeping', singleton: 'hourly', schedule: '0 * * * *', payload: {} }),
  )
}
