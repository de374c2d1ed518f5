import type { Spend } from '../../src/work/spends/contract.ts'

export interface Spending {
  /** The total cost after each call, oldest first. */
  points: { at: number; micros: number }[]
  /** The top of the plot: the cost or the limit, whichever is higher. */
  most: number
}

/** Computes the cost over time. The line begins at the cost of the older calls that are not listed. */
export function spendingOf(spends: readonly Spend[], total: number, limit: number | null): Spending {
  const sorted = spends.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
  const known = sorted.reduce((sum, spend) => sum + (spend.costMicros ?? 0), 0)
  let micros = Math.max(0, total - known)
  const points = sorted.map((spend) => {
    micros += spend.costMicros ?? 0
    return { at: Date.parse(spend.at), micros }
  })
  return { points, most: Math.max(1, micros, limit ?? 0) }
}
