import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'

import { boxHere, createTestBox } from '../../test/support/box.ts'
import { systemClock } from '../kernel/clock.ts'
import { snapshotGuarded } from './audit.ts'
import { createWorkspace, type Entrance } from './enter.ts'
import { agencyGuarded, type Guarded } from './guarded.ts'

/** Agency's own directory, and another one with two open directories. */
const guarded: readonly Guarded[] = [...agencyGuarded, { path: 'plan', open: ['plan/drafts', 'plan/reviews'] }]

let path: string

beforeEach(async () => {
  const root = await mkdtemp(join(tmpdir(), 'agency-guarded-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  path = join(root, 'workspace')
  for (const each of ['.agency/outbox', '.agency/inputs/river', 'plan/drafts', 'plan/reviews'])
    await mkdir(join(path, each), { recursive: true })
  await mkdir(join(root, 'home'))
  await writeFile(join(path, '.agency/inputs/river/poem.txt'), 'water\n', { mode: 0o444 })
  await writeFile(join(path, 'plan/plan.md'), 'plan\n')
})

const workspaceIn = (entrance: Omit<Entrance, 'clock'>) =>
  createWorkspace(
    { ...entrance, clock: systemClock },
    {
      path,
      home: join(path, '../home'),
      wantsBox: true,
      guarded,
      launchId: null,
    },
  )

const tries = [
  'echo forged > .agency/inputs/river/poem.txt',
  'rm -rf .agency/inputs',
  'echo x > .agency/inputs/river/new.txt',
  'mv plan elsewhere',
  'echo forged > plan/plan.md',
]

it.skipIf(!boxHere.ok).each(tries)('a box refuses to change guarded directories: %s', async (script) => {
  const workspace = workspaceIn({ box: await createTestBox() })
  const open = 'echo a > plan/drafts/a && echo b > plan/reviews/b && echo c > .agency/outbox/c'
  const result = await workspace.run(`${open} || exit 3; { ${script}; } 2>/dev/null && exit 4; exit 0`, {
    timeoutMs: 20_000,
    maxOutputBytes: 1_000,
  })
  expect(result).toMatchObject({ exitCode: 0, boxed: true })
  expect(await readFile(join(path, '.agency/inputs/river/poem.txt'), 'utf8')).toBe('water\n')
  expect(await readFile(join(path, 'plan/plan.md'), 'utf8')).toBe('plan\n')
  expect(await readFile(join(path, 'plan/drafts/a'), 'utf8')).toBe('a\n')
})

it('puts back what was changed in guarded directories without a box, and leaves the open ones alone', async () => {
  const { restore } = await snapshotGuarded(path, guarded)
  for (const each of ['.agency', 'plan']) await chmod(join(path, each), 0o700)
  await rm(join(path, '.agency/inputs'), { recursive: true })
  await symlink('/tmp', join(path, '.agency/inputs'))
  await writeFile(join(path, 'plan/plan.md'), 'forged\n')
  await writeFile(join(path, 'plan/new.md'), 'new\n')
  await writeFile(join(path, 'plan/drafts/a'), 'a\n')
  expect(await restore()).toEqual([
    '.agency/inputs',
    '.agency/inputs/river',
    '.agency/inputs/river/poem.txt',
    'plan/new.md',
    'plan/plan.md',
  ])
  expect(await readFile(join(path, '.agency/inputs/river/poem.txt'), 'utf8')).toBe('water\n')
  expect((await stat(join(path, '.agency/inputs/river/poem.txt'))).mode & 0o777).toBe(0o444)
  expect(await readFile(join(path, 'plan/plan.md'), 'utf8')).toBe('plan\n')
  expect(await readFile(join(path, 'plan/drafts/a'), 'utf8')).toBe('a\n')
})

it('reports a change of a file that is too large to be kept, and removes it', async () => {
  const large = join(path, '.agency/inputs/river/large.bin')
  await writeFile(large, Buffer.alloc(5 * 1024 * 1024))
  const untouched = await snapshotGuarded(path, guarded)
  expect(await untouched.restore()).toEqual([])
  const { restore } = await snapshotGuarded(path, guarded)
  await writeFile(large, Buffer.alloc(5 * 1024 * 1024, 1))
  expect(await restore()).toEqual(['.agency/inputs/river/large.bin'])
  await expect(stat(large)).rejects.toMatchObject({ code: 'ENOENT' })
})
