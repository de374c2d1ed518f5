import { expect, it } from 'vitest'

import { actionOf, toggleKey, type TreeRow } from './tree-keys.ts'

const row = (level: number, expanded: boolean | null = null): TreeRow => ({ level, expanded })

// a (open) › b, c (closed); d
const rows = [row(1, true), row(2), row(2, false), row(1)]

it('moves up and down, and to both ends', () => {
  expect(actionOf('ArrowDown', rows, 0)).toEqual({ does: 'moveTo', index: 1 })
  expect(actionOf('ArrowUp', rows, 2)).toEqual({ does: 'moveTo', index: 1 })
  expect(actionOf('Home', rows, 2)).toEqual({ does: 'moveTo', index: 0 })
  expect(actionOf('End', rows, 0)).toEqual({ does: 'moveTo', index: 3 })
})

it('opens with the right arrow, then goes in, and stays on what has nothing below it', () => {
  expect(actionOf('ArrowRight', rows, 2)).toEqual({ does: 'toggle', index: 2 })
  expect(actionOf('ArrowRight', rows, 0)).toEqual({ does: 'moveTo', index: 1 })
  expect(actionOf('ArrowRight', rows, 1)).toEqual({ does: 'moveTo', index: 1 })
})

it('closes with the left arrow, then goes to what is above', () => {
  expect(actionOf('ArrowLeft', rows, 0)).toEqual({ does: 'toggle', index: 0 })
  expect(actionOf('ArrowLeft', rows, 2)).toEqual({ does: 'moveTo', index: 0 })
})

it('chooses with Enter and Space, and leaves every other key alone', () => {
  expect(actionOf('Enter', rows, 3)).toEqual({ does: 'choose', index: 3 })
  expect(actionOf(' ', rows, 3)).toEqual({ does: 'choose', index: 3 })
  expect(actionOf('Tab', rows, 3)).toBeNull()
  expect(actionOf('ArrowDown', [], 0)).toBeNull()
})

it('puts a key in, and takes it out again', () => {
  const once = toggleKey(new Set(['a']), 'b')
  expect([...once]).toEqual(['a', 'b'])
  expect([...toggleKey(once, 'a')]).toEqual(['b'])
})
