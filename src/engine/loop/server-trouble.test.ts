// @suite postgres
import { expect, it, onTestFinished } from 'vitest'

import { openAgency, startAgency, type TestAgency } from '../../../test/support/agency.ts'
import { type CommitFate, startCommitProxy } from '../../../test/support/commit-proxy.ts'
import { freshTcpDatabase } from '../../../test/support/postgres.ts'
import { describePostgres, testChainKey } from '../../../test/support/store.ts'
import { createVirtualClock, type VirtualClock } from '../../../test/support/virtual-clock.ts'
import { openPostgres } from '../../db/postgres.ts'
import type { Run } from '../../work/runs/contract.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Lets time pass until all runs have ended: trouble is waited out by the clock. */
async function settleAll(agency: TestAgency, clock: VirtualClock, runs: readonly Run[], disturb: () => Promise<void>) {
  let left = runs.length
  for (const run of runs) void agency.settled(run).then(() => left--)
  while (left > 0) {
    await disturb()
    clock.advance(100)
    await turn()
  }
}

async function expectUnharmed(agency: TestAgency, runs: readonly Run[]): Promise<void> {
  for (const run of runs) {
    const { attempts } = await agency.inspect(run)
    expect(await agency.runs.show(run.id)).toMatchObject({ status: 'done' })
    expect(attempts.filter(({ outcome }) => outcome !== 'ok' && outcome !== 'interrupted')).toEqual([])
    expect(attempts.at(-1)).toMatchObject({ outcome: 'ok' })
  }
}

/**
 * Time passes here while the server answers, much faster than it does: an agent that waits for a slow answer would
 * reach a deadline.
 */
const noDeadlines = { idleMinutes: null, hardMinutes: null }

const briefs = Array.from({ length: 5 }, (_, index) => ({ key: `b${index}`, objective: 'Do it' }))

describePostgres('a server in trouble', (openFresh) => {
  it('is never the fault of an agent if statements are cancelled', { timeout: 120_000 }, async () => {
    const clock = createVirtualClock()
    const agency = await startAgency(openFresh, { clock, mayLogErrors: true })
    const runs = await Promise.all(Array.from({ length: 8 }, () => agency.run({ briefs, ...noDeadlines })))
    let cancelled = 0
    await settleAll(agency, clock, runs, async () => {
      if (cancelled >= 47) return
      const found = await agency.store.raw(
        "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'active'",
      )
      cancelled += found.length
    })
    expect(cancelled).toBeGreaterThan(0)
    await expectUnharmed(agency, runs)
  })

  it('that answers every fifth COMMIT with a broken connection loses nothing', { timeout: 120_000 }, async () => {
    const clock = createVirtualClock()
    const url = await freshTcpDatabase()
    const options = { clock, serverClock: clock, chainKey: testChainKey }
    await (await openPostgres({ url, ...options })).close()
    const fateOf = (number: number): CommitFate =>
      number % 5 !== 0 ? 'passes' : number % 10 === 0 ? 'never_sent' : 'answer_lost'
    const db = await openPostgres({ url: await startCommitProxy(url, fateOf), ...options })
    onTestFinished(() => db.close())
    const agency = await openAgency({ db, clock, mayLogErrors: true })
    await agency.engine.start()
    const runs = await Promise.all(Array.from({ length: 8 }, () => agency.run({ briefs, ...noDeadlines })))
    await settleAll(agency, clock, runs, async () => {})
    await expectUnharmed(agency, runs)
  })
})
