import { describe, expect, it } from 'vitest'

import { aBrief, aRun } from '../../../test/support/work.ts'
import { heldBy } from './held.ts'

describe('the hold of a pending brief', () => {
  it.each([
    ['nothing holds it', {}, {}, null],
    [
      'its own reason',
      { heldBy: 'dependency_failed:brf_2', unmetDependencies: 1 },
      { status: 'paused' },
      'dependency_failed:brf_2',
    ],
    ['a pause', {}, { status: 'paused', heldBy: 'gate:gat_2' }, 'pause'],
    ['a gate', { unmetDependencies: 2 }, { status: 'gated', heldBy: 'gate:gat_1' }, 'gate:gat_1'],
    ['briefs before it', { unmetDependencies: 2 }, { briefsFailed: 1 }, 'dependencies'],
    ['a failure beside it', {}, { briefsFailed: 1 }, 'sibling_failed'],
  ] as const)('%s', (_, brief, run, reason) => {
    expect(heldBy(aBrief(brief), aRun(run))).toBe(reason)
  })

  it('names a hold from outside its run last', () => {
    expect(heldBy(aBrief(), aRun(), 'stop')).toBe('stop')
    expect(heldBy(aBrief({ unmetDependencies: 1 }), aRun(), 'stop')).toBe('dependencies')
  })

  it('is empty for running and ended briefs', () => {
    for (const status of ['working', 'verified', 'done', 'blocked'] as const)
      expect(heldBy(aBrief({ status }), aRun({ status: 'paused' }), 'stop')).toBe(null)
  })
})
