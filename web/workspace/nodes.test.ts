import { expect, it } from 'vitest'

import type { FileEntry } from '../../src/work/mission-workspaces/contract.ts'
import { foldersOf, nodesOf } from './nodes.ts'

const entry = (name: string, kind: FileEntry['kind'] = 'file'): FileEntry => ({
  name,
  kind,
  bytes: 3,
  modifiedAt: '2026-01-01T00:00:00.000Z',
})
const known = new Map([
  ['', [entry('src', 'directory'), entry('empty', 'directory'), entry('a.txt'), entry('away', 'link')]],
  ['src', [entry('deep', 'directory'), entry('b.ts')]],
  ['src/deep', [entry('c.ts')]],
])
const seen = (...open: string[]) =>
  nodesOf(known, new Set(open)).map(({ path, level, expanded }) => [path, level, expanded])

it('returns the entries of open folders only', () => {
  expect(seen()).toEqual([
    ['src', 1, false],
    ['empty', 1, false],
    ['a.txt', 1, null],
    ['away', 1, null],
  ])
  expect(seen('src', 'src/deep').slice(0, 4)).toEqual([
    ['src', 1, true],
    ['src/deep', 2, true],
    ['src/deep/c.ts', 3, null],
    ['src/b.ts', 2, null],
  ])
  expect(seen('src/deep')).toHaveLength(4)
})

it('returns no entries for a folder that is not loaded yet', () => {
  expect(seen('empty').map(([path]) => path)).toEqual(['src', 'empty', 'a.txt', 'away'])
})

it('gives each node its position among its siblings', () => {
  expect(nodesOf(known, new Set(['src'])).map(({ position, siblings }) => `${position}/${siblings}`)).toEqual([
    '1/4',
    '1/2',
    '2/2',
    '2/4',
    '3/4',
    '4/4',
  ])
})

it('returns every folder on the way to a file', () => {
  expect(foldersOf('a/b/c.ts')).toEqual(['a', 'a/b'])
  expect(foldersOf('c.ts')).toEqual([])
})
