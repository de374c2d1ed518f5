// @suite process

import { chmodSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, it, onTestFinished } from 'vitest'

import { writeFiles } from '../../test/support/git-bench.ts'
import { changedFiles, listFiles } from './copied-files.ts'

async function copied() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'agency-copied-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const [copy, original, list] = [join(root, 'copy'), join(root, 'original'), join(root, '.copy.files')]
  for (const each of [copy, original]) {
    writeFiles(each, { 'a.txt': 'a\n', '\tb//c': 'b\n', 'deep/d e\n.txt': 'd\n', 'dist/app.js': '1', 'run.log': '1' })
    mkdirSync(join(each, 'empty'))
    symlinkSync('a.txt', join(each, 'link'))
  }
  await listFiles(copy, list)
  return { copy, original, list, changed: () => changedFiles(copy, list, original) }
}

it('finds nothing where only new files, caches, packages and build output were written', async () => {
  const { copy, changed } = await copied()
  writeFiles(copy, { 'new.txt': 'n', 'dist/app.js': '2', 'node_modules/x/index.js': '1', 'run.log': '2' })
  rmSync(join(copy, 'dist/app.js'))
  expect(await changed()).toEqual([])
})

it('finds changed, removed and moved files, also those whose times were set back', async () => {
  const { copy, changed } = await copied()
  const { mtime, atime } = { mtime: new Date(0), atime: new Date(0) }
  utimesSync(join(copy, 'a.txt'), atime, mtime)
  expect(await changed()).toEqual([])
  writeFiles(copy, { 'a.txt': 'x\n' })
  utimesSync(join(copy, 'a.txt'), atime, mtime)
  expect(await changed()).toEqual(['a.txt'])
  renameSync(join(copy, 'deep'), join(copy, 'other'))
  rmSync(join(copy, 'link'))
  symlinkSync('\tb', join(copy, 'link'))
  chmodSync(join(copy, '\tb/c'), 0o755)
  expect((await changed()).toSorted()).toEqual(['\tb/c', 'a.txt', 'deep/d e\n.txt', 'link'])
})

it('does not count a file that was written again with the same content', async () => {
  const { copy, original, list, changed } = await copied()
  rmSync(join(copy, 'a.txt'))
  writeFiles(copy, { 'a.txt': 'a\n' })
  expect(await changed()).toEqual([])
  // Without the original, nobody knows the content.
  expect(await changedFiles(copy, list, null)).toEqual(['a.txt'])
  rmSync(original, { recursive: true })
  expect(await changed()).toEqual(['a.txt'])
})

it('knows nothing about a copy without a list', async () => {
  const { copy, list, changed } = await copied()
  rmSync(list)
  writeFiles(copy, { 'a.txt': 'x\n' })
  expect(await changed()).toEqual([])
})
