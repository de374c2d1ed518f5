import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { describe, expect, it, onTestFinished } from 'vitest'

import { openAgency, type TestAgency } from '../../../test/support/agency.ts'
import { freshFolder, testChainKey } from '../../../test/support/store.ts'
import { createPlayedRepositories } from '../../../test/support/tiered/repositories.ts'
import { createVirtualClock } from '../../../test/support/virtual-clock.ts'
import { operator } from '../../../test/support/work.ts'
import { openSqlite } from '../../db/sqlite.ts'
import { auditEvents } from '../../events/audit.ts'
import { replayEvents } from '../../events/replay.ts'
import { eventTables } from '../../tables.ts'

/** The store is written by `test/support/make-open-runs.ts`, which names the runs by their states. */
const fixture = fileURLToPath(new URL('../../../test/fixtures/store-0005.db', import.meta.url))

describe('a store with open runs of the release before examinations and proofs', () => {
  it('is migrated, and its events still give its rows', async () => {
    const agency = await openEarlier()
    expect((await auditEvents(agency.db)).findings).toEqual([])
    expect((await replayEvents(agency.db, eventTables)).differences).toEqual([])
  })

  it('continues every run to its end after the operator’s decisions', async () => {
    const agency = await openEarlier()
    await agency.engine.start()
    const { runs } = await agency.runs.list({ limit: 100 })
    await agency.until(async () => {
      const open = (await agency.runs.list({ limit: 100 })).runs.filter((run) => run.endedAt === null)
      for (const run of open) await decide(agency, run)
      return open.length === 0
    })
    const ends = await Promise.all(runs.map(async ({ id, goalAnchor }) => [goalAnchor, await summarise(agency, id)]))
    const tiered = 'done; t4:one:main:one ok; t4:two:main:two interrupted, ok; t1_plan approved'
    expect(Object.fromEntries(ends)).toEqual({
      'An ended run': 'done; main ok',
      'A plan to approve': 'done; house ok; plan approved',
      'A result to accept': 'done; main ok; acceptance approved',
      'A question of an agent': 'done; main blocked, ok',
      'A question of the engine': 'done; main bad_output, ok',
      'A tiered run': tiered,
      'A tiered run in a repository': `${tiered}; merge approved`,
      'A result to merge': 'done; main ok; merge approved',
      'A result that lands': 'done; main ok; merge approved',
      'A brief that is merged': 'done; main ok; merge approved',
      'A running attempt': 'done; main interrupted, ok',
      'A reported attempt': 'done; main ok',
    })
  })
})

/** Approves the pending gates of a run and answers its questions. */
async function decide(agency: TestAgency, run: { id: string }): Promise<void> {
  const { gates, questions } = await agency.inspect(run)
  for (const { id, status } of gates) if (status === 'pending') await agency.gates.approve(operator, { target: id })
  for (const { id, status } of questions)
    if (status !== 'answered') await agency.questions.answer(operator, id, 'retry')
}

/** Returns how a run ended, with the outcomes of the attempts at its work. */
async function summarise(agency: TestAgency, id: string): Promise<string> {
  const { run, briefs, attempts, gates } = await agency.inspect({ id })
  const outcomes = briefs
    .filter(({ kind }) => kind === 'work')
    .map((brief) => {
      const own = attempts.filter(({ briefId }) => briefId === brief.id)
      return `${brief.key} ${own.map(({ outcome }) => outcome).join(', ')}`
    })
  return [run.status, ...outcomes, ...gates.map(({ gate, status }) => `${gate} ${status}`)].join('; ')
}

/** Opens a copy of the store with the files that its agents have reported, as the worker's next boot. */
async function openEarlier(): Promise<TestAgency> {
  const path = join(freshFolder(), 'store.db')
  copyFileSync(fixture, path)
  const clock = createVirtualClock('2026-01-02T00:00:00.000Z')
  const db = await openSqlite({ path, clock, chainKey: testChainKey })
  onTestFinished(() => db.close())
  const agency = await openAgency({ db, clock, worker: 'test:2', repositories: createPlayedRepositories() })
  for (const run of (await agency.runs.list({ limit: 100 })).runs)
    for (const { briefId, report } of (await agency.inspect(run)).attempts) {
      const workspace = await agency.workspaces.prepare({ runId: run.id, id: briefId })
      for (const name of report?.outputs ?? []) await workspace.write(name, 'Done.\n')
    }
  return agency
}
