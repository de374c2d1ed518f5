import { expect, it } from 'vitest'

import { createSeenLog, type LogLineSeen } from '../../test/support/server.ts'
import { createVirtualClock } from '../../test/support/virtual-clock.ts'
import { refusal } from '../kernel/errors.ts'
import { createLastBoundary } from './unhandled.ts'

const begin = (stop: () => Promise<void> = async () => {}) => {
  const clock = createVirtualClock()
  const logged: LogLineSeen[] = []
  const exits: number[] = []
  let stops = 0
  const boundary = createLastBoundary(clock, (code) => exits.push(code))
  const log = createSeenLog(logged)
  boundary.set({
    log,
    stop: () => {
      stops++
      return stop()
    },
  })
  return { boundary, clock, logged, exits, stops: () => stops }
}

it('goes on after trouble of the store that nothing has handled, and logs it', async () => {
  const { boundary, logged, exits, stops } = begin()
  await boundary.handle(refusal('store_unusable', 'PostgreSQL is away'))
  expect(logged).toMatchObject([{ level: 'error', message: 'the store refused work in the background' }])
  expect([exits, stops()]).toEqual([[], 0])
})

it('logs a bug, ends the agents and exits with a failure', async () => {
  const { boundary, logged, exits, stops } = begin()
  await boundary.handle(new TypeError('x is not a function'))
  expect(logged).toMatchObject([{ level: 'error', error: expect.stringContaining('x is not a function') as never }])
  expect([exits, stops()]).toEqual([[1], 1])
})

it('exits after ten seconds if the agents cannot be ended', async () => {
  const { boundary, clock, exits } = begin(() => new Promise(() => {}))
  const handled = boundary.handle(new Error('a bug'))
  clock.advance(10_000)
  await handled
  expect(exits).toEqual([1])
})
