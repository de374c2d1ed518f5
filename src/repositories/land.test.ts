// @suite process

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { describe, expect, it } from 'vitest'

import { commitFiles, createGitBench, fingerprint, plainGit, writeFiles } from '../../test/support/git-bench.ts'
import type { Landing } from './land.ts'

const bench = createGitBench()
const { mirrors, repository, folder } = bench
const again = 'agency approve run_1 --gate merge'

/** Creates a repository, and a commit in its mirror that adds `files`. */
async function ready(files: Record<string, string> = { 'b.txt': 'b\n' }, source = repository()) {
  const { path: mirror, commit: base } = await mirrors.refresh(source)
  const clone = folder('clone')
  await mirrors.clone({ mirror, branch: 'work', start: base, author: bench.author }, clone)
  const commit = commitFiles(clone, files)
  plainGit(mirror, 'fetch', '--quiet', clone, 'work:refs/heads/integration/run_1/final')
  const landing: Landing = { repository: source, branch: 'main', mirror, commit, base, again }
  return { source, mirror, base, commit, landing }
}

/** Leaves the state of a landing that was killed when it had written its files, but had not moved the branch. */
async function halfLanded() {
  const made = await ready({ 'b.txt': 'b\n', 'README.md': 'changed\n' })
  plainGit(made.source, 'fetch', '--quiet', made.mirror, made.commit)
  plainGit(made.source, 'read-tree', '-m', '-u', made.base, made.commit)
  return made
}

describe('landing', () => {
  it('fast-forwards a checked-out branch with its files, and leaves nothing else behind', async () => {
    const { source, landing, base, commit } = await ready()
    plainGit(source, 'remote', 'add', 'origin', 'https://example.com/x.git')
    const before = fingerprint(source)
    const log = plainGit(source, 'reflog', 'main').split('\n')
    expect(await mirrors.canLand(landing)).toEqual({ outcome: 'ready', commit: base })
    expect(fingerprint(source)).toEqual(before)
    expect(await mirrors.land(landing)).toMatchObject({ outcome: 'landed', commit, from: base })
    expect(readFileSync(join(source, 'b.txt'), 'utf8')).toBe('b\n')
    expect(plainGit(source, 'rev-parse', 'main')).toBe(commit)
    expect(plainGit(source, 'reflog', 'main').split('\n')).toHaveLength(log.length + 1)
    expect(plainGit(source, 'reflog', '-1', 'main')).toContain('agency: main: Fast-forward')
    const { refs, files, ...rest } = fingerprint(source)
    expect({ ...rest, refs: refs?.split('\n').length }).toEqual({ config: before['config'], status: '', refs: 1 })
    // `git merge` leaves ORIG_HEAD, with which it can be undone.
    expect(files).toBe(before['files']?.replace('branches', 'ORIG_HEAD branches') ?? '')
    plainGit(source, 'reset', '--quiet', '--keep', 'ORIG_HEAD')
    expect(plainGit(source, 'rev-parse', 'main')).toBe(base)
    expect(existsSync(join(source, 'b.txt'))).toBe(false)
  })

  it('gives files the permissions of the operator, although the daemon closes its own', async () => {
    const { source, landing } = await ready({ 'b.txt': 'b\n', 'README.md': 'changed\n', 'deep/c.txt': 'c\n' })
    const own = folder('own')
    const script = resolve(import.meta.dirname, '../../test/support/land-closed.ts')
    const words = [process.execPath, script, own, JSON.stringify(landing)]
    const said = execFileSync('sh', ['-c', 'umask 022; exec "$@"', 'sh', ...words], { encoding: 'utf8' })
    expect(said.trim()).toBe('landed')
    const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)
    expect(['b.txt', 'README.md', 'deep', 'deep/c.txt'].map((name) => modeOf(join(source, name)))).toEqual([
      '644',
      '644',
      '755',
      '644',
    ])
    expect(modeOf(join(own, 'own'))).toBe('600')
  })

  it('does nothing the second time', async () => {
    const { source, landing, commit } = await ready()
    await mirrors.land(landing)
    expect(await mirrors.land(landing)).toMatchObject({ outcome: 'already', commit })
    const later = commitFiles(source, { 'c.txt': 'c\n' })
    expect(await mirrors.land(landing)).toMatchObject({ outcome: 'already', commit: later })
    expect(await mirrors.canLand(landing)).toEqual({ outcome: 'already', commit: later })
  })

  it('of two results at once moves the branch to one, and reports it as moved to the other', async () => {
    const { source, mirror, base, landing } = await ready()
    const clone = folder('clone')
    await mirrors.clone({ mirror, branch: 'other', start: base, author: bench.author }, clone)
    const commit = commitFiles(clone, { 'c.txt': 'c\n' })
    plainGit(mirror, 'fetch', '--quiet', clone, 'other:refs/heads/integration/run_2/final')
    const both = await Promise.all([mirrors.land(landing), mirrors.land({ ...landing, commit })])
    expect(both).toMatchObject([
      { outcome: 'landed', commit: landing.commit },
      { outcome: 'moved', commit: landing.commit },
    ])
    expect(plainGit(source, 'status', '--porcelain')).toBe('')
  })

  it('reports a branch with new commits as moved, and lands after they are merged', async () => {
    const { source, mirror, landing } = await ready()
    const theirs = commitFiles(source, { 'theirs.txt': 'theirs\n' })
    expect(await mirrors.canLand(landing)).toEqual({ outcome: 'moved', commit: theirs })
    expect(await mirrors.land(landing)).toMatchObject({ outcome: 'moved', commit: theirs })
    await mirrors.refresh(source)
    const levels = [{ branch: 'integration/run_1/final', head: landing.commit, message: 'Merge main' }]
    const { commits } = await mirrors.merge({ mirror, commit: theirs, levels })
    const commit = commits[0] as string
    expect(await mirrors.land({ ...landing, commit })).toMatchObject({ outcome: 'landed', commit })
    expect(existsSync(join(source, 'b.txt')) && existsSync(join(source, 'theirs.txt'))).toBe(true)
  })

  it('runs no hook, not even one that fails or never ends', async () => {
    const { source, landing, commit } = await ready()
    const trace = folder('trace')
    for (const hook of ['post-merge', 'reference-transaction', 'post-checkout', 'pre-merge-commit', 'post-rewrite'])
      writeFileSync(join(source, '.git/hooks', hook), `#!/bin/sh\ntouch ${trace}\nsleep 600\nexit 1\n`, { mode: 0o755 })
    plainGit(source, 'config', 'core.hooksPath', join(source, '.git/hooks'))
    expect(await mirrors.land(landing)).toMatchObject({ outcome: 'landed', commit })
    expect(existsSync(trace)).toBe(false)
  })

  it('runs no filter of the repository on files of an agent', async () => {
    const trace = folder('trace')
    const { source, landing, commit } = await ready({ '.gitattributes': '* filter=trap\n', 'b.txt': 'b\n' })
    plainGit(source, 'config', 'filter.trap.smudge', `touch ${trace}; cat`)
    plainGit(source, 'config', 'filter.trap.clean', `touch ${trace}; cat`)
    plainGit(source, 'config', 'filter.trap.required', 'true')
    expect(await mirrors.land(landing)).toMatchObject({ outcome: 'landed', commit })
    expect(existsSync(trace)).toBe(false)
    plainGit(source, 'checkout', '--quiet', 'HEAD~1')
    plainGit(source, 'checkout', '--quiet', 'main')
    expect(existsSync(trace)).toBe(true)
  })

  it('ignores settings of the repository that would change the merge', async () => {
    const { source, landing, commit } = await ready()
    const trace = folder('trace')
    plainGit(source, 'config', 'branch.main.mergeOptions', '--squash --no-ff')
    plainGit(source, 'config', 'merge.verifySignatures', 'true')
    plainGit(source, 'config', 'core.fsmonitor', `touch ${trace};`)
    plainGit(source, 'config', 'core.alternateRefsCommand', `touch ${trace};`)
    expect(await mirrors.land(landing)).toMatchObject({ outcome: 'landed', commit })
    expect(existsSync(trace)).toBe(false)
  })

  it('moves a branch that is not checked out without touching a file', async () => {
    const { source, landing, commit } = await ready()
    plainGit(source, 'switch', '--quiet', '--create', 'topic')
    writeFiles(source, { 'README.md': 'in the middle of something\n' })
    expect(await mirrors.land(landing)).toMatchObject({ outcome: 'landed', commit })
    expect(plainGit(source, 'rev-parse', 'main')).toBe(commit)
    expect(plainGit(source, 'status', '--porcelain')).toBe('M README.md')
    expect(existsSync(join(source, 'b.txt'))).toBe(false)
    expect(plainGit(source, 'symbolic-ref', '--short', 'HEAD')).toBe('topic')
  })

  it('updates the worktree in which the branch is checked out', async () => {
    const { source, landing, commit } = await ready()
    plainGit(source, 'switch', '--quiet', '--create', 'topic')
    const worktree = folder('worktree')
    plainGit(source, 'worktree', 'add', '--quiet', worktree, 'main')
    expect(await mirrors.land(landing)).toMatchObject({ outcome: 'landed', commit })
    expect(existsSync(join(worktree, 'b.txt'))).toBe(true)
    expect(existsSync(join(source, 'b.txt'))).toBe(false)
  })

  it('lands in a bare and in a shallow repository', async () => {
    const origin = repository()
    commitFiles(origin, { 'c.txt': 'c\n' })
    const [bare, shallow] = [folder('bare.git'), folder('shallow')]
    plainGit(origin, 'clone', '--quiet', '--bare', origin, bare)
    plainGit(origin, 'clone', '--quiet', '--depth=1', `file://${origin}`, shallow)
    for (const source of [bare, shallow]) {
      const { landing, commit } = await ready({ 'b.txt': 'b\n' }, source)
      expect(await mirrors.land(landing)).toMatchObject({ outcome: 'landed', commit })
      expect(plainGit(source, 'rev-parse', 'main')).toBe(commit)
    }
    expect(plainGit(shallow, 'rev-list', '--count', 'main')).toBe('2')
  })
})

describe('refusing to land, with the next command', () => {
  it('refuses while there are uncommitted changes, staged or not', async () => {
    const { source, landing, base } = await ready()
    writeFiles(source, { 'README.md': 'changed\n' })
    const refusal = {
      code: 'conflict',
      message: `${source} has uncommitted changes: README.md`,
      hint: `Commit them, or stash them: git -C '${source}' stash, then: ${again}`,
    }
    await expect(mirrors.canLand(landing)).rejects.toMatchObject(refusal)
    await expect(mirrors.land(landing)).rejects.toMatchObject(refusal)
    plainGit(source, 'add', 'README.md')
    await expect(mirrors.land(landing)).rejects.toMatchObject(refusal)
    expect(plainGit(source, 'rev-parse', 'main')).toBe(base)
    plainGit(source, 'stash')
    expect((await mirrors.land(landing)).outcome).toBe('landed')
  })

  it('refuses while an untracked file is in the way; ignores other untracked files', async () => {
    const { source, landing } = await ready()
    writeFiles(source, { 'notes.txt': 'mine\n', 'b.txt': 'mine\n' })
    await expect(mirrors.land(landing)).rejects.toMatchObject({
      message: expect.stringMatching(/in the way .*: b\.txt$/),
    })
    expect(readFileSync(join(source, 'b.txt'), 'utf8')).toBe('mine\n')
    writeFiles(folder('aside'), { 'b.txt': 'mine\n' })
    plainGit(source, 'clean', '--quiet', '--force', 'b.txt')
    expect((await mirrors.land(landing)).outcome).toBe('landed')
    expect(readFileSync(join(source, 'notes.txt'), 'utf8')).toBe('mine\n')
  })

  it('replaces a tracked folder with a file, unless the folder has an untracked file', async () => {
    const source = repository()
    commitFiles(source, { 'd[1]/x.txt': 'x\n' })
    const { mirror, landing } = await ready({ 'b.txt': 'b\n' }, source)
    const clone = folder('clone')
    await mirrors.clone({ mirror, branch: 'file', start: landing.commit, author: bench.author }, clone)
    plainGit(clone, 'rm', '--quiet', '-r', '--', ':(literal)d[1]')
    const commit = commitFiles(clone, { 'd[1]': 'a file\n' })
    plainGit(mirror, 'fetch', '--quiet', clone, 'file:refs/heads/integration/run_1/final')
    writeFiles(source, { 'd[1]/mine.txt': 'mine\n' })
    await expect(mirrors.land({ ...landing, commit })).rejects.toMatchObject({
      message: expect.stringMatching(/in the way .*: d\[1\]\/mine\.txt$/),
    })
    rmSync(join(source, 'd[1]/mine.txt'))
    expect((await mirrors.land({ ...landing, commit })).outcome).toBe('landed')
    expect(readFileSync(join(source, 'd[1]'), 'utf8')).toBe('a file\n')
  })

  it('refuses during a merge and during a rebase', async () => {
    const { source, landing } = await ready()
    plainGit(source, 'switch', '--quiet', '--create', 'topic')
    commitFiles(source, { 'README.md': 'topic\n' })
    plainGit(source, 'switch', '--quiet', 'main')
    plainGit(source, 'branch', 'other')
    plainGit(source, 'switch', '--quiet', 'other')
    commitFiles(source, { 'README.md': 'other\n' })
    const { commit } = await mirrors.refresh(source, { branch: 'other' })
    const target = { ...landing, branch: 'other', commit }
    expect(() => plainGit(source, 'merge', 'topic')).toThrow('Command failed')
    await expect(mirrors.land({ ...target, commit: landing.commit })).rejects.toMatchObject({
      message: `a merge is in progress in ${source}`,
      hint: expect.stringContaining('merge --abort, then: agency approve'),
    })
    plainGit(source, 'merge', '--abort')
    expect(() => plainGit(source, 'rebase', 'topic')).toThrow('Command failed')
    await expect(mirrors.land({ ...target, commit: landing.commit })).rejects.toMatchObject({
      message: `a rebase is in progress in ${source}`,
    })
    // The other branch does not matter.
    expect((await mirrors.land(landing)).outcome).toBe('landed')
  })

  it('refuses while another process holds the index lock', async () => {
    const { source, landing, base } = await ready()
    writeFileSync(join(source, '.git/index.lock'), '')
    await expect(mirrors.land(landing)).rejects.toMatchObject({ code: 'conflict', message: /index\.lock/ })
    expect(plainGit(source, 'rev-parse', 'main')).toBe(base)
  })

  it('leaves the files as they were while another process holds the lock of the branch, and lands afterwards', async () => {
    const { source, landing, base, commit } = await ready({
      'b.txt': 'b\n',
      'README.md': 'changed\n',
      'd/e.txt': 'e\n',
    })
    writeFiles(source, { 'mine.txt': 'untracked\n' })
    const before = fingerprint(source)
    const lock = join(source, '.git/refs/heads/main.lock')
    writeFileSync(lock, '')
    await expect(mirrors.land(landing)).rejects.toMatchObject({ code: 'conflict', message: /main\.lock/ })
    rmSync(lock)
    expect(plainGit(source, 'rev-parse', 'main')).toBe(base)
    expect(fingerprint(source)['status']).toEqual(before['status'])
    expect(existsSync(join(source, 'd'))).toBe(false)
    expect(await mirrors.land(landing)).toMatchObject({ outcome: 'landed', commit })
    expect(plainGit(source, 'status', '--porcelain')).toBe('?? mine.txt')
  })

  it('completes a landing that was killed between its files and its branch', async () => {
    const { source, landing, base, commit } = await halfLanded()
    const half = fingerprint(source)
    expect(await mirrors.canLand(landing)).toEqual({ outcome: 'ready', commit: base })
    expect(fingerprint(source)).toEqual(half)
    expect(await mirrors.land(landing)).toMatchObject({ outcome: 'landed', commit })
    expect(plainGit(source, 'status', '--porcelain')).toBe('')
  })

  it('refuses files of a landing that the operator has changed since', async () => {
    const { source, landing } = await halfLanded()
    writeFiles(source, { 'b.txt': 'mine\n' })
    const before = fingerprint(source)
    await expect(mirrors.land(landing)).rejects.toMatchObject({ message: /has uncommitted changes/ })
    expect(fingerprint(source)).toEqual(before)
    expect(readFileSync(join(source, 'b.txt'), 'utf8')).toBe('mine\n')
  })

  it('refuses a branch without the commit that the work began with, whether it was reset or rewritten', async () => {
    const source = repository()
    const first = plainGit(source, 'rev-parse', 'main')
    commitFiles(source, { 'secret.txt': 'dropped later\n' })
    const { landing, base } = await ready({ 'b.txt': 'b\n' }, source)
    plainGit(source, 'reset', '--quiet', '--hard', first)
    const refusal = {
      code: 'conflict',
      message: `main no longer contains ${base.slice(0, 12)}, with which the work began`,
      hint: expect.stringContaining(`merge ${base.slice(0, 12)}), then: ${again}`) as string,
    }
    await expect(mirrors.canLand(landing)).rejects.toMatchObject(refusal)
    await expect(mirrors.land(landing)).rejects.toMatchObject(refusal)
    commitFiles(source, { 'c.txt': 'instead\n' })
    await expect(mirrors.land(landing)).rejects.toMatchObject(refusal)
    expect(existsSync(join(source, 'secret.txt'))).toBe(false)
    plainGit(source, 'reset', '--quiet', '--hard', base)
    expect((await mirrors.land(landing)).outcome).toBe('landed')
  })

  it('refuses if the branch or the repository no longer exists', async () => {
    const { landing } = await ready()
    await expect(mirrors.land({ ...landing, branch: 'gone' })).rejects.toMatchObject({ code: 'not_found' })
    await expect(mirrors.land({ ...landing, repository: folder('gone') })).rejects.toMatchObject({ code: 'not_found' })
  })
})
