import { describe, expect, it } from 'vitest'

import { createContext } from '../../../cli/context.ts'
import type { TreeLine } from './tree.ts'
import { draw, keyOf, type Place, step } from './walk.ts'

const tree: TreeLine[] = Array.from({ length: 5 }, (_, index) => ({
  depth: index === 0 ? 0 : 1,
  text: `line ${index}`,
  open: () => [`about ${index}`, 'more', 'most'],
}))
const begin: Place = { at: 0, opened: null, top: 0 }
const walk = (...inputs: string[]): Place | null =>
  inputs.reduce<Place | null>(
    (place, input) => (place === null ? null : step(place, keyOf(input), tree, (line) => line.open())),
    begin,
  )
const screen = { ...createContext({ AGENCY_HOME: '/nonexistent' }), columns: 20, colour: false }

const [up, down, right, left, enter] = ['\x1b[A', '\x1b[B', '\x1b[C', '\x1b[D', '\r']

describe('walking through a run', () => {
  it('goes up and down with the arrow keys, not beyond the ends', () => {
    expect(walk(down, down, up)).toMatchObject({ at: 1 })
    expect(walk(up)).toMatchObject({ at: 0 })
    expect(walk(...Array.from({ length: 9 }, () => down))).toMatchObject({ at: 4 })
  })

  it('opens a line, scrolls in it, and comes back to where it was', () => {
    expect(walk(down, enter)).toEqual({ at: 1, opened: ['about 1', 'more', 'most'], top: 0 })
    expect(walk(down, right, down, down, down)).toMatchObject({ at: 1, top: 2 })
    expect(walk(down, enter, down, left)).toEqual({ at: 1, opened: null, top: 0 })
  })

  it('leaves with q, from inside first to the tree', () => {
    expect(walk('q')).toBe(null)
    expect(walk(enter, 'q')).toEqual(begin)
    expect(walk(enter, 'q', 'q')).toBe(null)
  })

  it('does nothing by any other key', () => {
    for (const input of ['x', '\x1b[Z', 'toString', '']) expect(walk(down, input)).toEqual(walk(down))
  })

  it('draws what fits, with the place marked and in sight', () => {
    expect(draw(screen, begin, tree, 4)).toEqual(['› line 0', '    line 1', '    line 2', '↑ ↓ move   enter op…'])
    expect(draw(screen, { ...begin, at: 4 }, tree, 4).slice(0, 3)).toEqual(['    line 2', '    line 3', '›   line 4'])
    expect(draw(screen, { at: 0, opened: ['a', 'b', 'c'], top: 1 }, tree, 4).slice(0, 2)).toEqual(['b', 'c'])
  })
})
