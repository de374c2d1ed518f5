import { describe, expect, it } from 'vitest'

import { briefStatuses } from '../../src/work/briefs/states.ts'
import type { Brief } from '../../src/work/briefs/contract.ts'
import { briefState } from './state.ts'

const brief = (over: Partial<Brief>): Brief =>
  ({ status: 'pending', heldBy: null, unmetDependencies: 0, attempts: 0, failure: null, ...over }) as Brief

describe('a brief', () => {
  it('says why it waits', () => {
    expect(briefState(brief({})).says).toBe('pending')
    expect(briefState(brief({ unmetDependencies: 2 })).says).toBe('pending: after 2 other briefs')
    expect(briefState(brief({ attempts: 1 })).says).toBe('pending: to be tried again')
    expect(briefState(brief({ heldBy: 'dependency_failed:brf_a' }))).toEqual({
      tone: 'waiting',
      says: 'pending: a brief it needs failed',
    })
  })

  it('says what holds it up from outside', () => {
    const says = (heldBy: string): string => briefState(brief({ heldBy })).says
    expect(says('pause')).toBe('pending: the run is paused')
    expect(says('gate:gat_a')).toBe('pending: a gate waits for you')
    expect(says('stop:all')).toBe('pending: everything is stopped')
    expect(says('stop:org:2')).toBe('pending: its organisation is stopped')
    expect(says('budget:mission')).toBe('pending: the budget of its mission is used up')
    expect(says('provider:anthropic until 2026-01-01T12:40:00.000Z')).toMatch(
      /^pending: anthropic takes no launches until \d\d:40:00$/,
    )
  })

  it('waits for others without waiting for anybody', () => {
    expect(briefState(brief({ heldBy: 'dependencies', unmetDependencies: 1 }))).toEqual({
      tone: 'idle',
      says: 'pending: after 1 other brief',
    })
  })

  it('says how often it was tried again, of how many times', () => {
    expect(briefState(brief({ status: 'working', retriesUsed: 1, retryBudget: 3 })).says).toBe('working · retry 1/3')
    expect(briefState(brief({ status: 'done', verificationFailures: 2, verificationLimit: 3 })).says).toBe(
      'done · rework 2/3',
    )
  })

  it('says why it failed', () => {
    expect(briefState(brief({ status: 'failed', failure: 'no proof' }))).toEqual({
      tone: 'bad',
      says: 'failed: no proof',
    })
  })

  it('is green only when it is proven', () => {
    const green = briefStatuses.filter((status) => briefState(brief({ status })).tone === 'good')
    expect(green).toEqual(['verified', 'done'])
  })
})
