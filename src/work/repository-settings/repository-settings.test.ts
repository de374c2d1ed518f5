import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { openAgency } from '../../../test/support/agency.ts'
import { trustOf } from '../../../test/support/trust.ts'
import { makeRepository, openRepositories } from '../../../test/support/repository.ts'
import { describeStores, freshFolder } from '../../../test/support/store.ts'
import { aRun, operator } from '../../../test/support/work.ts'
import { readStreamPage } from '../../events/store.ts'
import { SetRepository } from './contract.ts'
import { resolveChecks } from './resolve.ts'

describeStores('the settings of a repository', (openFresh) => {
  it('are remembered by the top of the repository, field by field', async () => {
    const { db } = await openFresh()
    const agency = await openAgency({ db, repositories: openRepositories().repositories })
    const { path } = makeRepository()
    mkdirSync(join(path, 'packages'))
    const link = join(freshFolder(), 'link')
    symlinkSync(path, link)

    const defaults = { checks: 'checkout', setup: null, paths: [], host: null, updatedBy: null, updatedAt: null }
    expect(await agency.repositorySettings.show(path)).toMatchObject({ path, ...defaults })
    expect((await agency.repositorySettings.list()).repositories).toEqual([])

    await agency.repositorySettings.set(operator, { path: join(path, 'packages'), setup: 'make deps' })
    await agency.repositorySettings.set(operator, { path: link, checks: 'workspace', paths: ['packages/'] })
    const settings = { path, checks: 'workspace', setup: 'make deps', paths: ['packages'], updatedBy: 'operator' }
    expect(await agency.repositorySettings.show(path)).toMatchObject(settings)
    await agency.repositorySettings.set(operator, { path, setup: 'auto', paths: [] })
    const after = { ...settings, setup: null, paths: [] }
    expect((await agency.repositorySettings.list()).repositories).toMatchObject([after])

    const { events } = await db.read((tx) => readStreamPage(tx, 'system', { limit: 100 }))
    expect(events.filter(({ kind }) => kind === 'checks_set').map(({ message }) => message)).toEqual([
      `${path}: work is checked in a fresh checkout, after make deps`,
      `${path}: work is checked in the agent’s workspace, not in a fresh checkout`,
      `${path}: work is checked in the agent’s workspace, not in a fresh checkout`,
    ])
  })
})

describe('the settings of a repository', () => {
  it('refuse a directory that is no repository, unless it has settings from before', async () => {
    const agency = await openAgency({ repositories: openRepositories().repositories })
    const folder = freshFolder()
    await expect(agency.repositorySettings.show(folder)).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(agency.repositorySettings.set(operator, { path: folder, checks: 'workspace' })).rejects.toMatchObject({
      code: 'invalid_input',
    })
    const { path } = makeRepository()
    await agency.repositorySettings.set(operator, { path, checks: 'workspace' })
    rmSync(path, { recursive: true })
    expect(await agency.repositorySettings.show(path)).toMatchObject({ checks: 'workspace' })
  })

  it('refuse a setup with a secret, and an empty change', async () => {
    const agency = await openAgency({ repositories: openRepositories().repositories })
    const { path } = makeRepository()
    const setup = `GITHUB_TOKEN=ghp_${'x1Y2'.repeat(9)} npm ci`
    await expect(agency.repositorySettings.set(operator, { path, setup })).rejects.toMatchObject({
      message: 'the setup command contains a secret, and it is stored and shown',
    })
    await expect(agency.repositorySettings.set(operator, { path })).rejects.toMatchObject({ code: 'invalid_input' })
    expect((await agency.repositorySettings.list()).repositories).toEqual([])
  })

  it('are those of config.yaml for a repository that it names', async () => {
    const { path } = makeRepository()
    const host = { commands: ['make test'], setup: null }
    const hostChecks = new Map([[path, host]])
    const agency = await openAgency({ repositories: openRepositories().repositories, hostChecks })
    const view = { path, checks: 'host', host, updatedBy: null }
    expect((await agency.repositorySettings.list()).repositories).toMatchObject([view])
    await expect(agency.repositorySettings.set(operator, { path, checks: 'checkout' })).rejects.toMatchObject({
      code: 'conflict',
    })
    expect(await agency.repositorySettings.set(operator, { path, setup: 'make deps' })).toMatchObject({
      checks: 'host',
      setup: 'make deps',
    })
  })

  it.each([
    ['checks on the host', { checks: 'host' }],
    ['checks in capitals', { checks: 'Workspace' }],
    ['an empty setup', { setup: '  ' }],
    ['a setup of 4,001 characters', { setup: 'x'.repeat(4_001) }],
    ['a path above the repository', { paths: ['../elsewhere'] }],
    ['an absolute path', { paths: ['/etc'] }],
    ['an option of git', { paths: ['--stdin'] }],
    ['an empty path', { paths: [''] }],
  ])('refuse %s', (_, input) => {
    expect(SetRepository.safeParse({ path: '/shop', ...input }).success).toBe(false)
  })
})

describe('the setup of a run', () => {
  const start = async (input: { setup?: string; team?: string; remembered?: string }) => {
    const agency = await openAgency({ repositories: openRepositories().repositories })
    const { path } = makeRepository()
    const { remembered, team, ...rest } = input
    if (remembered !== undefined) await agency.repositorySettings.set(operator, { path, setup: remembered })
    const tiered =
      team === undefined ? {} : { playbook: 'tiered' as const, team, trust: trustOf(team), runtimeOptions: {} }
    const { configuration } = await agency.run({ repo: path, ...tiered, ...rest })
    const settings = await agency.repositorySettings.show(path)
    return resolveChecks({ configuration }, settings, null).setup
  }

  it('is that of the run before that of its team, of the repository and of the lockfile', async () => {
    const team = 'setup: make team'
    expect(await start({ setup: 'make run', team, remembered: 'make repository' })).toBe('make run')
    expect(await start({ team, remembered: 'make repository' })).toBe('make team')
    expect(await start({ remembered: 'make repository' })).toBe('make repository')
    expect(await start({})).toBeNull()
  })

  it('is found from the lockfile for a run with auto, whatever the repository has', async () => {
    expect(await start({ setup: 'auto', remembered: 'make repository' })).toBeNull()
  })

  it('is refused for a run without a repository', async () => {
    const agency = await openAgency()
    await expect(agency.run({ setup: 'make deps' })).rejects.toMatchObject({
      message: '--setup prepares fresh checkouts of a repository',
      hint: 'Give the repository with --repo.',
    })
  })

  it('comes from a plan, unless the command line gives another', async () => {
    const agency = await openAgency({ repositories: openRepositories().repositories })
    const { path } = makeRepository()
    const plan = `goal: Do it\nrepo: ${path}\nsetup: make plan\nbriefs: [{id: a, objective: Do it}]`
    expect((await agency.plans.run(operator, { plan, trust: trustOf(plan) })).configuration.setup).toBe('make plan')
    expect((await agency.plans.run(operator, { plan, setup: 'make it' })).configuration.setup).toBe('make it')
  })
})

describe('the place of checks', () => {
  const settings = { checks: 'workspace' as const, setup: 'make deps', paths: ['packages'] }

  it('is a fresh checkout, unless the repository has another', () => {
    const all = { place: 'checkout', setup: null, paths: [], host: null }
    expect(resolveChecks(aRun(), undefined, null)).toEqual(all)
    expect(resolveChecks(aRun(), settings, null)).toMatchObject({ place: 'workspace', paths: ['packages'] })
  })

  it('is the host for a repository of config.yaml', () => {
    const host = { commands: ['make test'], setup: null }
    expect(resolveChecks(aRun(), settings, host)).toMatchObject({ place: 'host', host })
  })
})
