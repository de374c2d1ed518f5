import type { Spend } from '../../src/work/spends/contract.ts'

export interface Spending {
  /** What it had come to after each call, the oldest first. */
  points: { at: number; micros: number }[]
  /** The top of the picture: what was spent or may be, whichever is more. */
  most: number
}

/** From the newest calls backwards: what came before those that are known is where the line begins. */
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
