import fc from 'fast-check'
import { expect, it } from 'vitest'

import { boxHeight, boxWidth, drawGraph } from './layout.ts'

const brief = (id: string) => ({ id })
const after = (briefId: string, ...ids: string[]) => ids.map((afterId) => ({ briefId, afterId }))

it('places every brief to the right of its dependencies, and no brief on another', () => {
  const plan = fc.integer({ min: 1, max: 40 }).chain((count) =>
    fc.array(fc.tuple(fc.nat(count - 1), fc.nat(count - 1)), { maxLength: 80 }).map((pairs) => ({
      briefs: Array.from({ length: count }, (_, index) => brief(`b${index}`)),
      needs: pairs
        .filter(([a, b]) => a !== b)
        .map(([a, b]) => ({ briefId: `b${Math.max(a, b)}`, afterId: `b${Math.min(a, b)}` })),
    })),
  )
  fc.assert(
    fc.property(plan, ({ briefs, needs }) => {
      const { nodes, width, height } = drawGraph(briefs, needs)
      const at = new Map(nodes.map((node) => [node.item.id, node]))
      expect(at.size).toBe(briefs.length)
      for (const { briefId, afterId } of needs)
        expect(at.get(briefId)?.x).toBeGreaterThanOrEqual((at.get(afterId)?.x ?? 0) + boxWidth)
      for (const [index, one] of nodes.entries()) {
        expect(one.x + boxWidth).toBeLessThanOrEqual(width)
        expect(one.y + boxHeight).toBeLessThanOrEqual(height)
        for (const other of nodes.slice(index + 1))
          expect(one.x !== other.x || Math.abs(one.y - other.y) >= boxHeight).toBe(true)
      }
    }),
    { numRuns: 100 },
  )
})

it('untangles two chains that are listed crosswise', () => {
  const { nodes } = drawGraph(['a', 'b', 'b2', 'a2'].map(brief), [...after('a2', 'a'), ...after('b2', 'b')])
  const y = Object.fromEntries(nodes.map((node) => [node.item.id, node.y]))
  expect(y['a2']).toBe(y['a'])
  expect(y['b2']).toBe(y['b'])
})

it('draws no edge to a missing brief', () => {
  expect(drawGraph([brief('a')], after('a', 'gone')).edges).toEqual([])
})

it('lays out 300 heavily dependent briefs within two seconds', () => {
  const briefs = Array.from({ length: 300 }, (_, index) => brief(`b${index}`))
  const needs = briefs.flatMap((each, index) =>
    briefs.slice(0, Math.min(index, 30)).flatMap((one) => after(each.id, one.id)),
  )
  const began = performance.now()
  drawGraph(briefs, needs)
  expect(performance.now() - began).toBeLessThan(2_000)
})
