// @suite process

import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { commitFiles, createGitBench, plainGit } from '../../test/support/git-bench.ts'
import type { MergeMessage } from './merge.ts'

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

/** Merges a commit into the branch `final`, whose recorded head is `head`. */
const mergeInto = (mirror: string, commit: string, head: string, message: Partial<MergeMessage> = {}) =>
  mirrors.merge({ mirror, commit, levels: [{ branch: 'final', head, message: 'Merge', ...message }] })

describe('merging in the mirror', () => {
  it('merges two branches with a commit that names the brief', async () => {
    const { mirror, base, commits } = await branches({ 'a.txt': 'a\n' }, { 'b.txt': 'b\n' })
    const trailers = { 'Agency-Run': 'run_1', 'Agency-Brief': 'brf_1' }
    const merged = await mergeInto(mirror, commits[0] ?? '', base, { message: 'Add b', trailers })
    const head = await mirrors.head(mirror, 'final')
    expect(merged).toEqual({ outcome: 'merged', commits: [head], files: [] })
    expect(plainGit(mirror, 'rev-list', '--parents', '-1', 'final')).toBe(`${head} ${base} ${commits[0]}`)
    expect(plainGit(mirror, 'log', '-1', '--format=%an|%s|%(trailers:key=Agency-Brief,valueonly)', 'final')).toBe(
      'Agency|Add b|brf_1',
    )
    expect(show(mirror, 'final:b.txt')).toBe('b')
  })

  it('creates no commit for work that the head already contains', async () => {
    const { mirror, base, commits } = await branches({ 'a.txt': 'a\n' }, { 'b.txt': 'b\n' })
    const first = await mergeInto(mirror, commits[0] ?? '', base)
    const again = await mergeInto(mirror, commits[0] ?? '', first.commits[0] ?? '')
    expect(again).toEqual({ ...first, outcome: 'already' })
  })

  it('builds on the recorded head and takes an unrecorded merge off the branch', async () => {
    const { mirror, base, commits } = await branches({ 'a.txt': 'a\n' }, { 'b.txt': 'b\n' }, { 'c.txt': 'c\n' })
    await mergeInto(mirror, commits[0] ?? '', base)
    const second = await mergeInto(mirror, commits[1] ?? '', base)
    expect(second.commits).toEqual([await mirrors.head(mirror, 'final')])
    expect(plainGit(mirror, 'ls-tree', '--name-only', 'final').split('\n')).toEqual(['a.txt', 'c.txt'])
    const { outcome, commits: heads } = await mergeInto(mirror, base, base)
    expect([outcome, heads, await mirrors.head(mirror, 'final')]).toEqual(['already', [base], base])
  })

  it('lists the files in conflict, and moves no branch', async () => {
    const { mirror, base, commits } = await branches(
      { 'a.txt': 'a\n', 'b c.txt': 'b\n' },
      { 'a.txt': 'one\n', 'b c.txt': 'one\n' },
      { 'a.txt': 'two\n', 'b c.txt': 'two\n', 'new.txt': 'new\n' },
    )
    const [first = ''] = (await mergeInto(mirror, commits[0] ?? '', base)).commits
    expect(await mergeInto(mirror, commits[1] ?? '', first)).toEqual({
      outcome: 'conflict',
      commits: [],
      files: ['a.txt', 'b c.txt'],
    })
    expect(await mirrors.head(mirror, 'final')).toBe(first)
  })

  it('merges up a chain of branches and creates missing ones', async () => {
    const { mirror, base, commits } = await branches({ 'a.txt': 'a\n' }, { 'b.txt': 'b\n' }, { 'c.txt': 'c\n' })
    const up = (commit = '', heads: readonly string[] = [base, base]) =>
      mirrors.merge({
        mirror,
        commit,
        levels: ['domain', 'final'].map((branch, index) => ({ branch, head: heads[index] ?? '', message: branch })),
      })
    const first = await up(commits[0])
    const [domain, final] = first.commits
    expect([await mirrors.head(mirror, 'domain'), await mirrors.head(mirror, 'final')]).toEqual([domain, final])
    expect(plainGit(mirror, 'rev-list', '--parents', '-1', 'final')).toBe(`${final} ${base} ${domain}`)
    expect(await up(commits[0], first.commits)).toEqual({ ...first, outcome: 'already' })
    // Two processes merge the same work at the same time: the branches are those of one of them.
    const both = await Promise.all([up(commits[1], first.commits), up(commits[1], first.commits)])
    const heads = [await mirrors.head(mirror, 'domain'), await mirrors.head(mirror, 'final')]
    expect(both.map((each) => each.commits)).toContainEqual(heads)
    expect(plainGit(mirror, 'ls-tree', '--name-only', 'final').split('\n')).toEqual(['a.txt', 'b.txt', 'c.txt'])
  })

  it('moves and creates no branch if a level further up conflicts', async () => {
    const { mirror, base, commits } = await branches({ 'a.txt': 'a\n' }, { 'a.txt': 'one\n' }, { 'a.txt': 'two\n' })
    const [final = ''] = (await mergeInto(mirror, commits[0] ?? '', base)).commits
    const levels = [
      { branch: 'domain', head: base, message: 'domain' },
      { branch: 'final', head: final, message: 'final' },
    ]
    expect(await mirrors.merge({ mirror, commit: commits[1] ?? '', levels })).toEqual({
      outcome: 'conflict',
      commits: [],
      files: ['a.txt'],
    })
    expect(await mirrors.head(mirror, 'domain')).toBe(null)
    expect(await mirrors.head(mirror, 'final')).toBe(final)
  })

  it('refuses files under .agency/ in any letter case', async () => {
    const { mirror, base, commits } = await branches({ 'a.txt': 'a\n' }, { '.agency/x': 'x' }, { '.Agency/x': 'x' })
    for (const commit of commits)
      await expect(mergeInto(mirror, commit, base)).rejects.toMatchObject({ code: 'forbidden' })
  })

  it('runs no merge driver that a tree names', async () => {
    const trace = join(bench.root, 'merge-trace')
    const { mirror, base, commits, path } = await branches(
      { 'a.txt': 'a\n', '.gitattributes': '* merge=trap\n' },
      { 'a.txt': 'one\n' },
      { 'a.txt': 'two\n' },
    )
    const [first = ''] = (await mergeInto(mirror, commits[0] ?? '', base)).commits
    expect(await mergeInto(mirror, commits[1] ?? '', first)).toMatchObject({ outcome: 'conflict' })
    expect(existsSync(trace)).toBe(false)
    // Plain git runs the driver if it is configured, as it may be in an agent's clone.
    plainGit(path, 'config', 'merge.trap.driver', `touch ${trace}`)
    plainGit(path, 'switch', '--quiet', 'change-1')
    plainGit(path, 'merge', '--quiet', '--no-edit', 'change-0')
    expect(existsSync(trace)).toBe(true)
  })

  it('writes a trailer on one line', async () => {
    const { mirror, base, commits } = await branches({ 'a.txt': 'a\n' }, { 'b.txt': 'b\n' })
    const trailers = { 'Agency-Brief': 'brf_1\nSigned-off-by: Nobody' }
    await mergeInto(mirror, commits[0] ?? '', base, { message: 'Add b\n\nAnd why.', trailers })
    expect(show(mirror, 'final').split('\n').slice(5, 12)).toEqual(expect.arrayContaining(['    And why.']))
    expect(plainGit(mirror, 'log', '-1', '--format=%(trailers)', 'final')).toBe(
      'Agency-Brief: brf_1 Signed-off-by: Nobody',
    )
  })
})
