import { expect, it } from 'vitest'

import { createVirtualClock } from '../../../test/support/virtual-clock.ts'
import { seen } from './finding.ts'
import { createKeptOutcomes } from './kept-outcomes.ts'

const check = { repository: '/shop', commit: 'c1', setup: null, isOnHost: false, evidence: null }

it('keeps an outcome with the time that it took and the setup that ran', async () => {
  const clock = createVirtualClock()
  const outcomes = createKeptOutcomes({ clock })
  const look = async () => {
    clock.advance(2_000)
    return seen(true, 'exit code 0', { setup: 'npm ci' })
  }
  const kept = { passed: true, setup: 'npm ci', durationMs: 2_000 }
  expect(await outcomes.find(check, look)).toMatchObject(kept)
  clock.advance(9_000)
  expect(await outcomes.find(check, () => Promise.reject(new Error('looked again')))).toMatchObject(kept)
})
