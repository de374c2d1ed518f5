import { expect, it } from 'vitest'

import { hasNoBox, noBoxReason } from './labels.ts'

it('distinguishes a daemon without a box from one with a box, and extracts the reason', () => {
  expect(hasNoBox('bubblewrap 0.8.0')).toBe(false)
  expect(hasNoBox('none: bwrap is not installed')).toBe(true)
  expect(noBoxReason('none: bwrap is not installed.')).toBe('bwrap is not installed')
  expect(noBoxReason('none: switched off by "box: off"')).toBe('switched off by "box: off"')
})
