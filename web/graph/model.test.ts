import { describe, expect, it } from 'vitest'

import type { HeldBrief } from '../../src/work/briefs/contract.ts'
import { aHeldBrief } from '../../test/support/work.ts'
import { flatModel, maxBoxes } from './model.ts'

const many = (count: number): HeldBrief[] =>
  Array.from({ length: count }, (_, index) => aHeldBrief({ id: `b${index}`, kind: 'work', status: 'done' }))

/** Every brief waits for the one `width` places before it. */
const chains = (count: number, width: number) =>
  Array.from({ length: count - width }, (_, index) => ({ briefId: `b${index + width}`, afterId: `b${index}` }))

describe('the graph of a flat run', () => {
  it('has one box for each brief up to its limit', () => {
    expect(flatModel(many(maxBoxes), [], new Set()).boxes).toHaveLength(maxBoxes)
  })

  it('has one box for each level of a larger run, with the edges between levels', () => {
    const { boxes, edges } = flatModel(many(500), chains(500, 20), new Set())
    expect(boxes.map(({ title }) => title)).toEqual(Array.from({ length: 25 }, (_, index) => `Level ${index + 1}`))
    expect(boxes[0]?.state).toEqual({ tone: 'good', text: '20/20 done' })
    expect(edges).toHaveLength(24)
  })

  it('opens a group into its briefs', () => {
    const { boxes } = flatModel(many(500), chains(500, 20), new Set(['level:0:0']))
    expect(boxes).toHaveLength(24 + 20)
    expect(boxes.filter(({ to }) => to !== null).map(({ id }) => id)).toContain('b19')
  })

  it('stays within its limit for wide runs and for long chains', () => {
    expect(flatModel(many(10_000), [], new Set()).boxes).toHaveLength(100)
    expect(flatModel(many(10_000), chains(10_000, 1), new Set()).boxes).toHaveLength(100)
  })
})
