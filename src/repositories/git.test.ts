// @suite process

import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, it } from 'vitest'

import { createGitBench, plainGit } from '../../test/support/git-bench.ts'
import { systemClock } from '../kernel/clock.ts'
import { createGit, GitError } from './git.ts'

const bench = createGitBench()
const { git, repository, folder } = bench

it('gets none of the daemon’s environment, and no configuration of the machine or of a home', async () => {
  Object.assign(process.env, {
    GIT_DIR: '/somewhere',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'x.y',
    GIT_CONFIG_VALUE_0: 'z',
  })
  try {
    const path = repository()
    const listed = await git.ask(['config', '--list', '--show-scope'], { cwd: path })
    expect(new Set(listed.split('\n').map((line) => line.split('\t')[0]))).toEqual(new Set(['local', 'command']))
    expect(listed).not.toContain('x.y')
  } finally {
    for (const name of ['GIT_DIR', 'GIT_CONFIG_COUNT', 'GIT_CONFIG_KEY_0', 'GIT_CONFIG_VALUE_0'])
      delete process.env[name]
  }
})

it('names the failed command and the first line of the error', async () => {
  const failing = git.ask(['rev-parse', '--verify', 'nothing'], { cwd: repository() })
  await expect(failing).rejects.toThrow(/^git rev-parse: Needed a single revision$/)
  await expect(failing).rejects.toMatchObject({ exitCode: 128 })
})

it('reports whether the program or the directory is missing', async () => {
  const none = createGit({ program: '/nonexistent/git', clock: systemClock })
  await expect(none.run(['status'], { cwd: '/' })).rejects.toMatchObject({
    code: 'unsupported',
    message: 'git is not installed here: no program "/nonexistent/git"',
    hint: expect.stringContaining('apt install git'),
  })
  await expect(git.run(['status'], { cwd: folder('gone') })).rejects.toThrow(
    /^git cannot run in .*gone.*: the directory does not exist$/,
  )
})

it('kills a git that takes too long, with all its processes', async () => {
  const pipe = folder('pipe')
  execFileSync('mkfifo', [pipe])
  const inputFd = openSync(pipe, 'r+')
  const asked = git.run(['cat-file', '--batch'], { cwd: repository(), timeoutMs: 50, inputFd })
  await expect(asked).rejects.toThrow('git cat-file took longer than')
  closeSync(inputFd)
})

it('rejects output over the limit, or cuts it if requested', async () => {
  const path = repository({ 'long.txt': 'line\n'.repeat(50_000) })
  const args = ['cat-file', 'blob', 'HEAD:long.txt']
  await expect(git.run(args, { cwd: path, maxOutputBytes: 1_000 })).rejects.toThrow(GitError)
  const { stdout, cut } = await git.run(args, { cwd: path, maxOutputBytes: 1_000, mayCut: true })
  expect({ bytes: stdout.length, cut }).toEqual({ bytes: 1_000, cut: true })
})

it('limits the memory of git for objects that are small only while packed', async () => {
  const path = repository()
  mkdirSync(join(path, 'big'))
  writeFileSync(join(path, 'big/zeros'), Buffer.alloc(64 * 1024 ** 2))
  plainGit(path, 'add', '--all')
  plainGit(path, 'commit', '--quiet', '--message', 'zeros')
  const args = ['unpack-file', 'HEAD:big/zeros']
  expect((await git.run(args, { cwd: path, maxMemoryBytes: 1024 ** 3 })).exitCode).toBe(0)
  expect((await git.run(args, { cwd: path, maxMemoryBytes: 48 * 1024 ** 2 })).exitCode).not.toBe(0)
})
