// @suite process

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { commitFiles, createGitBench, plainGit, type Workplace, writeFiles } from '../../test/support/git-bench.ts'
import type { ProcessSpec } from '../workspaces/port.ts'
import { collect, type Collection, discard, promote, snapshot, snapshotRef } from './collect.ts'

const bench = createGitBench()
const { git, mirrors, repository, folder, author, mirrorRoot } = bench

const orderFor = ({ mirror, workspace, start }: Workplace, more: Partial<Collection> = {}): Collection => ({
  mirror,
  workspace,
  start,
  message: 'Uncommitted files',
  author,
  ref: 'brf_1',
  ...more,
})

/** Expects that nothing came in: no branch, no object, no directory. */
async function expectUntouched({ mirror }: Workplace, work: () => Promise<void>): Promise<void> {
  const state = () => ({
    refs: plainGit(mirror, 'for-each-ref'),
    objects: plainGit(mirror, 'cat-file', '--batch-all-objects', '--batch-check').split('\n').length,
    beside: readdirSync(mirrorRoot).filter((name) => name.startsWith(basename(mirror))),
  })
  const before = state()
  await work()
  expect(state()).toEqual(before)
}

describe('collecting', () => {
  it('commits uncommitted files of an agent into the mirror', async () => {
    const at = await bench.workplace()
    writeFiles(at.path, { 'new.txt': 'new\n' })
    expect(await collect(git, orderFor(at))).toMatchObject({
      outcome: 'collected',
      files: [{ path: 'new.txt', status: 'added', added: 1, removed: 0, binary: false }],
      commits: [{ author: 'Coder', subject: 'Uncommitted files', parents: [at.start] }],
    })
    expect(await mirrors.head(at.mirror, at.branch)).toBe(null)
    const commit = await promote(git, at.mirror, 'brf_1', at.branch)
    expect(commit).toBe(plainGit(at.path, 'rev-parse', 'HEAD'))
    expect(await mirrors.head(at.mirror, at.branch)).toBe(commit)
    expect(await promote(git, at.mirror, 'brf_1', at.branch)).toBe(commit)
    expect(plainGit(at.path, 'status', '--porcelain')).toBe('')
    expect(plainGit(at.mirror, 'for-each-ref', 'refs/agency')).toBe('')
    plainGit(at.mirror, 'fsck', '--strict')
  })

  it('keeps commits of the agent unchanged, followed by uncommitted files', async () => {
    const at = await bench.workplace()
    const own = commitFiles(at.path, { 'a.txt': 'a\n' }, 'mine')
    rmSync(join(at.path, 'README.md'))
    const collected = await collect(git, orderFor(at))
    expect(collected).toMatchObject({
      commits: [
        { subject: 'Uncommitted files', parents: [own] },
        { subject: 'mine', commit: own },
      ],
      files: [
        { path: 'README.md', status: 'deleted' },
        { path: 'a.txt', status: 'added' },
      ],
    })
  })

  it('returns the same commit when repeated, and continues from there', async () => {
    const at = await bench.workplace()
    writeFiles(at.path, { 'a.txt': 'a\n' })
    const first = await collect(git, orderFor(at))
    expect(await collect(git, orderFor(at))).toEqual(first)
    writeFiles(at.path, { 'b.txt': 'b\n' })
    expect(await collect(git, orderFor(at))).toMatchObject({ commits: [{}, {}] })
  })

  it('returns empty if nothing changed, also after a commit and its revert', async () => {
    const at = await bench.workplace()
    writeFiles(at.path, { '.agency/outbox/report.json': '{}' })
    await expectUntouched(at, async () => expect(await collect(git, orderFor(at))).toEqual({ outcome: 'empty' }))
    commitFiles(at.path, { 'a.txt': 'a\n' })
    plainGit(at.path, 'revert', '--no-edit', 'HEAD')
    await expectUntouched(at, async () => expect(await collect(git, orderFor(at))).toEqual({ outcome: 'empty' }))
  })

  it('ends at once when it is aborted, which is no refusal of the work', async () => {
    const at = await bench.workplace()
    const config = join(at.path, '.git', 'config')
    rmSync(config)
    execFileSync('mkfifo', [config])
    const aborted = new AbortController()
    await expectUntouched(at, async () => {
      const collected = collect(git, orderFor(at, { signal: aborted.signal, limits: { timeoutMs: 20_000 } }))
      // The file opens when git, in the workspace of the agent, begins to read it.
      const writer = await open(config, 'w')
      aborted.abort()
      await expect(collected).rejects.toThrow('aborted')
      await writer.close()
    })
  })

  it('collects the checked-out commit, even if the branch was renamed', async () => {
    const at = await bench.workplace()
    plainGit(at.path, 'switch', '--quiet', '--create', 'my-own')
    const commit = commitFiles(at.path, { 'a.txt': 'a\n' })
    expect(await collect(git, orderFor(at))).toMatchObject({ outcome: 'collected', commit })
    plainGit(at.path, 'checkout', '--quiet', '--detach')
    expect(await collect(git, orderFor(at))).toMatchObject({ outcome: 'collected', commit })
  })

  it('omits ignored files, and .agency/ even if it is not ignored', async () => {
    const at = await bench.workplace(repository({ '.gitignore': 'build/\n!.agency/\n' }))
    writeFileSync(join(at.path, '.git/info/exclude'), '')
    writeFiles(at.path, { 'build/out.js': 'x', 'a.txt': 'a\n', '.agency/outbox/report.json': '{}' })
    expect(await collect(git, orderFor(at))).toMatchObject({ outcome: 'collected', files: [{ path: 'a.txt' }] })
  })

  it('omits caches that tools write, unless the agent has committed them', async () => {
    const at = await bench.workplace()
    commitFiles(at.path, { 'a/__pycache__/own.pyc': 'own' }, 'mine')
    writeFiles(at.path, {
      'cart.py': '1',
      '__pycache__/cart.pyc': 'x',
      'b/.pytest_cache/v': 'x',
      'b/.mypy_cache': 'file',
    })
    const collected = await collect(git, orderFor(at))
    const files = collected.outcome === 'collected' ? collected.files.map(({ path }) => path) : collected
    expect(files).toEqual(['a/__pycache__/own.pyc', 'b/.mypy_cache', 'cart.py'])
  })

  it('collects files of any name and kind', async () => {
    const at = await bench.workplace()
    const names = ['a\nb', '"q"', '-rf', 'README.MD', 'readme.md', `${'d/'.repeat(100)}x`]
    writeFiles(at.path, Object.fromEntries(names.map((name) => [name, name])))
    writeFileSync(Buffer.concat([Buffer.from(`${at.path}/raw-`), Buffer.from([0xff])]), 'raw')
    symlinkSync('/etc/passwd', join(at.path, 'link'))
    const collected = await collect(git, orderFor(at))
    const paths = collected.outcome === 'collected' ? collected.files.map(({ path }) => path) : []
    expect(paths.sort()).toEqual([...names, 'raw-\uFFFD', 'link'].sort())
    // A link stays a link: its target is not collected.
    expect(plainGit(at.mirror, 'cat-file', 'blob', 'refs/agency/incoming/brf_1:link')).toBe('/etc/passwd')
  })

  it('works in a clone of a shallow repository and of one with SHA-256', async () => {
    const origin = repository()
    commitFiles(origin, { 'b.txt': 'b\n' })
    const shallow = folder('shallow')
    plainGit(origin, 'clone', '--quiet', '--depth=1', `file://${origin}`, shallow)
    const modern = folder('sha256')
    plainGit(bench.root, 'init', '--quiet', '--object-format=sha256', '--initial-branch=main', modern)
    commitFiles(modern, { 'a.txt': 'a\n' })
    for (const source of [shallow, modern]) {
      const at = await bench.workplace(source)
      writeFiles(at.path, { 'new.txt': 'new\n' })
      expect(await collect(git, orderFor(at))).toMatchObject({ outcome: 'collected', files: [{ path: 'new.txt' }] })
      const commit = await promote(git, at.mirror, 'brf_1', at.branch)
      const landing = { repository: source, branch: 'main', mirror: at.mirror, commit, base: at.start }
      expect(await mirrors.land(landing)).toMatchObject({ outcome: 'landed', commit })
    }
  })

  it('starts git in the clone only through the workspace', async () => {
    const at = await bench.workplace()
    writeFiles(at.path, { 'a.txt': 'a\n' })
    const entries: ProcessSpec[] = []
    const workspace = {
      ...at.workspace,
      enter: (entry: ProcessSpec) => {
        entries.push(entry)
        return at.workspace.enter(entry)
      },
    }
    expect(await collect(git, orderFor({ ...at, workspace }))).toMatchObject({ outcome: 'collected' })
    expect(entries.map(({ offline }) => offline)).toEqual([true])
    // A workspace that starts no process yields nothing.
    const closed = { ...at.workspace, enter: () => Promise.reject(new Error('closed')) }
    await expectUntouched(at, async () => {
      await expect(collect(git, orderFor({ ...at, workspace: closed }, { ref: 'brf_2' }))).rejects.toThrow('closed')
    })
  })

  it('discards a collected commit', async () => {
    const at = await bench.workplace()
    writeFiles(at.path, { 'a.txt': 'a\n' })
    await collect(git, orderFor(at))
    await discard(git, at.mirror, 'brf_1')
    expect(plainGit(at.mirror, 'for-each-ref', 'refs/agency')).toBe('')
    await expect(promote(git, at.mirror, 'brf_1', at.branch)).rejects.toThrow('no collected commit is named')
  })

  it('collects several clones at once', async () => {
    const source = repository()
    const clones = await Promise.all(Array.from({ length: 4 }, () => bench.workplace(source)))
    for (const [index, { path }] of clones.entries()) writeFiles(path, { [`${index}.txt`]: 'x\n' })
    const collected = await Promise.all(clones.map((at, index) => collect(git, orderFor(at, { ref: `brf_${index}` }))))
    expect(collected.map(({ outcome }) => outcome)).toEqual(clones.map(() => 'collected'))
  })
})

describe('refused work, which leaves nothing behind in the mirror', () => {
  const expectRefused = async (at: Workplace, why: RegExp, files?: readonly string[], more: Partial<Collection> = {}) =>
    expectUntouched(at, async () => {
      const collected = await collect(git, orderFor(at, more))
      expect(collected).toMatchObject({ outcome: 'refused', why: expect.stringMatching(why) })
      if (files !== undefined) expect(collected).toMatchObject({ files })
    })

  it('refuses a rewritten history', async () => {
    const source = repository()
    commitFiles(source, { 'b.txt': 'b\n' })
    const at = await bench.workplace(source)
    plainGit(at.path, 'commit', '--quiet', '--amend', '--message', 'rewritten')
    await expectRefused(at, /^history was rewritten/)
    plainGit(at.path, 'reset', '--quiet', '--hard', 'HEAD~1')
    await expectRefused(at, /^history was rewritten/)
    plainGit(at.path, 'checkout', '--quiet', '--orphan', 'new')
    commitFiles(at.path, { 'c.txt': 'c\n' })
    await expectRefused(at, /^history was rewritten/)
  })

  it('refuses files under .agency/, also if a later commit removes them', async () => {
    const at = await bench.workplace()
    writeFiles(at.path, { '.agency/x': 'x' })
    plainGit(at.path, 'add', '--force', '.agency/x')
    plainGit(at.path, 'commit', '--quiet', '--message', 'sneak')
    await expectRefused(at, /^files under \.agency\/ were committed/, ['.agency/x'])
    commitFiles(at.path, { 'a.txt': 'a\n' })
    expect(plainGit(at.path, 'ls-files', '.agency')).toBe('')
    await expectRefused(at, new RegExp(`git reset --soft ${at.start}`), ['.agency/x'])
    plainGit(at.path, 'reset', '--quiet', '--soft', at.start)
    expect(await collect(git, orderFor(at))).toMatchObject({ outcome: 'collected', files: [{ path: 'a.txt' }] })
  })

  it('refuses a new nested repository; accepts a new commit of an existing submodule', async () => {
    const inner = repository({ 'lib.txt': 'lib\n' })
    const source = repository()
    plainGit(source, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'vendor/lib')
    plainGit(source, 'commit', '--quiet', '--message', 'with a submodule')
    const at = await bench.workplace(source)
    const next = commitFiles(inner, { 'lib.txt': 'newer\n' })
    plainGit(at.path, 'update-index', '--cacheinfo', `160000,${next},vendor/lib`)
    plainGit(at.path, 'commit', '--quiet', '--message', 'newer')
    expect(await collect(git, orderFor(at))).toMatchObject({ outcome: 'collected', files: [{ path: 'vendor/lib' }] })
    await discard(git, at.mirror, 'brf_1')
    mkdirSync(join(at.path, 'app'))
    plainGit(join(at.path, 'app'), 'init', '--quiet')
    commitFiles(join(at.path, 'app'), { 'a.txt': 'a\n' })
    const collected = await collect(git, orderFor(at))
    expect(collected).toMatchObject({
      outcome: 'refused',
      files: ['app'],
      why: expect.stringContaining('nested repositories'),
    })
  })

  it('refuses files over the limit by their size on disk, not in the pack', async () => {
    const at = await bench.workplace()
    commitFiles(at.path, { 'zeros.bin': Buffer.alloc(3 * 1024 ** 2), 'small.txt': 'x\n' })
    rmSync(join(at.path, 'zeros.bin'))
    await expectRefused(at, /^more than 2 MB were committed.*zeros\.bin \(3 MB\)/, undefined, {
      limits: { maxBytes: 2 * 1024 ** 2 },
    })
    expect(await collect(git, orderFor(at, { limits: { maxBytes: 4 * 1024 ** 2 } }))).toMatchObject({
      outcome: 'collected',
    })
  })

  it('refuses a pack over the limit', async () => {
    const at = await bench.workplace()
    let seed = 1
    const noise = Buffer.alloc(3 * 1024 ** 2).map(() => (seed = (seed * 48_271) % 2_147_483_647) & 255)
    writeFiles(at.path, { 'noise.bin': Buffer.from(noise) })
    await expectRefused(at, /^more than 1 MB were committed/, undefined, { limits: { maxBytes: 1024 ** 2 } })
  })

  it('refuses a few trees that expand to more files than fit in memory', async () => {
    const at = await bench.workplace()
    let inner = `100644 blob ${plainGit(at.path, 'hash-object', '-w', 'README.md')}`
    for (let depth = 0; depth < 9; depth += 1) {
      const entries = Array.from({ length: 10 }, (_, index) => `${inner}\t${index}`).join('\n')
      inner = `040000 tree ${execFileSync('git', ['mktree'], { cwd: at.path, input: `${entries}\n`, encoding: 'utf8' }).trim()}`
    }
    const bomb = plainGit(at.path, 'commit-tree', '-m', 'bomb', '-p', at.start, inner.split(' ')[2] ?? '')
    const after = plainGit(at.path, 'commit-tree', '-m', 'gone', '-p', bomb, `${at.start}^{tree}`)
    plainGit(at.path, 'update-ref', 'HEAD', after)
    writeFiles(at.path, { 'a.txt': 'a\n' })
    await expectRefused(at, /^far too many files were committed/)
  })

  it('withholds work that its check does not accept', async () => {
    const at = await bench.workplace()
    writeFiles(at.path, { 'key.txt': 'hidden\n' })
    const seen: string[] = []
    const accepts = async (quarantine: string, commit: string): Promise<boolean> => {
      const { texts } = await mirrors.added(quarantine, at.start, commit)
      seen.push(...texts.flatMap(({ path, text }) => (path === null ? [] : [`${path}: ${text}`])))
      return false
    }
    await expectUntouched(at, async () => {
      expect(await collect(git, orderFor(at, { accepts }))).toEqual({ outcome: 'withheld' })
    })
    expect(seen).toEqual(['key.txt: hidden'])
    expect(await collect(git, orderFor(at, { accepts: async () => true }))).toMatchObject({ outcome: 'collected' })
  })

  it('checks the lines that a merge commit adds, and not those of its parents', async () => {
    const at = await bench.workplace()
    const theirs = await bench.workplace(at.source)
    commitFiles(theirs.path, { 'theirs.txt': 'theirs, hidden\n', 'both.txt': 'one\ntheirs\n' })
    await collect(git, orderFor(theirs, { ref: 'brf_theirs' }))
    const merged = await promote(git, theirs.mirror, 'brf_theirs', theirs.branch)
    commitFiles(at.path, { 'mine.txt': 'mine\n', 'both.txt': 'one\nmine\n' })
    expect(() => plainGit(at.path, 'merge', '--quiet', '--no-edit', merged)).toThrow('merge')
    writeFiles(at.path, { 'both.txt': 'one\ntheirs\nmine\nnew here\n', 'evil.txt': 'new there\n' })
    const seen: string[] = []
    const accepts: Collection['accepts'] = async (quarantine, commit, known) => {
      const { texts } = await mirrors.added(quarantine, at.start, commit, { known })
      seen.push(...texts.flatMap(({ path, text }) => (path === null ? [] : [`${path}: ${text}`])))
      return true
    }
    expect(await collect(git, orderFor(at, { accepts }))).toMatchObject({ outcome: 'collected' })
    expect(seen.sort()).toEqual(['both.txt: new here', 'both.txt: one\nmine', 'evil.txt: new there', 'mine.txt: mine'])
  })

  it('counts the files that a merge commit adds, and not those of its parents', async () => {
    const at = await bench.workplace()
    const theirs = await bench.workplace(at.source)
    commitFiles(theirs.path, { 'theirs.bin': randomBytes(300_000) })
    await collect(git, orderFor(theirs, { ref: 'brf_theirs' }))
    const merged = await promote(git, theirs.mirror, 'brf_theirs', theirs.branch)
    const limits = { maxBytes: 200_000 }
    commitFiles(at.path, { 'mine.bin': randomBytes(80_000) })
    plainGit(at.path, 'merge', '--quiet', '--no-commit', '--no-ff', merged)
    expect(await collect(git, orderFor(at, { limits }))).toMatchObject({ outcome: 'collected' })
    plainGit(at.path, 'reset', '--quiet', '--hard', 'HEAD~1')
    plainGit(at.path, 'merge', '--quiet', '--no-commit', '--no-ff', merged)
    commitFiles(at.path, { '.agency/x': 'x' })
    plainGit(at.path, 'add', '--force', '.agency/x')
    plainGit(at.path, 'commit', '--quiet', '--amend', '--no-edit')
    await expectRefused(at, /^files under \.agency\/ were committed/, ['.agency/x'])
  })

  it('refuses work that takes too long to collect', async () => {
    const at = await bench.workplace()
    writeFiles(at.path, { 'a.txt': 'a\n' })
    const slow = {
      ...at.workspace,
      enter: ({ command: _, ...entry }: ProcessSpec) => at.workspace.enter({ ...entry, command: ['sleep', '600'] }),
    }
    await expectRefused({ ...at, workspace: slow }, /could not be collected in 0\.05 seconds/, [], {
      limits: { timeoutMs: 50 },
    })
  })

  it('says nothing about work whose collection ended unseen, because its box was killed', async () => {
    const at = await bench.workplace()
    writeFiles(at.path, { 'a.txt': 'a\n' })
    const killed: typeof at.workspace = {
      ...at.workspace,
      enter: async (entry) => ({
        ...(await at.workspace.enter(entry)),
        command: ['/bin/sh', '-c', 'cat <&3 >/dev/null; echo "secret began" >&3; kill -9 $$'],
        boxed: true,
        init: { plan: '', secret: 'secret', filter: '/dev/null' },
      }),
    }
    await expectUntouched(at, async () => {
      await expect(collect(git, orderFor({ ...at, workspace: killed }))).rejects.toThrow('its box was ended')
    })
  })

  it('refuses a .git that is missing, a link, a file, or broken', async () => {
    const other = await bench.workplace()
    const cases: [RegExp, (path: string) => void][] = [
      [/^the \.git directory is missing$/, (path) => rmSync(path, { recursive: true })],
      [
        /^the \.git directory was replaced/,
        (path) => {
          rmSync(path, { recursive: true })
          symlinkSync(join(other.path, '.git'), path)
        },
      ],
      [
        /^the \.git directory was replaced/,
        (path) => {
          rmSync(path, { recursive: true })
          writeFileSync(path, `gitdir: ${join(other.path, '.git')}\n`)
        },
      ],
      [/^the \.git directory is broken/, (path) => rmSync(join(path, 'HEAD'))],
      [/^the \.git directory is broken/, (path) => writeFileSync(join(path, 'HEAD'), 'ref: ../../../../etc/passwd\n')],
      [/^the \.git directory is broken/, (path) => writeFileSync(join(path, 'HEAD'), `${'a'.repeat(40)}\n`)],
      [/^the \.git directory is broken/, (path) => rmSync(join(path, 'objects'), { recursive: true })],
      [/^the \.git directory is broken/, (path) => writeFileSync(join(path, 'config'), 'garbage [[[\n')],
    ]
    for (const [why, break_] of cases) {
      const at = await bench.workplace(other.source)
      writeFiles(at.path, { 'a.txt': 'a\n' })
      break_(join(at.path, '.git'))
      await expectRefused(at, why)
    }
  })

  it('refuses commits without their objects', async () => {
    const at = await bench.workplace()
    commitFiles(at.path, { 'a.txt': 'lost\n' })
    const blob = plainGit(at.path, 'rev-parse', 'HEAD:a.txt')
    rmSync(join(at.path, '.git/objects', blob.slice(0, 2), blob.slice(2)))
    rmSync(join(at.path, 'a.txt'))
    await expectRefused(at, /^the commits cannot be read/)
  })
})

describe('a snapshot', () => {
  it('keeps all files before a workspace is removed, also work that would be refused', async () => {
    const at = await bench.workplace()
    plainGit(at.path, 'commit', '--quiet', '--amend', '--message', 'rewritten')
    writeFiles(at.path, { 'dirty.txt': 'dirty\n' })
    const commit = await snapshot(git, orderFor(at, { ref: 'brf_9' }))
    expect(commit).toBe(plainGit(at.path, 'rev-parse', 'HEAD'))
    rmSync(at.path, { recursive: true })
    expect(plainGit(at.mirror, 'show', `${snapshotRef('brf_9')}:dirty.txt`)).toBe('dirty')
    plainGit(at.mirror, 'fsck')
  })

  it('is null if a branch already has everything', async () => {
    const at = await bench.workplace()
    writeFiles(at.path, { 'a.txt': 'a\n' })
    await collect(git, orderFor(at))
    await promote(git, at.mirror, 'brf_1', at.branch)
    expect(await snapshot(git, orderFor(at))).toBe(null)
    writeFiles(at.path, { 'b.txt': 'b\n' })
    expect(await snapshot(git, orderFor(at))).toBe(plainGit(at.path, 'rev-parse', 'HEAD'))
  })

  it('is null if nothing was done, and refused if the clone cannot be read', async () => {
    const at = await bench.workplace()
    expect(await snapshot(git, orderFor(at))).toBe(null)
    rmSync(join(at.path, '.git'), { recursive: true })
    await expect(snapshot(git, orderFor(at))).rejects.toMatchObject({ code: 'conflict' })
  })
})
