import { expect, it } from 'vitest'

import { escapeInvisible, longest } from '../parts/escape-invisible.ts'
import { parseDiff } from './parse.ts'
import { type ChangedFile, changedFiles, isOpenAtFirst, large, rowsOf } from './rows.ts'

const text = [
  'diff --git a/src/a.ts b/src/a.ts',
  '--- a/src/a.ts',
  '+++ b/src/a.ts',
  '@@ -1,2 +1,2 @@ begin',
  ' one',
  '-two',
  '+2',
  'diff --git a/old.ts b/new.ts',
  'similarity index 100%',
  'rename from old.ts',
  'rename to new.ts',
  'diff --git a/cut.ts b/cut.ts',
  '--- a/cut.ts',
  '+++ b/cut.ts',
  '@@ -1,9 +1,9 @@',
  ' one',
].join('\n')
const listed = ['src/a.ts', 'new.ts', 'cut.ts', 'after.ts'].map((path) => ({
  path,
  status: 'modified' as const,
  added: 40,
  removed: 2,
  binary: false,
}))
const all = (files: readonly ChangedFile[]) => rowsOf(files, () => true, new Set())

it('returns every file once, including those after the cut of a diff', () => {
  const files = changedFiles(parseDiff(text), listed)
  expect(files.map(({ path, added, removed, diff }) => [path, added, removed, diff === null])).toEqual([
    ['src/a.ts', 1, 1, false],
    ['new.ts', 0, 0, false],
    ['cut.ts', 40, 2, false],
    ['after.ts', 40, 2, true],
  ])
  expect(all(files).map((row) => (row.kind === 'note' ? row.note : row.kind))).toEqual([
    'file',
    'hunk',
    'line',
    'line',
    'line',
    'file',
    'moved',
    'file',
    'hunk',
    'line',
    'cut',
    'file',
    'absent',
  ])
})

it('gives every row a unique key', () => {
  const keys = all(changedFiles(parseDiff(text), listed)).map(({ key }) => key)
  expect(new Set(keys).size).toBe(keys.length)
})

it('keeps large and generated files closed at first', () => {
  const [file] = changedFiles([], listed) as [ChangedFile]
  expect(isOpenAtFirst(file)).toBe(true)
  expect(isOpenAtFirst({ ...file, added: large + 1 })).toBe(false)
  expect(isOpenAtFirst({ ...file, path: 'web/package-lock.json' })).toBe(false)
  expect(isOpenAtFirst({ ...file, path: 'web/my-package-lock.json' })).toBe(true)
  expect(rowsOf([file], () => false, new Set())).toHaveLength(1)
})

it('spells out invisible characters', () => {
  const shown = (line: string): string =>
    escapeInvisible(line)
      .map(({ text: piece, odd }) => (odd ? `[${piece}]` : piece))
      .join('')
  expect(shown('if (admin)\u202e // not')).toBe('if (admin)[\\u202e] // not')
  expect(shown('\tplain ümlaut 🎉')).toBe('\tplain ümlaut 🎉')
  expect(shown('end\r')).toBe('end[\\r]')
  expect(shown('\u001b[2Jgone')).toBe('[\\e][2Jgone')
  expect(shown('zero\u200bwidth\ufeff')).toBe('zero[\\u200b]width[\\ufeff]')
  expect(shown('x'.repeat(longest + 5))).toBe(`${'x'.repeat(longest)}[ … 5 more characters]`)
})
