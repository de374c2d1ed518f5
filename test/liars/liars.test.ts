// @suite process

import { beforeAll, describe, expect, it } from 'vitest'

import { boxHere } from '../support/box.ts'
import { families } from './contract.ts'
import { lies } from './families/all.ts'
import type { Result } from './judge.ts'
import { playable, playCases } from './run.ts'
import { drawShare } from './share.ts'

/** The families of which no lie gets through; `npm run liars` plays all of their lies, in all variants. */
const held = families.filter((family) => family !== 'beyond')

describe.skipIf(!boxHere.ok)('lying agents', () => {
  let results: Result[] = []
  beforeAll(async () => {
    const share = drawShare(playable(lies).lies, held, { seed: 1, liesEach: 4, twinsEach: 2 })
    results = await playCases(share, { seed: 1, jobs: 2, withinMs: 90_000 })
  }, 240_000)

  it.each(held)('of the family "%s" do not end as done in silence, and honest ones do', (family) => {
    const played = results.filter(({ lie }) => lie.family === family)
    expect(played.length).toBeGreaterThan(0)
    const faults = played.flatMap(({ lie, variant, isTwin, fault }) =>
      fault === null ? [] : [`${lie.family}/${lie.name} ${variant} ${isTwin ? 'twin' : 'lie'}: ${fault}`],
    )
    expect(faults).toEqual([])
  })
})
