import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { beforeEach, expect, it } from 'vitest'

import { freshFolder } from '../../../test/support/store.ts'
import { whileInUse } from './in-use.ts'
import { setupDirectory } from './setups.ts'
import { tidySetups } from './tidy.ts'

const dayMs = 24 * 3_600_000
const nowMs = Date.parse('2026-05-01T00:00:00Z')
let root: string
let base: string

beforeEach(() => {
  root = freshFolder()
  base = join(root, setupDirectory)
})

/** Makes a snapshot or a cache that was used some days ago. */
function make(path: string, days: number, sizeMb = 1): void {
  const directory = join(base, path)
  mkdirSync(join(directory, 'files'), { recursive: true })
  if (path.includes('snapshots/')) writeFileSync(join(directory, 'about.json'), JSON.stringify({ removed: [], sizeMb }))
  else writeFileSync(join(directory, 'files', 'package.tgz'), Buffer.alloc(sizeMb * 1024 ** 2, 1))
  const usedSeconds = (nowMs - days * dayMs) / 1_000
  utimesSync(directory, usedSeconds, usedSeconds)
}

const left = (): string[] =>
  readdirSync(base, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.name === 'files')
    .map((entry) => entry.parentPath.slice(base.length + 1))
    .sort()

const tidy = (maxDiskMb = 1_000): Promise<number> => tidySetups(root, { nowMs, maxDiskMb })

it('removes nothing where nothing was kept', async () => {
  expect(await tidy()).toBe(0)
})

it('removes what was not used for two weeks, and the directory of a repository without anything', async () => {
  make('shop.git/cache', 1)
  make('shop.git/snapshots/old', 15)
  make('shop.git/snapshots/new', 13)
  make('gone.git/cache', 20)
  make('gone.git/snapshots/old', 20)
  expect(await tidy()).toBe(3)
  expect(left()).toEqual(['shop.git/cache', 'shop.git/snapshots/new'])
  expect(existsSync(join(base, 'gone.git'))).toBe(false)
})

it('removes the longest unused until the rest has enough space', async () => {
  make('shop.git/cache', 3, 2)
  make('shop.git/snapshots/a', 1, 50)
  make('shop.git/snapshots/b', 2, 40)
  make('other.git/snapshots/c', 4, 30)
  expect(await tidy(95)).toBe(1)
  expect(left()).toEqual(['shop.git/cache', 'shop.git/snapshots/a', 'shop.git/snapshots/b'])
  expect(await tidy(60)).toBe(2)
  expect(left()).toEqual(['shop.git/snapshots/a'])
  expect(await tidy(0)).toBe(1)
})

it('spares what a setup works with', async () => {
  make('shop.git/snapshots/a', 20)
  make('shop.git/cache', 20)
  await whileInUse(join(base, 'shop.git/snapshots/a'), async () => {
    expect(await tidy(0)).toBe(1)
    expect(left()).toEqual(['shop.git/snapshots/a'])
  })
  expect(await tidy(0)).toBe(1)
})

it('removes an unfinished snapshot of yesterday, which counts for nothing', async () => {
  make('shop.git/snapshots/a.making-x1', 2)
  make('shop.git/snapshots/b.making-x2', 0)
  expect(await tidy(0)).toBe(0)
  expect(left()).toEqual(['shop.git/snapshots/b.making-x2'])
})
