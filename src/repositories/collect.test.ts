import { expect, it } from 'vitest'

import { createGitBench, plainGit, writeFiles } from '../../test/support/git-bench.ts'
import { collect, promote } from './collect.ts'

const bench = createGitBench()
const { git, mirrors } = bench

it('brings what an agent left into the mirror, as a commit', async () => {
  const { mirror, workspace, start, path } = await bench.workplace()
  writeFiles(path, { 'new.txt': 'new\n' })
  const order = { mirror, workspace, start, message: 'left over', author: bench.author, ref: 'brf_1' }
  const collected = await collect(git, order)
  expect(collected).toMatchObject({
    outcome: 'collected',
    files: [{ path: 'new.txt', status: 'added', added: 1, removed: 0, binary: false }],
    commits: [{ author: 'Coder', subject: 'left over', parents: [start] }],
  })
  const commit = await promote(git, mirror, 'brf_1', 'feature/run_1/main/brf_1')
  expect(commit).toBe(plainGit(path, 'rev-parse', 'HEAD'))
  expect(await mirrors.head(mirror, 'feature/run_1/main/brf_1')).toBe(commit)
  expect(plainGit(path, 'status', '--porcelain')).toBe('')
})
