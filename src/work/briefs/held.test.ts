import { describe, expect, it } from 'vitest'

import { aBrief, aRun } from '../../../test/support/work.ts'
import { heldBy } from './held.ts'

describe('a pending brief says why it waits', () => {
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

  it('names what lies beyond its run last: nothing else has to change but that', () => {
    expect(heldBy(aBrief(), aRun(), 'stop')).toBe('stop')
    expect(heldBy(aBrief({ unmetDependencies: 1 }), aRun(), 'stop')).toBe('dependencies')
  })

  it('holds nobody who is at work or at the end', () => {
    for (const status of ['working', 'verified', 'done', 'blocked'] as const)
      expect(heldBy(aBrief({ status }), aRun({ status: 'paused' }), 'stop')).toBe(null)
  })
})
