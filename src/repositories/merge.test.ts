// @suite process

import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { commitFiles, createGitBench, plainGit } from '../../test/support/git-bench.ts'

const bench = createGitBench()
const { mirrors, repository } = bench

/** Creates a mirror with an integration branch, and one branch for each set of files. */
async function branches(first: Record<string, string>, ...changes: Record<string, string>[]) {
  const path = repository(first)
  const base = plainGit(path, 'rev-parse', 'HEAD')
  const commits = changes.map((files, index) => {
    plainGit(path, 'switch', '--quiet', '--create', `change-${index}`, base)
    return commitFiles(path, files, `change ${index}`)
  })
  const { path: mirror } = await mirrors.refresh(path, { branch: 'main' })
  await mirrors.branch(mirror, 'final', base)
  return { mirror, base, commits, path }
}

const show = (mirror: string, what: string): string => plainGit(mirror, 'show', what)

describe('merging in the mirror', () => {
  it('merges two branches with a commit that names the brief', async () => {
    const { mirror, base, commits } = await branches({ 'a.txt': 'a\n' }, { 'b.txt': 'b\n' })
    const trailers = { 'Agency-Run': 'run_1', 'Agency-Brief': 'brf_1' }
    const merged = await mirrors.merge({ mirror, from: commits[0] ?? '', into: 'final', message: 'Add b', trailers })
    expect(merged).toEqual({ outcome: 'merged', commit: await mirrors.head(mirror, 'final'), files: [] })
    expect(plainGit(mirror, 'rev-list', '--parents', '-1', 'final')).toBe(`${merged.commit} ${base} ${commits[0]}`)
    expect(plainGit(mirror, 'log', '-1', '--format=%an|%s|%(trailers:key=Agency-Brief,valueonly)', 'final')).toBe(
      'Agency|Add b|brf_1',
    )
    expect(show(mirror, 'final:b.txt')).toBe('b')
  })

  it('does nothing the second time', async () => {
    const { mirror, commits } = await branches({ 'a.txt': 'a\n' }, { 'b.txt': 'b\n' })
    const order = { mirror, from: commits[0] ?? '', into: 'final', message: 'Add b' }
    const { commit } = await mirrors.merge(order)
    expect(await mirrors.merge(order)).toEqual({ outcome: 'already', commit, files: [] })
  })

  it('lists the files in conflict, and moves no branch', async () => {
    const { mirror, commits } = await branches(
      { 'a.txt': 'a\n', 'b c.txt': 'b\n' },
      { 'a.txt': 'one\n', 'b c.txt': 'one\n' },
      { 'a.txt': 'two\n', 'b c.txt': 'two\n', 'new.txt': 'new\n' },
    )
    const first = await mirrors.merge({ mirror, from: commits[0] ?? '', into: 'final', message: '1' })
    expect(await mirrors.merge({ mirror, from: commits[1] ?? '', into: 'final', message: '2' })).toEqual({
      outcome: 'conflict',
      commit: first.commit,
      files: ['a.txt', 'b c.txt'],
    })
    expect(await mirrors.head(mirror, 'final')).toBe(first.commit)
  })

  it('merges up a chain of branches, creating missing ones at their start; does nothing the second time', async () => {
    const { mirror, base, commits } = await branches({ 'a.txt': 'a\n' }, { 'b.txt': 'b\n' }, { 'c.txt': 'c\n' })
    const up = (commit = '') => ({
      mirror,
      commit,
      levels: [
        { branch: 'domain', begin: base, message: 'Into the domain' },
        { branch: 'final', begin: base, message: 'Into the result' },
      ],
    })
    const first = await mirrors.mergeUp(up(commits[0]))
    expect(first).toEqual({ outcome: 'merged', commit: await mirrors.head(mirror, 'final'), files: [] })
    const domain = await mirrors.head(mirror, 'domain')
    expect(plainGit(mirror, 'rev-list', '--parents', '-1', 'final')).toBe(`${first.commit} ${base} ${domain}`)
    expect(await mirrors.mergeUp(up(commits[0]))).toEqual({ ...first, outcome: 'already' })
    // The state if only the first of the two had moved.
    plainGit(mirror, 'update-ref', 'refs/heads/final', base)
    expect(await mirrors.mergeUp(up(commits[0]))).toMatchObject({ outcome: 'merged' })
    expect(await mirrors.head(mirror, 'domain')).toBe(domain)
    const both = await Promise.all([mirrors.mergeUp(up(commits[1])), mirrors.mergeUp(up(commits[1]))])
    expect(both.map(({ outcome }) => outcome)).toContain('merged')
    expect(plainGit(mirror, 'ls-tree', '--name-only', 'final').split('\n')).toEqual(['a.txt', 'b.txt', 'c.txt'])
  })

  it('moves and creates no branch if a level further up conflicts', async () => {
    const { mirror, base, commits } = await branches({ 'a.txt': 'a\n' }, { 'a.txt': 'one\n' }, { 'a.txt': 'two\n' })
    const final = await mirrors.merge({ mirror, from: commits[0] ?? '', into: 'final', message: '1' })
    const levels = ['domain', 'final'].map((branch) => ({ branch, begin: base, message: branch }))
    expect(await mirrors.mergeUp({ mirror, commit: commits[1] ?? '', levels })).toEqual({
      outcome: 'conflict',
      commit: final.commit,
      files: ['a.txt'],
    })
    expect(await mirrors.head(mirror, 'domain')).toBe(null)
    expect(await mirrors.head(mirror, 'final')).toBe(final.commit)
  })

  it('loses no commit when many merge at once', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `file-${index}.txt`)
    const { mirror, commits } = await branches({ 'a.txt': 'a\n' }, ...names.map((name) => ({ [name]: name })))
    const merged = await Promise.all(
      commits.map((from) => mirrors.merge({ mirror, from, into: 'final', message: `Merge ${from}` })),
    )
    expect(merged.map(({ outcome }) => outcome)).toEqual(names.map(() => 'merged'))
    expect(plainGit(mirror, 'ls-tree', '--name-only', 'final').split('\n')).toEqual(['a.txt', ...names])
  })

  it('refuses files under .agency/ in any letter case', async () => {
    const { mirror, commits } = await branches({ 'a.txt': 'a\n' }, { '.agency/x': 'x' }, { '.Agency/x': 'x' })
    for (const from of commits)
      await expect(mirrors.merge({ mirror, from, into: 'final', message: 'x' })).rejects.toMatchObject({
        code: 'forbidden',
      })
  })

  it('runs no merge driver that a tree names', async () => {
    const trace = join(bench.root, 'merge-trace')
    const { mirror, commits, path } = await branches(
      { 'a.txt': 'a\n', '.gitattributes': '* merge=trap\n' },
      { 'a.txt': 'one\n' },
      { 'a.txt': 'two\n' },
    )
    await mirrors.merge({ mirror, from: commits[0] ?? '', into: 'final', message: '1' })
    const second = await mirrors.merge({ mirror, from: commits[1] ?? '', into: 'final', message: '2' })
    expect(second.outcome).toBe('conflict')
    expect(existsSync(trace)).toBe(false)
    // Plain git runs the driver if it is configured, as it may be in an agent's clone.
    plainGit(path, 'config', 'merge.trap.driver', `touch ${trace}`)
    plainGit(path, 'switch', '--quiet', 'change-1')
    plainGit(path, 'merge', '--quiet', '--no-edit', 'change-0')
    expect(existsSync(trace)).toBe(true)
  })

  it('writes a trailer on one line', async () => {
    const { mirror, commits } = await branches({ 'a.txt': 'a\n' }, { 'b.txt': 'b\n' })
    const trailers = { 'Agency-Brief': 'brf_1\nSigned-off-by: Nobody' }
    await mirrors.merge({ mirror, from: commits[0] ?? '', into: 'final', message: 'Add b\n\nAnd why.', trailers })
    expect(show(mirror, 'final').split('\n').slice(5, 12)).toEqual(expect.arrayContaining(['    And why.']))
    expect(plainGit(mirror, 'log', '-1', '--format=%(trailers)', 'final')).toBe(
      'Agency-Brief: brf_1 Signed-off-by: Nobody',
    )
  })
})
