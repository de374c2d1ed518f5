import { expect, it } from 'vitest'

import { createVirtualClock } from '../../test/support/virtual-clock.ts'
import { createLeases } from './leases.ts'

function scene() {
  const clock = createVirtualClock('2030-01-01T00:00:00.000Z')
  const renewals: string[] = []
  const state = { isNeeded: true, isTaken: true }
  const leases = createLeases({
    clock,
    everyMs: 30_000,
    isNeeded: () => state.isNeeded,
    renew: async () => {
      renewals.push(clock.at().slice(14, 19))
      return state.isTaken
    },
  })
  /** Lets time pass second by second, so that renewals of one second are over in the next one. */
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      clock.advance(1_000)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return { leases, renewals, state, clock, pass }
}

it('renews leases regularly while there are any, and sets no timer otherwise', async () => {
  const { leases, renewals, state, clock, pass } = scene()
  expect(clock.timers()).toBe(0)
  leases.keep()
  leases.keep()
  await pass(65)
  expect(renewals).toEqual(['00:30', '01:00'])
  state.isNeeded = false
  leases.keep()
  expect(clock.timers()).toBe(0)
})

it('repeats a renewal after a second that the store did not take', async () => {
  const { leases, renewals, state, pass } = scene()
  state.isTaken = false
  leases.keep()
  await pass(30)
  state.isTaken = true
  await pass(60)
  expect(renewals).toEqual(['00:30', '00:31', '01:01'])
})

it('begins a new period with a renewal that was asked for', async () => {
  const { leases, renewals, pass } = scene()
  leases.keep()
  await pass(20)
  await leases.renewNow()
  await pass(30)
  expect(renewals).toEqual(['00:20', '00:50'])
})
