// @suite process

import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'

import { freshFolder } from '../../../test/support/store.ts'
import { aBrief } from '../../../test/support/work.ts'
import { systemClock } from '../../kernel/clock.ts'
import { Evidence } from '../../work/evidence/contract.ts'
import { createDirectoryWorkspaces } from '../../workspaces/directory.ts'
import type { Workspace } from '../../workspaces/port.ts'
import type { Finding } from '../../work/evidence/record.ts'
import { checkEvidence } from './check.ts'

let base: string
let workspace: Workspace

beforeEach(async () => {
  base = freshFolder()
  workspace = await createDirectoryWorkspaces({ root: join(base, 'workspaces') }).prepare(aBrief())
})

const inside = (path: string): string => join(workspace.path, path)
function put(path: string, text: string): void {
  mkdirSync(join(inside(path), '..'), { recursive: true })
  writeFileSync(inside(path), text)
}

const person = ['-c', 'user.name=A', '-c', 'user.email=a@example.org', '-c', 'init.defaultBranch=main']
const git = (...words: string[]): string =>
  execFileSync('git', [...person, ...words], {
    cwd: workspace.path,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: base, GIT_CONFIG_NOSYSTEM: '1' },
  }).trim()

function commit(message: string, files: Record<string, string>): string {
  for (const [path, text] of Object.entries(files)) put(path, text)
  git('add', '--all', '--', ...Object.keys(files).map((path) => `:(literal)${path}`))
  git('commit', '--quiet', '--message', message)
  return git('rev-parse', 'HEAD')
}

async function looked(evidence: object = {}, mayRunCommands = true): Promise<Finding> {
  const { findings } = await checkEvidence({
    evidence: [Evidence.parse({ kind: 'git', ...evidence })],
    outputs: [],
    files: workspace,
    workspace,
    clock: systemClock,
    mayRunCommands,
  })
  return findings[0] as Finding
}

const why = async (evidence: object): Promise<string | true> => {
  const { passed, detail } = await looked(evidence)
  return passed || detail
}

describe('a repository', () => {
  it('passes with a description of its state', async () => {
    git('init', '--quiet')
    const first = commit('Begin', { 'README.md': 'a' })
    const head = commit('Write the poem', { 'poems/river.md': 'b' })
    const found = await looked({
      clean: true,
      branch: 'main',
      since: first,
      commitsAtLeast: 1,
      changed: ['poems/**'],
      unchanged: ['README.md'],
      messageMatches: '^Write ',
    })
    expect(found).toMatchObject({ kind: 'git', passed: true, detail: `HEAD is ${head}`, boxed: false })
    expect(found.sha256).toMatch(/^[0-9a-f]{64}$/)
    expect(found.output).toBe(`HEAD is ${head}
on the branch main
1 commit after ${first}
poems/**: poems/river.md
README.md: nothing changed
the message matches "^Write "
nothing uncommitted
`)
  })

  it('fails without a repository and without a commit', async () => {
    expect(await why({})).toBe('there is no git repository at .')
    git('init', '--quiet')
    expect(await why({})).toBe('nothing is committed yet')
    expect(await why({ path: 'sub' })).toBe('there is no git repository at sub')
    mkdirSync(inside('sub'))
    git('init', '--quiet', 'sub')
    expect(await why({ path: 'sub' })).toBe('nothing is committed yet')
  })

  it('names the unmet expectation', async () => {
    git('init', '--quiet')
    const first = commit('Begin', { 'README.md': 'a', 'src/a.ts': 'a', 'src/deep/b.ts': 'b' })
    commit('Change one', { 'src/a.ts': 'A' })
    expect(await why({ branch: 'other' })).toBe('the branch "other" is not checked out, but "main"')
    expect(await why({ commitsAtLeast: 3 })).toBe('2 of at least 3 commits')
    expect(await why({ commitsAtLeast: 2, since: first })).toBe(`1 of at least 2 commits after ${first}`)
    expect(await why({ since: 'v1.0' })).toBe('there is no commit "v1.0"')
    expect(await why({ since: 'HEAD' })).toBe('0 of at least 1 commits after HEAD')
    expect(await why({ changed: ['src/*.ts', '*.md'], since: first })).toBe(
      `no file "*.md" was committed after ${first}`,
    )
    expect(await why({ changed: ['src/**/b.ts', '*.md'] })).toBe(true)
    expect(await why({ unchanged: ['src/**'], since: first })).toBe('changed, though it must not be: src/a.ts')
    expect(await why({ messageMatches: '^(Add|Remove) ' })).toBe(
      'the newest commit\'s message does not match "^(Add|Remove) "',
    )
    git('checkout', '--quiet', '--detach')
    expect(await why({ branch: 'main' })).toBe('the branch "main" is not checked out, but none')
  })

  it('is not clean with anything uncommitted, staged or untracked, but for Agency’s own directory', async () => {
    git('init', '--quiet')
    const head = commit('Begin', { 'a.txt': 'a', 'b.txt': 'b', '.gitignore': 'ignored\n' })
    put('ignored', 'x')
    put('.agency/outbox/report.json', '{}')
    expect(await why({ clean: true })).toBe(true)
    put('a.txt', 'changed')
    expect(await why({ clean: true })).toBe('uncommitted:  M a.txt')
    expect(await why({ unchanged: ['*.txt'], since: head, commitsAtLeast: 1 })).toMatch(/commits after/)
    git('add', 'a.txt')
    expect(await why({ clean: true })).toBe('uncommitted:  M a.txt')
    git('checkout', '--quiet', 'HEAD', '--', 'a.txt')
    put('new.txt', 'new')
    expect(await why({ clean: true })).toBe('uncommitted: ?? new.txt')
    rmSync(inside('new.txt'))
    rmSync(inside('b.txt'))
    expect(await why({ clean: true })).toBe('uncommitted:  D b.txt')
  })

  it('fails if a file that must not change differs, also uncommitted', async () => {
    git('init', '--quiet')
    const first = commit('Begin', { 'tests/a.test': 'a' })
    commit('Work', { 'src/a': 'a' })
    expect(await why({ unchanged: ['tests/**'], since: first })).toBe(true)
    put('tests/b.test', 'b')
    expect(await why({ unchanged: ['tests/**'], since: first })).toBe('changed, though it must not be: ?? tests/b.test')
  })

  it('is not modified by the check: staged changes stay staged', async () => {
    git('init', '--quiet')
    const first = commit('Begin', { 'a.txt': 'a' })
    commit('More', { 'b.txt': 'b' })
    put('a.txt', 'changed')
    git('add', 'a.txt')
    const index = readFileSync(inside('.git/index'))
    await why({ clean: true, since: first, unchanged: ['a.txt'] })
    expect(readFileSync(inside('.git/index')).equals(index)).toBe(true)
    expect(git('diff', '--cached', '--name-only')).toBe('a.txt')
  })

  it('is not checked without a sandbox for git', async () => {
    git('init', '--quiet')
    commit('Begin', { a: 'a' })
    expect(await looked({}, false)).toMatchObject({
      passed: false,
      detail: 'not run: no sandbox is available for commands of this runtime',
    })
  })

  it('fails at its timeout', async () => {
    git('init', '--quiet')
    commit('Begin', { a: 'a' })
    expect(await why({ timeoutSeconds: 0.001 })).toBe('git took too long')
  })
})

describe('a repository that lies', () => {
  beforeEach(() => void git('init', '--quiet'))

  it('cannot hide changes from an index of our own', async () => {
    commit('Begin', { 'a.txt': 'a', 'b.txt': 'b' })
    put('a.txt', 'changed')
    git('update-index', '--assume-unchanged', 'a.txt')
    expect(await why({ clean: true })).toBe('uncommitted:  M a.txt')
    git('checkout', '--quiet', 'HEAD', '--', '.')
    git('update-index', '--no-assume-unchanged', 'a.txt')
    git('checkout', '--quiet', 'HEAD', '--', '.')
    rmSync(inside('b.txt'))
    git('update-index', '--skip-worktree', 'b.txt')
    git('config', 'status.showUntrackedFiles', 'no')
    expect(await why({ clean: true })).toBe('uncommitted:  D b.txt')
    put('b.txt', 'b')
    put('c.txt', 'c')
    put('.config/git/ignore', 'c.txt')
    put('.gitconfig', `[core]\n\texcludesFile = ${inside('.config/git/ignore')}\n`)
    expect(await why({ clean: true })).toMatch(/\?\? c\.txt/)
  })

  it('cannot substitute another history or another directory', async () => {
    const first = commit('Begin', { a: 'a' })
    git('checkout', '--quiet', '--orphan', 'other')
    const orphan = commit('Made up', { b: 'b' })
    expect(await why({ since: first })).toBe(`HEAD does not descend from "${first}"`)
    git('replace', orphan, first)
    put('.git/info/grafts', `${orphan} ${first}\n`)
    expect(await why({ since: first })).toBe(`HEAD does not descend from "${first}"`)
    mkdirSync(join(base, 'elsewhere'))
    execFileSync('cp', ['-r', inside('.git'), join(base, 'elsewhere/.git')])
    symlinkSync(join(base, 'elsewhere'), inside('link'))
    put('file/.git', `gitdir: ${join(base, 'elsewhere/.git')}\n`)
    expect(await why({ path: 'link' })).toBe('there is no git repository at link')
    expect(await why({ path: 'file' })).toBe('there is no git repository at file')
    put('clean/x', 'x')
    git('config', 'core.worktree', inside('clean'))
    expect(await why({ clean: true })).toMatch(/^uncommitted: /)
  })

  it('cannot hide files or changes by excludes, attributes and settings of its own', async () => {
    commit('Begin', { 'a.txt': 'a\n', 'sub/b.txt': 'b\n' })
    put('hidden.txt', 'x')
    put('.git/info/exclude', 'hidden.txt\n')
    expect(await why({ clean: true })).toBe('uncommitted: ?? hidden.txt')
    rmSync(inside('hidden.txt'))
    git('config', 'core.autocrlf', 'true')
    put('a.txt', 'a\r\n')
    expect(await why({ clean: true })).toBe('uncommitted:  M a.txt')
    git('config', 'core.autocrlf', 'false')
    put('.git/info/attributes', '* ident text=auto\n')
    expect(await why({ clean: true })).toBe('uncommitted:  M a.txt')
    put('a.txt', 'a\n')
    git('config', 'core.fileMode', 'false')
    chmodSync(inside('a.txt'), 0o755)
    expect(await why({ clean: true })).toBe('uncommitted:  M a.txt')
  })

  it('cannot hide files by an ignored list of ignored files, except in directories of tools', async () => {
    commit('Begin', { 'a.txt': 'a', 'sub/b.txt': 'b' })
    put('.venv/.gitignore', '*\n')
    put('.venv/lib/x.py', 'x')
    expect(await why({ clean: true })).toBe(true)
    put('sub/.gitignore', '.gitignore\nhidden.txt\n')
    put('sub/hidden.txt', 'x')
    expect(await why({ clean: true })).toBe('uncommitted: !! sub/.gitignore')
    rmSync(inside('sub/.gitignore'))
    rmSync(inside('sub/hidden.txt'))
    put('.gitignore', '/.git*\n')
    put('.gitattributes', '* text=auto\n')
    expect(await why({ clean: true })).toMatch(/^uncommitted: !! \.gitattributes, !! \.gitignore$/)
  })

  it('cannot forge its history by a commit graph', async () => {
    const first = commit('Begin', { 'a.txt': 'a' })
    const second = commit('More', { 'b.txt': 'b' })
    git('commit-graph', 'write', '--reachable')
    const graph = '.git/objects/info/commit-graph'
    const bytes = readFileSync(inside(graph))
    // The second commit gets the tree of the first.
    const [one, other] = [git('rev-parse', `${first}^{tree}`), git('rev-parse', `${second}^{tree}`)]
    const at = bytes.indexOf(Buffer.from(other, 'hex'))
    expect(at).toBeGreaterThan(0)
    bytes.set(Buffer.from(one, 'hex'), at)
    chmodSync(inside(graph), 0o600)
    writeFileSync(inside(graph), bytes)
    expect(git('diff', '--name-only', first, second)).toBe('')
    expect(await why({ since: first, changed: ['b.txt'] })).toBe(true)
    expect(await why({ since: first, unchanged: ['b.txt'] })).toBe('changed, though it must not be: b.txt')
  })

  it('is read whatever format its objects have, and however its history was shortened', async () => {
    rmSync(inside('.git'), { recursive: true })
    git('init', '--quiet', '--object-format=sha256')
    commit('Begin', { 'a.txt': 'a' })
    commit('More', { 'b.txt': 'b' })
    git('gc', '--quiet')
    expect(await why({ clean: true, commitsAtLeast: 2, changed: ['b.txt'] })).toBe(true)
    execFileSync('git', ['clone', '--quiet', '--depth=1', `file://${workspace.path}`, inside('shallow')])
    expect(await why({ path: 'shallow', clean: true, commitsAtLeast: 1 })).toBe(true)
    expect(await why({ path: 'shallow', commitsAtLeast: 2 })).toBe('1 of at least 2 commits')
  })

  it('runs nothing: no hook, monitor, filter, helper or program of its configuration', async () => {
    const script = `#!/bin/sh\ntouch '${inside('ran')}'\n`
    put('evil.sh', script)
    chmodSync(inside('evil.sh'), 0o755)
    const evil = inside('evil.sh')
    for (const hook of ['post-index-change', 'post-checkout', 'reference-transaction', 'fsmonitor-watchman']) {
      put(`.git/hooks/${hook}`, script)
      chmodSync(inside(`.git/hooks/${hook}`), 0o755)
    }
    const first = commit('Begin', { 'a.txt': 'a', '.gitattributes': 'a.txt filter=x diff=x\nb.txt filter=we"ird\n' })
    commit('More', { 'b.txt': 'b' })
    rmSync(inside('ran'), { force: true })
    for (const [key, value] of Object.entries({
      'core.fsmonitor': evil,
      'core.hooksPath': inside('.git/hooks'),
      'core.pager': evil,
      'core.sshCommand': evil,
      'core.editor': evil,
      'diff.external': evil,
      'diff.x.command': evil,
      'diff.x.textconv': evil,
      'filter.x.clean': evil,
      'filter.x.process': evil,
      'filter.x.required': 'true',
      'filter.we"ird.clean': evil,
      'gpg.program': evil,
      'log.showSignature': 'true',
      'protocol.ext.allow': 'always',
      'extensions.partialClone': 'far',
      'remote.far.url': `ext::${evil}`,
      'remote.far.promisor': 'true',
      'alias.status': `!${evil}`,
      'alias.rev-list': `!${evil}`,
      'credential.helper': evil,
    }))
      git('config', key, value)
    put('a.txt', 'changed')
    put('.gitconfig', `[core]\n\tfsmonitor = ${evil}\n`)
    expect(await why({ clean: true, since: first, changed: ['**'], messageMatches: 'More' })).toMatch(
      /^uncommitted:  M a\.txt/,
    )
    // Missing objects would be fetched from where the configuration says.
    const blob = git('-c', 'core.fsmonitor=false', 'rev-parse', 'HEAD^{tree}')
    rmSync(inside(`.git/objects/${blob.slice(0, 2)}/${blob.slice(2)}`), { force: true })
    expect(await why({ clean: true })).not.toBe(true)
    expect(existsSync(inside('ran'))).toBe(false)
  })
})

describe('text in evidence', () => {
  const tricks = [
    `'; touch ran; '`,
    '$(touch ran)',
    '`touch ran`',
    'a\ntouch ran\n',
    '"; touch ran; "',
    '--upload-pack=touch ran',
    '-c core.fsmonitor=touch ran',
    '--output=ran',
    '-',
    '| touch ran',
  ]

  it.each(tricks)('is never interpreted: %j', async (trick) => {
    git('init', '--quiet')
    const first = commit('Begin', { 'a.txt': 'a' })
    commit('More', { 'b.txt': 'b' })
    for (const field of [{ branch: trick }, { since: trick }, { changed: [trick] }, { path: `x${trick}` }])
      expect(await why(field)).not.toBe(true)
    expect(await why({ since: first, unchanged: [trick] })).toBe(true)
    // An empty alternative matches everything; the test is that the text is a pattern and not a command.
    if (!trick.includes('\n')) await why({ messageMatches: trick })
    expect(existsSync(inside('ran'))).toBe(false)
  })

  it.each(["it's", '$(touch ran)', 'a\nb', '-x', 'ü "q"'])(
    'can name a repository and a file called %j',
    async (name) => {
      mkdirSync(inside(name))
      execFileSync('git', [...person, 'init', '--quiet'], { cwd: inside(name) })
      writeFileSync(join(inside(name), name), 'x')
      execFileSync('git', [...person, 'add', '--all'], { cwd: inside(name) })
      execFileSync('git', [...person, 'commit', '--quiet', '--message', name], { cwd: inside(name) })
      expect(await why({ path: name, clean: true, changed: [name] })).toBe(true)
      expect(existsSync(inside('ran'))).toBe(false)
    },
  )

  it('contains no NUL and no path that leads outside', () => {
    const accepts = (evidence: object) => Evidence.safeParse({ kind: 'git', ...evidence }).success
    expect(accepts({})).toBe(true)
    expect(accepts({ since: 'a\0b' })).toBe(false)
    expect(accepts({ changed: ['a\0b'] })).toBe(false)
    // Git takes each line as a separate pattern, and an empty one matches everything.
    expect(accepts({ messageMatches: 'a\nb' })).toBe(false)
    expect(accepts({ path: '../other' })).toBe(false)
    expect(accepts({ path: '/srv/repository' })).toBe(false)
    expect(accepts({ unchanged: ['a'] })).toBe(false)
    expect(accepts({ unchanged: ['a'], since: 'main' })).toBe(true)
  })
})
