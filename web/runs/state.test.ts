import { describe, expect, it } from 'vitest'

import { runStates } from '../../src/kernel/run-state.ts'
import { progressText, runState } from './state.ts'

describe('runState', () => {
  it('is good only for a run that is done', () => {
    expect(runStates.filter((state) => runState(state).tone === 'good')).toEqual(['done'])
  })

  it('is working only while agents or Agency itself work', () => {
    expect(runStates.filter((state) => runState(state).tone === 'working')).toEqual([
      'planning',
      'running',
      'accepting',
    ])
  })
})

it('names dropped briefs beside the total, which leaves them out', () => {
  expect(progressText({ done: 21, total: 21, dropped: 0 })).toBe('21 of 21 briefs done')
  expect(progressText({ done: 21, total: 21, dropped: 1 })).toBe('21 of 21 briefs done, 1 dropped')
})
