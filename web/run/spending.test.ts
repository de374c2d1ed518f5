import { expect, it } from 'vitest'

import type { Spend } from '../../src/work/spends/contract.ts'
import { spendingOf } from './spending.ts'

const spend = (second: number, costMicros: number | null): Spend =>
  ({ at: new Date(second * 1_000).toISOString(), costMicros }) as Spend

it('adds up the calls in the order of time, independent of their order in the list', () => {
  const { points } = spendingOf([spend(3, 30), spend(1, 10), spend(2, null)], 40, null)
  expect(points).toEqual([
    { at: 1_000, micros: 10 },
    { at: 2_000, micros: 10 },
    { at: 3_000, micros: 40 },
  ])
})

it('begins at the cost of the calls that are not listed', () => {
  expect(spendingOf([spend(3, 30)], 100, null).points).toEqual([{ at: 3_000, micros: 100 }])
})

it('includes the limit in the height of the plot', () => {
  expect(spendingOf([spend(1, 10)], 10, 500).most).toBe(500)
  expect(spendingOf([spend(1, 900)], 900, 500).most).toBe(900)
})
