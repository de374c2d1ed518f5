import type { Spend } from '../../src/work/spends/contract.ts'

export interface Spending {
  /** The total after each call, oldest first. */
  points: { at: number; total: number }[]
  /** The top of the plot: the total or the limit, whichever is higher. */
  most: number
  /** The total before the first listed call. */
  before: number
}

/** Measures a call: its cost in millionths of a dollar, or its tokens where nothing has a price. */
export type Measure = (spend: Spend) => number

export const costOf: Measure = ({ costMicros }) => costMicros ?? 0
export const tokensOf: Measure = ({ inputTokens, outputTokens }) => inputTokens + outputTokens

/** Adds up the calls over time. The line begins at the sum of the older calls that are not listed. */
export function spendingOf(spends: readonly Spend[], measure: Measure, total: number, limit: number | null): Spending {
  const sorted = spends.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
  const known = sorted.reduce((sum, spend) => sum + measure(spend), 0)
  const before = Math.max(0, total - known)
  let reached = before
  const points = sorted.map((spend) => {
    reached += measure(spend)
    return { at: Date.parse(spend.at), total: reached }
  })
  return { points, most: Math.max(1, reached, limit ?? 0), before }
}
