// @suite process

import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { beforeEach, expect, it, onTestFinished } from 'vitest'

import { boxHere, createTestBox } from '../../test/support/box.ts'
import { commitFiles, plainGit } from '../../test/support/git-bench.ts'
import { createDirectoryWorkspaces } from './directory.ts'
import { disarmRepositories } from './disarm-repositories.ts'
import type { Workspace } from './port.ts'

let root: string

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'agency-disarm-')))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
})

/** Makes a repository whose settings run a program whenever git looks at it. */
function makeTrap(path: string, mark: string): string {
  mkdirSync(path, { recursive: true })
  plainGit(path, 'init', '--quiet', '--initial-branch=main')
  const commit = commitFiles(path, { 'a.txt': 'a', '.gitattributes': '*.txt filter=trap diff=trap\n' })
  const program = join(path, 'trap.sh')
  writeFileSync(program, `#!/bin/sh\ntouch ${mark}\ncat\n`, { mode: 0o755 })
  for (const name of ['post-checkout', 'post-index-change', 'pre-commit', 'reference-transaction'])
    writeFileSync(join(path, '.git', 'hooks', name), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 })
  for (const [key, value] of [
    ['core.fsmonitor', program],
    ['core.hooksPath', join(path, '.git', 'hooks')],
    ['core.pager', program],
    ['core.sshCommand', program],
    ['diff.external', program],
    ['diff.trap.textconv', program],
    ['filter.trap.clean', program],
    ['filter.trap.smudge', program],
    ['alias.status', `!${program}`],
    ['core.autocrlf', 'true'],
    ['core.worktree', '/'],
    ['include.path', '../more'],
    ['remote.origin.url', 'https://example.com/a.git'],
    ['remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*'],
    ['remote.origin.uploadpack', program],
    ['user.email', 'ada@example.com'],
  ] as const)
    writeFileSync(
      join(path, '.git', 'config'),
      `${readFileSync(join(path, '.git', 'config'), 'utf8')}[${key
        .split('.')
        .slice(0, -1)
        .join('.')
        .replace(/\.(.*)/, ' "$1"')}]\n\t${key.split('.').at(-1)} = ${value}\n`,
    )
  mkdirSync(join(path, '.git', 'info'), { recursive: true })
  writeFileSync(join(path, '.git', 'info', 'exclude'), 'hidden.txt\ntrap.sh\n')
  return commit
}

const useGit = 'git status; git diff; git log -p; git add -A; git commit -qm x --allow-empty; true'

it('runs no program of a repository, and keeps its commits and names', async () => {
  const mark = join(root, 'mark')
  const commit = makeTrap(join(root, 'place'), mark)
  await rm(mark, { force: true })
  expect(await disarmRepositories(join(root, 'place'))).toEqual([''])
  writeFileSync(join(root, 'place', 'hidden.txt'), 'hidden')
  execFileSync('sh', ['-c', useGit], {
    cwd: join(root, 'place'),
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], HOME: root },
  })
  expect(existsSync(mark)).toBe(false)
  expect(plainGit(join(root, 'place'), 'rev-list', '--max-parents=0', 'main')).toBe(commit)
  expect(plainGit(join(root, 'place'), 'config', 'remote.origin.url')).toBe('https://example.com/a.git')
  expect(plainGit(join(root, 'place'), 'config', 'user.email')).toBe('ada@example.com')
  expect(plainGit(join(root, 'place'), 'ls-files', 'hidden.txt')).toBe('hidden.txt')
  expect(readFileSync(join(root, 'place', '.git', 'config'), 'utf8')).not.toMatch(/trap|autocrlf|include|worktree/i)
})

it('reaches repositories in directories, and removes names that lead to another one', async () => {
  const place = join(root, 'place')
  const mark = join(root, 'mark')
  makeTrap(join(place, 'deep', 'inner'), mark)
  mkdirSync(join(place, 'named'))
  writeFileSync(join(place, 'named', '.git'), 'gitdir: ../deep/inner/.git\n')
  mkdirSync(join(place, 'linked'))
  symlinkSync('../deep/inner/.git', join(place, 'linked', '.git'))
  mkdirSync(join(place, 'nothing', '.git'), { recursive: true })
  symlinkSync(place, join(place, 'deep', 'loop'))
  expect(await disarmRepositories(place)).toEqual(['deep/inner'])
  expect(existsSync(join(place, 'deep', 'inner', '.git', 'hooks'))).toBe(false)
  for (const name of ['named', 'linked', 'nothing'])
    expect(lstatSync(join(place, name, '.git'), { throwIfNoEntry: false })).toBeUndefined()
})

it('borrows objects only from the mirror that is named', async () => {
  const place = join(root, 'place')
  const alternates = join(place, '.git', 'objects', 'info', 'alternates')
  makeTrap(place, join(root, 'mark'))
  mkdirSync(join(place, '.git', 'objects', 'info'), { recursive: true })
  writeFileSync(alternates, '/mirror/objects\n')
  writeFileSync(join(place, '.git', 'objects', 'info', 'commit-graph'), 'forged')
  await disarmRepositories(place, { mirror: '/mirror' })
  expect(readFileSync(alternates, 'utf8')).toBe('/mirror/objects\n')
  expect(existsSync(join(place, '.git', 'objects', 'info', 'commit-graph'))).toBe(false)
  await disarmRepositories(place, { mirror: '/other' })
  expect(existsSync(alternates)).toBe(false)
})

it.each([
  ['spaces', `[user]\n name = a${' '.repeat(200_000)}b"\n`],
  ['empty lines', '\n'.repeat(200_000)],
])('reads settings with many %s in time', async (_, settings) => {
  const place = join(root, 'place')
  mkdirSync(join(place, '.git/objects'), { recursive: true })
  writeFileSync(join(place, '.git/HEAD'), 'ref: refs/heads/main\n')
  writeFileSync(join(place, '.git/config'), settings)
  const began = performance.now()
  expect(await disarmRepositories(place)).toEqual([''])
  expect(performance.now() - began).toBeLessThan(5_000)
})

const places = [['without a box', false], ...(boxHere.ok ? [['in the box', true]] : [])] as [string, boolean][]

it.each(places)('gives verifiers and checks the commits of the doer and nothing that runs, %s', async (_, box) => {
  const workspaces = createDirectoryWorkspaces({ root, ...(box ? { box: await createTestBox() } : {}) })
  const doer = await workspaces.prepare({ id: 'brf_1', runId: 'run_1', box })
  const mark = join(doer.home, 'mark')
  const commit = makeTrap(doer.path, mark)
  await rm(mark, { force: true })
  await doer.write('hidden.txt', 'hidden')
  const verifier = await workspaces.prepare({
    id: 'brf_2',
    runId: 'run_1',
    copyOf: { id: 'brf_1', directory: null },
    box,
  })
  const source = { kind: 'workspace', workspace: { id: 'brf_1', runId: 'run_1' }, commit: null } as const
  const checkout = await workspaces.checkout({ id: `att_disarm_${process.pid}`, runId: 'run_1', source, box })
  const asked = async (place: Workspace): Promise<string> =>
    (
      await place.run('git rev-parse HEAD; git status --porcelain; git diff', {
        timeoutMs: 20_000,
        maxOutputBytes: 10_000,
      })
    ).output
  for (const place of [verifier, checkout]) expect(await asked(place)).toBe(`${commit}\n?? hidden.txt\n?? trap.sh\n`)
  expect(existsSync(mark)).toBe(false)
})
