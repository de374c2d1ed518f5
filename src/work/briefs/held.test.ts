import { describe, expect, it } from 'vitest'

import { aBrief, aRun } from '../../../test/support/work.ts'
import { reasonsOf, reasonText, withReasons } from './held.ts'
import { failedDependency, ownBudgetHold, workspaceHold } from './holds.ts'

const reasonTexts = (...args: Parameters<typeof reasonsOf>): string[] => reasonsOf(...args).map(reasonText)

describe('a pending brief', () => {
  it.each([
    [
      'a failed dependency',
      { unmetDependencies: 1 },
      [failedDependency('brf_2')],
      { status: 'paused' as const },
      ['dependency_failed:brf_2', 'pause', 'dependencies'],
    ],
    ['a pause', {}, [], { status: 'paused' as const, heldBy: 'gate:gat_2' }, ['pause']],
    [
      'a gate',
      { unmetDependencies: 2 },
      [],
      { status: 'gated' as const, heldBy: 'gate:gat_1' },
      ['gate:gat_1', 'dependencies'],
    ],
    ['its dependencies', { unmetDependencies: 2 }, [], {}, ['dependencies']],
    ['a failed sibling', {}, [], { briefsFailed: 1 }, ['sibling_failed']],
    ['nothing', {}, [], {}, []],
  ])('waits for %s', (_, brief, own, run, texts) => {
    expect(reasonTexts(aBrief(brief), own, aRun(run))).toEqual(texts)
  })

  it('waits for a hold from outside its run after its own', () => {
    const stop = { kind: 'stop', subject: 'all' } as const
    expect(reasonTexts(aBrief(), [], aRun(), stop)).toEqual(['stop:all'])
    expect(reasonTexts(aBrief({ unmetDependencies: 1 }), [], aRun(), stop)).toEqual(['dependencies', 'stop:all'])
  })

  it('names the failed dependency first of several stored reasons', () => {
    const own = [workspaceHold, ownBudgetHold, failedDependency('brf_2')]
    const { heldBy, holds } = withReasons(aBrief(), reasonsOf(aBrief(), own, aRun()))
    expect(heldBy).toBe('dependency_failed:brf_2')
    expect(holds).toEqual([failedDependency('brf_2'), ownBudgetHold, workspaceHold])
  })
})

describe('a brief that is not pending', () => {
  it('waits for its stored reasons only', () => {
    for (const status of ['working', 'verified', 'done'] as const)
      expect(reasonTexts(aBrief({ status }), [], aRun({ status: 'paused' }), { kind: 'stop', subject: '' })).toEqual([])
    expect(reasonTexts(aBrief({ status: 'blocked' }), [ownBudgetHold], aRun({ status: 'paused' }))).toEqual([
      'budget:brief',
    ])
  })
})
