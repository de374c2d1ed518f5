import { expect, it } from 'vitest'

import type { Spend } from '../../src/work/spends/contract.ts'
import { spendingOf } from './spending.ts'

const spend = (second: number, costMicros: number | null): Spend =>
  ({ at: new Date(second * 1_000).toISOString(), costMicros }) as Spend

it('rises from call to call, in the order of time, however they were listed', () => {
  const { points } = spendingOf([spend(3, 30), spend(1, 10), spend(2, null)], 40, null)
  expect(points).toEqual([
    { at: 1_000, micros: 10 },
    { at: 2_000, micros: 10 },
    { at: 3_000, micros: 40 },
  ])
})

it('begins where the calls that are not listed any more had brought it', () => {
  expect(spendingOf([spend(3, 30)], 100, null).points).toEqual([{ at: 3_000, micros: 100 }])
})

it('leaves room for the limit', () => {
  expect(spendingOf([spend(1, 10)], 10, 500).most).toBe(500)
  expect(spendingOf([spend(1, 900)], 900, 500).most).toBe(900)
})
