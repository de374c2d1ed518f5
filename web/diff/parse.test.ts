import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import { type FileDiff, parseDiff } from './parse.ts'

const git = (directory: string, ...words: string[]): string =>
  execFileSync(
    'git',
    ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'core.quotePath=true', '-C', directory, ...words],
    {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
    },
  )

const noGit = ((): boolean => {
  try {
    return git('/', '--version') === ''
  } catch {
    return true
  }
})()

/** Returns the diff that git prints for a change of some files. */
function changed(before: (directory: string) => void, after: (directory: string) => void): string {
  const directory = mkdtempSync(join(tmpdir(), 'agency-diff-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  git(directory, 'init', '-q')
  before(directory)
  git(directory, 'add', '-A')
  git(directory, 'commit', '-q', '--allow-empty', '-m', 'before')
  after(directory)
  git(directory, 'add', '-A')
  return git(directory, 'diff', '--cached', '-M', 'HEAD')
}

const write = (directory: string, name: string, text: string | Buffer): void =>
  writeFileSync(join(directory, name), text)
const short = ({ path, from, status, added, removed, binary, cut }: FileDiff) => ({
  path,
  from,
  status,
  added,
  removed,
  binary,
  cut,
})
const plain = { from: null, binary: false, cut: false }

describe.skipIf(noGit)('parseDiff with the output of git', () => {
  it('returns the changed file, its hunks and the line numbers', () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`)
    const [file] = parseDiff(
      changed(
        (at) => write(at, 'a.txt', `${lines.join('\n')}\n`),
        (at) => write(at, 'a.txt', `${lines.toSpliced(1, 1, 'two', 'and a half').toSpliced(25, 1).join('\n')}\n`),
      ),
    )
    expect(short(file as FileDiff)).toEqual({ ...plain, path: 'a.txt', status: 'modified', added: 2, removed: 2 })
    expect(
      file?.hunks.map(({ oldStart, oldLines, newStart, newLines }) => [oldStart, oldLines, newStart, newLines]),
    ).toEqual([
      [1, 5, 1, 6],
      [22, 7, 23, 6],
    ])
    expect(file?.hunks[0]?.lines.map((line) => [line.kind, line.old, line.new, line.text])).toEqual([
      ['context', 1, 1, 'line 1'],
      ['removed', 2, null, 'line 2'],
      ['added', null, 2, 'two'],
      ['added', null, 3, 'and a half'],
      ['context', 3, 4, 'line 3'],
      ['context', 4, 5, 'line 4'],
      ['context', 5, 6, 'line 5'],
    ])
    expect(file?.hunks[1]?.section).toBe('line 21')
  })

  it('recognises new, deleted, renamed, empty and binary files, and files with only a new mode', () => {
    const files = parseDiff(
      changed(
        (at) => {
          write(at, 'gone.txt', 'one\ntwo\n')
          write(at, 'old name.txt', `${'much the same\n'.repeat(20)}`)
          write(at, 'run.sh', '#!/bin/sh\n')
        },
        (at) => {
          rmSync(join(at, 'gone.txt'))
          mkdirSync(join(at, 'b'))
          renameSync(join(at, 'old name.txt'), join(at, 'b', 'new name.txt'))
          write(at, 'b/new name.txt', `${'much the same\n'.repeat(20)}and more\n`)
          write(at, 'new.txt', 'hello\n')
          write(at, 'empty', '')
          mkdirSync(join(at, 'picture b'))
          write(at, 'picture b/ x', '')
          write(at, 'picture.png', Buffer.from([0, 1, 2, 3, 0]))
          chmodSync(join(at, 'run.sh'), 0o755)
        },
      ),
    )
    expect(files.map(short)).toEqual([
      { ...plain, path: 'b/new name.txt', from: 'old name.txt', status: 'renamed', added: 1, removed: 0 },
      { ...plain, path: 'empty', status: 'added', added: 0, removed: 0 },
      { ...plain, path: 'gone.txt', status: 'deleted', added: 0, removed: 2 },
      { ...plain, path: 'new.txt', status: 'added', added: 1, removed: 0 },
      { ...plain, path: 'picture b/ x', status: 'added', added: 0, removed: 0 },
      { ...plain, path: 'picture.png', status: 'added', added: 0, removed: 0, binary: true },
      { ...plain, path: 'run.sh', status: 'modified', added: 0, removed: 0 },
    ])
    expect(files.find(({ path }) => path === 'run.sh')?.mode).toEqual({ from: '100644', to: '100755' })
  })

  it('reads names that git has to quote, and names that look like part of the diff', () => {
    const names = ['Ümlaut ä.txt', 'tab\there', 'a "quote"', 'back\\slash', 'new\nline', 'a b/a b', 'emoji 🎉']
    const files = parseDiff(
      changed(
        () => {},
        (at) => {
          mkdirSync(join(at, 'a b'))
          for (const name of names) write(at, name, 'x\n')
          for (const name of names) write(at, `${name} empty`, '')
        },
      ),
    )
    expect(files.map(({ path }) => path).toSorted()).toEqual(
      [...names, ...names.map((name) => `${name} empty`)].toSorted(),
    )
  })

  it('does not mistake the content of lines for headers', () => {
    const lines = ['-- a/other', '++ b/other', 'diff --git a/x b/x', '@@ -1 +1 @@', '\\ No newline at end of file', '']
    const short = (at: string): void => write(at, 'a.sql', 'kept\n')
    const long = (at: string): void => write(at, 'a.sql', `${lines.join('\n')}\nkept\n`)
    const linesOf = (kind: string, text: string): string[] | undefined => {
      const files = parseDiff(text)
      expect(files).toHaveLength(1)
      return files[0]?.hunks.flatMap((hunk) => hunk.lines.filter((line) => line.kind === kind).map((line) => line.text))
    }
    expect(linesOf('removed', changed(long, short))).toEqual(lines)
    expect(linesOf('added', changed(short, long))).toEqual(lines)
  })

  it('marks the line without a newline at its end', () => {
    const [file] = parseDiff(
      changed(
        (at) => write(at, 'a', 'one\ntwo'),
        (at) => write(at, 'a', 'one\nthree\n'),
      ),
    )
    expect(file?.hunks[0]?.lines.map(({ kind, text, open }) => [kind, text, open])).toEqual([
      ['context', 'one', false],
      ['removed', 'two', true],
      ['added', 'three', false],
    ])
  })

  it('skips a binary patch and continues after it', () => {
    const directory = mkdtempSync(join(tmpdir(), 'agency-diff-'))
    onTestFinished(() => rmSync(directory, { recursive: true }))
    git(directory, 'init', '-q')
    write(directory, 'a.bin', Buffer.from([0, 255, 7, 0, 9]))
    write(directory, 'b.txt', 'text\n')
    git(directory, 'add', '-A')
    const files = parseDiff(
      git(
        directory,
        'diff',
        '--cached',
        '--binary',
        git(directory, 'hash-object', '-t', 'tree', '-w', '/dev/null').trim(),
      ),
    )
    expect(files.map(short)).toEqual([
      { ...plain, path: 'a.bin', status: 'added', added: 0, removed: 0, binary: true },
      { ...plain, path: 'b.txt', status: 'added', added: 1, removed: 0 },
    ])
  })

  it('keeps the files before a cut and marks the file that was cut, at every position of the cut', () => {
    const whole = changed(
      (at) => write(at, 'a', 'one\ntwo\nthree\n'),
      (at) => {
        write(at, 'a', 'one\n2\nthree\nfour\n')
        write(at, 'b', 'new\n')
      },
    )
    const lines = whole.split('\n')
    const hunk = lines.indexOf('@@ -1,3 +1,4 @@')
    for (let end = 0; end < lines.length; end += 1) {
      const [file] = parseDiff(lines.slice(0, end).join('\n'))
      expect(file?.cut ?? false).toBe(end > hunk && end < lines.indexOf('+four') + 1)
    }
    expect(parseDiff(whole).map(({ cut }) => cut)).toEqual([false, false])
  })
})

it('parses a hundred thousand lines quickly', () => {
  const lines = Array.from({ length: 100_000 }, (_, index) => `+line ${index}`)
  const text = [
    'diff --git a/a b/a',
    'new file mode 100644',
    '--- /dev/null',
    '+++ b/a',
    '@@ -0,0 +1,100000 @@',
    ...lines,
  ].join('\n')
  const began = performance.now()
  expect(parseDiff(text)[0]?.added).toBe(100_000)
  expect(performance.now() - began).toBeLessThan(2_000)
})

it('returns no files for an empty diff', () => {
  expect(parseDiff('')).toEqual([])
  expect(parseDiff('hello\nworld\n')).toEqual([])
})
