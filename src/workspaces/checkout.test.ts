// @suite process

import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statfsSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it, vi } from 'vitest'

import { boxHere, createTestBox } from '../../test/support/box.ts'
import { commitFiles, createGitBench, plainGit, writeFiles } from '../../test/support/git-bench.ts'
import { mountDisk, mountsMissing } from '../../test/support/mounts.ts'
import { isRunning } from '../../test/support/processes.ts'
import { systemIds } from '../kernel/ids.ts'
import { engineAuthor } from '../repositories/author.ts'
import { checkoutName, checkoutsDirectory } from './checkout.ts'
import { createDirectoryWorkspaces, type DirectoryWorkspaces } from './directory.ts'
import { defaultPolicy } from './policy.ts'
import type { CheckoutRequest, Workspaces } from './port.ts'

const bench = createGitBench()
const { mirrors, repository, folder } = bench
const limits = { timeoutMs: 20_000, maxOutputBytes: 100_000 }
const branch = 'feature/run_1/main/brf_1'
/** Processes are found by this id, also those of tests that run at the same time. */
const id = systemIds.next('attempt')

const open = (parts: Partial<DirectoryWorkspaces> = {}): { workspaces: Workspaces; root: string } => {
  const root = parts.root ?? folder('workspaces')
  const workspaces = createDirectoryWorkspaces({
    root,
    materialise: (clone, path, options) => mirrors.clone({ ...clone, author: engineAuthor }, path, options),
    ...parts,
  })
  return { workspaces, root }
}

const mirrorOf = async (files: Record<string, string>) => {
  const { path: mirror, commit } = await mirrors.refresh(repository(files))
  return { mirror, commit }
}

const request = (source: CheckoutRequest['source'], more: Partial<CheckoutRequest> = {}): CheckoutRequest => ({
  id,
  runId: 'run_1',
  source,
  ...more,
})

const leftIn = (root: string): string[] => readdirSync(join(root, checkoutsDirectory))

describe('a checkout of a commit', () => {
  it('has exactly the files of the commit, a repository of its own and an empty HOME', async () => {
    const { mirror, commit } = await mirrorOf({ 'a.txt': 'a', 'deep/b.txt': 'b', '.gitignore': 'dist/\n' })
    const { workspaces, root } = open()
    const checkout = await workspaces.checkout(request({ kind: 'commit', mirror, branch, commit }))
    expect(readdirSync(checkout.path).sort()).toEqual(['.git', '.gitignore', 'a.txt', 'deep'])
    expect(plainGit(checkout.path, 'rev-parse', 'HEAD')).toBe(commit)
    expect(plainGit(checkout.path, 'status', '--porcelain', '--ignored')).toBe('')
    expect(readdirSync(checkout.home)).toEqual([])
    for (const path of [checkout.path, checkout.home]) expect(statSync(path).mode & 0o777).toBe(0o700)
    await checkout.run('echo x > left.txt; echo y > ~/left.txt', limits)
    await checkout.remove()
    expect(leftIn(root)).toEqual([])
  })

  it('has only the requested paths, and the others do not count as deleted', async () => {
    const { mirror, commit } = await mirrorOf({
      'a.txt': 'a',
      'src/b.txt': 'b',
      'src/deep/c.txt': 'c',
      'other/src/d.txt': 'd',
      '[x]*.txt': 'odd',
      'x.txt': 'x',
    })
    const { workspaces } = open()
    const paths = ['./src/', 'a.txt', '[x]*.txt']
    const checkout = await workspaces.checkout(request({ kind: 'commit', mirror, branch, commit, paths }))
    expect(readdirSync(checkout.path).sort()).toEqual(['.git', '[x]*.txt', 'a.txt', 'src'])
    expect(readdirSync(join(checkout.path, 'src')).sort()).toEqual(['b.txt', 'deep'])
    expect(plainGit(checkout.path, 'status', '--porcelain')).toBe('')
  })

  it('has all files if the top is requested', async () => {
    const { mirror, commit } = await mirrorOf({ 'a.txt': 'a', 'src/deep/c.txt': 'c' })
    const { workspaces } = open()
    for (const [paths, files] of [
      [['.'], ['.git', 'a.txt', 'src']],
      [
        ['./', 'src'],
        ['.git', 'a.txt', 'src'],
      ],
      [['src/.//deep'], ['.git', 'src']],
    ] as const) {
      const checkout = await workspaces.checkout(request({ kind: 'commit', mirror, branch, commit, paths }))
      expect(readdirSync(checkout.path).sort()).toEqual(files)
    }
  })

  it('is made at the same time as the first others', async () => {
    const { mirror, commit } = await mirrorOf({ 'a.txt': 'a' })
    const { workspaces } = open()
    const source = { kind: 'commit', mirror, branch, commit } as const
    const made = await Promise.all(
      Array.from({ length: 12 }, (_, number) => workspaces.checkout({ ...request(source), id: `att_many_${number}` })),
    )
    for (const { path } of made) expect(readdirSync(path).sort()).toEqual(['.git', 'a.txt'])
  })

  it('is empty if no file has a requested path', async () => {
    const { mirror, commit } = await mirrorOf({ 'a.txt': 'a' })
    const { workspaces } = open()
    const source = { kind: 'commit', mirror, branch, commit, paths: ['missing'] } as const
    expect(readdirSync((await workspaces.checkout(request(source))).path)).toEqual(['.git'])
  })

  it('leaves nothing behind if git cannot make it', async () => {
    const { mirror } = await mirrorOf({ 'a.txt': 'a' })
    const { workspaces, root } = open()
    const commit = 'f'.repeat(40)
    await expect(workspaces.checkout(request({ kind: 'commit', mirror, branch, commit }))).rejects.toThrow(/git/)
    expect(leftIn(root)).toEqual([])
  })

  it('replaces the rest of an interrupted one, and ends a process that still works on it', async () => {
    const { mirror, commit } = await mirrorOf({ 'a.txt': 'a' })
    const { workspaces, root } = open()
    const name = checkoutName(id)
    const rest = join(root, checkoutsDirectory, name)
    for (const path of [join(rest, 'dir'), `${rest}.home`, join(root, checkoutsDirectory, `.${name}.git`)])
      mkdirSync(path, { recursive: true })
    writeFileSync(join(rest, 'stale.txt'), 'stale')
    const orphan = spawn('sleep', ['1000'], { env: { ...process.env, AGENCY_LAUNCH_ID: id }, detached: true })
    const checkout = await workspaces.checkout(request({ kind: 'commit', mirror, branch, commit }))
    expect(readdirSync(checkout.path).sort()).toEqual(['.git', 'a.txt'])
    expect(readdirSync(checkout.home)).toEqual([])
    await vi.waitFor(() => expect(isRunning(orphan.pid as number)).toBe(false))
    expect(leftIn(root).sort()).toEqual([name, `${name}.home`])
  })

  it('ends git and leaves nothing behind when it is aborted', async () => {
    const { mirror, commit } = await mirrorOf({ 'a.txt': 'a' })
    const stop = new AbortController()
    const { workspaces, root } = open({
      materialise: async (clone, path, options) => {
        await mirrors.clone({ ...clone, author: engineAuthor }, path, { ...options })
        stop.abort(new Error('stopped'))
        options?.signal?.throwIfAborted()
      },
    })
    const source = { kind: 'commit', mirror, branch, commit } as const
    await expect(workspaces.checkout(request(source, { signal: stop.signal }))).rejects.toThrow('stopped')
    expect(leftIn(root)).toEqual([])
  })
})

it('removes checkouts of an earlier process, but not those in use', async () => {
  const { mirror, commit } = await mirrorOf({ 'a.txt': 'a' })
  const { workspaces, root } = open()
  const source = { kind: 'commit', mirror, branch, commit } as const
  await workspaces.removeCheckouts(new Set())
  for (const each of [id, 'att_2', 'prf_3']) await workspaces.checkout(request(source, { id: each }))
  mkdirSync(join(root, checkoutsDirectory, `.${checkoutName('att_4')}.git`))
  mkdirSync(join(root, checkoutsDirectory, `.removed-${checkoutName('att_5')}`, 'half'), { recursive: true })
  await workspaces.removeCheckouts(new Set(['att_2']))
  const inUse = leftIn(root).filter((name) => !name.startsWith('.removed-'))
  const names = [checkoutName('att_2'), `${checkoutName('att_2')}.home`]
  expect(inUse.sort()).toEqual(names)
  await vi.waitFor(() => expect(leftIn(root).sort()).toEqual(names))
})

describe('a copy of a workspace', () => {
  const doer = { id: 'brf_1', runId: 'run_1' }
  const copyOf = (more: Partial<CheckoutRequest> = {}) =>
    request({ kind: 'workspace', workspace: doer, commit: null }, more)

  it('copies links, FIFOs, devices, holes and hard links as what they are', async () => {
    const { workspaces } = open()
    const workspace = await workspaces.prepare(doer)
    const at = (name: string): string => join(workspace.path, name)
    const secret = folder('secret')
    writeFileSync(secret, 'secret')
    symlinkSync(secret, at('link'))
    symlinkSync('/', at('root'))
    symlinkSync('loop', at('loop'))
    execFileSync('mkfifo', [at('fifo')])
    if (process.getuid?.() === 0) execFileSync('mknod', [at('zero'), 'c', '1', '5'])
    writeFileSync(at('sparse'), 'x')
    truncateSync(at('sparse'), 1024 ** 4)
    writeFileSync(at('one'), 'one')
    linkSync(at('one'), at('two'))
    mkdirSync(at('closed'))
    writeFileSync(join(at('closed'), 'inner'), 'inner')
    chmodSync(at('closed'), 0o000)
    writeFileSync(at('-rf'), 'a name like an option')
    execFileSync('sh', ['-c', String.raw`printf raw > "$(printf '\377\n')"`], { cwd: workspace.path })
    const freeBefore = statfsSync(workspace.path).bavail
    const checkout = await workspaces.checkout(copyOf())
    const copy = (name: string): string => join(checkout.path, name)
    expect(readlinkSync(copy('link'))).toBe(secret)
    expect(readlinkSync(copy('root'))).toBe('/')
    expect(readlinkSync(copy('loop'))).toBe('loop')
    expect(lstatSync(copy('fifo')).isFIFO()).toBe(true)
    if (process.getuid?.() === 0) expect(lstatSync(copy('zero')).isCharacterDevice()).toBe(true)
    expect(statSync(copy('sparse')).size).toBe(1024 ** 4)
    expect(freeBefore - statfsSync(workspace.path).bavail).toBeLessThan(100_000)
    expect(lstatSync(copy('closed')).mode & 0o777).toBe(0)
    expect(readFileSync(copy('-rf'), 'utf8')).toBe('a name like an option')
    expect(readdirSync(checkout.path)).toHaveLength(readdirSync(workspace.path).length - 1)
    writeFileSync(copy('one'), 'changed')
    expect(readFileSync(at('two'), 'utf8')).toBe('one')
    await checkout.remove()
    expect(existsSync(checkout.path)).toBe(false)
    expect(readFileSync(secret, 'utf8')).toBe('secret')
  })

  it('lacks directories that are nested too deeply for any program, and is removed', async () => {
    const { workspaces } = open()
    const workspace = await workspaces.prepare(doer)
    const nest = 'for i in $(seq 300); do mkdir a-directory-in-a-directory && cd a-directory-in-a-directory; done'
    execFileSync('sh', ['-c', `(${nest}); echo a > a.txt`], { cwd: workspace.path })
    const checkout = await workspaces.checkout(copyOf())
    expect(readFileSync(join(checkout.path, 'a.txt'), 'utf8')).toBe('a\n')
    execFileSync('sh', ['-c', `mkdir inner; cd inner; (${nest}); true`], { cwd: checkout.path })
    await checkout.remove()
    expect(existsSync(checkout.path)).toBe(false)
    await workspaces.remove(doer)
    expect(existsSync(workspace.path)).toBe(false)
  })

  it('has the repository of the workspace if no commit is requested', async () => {
    const { workspaces } = open()
    const workspace = await workspaces.prepare(doer)
    plainGit(workspace.path, 'init', '--quiet')
    const commit = commitFiles(workspace.path, { 'a.txt': 'a' })
    const checkout = await workspaces.checkout(copyOf())
    expect(plainGit(checkout.path, 'rev-parse', 'HEAD')).toBe(commit)
  })

  it('resets tracked files to a commit, keeps the others, and runs no program of the repository', async () => {
    const { mirror, commit } = await mirrorOf({
      'tracked.txt': 'as committed',
      'deep/file.txt': 'deep',
      'replaced.txt': 'a file',
      '.gitattributes': '* filter=trap\n',
      '.gitignore': 'node_modules/\n',
    })
    const { workspaces } = open()
    const clone = { mirror, branch, start: commit }
    const workspace = await workspaces.prepare({ ...doer, clone })
    const at = (name: string): string => join(workspace.path, name)
    const outside = folder('outside')
    mkdirSync(outside)
    const trace = folder('trace')
    const trap = folder('trap')
    writeFileSync(trap, `#!/bin/sh\ntouch ${trace}\ncat\n`, { mode: 0o755 })
    plainGit(workspace.path, 'config', 'filter.trap.smudge', trap)
    plainGit(workspace.path, 'config', 'filter.trap.clean', trap)
    plainGit(workspace.path, 'config', 'core.fsmonitor', trap)
    writeFileSync(at('.git/hooks-trap'), 'x')
    writeFiles(workspace.path, { 'tracked.txt': 'bent', 'node_modules/dep/index.js': 'dep', 'untracked.txt': 'u' })
    execFileSync('rm', ['-rf', at('deep'), at('replaced.txt')])
    symlinkSync(outside, at('deep'))
    mkdirSync(at('replaced.txt/inner'), { recursive: true })
    const source = { kind: 'workspace', workspace: { ...doer, clone }, commit } as const
    const checkout = await workspaces.checkout(request(source))
    const read = (name: string): string => readFileSync(join(checkout.path, name), 'utf8')
    expect(read('tracked.txt')).toBe('as committed')
    expect(read('deep/file.txt')).toBe('deep')
    expect(read('replaced.txt')).toBe('a file')
    expect(read('node_modules/dep/index.js')).toBe('dep')
    expect(read('untracked.txt')).toBe('u')
    expect(readdirSync(outside)).toEqual([])
    expect(existsSync(trace)).toBe(false)
    expect(existsSync(join(checkout.path, '.git/hooks-trap'))).toBe(false)
    expect(plainGit(checkout.path, 'status', '--porcelain')).toBe('?? untracked.txt')
    expect(plainGit(checkout.path, 'rev-parse', 'HEAD')).toBe(commit)
    expect(readFileSync(at('tracked.txt'), 'utf8')).toBe('bent')
  })

  it('has no file of its start that another commit has removed', async () => {
    const source = repository({ 'kept.txt': 'one', 'gone.txt': 'gone', 'gone/deep.txt': 'gone', 'linked/a.txt': 'a' })
    const { path: mirror, commit: start } = await mirrors.refresh(source)
    const { workspaces } = open()
    const clone = { mirror, branch, start }
    const workspace = await workspaces.prepare({ ...doer, clone })
    writeFiles(workspace.path, { 'gone.txt': 'changed by the agent', 'own.txt': 'own', 'gone/own.txt': 'own' })
    const outside = folder('outside')
    writeFiles(outside, { 'a.txt': 'of the operator' })
    execFileSync('rm', ['-r', join(workspace.path, 'linked')])
    symlinkSync(outside, join(workspace.path, 'linked'))
    plainGit(source, 'rm', '--quiet', 'gone.txt', 'gone/deep.txt', 'linked/a.txt')
    commitFiles(source, { 'kept.txt': 'two' })
    const { commit } = await mirrors.refresh(source)
    const checkout = await workspaces.checkout(request({ kind: 'workspace', workspace: { ...doer, clone }, commit }))
    expect(readdirSync(checkout.path).sort()).toEqual(['.git', 'gone', 'kept.txt', 'linked', 'own.txt'])
    expect(readdirSync(outside)).toEqual(['a.txt'])
    expect(readdirSync(join(checkout.path, 'gone'))).toEqual(['own.txt'])
    expect(readFileSync(join(checkout.path, 'kept.txt'), 'utf8')).toBe('two')
  })

  it('ends the copying and leaves nothing behind when it is aborted', async () => {
    const { workspaces, root } = open()
    const workspace = await workspaces.prepare(doer)
    const part = Buffer.alloc(64 * 1024 ** 2, 1)
    for (let number = 0; number < 4; number += 1) writeFileSync(join(workspace.path, 'large'), part, { flag: 'a' })
    const stop = new AbortController()
    const making = workspaces.checkout(copyOf({ signal: stop.signal }))
    const copy = join(root, checkoutsDirectory, checkoutName(id), 'large')
    void vi
      .waitFor(() => expect(existsSync(copy)).toBe(true), { interval: 1 })
      .then(() => stop.abort(new Error('stopped')))
    await expect(making).rejects.toThrow('stopped')
    expect(leftIn(root)).toEqual([])
  })
})

const missing = mountsMissing()
if (missing !== null) console.log(`skipped, full disks: ${missing}`)

describe.skipIf(missing !== null)('a checkout on a full disk', () => {
  it('is refused before it is begun if the disk has no space for a copy', async () => {
    const { workspaces, root } = open({ root: join(mountDisk(90_000).folder, 'workspaces') })
    const workspace = await workspaces.prepare({ id: 'brf_1', runId: 'run_1' })
    writeFileSync(join(workspace.path, 'large.bin'), Buffer.alloc(30_000_000, 1))
    const source = { kind: 'workspace', workspace: { id: 'brf_1', runId: 'run_1' }, commit: null } as const
    await expect(workspaces.checkout(request(source))).rejects.toMatchObject({
      code: 'store_full',
      message: expect.stringMatching(/^a copy of files needs \d+ MB of disk space, and \d+ MB are free$/),
    })
    expect(leftIn(root)).toEqual([])
  })

  it('is an error that leaves nothing behind if the disk becomes full, and works once there is space', async () => {
    const noise = randomBytes(3_000_000).toString('base64')
    const { mirror, commit } = await mirrorOf({ 'noise.txt': noise })
    const { workspaces, root } = open({ root: join(mountDisk(6_000).folder, 'workspaces') })
    const filling = join(root, 'filling')
    mkdirSync(root, { recursive: true })
    writeFileSync(filling, Buffer.alloc(4_000_000))
    const source = { kind: 'commit', mirror, branch, commit } as const
    await expect(workspaces.checkout(request(source))).rejects.toThrow(/No space|unable to write|write error/)
    expect(leftIn(root)).toEqual([])
    truncateSync(filling, 0)
    const checkout = await workspaces.checkout(request(source))
    expect(readFileSync(join(checkout.path, 'noise.txt'), 'utf8')).toHaveLength(noise.length)
  })
})

describe.skipIf(!boxHere.ok)(`a checkout in a box${boxHere.ok ? '' : ` (${boxHere.reason})`}`, () => {
  it('sees no trace of Agency, neither its files nor its socket nor its variables', async () => {
    const { mirror, commit } = await mirrorOf({ 'a.txt': 'a' })
    const { workspaces } = open({
      box: await createTestBox({ connect: () => (connection) => void connection.destroy() }),
    })
    const source = { kind: 'commit', mirror, branch, commit } as const
    const checkout = await workspaces.checkout(request(source, { box: true, policy: defaultPolicy('program') }))
    expect(checkout.boxed).toBe(true)
    const { output, exitCode } = await checkout.run(
      `env | grep -ciE '[a]gency|[a]tt_|brf_'; ls -A; find / -name agency.sock 2>/dev/null | wc -l; git status --short; ls -A ~; touch ~/x y
cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ /proc/self/mountinfo 2>/dev/null | tr '\\000' '\\n' | grep -E '[a]tt_|[c]heckout|[A]GENCY_'; pwd; echo ~; hostname`,
      limits,
    )
    const place = expect.stringMatching(
      /^0\n\.git\na\.txt\n0\n\/(work|workspace|srv\/work|mnt\/work)\n\/home\/agent\nlocalhost\n$/,
    )
    expect({ output, exitCode }).toEqual({ output: place, exitCode: 0 })
  })

  it('has no network if the policy says so', async () => {
    const { mirror, commit } = await mirrorOf({ 'a.txt': 'a' })
    const { workspaces } = open({ box: await createTestBox() })
    const source = { kind: 'commit', mirror, branch, commit } as const
    const policy = defaultPolicy('program', { network: { allowed: false } })
    const checkout = await workspaces.checkout(request(source, { box: true, policy }))
    expect((await checkout.run('env | grep -ci proxy; ls /run/proxy', limits)).output).toBe('0\n')
  })
})
