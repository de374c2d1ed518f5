import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'

import { describe, expect, it, onTestFinished } from 'vitest'

import { openAgency, type TestAgency } from '../../../test/support/agency.ts'
import { freshFolder, testChainKey } from '../../../test/support/store.ts'
import { createPlayedRepositories } from '../../../test/support/tiered/repositories.ts'
import { createVirtualClock } from '../../../test/support/virtual-clock.ts'
import { operator } from '../../../test/support/work.ts'
import { openSqlite } from '../../db/sqlite.ts'
import { sqlOf } from '../../db/tx.ts'
import { auditEvents } from '../../events/audit.ts'
import { record } from '../../events/change.ts'
import { replayEvents } from '../../events/replay.ts'
import { BriefData } from '../../playbooks/tiered/contract.ts'
import { eventTables } from '../../tables.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import { releaseHold, workspaceHold } from '../../work/briefs/holds.ts'
import { findBriefByKey, listHoldsOfRun } from '../../work/briefs/store.ts'

/** The stores are written by `test/support/make-open-runs.ts` and `make-held-runs.ts`, which name runs by their states. */
const openRuns = 'store-0005.db'
const heldRuns = 'store-0006.db'

describe('a store with open runs of the release before examinations and proofs', () => {
  it('is migrated, and its events still give its rows', async () => {
    const agency = await openEarlier(openRuns)
    expect((await auditEvents(agency.db)).findings).toEqual([])
    expect((await replayEvents(agency.db, eventTables)).differences).toEqual([])
  })

  it('has the fields of its playbook in the data of each brief', async () => {
    const agency = await openEarlier(openRuns)
    const { runs } = await agency.runs.list({ limit: 100 })
    const run = runs.find(({ goalAnchor }) => goalAnchor === 'A tiered run') as { id: string }
    const { briefs } = await agency.inspect(run)
    for (const { data } of briefs) expect(BriefData.parse(data)).toEqual(data)
    expect(briefs.find(({ key }) => key === 't4:two:main:two')).toMatchObject({
      capKey: 't4',
      groupKey: 'two',
      startsAfterFailure: false,
      data: { tier: 't4', workstream: 'two', label: 'worker-1 two', flow: 'swarm' },
    })
    const plain = await agency.inspect(runs.find(({ goalAnchor }) => goalAnchor === 'An ended run') as { id: string })
    expect(plain.briefs.map(({ data, capKey, groupKey }) => ({ data, capKey, groupKey }))).toEqual([
      { data: {}, capKey: null, groupKey: null },
    ])
  })

  it('keeps texts with quotes, backslashes and control characters', async () => {
    const label = 'say "hi"\\ then\n\t\u0001\u007f ünï 😀'
    const path = copyOf(openRuns)
    const before = new DatabaseSync(path)
    before.prepare("UPDATE briefs SET label = ? WHERE key = 't4:two:main:two'").run(label)
    before.close()
    const db = await openSqlite({ path, clock: createVirtualClock(), chainKey: testChainKey })
    onTestFinished(() => db.close())
    const [row] = await db.read((tx) => sqlOf(tx).all("SELECT data FROM briefs WHERE key = 't4:two:main:two'"))
    const text = String(row?.['data'])
    expect(JSON.parse(text)).toMatchObject({ label })
    // The replay of older events builds the same text.
    expect(text).toBe(JSON.stringify(JSON.parse(text)))
  })

  it('continues every run to its end after the operator’s decisions', async () => {
    const agency = await openEarlier(openRuns)
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

describe('a store with held briefs of the release in which a brief had one hold', () => {
  it('is migrated to sets of holds, and its events still give its rows', async () => {
    const agency = await openEarlier(heldRuns)
    expect((await auditEvents(agency.db)).findings).toEqual([])
    expect((await replayEvents(agency.db, eventTables)).differences).toEqual([])
    const held = await holdsByRun(agency)
    expect(held).toEqual({
      'An ended run': [],
      'A cancelled run': [],
      'A failed dependency': ['b: dependency_failed a'],
      // The text named the first of them only.
      'Two failed dependencies': ['c: dependency_failed a', 'c: dependency_failed b'],
      'A budget of a run': ['main: budget run'],
      'A budget of a brief': ['main: budget brief'],
      'A workspace in use': ['main: workspace '],
    })
  })

  it('releases each hold after the operator’s decision, and only that one', async () => {
    const agency = await openEarlier(heldRuns)
    await agency.engine.start()
    const { runs } = await agency.runs.list({ limit: 100 })
    const queued = runs.find(({ goalAnchor }) => goalAnchor === 'A workspace in use') as { id: string }
    await agency.until(async () => {
      const { runs } = await agency.runs.list({ limit: 100 })
      const open = runs.filter((run) => run.endedAt === null && run.id !== queued.id)
      for (const run of open) await decide(agency, run)
      return open.length === 0
    })
    expect(await holdsByRun(agency)).toMatchObject({ 'A workspace in use': ['main: workspace '] })
    await agency.db.write([`run:${queued.id}`], async (tx) => {
      const main = (await findBriefByKey(tx, queued.id, 'main')) as Brief
      const event = { kind: 'brief_status', by: 'daemon', runId: queued.id, message: 'no longer queued' } as const
      await record(tx, event, await releaseHold(tx, main, workspaceHold))
    })
    await agency.settled(queued)
    const ends = await Promise.all(runs.map(async ({ id, goalAnchor }) => [goalAnchor, await summarise(agency, id)]))
    expect(Object.fromEntries(ends)).toEqual({
      'An ended run': 'done; main ok',
      'A cancelled run': 'cancelled; a crash; b ',
      'A failed dependency': 'done; a crash, ok; b ok; c ok',
      'Two failed dependencies': 'done; a crash, ok; b crash, ok; c ok',
      'A budget of a run': 'done; main budget, ok',
      'A budget of a brief': 'done; main budget, ok',
      'A workspace in use': 'done; main ok',
    })
  })
})

/** Returns the stored holds of each run, with the keys of its briefs. */
async function holdsByRun(agency: TestAgency): Promise<Record<string, string[]>> {
  const { runs } = await agency.runs.list({ limit: 100 })
  const held: Record<string, string[]> = {}
  for (const { id, goalAnchor } of runs) {
    const { briefs } = await agency.inspect({ id })
    const keyOf = (briefId: string): string => briefs.find((brief) => brief.id === briefId)?.key ?? briefId
    const holds = await agency.db.read((tx) => listHoldsOfRun(tx, id))
    held[goalAnchor] = holds.map(({ briefId, kind, subject }) => `${keyOf(briefId)}: ${kind} ${keyOf(subject)}`).sort()
    for (const brief of briefs) expect(brief.holdCount).toBe(holds.filter(({ briefId }) => briefId === brief.id).length)
  }
  return held
}

/** Approves the pending gates of a run and answers its questions. */
async function decide(agency: TestAgency, run: { id: string }): Promise<void> {
  const { gates, questions } = await agency.inspect(run)
  for (const { id, status } of gates) if (status === 'pending') await agency.gates.approve(operator, { target: id })
  for (const { id, status, kind } of questions)
    if (status !== 'answered') await agency.questions.answer(operator, id, kind === 'budget' ? 'raise' : 'retry')
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
async function openEarlier(fixture: string): Promise<TestAgency> {
  const path = copyOf(fixture)
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

function copyOf(fixture: string): string {
  const path = join(freshFolder(), 'store.db')
  copyFileSync(fileURLToPath(new URL(`../../../test/fixtures/${fixture}`, import.meta.url)), path)
  return path
}
