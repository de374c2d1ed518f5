// @suite process

import { spawn } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

import { expect, it } from 'vitest'

import { commitFiles, createGitBench, plainGit, plainWorkspace, writeFiles } from '../../test/support/git-bench.ts'
import { killGitsOn } from './orphans.ts'

const bench = createGitBench()
const { mirrors, repository, folder, author } = bench

it('creates a working tree on its own branch that shares the objects of the mirror', async () => {
  const source = repository({ 'a.txt': 'a\n', 'src/b.txt': 'b\n' })
  plainGit(source, 'tag', '--annotate', '--message', 'first', 'v1')
  const { path, mirror, start, branch } = await bench.workplace(source)
  expect(readdirSync(path).sort()).toEqual(['.agency', '.git', 'a.txt', 'src'])
  expect(plainGit(path, 'status', '--porcelain')).toBe('')
  expect(plainGit(path, 'rev-parse', 'HEAD')).toBe(start)
  expect(plainGit(path, 'symbolic-ref', '--short', 'HEAD')).toBe(branch)
  expect(plainGit(path, 'describe')).toBe('v1')
  expect(plainGit(path, 'config', 'user.name')).toBe(author.name)
  expect(plainGit(path, 'config', 'user.email')).toBe(author.email)
  expect(readFileSync(join(path, '.git/objects/info/alternates'), 'utf8')).toBe(`${mirror}/objects\n`)
  expect(plainGit(path, 'count-objects', '-v')).toMatch(/^count: 0\nsize: 0\nin-pack: 0$/m)
  expect(existsSync(join(path, '.git/hooks'))).toBe(false)
  plainGit(path, 'fsck', '--strict')
})

it('excludes .agency/ from git', async () => {
  const { path } = await bench.workplace()
  writeFiles(path, { '.agency/outbox/report.json': '{}', 'c.txt': 'c\n' })
  plainGit(path, 'add', '--all')
  expect(plainGit(path, 'status', '--porcelain')).toBe('A  c.txt')
})

it('accepts an author with any name', async () => {
  const { path: mirror, commit: start } = await mirrors.refresh(repository())
  const workspace = plainWorkspace(folder('workspace'))
  const odd = { name: 'Ünï "the\n[core] hooksPath=/x" \\ <x>', email: 'a@b\n' }
  await mirrors.clone({ mirror, branch: 'b', start, author: odd }, workspace.path)
  expect(plainGit(workspace.path, 'config', 'user.name')).toBe('Ünï "the [core] hooksPath=/x" \\  x')
  expect(plainGit(workspace.path, 'config', '--get-all', 'user.email')).toBe('a@b')
})

it('leaves an existing clone unchanged', async () => {
  const at = await bench.workplace()
  commitFiles(at.path, { 'mine.txt': 'mine\n' })
  writeFiles(at.path, { 'README.md': 'changed\n' })
  await mirrors.clone({ ...at, author }, at.path)
  expect(plainGit(at.path, 'log', '--oneline').split('\n')).toHaveLength(2)
  expect(plainGit(at.path, 'status', '--porcelain')).toBe('M README.md')
})

it('creates a clone again after an interruption', async () => {
  const at = await bench.workplace(repository({ 'a.txt': 'a\n', 'b.txt': 'b\n' }))
  // The state while files are being written: the repository still beside the directory, one file truncated, one
  // missing.
  const making = join(dirname(at.path), `.${basename(at.path)}.git`)
  rmSync(join(at.path, '.git'), { recursive: true })
  mkdirSync(making)
  writeFiles(at.path, { 'a.txt': '' })
  rmSync(join(at.path, 'b.txt'))
  await mirrors.clone({ ...at, author }, at.path)
  expect(plainGit(at.path, 'status', '--porcelain')).toBe('')
  expect(existsSync(making)).toBe(false)
})

it('creates a clone again after a daemon was killed while its git was still writing files', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 1_500 }, (_, index) => [`${index % 30}/${index}.txt`, `${index}\n`]),
  )
  const { path: mirror, commit: start } = await mirrors.refresh(repository(files))
  const path = folder('workspace')
  const order = { mirror, branch: 'work', start, author }
  const child = spawn(process.execPath, ['--input-type=module', '--eval', cloning, JSON.stringify({ order, path })], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  await expect.poll(() => existsSync(join(path, '1')), { interval: 1 }).toBe(true)
  child.kill('SIGKILL')
  await mirrors.clone(order, path)
  const making = join(dirname(path), `.${basename(path)}.git`)
  expect(await killGitsOn(making)).toBe(0)
  expect(plainGit(path, 'status', '--porcelain')).toBe('')
  expect(existsSync(making)).toBe(false)
})

/** Starts another daemon. */
const cloning = `
import { systemClock } from '${import.meta.dirname}/../kernel/clock.ts'
import { createGit } from '${import.meta.dirname}/git.ts'
import { makeClone } from '${import.meta.dirname}/clone.ts'
const { order, path } = JSON.parse(process.argv[1])
await makeClone(createGit({ clock: systemClock }), order, path)
`

it('keeps the files of an agent whose .git was lost', async () => {
  const at = await bench.workplace()
  rmSync(join(at.path, '.git'), { recursive: true })
  writeFiles(at.path, { 'README.md': 'my work\n' })
  await mirrors.clone({ ...at, author }, at.path)
  expect(plainGit(at.path, 'status', '--porcelain')).toBe('M README.md')
  expect(plainGit(at.path, 'rev-parse', 'HEAD')).toBe(at.start)
})

it('follows no link that an agent has put in the path', async () => {
  const at = await bench.workplace(repository({ 'src/a.txt': 'a\n' }))
  const elsewhere = folder('elsewhere')
  writeFiles(elsewhere, { 'a.txt': 'precious\n', HEAD: 'ref: refs/heads/x\n', 'objects/x': '' })
  rmSync(join(at.path, '.git'), { recursive: true })
  rmSync(join(at.path, 'src'), { recursive: true })
  symlinkSync(elsewhere, join(at.path, 'src'))
  symlinkSync(elsewhere, join(at.path, '.git'))
  mkdirSync(join(dirname(at.path), `.${basename(at.path)}.git`))
  await mirrors.clone({ ...at, author }, at.path)
  expect(readFileSync(join(elsewhere, 'a.txt'), 'utf8')).toBe('precious\n')
  expect(readdirSync(elsewhere).sort()).toEqual(['HEAD', 'a.txt', 'objects'])
  expect(lstatSync(join(at.path, '.git')).isDirectory()).toBe(true)
  expect(plainGit(at.path, 'status', '--porcelain')).toBe('')
})

it('runs no filter, and keeps modes, links and unusual names of files', async () => {
  const source = repository({
    '.gitattributes': '* filter=lfs\n',
    'run.sh': '#!/bin/sh\n',
    'a \'b\'\n"c".txt': 'x\n',
    '-rf': 'y\n',
  })
  plainGit(source, 'update-index', '--chmod=+x', 'run.sh')
  symlinkSync('run.sh', join(source, 'link'))
  plainGit(source, 'add', '--', 'link')
  plainGit(source, 'commit', '--quiet', '--message', 'modes')
  const { path } = await bench.workplace(source)
  expect(statSync(join(path, 'run.sh')).mode & 0o100).toBe(0o100)
  expect(lstatSync(join(path, 'link')).isSymbolicLink()).toBe(true)
  expect(readdirSync(path)).toContain('a \'b\'\n"c".txt')
  expect(plainGit(path, 'status', '--porcelain')).toBe('')
})

it('leaves submodules and LFS pointers unchanged', async () => {
  const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 12345\n'
  const inner = repository({ 'lib.txt': 'lib\n' })
  const source = repository({ '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n', 'big.bin': pointer })
  plainGit(source, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'vendor/lib')
  plainGit(source, 'commit', '--quiet', '--message', 'with a submodule')
  const { path } = await bench.workplace(source)
  expect(readFileSync(join(path, 'big.bin'), 'utf8')).toBe(pointer)
  expect(readdirSync(join(path, 'vendor/lib'))).toEqual([])
  expect(plainGit(path, 'status', '--porcelain')).toBe('')
})

it('clones a shallow repository', async () => {
  const source = repository()
  commitFiles(source, { 'b.txt': 'b\n' })
  const shallow = folder('shallow')
  plainGit(source, 'clone', '--quiet', '--depth=1', `file://${source}`, shallow)
  const { path } = await bench.workplace(shallow)
  expect(plainGit(path, 'log', '--oneline').split('\n')).toHaveLength(1)
  plainGit(path, 'fsck')
})
