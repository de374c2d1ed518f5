// @suite process

import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, it } from 'vitest'

import { commitFiles, createGitBench, plainEnvironment, plainGit, writeFiles } from '../../test/support/git-bench.ts'

const bench = createGitBench()
const { mirrors, repository } = bench

/** Creates a mirror of a repository in which `change` was made and committed. */
async function changed(first: Record<string, string>, change: (path: string) => void) {
  const path = repository(first)
  const from = plainGit(path, 'rev-parse', 'HEAD')
  change(path)
  const { path: mirror, commit: to } = await mirrors.refresh(path)
  return { path, mirror, from, to }
}

it('lists the changed files with their status and line counts', async () => {
  const { mirror, from, to } = await changed({ 'gone.txt': 'x\n', 'same.txt': 'x\n', 'a.txt': '1\n2\n3\n' }, (path) => {
    rmSync(join(path, 'gone.txt'))
    commitFiles(path, { 'a.txt': '1\ntwo\n3\n4\n', 'new.txt': 'new\n', 'picture.png': Buffer.from([0, 1, 2, 0]) })
  })
  expect(await mirrors.files(mirror, from, to)).toEqual([
    { path: 'a.txt', status: 'modified', added: 2, removed: 1, binary: false },
    { path: 'gone.txt', status: 'deleted', added: 0, removed: 1, binary: false },
    { path: 'new.txt', status: 'added', added: 1, removed: 0, binary: false },
    { path: 'picture.png', status: 'added', added: 0, removed: 0, binary: true },
  ])
  expect(await mirrors.files(mirror, to, to)).toEqual([])
})

it('returns a diff of all files or of one, and marks a cut one', async () => {
  const { mirror, from, to, path } = await changed({ 'a.txt': 'a\n', 'b*.txt': 'b\n', 'bb.txt': 'b\n' }, (at) =>
    commitFiles(at, { 'a.txt': 'A\n', 'b*.txt': 'B\n', 'bb.txt': 'B\n' }),
  )
  const whole = await mirrors.diff(mirror, from, to, { maxBytes: 10_000 })
  expect(whole.cut).toBe(false)
  expect(`${whole.text}`.trim()).toBe(plainGit(path, 'diff', from, to))
  const one = await mirrors.diff(mirror, from, to, { path: 'b*.txt', maxBytes: 10_000 })
  expect(one.text.match(/^diff --git .*$/gm)).toEqual(['diff --git a/b*.txt b/b*.txt'])
  const cut = await mirrors.diff(mirror, from, to, { maxBytes: 100 })
  expect(cut.cut).toBe(true)
  expect(whole.text.startsWith(cut.text)).toBe(true)
  expect(cut.text.endsWith('\n')).toBe(true)
  expect(await mirrors.diff(mirror, from, to, { path: 'none', maxBytes: 100 })).toEqual({ text: '', cut: false })
})

it('handles all file names: newlines, quotes, dashes, invalid UTF-8, very long', async () => {
  const names = ['a\nb.txt', '"quoted".txt', '-rf', 'tab\there', 'ünï.txt', ':(glob)**', `${'long/'.repeat(200)}x`]
  const { mirror, from, to, path } = await changed({ 'README.md': 'x\n' }, (at) => {
    writeFiles(at, Object.fromEntries(names.map((name) => [name, `in ${name}\n`])))
    writeFileSync(Buffer.concat([Buffer.from(`${at}/raw-`), Buffer.from([0xff, 0xfe])]), 'raw\n')
    execFileSync('git', ['add', '--all'], { cwd: at, env: plainEnvironment })
    plainGit(at, 'commit', '--quiet', '--message', 'odd names')
  })
  const files = await mirrors.files(mirror, from, to)
  expect(files.map((file) => file.path).sort()).toEqual([...names, 'raw-\uFFFD\uFFFD'].sort())
  for (const name of [...names, 'raw-\uFFFD\uFFFD']) {
    const { text } = await mirrors.diff(mirror, from, to, { path: name, maxBytes: 10_000 })
    expect(text.match(/^diff --git /gm)).toHaveLength(1)
  }
  const { texts } = await mirrors.added(mirror, from, to)
  expect(texts.flatMap(({ path: name }) => name ?? []).sort()).toEqual([...names, 'raw-\uFFFD\uFFFD'].sort())
  expect(texts.find((part) => part.path === 'a\nb.txt')?.text).toBe('in a\nb.txt')
  expect(path).toContain('shop')
})

it('runs no diff program that attributes and configuration name', async () => {
  const { mirror, from, to, path } = await changed({ 'a.txt': 'a\n', '.gitattributes': '* diff=trap\n' }, (at) =>
    commitFiles(at, { 'a.txt': 'A\n' }),
  )
  const trace = join(bench.root, 'diff-trace')
  for (const key of ['diff.trap.command', 'diff.trap.textconv', 'diff.external']) {
    plainGit(mirror, 'config', key, `touch ${trace}; true`)
    plainGit(path, 'config', key, `touch ${trace}; true`)
  }
  expect((await mirrors.diff(mirror, from, to, { maxBytes: 10_000 })).text).toContain('+A')
  await mirrors.added(mirror, from, to)
  await mirrors.files(mirror, from, to)
  expect(() => execFileSync('ls', [trace], { stdio: 'pipe' })).toThrow('No such file')
  plainGit(path, 'diff', from, to)
  execFileSync('ls', [trace], { stdio: 'pipe' })
})

it('lists commits, newest first, with any message', async () => {
  const { mirror, from, to } = await changed({ 'a.txt': 'a\n' }, (path) => {
    commitFiles(path, { 'a.txt': '1\n' }, 'first\n\nwith a body\n\nAgency-Brief: brf_1')
    commitFiles(path, { 'a.txt': '2\n' }, 'second\u001f| "x"')
  })
  const commits = await mirrors.commits(mirror, from, to)
  expect(commits.map(({ subject, body }) => ({ subject, body }))).toEqual([
    { subject: 'second\u001f| "x"', body: '' },
    { subject: 'first', body: 'with a body\n\nAgency-Brief: brf_1' },
  ])
  expect(commits[0]).toMatchObject({
    commit: to,
    parents: [commits[1]?.commit],
    author: 'Ada',
    email: 'ada@example.com',
  })
})

it('finds all added lines with their position, also lines that a later commit removed', async () => {
  const { mirror, from, to } = await changed({ 'a.txt': '1\n2\n3\n' }, (path) => {
    commitFiles(path, { 'a.txt': '1\n2\nsecret\n3\n' }, 'with a secret')
    commitFiles(path, { 'a.txt': '1\n2\n3\n' }, 'without')
  })
  const { texts, cut } = await mirrors.added(mirror, from, to)
  expect(cut).toBe(false)
  expect(texts.filter(({ path }) => path !== null)).toMatchObject([{ path: 'a.txt', line: 3, text: 'secret' }])
  expect(texts.filter(({ of }) => of === 'message').map(({ text }) => text.trim())).toEqual([
    'without',
    'with a secret',
  ])
})

it('lists the author, the committer and the names of files of each commit, also of empty and of moved files', async () => {
  const { mirror, from, to } = await changed({ 'a.txt': 'a\n1\n2\n3\n' }, (path) => {
    plainGit(path, 'mv', 'a.txt', 'b.txt')
    writeFiles(path, { 'empty.txt': '' })
    plainGit(path, 'add', '--all')
    plainGit(path, 'commit', '--quiet', '--message', 'move', '--author', 'Eve <eve@example.com>')
  })
  const { texts } = await mirrors.added(mirror, from, to)
  expect(texts.map(({ of, text }) => [of, text.trim()]).slice(0, 3)).toEqual([
    ['message', 'move'],
    ['author', 'Eve <eve@example.com>\nAda <ada@example.com>'],
    ['names', 'a/a.txt b/a.txt\na/b.txt b/b.txt\na/empty.txt b/empty.txt'],
  ])
})

it('reads files that look like a diff, and text that attributes declare binary', async () => {
  const lie = '\0deadbeef\n+++ b/other.txt\n@@ -0,0 +1 @@\ndiff --git a/x b/x\n\\ No newline\nthe end'
  const { mirror, from, to } = await changed({ 'a.txt': 'a\n' }, (path) => {
    mkdirSync(join(path, 'deep'))
    commitFiles(path, { 'a.txt': lie, 'deep/b.txt': 'token\n', '.gitattributes': '* binary\n' }, 'x')
  })
  const { texts } = await mirrors.added(mirror, from, to)
  expect(texts.filter(({ path }) => path !== null)).toMatchObject([
    { path: '.gitattributes' },
    { path: 'a.txt', text: lie },
    { path: 'deep/b.txt', text: 'token' },
  ])
})

it('cuts added lines at the limit', async () => {
  const { mirror, from, to } = await changed({ 'a.txt': 'a\n' }, (path) =>
    commitFiles(path, { 'many.txt': 'line\n'.repeat(10_000) }),
  )
  expect(await mirrors.added(mirror, from, to, { maxBytes: 1_000 })).toMatchObject({ cut: true })
})

it('finds lines that only a merge commit adds', async () => {
  const { mirror, from, to } = await changed({ 'a.txt': 'a\n' }, (path) => {
    plainGit(path, 'switch', '--quiet', '--create', 'side')
    commitFiles(path, { 'side.txt': 'side\n' })
    plainGit(path, 'switch', '--quiet', 'main')
    commitFiles(path, { 'main.txt': 'main\n' })
    plainGit(path, 'merge', '--quiet', '--no-commit', 'side')
    writeFiles(path, { 'evil.txt': 'only in the merge\n' })
    plainGit(path, 'add', '--all')
    plainGit(path, 'commit', '--quiet', '--message', 'merge')
  })
  const { texts } = await mirrors.added(mirror, from, to)
  expect(texts.some(({ text }) => text === 'only in the merge')).toBe(true)
})
