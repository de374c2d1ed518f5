// @suite process

import { describe, expect, it } from 'vitest'

import { commitFiles, createGitBench, plainGit, type Workplace, writeFiles } from '../../test/support/git-bench.ts'
import type { CollectedWork } from './port.ts'
import { createRepositories } from './repositories.ts'

const bench = createGitBench()
const { git, mirrors, repository } = bench
const repositories = createRepositories({ git, mirrors })

const work = ({ mirror, workspace, start, branch }: Workplace): CollectedWork => ({
  repository: { path: mirror, mirror, branch: 'main', base: start, warnings: [] },
  runId: 'run_1',
  briefId: 'brf_1',
  attemptId: 'att_1',
  branch,
  workspace,
  start,
  message: 'Uncommitted files',
  allowed: [],
})

/** Files of packages, as a package manager unpacks them. */
const packages = (folder: string, count: number, characters = 100): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `${folder}/p${at}/index.js`,
      `// ${'a line of code\n'.repeat(characters / 15)}`,
    ]),
  )

describe('installed packages that git does not ignore', () => {
  it.each<[string, Record<string, string>]>([
    ['node_modules', { ...packages('node_modules', 30, 900_000), 'node_modules/.package-lock.json': '{}' }],
    ['.venv', { ...packages('.venv/lib/python3.11/site-packages', 30), '.venv/pyvenv.cfg': 'home = /usr/bin\n' }],
    ['web/node_modules', { ...packages('web/node_modules', 210), 'web/node_modules/a/key': pemKey() }],
    ['env', { ...packages('env/lib', 30), 'env/pyvenv.cfg': 'home = /usr/bin\n' }],
    [
      'target',
      { ...packages('target/debug', 30), 'target/CACHEDIR.TAG': 'Signature: 8a477f597d28d172789f06886806bc55\n' },
    ],
  ])('are a correction about %s, not about secrets', async (folder, files) => {
    const at = await bench.workplace()
    writeFiles(at.path, { ...files, 'src/cart.js': '1\n' })
    const collected = await repositories.collect(work(at))
    expect(collected).toMatchObject({ outcome: 'refused' })
    const { why } = collected as { why: string }
    const count = Object.keys(files).length
    expect(why).toContain(
      `${folder}/ (${count} files) is not ignored and would be committed: add it to .gitignore or remove it.`,
    )
    expect(why).toContain(`git reset ${at.start}`)
    // The agent follows the correction.
    plainGit(at.path, 'reset', '--quiet', at.start)
    writeFiles(at.path, { '.gitignore': `/${folder}/\n` })
    expect(await repositories.collect(work(at))).toMatchObject({
      outcome: 'collected',
      files: ['.gitignore', 'src/cart.js'],
    })
  })

  it('do not hide a secret beside them', async () => {
    const at = await bench.workplace()
    writeFiles(at.path, { 'node_modules/p/index.js': '1\n', 'key.txt': pemKey() })
    expect(await repositories.collect(work(at))).toMatchObject({ outcome: 'secrets' })
  })

  it('may be a few files, and may be changed where the repository has them', async () => {
    const small = await bench.workplace()
    writeFiles(small.path, packages('test/fixtures/node_modules', 5))
    expect(await repositories.collect(work(small))).toMatchObject({ outcome: 'collected' })
    const source = repository()
    commitFiles(source, { 'node_modules/.package-lock.json': '{}', 'node_modules/a/index.js': '1\n' })
    const vendored = await bench.workplace(source)
    writeFiles(vendored.path, packages('node_modules', 30))
    expect(await repositories.collect(work(vendored))).toMatchObject({ outcome: 'collected' })
  })
})

/** Assembled here, so that this file has no key itself. */
function pemKey(): string {
  const word = 'PRIVATE KEY'
  return `-----BEGIN RSA ${word}-----\n${'MIIEowIBAAKCAQEA'.repeat(20)}\n-----END RSA ${word}-----\n`
}
