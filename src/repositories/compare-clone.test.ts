// @suite process

import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, it } from 'vitest'

import { createGitBench, plainGit, type Workplace, writeFiles } from '../../test/support/git-bench.ts'
import { compareClone } from './compare-clone.ts'

const bench = createGitBench()

const files = { 'README.md': 'hello\n', 'src/a.mjs': 'a\n', 'src/b.mjs': 'b\n', 'lib/a.mjs': 'other\n', empty: '' }
const differing = ({ mirror, start, path }: Workplace): Promise<string[]> =>
  compareClone(bench.git, { mirror, commit: start, path })

async function clone(more: Record<string, string> = {}): Promise<Workplace> {
  return bench.workplace(bench.repository({ ...files, ...more }))
}

it('finds no difference in a clone with new and ignored files', async () => {
  const place = await clone({ '.gitignore': 'dist/\n' })
  writeFiles(place.path, { 'dist/app.js': 'built', 'coverage/x': '1', '.agency/outbox/report.json': '{}' })
  expect(await differing(place)).toEqual([])
})

it.each<[string, (path: string) => void, string[]]>([
  ['content of the same length', (path) => writeFileSync(join(path, 'src/a.mjs'), 'x\n'), ['src/a.mjs']],
  ['other content', (path) => writeFileSync(join(path, 'src/a.mjs'), 'mended\n'), ['src/a.mjs']],
  ['a deleted file', (path) => rmSync(join(path, 'empty')), ['empty']],
  ['another mode', (path) => chmodSync(join(path, 'README.md'), 0o755), ['README.md']],
  [
    'a link to the same content',
    (path) => {
      renameSync(join(path, 'README.md'), join(path, 'kept'))
      symlinkSync('kept', join(path, 'README.md'))
    },
    ['README.md'],
  ],
  [
    'a link in the place of a directory',
    (path) => {
      renameSync(join(path, 'src'), join(path, 'kept'))
      symlinkSync('kept', join(path, 'src'))
    },
    ['src/a.mjs', 'src/b.mjs'],
  ],
  [
    'a directory in the place of a file',
    (path) => {
      rmSync(join(path, 'README.md'))
      mkdirSync(join(path, 'README.md'))
    },
    ['README.md'],
  ],
  ['a file of terabytes, which is not read', (path) => truncateSync(join(path, 'src/b.mjs'), 2 ** 42), ['src/b.mjs']],
  [
    'a change that its own git hides',
    (path) => {
      plainGit(path, 'update-index', '--assume-unchanged', 'src/a.mjs')
      writeFileSync(join(path, 'src/a.mjs'), 'mended\n')
    },
    ['src/a.mjs'],
  ],
  [
    'a change that was committed, in a clone whose repository is gone',
    (path) => {
      writeFileSync(join(path, 'src/a.mjs'), 'mended\n')
      plainGit(path, 'commit', '--quiet', '--all', '--message', 'mine')
      rmSync(join(path, '.git'), { recursive: true })
    },
    ['src/a.mjs'],
  ],
])('finds %s', async (_, change, found) => {
  const place = await clone()
  change(place.path)
  expect(await differing(place)).toEqual(found)
})

it('knows the line ends and other conversions that the commit asks for', async () => {
  const place = await clone({ '.gitattributes': '*.mjs eol=crlf\n*.md ident\n', 'id.md': '$Id$\n' })
  expect(await differing(place)).toEqual([])
  // The bytes of the commit itself are no change either.
  writeFileSync(join(place.path, 'src/a.mjs'), 'a\n')
  writeFileSync(join(place.path, 'src/b.mjs'), 'b!\r\n')
  expect(await differing(place)).toEqual(['src/b.mjs'])
})

it('does not believe attributes that the commit does not have', async () => {
  const place = await clone({ '.gitattributes': '*.txt text\n' })
  writeFiles(place.path, { 'src/.gitattributes': '*.mjs text eol=crlf\n', 'src/a.mjs': 'a\r\n' })
  expect(await differing(place)).toEqual(['src/a.mjs'])
})

it('handles links, executables and names of any kind', async () => {
  const source = bench.repository({ ...files, 'a b\n[c]*.md': 'odd\n', 'ü/é': 'ü\n' })
  symlinkSync('nowhere', join(source, 'dangling'))
  writeFileSync(join(source, 'run.sh'), '#!/bin/sh\n')
  chmodSync(join(source, 'run.sh'), 0o755)
  plainGit(source, 'add', '--all')
  plainGit(source, 'commit', '--quiet', '--message', 'more')
  const place = await bench.workplace(source)
  expect(await differing(place)).toEqual([])
  rmSync(join(place.path, 'dangling'))
  symlinkSync('elsewhere', join(place.path, 'dangling'))
  chmodSync(join(place.path, 'run.sh'), 0o644)
  writeFiles(place.path, { 'a b\n[c]*.md': 'odd.\n', 'ü/é': 'ü.\n' })
  expect(await differing(place)).toEqual(['a b\n[c]*.md', 'dangling', 'run.sh', 'ü/é'])
})
