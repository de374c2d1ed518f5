import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { startAgency } from '../../../test/support/agency.ts'
import { makeRepository, openRepositories } from '../../../test/support/repository.ts'
import { describeStores, freshFolder, freshSqlite } from '../../../test/support/store.ts'
import type { Runtime } from '../../adapters/runtime/port.ts'
import { createProgramRuntime } from '../../adapters/runtime/program/runtime.ts'
import { createScriptedRuntime } from '../../adapters/runtime/scripted/runtime.ts'
import type { Db } from '../../db/port.ts'
import { playbooks } from '../../compose.ts'
import { createComposer, type ComposerDeps } from './service.ts'

const scripted = createScriptedRuntime({ host: 'in-process' })

/** Returns a runtime that is no simulation, installed or not. */
const agent = (available: Runtime['available']): Runtime => ({
  ...scripted,
  name: 'coder',
  title: 'Coder',
  capabilities: { ...scripted.capabilities, simulated: false, provider: 'x' },
  available,
})
const installed = agent(async () => ({ ok: true, version: '2.1.0' }))
const missing = agent(async () => ({ ok: false, reason: 'program "coder" was not found', install: 'get coder' }))

function composerWith(db: Db, runtimes: readonly Runtime[], more: Partial<ComposerDeps> = {}) {
  const { repositories } = openRepositories()
  return createComposer({
    db,
    runtimes: new Map(runtimes.map((each) => [each.name, each])),
    playbooks,
    repositories,
    defaults: { runtime: null, acceptance: 'auto' },
    place: { env: { PATH: process.env['PATH'], HOME: '/nonexistent' }, startedIn: null, home: '/nonexistent/home' },
    ...more,
  })
}

const composer = async (more: Partial<ComposerDeps> = {}, runtimes: readonly Runtime[] = [scripted]) =>
  composerWith((await freshSqlite()).db, runtimes, more)

describe('the agents that a form offers', () => {
  it('are those that can run here, with a simulation only where there is none', async () => {
    const program = createProgramRuntime()
    const { runtimes, runtime } = await (await composer({}, [scripted, program, installed])).choices()
    expect(runtime).toBe('coder')
    expect(runtimes.map(({ name, offered }) => [name, offered])).toEqual([
      ['coder', true],
      ['program', true],
      ['scripted', false],
    ])
    expect(runtimes[0]).toMatchObject({ title: 'Coder', usable: true, version: '2.1.0', simulated: false })
    expect(runtimes[1]?.fields).toEqual([
      { name: 'command', label: 'Command', isCommand: true, isRequired: true, choices: null },
    ])
  })

  it('name the reason and the way to install a missing one', async () => {
    const { runtimes, runtime } = await (await composer({}, [scripted, missing])).choices()
    expect(runtime).toBeNull()
    expect(runtimes).toMatchObject([
      { name: 'coder', usable: false, reason: 'program "coder" was not found', install: 'get coder' },
      { name: 'scripted', usable: true, offered: true, simulated: true },
    ])
  })
})

describe('the repositories that a form offers', () => {
  it('begin with the folder of the daemon, and leave out those of Agency itself', async () => {
    const repository = makeRepository()
    mkdirSync(join(repository.path, 'src'))
    const place = { env: {}, startedIn: join(repository.path, 'src'), home: '/nonexistent/home' }
    expect((await (await composer({ place })).choices()).repositories).toEqual([
      { path: repository.path, usedAt: null },
    ])
    const within = { ...place, home: repository.path }
    expect((await (await composer({ place: within })).choices()).repositories).toEqual([])
    const elsewhere = { ...place, startedIn: freshFolder() }
    expect((await (await composer({ place: elsewhere })).choices()).repositories).toEqual([])
  })
})

describe('the check of a path', () => {
  it('reports the branch, uncommitted changes and the proofs that its files suggest', async () => {
    const scripts = { test: 'vitest run', lint: 'oxlint', start: 'node .' }
    const repository = makeRepository({ 'package.json': JSON.stringify({ scripts }), 'pnpm-lock.yaml': '' })
    const { repository: check } = await composer()
    expect(await check(repository.path)).toEqual({
      path: repository.path,
      usable: true,
      problem: null,
      branch: 'main',
      dirty: false,
      warnings: [],
      proofs: [
        { run: 'pnpm test', from: 'package.json "test"', kind: 'test' },
        { run: 'pnpm run lint', from: 'package.json "lint"', kind: 'check' },
      ],
    })
    repository.write('new.txt', 'x')
    expect(await check(repository.path)).toMatchObject({
      usable: true,
      dirty: true,
      warnings: ['uncommitted changes are not part of this run'],
    })
  })

  it('names the cause and the next step for a path that no run can use', async () => {
    const folder = freshFolder()
    writeFileSync(join(folder, 'file.txt'), 'x')
    const empty = makeRepository()
    empty.git('checkout', '--quiet', '--orphan', 'new')
    const detached = makeRepository()
    detached.git('checkout', '--quiet', '--detach')
    const { repository: check } = await composer()
    const problem = async (path: string) => {
      const found = await check(path)
      expect(found.usable).toBe(false)
      return `${found.problem?.message} | ${found.problem?.hint}`
    }
    expect(await problem(join(folder, 'none'))).toMatch(/does not exist \| Name an existing directory/)
    expect(await problem(folder)).toMatch(/is not a git repository \| Create one: git -C/)
    expect(await problem(join(folder, 'file.txt'))).toMatch(/is not a directory \| Name an existing directory/)
    expect(await problem(empty.path)).toMatch(/has no commits yet \| Create the first commit/)
    expect(await problem(detached.path)).toMatch(/has no branch checked out/)
    expect(await problem('my-project')).toMatch(/is not an absolute path \| Give the whole path/)
    expect(await problem('~ada/project')).toMatch(/the home directory of another user/)
  })

  it('reads ~ as the home directory of the daemon', async () => {
    const repository = makeRepository()
    const [, folder = '', name = ''] = /^(.*)\/([^/]+)$/.exec(repository.path) ?? []
    const { repository: check } = await composer({ place: { env: { HOME: folder }, startedIn: null, home: '/x' } })
    expect(await check(`~/${name}`)).toMatchObject({ usable: true, path: repository.path })
  })

  it('starts nothing of the repository and follows no link out of it', async () => {
    const outside = freshFolder()
    writeFileSync(join(outside, 'package.json'), JSON.stringify({ scripts: { test: 'outside' } }))
    const repository = makeRepository({ Makefile: 'ran := $(shell touch ran)\ntest:\n\ttouch ran\n' })
    symlinkSync(join(outside, 'package.json'), join(repository.path, 'package.json'))
    const { repository: check } = await composer()
    const { proofs } = await check(repository.path)
    expect(proofs).toEqual([{ run: 'make test', from: 'Makefile "test"', kind: 'test' }])
    expect(repository.run('ls')).not.toContain('ran')
  })
})

describe('the check of commands', () => {
  it('reports programs that do not exist here, and nothing about words of the shell', async () => {
    const repository = makeRepository({ 'check.sh': '#!/bin/sh\n' })
    chmodSync(join(repository.path, 'check.sh'), 0o755)
    const { check } = await composer()
    const found = await check(
      [
        'git status',
        'no-such-program --x',
        'CI=1 no-such-program',
        'cd x && ls',
        './check.sh',
        './missing.sh',
        '"open',
      ],
      repository.path,
    )
    expect(found.map(({ program, found: isFound }) => [program, isFound])).toEqual([
      ['git', true],
      ['no-such-program', false],
      ['no-such-program', false],
      [null, null],
      ['./check.sh', true],
      ['./missing.sh', false],
      [null, null],
    ])
  })
})

describeStores('the estimate of a run', (openFresh) => {
  it('is empty without completed runs, and never mixes simulated and real ones', async () => {
    const agency = await startAgency(openFresh)
    const runtimes = [scripted, installed]
    const { estimate } = composerWith(agency.db, runtimes)
    const none = { runs: 0, minutes: null, tokens: null, usd: null }
    expect(await estimate(undefined, 'scripted')).toEqual({ ...none, simulated: true })

    const usage = { usage: { input_tokens: 900, output_tokens: 100 } }
    const report = { report: { status: 'done' as const, summary: 'Done.', outputs: ['result.md'] } }
    const run = await agency.run({ play: [[{ write: { path: 'result.md', text: 'x' } }, usage, report]] })
    await agency.settled(run)
    expect(await estimate(undefined, 'scripted')).toMatchObject({
      runs: 1,
      simulated: true,
      tokens: { low: 1_000, high: 1_000 },
      usd: null,
    })
    expect(await estimate(undefined, 'coder')).toEqual({ ...none, simulated: false })
  })
})
