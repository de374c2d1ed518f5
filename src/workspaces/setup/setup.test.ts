// @suite process

import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

import { describe, expect, it, onTestFinished, vi } from 'vitest'

import { boxHere, createTestBox } from '../../../test/support/box.ts'
import { commitFiles, createGitBench } from '../../../test/support/git-bench.ts'
import { mountDisk, mountsMissing } from '../../../test/support/mounts.ts'
import { startRegistry } from '../../../test/support/npm-registry.ts'
import { systemIds } from '../../kernel/ids.ts'
import { findSurvivors } from '../../processes/survivors.ts'
import { engineAuthor } from '../../repositories/author.ts'
import { checkoutName, checkoutsDirectory } from '../checkout.ts'
import { createDirectoryWorkspaces } from '../directory.ts'
import { defaultPolicy, type PolicyOverrides } from '../policy.ts'
import type { Checkout, CheckoutRequest, Workspaces } from '../port.ts'
import { setupDirectory, type SetupOptions } from './setups.ts'

const bench = createGitBench()
const { mirrors, git, repository, folder } = bench
const limits = { timeoutMs: 30_000, maxOutputBytes: 100_000 }
const treeOf = (mirror: string, commit: string) => git.ask(['rev-parse', `${commit}^{tree}`], { gitDir: mirror })

const kinds = [
  { kind: 'without a box', isBoxed: false },
  { kind: 'in a box', isBoxed: true },
]

/** Opens workspaces and a repository whose commits can be checked out. */
async function open(
  isBoxed: boolean,
  files: Record<string, string>,
  setup: SetupOptions = {},
  root = folder('workspaces'),
) {
  const workspaces: Workspaces = createDirectoryWorkspaces({
    root,
    materialise: (clone, path, options) => mirrors.clone({ ...clone, author: engineAuthor }, path, options),
    setup: { treeOf, ...setup },
    ...(isBoxed ? { box: await createTestBox() } : {}),
  })
  const source = repository(files)
  // Processes are found by this id, also those of tests that run at the same time.
  const ids = systemIds.next('attempt')
  let number = 0
  return {
    root,
    source,
    id: (count: number) => `${ids}_${count}`,
    /** Commits the files and makes a checkout of the result. */
    checkout: async (
      changed: Record<string, string> = {},
      { policy, ...more }: Partial<Omit<CheckoutRequest, 'policy'>> & { policy?: PolicyOverrides } = {},
    ): Promise<Checkout> => {
      if (Object.keys(changed).length > 0) commitFiles(source, changed)
      const { path: mirror, commit } = await mirrors.refresh(source)
      return workspaces.checkout({
        id: `${ids}_${(number += 1)}`,
        runId: 'run_1',
        box: isBoxed,
        policy: defaultPolicy('coding', { network: { private: ['127.0.0.2'] }, ...policy }),
        source: { kind: 'commit', mirror, branch: 'main', commit },
        ...more,
      })
    },
    snapshots: () =>
      readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) =>
        new RegExp(`^${setupDirectory}/[^/]+/snapshots/[^/]+$`).test(path),
      ),
    left: () => readdirSync(join(root, checkoutsDirectory)),
  }
}

/** Writes a file of the operator that setups get. */
function operatorFile(name: string, text: string): string {
  const path = join(folder('operator'), name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

describe.each(kinds)('the setup of a project with packages of npm $kind', ({ isBoxed }) => {
  describe.skipIf(isBoxed && !boxHere.ok)('here', () => {
    it('comes from the network first, then from a snapshot, and the check has no part of the means', async () => {
      const registry = await startRegistry([{ name: 'first' }, { name: 'second' }])
      const at = await open(isBoxed, registry.project(), { files: [operatorFile('.npmrc', registry.npmrc)] })
      const one = await at.checkout()
      expect(await one.setUp()).toMatchObject({ command: 'npm ci', outcome: 'ready', from: 'network', detail: '' })
      expect(registry.requests).toHaveLength(2)
      const check = `node -p "require('first') + require('second')"; ls -A ~; env | grep -i npm_config | grep -v update_notifier`
      expect((await one.run(check, limits)).output).toBe('firstsecond\n')
      const cache = join(one.path, '../..', setupDirectory)
      if (isBoxed) expect((await one.run(`ls ${cache}`, limits)).exitCode).not.toBe(0)
      await one.remove()
      expect(at.left()).toEqual([])

      await registry.close()
      const two = await at.checkout({ 'code.js': 'another commit' })
      expect(await two.setUp()).toMatchObject({ outcome: 'ready', from: 'snapshot' })
      expect((await two.run(check, limits)).output).toBe('firstsecond\n')
      expect(at.snapshots()).toHaveLength(1)
      expect(at.left().sort()).toEqual([checkoutName(at.id(2)), `${checkoutName(at.id(2))}.home`])
    })

    it('comes from the caches if another setup needed the same packages', async () => {
      const registry = await startRegistry([{ name: 'first' }])
      const at = await open(isBoxed, registry.project(), { files: [operatorFile('.npmrc', registry.npmrc)] })
      await (await at.checkout()).setUp()
      await registry.close()
      const changed = await at.checkout(registry.project({ description: 'changed' }))
      expect(await changed.setUp()).toMatchObject({ outcome: 'ready', from: 'caches' })
      expect(at.snapshots()).toHaveLength(2)
    })

    it.each(['file:ghost.tgz', 'ghost.tgz'])(
      'does not rest on a package that another commit brought with it as %s',
      async (resolved) => {
        const registry = await startRegistry([{ name: 'ghost' }])
        const project = registry.project()
        const at = await open(isBoxed, project)
        writeFileSync(join(at.source, 'ghost.tgz'), registry.tarball('ghost'))
        const lockfile = project['package-lock.json'] ?? ''
        const own = { 'package-lock.json': lockfile.replace(`${registry.address}/ghost/-/ghost-1.0.0.tgz`, resolved) }
        expect(await (await at.checkout(own)).setUp()).toMatchObject({ outcome: 'ready', from: 'caches' })
        rmSync(join(at.source, 'ghost.tgz'))
        expect(await (await at.checkout(own)).setUp()).toMatchObject({ outcome: 'failed' })
        // It claims to come from the registry, to which this setup has no access.
        expect(await (await at.checkout(project)).setUp()).toMatchObject({ outcome: 'failed' })
      },
    )

    it('runs the scripts of packages and of the project for every commit, without the settings of the operator', async () => {
      const look = 'echo "$0 $(cat ~/.npmrc 2>&1 | grep -c _authToken) $(cat $INIT_CWD/input.txt)" >> $INIT_CWD/trace'
      const registry = await startRegistry([{ name: 'first', scripts: { postinstall: `${look} package` } }])
      const scripts = { preinstall: `${look} before`, postinstall: `${look} after`, prepare: `${look} prepare` }
      const files = { ...registry.project({ scripts }), 'input.txt': 'one' }
      const at = await open(isBoxed, files, { files: [operatorFile('.npmrc', registry.npmrc)] })
      const one = await at.checkout()
      expect(await one.setUp()).toMatchObject({ outcome: 'ready', from: 'network' })
      const traces = (word: string): string =>
        ['package', 'before', 'after', 'prepare'].map((name) => `sh 0 ${word} ${name}\n`).join('')
      expect(readFileSync(join(one.path, 'trace'), 'utf8')).toBe(traces('one'))
      const two = await at.checkout({ 'input.txt': 'two' })
      expect(await two.setUp()).toMatchObject({ outcome: 'ready', from: 'snapshot' })
      expect(readFileSync(join(two.path, 'trace'), 'utf8')).toBe(traces('two'))
    })

    it('fails on a lockfile that lies about a hash, keeps nothing of it, and is ready without the lie', async () => {
      const registry = await startRegistry([{ name: 'first' }])
      const at = await open(isBoxed, registry.project(), {
        files: [operatorFile('.npmrc', `${registry.npmrc}\nfetch-retries=0\n`)],
      })
      const honest = registry.project()['package-lock.json'] ?? ''
      const lie = `sha512-${createHash('sha512').update('another package').digest('base64')}`
      const lying = await at.checkout({ 'package-lock.json': honest.replace(/sha512-[^"]+/, lie) })
      const setup = await lying.setUp()
      expect(setup).toMatchObject({ outcome: 'failed', detail: expect.stringContaining('EINTEGRITY') as never })
      expect(at.snapshots()).toEqual([])
      const again = await at.checkout({ 'package-lock.json': honest })
      expect(await again.setUp()).toMatchObject({ outcome: 'ready' })
      expect((await again.run(`node -p "require('first')"`, limits)).output).toBe('first\n')
      // The true package is in the cache now.
      const still = await at.checkout({ 'package-lock.json': honest.replace(/sha512-[^"]+/, lie) })
      expect(await still.setUp()).toMatchObject({ outcome: 'failed' })
    })

    it('keeps nothing that a script of the commit or a check wrote', async () => {
      const registry = await startRegistry([{ name: 'first' }])
      const files = { ...registry.project({ scripts: { postinstall: 'node install.cjs' } }), 'install.cjs': '' }
      const at = await open(isBoxed, files, { files: [operatorFile('.npmrc', registry.npmrc)] })
      const spoil = `const { writeFileSync, readdirSync } = require('node:fs')
for (const path of ['node_modules/first/index.js', 'node_modules/.package-lock.json', 'node_modules/evil.js'])
  writeFileSync(path, 'module.exports = "evil"')
try { require('node:child_process').execSync('npm cache add ./package.json; npm cache clean --force') } catch {}`
      const bent = await at.checkout({ 'install.cjs': spoil })
      expect(await bent.setUp()).toMatchObject({ outcome: 'ready', from: 'network' })
      expect(
        (await bent.run(`node -p "require('first')"; echo evil > node_modules/first/index.js`, limits)).output,
      ).toBe('evil\n')
      await registry.close()
      const honest = await at.checkout({ 'install.cjs': '' })
      expect(await honest.setUp()).toMatchObject({ outcome: 'ready', from: 'snapshot' })
      expect((await honest.run(`node -p "require('first')"; ls node_modules`, limits)).output).toBe('first\nfirst\n')
      const others = await at.checkout(registry.project({ description: 'from the cache' }))
      expect(await others.setUp()).toMatchObject({ outcome: 'ready', from: 'caches' })
    })

    it('keeps no cache of a commit that chooses who answers for the registry', async () => {
      const registry = await startRegistry([{ name: 'first' }])
      const files = { ...registry.project(), '.npmrc': 'strict-ssl=false\n' }
      const at = await open(isBoxed, files, { files: [operatorFile('.npmrc', `${registry.npmrc}\nfetch-retries=0\n`)] })
      expect(await (await at.checkout()).setUp()).toMatchObject({ outcome: 'ready', from: 'network' })
      await registry.close()
      const other = await at.checkout({ '.npmrc': '' })
      expect(await other.setUp()).toMatchObject({ outcome: 'failed' })
    })

    it('does not mix a snapshot with packages that are committed', async () => {
      const registry = await startRegistry([{ name: 'first' }])
      const at = await open(isBoxed, registry.project(), { files: [operatorFile('.npmrc', registry.npmrc)] })
      await (await at.checkout()).setUp()
      const bent = await at.checkout({ 'node_modules/first/index.js': 'bent', 'node_modules/evil/index.js': 'evil' })
      expect(await bent.setUp()).toMatchObject({ outcome: 'ready', from: 'caches' })
      expect(readdirSync(join(bent.path, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['first'])
      const again = await at.checkout()
      expect(await again.setUp()).toMatchObject({ outcome: 'ready', from: 'snapshot' })
      expect((await again.run(`node -p "require('first')"; ls node_modules`, limits)).output).toBe('first\nfirst\n')
    })

    it('does not remove files of a commit because another one had packages in their place', async () => {
      const registry = await startRegistry([{ name: 'first' }])
      const files = { ...registry.project(), 'test/a.js': 'a' }
      const at = await open(isBoxed, files, { files: [operatorFile('.npmrc', registry.npmrc)] })
      // npm empties the directory to which this link leads.
      symlinkSync('test', join(at.source, 'node_modules'))
      const bent = await at.checkout({ 'code.js': 'bent' })
      expect(await bent.setUp()).toMatchObject({ outcome: 'ready', from: 'network' })
      rmSync(join(at.source, 'node_modules'))
      const honest = await at.checkout({ 'code.js': 'honest' })
      expect(await honest.setUp()).toMatchObject({ outcome: 'ready', from: 'caches' })
      expect((await honest.run(`cat test/a.js; node -p "require('first')"`, limits)).output).toBe('afirst\n')
    })

    it('fails with the reason of the registry, in words without its token', async () => {
      const registry = await startRegistry([{ name: 'first' }])
      const wrong = registry.npmrc.replace('registry-token', 'another-token')
      const at = await open(isBoxed, registry.project(), { files: [operatorFile('.npmrc', wrong)] })
      const setup = await (await at.checkout()).setUp()
      expect(setup).toMatchObject({ command: 'npm ci', outcome: 'failed', from: 'network' })
      expect(setup?.detail).toMatch(/^exit code 1: E401 /)
      expect(setup?.output).toContain('E401')
      expect(JSON.stringify(setup)).not.toContain('another-token')
      expect(at.snapshots()).toEqual([])
    })

    it('hides the secrets of the operator’s files in its output', async () => {
      const file = operatorFile('.npmrc', '//registry.example.com/:_authToken=plain-words-of-a-token\n')
      const at = await open(isBoxed, { 'a.txt': 'a' }, { files: [file] })
      const setup = await (await at.checkout({}, { setup: 'cut -d = -f 2 ~/.npmrc; exit 1' })).setUp()
      expect(setup).toMatchObject({ output: '[redacted]\n', detail: 'exit code 1: [redacted]' })
    })

    it.each([
      ['.netrc', 'machine x.example\n  login me\n  password hunter2hunter2\n', 'hunter2hunter2'],
      ['.netrc', 'machine x.example login me password hunter3hunter3\n', 'hunter3hunter3'],
      ['.netrc', 'machine x.example password hunter6hunter6 machine y.example\n', 'hunter6hunter6'],
      ['.netrc', 'machine x.example password hunter7:hunter7==\n', 'hunter7:hunter7=='],
      ['pip.conf', '[global]\nindex-url = https://me:hunter8:hunter8@x.example/simple\n', 'hunter8:hunter8'],
      ['pip.conf', '[global]\nindex-url = https://token-4-hunter4@x.example/simple\n', 'token-4-hunter4'],
      ['pip.conf', '[global]\nindex-url = https://me:hunter5hunter5@x.example/simple\n', 'hunter5hunter5'],
    ])('hides the secret of %s, also where its output is cut: %s', async (name, text, secret) => {
      const at = await open(isBoxed, { 'a.txt': 'a' }, { files: [operatorFile(name, text)] })
      const cut = `printf 'a %s%0${8_000 - secret.length / 2}d' ${secret} 0`
      for (const setup of [`cat ~/${name}`, cut]) {
        const { output } = (await (await at.checkout({}, { setup })).setUp()) ?? { output: secret }
        for (const part of [secret, secret.slice(-6)]) expect(output).not.toContain(part)
      }
    })

    it('fails if a file that the operator names does not exist', async () => {
      const at = await open(isBoxed, (await startRegistry([])).project(), { files: ['/nonexistent/.npmrc'] })
      expect(await (await at.checkout()).setUp()).toMatchObject({
        outcome: 'failed',
        detail: '/nonexistent/.npmrc, which "setup" in config.yaml names, cannot be copied (ENOENT)',
      })
    })
  })
})

describe.each(kinds)('a declared setup $kind', ({ isBoxed }) => {
  describe.skipIf(isBoxed && !boxHere.ok)('here', () => {
    it('runs once for each tree, and keeps written, changed and removed files', async () => {
      const at = await open(isBoxed, { 'a.txt': 'a', 'b.txt': 'b', 'deep/c.txt': 'c' })
      const setup =
        'mkdir -p made deep/made; date +%N > made/once; echo x > deep/made/x; echo changed > a.txt; rm b.txt'
      const one = await at.checkout({}, { setup })
      expect(await one.setUp()).toMatchObject({ command: setup, outcome: 'ready', from: 'caches' })
      const two = await at.checkout({}, { setup })
      expect(await two.setUp()).toMatchObject({ outcome: 'ready', from: 'snapshot' })
      for (const name of ['made/once', 'deep/made/x', 'deep/c.txt', 'a.txt'])
        expect(readFileSync(join(two.path, name), 'utf8')).toBe(readFileSync(join(one.path, name), 'utf8'))
      expect(existsSync(join(two.path, 'b.txt'))).toBe(false)
      const other = await at.checkout({ 'd.txt': 'd' }, { setup })
      expect(await other.setUp()).toMatchObject({ from: 'caches' })
      const declared = await at.checkout({}, { setup: 'true' })
      expect(await declared.setUp()).toMatchObject({ from: 'caches' })
      expect(existsSync(join(declared.path, 'made'))).toBe(false)
    })

    it('keeps files that name their own path only where the next checkout has the same', async () => {
      const at = await open(isBoxed, { 'a.txt': 'a' })
      const setup = 'mkdir deps; echo "cat $PWD/a.txt" > deps/run; ln -s "$PWD/a.txt" deps/link'
      expect(await (await at.checkout({}, { setup })).setUp()).toMatchObject({ outcome: 'ready', from: 'caches' })
      const next = await at.checkout({}, { setup })
      expect(await next.setUp()).toMatchObject({ outcome: 'ready', from: isBoxed ? 'snapshot' : 'caches' })
      expect((await next.run('sh deps/run; cat deps/link', limits)).output).toBe('aa')
    })

    it('comes before the lockfile, and is not run again by a second call', async () => {
      const at = await open(isBoxed, { 'package-lock.json': 'broken' })
      const checkout = await at.checkout({}, { setup: 'echo x >> trace' })
      const [one, two] = await Promise.all([checkout.setUp(), checkout.setUp()])
      expect(one).toMatchObject({ outcome: 'ready' })
      expect(two).toBe(one)
      expect(readFileSync(join(checkout.path, 'trace'), 'utf8')).toBe('x\n')
    })

    it('begins with a clean clone again if it needs the network', async () => {
      const at = await open(isBoxed, { 'a.txt': 'a\n' })
      const setup = 'mkdir deps && echo b >> a.txt && test "$npm_config_offline" != true && cp a.txt deps'
      const read = 'cat a.txt deps/a.txt; git status --porcelain'
      for (const from of ['network', 'snapshot']) {
        const checkout = await at.checkout({}, { setup })
        expect(await checkout.setUp()).toMatchObject({ outcome: 'ready', from, detail: '' })
        expect((await checkout.run(read, limits)).output).toBe('a\nb\na\nb\n M a.txt\n?? deps/\n')
      }
    })

    it('finds nothing in its cache that the setup of another commit left there', async () => {
      const at = await open(isBoxed, { 'a.txt': 'a' })
      const setup = 'ls $PIP_FIND_LINKS > found 2>/dev/null; mkdir -p $PIP_FIND_LINKS; touch $PIP_FIND_LINKS/a.whl'
      for (const text of ['b', 'c']) {
        const checkout = await at.checkout({ 'a.txt': text }, { setup })
        expect(await checkout.setUp()).toMatchObject({ outcome: 'ready', from: 'caches' })
        expect(readFileSync(join(checkout.path, 'found'), 'utf8')).toBe('')
      }
    })

    it('runs again if it has changed the repository, which is not kept', async () => {
      const at = await open(isBoxed, { 'a.txt': 'a' })
      const setup = 'mkdir .git/modules && git init -q --separate-git-dir .git/modules/sub sub && git status >/dev/null'
      for (const _ of ['first', 'second']) {
        const checkout = await at.checkout({}, { setup })
        expect(await checkout.setUp()).toMatchObject({ outcome: 'ready', from: 'caches' })
        expect((await checkout.run('git -C sub status --short', limits)).exitCode).toBe(0)
      }
      await (await at.checkout({}, { setup: 'touch new; git status >/dev/null' })).setUp()
      expect(at.snapshots()).toHaveLength(1)
    })

    it('leaves no process and no HOME behind', async () => {
      const at = await open(isBoxed, { 'a.txt': 'a' })
      const setup = 'echo secret > ~/left; (setsid sleep 1000 &) ; sleep 1000 & exit 0'
      const checkout = await at.checkout({}, { setup })
      expect(await checkout.setUp()).toMatchObject({ outcome: 'ready' })
      await vi.waitFor(async () => {
        expect((await findSurvivors()).filter(({ launchId }) => launchId === at.id(1))).toEqual([])
      })
      expect((await checkout.run('ls -A ~', limits)).output).toBe('')
      expect(at.left().sort()).toEqual([checkoutName(at.id(1)), `${checkoutName(at.id(1))}.home`])
    })

    it('ends at its deadline if it hangs', async () => {
      const at = await open(isBoxed, { 'a.txt': 'a' }, { minutes: 1 / 60 })
      const setup = await (await at.checkout({}, { setup: 'echo waiting; sleep 1000' })).setUp()
      expect(setup).toMatchObject({ outcome: 'failed', detail: 'it took longer than 1 seconds', output: 'waiting\n' })
      expect(at.snapshots()).toEqual([])
    })

    it('fails with its exit code and the line of its error', async () => {
      const at = await open(isBoxed, { 'a.txt': 'a' })
      const failing = await at.checkout(
        {},
        { setup: 'echo begins; echo "fatal: no such thing" >&2; echo ends; exit 3' },
      )
      expect(await failing.setUp()).toMatchObject({ outcome: 'failed', detail: 'exit code 3: fatal: no such thing' })
      const missing = await at.checkout({}, { setup: 'no-such-tool install' })
      expect((await missing.setUp())?.detail).toMatch(/^exit code 127: .*no-such-tool: not found$/)
    })

    it('keeps little of an endless output', async () => {
      const at = await open(isBoxed, { 'a.txt': 'a' })
      const setup = await (await at.checkout({}, { setup: 'head -c 300000000 /dev/zero | tr "\\0" x; exit 1' })).setUp()
      expect(setup?.outcome).toBe('failed')
      expect(setup?.output.length).toBeLessThanOrEqual(8_000)
      expect(setup?.detail.length).toBeLessThanOrEqual(500)
    })

    it('ends when its caller stops waiting, and rejects', async () => {
      const at = await open(isBoxed, { 'a.txt': 'a' })
      const stop = new AbortController()
      const checkout = await at.checkout({}, { setup: 'touch began; sleep 1000', signal: stop.signal })
      const setup = checkout.setUp()
      await vi.waitFor(() => expect(existsSync(join(checkout.path, 'began'))).toBe(true))
      stop.abort(new Error('stopped'))
      await expect(setup).rejects.toThrow('stopped')
      await checkout.remove()
      expect(at.left()).toEqual([])
    })
  })
})

describe.skipIf(!boxHere.ok)('the limits of a box', () => {
  it('end a setup that fills the disk or forks without end', async () => {
    const at = await open(true, { 'a.txt': 'a' })
    const filling = await at.checkout({}, { setup: 'yes > big', policy: { limits: { maxDiskMb: 50 } } })
    expect((await filling.setUp())?.detail).toMatch(/^limit_exceeded: disk \(\d+ of 50 MB\)$/)
    const forking = 'for i in $(seq 100); do sleep 1000 & done; wait'
    const forked = await at.checkout({}, { setup: forking, policy: { limits: { maxProcesses: 20 } } })
    expect((await forked.setUp())?.detail).toMatch(/^limit_exceeded: processes \(\d+ of 20\)$/)
  })

  it('give a setup the network only if it needs it and may have it', async () => {
    const at = await open(true, { 'a.txt': 'a' })
    vi.stubEnv('NODE_EXTRA_CA_CERTS', '/etc/ssl/certs/own.pem')
    onTestFinished(() => void vi.unstubAllEnvs())
    const setup =
      'echo $NODE_EXTRA_CA_CERTS $HTTP_PROXY >> $UV_CACHE_DIR.trace; cp $UV_CACHE_DIR.trace trace; test -n "$HTTP_PROXY"'
    const allowed = await at.checkout({}, { setup })
    expect(await allowed.setUp()).toMatchObject({ outcome: 'ready', from: 'network' })
    expect(readFileSync(join(allowed.path, 'trace'), 'utf8')).toMatch(/^\n\/etc\/ssl\/certs\/own\.pem http:\S+\n$/)
    const forbidden = await at.checkout({ 'b.txt': 'b' }, { setup, policy: { network: { allowed: false } } })
    expect(await forbidden.setUp()).toMatchObject({ outcome: 'failed', from: 'caches', detail: 'exit code 1' })
  })
})

it('needs no setup without a lockfile', async () => {
  const at = await open(false, { 'package.json': '{}' })
  expect(await (await at.checkout()).setUp()).toBeNull()
})

const missing = mountsMissing()
if (missing !== null) console.log(`skipped, full disks: ${missing}`)

describe.skipIf(missing !== null)('on a small disk', () => {
  it('a setup that fills it fails with the reason, and leaves space again', async () => {
    const at = await open(false, { 'a.txt': 'a' }, {}, join(mountDisk(20_000).folder, 'workspaces'))
    const checkout = await at.checkout({}, { setup: 'head -c 100000000 /dev/zero > big' })
    expect(await checkout.setUp()).toMatchObject({
      outcome: 'failed',
      detail: expect.stringMatching(/^exit code 1: .*No space left on device$/),
    })
    await checkout.remove()
    const { bavail, bsize } = statfsSync(at.root)
    expect(bavail * bsize).toBeGreaterThan(15_000_000)
  })

  it('a result that does not fit is not kept, and the checkout is ready all the same', async () => {
    const at = await open(false, { 'a.txt': 'a' }, {}, join(mountDisk(20_000).folder, 'workspaces'))
    const setup = 'head -c 15000000 /dev/urandom > big'
    const checkout = await at.checkout({}, { setup })
    expect(await checkout.setUp()).toMatchObject({ outcome: 'ready' })
    expect(at.snapshots()).toEqual([])
  })

  it('a kept result that does not fit makes the setup fail for Agency, not for the commit', async () => {
    const at = await open(false, { 'a.txt': 'a' }, {}, join(mountDisk(150_000).folder, 'workspaces'))
    const setup = 'head -c 40000000 /dev/urandom > big'
    const one = await at.checkout({}, { setup })
    expect(await one.setUp()).toMatchObject({ outcome: 'ready' })
    expect(at.snapshots()).toHaveLength(1)
    await expect((await at.checkout({}, { setup })).setUp()).rejects.toMatchObject({ code: 'store_full' })
    await one.remove()
    expect(await (await at.checkout({}, { setup })).setUp()).toMatchObject({ outcome: 'ready', from: 'snapshot' })
  })
})

it('does not find programs that are committed where a setup would install some', async () => {
  const at = await open(false, { 'uv.lock': '' })
  const checkout = await at.checkout({ '.venv/bin/node': '#!/bin/sh\nexit 0\n' })
  await checkout.setUp()
  expect((await checkout.run('command -v node', limits)).output).not.toContain('.venv')
})

it('installs packages of Python into an environment whose programs the check finds', async () => {
  const at = await open(false, { 'requirements.txt': '' })
  const checkout = await at.checkout()
  expect(await checkout.setUp()).toMatchObject({ command: 'pip install -r requirements.txt', outcome: 'ready' })
  expect((await checkout.run('command -v pip', limits)).output).toBe(`${checkout.path}/.venv/bin/pip\n`)
})
