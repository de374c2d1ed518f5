import { join } from 'node:path'

import { expect, it } from 'vitest'

import { createGitBench, plainGit } from '../../test/support/git-bench.ts'

const bench = createGitBench()
const { mirrors, repository } = bench

it('sees what is there', async () => {
  const path = repository()
  const facts = await mirrors.look(join(path, '.'))
  expect(facts).toEqual({
    path,
    bare: false,
    shallow: false,
    branch: 'main',
    commit: plainGit(path, 'rev-parse', 'HEAD'),
    dirty: false,
    warnings: [],
  })
})

it('goes all the way', async () => {
  const at = await bench.workplace()
  expect(plainGit(at.path, 'status', '--porcelain')).toBe('')
  expect(plainGit(at.path, 'log', '--oneline').split('\n')).toHaveLength(1)
})
