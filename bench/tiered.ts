import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'

import type { Db } from '../src/db/port.ts'
import { sqlOf } from '../src/db/tx.ts'
import { freshFolder } from './daemon-process.ts'
import { type Bench, openBench } from './engine-store.ts'
import { atMost, type Benchmark, type Figure, median } from './figures.ts'
import type { TieredSize } from './tiered-run.ts'

const team: TieredSize = { workstreams: 3, tasks: 7, path: 'full' }
const small: TieredSize = { workstreams: 1, tasks: 20, path: 'medium' }
const large: TieredSize = { workstreams: 100, tasks: 20, path: 'medium' }

/**
 * Three workstreams with 21 tasks through all five tiers, beside a planned `direct` run with the same number of briefs;
 * and a hundred workstreams beside one. The real engine and a real store file, with agents that take no time.
 */
export const tiered: Benchmark = {
  name: 'tiered',
  run: async ({ quick, log }) => {
    const folder = freshFolder()
    const bench = await openBench(join(folder, 'store.db'))
    const briefs = await briefsOf(bench, () => bench.runTiers(team))
    // One planner, the steps, and one verifier per step.
    const steps = Math.round((briefs - 1) / 2)
    for (let round = 0; round < (quick ? 3 : 12); round++) {
      await bench.runTiers(team)
      await bench.planAndRun(steps)
      await bench.runTiers(small)
    }
    const rounds: { tiers: Cost; direct: Cost }[] = []
    for (let round = 0; round < (quick ? 3 : 9); round++) {
      const measure = {
        tiers: () => costOf(bench, () => bench.runTiers(team)),
        direct: () => costOf(bench, () => bench.planAndRun(steps)),
      }
      // The order alternates, because the machine's state differs between the first and the last.
      const first = round % 2 === 0 ? await measure.tiers() : null
      const direct = await measure.direct()
      const tiers = first ?? (await measure.tiers())
      rounds.push({ tiers, direct })
      log(`per brief ${tiers.micros.toFixed(0)} µs, direct ${direct.micros.toFixed(0)} µs`)
    }
    const growths: number[] = []
    for (let round = 0; round < (quick ? 1 : 3); round++) {
      const few = await timePerTask(async () => {
        for (let count = 0; count < 25; count++) await bench.runTiers(small)
      }, 25 * 20)
      const many = await timePerTask(() => bench.runTiers(large), 2_000)
      growths.push(many / few)
      log(`per task: ${few.toFixed(0)} µs of 20, ${many.toFixed(0)} µs of 2,000`)
    }
    await bench.close()
    rmSync(folder, { recursive: true, force: true })
    return [
      ...besideDirect(rounds, briefs),
      atMost('tiered: a task of 2,000 / a task of 20', median(growths), 1.2, '×'),
    ]
  },
}

interface Cost {
  readonly events: number
  readonly writes: number
  readonly micros: number
}

/** Returns the cost per created brief, including planners' and verifiers' briefs. */
async function costOf(bench: Bench, run: () => Promise<void>): Promise<Cost> {
  const before = {
    briefs: await count(bench.db, 'briefs'),
    events: await count(bench.db, 'events'),
    writes: bench.writes(),
  }
  const began = performance.now()
  await run()
  const micros = (performance.now() - began) * 1_000
  const briefs = (await count(bench.db, 'briefs')) - before.briefs
  return {
    events: ((await count(bench.db, 'events')) - before.events) / briefs,
    writes: (bench.writes() - before.writes) / briefs,
    micros: micros / briefs,
  }
}

async function briefsOf(bench: Bench, run: () => Promise<void>): Promise<number> {
  const before = await count(bench.db, 'briefs')
  await run()
  return (await count(bench.db, 'briefs')) - before
}

const count = (db: Db, table: 'briefs' | 'events'): Promise<number> =>
  db.read(async (tx) => Number((await sqlOf(tx).get(`SELECT COUNT(*) AS n FROM ${table}`))?.['n']))

async function timePerTask(run: () => Promise<void>, tasks: number): Promise<number> {
  const began = performance.now()
  await run()
  return ((performance.now() - began) * 1_000) / tasks
}

function besideDirect(rounds: readonly { tiers: Cost; direct: Cost }[], briefs: number): Figure[] {
  const figure = (name: string, of: (cost: Cost) => number, digits: number): Figure =>
    atMost(
      `tiered: ${name} per brief / those of direct`,
      median(rounds.map(({ tiers, direct }) => of(tiers) / of(direct))),
      1.5,
      '×',
      `${median(rounds.map(({ tiers }) => of(tiers))).toFixed(digits)} and ${median(rounds.map(({ direct }) => of(direct))).toFixed(digits)}, ${briefs} briefs`,
    )
  return [
    figure('events', ({ events }) => events, 1),
    figure('transactions', ({ writes }) => writes, 1),
    figure('microseconds', ({ micros }) => micros, 0),
  ]
}
