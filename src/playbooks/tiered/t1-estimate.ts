import { type TierName as Tier, tierNames as tiers } from '../../team/contract.ts'
import type { PastRun } from '../../work/runs/contract.ts'
import type { View } from '../contract.ts'
import type { TierPlan } from './contract.ts'

/** Returns a line with the probable cost of a plan. It is based on earlier runs in this store, never on anything else. */
export function estimateLine({ run, found }: View, plan: TierPlan): string {
  // The cost of a simulated run allows no conclusion about a real one, nor the reverse.
  const history = found.history.filter(({ simulated }) => simulated === run.simulated)
  if (history.length === 0) return 'Estimate: no history yet.'
  const expected = expectedBriefs(plan, history)
  const tokens = spread(history.map((past) => totalOf(past, expected, ({ tokens: each }) => each)))
  const cost = spread(history.map((past) => totalOf(past, expected, ({ costMicros }) => costMicros)))
  const minutes = spread(
    history.map((past) => (past.minutes / Math.max(1, briefsOf(past))) * sum(Object.values(expected))),
  )
  const from = [
    history.length === 1 ? 'from 1 past run, so without a spread' : `from ${history.length} past runs`,
    ...(run.simulated ? ['simulated'] : []),
  ].join(', ')
  const time = withRange(minutes, whole)
  return `Estimate: about ${withRange(tokens, thousands)} tokens, ${cost.max === 0 ? 'unpriced' : withRange(cost, dollars)}, ${time} ${time === '1' ? 'minute' : 'minutes'} (${from}).`
}

/** Multiplies the cost per brief of each tier in an earlier run by the number of briefs expected now. */
function totalOf(
  past: PastRun,
  expected: Readonly<Record<Tier, number>>,
  get: (used: { tokens: number; costMicros: number }) => number,
): number {
  const all = Object.values(past.byCapKey)
  const mean = sum(all.map(get)) / Math.max(1, sum(all.map(({ briefs }) => briefs)))
  return sum(
    tiers.map((tier) => {
      const used = past.byCapKey[tier]
      // A tier that no run has used yet is assumed to cost as much as the others.
      return expected[tier] * (used === undefined || used.briefs === 0 ? mean : get(used) / used.briefs)
    }),
  )
}

/** Returns the expected number of briefs per tier. T3 has not planned yet: tasks per step of a squad lead are those of earlier runs. */
function expectedBriefs({ workstreams }: TierPlan, history: readonly PastRun[]): Record<Tier, number> {
  const withT2 = workstreams.filter(({ tier_path }) => tier_path.includes('t2')).length
  const withT3 = workstreams.filter(({ tier_path }) => tier_path.includes('t3')).length
  const ratios = history.flatMap(({ byCapKey: { t3, t4 } }) =>
    t3 === undefined || t3.briefs === 0 || t4 === undefined ? [] : [t4.briefs / t3.briefs],
  )
  const t3 = withT3 * 2
  const tasks = Math.max(
    workstreams.length,
    Math.round(t3 * (ratios.length === 0 ? tasksPerStep : spread(ratios).median)) + (workstreams.length - withT3),
  )
  return { t1: withT2 > 0 ? 4 : 3, t2: withT2 > 0 ? withT2 + 3 : 0, t3, t4: tasks, t5: tasks }
}

/** Assumption without earlier runs: a squad has about four tasks, and its lead plans once and judges once. */
const tasksPerStep = 2

interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

function spread(values: readonly number[]): Spread {
  const rising = values.toSorted((a, b) => a - b)
  const middle = rising.length / 2
  const median =
    rising.length % 2 === 1
      ? (rising[Math.floor(middle)] as number)
      : ((rising[middle - 1] as number) + (rising[middle] as number)) / 2
  return { median, min: rising[0] as number, max: rising.at(-1) as number }
}

const briefsOf = ({ byCapKey: used }: PastRun): number => sum(Object.values(used).map(({ briefs }) => briefs))

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

const withRange = ({ median, min, max }: Spread, text: (value: number) => string): string =>
  text(min) === text(max) ? text(median) : `${text(median)} (${text(min)}–${text(max)})`

const thousands = (tokens: number): string =>
  tokens < 1_000
    ? String(Math.round(tokens))
    : tokens < 1e6
      ? `${Math.round(tokens / 1_000)}k`
      : `${(tokens / 1e6).toFixed(1)}M`

const dollars = (micros: number): string => `$${(micros / 1e6).toFixed(2)}`

const whole = (minutes: number): string => String(Math.max(1, Math.round(minutes)))
