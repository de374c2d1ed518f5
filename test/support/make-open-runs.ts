import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'

import { expect, it, onTestFinished } from 'vitest'

import type { StepInput } from '../../src/adapters/runtime/scripted/contract.ts'
import { openSqlite } from '../../src/db/sqlite.ts'
import type { Repositories } from '../../src/repositories/port.ts'
import { openAgency, type TestAgency, work } from './agency.ts'
import { testChainKey } from './store.ts'
import { createVirtualClock } from './virtual-clock.ts'
import { operator } from './work.ts'

/**
 * Writes a store with runs in the states in which an update can find them, as the release with schema 5 creates it
 * (commit 33b1302): the last one without examinations and proofs. To write it again, copy this file into a checkout of
 * that commit as `test/support/make-open-runs.test.ts` and play it with vitest.
 */
const path = fileURLToPath(new URL('../fixtures/store-0005.db', import.meta.url))

const hang: StepInput[] = [{ hang: {} }]
const writes = (name: string): StepInput[] => [
  { write: { path: name, text: 'Done.\n' } },
  { report: { status: 'done', summary: 'Done.', outputs: [name] } },
]
const evidence: { kind: 'file'; path: string }[] = [{ kind: 'file', path: 'result.md' }]
/** Reports a file that it has not written. */
const fails: StepInput[] = work.slice(1)

it('writes a store with open runs', async () => {
  rmSync(path, { force: true })
  const clock = createVirtualClock('2026-01-01T00:00:00.000Z')
  const db = await openSqlite({ path, clock, chainKey: testChainKey })
  onTestFinished(async () => {
    await db.close()
    // Small pages, because half of the usual ones would be empty.
    const file = new DatabaseSync(path)
    file.exec('PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM')
    file.close()
  })
  const agency = await openAgency({ db, clock, slots: 16, repositories: createRepositories() })
  await agency.engine.start()

  await agency.settled(await agency.run({ goal: 'An ended run' }))

  const planned = {
    plan: [[{ report: { summary: 'One part.', plan: [{ key: 'house', objective: 'Build it' }] } }]],
    attempts: [work],
  }
  const planGate = await agency.run({
    goal: 'A plan to approve',
    planner: true,
    planGate: true,
    runtimeOptions: { scenario: planned },
  })
  await gateOf(agency, planGate)
  await gateOf(agency, await agency.run({ goal: 'A result to accept', acceptance: 'operator' }))

  const question: StepInput[] = [{ report: { status: 'blocked', summary: 'Which?', question: { text: 'Which?' } } }]
  await questionOf(agency, await agency.run({ goal: 'A question of an agent', onLimit: 'ask', play: [question, work] }))
  const limited = { onLimit: 'ask', evidence, retryBudget: 0, play: [fails, work] } as const
  await questionOf(agency, await agency.run({ goal: 'A question of the engine', ...limited }))

  await startTiered(agency, { goal: 'A tiered run' })
  await startTiered(agency, { goal: 'A tiered run in a repository', repo: '/repositories/tiered' })

  const merged = { play: [work], evidence }
  await gateOf(agency, await agency.run({ goal: 'A result to merge', repo: '/repositories/gated', ...merged }))
  const landing = await agency.run({ goal: 'A result that lands', repo: '/repositories/landing', ...merged })
  await gateOf(agency, landing)
  await agency.gates.approve(operator, { target: landing.id, gate: 'merge' })
  const merging = await agency.run({ goal: 'A brief that is merged', repo: '/repositories/merging', ...merged })
  await agency.until(async () => (await agency.inspect(merging)).briefs.every((brief) => brief.heldBy === 'merge'))

  const running = await agency.run({ goal: 'A running attempt', evidence, play: [hang, work] })
  await agency.until(async () => (await agency.inspect(running)).attempts[0]?.status === 'running')
  const reported = await agency.run({ goal: 'A reported attempt', evidence, play: [[...work, ...hang]] })
  await agency.until(async () => {
    const [attempt] = (await agency.inspect(reported)).attempts
    return attempt?.status === 'running' && attempt.report !== null
  })
  expect((await agency.runs.list({ limit: 100 })).runs).toHaveLength(12)
  agency.die()
})

const gateOf = (agency: TestAgency, run: { id: string }) =>
  agency.until(async () => (await agency.gates.ofRun(run.id)).gates.find((gate) => gate.status === 'pending'))
const questionOf = (agency: TestAgency, run: { id: string }) =>
  agency.until(async () => (await agency.inspect(run)).questions.find((each) => each.status !== 'answered'))

/** Plans two workstreams of one domain; the task of the second hangs after the first is complete. */
async function startTiered(agency: TestAgency, input: { goal: string; repo?: string }): Promise<void> {
  const ids = ['one', 'two']
  const plan = {
    run_id: '{{inputs.run_id}}',
    goal_anchor: '{{inputs.goal_anchor}}',
    complexity: 'low',
    retry_budget_multiplier: 1,
    workstreams: ids.map((id, index) => ({
      id,
      name: id,
      domain: 'docs',
      tier_path: ['t4', 't5'],
      parallel_group: 'AB'[index],
      t2_specialist: null,
      notes: '',
      evidence_required: [{ kind: 'artifact' }],
    })),
    parallelism: { groups: { A: ['one'], B: ['two'] }, sequence: ['A', 'B'] },
    self_critique_summary: '',
  }
  const phases = {
    t1_plan: { steps: [{ report: { output: plan } }] },
    t4: { steps: writes('page.md') },
    't4:two': { attempts: [[{ log: `gate ${input.goal}` }], writes('page.md')] },
    t5: { steps: [{ report: { verdict: { verdict: 'pass', checked: '{{outputs}}' } } }] },
  }
  const run = await agency.run({ ...input, playbook: 'tiered', runtimeOptions: { scenario: { phases } } })
  await agency.gates.approve(operator, { target: (await gateOf(agency, run)).id })
  await agency.gate(input.goal).reached
}

/** Repositories without git; nothing is ever merged in one of them, and nothing lands in another. */
function createRepositories(): Repositories {
  let commits = 0
  const commit = (): string => `${++commits}`.padStart(40, 'b')
  const never = new Promise<never>(() => {})
  const made = {
    open: async (path: string, branch = 'main') => ({
      path,
      mirror: '/mirror',
      branch,
      base: 'a'.repeat(40),
      warnings: [],
    }),
    collect: async () => ({ outcome: 'collected', commit: commit(), files: [] }),
    keep: async () => null,
    merge: async ({ repository }: { repository: { path: string } }) =>
      repository.path.endsWith('merging') ? never : { outcome: 'merged', commit: commit() },
    has: async () => true,
    contains: async () => true,
    checkLanding: async () => {},
    land: async ({ path }: { path: string }, { commit }: { commit: string }) =>
      path.endsWith('landing') ? never : { outcome: 'landed', commit, from: null },
    files: async () => [],
    diff: async () => ({ text: '', cut: false }),
  }
  return made as unknown as Repositories
}
