import { describe, expect, it } from 'vitest'

import { findPlan, planDeclared } from './find-plan.ts'
import type { CommitFiles } from './plan.ts'

const filesOf = (files: Record<string, unknown>, folders: readonly string[] = []): CommitFiles => ({
  read: async (path) => {
    const content = files[path]
    return content === undefined ? null : typeof content === 'string' ? content : JSON.stringify(content)
  },
  isDirectory: async (path) => folders.includes(path),
})

const npm = (packages: Record<string, unknown>, more: Record<string, unknown> = {}, folders: readonly string[] = []) =>
  findPlan(filesOf({ 'package-lock.json': { lockfileVersion: 3, packages }, 'package.json': {}, ...more }, folders))

describe('the setup that is found', () => {
  it.each([
    ['package-lock.json', 'npm ci'],
    ['npm-shrinkwrap.json', 'npm ci'],
    ['pnpm-lock.yaml', 'pnpm install --frozen-lockfile'],
    ['yarn.lock', 'yarn install --frozen-lockfile'],
    ['uv.lock', 'uv sync --frozen'],
    ['requirements.txt', 'pip install -r requirements.txt'],
  ])('for %s is %s', async (name, command) => {
    expect(await findPlan(filesOf({ [name]: '' }))).toMatchObject({ command })
  })

  it('for a yarn.lock of a modern yarn does not change it', async () => {
    expect(await findPlan(filesOf({ 'yarn.lock': '__metadata:\n  version: 8\n' }))).toMatchObject({
      command: 'yarn install --immutable',
    })
  })

  it('is none without a lockfile at the top', async () => {
    expect(await findPlan(filesOf({ 'package.json': '{}', 'web/package-lock.json': '{}' }))).toBeNull()
  })

  it('may depend on every file if it was declared', () => {
    expect(planDeclared('make deps')).toMatchObject({ command: 'make deps', inputs: null, build: null })
  })
})

describe('a lockfile of npm', () => {
  it('determines the installation with the manifests of the root and its workspaces', async () => {
    const plan = await npm({
      '': { workspaces: ['packages/*'] },
      'node_modules/a': { resolved: 'packages/a', link: true },
      'packages/a': { version: '1.0.0' },
      'node_modules/left': { resolved: 'https://registry.npmjs.org/left/-/left-1.0.0.tgz' },
    })
    const tools = ['.npmrc', '.nvmrc', '.node-version', '.tool-versions']
    expect(plan?.inputs).toEqual(['package-lock.json', ...tools, 'package.json', 'packages/a/package.json'])
    expect(plan?.build).toBe('npm rebuild a')
  })

  it.each([
    ['a package of the commit itself', { 'node_modules/a': { resolved: 'file:vendor/a.tgz' } }, []],
    ['a package in a directory outside the commit', { '../x/node_modules/a': { version: '1.0.0' } }, []],
    ['a package outside the commit', { 'node_modules/a': { resolved: '../a', link: true }, '../a': {} }, []],
    ['committed packages', {}, ['node_modules']],
    ['packages committed in a workspace', { 'packages/a': {} }, ['packages/a/node_modules']],
  ])('does not determine it with %s', async (_name, packages, folders) => {
    expect((await npm(packages, {}, folders))?.inputs).toBeNull()
  })

  it.each([['not JSON'], ['null'], ['[]'], ['{"lockfileVersion": 1}'], ['{"packages": {"": null}}']])(
    'that reads %j leaves all decisions to npm',
    async (text) => {
      const plan = await findPlan(filesOf({ 'package-lock.json': text }))
      expect(plan).toMatchObject({ command: 'npm ci', inputs: null, build: 'npm rebuild' })
    },
  )

  it('adds nothing but names of packages to a command', async () => {
    const hasInstallScript = true
    const plan = await npm({
      'node_modules/@scope/a.b': { hasInstallScript },
      'node_modules/c/node_modules/d': { hasInstallScript },
      'node_modules/$(touch x)': { hasInstallScript },
      'node_modules/a; touch x': { hasInstallScript },
      'node_modules/--script-shell=x': { hasInstallScript },
      'node_modules/plain': {},
    })
    expect(plan?.build).toBe('npm rebuild @scope/a.b d')
  })

  it('runs the scripts of the root once each, as npm ci does', async () => {
    const buildOf = async (scripts: Record<string, string>) => (await npm({}, { 'package.json': { scripts } }))?.build
    expect(await buildOf({ test: 'x' })).toBeNull()
    expect(await buildOf({ preinstall: 'x', install: 'x', postinstall: 'x' })).toBe('npm run install')
    expect(await buildOf({ preinstall: 'x', postinstall: 'x', prepare: 'x', postprepare: 'x' })).toBe(
      'npm run preinstall && npm run postinstall && npm run prepare',
    )
  })

  it('runs no script if the commit says so', async () => {
    const scripts = { 'package.json': { scripts: { postinstall: 'x' } } }
    expect((await npm({}, { ...scripts, '.npmrc': 'fund=false\nignore-scripts=true\n' }))?.build).toBeNull()
    expect((await npm({}, { ...scripts, '.npmrc': 'ignore-scripts=false\n' }))?.build).toBe('npm run postinstall')
  })
})
