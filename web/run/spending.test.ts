import { expect, it } from 'vitest'

import type { Spend } from '../../src/work/spends/contract.ts'
import { costOf, spendingOf, tokensOf } from './spending.ts'

const spend = (second: number, costMicros: number | null): Spend =>
  ({ at: new Date(second * 1_000).toISOString(), costMicros }) as Spend

it('adds up the calls in the order of time, independent of their order in the list', () => {
  const { points } = spendingOf([spend(3, 30), spend(1, 10), spend(2, null)], costOf, 40, null)
  expect(points).toEqual([
    { at: 1_000, total: 10 },
    { at: 2_000, total: 10 },
    { at: 3_000, total: 40 },
  ])
})

it('begins at the cost of the calls that are not listed', () => {
  expect(spendingOf([spend(3, 30)], costOf, 100, null).points).toEqual([{ at: 3_000, total: 100 }])
})

it('includes the limit in the height of the plot', () => {
  expect(spendingOf([spend(1, 10)], costOf, 10, 500).most).toBe(500)
  expect(spendingOf([spend(1, 900)], costOf, 900, 500).most).toBe(900)
})

it('adds up tokens where no call has a price', () => {
  const call = (second: number, inputTokens: number) => ({ ...spend(second, null), inputTokens, outputTokens: 5 })
  expect(spendingOf([call(1, 10), call(2, 20)], tokensOf, 40, null)).toEqual({
    points: [
      { at: 1_000, total: 15 },
      { at: 2_000, total: 40 },
    ],
    most: 40,
    before: 0,
  })
})
