import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'

import { checkPath, defaultPathRules, defaultPolicy, type PathRules } from './policy.ts'

let root: string
let workspace: string

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'agency-policy-')))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  workspace = join(root, 'missions/coding/app1')
  await mkdir(join(workspace, '.agency/outbox'), { recursive: true })
  await mkdir(join(root, 'missions/coding/app10'), { recursive: true })
  await mkdir(join(root, 'shared/configs'), { recursive: true })
})

const check = (access: 'write' | 'read', path: string, rules: PathRules = defaultPathRules) =>
  checkPath(rules, { access, path, root, workspace })

describe('the default path rules', () => {
  it.each([
    ['write', 'src/a.ts', true, '{mission_id}/**'],
    ['write', '.agency/outbox/report.json', true, '{mission_id}/.agency/outbox/**'],
    ['write', '.agency/mission.json', false, '**/.agency/**'],
    ['write', 'deep/.agency/x', false, '**/.agency/**'],
    ['write', '/etc/passwd', false, '/etc/**'],
    ['write', '/home/somebody/x', false, '/home/**'],
    ['write', '/usr/bin/x', false, 'outside_workspace'],
    ['write', '../app10/x', false, 'outside_workspace'],
    ['write', '../../../shared/configs/x', false, 'outside_workspace'],
    ['write', '../../../.agency-global/x', false, '.agency-global/**'],
    ['read', '../../../shared/configs/x', true, 'shared/**'],
    ['read', '.agency/mission.json', true, '{mission_id}/**'],
    ['read', '/etc/passwd', false, 'outside_workspace'],
    ['read', 'a\0b', false, 'outside_workspace'],
  ] as const)('decides access: %s %s', async (access, path, allowed, rule) => {
    expect(await check(access, path)).toMatchObject({ allowed, rule })
  })

  it('allows a workspace below /home, because its rule is more specific than /home/**', async () => {
    const paths = { access: 'write', root: '/home/ada/agency', workspace: '/home/ada/agency/missions/a' } as const
    expect(await checkPath(defaultPathRules, { ...paths, path: 'x' })).toMatchObject({ allowed: true })
    expect(await checkPath(defaultPathRules, { ...paths, path: '/home/ada/x' })).toMatchObject({ allowed: false })
    expect(await checkPath(defaultPathRules, { ...paths, path: '.agency/x' })).toMatchObject({ allowed: false })
  })

  it('resolves links before it compares, also chains of links and .. after a link', async () => {
    await writeFile(join(root, 'secret'), '')
    await symlink(root, join(workspace, 'up'))
    await symlink('up/secret', join(workspace, 'twice'))
    await symlink(join(root, 'missions/coding/nowhere'), join(workspace, 'dangling'))
    await symlink('loop', join(workspace, 'loop'))
    await symlink('.agency/outbox', join(workspace, 'out'))
    await symlink('src', join(workspace, 'inner'))
    for (const path of ['up/secret', 'twice', 'dangling', 'dangling/x', 'loop', 'up/missions/coding/app10/x'])
      expect(await check('write', path), path).toMatchObject({ allowed: false, rule: 'outside_workspace' })
    expect(await check('write', 'up/secret')).toMatchObject({ path: join(root, 'secret') })
    expect(await check('write', 'out/../mission.json')).toMatchObject({ allowed: false, rule: '**/.agency/**' })
    expect(await check('write', 'inner/x')).toMatchObject({ allowed: true, path: join(workspace, 'src/x') })
  })
})

it('lets the most specific pattern decide, and denies access if two are equally specific', async () => {
  const rules: PathRules = {
    allowedWritePaths: ['{mission_id}/**', '{mission_id}/logs/*.txt'],
    allowedReadPaths: [],
    forbiddenPaths: ['{mission_id}/logs/**', '{mission_id}/**/*.key', '{mission_id}/logs/no.txt'],
  }
  expect(await check('write', 'logs/a.bin', rules)).toMatchObject({ allowed: false, rule: '{mission_id}/logs/**' })
  expect(await check('write', 'logs/a.txt', rules)).toMatchObject({ allowed: true, rule: '{mission_id}/logs/*.txt' })
  expect(await check('write', 'logs/no.txt', rules)).toMatchObject({ allowed: false })
  expect(await check('write', 'a/b/c.key', rules)).toMatchObject({ allowed: false, rule: '{mission_id}/**/*.key' })
  expect(await check('write', 'a/b/c.keys', rules)).toMatchObject({ allowed: true })
})

it('gives programs low limits and coding agents higher ones, unless they are overridden', () => {
  expect(defaultPolicy('program').limits).toEqual({ maxProcesses: 10, maxMemoryMb: 2048, maxDiskMb: 5120 })
  expect(defaultPolicy('claude-code').limits.maxProcesses).toBe(256)
  const overridden = defaultPolicy('program', {
    limits: { maxProcesses: 3, maxDiskMb: null },
    network: { block: ['x'] },
  })
  expect(overridden.limits).toEqual({ maxProcesses: 3, maxMemoryMb: 2048, maxDiskMb: 5120 })
  expect(overridden.network).toEqual({ allowed: true, allow: [], block: ['x'], private: [] })
})
