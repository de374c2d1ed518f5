import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { beforeEach, expect, it, onTestFinished } from 'vitest'

import { measureDisk } from './box/disk.ts'
import { removeTree } from './remove-tree.ts'
import { walkTree } from './walk-tree.ts'

let base: string

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'agency-tree-'))
  onTestFinished(() => void execFileSync('rm', ['-rf', base]))
})

/** Nests directories, enters each, and writes a file of 1 MB into the last one. */
const nest = (depth: number): void =>
  void execFileSync(
    'perl',
    [
      '-e',
      'for (1 .. $ARGV[0]) { mkdir "x" x 200; chdir "x" x 200 or die } open F, ">", "big"; print F "x" x 1048576; close F',
      String(depth),
    ],
    { cwd: base },
  )

it('measures and removes files that are deeper than any path', async () => {
  nest(400)
  const { megabytes, files } = await measureDisk([base])
  expect(files).toBe(401)
  expect(megabytes).toBeGreaterThanOrEqual(1)
  expect(megabytes).toBeLessThan(4)
  await removeTree(base)
  expect(existsSync(base)).toBe(false)
})

it('counts names that are not text, and a file with several names once', async () => {
  const names = Buffer.concat([Buffer.from(`${base}/`), Buffer.from([0xff, 0xfe])])
  writeFileSync(names, Buffer.alloc(1024 * 1024, 1))
  execFileSync('perl', ['-e', 'link "\\xff\\xfe", "other" or die'], { cwd: base })
  const { megabytes, files } = await measureDisk([base])
  expect(files).toBe(2)
  expect(Math.round(megabytes)).toBe(1)
})

it('follows no link, and stops at the largest number of files', async () => {
  symlinkSync('/usr', join(base, 'link'))
  expect((await measureDisk([base])).files).toBe(1)
  for (let each = 0; each < 300; each += 1) writeFileSync(join(base, String(each)), '')
  const { files } = await measureDisk([base], 100)
  expect(files).toBeGreaterThan(100)
  expect(files).toBeLessThan(300)
})

it('visits a directory whose permissions were removed, and changes no others', async () => {
  for (const [name, mode] of [
    ['closed', 0o000],
    ['unreadable', 0o300],
    ['fixed', 0o555],
  ] as const) {
    mkdirSync(join(base, name))
    writeFileSync(join(base, name, 'file'), 'x')
    chmodSync(join(base, name), mode)
  }
  const owned = process.getuid?.() === 0
  expect((await measureDisk([base])).files).toBe(6)
  expect(statSync(join(base, 'fixed')).mode & 0o777).toBe(0o555)
  expect(statSync(join(base, 'closed')).mode & 0o777).toBe(owned ? 0o000 : 0o500)
  await removeTree(base)
  expect(existsSync(base)).toBe(false)
})

it('goes on above a directory that was moved away during the walk', async () => {
  mkdirSync(join(base, 'tree/a/b/c'), { recursive: true })
  mkdirSync(join(base, 'tree/z/y'), { recursive: true })
  mkdirSync(join(base, 'aside'))
  const seen = new Set<string>()
  await walkTree(join(base, 'tree'), {
    needs: 0o500,
    found: async (entries) => {
      for (const { path } of entries) {
        const name = path.toString().split('/').at(-1) as string
        seen.add(name)
        if (name === 'c') execFileSync('mv', [join(base, 'tree/a/b'), join(base, 'aside/b')])
      }
      return true
    },
  })
  expect([...seen].sort()).toEqual(['a', 'b', 'c', 'y', 'z'])
})
