import { expect, it } from 'vitest'

import { openAgency } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { Db } from '../../db/port.ts'
import { sqlOf } from '../../db/tx.ts'
import { listWaiting, type Waiting } from './waiting-store.ts'

/** Lists what waits after some changes, which are rolled back. */
async function listAfter(db: Db, ...changes: readonly string[]): Promise<readonly Waiting[]> {
  const rollback = new Error('only a question')
  let found: readonly Waiting[] = []
  await db
    .write([], async (tx) => {
      for (const change of changes) await sqlOf(tx).run(change)
      found = await listWaiting(tx, 10)
      throw rollback
    })
    .catch((error: unknown) => {
      if (error !== rollback) throw error
    })
  return found
}

const usedUp = 'UPDATE budgets SET tokens_spent = token_limit'
const failed = 'UPDATE runs SET briefs_failed = 1'
const resolves = "UPDATE briefs SET starts_after_failure = 1 WHERE key = 'b'"

describeStores('the briefs that wait for a used-up budget', (openFresh) => {
  it('are those that could start otherwise: after a failure only the one that resolves it', async () => {
    const { db } = await openFresh()
    const agency = await openAgency({ db })
    const run = await agency.run({ briefs: ['a', 'b'].map((key) => ({ key, objective: 'Do it' })) })
    await agency.budgets.set(operator, { runId: run.id, tokens: 1_000 })
    const [a, b] = [await agency.brief(run, 'a'), await agency.brief(run, 'b')]
    const waits = { runId: run.id, scope: 'run', isHeld: false }
    expect(await listAfter(db)).toEqual([])
    expect(await listAfter(db, usedUp)).toMatchObject([{ ...waits, briefId: [a.id, b.id].toSorted()[0] }])
    expect(await listAfter(db, usedUp, failed)).toEqual([])
    expect(await listAfter(db, usedUp, failed, resolves)).toMatchObject([{ ...waits, briefId: b.id }])
    expect(await listAfter(db, usedUp, failed, resolves, 'UPDATE runs SET abandoned = 1')).toEqual([])
  })
})
