import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { DatabaseSync } from 'node:sqlite'

import { auditEvents } from '../src/events/audit.ts'
import { replayEvents } from '../src/events/replay.ts'
import { eventTables } from '../src/tables.ts'
import { freshFolder } from './daemon-process.ts'
import { type Bench, eventsPerBrief, openBench } from './engine-store.ts'
import { atLeast, atMost, type Benchmark, type Figure, median, withoutTarget } from './figures.ts'
import { eventsOfProcessRun } from './process-run.ts'

const sizes = [20, 200, 2_000] as const
/** The same number of briefs at each size, so that all sizes are timed for equally long. */
const briefsPerTiming = 2_000

/**
 * Runs of 20, 200 and 2,000 briefs through the real engine and a real store file, with agents that take no time. In
 * turns with them: one prepared commit per brief and nothing else, the least that durable storage of a brief can cost.
 */
export const engine: Benchmark = {
  name: 'engine',
  run: async ({ quick, log }) => {
    const folder = freshFolder()
    const floor = openFloor(join(folder, 'floor.db'))
    const bench = await openBench(join(folder, 'store.db'))
    await warmUp(bench, floor, quick ? 2_000 : 6_000)
    const costs: Record<number, number[]> = { 20: [], 200: [], 2_000: [] }
    const floors: number[] = []
    const shares: number[] = []
    for (let round = 0; round < (quick ? 2 : 7); round++) {
      for (const size of inTurn(sizes, round)) {
        const before = floor.commit(briefsPerTiming / 4)
        const cost = await timeRuns(bench, size)
        const after = floor.commit(briefsPerTiming / 4)
        costs[size]?.push(cost)
        floors.push(before, after)
        if (size === 2_000) shares.push((before + after) / 2 / cost)
      }
      const shown = sizes.map((size) => `${size}: ${costs[size]?.at(-1)?.toFixed(0)} µs`)
      log(`per brief ${shown.join(', ')}; a commit ${floors.at(-1)?.toFixed(0)} µs`)
    }
    const growth = median((costs[2_000] ?? []).map((cost, round) => cost / (costs[20]?.[round] as number)))
    const figures = [
      atMost('engine: a brief of 2,000 / a brief of 20', growth, 1.2, '×', shownMedians(costs)),
      atLeast(
        'engine: briefs / bare commits, per second',
        median(shares),
        0.35,
        '×',
        `a commit ${median(floors).toFixed(0)} µs`,
      ),
      ...(await countPerBrief(bench)),
      ...(await checkStore(bench)),
    ]
    await bench.close()
    floor.close()
    rmSync(folder, { recursive: true, force: true })
    return figures
  },
}

/** Counts what one brief of a run of 200 costs the store. */
async function countPerBrief(bench: Bench): Promise<Figure[]> {
  const briefs = 200
  const before = { writes: bench.writes(), statements: bench.db.statements() }
  await bench.run(briefs)
  return [
    withoutTarget('engine: transactions per brief', (bench.writes() - before.writes) / briefs, ''),
    withoutTarget('engine: statements per brief', (bench.db.statements() - before.statements) / briefs, ''),
    withoutTarget('engine: events per brief', await eventsPerBrief(bench.db), ''),
  ]
}

/** Returns microseconds per brief. */
async function timeRuns(bench: Bench, size: number): Promise<number> {
  const began = performance.now()
  for (let count = 0; count < briefsPerTiming; count += size) await bench.run(size)
  return ((performance.now() - began) * 1_000) / briefsPerTiming
}

/** Runs both sides until the compiler has optimised them: the first thousands are slower at every size. */
async function warmUp(bench: Bench, floor: Floor, briefs: number): Promise<void> {
  floor.commit(500)
  for (let count = 0; count < briefs; count += 400) {
    for (let run = 0; run < 10; run++) await bench.run(20)
    await bench.run(200)
  }
}

/** Rotates the order from round to round, because the machine's state differs between the first and the last. */
const inTurn = <T>(values: readonly T[], round: number): T[] =>
  values.map((_, index) => values[(index + round) % values.length] as T)

const shownMedians = (costs: Record<number, number[]>): string =>
  sizes.map((size) => `${size}: ${median(costs[size] ?? []).toFixed(0)} µs`).join(', ')

async function checkStore(bench: Bench): Promise<Figure[]> {
  const audit = await auditEvents(bench.db)
  const replay = await replayEvents(bench.db, eventTables)
  const events = await eventsPerBrief(bench.db)
  const ofProcess = await eventsOfProcessRun()
  return [
    atMost(
      'engine: findings of audit and replay',
      audit.findings.length + replay.differences.length,
      0,
      '',
      `${audit.events} events, ${replay.rows} rows`,
    ),
    atLeast(
      'engine: events per brief / those of agents with processes',
      events / ofProcess,
      1,
      '×',
      `${events} and ${ofProcess}`,
    ),
  ]
}

interface Floor {
  /** Commits this often; returns microseconds per commit. */
  commit(times: number): number
  close(): void
}

function openFloor(path: string): Floor {
  const database = new DatabaseSync(path)
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE briefs (id INTEGER PRIMARY KEY, text TEXT)',
  )
  const insert = database.prepare('INSERT INTO briefs (text) VALUES (?)')
  return {
    commit: (times) => {
      const began = performance.now()
      for (let count = 0; count < times; count++) insert.run('done')
      return ((performance.now() - began) * 1_000) / times
    },
    close: () => database.close(),
  }
}
