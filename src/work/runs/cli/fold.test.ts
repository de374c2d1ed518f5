import { expect, it } from 'vitest'

import { finishedKeys, foldLines, toggleFold } from './fold.ts'
import type { TreeLine } from './tree.ts'

const line = (depth: number, text: string, more: Partial<TreeLine> = {}): TreeLine => ({
  depth,
  text,
  open: () => [text],
  ...more,
})
const tree = [
  line(0, 'run'),
  line(1, 'done one', { key: 'a', isFinished: true }),
  line(2, 'attempt 1'),
  line(2, 'attempt 2'),
  line(1, 'running one', { key: 'b' }),
  line(2, 'attempt 3'),
  line(1, 'empty one', { key: 'c', isFinished: true }),
]
const texts = (folded: ReadonlySet<string>): string[] => foldLines(tree, folded).map(({ text }) => text)

it('a tree shows finished parts folded, with the number of lines that each hides', () => {
  expect(texts(finishedKeys(tree))).toEqual(['run', '▸ done one  (2)', '▾ running one', 'attempt 3', 'empty one'])
})

it('a fold is opened and closed again', () => {
  const opened = toggleFold(finishedKeys(tree), 'a')
  expect(texts(opened)).toContain('attempt 2')
  expect(texts(toggleFold(opened, 'a'))).toEqual(texts(finishedKeys(tree)))
  expect(toggleFold(opened, undefined)).toBe(opened)
})
