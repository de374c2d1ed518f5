import type { FinishedRun } from '../runs/store.ts'
import type { RunEstimate } from './contract.ts'

/** From this many runs on, the shortest and the longest quarter are left out: one odd run must not set the range. */
const enoughForQuarters = 8

/** Returns the range of completed runs of the same kind. */
export function estimateFrom(past: readonly FinishedRun[], simulated: boolean): RunEstimate {
  const priced = past.filter(({ costMicros, unpricedCalls }) => unpricedCalls === 0 && costMicros > 0)
  return {
    runs: past.length,
    simulated,
    minutes: rangeOf(past.map(({ work }) => unionMs(work) / 60_000)),
    tokens: rangeOf(past.map(({ tokens }) => tokens)),
    usd: rangeOf(priced.map(({ costMicros }) => costMicros / 1e6)),
  }
}

function rangeOf(values: readonly number[]): { low: number; high: number } | null {
  const rising = values.toSorted((a, b) => a - b)
  const cut = rising.length < enoughForQuarters ? 0 : Math.floor(rising.length / 4)
  const [low, high] = [rising[cut], rising.at(-1 - cut)]
  return low === undefined || high === undefined ? null : { low, high }
}

/** Returns the time in which at least one agent was at work: several may work at once, and a decision may take days. */
function unionMs(work: FinishedRun['work']): number {
  let total = 0
  let covered = -Infinity
  for (const [start, end] of work.toSorted(([a], [b]) => a - b)) {
    total += Math.max(0, end - Math.max(start, covered))
    covered = Math.max(covered, end)
  }
  return total
}
