import { describe, expect, it } from 'vitest'

import type { HeldBrief } from '../../src/work/briefs/contract.ts'
import { briefStatuses } from '../../src/work/briefs/states.ts'
import { briefState } from './state.ts'

const brief = (over: Partial<HeldBrief>): HeldBrief =>
  ({ status: 'pending', heldBy: null, unmetDependencies: 0, attempts: 0, failure: null, ...over }) as HeldBrief

describe('briefState', () => {
  it('gives the reason why a brief is pending', () => {
    expect(briefState(brief({})).text).toBe('pending')
    expect(briefState(brief({ unmetDependencies: 2 })).text).toBe('pending: after 2 other briefs')
    expect(briefState(brief({ attempts: 1 })).text).toBe('pending: waits for another attempt')
    expect(briefState(brief({ heldBy: 'dependency_failed:brf_a' }))).toEqual({
      tone: 'waiting',
      text: 'pending: a brief that it needs failed',
    })
  })

  it('describes the hold of a brief', () => {
    const textOf = (heldBy: string): string => briefState(brief({ heldBy })).text
    expect(textOf('pause')).toBe('pending: the run is paused')
    expect(textOf('gate:gat_a')).toBe('pending: a gate waits for you')
    expect(textOf('stop:all')).toBe('pending: everything is stopped')
    expect(textOf('stop:org:2')).toBe('pending: its organisation is stopped')
    expect(textOf('budget:mission')).toBe('pending: the budget of its mission is used up')
    expect(textOf('budget_reserved:persona')).toBe(
      'pending: running agents have reserved the rest of the budget of its persona',
    )
    expect(textOf('provider:anthropic until 2026-01-01T12:40:00.000Z')).toMatch(
      /^pending: launches on anthropic are held until \d\d:40:00$/,
    )
  })

  it('is idle for a brief that waits only for other briefs', () => {
    expect(briefState(brief({ heldBy: 'dependencies', unmetDependencies: 1 }))).toEqual({
      tone: 'idle',
      text: 'pending: after 1 other brief',
    })
  })

  it('gives the number of retries and their limit', () => {
    expect(briefState(brief({ status: 'working', retriesUsed: 1, retryBudget: 3 })).text).toBe('working · retry 1/3')
    expect(briefState(brief({ status: 'done', verificationFailures: 2, verificationLimit: 3 })).text).toBe(
      'done · rework 2/3',
    )
  })

  it('gives the reason of a failure', () => {
    expect(briefState(brief({ status: 'failed', failure: 'no proof' }))).toEqual({
      tone: 'bad',
      text: 'failed: no proof',
    })
  })

  it('is good only for a verified or done brief', () => {
    const green = briefStatuses.filter((status) => briefState(brief({ status })).tone === 'good')
    expect(green).toEqual(['verified', 'done'])
  })
})
