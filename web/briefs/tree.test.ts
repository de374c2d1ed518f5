import { describe, expect, it } from 'vitest'

import type { HeldBrief } from '../../src/work/briefs/contract.ts'
import { aHeldBrief, aRun } from '../../test/support/work.ts'
import { visibleNodes } from './branches.ts'
import { rootOf } from './tree.tsx'

const lines = (briefs: HeldBrief[]): string[] =>
  visibleNodes(
    rootOf({
      run: aRun({ goalAnchor: 'Migrate' }),
      state: 'running',
      progress: { done: 0, total: briefs.length, dropped: 0 },
      briefs,
      attempts: [],
    }),
    (_, startsOpen) => startsOpen,
  ).map(({ level, title, state }) => `${level} ${title}: ${state.text}`)

const many = (count: number, fields: (index: number) => Partial<HeldBrief> = () => ({})): HeldBrief[] =>
  Array.from({ length: count }, (_, index) =>
    aHeldBrief({ id: `brf_${index}`, title: `Module ${index + 1}`, kind: 'work', status: 'done', ...fields(index) }),
  )

describe('the tree of a run', () => {
  it('begins with the goal and lists some tens of briefs one by one', () => {
    expect(lines(many(60))).toHaveLength(61)
    expect(lines(many(60))[0]).toMatch(/^1 Migrate: /)
  })

  it('shows more briefs in groups, of which only those with open or failed work start open', () => {
    const shown = lines(many(80, (index) => (index === 30 ? { status: 'failed', failure: 'no evidence' } : {})))
    expect(shown.filter((line) => line.startsWith('2 '))).toEqual([
      '2 Briefs 1 to 25: 25/25 done',
      '2 Briefs 26 to 50: 24/25 done, 1 failed',
      '2 Briefs 51 to 75: 25/25 done',
      '2 Briefs 76 to 80: 5/5 done',
    ])
    expect(shown.filter((line) => line.startsWith('3 '))).toHaveLength(25)
    expect(shown).toContain('3 Module 31: failed: no evidence · no checkable evidence')
  })
})
