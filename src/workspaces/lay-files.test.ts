import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'

import { layFiles } from './lay-files.ts'

let root: string
let target: string

beforeEach(async () => {
  const base = await mkdtemp(join(tmpdir(), 'agency-lay-'))
  onTestFinished(() => rm(base, { recursive: true, force: true }))
  root = join(base, 'source')
  target = join(base, 'inputs')
  for (const each of [root, target, join(base, 'clone')]) await mkdir(each)
})

const toLay = (path: string, content: string | Buffer, folder = 'river') => ({
  root,
  file: {
    from: { id: 'brf_1', directory: null },
    folder,
    path,
    sha256: createHash('sha256').update(content).digest('hex'),
  },
})

it('copies a large file whole, read-only and with its hash checked', async () => {
  const content = Buffer.alloc(3 * 1024 * 1024 + 1, 'a')
  await writeFile(join(root, 'large.bin'), content, { mode: 0o755 })
  const laid = await layFiles(target, [toLay('large.bin', content)], {})
  expect(laid).toMatchObject({ files: [{ path: 'large.bin', bytes: content.length }] })
  expect((await readFile(join(target, 'river/large.bin'))).equals(content)).toBe(true)
  expect((await stat(join(target, 'river/large.bin'))).mode & 0o777).toBe(0o444)
  expect(await layFiles(target, [toLay('large.bin', 'another', 'tree')], {})).toEqual({
    refused: '"large.bin" of tree cannot be handed over: it was changed after its verdict',
  })
})

it('counts the bytes of all files against the limit before it copies one more', async () => {
  await writeFile(join(root, 'a'), 'aaaa')
  await writeFile(join(root, 'b'), '')
  await truncate(join(root, 'b'), 8 * 1024 ** 4)
  const files = [toLay('a', 'aaaa'), toLay('b', '')]
  expect(await layFiles(target, files, {})).toMatchObject({ refused: expect.stringContaining('exceed the 1024 MB') })
  expect(await readdir(join(target, 'river'))).toEqual(['a'])
  expect(await layFiles(target, [toLay('a', 'aaaa', 'x')], { maxBytes: 3 })).toHaveProperty('refused')
})

it('hands over no more than 5,000 files', async () => {
  const files = Array.from({ length: 5_001 }, (_, index) => toLay(`f${index}`, ''))
  expect(await layFiles(target, files, {})).toEqual({
    refused: 'other briefs made 5001 files for it, and one brief may be handed 5000',
  })
})

it('leaves out the files that a clone has as they were accepted, and no others', async () => {
  const clone = join(root, '../clone')
  for (const [path, text] of [
    ['merged', 'same'],
    ['differs', 'accepted'],
    ['ignored', 'built'],
  ] as const)
    await writeFile(join(root, path), text)
  await writeFile(join(clone, 'merged'), 'same')
  await writeFile(join(clone, 'differs'), 'changed by a later brief')
  const files = [toLay('merged', 'same'), toLay('differs', 'accepted'), toLay('ignored', 'built')]
  // The maker has gone on in its clone; what was merged is still there.
  await writeFile(join(root, 'merged'), 'more')
  const laid = await layFiles(target, files, { unlessIn: clone })
  expect('files' in laid && laid.files.map(({ path }) => path)).toEqual(['differs', 'ignored'])
})

it('needs no accepted version of a file of which a clone has a later one, however many such files there are', async () => {
  const clone = join(root, '../clone')
  await writeFile(join(clone, 'gone'), 'later')
  await writeFile(join(clone, 'converted'), 'later')
  await writeFile(join(root, 'converted'), 'with other line ends')
  const large = Buffer.alloc(2 * 1024 * 1024, 'a')
  await writeFile(join(clone, 'large'), 'later')
  await writeFile(join(root, 'large'), large)
  const files = [toLay('gone', 'accepted'), toLay('converted', 'accepted'), toLay('large', 'accepted')]
  expect(await layFiles(target, files, { unlessIn: clone, maxBytes: large.length })).toEqual({ files: [] })
  await expect(readFile(join(target, 'river/large'))).rejects.toMatchObject({ code: 'ENOENT' })
  await writeFile(join(clone, 'merged'), '')
  const merged = Array.from({ length: 5_001 }, () => toLay('merged', ''))
  expect(await layFiles(target, merged, { unlessIn: clone })).toEqual({ files: [] })
})

it('refuses two files of which one has the name of a directory of the other', async () => {
  await writeFile(join(root, 'a'), 'a')
  await mkdir(join(root, '../rest/a'), { recursive: true })
  await writeFile(join(root, '../rest/a/b'), 'b')
  const rest = { ...toLay('a/b', 'b'), root: join(root, '../rest') }
  expect(await layFiles(target, [toLay('a', 'a'), rest], {})).toEqual({
    refused: '"a/b" of river cannot be handed over: another file has its name',
  })
})

it.each(['/dev/zero', '/etc/hostname'])('follows no link, such as one to %s', async (to) => {
  await symlink(to, join(root, 'link'))
  expect(await layFiles(target, [toLay('link', '')], {})).toEqual({
    refused: '"link" of river cannot be handed over: it is a link, or no regular file',
  })
})
