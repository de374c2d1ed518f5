// @suite process

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'

import { isRunning } from '../../test/support/processes.ts'
import { createDirectoryWorkspaces } from './directory.ts'
import type { Workspace, Workspaces } from './port.ts'

let base: string
let workspaces: Workspaces
let workspace: Workspace
const limits = { timeoutMs: 10_000, maxOutputBytes: 10_000 }
const brief = { id: 'brf_1', runId: 'run_1' }

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'agency-directory-'))
  onTestFinished(() => rm(base, { recursive: true, force: true }))
  workspaces = createDirectoryWorkspaces({ root: join(base, 'workspaces') })
  workspace = await workspaces.prepare(brief)
  await writeFile(join(base, 'secret.txt'), 'secret')
})

const inside = (path: string) => join(workspace.path, path)
it('creates the directory of the brief with its outbox, accessible only to its owner', async () => {
  expect(workspace.path.endsWith('/workspaces/run_1/brf_1')).toBe(true)
  expect((await lstat(inside('.agency/outbox'))).isDirectory()).toBe(true)
  expect((await lstat(workspace.path)).mode & 0o777).toBe(0o700)
})

it('works below a root that is a symbolic link', async () => {
  await mkdir(join(base, 'real'))
  await symlink(join(base, 'real'), join(base, 'linked'))
  const linked = await createDirectoryWorkspaces({ root: join(base, 'linked') }).prepare(brief)
  await linked.write('a.txt', 'a')
  expect(await linked.read('a.txt', 10)).toMatchObject({ text: 'a' })
})

it('follows links that stay inside the workspace and no others', async () => {
  await workspace.write('a.txt', 'a')
  await symlink('a.txt', inside('inner'))
  await symlink(join(base, 'secret.txt'), inside('absolute'))
  await symlink('../../../secret.txt', inside('relative'))
  await symlink(base, inside('directory'))
  await symlink('loop', inside('loop'))
  expect(await workspace.read('inner', 10)).toMatchObject({ text: 'a' })
  for (const path of ['absolute', 'relative', 'directory/secret.txt', 'loop', 'directory']) {
    expect(await workspace.read(path, 10), path).toBeNull()
  }
})

it('does not block on FIFOs, devices, sockets and directories', async () => {
  await promisify(execFile)('mkfifo', [inside('fifo')])
  await symlink('/dev/zero', inside('zero'))
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(inside('socket'), resolve))
  onTestFinished(() => void server.close())
  for (const path of ['fifo', 'zero', 'socket', '.agency', 'fifo/x'])
    expect(await workspace.read(path, 10), path).toBeNull()
  for (const path of ['fifo', 'zero', 'socket', '.agency', 'fifo/x']) {
    await expect(workspace.write(path, 'x'), path).rejects.toMatchObject({ code: 'invalid_input' })
  }
})

it('does not hash a file of terabytes', async () => {
  await workspace.write('sparse', '')
  await truncate(inside('sparse'), 5 * 1024 ** 4)
  expect(await workspace.read('sparse', 10)).toBeNull()
})

it('never writes through a link that leads outside', async () => {
  await symlink(join(base, 'secret.txt'), inside('file'))
  await symlink(base, inside('directory'))
  await symlink(join(base, 'nowhere'), inside('dangling'))
  for (const path of ['file', 'directory/new.txt', 'directory/new/new.txt', 'dangling', 'dangling/new.txt']) {
    await expect(workspace.write(path, 'x'), path).rejects.toMatchObject({ code: 'invalid_input' })
  }
  expect(await readFile(join(base, 'secret.txt'), 'utf8')).toBe('secret')
  expect((await readdir(base)).sort()).toEqual(['secret.txt', 'workspaces'])
})

it('recreates its own directories that an agent replaced by links', async () => {
  await mkdir(join(base, 'target'))
  await writeFile(join(base, 'target', 'kept'), 'kept')
  await rename(inside('.agency'), inside('moved'))
  await symlink(join(base, 'target'), inside('.agency'))
  await workspaces.prepare(brief)
  expect((await lstat(inside('.agency'))).isDirectory()).toBe(true)
  expect(await readdir(join(base, 'target'))).toEqual(['kept'])
  await rm(inside('.agency/outbox'), { recursive: true })
  await symlink(join(base, 'target'), inside('.agency/outbox'))
  await workspaces.prepare(brief)
  expect(await readdir(inside('.agency/outbox'))).toEqual([])
  expect(await readdir(join(base, 'target'))).toEqual(['kept'])
})

it('gives a command none of the daemon’s environment', async () => {
  process.env['AGENCY_FAKE_SECRET'] = 'hunter2'
  onTestFinished(() => void delete process.env['AGENCY_FAKE_SECRET'])
  const { output } = await workspace.run('env', limits)
  const names = output.split('\n').map((line) => line.split('=')[0])
  // PWD and similar variables are set by the shell.
  expect(names.filter((name) => !['', 'PWD', 'OLDPWD', 'SHLVL', '_'].includes(name ?? '')).sort()).toEqual([
    'HOME',
    'LANG',
    'PATH',
  ])
  expect(output).toContain(`HOME=${workspace.home}\n`)
})

it('keeps both outputs in the order in which they were written', async () => {
  const { output, outputSha256 } = await workspace.run('echo 1; echo 2 >&2; echo 3; echo 4 >&2', limits)
  expect(output).toBe('1\n2\n3\n4\n')
  expect(outputSha256).toBe(createHash('sha256').update(output).digest('hex'))
})

it('gives a command an empty standard input', async () => {
  expect(await workspace.run('cat; echo end', limits)).toMatchObject({ output: 'end\n', exitCode: 0 })
})

it('distinguishes exit codes from signals', async () => {
  expect(await workspace.run('exit 3', limits)).toMatchObject({ exitCode: 3, signal: null, timedOut: false })
  expect(await workspace.run('kill -9 $$', limits)).toMatchObject({
    exitCode: null,
    signal: 'SIGKILL',
    timedOut: false,
  })
})

it('passes quotes, newlines and dollars to the shell unchanged', async () => {
  expect(await workspace.run(`x='a "b"'\necho "$x" '$HOME'`, limits)).toMatchObject({ output: 'a "b" $HOME\n' })
})

it('ends a command that exceeds its timeout, with all its processes', async () => {
  const result = await workspace.run('sleep 1000 & echo $!; wait', { timeoutMs: 200, maxOutputBytes: 100 })
  expect(result).toMatchObject({ timedOut: true, exitCode: null, signal: 'SIGTERM' })
  await vi.waitUntil(() => !isRunning(Number(result.output)), { timeout: 15_000 })
})

it('ends a command when its signal aborts', async () => {
  const stop = new AbortController()
  const running = workspace.run('echo x > begun; sleep 1000', { ...limits, signal: stop.signal })
  await vi.waitUntil(async () => (await workspace.read('begun', 10))?.text === 'x\n')
  stop.abort()
  expect(await running).toMatchObject({ timedOut: false, exitCode: null, signal: 'SIGTERM' })
})

it('kills a command that ignores SIGTERM', async () => {
  const result = await workspace.run('trap "" TERM; sleep 1000', { timeoutMs: 100, maxOutputBytes: 100 })
  expect(result).toMatchObject({ timedOut: true, exitCode: null, signal: 'SIGKILL' })
})

it('does not wait for a background process of a command, and kills it', async () => {
  const result = await workspace.run('sleep 1000 & echo $!', limits)
  expect(result).toMatchObject({ exitCode: 0, timedOut: false })
  await vi.waitUntil(() => !isRunning(Number(result.output)), { timeout: 15_000 })
})

it('does not wait for a background process that left the group and keeps the output open', async () => {
  const result = await workspace.run('setsid sleep 1000 & echo $!', limits)
  const pid = Number(result.output)
  onTestFinished(() => void (isRunning(pid) && process.kill(pid, 'SIGKILL')))
  expect(result).toMatchObject({ exitCode: 0, timedOut: false })
  expect(result.durationMs).toBeLessThan(5_000)
})

it('kills a process that left the group of a command by its launch id', async () => {
  workspace = await workspaces.prepare({ ...brief, attemptId: `att_directory_${process.pid}` })
  const result = await workspace.run('setsid sleep 1000 >/dev/null & echo $!', limits)
  expect(result).toMatchObject({ exitCode: 0, timedOut: false })
  await vi.waitUntil(() => !isRunning(Number(result.output)))
})

it('reports that a command could not start if the workspace was removed', async () => {
  await rm(workspace.path, { recursive: true })
  const result = await workspace.run('true', limits)
  expect(result).toMatchObject({ exitCode: null, signal: null, output: 'could not be started (ENOENT)' })
  await expect(workspace.write('a', 'a')).rejects.toMatchObject({ code: 'not_found' })
})

it('works in the workspace of a mission, and refuses directories outside the root', async () => {
  const root = join(base, 'workspaces')
  await mkdir(join(root, 'missions/coding/app'), { recursive: true })
  const mission = await workspaces.prepare({ ...brief, directory: join(root, 'missions/coding/app') })
  expect(mission.path).toBe(join(await realpath(root), 'missions/coding/app'))
  expect(mission.home).toBe(`${mission.path}.home`)
  await symlink(base, join(root, 'missions/out'))
  const refused = (directory: string, code: string) =>
    expect(workspaces.prepare({ ...brief, directory }), directory).rejects.toMatchObject({ code })
  await refused(join(root, 'missions/out'), 'forbidden')
  await refused(base, 'forbidden')
  await refused(root, 'forbidden')
  await refused(join(root, 'missions/none'), 'not_found')
})

it('creates the requested clone before any file of Agency is in the directory', async () => {
  const orders: string[] = []
  const clone = { mirror: '/mirror.git', branch: 'feature/x', start: 'c0ffee' }
  const withClones = createDirectoryWorkspaces({
    root: join(base, 'clones'),
    materialise: async (order, path) => {
      orders.push(`${order.branch} ${(await readdir(path)).join()}`)
      await mkdir(join(path, '.git'), { recursive: true })
    },
  })
  const cloned = await withClones.prepare({ ...brief, clone })
  expect((await readdir(cloned.path)).sort()).toEqual(['.agency', '.git'])
  expect(orders).toEqual(['feature/x '])
  await expect(workspaces.prepare({ ...brief, clone })).rejects.toMatchObject({ code: 'bug' })
})
