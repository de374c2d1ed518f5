import { expect, it } from 'vitest'

import type { FinishedRun } from '../runs/store.ts'
import { estimateFrom } from './estimate.ts'

const minute = 60_000
const run = (more: Partial<FinishedRun> = {}): FinishedRun => ({
  tokens: 1_000,
  costMicros: 400_000,
  unpricedCalls: 0,
  work: [[0, 3 * minute]],
  ...more,
})

it('counts the time in which agents were at work once, and no wait for a decision', () => {
  const work = [
    [0, 2 * minute],
    [minute, 3 * minute],
    [600 * minute, 601 * minute],
  ] as const
  expect(estimateFrom([run({ work })], false).minutes).toEqual({ low: 4, high: 4 })
})

it('takes its cost only from runs whose calls all have a price', () => {
  const past = [run(), run({ costMicros: 1_100_000 }), run({ costMicros: 9_000_000, unpricedCalls: 1 })]
  expect(estimateFrom(past, false)).toMatchObject({ runs: 3, usd: { low: 0.4, high: 1.1 } })
  expect(estimateFrom([run({ costMicros: 0 })], false).usd).toBeNull()
})

it('leaves out the extremes of many runs', () => {
  const past = [1, 2, 3, 4, 5, 6, 7, 1_000].map((tokens) => run({ tokens }))
  expect(estimateFrom(past, false).tokens).toEqual({ low: 3, high: 6 })
})
