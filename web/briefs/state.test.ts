import { describe, expect, it } from 'vitest'

import { briefStatuses } from '../../src/work/briefs/states.ts'
import type { Brief } from '../../src/work/briefs/contract.ts'
import { briefState } from './state.ts'

const brief = (over: Partial<Brief>): Brief =>
  ({ status: 'pending', heldBy: null, unmetDependencies: 0, attempts: 0, failure: null, ...over }) as Brief

describe('a brief', () => {
  it('says why it waits', () => {
    expect(briefState(brief({})).text).toBe('pending')
    expect(briefState(brief({ unmetDependencies: 2 })).text).toBe('pending: after 2 other briefs')
    expect(briefState(brief({ attempts: 1 })).text).toBe('pending: to be tried again')
    expect(briefState(brief({ heldBy: 'dependency_failed:brf_a' }))).toEqual({
      tone: 'waiting',
      text: 'pending: a brief it needs failed',
    })
  })

  it('says what holds it up from outside', () => {
    const textOf = (heldBy: string): string => briefState(brief({ heldBy })).text
    expect(textOf('pause')).toBe('pending: the run is paused')
    expect(textOf('gate:gat_a')).toBe('pending: a gate waits for you')
    expect(textOf('stop:all')).toBe('pending: everything is stopped')
    expect(textOf('stop:org:2')).toBe('pending: its organisation is stopped')
    expect(textOf('budget:mission')).toBe('pending: the budget of its mission is used up')
    expect(textOf('provider:anthropic until 2026-01-01T12:40:00.000Z')).toMatch(
      /^pending: anthropic takes no launches until \d\d:40:00$/,
    )
  })

  it('waits for others without waiting for anybody', () => {
    expect(briefState(brief({ heldBy: 'dependencies', unmetDependencies: 1 }))).toEqual({
      tone: 'idle',
      text: 'pending: after 1 other brief',
    })
  })

  it('says how often it was tried again, of how many times', () => {
    expect(briefState(brief({ status: 'working', retriesUsed: 1, retryBudget: 3 })).text).toBe('working · retry 1/3')
    expect(briefState(brief({ status: 'done', verificationFailures: 2, verificationLimit: 3 })).text).toBe(
      'done · rework 2/3',
    )
  })

  it('says why it failed', () => {
    expect(briefState(brief({ status: 'failed', failure: 'no proof' }))).toEqual({
      tone: 'bad',
      text: 'failed: no proof',
    })
  })

  it('is green only when it is proven', () => {
    const green = briefStatuses.filter((status) => briefState(brief({ status })).tone === 'good')
    expect(green).toEqual(['verified', 'done'])
  })
})
