import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'

import { freshFolder } from '../../../test/support/store.ts'
import { planDeclared } from './find-plan.ts'
import { keyOf, type SetupMeans } from './key.ts'
import type { SetupPlan } from './plan.ts'

let files: Record<string, string>
let programs: string
const settings = (): string => join(programs, '../settings')

beforeEach(() => {
  files = { 'package-lock.json': '{}', 'package.json': '{}' }
  programs = join(freshFolder(), 'bin')
  const npm = join(programs, '../lib/node_modules/npm')
  mkdirSync(join(npm, 'bin'), { recursive: true })
  mkdirSync(programs)
  writeFileSync(join(npm, 'bin/npm-cli.js'), '#!/usr/bin/env node\n', { mode: 0o755 })
  writeFileSync(join(npm, 'package.json'), JSON.stringify({ name: 'npm', version: '11.0.0' }))
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(programs, 'npm'))
  writeFileSync(settings(), 'registry=https://one.example.com')
  vi.stubEnv('PATH', programs)
  onTestFinished(() => void vi.unstubAllEnvs())
})

const plan: SetupPlan = {
  command: 'npm ci',
  install: { online: 'npm ci' },
  build: null,
  inputs: ['package-lock.json', '.npmrc', 'package.json'],
  programs: ['npm'],
}
const keyWith = (changed: Partial<SetupPlan> = {}, means: Partial<SetupMeans> = {}): Promise<string | null> =>
  keyOf(
    { ...plan, ...changed },
    {
      files: { read: async (path) => files[path] ?? null, isDirectory: async () => false },
      isBoxed: true,
      operatorFiles: [settings()],
      tree: async () => null,
      ...means,
    },
  )

it.each([
  ['the lockfile', () => (files['package-lock.json'] = '{"lockfileVersion":3}')],
  ['a manifest', () => (files['package.json'] = '{"name":"a"}')],
  ['settings of the tool in the commit', () => (files['.npmrc'] = 'omit=dev')],
  ['settings of the operator', () => writeFileSync(settings(), 'registry=https://two.example.com')],
  [
    'the version of the tool, which starts from the same file',
    () => writeFileSync(join(programs, '../lib/node_modules/npm/package.json'), '{"name":"npm","version":"11.0.1"}'),
  ],
  ['the absence of the tool', () => rmSync(join(programs, 'npm'))],
])('another result is expected after a change of %s', async (_, change) => {
  const before = await keyWith()
  expect(await keyWith()).toBe(before)
  change()
  expect(await keyWith()).not.toBe(before)
})

it('another result is expected of another command, environment, system or box', async () => {
  const platform = Object.getOwnPropertyDescriptor(process, 'arch') as PropertyDescriptor
  const keys = [
    await keyWith(),
    await keyWith({ command: 'npm install' }),
    await keyWith({ install: { online: 'npm ci --omit=dev' } }),
    await keyWith({ environment: { npm_config_omit: 'dev' } }),
    await keyWith({}, { isBoxed: false }),
  ]
  Object.defineProperty(process, 'arch', { ...platform, value: 'other' })
  keys.push(await keyWith())
  Object.defineProperty(process, 'arch', platform)
  expect(new Set(keys).size).toBe(keys.length)
})

it('depends on all files of the commit if any may count, and is unknown if they are', async () => {
  const declared = planDeclared('make deps')
  expect(await keyWith(declared)).toBeNull()
  const one = await keyWith(declared, { tree: async () => 'one' })
  expect(one).toMatch(/^[0-9a-f]{64}$/)
  expect(await keyWith(declared, { tree: async () => 'two' })).not.toBe(one)
})
