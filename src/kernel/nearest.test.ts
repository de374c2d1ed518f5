import { expect, it } from 'vitest'

import { nearest } from './nearest.ts'

it.each([
  ['stauts', 'status'],
  ['Status', 'status'],
  ['slotz', 'slots'],
  ['inspct', 'inspect'],
  ['prot', 'port'],
  ['zzz', null],
  ['', null],
  ['dashboard', null],
])('nearest(%j) is %j', (typed, meant) => {
  expect(nearest(typed, ['status', 'slots', 'inspect', 'port'])).toBe(meant)
})
