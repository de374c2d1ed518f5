// @suite process

import { beforeAll, describe, expect, it } from 'vitest'

import { attackAsUnprivileged, type AttackResult, whyNotUnprivileged } from '../../../test/box/run-unprivileged.ts'
import { attacks } from '../../../test/box/attacks.ts'
import { runAttack } from '../../../test/box/fixture.ts'
import { boxHere } from '../../../test/support/box.ts'

const why = boxHere.ok ? '' : ` (${boxHere.reason})`

describe.skipIf(!boxHere.ok).concurrent(`attacks that succeed without a box and fail in one${why}`, () => {
  for (const attack of attacks) {
    const skipped = attack.skip?.() ?? null
    it.skipIf(skipped !== null)(`${attack.name}${skipped === null ? '' : ` (${skipped})`}`, async () => {
      const control = await runAttack(attack, false)
      expect(control, control.result.output).toMatchObject({ breached: true })
      const boxed = await runAttack(attack, true)
      expect(boxed, boxed.result.output).toMatchObject({ breached: false })
    })
  }
})

const skipReason = boxHere.ok ? whyNotUnprivileged() : boxHere.reason

describe.skipIf(skipReason !== null)(
  `attacks as an unprivileged user${skipReason === null ? '' : ` (${skipReason})`}`,
  () => {
    let results: AttackResult[] = []
    beforeAll(async () => {
      results = await attackAsUnprivileged()
    }, 300_000)

    it.for(attacks.map(({ name }) => name))('%s', (name, { skip }) => {
      const result = results.find((each) => each.name === name)
      if (result?.skipped !== undefined) skip(result.skipped)
      expect(result, JSON.stringify(result)).toMatchObject({ control: true, boxed: false })
    })
  },
)
