// @suite process

import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { makeRepository, openRepositories } from '../../../test/support/repository.ts'
import { createVirtualClock } from '../../../test/support/virtual-clock.ts'
import { systemClock } from '../../kernel/clock.ts'
import { Evidence } from '../../work/evidence/contract.ts'
import type { Finding } from '../../work/evidence/record.ts'
import { checkoutsDirectory } from '../../workspaces/checkout.ts'
import type { Checkout, CheckoutSource, Setup, Workspace } from '../../workspaces/port.ts'
import { checkCommand } from './command.ts'
import { checkFile } from './file.ts'
import type { Found } from './finding.ts'
import { missingProgram } from './output.ts'
import { isSameOutput } from '../../work/evidence/same-output.ts'
import { createTroubles, type Grounds, type Troubles } from './trouble.ts'

interface Case {
  /** The files of the base commit. */
  base: Record<string, string>
  /** The agent's work in its clone; everything that git does not ignore is collected. A name with "/" at its end is an empty directory. */
  work: Record<string, string>
  evidence: string | { path: string }
  /** Prepares fresh checkouts. */
  setup?: string
  /** The only directories of fresh checkouts. */
  paths?: string[]
  troubles?: Troubles
}

const limits = { timeoutMs: 20_000, maxOutputBytes: 100_000 }

/** Plays the examination of an agent's commit up to its failure, with real git and processes. */
async function play({
  base,
  work,
  evidence: wanted,
  setup,
  paths,
  troubles = createTroubles({ clock: systemClock }),
}: Case) {
  const { repositories, workspaces, root } = openRepositories()
  const repository = await repositories.open(makeRepository(base).path)
  const { mirror, base: start } = repository
  const branch = 'feature/run_1/main/brf_1'
  const request = { id: 'brf_1', runId: 'run_1', clone: { mirror, branch, start } }
  const workspace = await workspaces.prepare(request)
  write(workspace.path, work)
  const collected = await repositories.collect({
    repository,
    runId: 'run_1',
    briefId: 'brf_1',
    attemptId: 'att_1',
    workspace,
    branch,
    start,
    message: 'Work',
    allowed: [],
  })
  const commit = collected.outcome === 'collected' ? collected.commit : start
  const sparse = paths === undefined ? {} : { paths }
  const made: string[] = []
  const checkout = async (id: string, source: CheckoutSource): Promise<Checkout> => {
    made.push(id)
    const place = await workspaces.checkout({ id, runId: 'run_1', source })
    return source.kind === 'commit' && setup !== undefined ? prepare(place, setup) : place
  }
  const evidence = Evidence.parse(
    typeof wanted === 'string' ? { kind: 'command', run: wanted } : { kind: 'file', ...wanted },
  )
  const grounds: Grounds = {
    repository: repository.path,
    branch: 'main',
    base: start,
    setup: setup ?? null,
    checkout: await checkout('att_1', { kind: 'commit', mirror, branch, commit, ...sparse }),
    checkoutBase: () => checkout('att_1.base', { kind: 'commit', mirror, branch, commit: start, ...sparse }),
    copyWorkspace: () => checkout('att_1.copy', { kind: 'workspace', workspace: request, commit }),
    check: (item, place) => look(item, place),
  }
  const found = await look(evidence, grounds.checkout)
  const isReady = (await grounds.checkout.setUp())?.outcome !== 'failed'
  expect(found.passed && isReady, 'the check fails in the checkout').toBe(false)
  const finding: Finding = { item: 0, kind: evidence.kind, evidence, ...found, durationMs: 1 }
  const left = (): string[] => readdirSync(join(root, 'workspaces', checkoutsDirectory))
  return { grounds, finding, troubles, made, left, judge: () => troubles.judgeFindings([finding], grounds) }
}

const look = (evidence: Evidence, workspace: Workspace): Promise<Found> => {
  const scene = {
    workspace,
    files: workspace,
    outputs: [],
    missing: [],
    mayRunCommands: true,
    clock: systemClock,
    ourPorts: [],
  }
  if (evidence.kind === 'command') return checkCommand(evidence, scene)
  if (evidence.kind === 'file') return checkFile(evidence, scene)
  throw new Error(`no case has ${evidence.kind}`)
}

async function prepare(place: Checkout, command: string): Promise<Checkout> {
  const { exitCode, output, durationMs } = await place.run(command, limits)
  const outcome = exitCode === 0 ? ('ready' as const) : ('failed' as const)
  const setup: Setup = { command, outcome, from: 'caches', detail: `exit code ${exitCode}`, output, durationMs }
  return { ...place, setUp: async () => setup }
}

function write(folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(name.endsWith('/') ? join(folder, name) : dirname(join(folder, name)), { recursive: true })
    if (name.endsWith('/')) continue
    writeFileSync(join(folder, name), text)
    if (text.startsWith('#!')) chmodSync(join(folder, name), 0o755)
  }
}

const needsModule = { 'test.js': "require('tiny-mod')", '.gitignore': 'node_modules\n' }
const tinyModule = { 'node_modules/tiny-mod/index.js': '' }

describe('the agent is at fault', () => {
  it('if its commit lacks a package that only its workspace has, and is told which', async () => {
    const { judge, finding } = await play({
      base: { 'test.js': '', '.gitignore': 'node_modules\n' },
      work: { 'test.js': "require('tiny-mod')", ...tinyModule },
      evidence: 'node test.js',
    })
    const { fault, findings } = (await judge()) as { fault: string; findings: Finding[] }
    expect(fault).toBe('agent')
    expect(findings).toEqual([
      {
        ...finding,
        detail:
          'exit code 1, expected 0; it holds where you worked, but not in a fresh checkout of your commit: node_modules/tiny-mod is neither committed nor installed by a setup',
      },
    ])
  })

  it('if the setup does not install that package, and is told the setup', async () => {
    const { judge } = await play({
      base: { 'test.js': '', '.gitignore': 'node_modules\n' },
      work: { 'test.js': "require('@some/tiny')", 'node_modules/@some/tiny/index.js': '' },
      evidence: 'node test.js',
      setup: 'mkdir -p node_modules/other',
    })
    expect(await judge()).toMatchObject({
      fault: 'agent',
      findings: [
        {
          detail: expect.stringContaining(
            'node_modules/@some/tiny is neither committed nor installed by `mkdir -p node_modules/other`',
          ),
        },
      ],
    })
  })

  it('if git ignores the file that a failing test names, although the test fails on the base in the same way', async () => {
    const { judge } = await play({
      base: { 'test.js': "require('./generated/impl')", '.gitignore': 'generated\n' },
      work: { 'generated/impl.js': '', 'notes.md': 'Done.' },
      evidence: 'node test.js',
    })
    expect(await judge()).toMatchObject({
      fault: 'agent',
      findings: [{ detail: expect.stringMatching(/: generated\/impl\.js is not committed$/) }],
    })
  })

  it('if git ignores the file that a silent command names, although it fails on the base in the same way', async () => {
    const { judge } = await play({
      base: { '.gitignore': 'dist\n' },
      work: { 'dist/app.js': 'x', 'a.txt': 'a' },
      evidence: 'test -f dist/app.js',
    })
    expect(await judge()).toMatchObject({
      fault: 'agent',
      findings: [{ detail: expect.stringMatching(/: dist\/app\.js is not committed$/) }],
    })
  })

  it.each([
    ['test -d out', { 'out/': '' }, 'out is a directory without files, which git does not keep'],
    ['test -d out/one', { 'out/one/two/': '' }, 'out/one is a directory without files, which git does not keep'],
    [
      'test -d a/b/c/d',
      { 'a/b/c/d/': '', 'a/b/c/x': 'x' },
      'a/b/c/d is a directory without files, which git does not keep',
    ],
    ['test -e marker', { marker: 'x', '.gitignore': 'marker' }, 'marker is not committed'],
    ['test -s a/b/c/d', { 'a/b/c/d': 'x', 'a/b/c/x': 'x', '.gitignore': 'd' }, 'a/b/c/d is not committed'],
    [
      '[ -d out ] || { echo Error: nothing was built; exit 1; }',
      { 'out/x': '', '.gitignore': 'out' },
      'out is not committed',
    ],
  ])('if `%s` needs a state that git does not keep, although it fails on the base too', async (run, work, reason) => {
    const { judge } = await play({ base: { 'a.txt': 'a' }, work: { 'b.txt': 'b', ...work }, evidence: run })
    const { fault, findings } = (await judge()) as { fault: string; findings: Finding[] }
    expect(fault).toBe('agent')
    expect(findings[0]?.detail).toBe(
      `exit code 1, expected 0; it holds where you worked, but not in a fresh checkout of your commit: ${reason}`,
    )
  })

  it('if it needs an empty directory, also where the check itself writes into it', async () => {
    const { judge } = await play({
      base: { 'test.js': "require('fs').writeFileSync('out/x', '1')" },
      work: { 'out/': '', 'a.txt': 'a' },
      evidence: 'node test.js',
    })
    const { findings } = (await judge()) as { fault: string; findings: Finding[] }
    expect(findings[0]?.detail).toContain('out is a directory without files, which git does not keep')
  })

  it.each([
    ['its HOME', "require(require('os').homedir() + '/tiny')", 'an empty HOME'],
    ['a temporary file', "require('/tmp/no-such-file.js')", 'an empty /tmp'],
    ['a variable', "throw new Error('API_KEY is not set')", 'no variables of yours'],
  ])('if the check needs %s of the agent, and is told that it has none', async (_, test, none) => {
    const { judge } = await play({ base: { 'test.js': '' }, work: { 'test.js': test }, evidence: 'node test.js' })
    const { findings } = (await judge()) as { fault: string; findings: Finding[] }
    expect(findings[0]?.detail).toBe(`exit code 1, expected 0; a check has ${none}: only files of the commit count`)
  })

  it('if two checks need the same uncommitted file, each in a copy that has it', async () => {
    const { finding, grounds, troubles } = await play({
      base: { '.gitignore': 'marker\n' },
      work: { 'b.txt': 'b', marker: 'x' },
      evidence: 'cat marker >/dev/null 2>&1',
    })
    const evidence = Evidence.parse({ kind: 'command', run: 'test -e marker' })
    const second: Finding = { ...finding, item: 1, evidence }
    const { fault, findings } = (await troubles.judgeFindings([finding, second], grounds)) as {
      fault: string
      findings: Finding[]
    }
    expect(fault).toBe('agent')
    for (const each of findings) expect(each.detail).toContain('marker is not committed')
  })

  it('if a file is missing as well, whatever else fails', async () => {
    const { finding, grounds, troubles } = await play({
      base: { 'a.txt': 'a' },
      work: { 'b.txt': 'b' },
      evidence: 'no-such-tool',
    })
    const evidence = Evidence.parse({ kind: 'file', path: 'c.txt' })
    const file: Finding = { ...finding, item: 1, kind: 'file', evidence, detail: 'c.txt does not exist' }
    expect(await troubles.judgeFindings([finding, file], grounds)).toEqual({
      fault: 'agent',
      findings: [finding, file],
    })
  })

  it('if a file exists only in its workspace, without a look at the base', async () => {
    const { judge, made } = await play({
      base: { '.gitignore': 'dist\n' },
      work: { 'dist/app.js': 'x', 'a.txt': 'a' },
      evidence: { path: 'dist/app.js' },
    })
    expect(await judge()).toMatchObject({
      fault: 'agent',
      findings: [{ detail: expect.stringMatching(/fresh checkout of your commit: dist is not committed$/) }],
    })
    expect(made).toEqual(['att_1', 'att_1.copy'])
  })

  it('if the check fails in its workspace as well, which needs no further words', async () => {
    const { judge, finding, made } = await play({
      base: { 'test.js': 'process.exit(1)' },
      work: { 'test.js': 'process.exit(2)' },
      evidence: 'node test.js',
    })
    expect(await judge()).toEqual({ fault: 'agent', findings: [finding] })
    expect(made).toEqual(['att_1', 'att_1.copy'])
  })

  it('if a service is missing for its commit only', async () => {
    const { judge } = await play({
      base: { 'test.js': 'process.exit(1)' },
      work: { 'test.js': "console.error('connect ECONNREFUSED 127.0.0.1:5432'); process.exit(1)" },
      evidence: 'node test.js',
    })
    expect((await judge()).fault).toBe('agent')
  })

  it('if the base fails in another way', async () => {
    const { judge } = await play({
      base: { ...needsModule, 'test.js': 'process.exit(3)' },
      work: { 'test.js': "require('tiny-mod')", ...tinyModule },
      evidence: 'node test.js',
    })
    expect((await judge()).fault).toBe('agent')
  })

  it.each(['./run-tests.sh', 'bash run-tests.sh', 'tools/run-tests.sh'])(
    'if %s, which it was to write, is missing like on the base',
    async (run) => {
      const { judge } = await play({ base: { 'a.txt': 'a' }, work: { 'b.txt': 'b' }, evidence: run })
      expect((await judge()).fault).toBe('agent')
    },
  )

  it('if its commit breaks a setup that works on the base', async () => {
    const { grounds, troubles } = await play({
      base: { 'deps.sh': 'exit 0' },
      work: { 'deps.sh': 'exit 5' },
      evidence: 'true',
      setup: 'sh deps.sh',
    })
    const setup = await grounds.checkout.setUp()
    if (setup === null) throw new Error('it has a setup')
    expect(await troubles.judgeSetup(setup, grounds)).toEqual({
      fault: 'agent',
      what: '`sh deps.sh` fails on your commit, but not on main',
      detail: 'exit code 5',
    })
  })
})

describe('the place is at fault', () => {
  it('if the setup fails on the base as well', async () => {
    const { grounds, troubles, left } = await play({
      base: { 'a.txt': 'a' },
      work: { 'b.txt': 'b' },
      evidence: 'true',
      setup: 'echo "npm error code E401"; exit 1',
    })
    const setup = await grounds.checkout.setUp()
    if (setup === null) throw new Error('it has a setup')
    expect(await troubles.judgeSetup(setup, grounds)).toMatchObject({
      fault: 'place',
      what: '`echo "npm error code E401"; exit 1` fails on main as well',
    })
    await grounds.checkout.remove()
    expect(left()).toEqual([])
  })

  it('if the setup cannot reach a registry, although the base needs nothing from it', async () => {
    const { grounds, troubles, made } = await play({
      base: { 'deps.sh': 'exit 0' },
      work: { 'deps.sh': 'echo "npm error code E502" >&2; exit 1' },
      evidence: 'true',
      setup: 'sh deps.sh',
    })
    const setup = await grounds.checkout.setUp()
    if (setup === null) throw new Error('it has a setup')
    const output = 'npm error code E502\nnpm error 502 Bad Gateway - GET http://registry.example/tiny.tgz\n'
    expect(await troubles.judgeSetup({ ...setup, from: 'network', output }, grounds)).toMatchObject({
      fault: 'place',
      what: '`sh deps.sh` cannot reach a server that it needs',
    })
    expect(made).toEqual(['att_1'])
    // Without a network, the same words say nothing about a registry.
    expect(await troubles.judgeSetup({ ...setup, from: 'caches', output }, grounds)).toMatchObject({ fault: 'agent' })
  })

  it('if a program of the machine is missing for the base as well', async () => {
    const { judge } = await play({ base: { 'a.txt': 'a' }, work: { 'b.txt': 'b' }, evidence: 'no-such-tool --check' })
    const { fault, what, detail } = (await judge()) as { fault: string; what: string; detail: string }
    expect({ fault, what }).toEqual({ fault: 'place', what: '`no-such-tool --check` cannot run on main either' })
    expect(detail).toMatch(/^exit code 127, expected 0: .*no-such-tool: not found$/)
  })

  it.each([
    'connect ECONNREFUSED 127.0.0.1:5432',
    'curl: (7) Failed to connect to localhost port 5432: Connection refused',
    'getaddrinfo ENOTFOUND db.example',
    'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?',
  ])('if a service is missing for the base as well: %s', async (line) => {
    const fails = { 'test.js': `console.error(${JSON.stringify(line)}); process.exit(1)` }
    const { judge, made } = await play({ base: fails, work: { 'b.txt': 'b' }, evidence: 'node test.js' })
    expect(await judge()).toMatchObject({ fault: 'place', what: '`node test.js` fails on main as well' })
    expect(made).toEqual(['att_1', 'att_1.base'])
  })

  it('if the base lacks the same package, and only the workspace has it', async () => {
    const { judge, grounds, left, made } = await play({
      base: needsModule,
      work: { 'b.txt': 'b', ...tinyModule },
      evidence: 'node test.js',
    })
    expect(await judge()).toMatchObject({
      fault: 'place',
      what: '`node test.js` fails on main as well',
      detail: "exit code 1, expected 0: Error: Cannot find module 'tiny-mod'",
    })
    expect(made).toEqual(['att_1', 'att_1.copy', 'att_1.base'])
    await grounds.checkout.remove()
    expect(left()).toEqual([])
  })
})

describe('the place is at fault although the workspace has files that git does not keep', () => {
  it('if the check holds there without them', async () => {
    const { judge } = await play({
      base: { ...needsModule, '.gitignore': 'node_modules\n.cache\n' },
      work: { 'b.txt': 'b', '.cache/x': 'x', 'out/': '', ...tinyModule },
      evidence: 'node test.js 2>/dev/null',
    })
    expect(await judge()).toMatchObject({ fault: 'place', what: '`node test.js 2>/dev/null` fails on main as well' })
  })

  it('if a checkout of some directories lacks a committed file', async () => {
    const { judge } = await play({
      base: { 'one/a.txt': 'a', 'two/b.txt': 'b' },
      work: { 'one/c.txt': 'c' },
      evidence: 'cat two/b.txt',
      paths: ['one'],
    })
    expect(await judge()).toMatchObject({ fault: 'place', what: '`cat two/b.txt` fails on main as well' })
  })
})

describe('the base commit', () => {
  it('is checked once for a command; after a failure again ten minutes later', async () => {
    const clock = createVirtualClock()
    const troubles = createTroubles({ clock })
    const { judge, made } = await play({
      base: { 'a.txt': 'a' },
      work: { 'b.txt': 'b' },
      evidence: 'no-such-tool',
      troubles,
    })
    for (const passed of [0, 60_000, 60_000]) {
      clock.advance(passed)
      expect((await judge()).fault).toBe('place')
    }
    expect(made.filter((id) => id === 'att_1.base')).toHaveLength(1)
    clock.advance(600_000)
    await judge()
    expect(made.filter((id) => id === 'att_1.base')).toHaveLength(2)
  })

  it('decides nothing if it cannot be checked out', async () => {
    const { grounds, finding, troubles } = await play({
      base: { 'a.txt': 'a' },
      work: { 'b.txt': 'b' },
      evidence: 'no-such-tool',
    })
    const broken = { ...grounds, checkoutBase: () => Promise.reject(new Error('the disk is full')) }
    await expect(troubles.judgeFindings([finding], broken)).rejects.toThrow('the disk is full')
  })

  it('is not needed for a workspace that cannot be copied: the agent gets the plain finding', async () => {
    const { grounds, finding, troubles } = await play({
      base: needsModule,
      work: { 'b.txt': 'b', ...tinyModule },
      evidence: 'node test.js',
    })
    const copyWorkspace = () => Promise.reject(new Error('the disk is full'))
    const judged = troubles.judgeFindings([finding], { ...grounds, copyWorkspace })
    expect(await judged).toEqual({ fault: 'agent', findings: [finding] })
    const signal = AbortSignal.abort()
    await expect(troubles.judgeFindings([finding], { ...grounds, copyWorkspace, signal })).rejects.toThrow('full')
  })
})

describe('two outputs', () => {
  it.each([
    ['1 failing (12ms)', '1 failing (340ms)'],
    ['Error at /tmp/one/test.js:3:1', 'Error at /tmp/other/test.js:3:1'],
    ['\u001b[31mfailed\u001b[39m in 1.2 s', 'failed in 10.05 s'],
    ['request 9f86d081884c7d65 failed', 'request 1b4f0e9851971998 failed'],
  ])('are the same but for places and times: %j', (one, other) => {
    expect(isSameOutput(one, other)).toBe(true)
  })

  it.each([
    ["Cannot find module 'a'", "Cannot find module 'b'"],
    ['expected a to be b', 'expected a to be c'],
    ['', 'failed'],
  ])('differ in words: %j', (one, other) => {
    expect(isSameOutput(one, other)).toBe(false)
  })
})

it.each([
  [127, 'sh: 1: jest: not found', true],
  [127, 'bash: line 1: docker: command not found', true],
  [127, '/bin/sh: 1: /opt/tools/x: not found', true],
  [127, 'sh: 1: ./x.sh: not found', false],
  [127, 'bash: x.sh: No such file or directory', false],
  [126, 'sh: 1: ./x.sh: Permission denied', false],
  [127, '', true],
  [1, 'sh: 1: jest: not found', false],
  [null, '', false],
])('exit code %s with %j names a missing program: %s', (exitCode, output, expected) => {
  expect(missingProgram(exitCode, output)).toBe(expected)
})
