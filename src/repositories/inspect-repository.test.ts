// @suite process

import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { commitFiles, createGitBench, fingerprint, plainGit, writeFiles } from '../../test/support/git-bench.ts'
import { AgencyError } from '../kernel/errors.ts'

const bench = createGitBench()
const { mirrors, repository, folder } = bench

const isRoot = process.getuid?.() === 0

async function refusalOf(path: string): Promise<AgencyError> {
  const error: unknown = await mirrors.inspect(path).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(AgencyError)
  return error as AgencyError
}

describe('inspecting a repository', () => {
  it('finds the top level, branch and commit, from a subdirectory and through a link', async () => {
    const path = repository({ 'src/deep/a.ts': 'a\n' })
    const facts = {
      path,
      bare: false,
      shallow: false,
      branch: 'main',
      commit: plainGit(path, 'rev-parse', 'HEAD'),
      dirty: false,
      warnings: [],
    }
    expect(await mirrors.inspect(path)).toEqual(facts)
    expect(await mirrors.inspect(join(path, 'src', 'deep'))).toEqual(facts)
    expect(await mirrors.inspect(join(path, '.git'))).toEqual(facts)
  })

  it('reports uncommitted changes, also new files, and leaves no trace', async () => {
    const path = repository({ 'a.txt': 'a\n', '.gitignore': 'ignored\n' })
    writeFiles(path, { ignored: 'x' })
    expect((await mirrors.inspect(path)).dirty).toBe(false)
    writeFiles(path, { 'b.txt': 'b\n' })
    const before = fingerprint(path)
    expect(await mirrors.inspect(path)).toMatchObject({
      dirty: true,
      warnings: ['uncommitted changes are not part of this run'],
    })
    expect(fingerprint(path)).toEqual(before)
  })

  it('recognises a detached HEAD, a bare and a shallow repository', async () => {
    const path = repository()
    const commit = commitFiles(path, { 'b.txt': 'b\n' })
    const bare = folder('bare')
    plainGit(path, 'clone', '--quiet', '--bare', path, bare)
    expect(await mirrors.inspect(bare)).toMatchObject({ path: bare, bare: true, branch: 'main', commit, dirty: false })
    const shallow = folder('shallow')
    plainGit(path, 'clone', '--quiet', '--depth=1', `file://${path}`, shallow)
    expect(await mirrors.inspect(shallow)).toMatchObject({
      shallow: true,
      warnings: ['the repository is shallow: older history is missing'],
    })
    plainGit(path, 'checkout', '--quiet', '--detach')
    expect(await mirrors.inspect(path)).toMatchObject({ branch: null, commit })
  })

  it('warns about submodules and files in Git LFS', async () => {
    const inner = repository({ 'lib.txt': 'lib\n' })
    const path = repository({ 'assets/.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n' })
    plainGit(path, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'vendor/lib')
    plainGit(path, 'commit', '--quiet', '--message', 'with a submodule')
    expect((await mirrors.inspect(path)).warnings).toEqual([
      'submodules (1) are not checked out',
      'files in Git LFS stay pointers',
    ])
  })

  it('runs no monitor, hook or filter that the repository names', async () => {
    const path = repository({ 'a.txt': 'a\n', '.gitattributes': '* filter=trap\n' })
    const trace = join(bench.root, 'look-trace')
    const trap = folder('trap')
    writeFileSync(trap, `#!/bin/sh\necho "$0 $*" >>${trace}\n`, { mode: 0o755 })
    plainGit(path, 'config', 'core.fsmonitor', trap)
    plainGit(path, 'config', 'filter.trap.clean', trap)
    plainGit(path, 'config', 'filter.trap.process', trap)
    plainGit(path, 'config', 'filter.trap.required', 'true')
    writeFiles(path, { 'a.txt': 'changed\n' })
    const { dirty } = await mirrors.inspect(path)
    expect(dirty).toBe(true)
    await mirrors.refresh(path)
    expect(await exists(trace)).toBe(false)
    try {
      plainGit(path, 'status', '--porcelain')
    } catch {
      // The trap is not a valid filter.
    }
    expect(await exists(trace)).toBe(true)
  })
})

describe('refusing a repository, with the next command', () => {
  it('refuses a directory that does not exist', async () => {
    expect(await refusalOf(folder('nothing'))).toMatchObject({
      code: 'not_found',
      // Commands such as "agency repo show <path>" have no option for it.
      hint: 'Name an existing directory with a git repository.',
    })
  })

  it('refuses a file', async () => {
    const path = folder('file')
    writeFileSync(path, '')
    expect(await refusalOf(path)).toMatchObject({ code: 'invalid_input', message: `${path} is not a directory` })
  })

  it('refuses a directory without a repository', async () => {
    const path = folder('plain directory')
    mkdirSync(path)
    expect(await refusalOf(path)).toMatchObject({
      message: `${path} is not a git repository`,
      hint: expect.stringContaining(`git -C '${path}' init`),
    })
  })

  it('refuses a repository without commits', async () => {
    const path = folder('unborn')
    mkdirSync(path)
    plainGit(path, 'init', '--quiet')
    expect(await refusalOf(path)).toMatchObject({
      message: `${path} has no commits yet`,
      hint: expect.stringContaining('commit -m "First commit"'),
    })
  })

  it('refuses a repository with files under .agency/ in the base branch', async () => {
    const path = repository({ '.agency/x': 'x' })
    expect(await refusalOf(path)).toMatchObject({ hint: expect.stringContaining('rm -r --cached .agency') })
    // Only the base of the work counts.
    plainGit(path, 'branch', 'other')
    plainGit(path, 'rm', '-rq', '.agency')
    plainGit(path, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'Leave it')
    expect((await mirrors.inspect(path)).warnings).toEqual([])
    await expect(mirrors.inspect(path, 'other')).rejects.toMatchObject({ code: 'unsupported' })
  })

  it.skipIf(!isRoot)('refuses a repository of another user, unless git is configured to trust it', async () => {
    const path = repository()
    for (const each of [path, join(path, '.git')]) chownSync(each, 65_534, 65_534)
    const refusal = await refusalOf(path)
    expect(refusal).toMatchObject({ code: 'forbidden', hint: expect.stringContaining('safe.directory') })
    const home = folder('home')
    mkdirSync(home)
    writeFileSync(join(home, '.gitconfig'), `[safe]\n\tdirectory = ${path}\n\tdirectory = ${path}/.git\n`)
    await withHome(home, async () => {
      expect(await mirrors.inspect(path)).toMatchObject({ path })
      expect(await mirrors.refresh(path)).toMatchObject({ branch: 'main' })
    })
  })

  it.skipIf(isRoot)('refuses a directory that is not readable', async () => {
    const path = repository()
    chmodSync(path, 0o000)
    expect(await refusalOf(path)).toMatchObject({ code: 'forbidden' })
    chmodSync(path, 0o700)
  })
})

it('ignores the files of the operator’s global ignore list', async () => {
  const path = repository()
  const home = folder('home')
  writeFiles(home, { '.config/git/ignore': '.DS_Store\n' })
  writeFiles(path, { '.DS_Store': 'x' })
  expect((await mirrors.inspect(path)).dirty).toBe(true)
  await withHome(home, async () => expect((await mirrors.inspect(path)).dirty).toBe(false))
})

async function withHome(home: string, work: () => Promise<void>): Promise<void> {
  const { HOME, XDG_CONFIG_HOME } = process.env
  Object.assign(process.env, { HOME: home })
  delete process.env['XDG_CONFIG_HOME']
  try {
    await work()
  } finally {
    Object.assign(process.env, { HOME }, XDG_CONFIG_HOME === undefined ? {} : { XDG_CONFIG_HOME })
  }
}

const exists = (path: string): Promise<boolean> =>
  import('node:fs/promises').then(({ access }) =>
    access(path).then(
      () => true,
      () => false,
    ),
  )
