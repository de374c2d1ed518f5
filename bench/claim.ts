import { rmSync } from 'node:fs'
import { join } from 'node:path'

import { createScriptedRuntime } from '../src/adapters/runtime/scripted/runtime.ts'
import { composeAgency } from '../src/compose.ts'
import type { Db } from '../src/db/port.ts'
import { openSqlite } from '../src/db/sqlite.ts'
import { sqlOf } from '../src/db/tx.ts'
import { createMemoryFiles } from '../src/engine/attempt/memory-files.ts'
import type { EngineDeps } from '../src/engine/deps.ts'
import { claimBriefs } from '../src/engine/loop/claim.ts'
import { createSearch, type Search } from '../src/engine/loop/search.ts'
import { noChaos } from '../src/kernel/chaos-point.ts'
import { systemClock } from '../src/kernel/clock.ts'
import { operatorPersona, systemIds } from '../src/kernel/ids.ts'
import { noLog } from '../src/kernel/log.ts'
import { seedOrganisation } from '../src/org/seed.ts'
import { direct } from '../src/playbooks/direct/decide.ts'
import { CreateRun } from '../src/work/runs/contract.ts'
import { createMemoryWorkspaces } from '../src/workspaces/memory.ts'
import { plainDefaults } from '../test/support/work.ts'
import { bundledPrompt } from '../test/support/prompts.ts'
import { freshFolder } from './daemon-process.ts'
import { atMost, type Benchmark, median } from './figures.ts'

const few = 10
const many = 1_000
/** The slots of a default installation, so that a round claims this number of briefs. */
const slots = 4

/** The state of the runs beyond the first ten: all of them have briefs that wait. */
const worlds = {
  ready: 'every brief is ready',
  waiting: 'those of the others wait for an answer',
  gated: 'the others wait at a gate',
} as const
type World = keyof typeof worlds

/**
 * A claim round with 10 open runs and with 1,000, on a real store file: the search for ready briefs, and the
 * transactions that claim four of them. Its cost is CPU time, which other processes of the machine do not change much.
 */
export const claim: Benchmark = {
  name: 'claim',
  run: async ({ quick, log }) => {
    const folder = freshFolder()
    const names = Object.keys(worlds) as World[]
    const small = await openRounds(join(folder, 'small.db'), few, 'ready')
    const large = new Map<World, Rounds>()
    for (const world of names) large.set(world, await openRounds(join(folder, `${world}.db`), many, world))
    const ratios: Record<World, number[]> = { ready: [], waiting: [], gated: [] }
    const costs: number[] = []
    for (let turn = 0; turn < (quick ? 4 : 16); turn++)
      for (const world of names) {
        const before = await small.play()
        const cost = await (large.get(world) as Rounds).play()
        const after = await small.play()
        // The first turns warm the compiler up.
        if (turn < 2) continue
        costs.push(before, after)
        ratios[world].push(cost / ((before + after) / 2))
      }
    log(`a round with ${few} runs: ${median(costs).toFixed(0)} µs of CPU`)
    const figures = names.map((world) =>
      atMost(`claim: a round with 1,000 open runs / with 10, ${world}`, median(ratios[world]), 1.3, '×', worlds[world]),
    )
    for (const each of [small, ...large.values()]) await each.close()
    rmSync(folder, { recursive: true, force: true })
    return figures
  },
}

interface Rounds {
  /** Plays some rounds; returns microseconds of CPU per round. */
  play(): Promise<number>
  close(): Promise<void>
}

const roundsPerTiming = 8
/** As many as the rounds of all turns can claim. */
const readyBriefs = 4_000

async function openRounds(path: string, runs: number, world: World): Promise<Rounds> {
  const db = await openSqlite({ path, clock: systemClock, chainKey: new Uint8Array(32).fill(7) })
  await seedOrganisation(db)
  const parts = partsOf(db)
  const agency = composeAgency(parts)
  const claimable = world === 'ready' ? runs : few
  for (let run = 0; run < runs; run++) {
    const briefs = run < claimable ? readyBriefs / claimable : 4
    const { id } = await agency.runs.create(
      { kind: 'operator', personaId: operatorPersona },
      CreateRun.parse({
        goal: 'Do it many times',
        runtime: 'scripted',
        planGate: run >= claimable && world === 'gated',
        briefs: Array.from({ length: briefs }, (_, index) => ({ key: `b${index}`, objective: 'Do it' })),
      }),
    )
    if (run >= claimable && world === 'waiting')
      await execute(db, `UPDATE briefs SET hold_count = 1 WHERE run_id = '${id}'`)
  }
  const deps: EngineDeps = {
    ...parts,
    runtimes: new Map(parts.runtimes.map((runtime) => [runtime.name, runtime])),
    playbooks: new Map([['direct', direct]]),
    decide: async () => {},
  }
  const search = createSearch(systemClock, deps.playbooks)
  return {
    play: () => play(deps, search),
    close: () => db.close(),
  }
}

async function play(deps: EngineDeps, search: Search): Promise<number> {
  let spent = 0
  for (let round = 0; round < roundsPerTiming; round++) {
    const began = process.cpuUsage()
    const { claimed } = await claimBriefs(deps, slots, search)
    const { user, system } = process.cpuUsage(began)
    spent += user + system
    if (claimed.length !== slots) throw new Error(`a round claimed ${claimed.length} of ${slots} briefs`)
    // The slots become free again without the rest of an attempt, which is not measured here.
    await execute(deps.db, "UPDATE attempts SET status = 'ended', outcome = 'ok' WHERE status = 'launching'")
  }
  return spent / roundsPerTiming
}

const execute = (db: Db, text: string): Promise<unknown> => db.write([], (tx) => sqlOf(tx).run(text))

const partsOf = (db: Db) => ({
  db,
  clock: systemClock,
  ids: systemIds,
  log: noLog,
  chaosPoint: noChaos,
  runtimes: [createScriptedRuntime({ host: 'in-process' })],
  workspaces: createMemoryWorkspaces(),
  files: createMemoryFiles(),
  promptOf: bundledPrompt,
  environmentOf: () => ({}),
  killSurvivors: async () => 0,
  worker: 'bench:1',
  slots,
  defaults: { runtime: null, ...plainDefaults },
})
