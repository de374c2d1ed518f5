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
  const error: unknown = await mirrors.look(path).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(AgencyError)
  return error as AgencyError
}

describe('looking at a repository', () => {
  it('finds its top level, branch and commit, from below and through a link', async () => {
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
    expect(await mirrors.look(path)).toEqual(facts)
    expect(await mirrors.look(join(path, 'src', 'deep'))).toEqual(facts)
    expect(await mirrors.look(join(path, '.git'))).toEqual(facts)
  })

  it('says what is not committed, new files too, and leaves no trace', async () => {
    const path = repository({ 'a.txt': 'a\n', '.gitignore': 'ignored\n' })
    writeFiles(path, { ignored: 'x' })
    expect((await mirrors.look(path)).dirty).toBe(false)
    writeFiles(path, { 'b.txt': 'b\n' })
    const before = fingerprint(path)
    expect(await mirrors.look(path)).toMatchObject({
      dirty: true,
      warnings: ['uncommitted changes are not part of this run'],
    })
    expect(fingerprint(path)).toEqual(before)
  })

  it('knows a detached HEAD, a bare and a shallow repository', async () => {
    const path = repository()
    const commit = commitFiles(path, { 'b.txt': 'b\n' })
    const bare = folder('bare')
    plainGit(path, 'clone', '--quiet', '--bare', path, bare)
    expect(await mirrors.look(bare)).toMatchObject({ path: bare, bare: true, branch: 'main', commit, dirty: false })
    const shallow = folder('shallow')
    plainGit(path, 'clone', '--quiet', '--depth=1', `file://${path}`, shallow)
    expect(await mirrors.look(shallow)).toMatchObject({
      shallow: true,
      warnings: ['the repository is shallow: older history is missing'],
    })
    plainGit(path, 'checkout', '--quiet', '--detach')
    expect(await mirrors.look(path)).toMatchObject({ branch: null, commit })
  })

  it('warns of submodules and of files in Git LFS', async () => {
    const inner = repository({ 'lib.txt': 'lib\n' })
    const path = repository({ 'assets/.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n' })
    plainGit(path, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'vendor/lib')
    plainGit(path, 'commit', '--quiet', '--message', 'with a submodule')
    expect((await mirrors.look(path)).warnings).toEqual([
      'submodules (1) are not checked out',
      'files in Git LFS stay pointers',
    ])
  })

  it('runs neither a monitor, nor hooks, nor filters that the repository names', async () => {
    const path = repository({ 'a.txt': 'a\n', '.gitattributes': '* filter=trap\n' })
    const trace = join(bench.root, 'look-trace')
    const trap = folder('trap')
    writeFileSync(trap, `#!/bin/sh\necho "$0 $*" >>${trace}\n`, { mode: 0o755 })
    plainGit(path, 'config', 'core.fsmonitor', trap)
    plainGit(path, 'config', 'filter.trap.clean', trap)
    plainGit(path, 'config', 'filter.trap.process', trap)
    plainGit(path, 'config', 'filter.trap.required', 'true')
    writeFiles(path, { 'a.txt': 'changed\n' })
    const { dirty } = await mirrors.look(path)
    expect(dirty).toBe(true)
    await mirrors.refresh(path)
    expect(await exists(trace)).toBe(false)
    try {
      plainGit(path, 'status', '--porcelain')
    } catch {
      // The trap is no filter.
    }
    expect(await exists(trace)).toBe(true)
  })
})

describe('a repository that cannot be worked on is refused with the next command', () => {
  it('where nothing is', async () => {
    expect(await refusalOf(folder('nothing'))).toMatchObject({
      code: 'not_found',
      hint: expect.stringContaining('--repo'),
    })
  })

  it('where a file is', async () => {
    const path = folder('file')
    writeFileSync(path, '')
    expect(await refusalOf(path)).toMatchObject({ code: 'invalid_input', message: `${path} is not a directory` })
  })

  it('where no repository is', async () => {
    const path = folder('plain directory')
    mkdirSync(path)
    expect(await refusalOf(path)).toMatchObject({
      message: `${path} is not a git repository`,
      hint: expect.stringContaining(`git -C '${path}' init`),
    })
  })

  it('where nothing is committed', async () => {
    const path = folder('unborn')
    mkdirSync(path)
    plainGit(path, 'init', '--quiet')
    expect(await refusalOf(path)).toMatchObject({
      message: `${path} has no commits yet`,
      hint: expect.stringContaining('commit -m "First commit"'),
    })
  })

  it('where Agency would have to share its directory', async () => {
    const path = repository({ '.agency/x': 'x' })
    expect(await refusalOf(path)).toMatchObject({ hint: expect.stringContaining('rm -r --cached .agency') })
    // What counts is where the work begins.
    plainGit(path, 'branch', 'other')
    plainGit(path, 'rm', '-rq', '.agency')
    plainGit(path, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'Leave it')
    expect((await mirrors.look(path)).warnings).toEqual([])
    await expect(mirrors.look(path, 'other')).rejects.toMatchObject({ code: 'unsupported' })
  })

  it.skipIf(!isRoot)('where it belongs to somebody else, unless git was told to trust it', async () => {
    const path = repository()
    for (const each of [path, join(path, '.git')]) chownSync(each, 65_534, 65_534)
    const refusal = await refusalOf(path)
    expect(refusal).toMatchObject({ code: 'forbidden', hint: expect.stringContaining('safe.directory') })
    const home = folder('home')
    mkdirSync(home)
    writeFileSync(join(home, '.gitconfig'), `[safe]\n\tdirectory = ${path}\n\tdirectory = ${path}/.git\n`)
    await withHome(home, async () => {
      expect(await mirrors.look(path)).toMatchObject({ path })
      expect(await mirrors.refresh(path)).toMatchObject({ branch: 'main' })
    })
  })

  it.skipIf(isRoot)('where it may not be read', async () => {
    const path = repository()
    chmodSync(path, 0o000)
    expect(await refusalOf(path)).toMatchObject({ code: 'forbidden' })
    chmodSync(path, 0o700)
  })
})

it('does not count files that the operator ignores everywhere', async () => {
  const path = repository()
  const home = folder('home')
  writeFiles(home, { '.config/git/ignore': '.DS_Store\n' })
  writeFiles(path, { '.DS_Store': 'x' })
  expect((await mirrors.look(path)).dirty).toBe(true)
  await withHome(home, async () => expect((await mirrors.look(path)).dirty).toBe(false))
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
