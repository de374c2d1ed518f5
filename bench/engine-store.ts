import type { Step } from '../src/adapters/runtime/scripted/contract.ts'
import { fileNamedIn, objectiveOf } from '../src/adapters/runtime/scripted/default.ts'
import { createScriptedRuntime } from '../src/adapters/runtime/scripted/runtime.ts'
import type { BuiltIn } from '../src/adapters/runtime/scripted/scenarios.ts'
import { composeAgency } from '../src/compose.ts'
import type { Db } from '../src/db/port.ts'
import { openSqlite } from '../src/db/sqlite.ts'
import { sqlOf } from '../src/db/tx.ts'
import { createMemoryFiles } from '../src/engine/attempt/memory-files.ts'
import { systemClock } from '../src/kernel/clock.ts'
import { operatorPersona, systemIds } from '../src/kernel/ids.ts'
import { noLog } from '../src/kernel/log.ts'
import { seedOrganisation } from '../src/org/seed.ts'
import { CreateRun } from '../src/work/runs/contract.ts'
import { createMemoryWorkspaces } from '../src/workspaces/memory.ts'
import { bundledPrompt } from '../test/support/prompts.ts'
import { plannedRunOf, playPlanned } from './planned-run.ts'
import { playTiers, tieredRunOf, type TieredSize } from './tiered-run.ts'

export interface Bench {
  readonly db: Db
  /** Plays one run with this number of briefs, from its creation to its recorded end. */
  run(briefs: number): Promise<void>
  /** Plays one run with a planner and this number of briefs, each of them verified. */
  planAndRun(briefs: number): Promise<void>
  /** Plays one run of five tiers, approving its gates at once. */
  runTiers(size: TieredSize): Promise<void>
  /** Number of write transactions since the store was opened. */
  writes(): number
  close(): Promise<void>
}

/** Builds a run whose agents use the options of `playing`; each brief has an output of its own. */
export const runOf = (briefs: number, playing: (path: string) => Record<string, unknown>): CreateRun =>
  CreateRun.parse({
    goal: 'Do it many times',
    runtime: 'scripted',
    briefs: Array.from({ length: briefs }, (_, index) => {
      const path = `b${index}.md`
      return { key: `b${index}`, objective: `Write ${path}`, runtimeOptions: playing(path) }
    }),
  })

/** Returns an agent's steps. The report is part of the agent's output, so that no server is needed. */
export const stepsOf = (path: string): Step[] => [
  { say: 'Reading the brief' },
  { write: { path, text: 'Done.\n' } },
  { usage: { input_tokens: 100, output_tokens: 20 } },
  { report: { status: 'done', summary: `Wrote ${path}.`, outputs: [path], via: 'stdout' } },
]

const scenarios: Record<string, BuiltIn> = {
  planned: playPlanned,
  tiers: playTiers,
  bench: (prompt) => ({ attempts: [stepsOf(fileNamedIn(objectiveOf(prompt)) ?? 'result.md')] }),
}

/** Opens the core on a store file, with every sync that the product makes; agents and workspaces are in memory. */
export const openBench = async (path: string): Promise<Bench> =>
  openBenchOn(await openSqlite({ path, clock: systemClock, chainKey: benchKey }))

export const benchKey = new Uint8Array(32).fill(7)

/** Opens the core on a store; `beforeLaunch` delays every agent. */
export async function openBenchOn(
  store: Db,
  { worker = 'bench:1', beforeLaunch = async () => {} }: { worker?: string; beforeLaunch?: () => Promise<void> } = {},
): Promise<Bench> {
  const scripted = createScriptedRuntime({ host: 'in-process', scenarios })
  let writes = 0
  const db: Db = {
    ...store,
    write: (streams, work) => {
      writes++
      return store.write(streams, work)
    },
  }
  await seedOrganisation(db)
  let ended = (): void => {}
  let approve = (): void => {}
  const agency = composeAgency({
    db,
    clock: systemClock,
    ids: systemIds,
    log: { ...noLog, warn: console.warn, error: fail },
    chaosPoint: (point) => point === 'run.ended' && ended(),
    runtimes: [
      {
        ...scripted,
        launch: async (launch) => {
          await beforeLaunch()
          return scripted.launch(launch)
        },
      },
    ],
    workspaces: createMemoryWorkspaces(),
    files: createMemoryFiles(),
    promptOf: bundledPrompt,
    environmentOf: () => ({}),
    killSurvivors: async () => 0,
    later: async (tx, { kind }) => void (kind === 'project' && tx.afterCommit(() => approve())),
    worker,
    slots: 64,
    defaults: {
      runtime: null,
      idleMinutes: 30,
      hardMinutes: 240,
      crashRetries: 3,
      retryBudget: 3,
      verify: 'none',
      verificationLimit: 3,
      acceptance: 'auto',
      onLimit: 'fail',
      gateTimeoutMinutes: null,
    },
  })
  const operator = { kind: 'operator' as const, personaId: operatorPersona }
  approve = () => {
    void agency.gates.list('pending', 10).then(async ({ gates }) => {
      // A second notification about the same gate fails because the gate is already approved.
      for (const gate of gates) await agency.gates.approve(operator, { target: gate.id }).catch(() => {})
    })
  }
  await agency.engine.start()
  const run = async (input: CreateRun, briefs: number): Promise<void> => {
    const end = new Promise<void>((resolve) => (ended = resolve))
    const { id } = await agency.runs.create(operator, input)
    await end
    const { status, briefsDone, summary } = await agency.runs.show(id)
    if (status !== 'done' || briefsDone !== briefs)
      throw new Error(`a run of ${briefs} is ${status} with ${briefsDone}: ${summary}`)
  }
  return {
    db,
    run: (briefs) =>
      run(
        runOf(briefs, () => ({ scenario: 'bench' })),
        briefs,
      ),
    planAndRun: (briefs) => run(plannedRunOf(briefs), briefs),
    runTiers: (size) => run(tieredRunOf(size), size.workstreams * size.tasks),
    writes: () => writes,
    async close() {
      await agency.engine.stop()
      await db.close()
    },
  }
}

/** Returns the number of events per brief; it is a whole number only if all briefs have the same number. */
export const eventsPerBrief = (db: Db): Promise<number> =>
  db.read(async (tx) => {
    const count = async (sql: string): Promise<number> => Number((await sqlOf(tx).get(sql))?.['n'])
    return (
      (await count('SELECT COUNT(*) AS n FROM events WHERE brief_id IS NOT NULL')) /
      (await count('SELECT COUNT(*) AS n FROM briefs'))
    )
  })

/** Ends the process on a logged error: a run that cannot be recorded would never end, and hide the reason. */
function fail(message: string, fields?: unknown): never {
  console.error(message, fields)
  process.exit(1)
}
