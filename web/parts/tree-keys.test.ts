import { expect, it } from 'vitest'

import { actionOf, toggleKey, type TreeRow } from './tree-keys.ts'

const row = (level: number, expanded: boolean | null = null): TreeRow => ({ level, expanded })

// a (open) › b, c (closed); d
const rows = [row(1, true), row(2), row(2, false), row(1)]

it('moves up and down, and to both ends of the tree', () => {
  expect(actionOf('ArrowDown', rows, 0)).toEqual({ action: 'moveTo', index: 1 })
  expect(actionOf('ArrowUp', rows, 2)).toEqual({ action: 'moveTo', index: 1 })
  expect(actionOf('Home', rows, 2)).toEqual({ action: 'moveTo', index: 0 })
  expect(actionOf('End', rows, 0)).toEqual({ action: 'moveTo', index: 3 })
})

it('opens a row with the right arrow, then moves into it, and stays on a leaf', () => {
  expect(actionOf('ArrowRight', rows, 2)).toEqual({ action: 'toggle', index: 2 })
  expect(actionOf('ArrowRight', rows, 0)).toEqual({ action: 'moveTo', index: 1 })
  expect(actionOf('ArrowRight', rows, 1)).toEqual({ action: 'moveTo', index: 1 })
})

it('closes a row with the left arrow, then moves to its parent', () => {
  expect(actionOf('ArrowLeft', rows, 0)).toEqual({ action: 'toggle', index: 0 })
  expect(actionOf('ArrowLeft', rows, 2)).toEqual({ action: 'moveTo', index: 0 })
})

it('chooses a row with Enter and Space, and ignores every other key', () => {
  expect(actionOf('Enter', rows, 3)).toEqual({ action: 'choose', index: 3 })
  expect(actionOf(' ', rows, 3)).toEqual({ action: 'choose', index: 3 })
  expect(actionOf('Tab', rows, 3)).toBeNull()
  expect(actionOf('ArrowDown', [], 0)).toBeNull()
})

it('adds a key to a set, and removes it again', () => {
  const once = toggleKey(new Set(['a']), 'b')
  expect([...once]).toEqual(['a', 'b'])
  expect([...toggleKey(once, 'a')]).toEqual(['b'])
})
