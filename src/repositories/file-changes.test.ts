// @suite process

import { expect, it } from 'vitest'

import { commitFiles, createGitBench, plainGit } from '../../test/support/git-bench.ts'
import { fileChanges } from './file-changes.ts'
import type { FinishedWork } from './port.ts'

const bench = createGitBench()

const branch = 'integration/run_1/final'
const finished = (more: Partial<FinishedWork> = {}): FinishedWork => ({
  refs: ['refs/heads/integration/run_1/'],
  ownBriefs: ['brf_own'],
  ownCommits: [],
  ...more,
})

/** A repository in which briefs work on branches, and the engine merges them into one. */
function begin() {
  const path = bench.repository({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' })
  const git = (...args: string[]): string => plainGit(path, ...args)
  const start = git('rev-parse', 'HEAD')
  git('branch', branch)
  return {
    start,
    git,
    /** Commits files on top of another commit. */
    work: (on: string, files: Record<string, string>): string => {
      git('checkout', '--quiet', '--detach', on)
      commitFiles(path, files)
      return git('rev-parse', 'HEAD')
    },
    /** Merges a commit as the agent does. */
    join: (on: string, other: string): string => {
      git('checkout', '--quiet', '--detach', on)
      git('merge', '--quiet', '--no-edit', other)
      return git('rev-parse', 'HEAD')
    },
    integrate: (commit: string, trailer: string): string => {
      git('checkout', '--quiet', branch)
      git('merge', '--quiet', '--no-ff', '--message', `Merge it\n\nAgency-Run: run_1\n${trailer}`, commit)
      return git('rev-parse', 'HEAD')
    },
    changes: async (to: string, others: FinishedWork = finished()) =>
      (await fileChanges(bench.git, `${path}/.git`, { from: start, to, others })).map((change) => change.path),
  }
}

it('leaves out files that were taken over from finished work of others', async () => {
  const { start, work, join, integrate, changes } = begin()
  const head = integrate(work(start, { 'b.txt': 'B\n' }), 'Agency-Brief: brf_other')
  expect(await changes(join(work(start, { 'a.txt': 'A\n' }), head))).toEqual(['a.txt'])
})

it.each(['Agency-Brief: brf_own', 'Agency-Brief: brf_above\nAgency-Work: brf_own'])(
  'keeps the changes of an earlier attempt that was merged by "%s", also if the agent takes them from there',
  async (trailer) => {
    const { start, work, join, integrate, changes } = begin()
    integrate(work(start, { 'b.txt': 'B\n' }), 'Agency-Brief: brf_other')
    const head = integrate(work(start, { 'a.txt': 'A\n' }), trailer)
    expect(await changes(work(head, { 'c.txt': 'C\n' }))).toEqual(['a.txt', 'c.txt'])
    expect(await changes(join(work(start, { 'c.txt': 'C\n' }), head))).toEqual(['a.txt', 'c.txt'])
    expect(await changes(head)).toEqual(['a.txt'])
  },
)

it('keeps the changes of an earlier attempt that came in with the work of another brief', async () => {
  const { start, work, integrate, changes } = begin()
  const own = work(start, { 'a.txt': 'A\n' })
  const head = integrate(work(own, { 'b.txt': 'B\n' }), 'Agency-Brief: brf_other')
  expect(await changes(head, finished({ ownCommits: [own] }))).toEqual(['a.txt'])
})

it('leaves out work of others that an earlier attempt has merged, wherever the branch is now', async () => {
  const { start, work, join, integrate, changes } = begin()
  const other = integrate(work(start, { 'b.txt': 'B\n' }), 'Agency-Brief: brf_other')
  const first = join(work(start, { 'a.txt': 'A\n' }), other)
  const head = integrate(first, 'Agency-Brief: brf_own')
  expect(await changes(work(first, { 'c.txt': 'C\n' }))).toEqual(['a.txt', 'c.txt'])
  expect(await changes(work(head, { 'c.txt': 'C\n' }), finished({ ownCommits: [first] }))).toEqual(['a.txt', 'c.txt'])
})

it('leaves out work that was put back as it was', async () => {
  const { start, work, integrate, changes } = begin()
  const head = integrate(work(start, { 'a.txt': 'A\n' }), 'Agency-Brief: brf_own')
  expect(await changes(work(head, { 'a.txt': 'a\n', 'c.txt': 'C\n' }))).toEqual(['c.txt'])
})
