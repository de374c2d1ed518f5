import type { Db } from '../db/port.ts'
import { forgetAnswers } from '../db/once.ts'
import type { Jobs } from '../jobs/queue.ts'
import { isoAt } from '../kernel/clock.ts'
import { firstDemoKey } from './demos/service.ts'

/** A client that repeats a request does so within minutes; a week is generous. */
const answersMs = 7 * 24 * 3_600_000

/** Once an hour: forget what nobody will ask for again. */
export async function keepHouse(db: Db, jobs: Jobs): Promise<void> {
  jobs.handle('housekeeping', async () => {
    await db.write([], (tx) => forgetAnswers(tx, isoAt(Date.parse(tx.at) - answersMs), firstDemoKey))
  })
  await db.write([], (tx) =>
    jobs.enqueue(tx, { kind: 'housekeeping', singleton: 'hourly', schedule: '0 * * * *', payload: {} }),
  )
}
