// @suite process

import { beforeAll, describe, expect, it } from 'vitest'

import { type AttackResult, faultOf } from './contract.ts'
import { families } from './families/all.ts'

/** The time of each family, so that all of them together take about two minutes; `npm run attacks` plays the rest. */
const shareMs = 10_000

/** The box has a suite of its own beside its source, which plays as another user too. */
for (const family of families.filter(({ name }) => name !== 'box')) {
  const quick = family.attacks.filter(({ isLong }) => isLong !== true).map(({ name }) => name)
  if (quick.length === 0) continue
  describe(`attacks: ${family.about}`, () => {
    const results = new Map<string, AttackResult>()
    beforeAll(() => family.play(quick, (result) => void results.set(result.name, result), shareMs), 240_000)

    it.for(quick)('%s', (name, { skip }) => {
      const result = results.get(name) as AttackResult
      if (result.skipped !== undefined) skip(result.skipped)
      expect(faultOf(result)).toBeNull()
    })
  })
}
