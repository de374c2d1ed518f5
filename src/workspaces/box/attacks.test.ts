// @suite process

import { beforeAll, describe, expect, it } from 'vitest'

import { attackAsUnprivileged, type Played, whyNotUnprivileged } from '../../../test/box/run-unprivileged.ts'
import { attacks } from '../../../test/box/attacks.ts'
import { runAttack } from '../../../test/box/fixture.ts'
import { boxHere } from '../../../test/support/box.ts'

const why = boxHere.ok ? '' : ` (${boxHere.reason})`

describe.skipIf(!boxHere.ok).concurrent(`what succeeds without a box fails in one${why}`, () => {
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

const whyNot = boxHere.ok ? whyNotUnprivileged() : boxHere.reason

describe.skipIf(whyNot !== null)(`as a user without rights${whyNot === null ? '' : ` (${whyNot})`}`, () => {
  let played: Played[] = []
  beforeAll(async () => {
    played = await attackAsUnprivileged()
  }, 300_000)

  it.for(attacks.map(({ name }) => name))('%s', (name, { skip }) => {
    const found = played.find((each) => each.name === name)
    if (found?.skipped !== undefined) skip(found.skipped)
    expect(found, JSON.stringify(found)).toMatchObject({ control: true, boxed: false })
  })
})
