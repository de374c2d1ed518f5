// @suite process

import { readdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { commitFiles, createGitBench, fingerprint, plainGit } from '../../test/support/git-bench.ts'
import { noLog } from '../kernel/log.ts'
import { createMirrors } from './mirrors.ts'

const bench = createGitBench()
const { mirrors, repository, git, mirrorRoot, folder } = bench

describe('a mirror', () => {
  it('has the branches and tags of its repository under other names, and leaves the repository unchanged', async () => {
    const path = repository()
    plainGit(path, 'branch', 'feature/x')
    plainGit(path, 'tag', 'v1')
    const before = fingerprint(path)
    const mirror = await mirrors.refresh(path)
    const commit = plainGit(path, 'rev-parse', 'HEAD')
    expect(mirror).toEqual({
      path: expect.stringMatching(/\/mirrors\/shop-\d+-[0-9a-f]{12}\.git$/),
      branch: 'main',
      commit,
    })
    expect(plainGit(mirror.path, 'for-each-ref', '--format=%(refname)').split('\n')).toEqual([
      'refs/source/feature/x',
      'refs/source/main',
      'refs/tags/v1',
    ])
    expect(fingerprint(path)).toEqual(before)
  })

  it('follows added, rewritten and deleted branches', async () => {
    const path = repository()
    plainGit(path, 'branch', 'topic')
    await mirrors.refresh(path)
    plainGit(path, 'branch', '--delete', 'topic')
    plainGit(path, 'branch', 'topic/deeper')
    plainGit(path, 'commit', '--quiet', '--amend', '--message', 'rewritten')
    const { path: mirror, commit } = await mirrors.refresh(path)
    expect(commit).toBe(plainGit(path, 'rev-parse', 'HEAD'))
    expect(plainGit(mirror, 'for-each-ref', '--format=%(refname)').split('\n')).toEqual([
      'refs/source/main',
      'refs/source/topic/deeper',
    ])
  })

  it('returns the commit of the requested branch; refuses a branch that does not exist', async () => {
    const path = repository()
    const main = plainGit(path, 'rev-parse', 'HEAD')
    plainGit(path, 'switch', '--quiet', '--create', 'topic')
    commitFiles(path, { 'b.txt': 'b\n' })
    expect(await mirrors.refresh(path, { branch: 'main' })).toMatchObject({ branch: 'main', commit: main })
    await expect(mirrors.refresh(path, { branch: 'gone' })).rejects.toMatchObject({ code: 'not_found' })
    await expect(mirrors.refresh(path, { branch: '--all' })).rejects.toMatchObject({ code: 'not_found' })
    plainGit(path, 'checkout', '--quiet', '--detach')
    await expect(mirrors.refresh(path)).rejects.toMatchObject({ hint: expect.stringContaining('switch -c') })
    expect(await mirrors.refresh(path, { branch: 'main' })).toMatchObject({ commit: main })
  })

  it('is shared by the worktrees of a repository, and by no other repository', async () => {
    const path = repository()
    const worktree = folder('worktree')
    plainGit(path, 'worktree', 'add', '--quiet', '-b', 'other', worktree)
    const [first, second, stranger] = [
      await mirrors.refresh(path),
      await mirrors.refresh(worktree),
      await mirrors.refresh(repository()),
    ]
    expect(second).toEqual({ ...first, branch: 'other' })
    expect(stranger?.path).not.toBe(first?.path)
  })

  it('mirrors a bare repository, a shallow one, and one that borrows objects', async () => {
    const path = repository()
    commitFiles(path, { 'b.txt': 'b\n' })
    const [bare, shallow, borrowing] = [folder('bare.git'), folder('shallow'), folder('borrowing')]
    plainGit(path, 'clone', '--quiet', '--bare', path, bare)
    plainGit(path, 'clone', '--quiet', '--depth=1', `file://${path}`, shallow)
    plainGit(path, 'clone', '--quiet', '--shared', path, borrowing)
    for (const each of [bare, shallow, borrowing]) {
      const { path: mirror, commit } = await mirrors.refresh(each)
      expect(plainGit(mirror, 'rev-parse', 'refs/source/main')).toBe(commit)
    }
    renameSync(path, `${path}.away`)
    const { path: mirror } = await mirrors.refresh(shallow)
    plainGit(mirror, 'fsck')
    expect(readdirSync(mirrorRoot).some((name) => name.includes('making'))).toBe(false)
  })

  it('supports SHA-256', async () => {
    const path = folder('sha256')
    plainGit(bench.root, 'init', '--quiet', '--object-format=sha256', '--initial-branch=main', path)
    const commit = commitFiles(path, { 'a.txt': 'a\n' })
    expect(commit).toHaveLength(64)
    expect(await mirrors.refresh(path)).toMatchObject({ commit })
  })
})

describe('creating a mirror', () => {
  it('takes loose objects as they are, and keeps differences that the repository has stored', async () => {
    const similar = (name: string): Record<string, string> =>
      Object.fromEntries(
        Array.from({ length: 120 }, (_, at) => [`${name}${at}.txt`, `${'the same line\n'.repeat(200)}${name}${at}\n`]),
      )
    const differences = (gitDir: string): number =>
      plainGit(gitDir, 'cat-file', '--batch-all-objects', '--batch-check=%(deltabase)').match(/[1-9a-f]/g)?.length ?? 0
    const loose = repository(similar('a'))
    expect(differences((await mirrors.refresh(loose)).path)).toBe(0)
    const packed = repository(similar('b'))
    plainGit(packed, 'repack', '-adq')
    expect(differences((await mirrors.refresh(packed)).path)).toBeGreaterThan(100)
  })

  it('succeeds for many requests at once, from several processes', async () => {
    const path = repository()
    const others = Array.from({ length: 3 }, () => createMirrors({ root: mirrorRoot, git, log: noLog }))
    const made = await Promise.all([...others, mirrors, mirrors].map((each) => each.refresh(path)))
    expect(new Set(made.map(({ path: mirror }) => mirror)).size).toBe(1)
    commitFiles(path, { 'b.txt': 'b\n' })
    const updated = await Promise.all([...others, mirrors, mirrors].map((each) => each.refresh(path)))
    expect(new Set(updated.map(({ commit }) => commit))).toEqual(new Set([plainGit(path, 'rev-parse', 'HEAD')]))
    const { path: mirror } = await mirrors.refresh(path)
    expect(readdirSync(mirrorRoot).filter((name) => name.startsWith(basename(mirror)))).toEqual([basename(mirror)])
    plainGit(mirror, 'fsck')
  })

  it('starts again after an interruption, and removes leftovers after a day', async () => {
    const path = repository()
    const { path: mirror } = await mirrors.refresh(path)
    renameSync(mirror, `${mirror}.making-killed`)
    const old = new Date(Date.now() - 2 * 86_400_000)
    utimesSync(`${mirror}.making-killed`, old, old)
    expect((await mirrors.refresh(path)).path).toBe(mirror)
    expect(readdirSync(mirrorRoot).filter((name) => name.startsWith(basename(mirror)))).toEqual([basename(mirror)])
  })

  it('removes a lock that a killed git has left', async () => {
    const path = repository()
    const { path: mirror } = await mirrors.refresh(path)
    commitFiles(path, { 'b.txt': 'b\n' })
    const lock = join(mirror, 'refs', 'source', 'main.lock')
    writeFileSync(lock, '')
    const old = new Date(Date.now() - 60_000)
    utimesSync(lock, old, old)
    expect((await mirrors.refresh(path)).commit).toBe(plainGit(path, 'rev-parse', 'HEAD'))
  })
})

describe('branches of a mirror', () => {
  it('are created once and keep their commit', async () => {
    const path = repository()
    const { path: mirror, commit } = await mirrors.refresh(path)
    expect(await mirrors.head(mirror, 'integration/run_1/final')).toBe(null)
    expect(await mirrors.branch(mirror, 'integration/run_1/final', commit)).toBe(commit)
    const later = commitFiles(path, { 'b.txt': 'b\n' })
    await mirrors.refresh(path)
    expect(await mirrors.branch(mirror, 'integration/run_1/final', later)).toBe(commit)
    expect(await mirrors.head(mirror, 'integration/run_1/final')).toBe(commit)
    await expect(mirrors.branch(mirror, '../../x', commit)).rejects.toMatchObject({ code: 'bug' })
  })

  it('of a run are deleted together, and no others', async () => {
    const { path: mirror, commit } = await mirrors.refresh(repository())
    const names = ['feature/run_1/main/a', 'feature/run_1/main/b', 'integration/run_1/final', 'feature/run_10/main/a']
    for (const name of names) await mirrors.branch(mirror, name, commit)
    expect(await mirrors.prune(mirror, ['feature/run_1', 'integration/run_1'])).toBe(3)
    expect(await mirrors.prune(mirror, ['feature/run_1', 'integration/run_1'])).toBe(0)
    expect(await mirrors.head(mirror, 'feature/run_10/main/a')).toBe(commit)
  })

  it('have a measurable disk use', async () => {
    const path = repository()
    const { path: mirror } = await mirrors.refresh(path)
    const before = await mirrors.disk(mirror)
    commitFiles(path, { 'noise.txt': Array.from({ length: 20_000 }, (_, index) => (index * 7919) % 65_537).join('\n') })
    await mirrors.refresh(path)
    expect((await mirrors.disk(mirror)) - before).toBeGreaterThan(20_000)
  })
})
