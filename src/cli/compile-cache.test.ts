// @suite process
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

import { readSources } from '../../test/support/imports.ts'
import { freshFolder } from '../../test/support/store.ts'

const root = resolve(import.meta.dirname, '../..')
const directoryOf = (home: string): string =>
  execFileSync(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { cacheCompiledCode } from ${JSON.stringify(join(import.meta.dirname, 'compile-cache.ts'))}
      cacheCompiledCode()
      console.log(process.getBuiltinModule('node:module').getCompileCacheDir())`,
    ],
    { encoding: 'utf8', env: { PATH: process.env['PATH'], AGENCY_HOME: home } },
  ).trim()

it('keeps compiled code in the home', () => {
  const home = freshFolder()
  expect(directoryOf(home).startsWith(join(home, 'cache'))).toBe(true)
})

it('keeps compiled code in a directory that only its owner can enter', () => {
  const home = freshFolder()
  const before = process.umask(0o002)
  onTestFinished(() => void process.umask(before))
  directoryOf(home)
  expect(statSync(join(home, 'cache')).mode & 0o777).toBe(0o700)
  chmodSync(join(home, 'cache'), 0o775)
  directoryOf(home)
  expect(statSync(join(home, 'cache')).mode & 0o777).toBe(0o700)
})

it('keeps no compiled code where a directory cannot be created', () => {
  const home = freshFolder()
  writeFileSync(join(home, 'cache'), '')
  expect(directoryOf(home)).toBe('undefined')
})

it('creates no home for compiled code', () => {
  const home = join(freshFolder(), 'none')
  expect(directoryOf(home)).toBe('undefined')
  expect(existsSync(home)).toBe(false)
})

it.each([
  ['src/cli/main.ts', []],
  // It closes descriptors, which has to come first, and loads nothing but Node's own modules.
  ['src/daemon/main.ts', ['src/processes/inherited-descriptors.ts']],
])('loads nothing more in %s before the cache is on', (path, more) => {
  const imports = readSources(root, ['src']).find((file) => file.path === path)?.imports ?? []
  expect(imports.filter(({ later }) => !later).map(({ target }) => target)).toEqual([
    'src/cli/compile-cache.ts',
    ...more,
  ])
  expect(imports.some(({ later }) => later)).toBe(true)
})
