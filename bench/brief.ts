import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

import { type Answering, startAnswering } from './answering.ts'
import { freshFolder } from './daemon-process.ts'
import {
  atLeast,
  atMost,
  type Benchmark,
  type BenchOptions,
  type Figure,
  median,
  skipped,
  withoutTarget,
} from './figures.ts'

const shapes = ['one brief', '200 briefs', 'five tiers'] as const
type Shape = (typeof shapes)[number]

export interface RunRequest {
  readonly runs: number
  readonly shape: Shape
}

/** The cost of one run. */
export interface RunCost {
  /** Processor time: elapsed time is mostly the disk's. */
  readonly micros: number
  readonly transactions: number
  readonly statements: number
}

const runsPerRound: Record<Shape, number> = { 'one brief': 100, '200 briefs': 2, 'five tiers': 10 }

/**
 * The processor time, transactions and statements of a run of one brief, of 200 and of five tiers, which have no ceiling to be compared with;
 * `--against <checkout>` compares them with those of another commit, in turns and each in a process of its own.
 */
export const brief: Benchmark = {
  name: 'brief',
  run: async (options) => {
    const folder = freshFolder()
    const here = fileURLToPath(new URL('..', import.meta.url))
    const checkouts = [here, ...(options.against === undefined ? [] : [resolve(options.against)])]
    const sides: Answering[] = []
    for (const [index, checkout] of checkouts.entries())
      sides.push(
        await startAnswering('brief-side.ts', ['--checkout', checkout, '--store', join(folder, `${index}.db`)]),
      )
    const figures: Figure[] = []
    for (const shape of shapes) figures.push(...figuresOf(shape, await measure(sides, shape, options)))
    for (const side of sides) await side.stop()
    rmSync(folder, { recursive: true, force: true })
    return figures
  },
}

/** Returns the costs of each side in each round. */
async function measure(
  sides: readonly Answering[],
  shape: Shape,
  { quick, log }: BenchOptions,
): Promise<readonly RunCost[][]> {
  const runs = runsPerRound[shape]
  for (const side of sides) await side.ask({ runs: runs * (quick ? 2 : 10), shape })
  const costs: RunCost[][] = sides.map(() => [])
  for (let round = 0; round < (quick ? 3 : 15); round++) {
    // The order alternates, because the machine's state differs between the first and the last.
    const order = sides.map((_, index) => (round % 2 === 0 ? index : sides.length - 1 - index))
    for (const index of order) costs[index]?.push(await (sides[index] as Answering).ask<RunCost>({ runs, shape }))
    const shown = costs.map((each) => `${each.at(-1)?.micros.toFixed(0)} µs`)
    log(`a run of ${shape}: ${shown.join(', before: ')}`)
  }
  return costs
}

function figuresOf(shape: Shape, [now = [], before]: readonly RunCost[][]): Figure[] {
  const counted = (what: 'transactions' | 'statements'): Figure => {
    const of = (costs: readonly RunCost[]): number => median(costs.map((cost) => cost[what]))
    const note = before === undefined ? undefined : `before: ${of(before).toFixed(1)}`
    return withoutTarget(`brief: ${what} of a run of ${shape}`, of(now), '', note)
  }
  return [compare(shape, now, before), counted('transactions'), counted('statements')]
}

function compare(shape: Shape, now: readonly RunCost[], before: readonly RunCost[] | undefined): Figure {
  const isLong = shape === '200 briefs'
  const name = `brief: processor time of a run of ${shape}, ${isLong ? 'now / before' : 'before / now'}`
  const target = { 'one brief': 1.25, '200 briefs': 1.1, 'five tiers': 1 }[shape]
  if (before === undefined) return skipped(name, '×', `${isLong ? '≤' : '≥'} ${target}`, 'pass --against <checkout>')
  const ratios = before.map(({ micros }, round) => micros / (now[round]?.micros as number))
  const note = `${microsOf(before)} and ${microsOf(now)} µs`
  return isLong
    ? atMost(name, median(ratios.map((ratio) => 1 / ratio)), target, '×', note)
    : atLeast(name, median(ratios), target, '×', note)
}

const microsOf = (costs: readonly RunCost[]): string => median(costs.map(({ micros }) => micros)).toFixed(0)
