import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { freshFolder } from './daemon-process.ts'
import {
  atLeast,
  atMost,
  type Benchmark,
  type BenchOptions,
  type Figure,
  median,
  withoutTarget,
  skipped,
} from './figures.ts'
import { type Side, startSide } from './peers/side.ts'

const sizes = [20, 200, 2_000] as const
type Size = (typeof sizes)[number]
const forms = ['fan-out', 'loop'] as const
type Name = 'Agency' | (typeof forms)[number]

/** A longer run has to be further ahead: LangGraph's steps become dearer. */
const targets = { 200: 1.2, 2_000: 1.6 } as const

const ratioName = (size: Size): string => `peers: steps per second at ${size}, Agency / LangGraph`

/**
 * Plan → N steps → N verifications → accept, by Agency and by LangGraph with its SQLite checkpointer: each in a process
 * of its own, in turns, on files in one folder, with every commit synced and agents and nodes that take no time.
 */
export const peers: Benchmark = {
  name: 'peers',
  run: async (options) => {
    const isInstalled = existsSync(new URL('peers/node_modules', import.meta.url))
    if (!isInstalled) options.log(`LangGraph is not installed, so Agency runs alone; install it: ${installCommand}`)
    const folder = freshFolder()
    const sides = new Map<Name, Side>()
    sides.set('Agency', await startSide('agency.ts', ['--store', join(folder, 'agency.db')]))
    for (const form of isInstalled ? forms : [])
      sides.set(form, await startSide('langgraph.mjs', ['--store', join(folder, `${form}.db`), '--form', form]))
    const costs = await measure(sides, options)
    const checked = await (sides.get('Agency') as Side).checkStore()
    for (const side of sides.values()) await side.stop()
    rmSync(folder, { recursive: true, force: true })
    return [
      ...(isInstalled
        ? [...sizes.map((size) => ratioAt(size, costs)), besideLoop(costs)]
        : ([200, 2_000] as const).map((size) => skipped(ratioName(size), '×', `≥ ${targets[size]}`, installCommand))),
      growthOf(costs),
      atMost(
        'peers: findings of audit and replay',
        checked.findings,
        0,
        '',
        `${checked.events} events, ${checked.rows} rows, ${checked.eventsPerStep.toFixed(1)} events per step`,
      ),
    ]
  },
}

const installCommand = 'npm ci --prefix bench/peers'

/** Microseconds per step in each round; a verification counts as a step. */
type Costs = ReadonlyMap<Name, Record<Size, number[]>>

async function measure(sides: ReadonlyMap<Name, Side>, { quick, log }: BenchOptions): Promise<Costs> {
  const costs = new Map(
    [...sides.keys()].map((name) => [name, { 20: [], 200: [], 2_000: [] } as Record<Size, number[]>]),
  )
  // The same number of steps at each size, so that all sizes are timed for equally long.
  const steps = quick ? 800 : 4_000
  const time = async (name: Name, size: Size): Promise<string> => {
    const runs = Math.max(1, steps / (2 * size))
    const { seconds, cpuSeconds } = await (sides.get(name) as Side).time({ size, runs })
    const [cost, ofProcessor] = [seconds, cpuSeconds].map((each) => (each * 1e6) / (2 * size * runs)) as [
      number,
      number,
    ]
    costs.get(name)?.[size].push(cost)
    return `${name} ${cost.toFixed(0)} µs (${ofProcessor.toFixed(0)} of the processor)`
  }
  for (const side of sides.values()) for (let count = 0; count < (quick ? 1 : 4); count++) await warmUp(side)
  for (let round = 0; round < (quick ? 2 : 5); round++)
    for (const size of inTurn(sizes, round)) {
      const shown: string[] = []
      for (const name of inTurn([...sides.keys()], round))
        if (!quick || size < 2_000 || name === 'Agency') shown.push(await time(name, size))
      log(`per step of ${size}: ${shown.join(', ')}`)
    }
  return costs
}

/** Runs a side until the compiler has optimised it: the first thousands are slower at every size. */
async function warmUp(side: Side): Promise<void> {
  await side.time({ size: 20, runs: 20 })
  await side.time({ size: 200, runs: 2 })
}

/** Rotates the order from round to round, because the machine's state differs between the first and the last. */
const inTurn = <T>(values: readonly T[], round: number): T[] =>
  values.map((_, index) => values[(index + round) % values.length] as T)

/** Compares with the LangGraph form that was faster in that round. */
function ratioAt(size: Size, costs: Costs): Figure {
  const ofForms = forms.map((form) => costs.get(form)?.[size] ?? [])
  const ours = costs.get('Agency')?.[size] ?? []
  if (ofForms.some((each) => each.length === 0)) return skipped(ratioName(size), '×', null, 'not part of --quick')
  const ratio = median(ours.map((cost, round) => Math.min(...ofForms.map((each) => each[round] as number)) / cost))
  const perSecond = (of: readonly number[]): string => (1e6 / median(of)).toFixed(0)
  const note = `${perSecond(ours)} and ${forms.map((form, index) => `${perSecond(ofForms[index] ?? [])} (${form})`).join(', ')}`
  return size === 20
    ? withoutTarget(ratioName(size), ratio, '×', note)
    : atLeast(ratioName(size), ratio, targets[size], '×', note)
}

/** Compares with step, verify, step, verify: the form of LangGraph's tutorials. */
function besideLoop(costs: Costs): Figure {
  const ratios =
    costs.get('Agency')?.[200].map((cost, round) => (costs.get('loop')?.[200][round] as number) / cost) ?? []
  return withoutTarget('peers: the same beside its usual form, a loop', median(ratios), '×')
}

function growthOf(costs: Costs): Figure {
  const { 200: small, 2_000: large } = costs.get('Agency') as Record<Size, number[]>
  const growth = median(large.map((cost, round) => cost / (small[round] as number)))
  const note = `${median(small).toFixed(0)} and ${median(large).toFixed(0)} µs`
  return atMost('peers: Agency, a step of 2,000 / a step of 200', growth, 1.2, '×', note)
}
