import { expect, it } from 'vitest'

import { createPauses } from './pauses.ts'

it('ends a pause when its time has passed', () => {
  let nowMs = 10_000_000
  const pauses = createPauses({ nowMs: () => nowMs })
  expect(pauses.begin('run_1')).toBe(1_000)
  expect(pauses.runIds()).toEqual(['run_1'])
  expect(pauses.nextEndMs()).toBe(nowMs + 1_000)
  nowMs += 1_000
  expect(pauses.runIds()).toEqual([])
  expect(pauses.nextEndMs()).toBeNull()
})

it('ends a pause when the clock is set back, instead of waiting until the clock is there again', () => {
  let nowMs = 10_000_000
  const pauses = createPauses({ nowMs: () => nowMs })
  pauses.begin('run_1')
  nowMs -= 3_600_000
  expect(pauses.runIds()).toEqual([])
  expect(pauses.nextEndMs()).toBeNull()
  expect(pauses.begin('run_1')).toBe(5_000)
  expect(pauses.runIds()).toEqual(['run_1'])
})
