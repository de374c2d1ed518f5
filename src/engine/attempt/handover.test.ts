import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, stat, symlink, truncate, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { z } from 'zod'

import { type AgencyOptions, openAgency, startAgency, type TestAgency } from '../../../test/support/agency.ts'
import { boxHere, createTestBox } from '../../../test/support/box.ts'
import { describeStores, type FreshStore, type OpenFresh } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import { createProgramRuntime } from '../../adapters/runtime/program/runtime.ts'
import type { ChaosPointName } from '../../kernel/chaos-point.ts'
import type { BriefSpec } from '../../work/briefs/contract.ts'
import type { Run } from '../../work/runs/contract.ts'
import { createDirectoryWorkspaces } from '../../workspaces/directory.ts'
import type { NoBox } from '../../workspaces/enter.ts'
import type { Workspaces } from '../../workspaces/port.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const notRegular = 'it is a link, or no regular file'
const noBox: NoBox = { reason: 'this test has none', install: 'Run it elsewhere.' }

type Spec = z.input<typeof BriefSpec>

/** A brief whose agent is a shell script that reports these outputs. */
const brief = (key: string, script: string, outputs: readonly string[], after: readonly string[] = []): Spec => ({
  key,
  objective: `Do ${key}`,
  after: [...after],
  evidence: [{ kind: 'artifact' }],
  verify: 'none',
  runtimeOptions: {
    command: [
      '/bin/sh',
      '-c',
      `set -e\n${script}\necho '${JSON.stringify({ status: 'done', summary: key, outputs })}'`,
    ],
  },
})

const poems = [
  brief('river', 'mkdir poems; echo water > poems/river.txt; echo draft > draft.txt', ['poems/river.txt']),
  brief('tree', 'echo wood > tree.txt', ['./tree.txt']),
]
const booklet = (script = 'cat .agency/inputs/*/*.txt .agency/inputs/*/*/*.txt > booklet.md') =>
  brief('booklet', script, ['booklet.md'], ['river', 'tree'])

interface Shop extends TestAgency {
  readonly store: FreshStore
  readonly directories: Workspaces
  play(briefs: readonly Spec[]): Promise<Run>
  /** Starts the briefs; resolves when the brief `booklet` is verified or blocked, and nothing is at work. */
  played(briefs: readonly Spec[]): Promise<Run>
  /** The path of a file in the workspace of a brief. */
  pathOf(run: Run, key: string, path: string): Promise<string>
}

async function open(
  openFresh: OpenFresh,
  { boxed = false, ...more }: AgencyOptions & { boxed?: boolean } = {},
): Promise<Shop> {
  const root = await mkdtemp(join(tmpdir(), 'agency-handover-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const workspaces = createDirectoryWorkspaces({ root, box: boxed ? await createTestBox() : noBox })
  const agency = await startAgency(openFresh, { workspaces, runtimes: [createProgramRuntime()], ...more })
  const play = (briefs: readonly Spec[]) =>
    agency.run({
      runtime: 'program',
      runtimeOptions: { command: ['/bin/true'] },
      retryBudget: 0,
      onLimit: 'ask',
      briefs: [...briefs],
    })
  return {
    ...agency,
    directories: workspaces,
    play,
    played: async (briefs) => {
      const run = await play(briefs)
      await agency.until(async () =>
        ['verified', 'done', 'blocked'].includes((await agency.brief(run, 'booklet')).status),
      )
      return run
    },
    pathOf: async (run, key, path) => join(root, run.id, (await agency.brief(run, key)).id, path),
  }
}

const attemptOf = async (shop: Shop, run: Run, key: string) => {
  const { id } = await shop.brief(run, key)
  return (await shop.inspect(run)).attempts.filter(({ briefId }) => briefId === id).at(-1)
}

describeStores('the hand-over of files', (openFresh) => {
  it('lays the outputs of the briefs that a brief waits for, and no other file of theirs', async () => {
    const shop = await open(openFresh)
    const run = await shop.played([...poems, booklet()])
    expect(await readFile(await shop.pathOf(run, 'booklet', 'booklet.md'), 'utf8')).toBe('wood\nwater\n')
    const laid = await shop.pathOf(run, 'booklet', '.agency/inputs/river/poems/river.txt')
    expect((await stat(laid)).mode & 0o777).toBe(0o444)
    expect(existsSync(await shop.pathOf(run, 'booklet', '.agency/inputs/river/draft.txt'))).toBe(false)
  })

  it('records the versions that the attempt saw, with its start', async () => {
    const shop = await open(openFresh)
    const run = await shop.played([...poems, booklet()])
    const [river, tree] = [await shop.brief(run, 'river'), await shop.brief(run, 'tree')]
    const attempt = await attemptOf(shop, run, 'booklet')
    expect(attempt?.inputsSeen).toEqual([
      { brief: river.id, key: 'river', attempt: 1, path: 'poems/river.txt', sha256: sha256('water\n'), bytes: 6 },
      { brief: tree.id, key: 'tree', attempt: 1, path: 'tree.txt', sha256: sha256('wood\n'), bytes: 5 },
    ])
    expect((await attemptOf(shop, run, 'river'))?.inputsSeen).toEqual([])
    const [start] = await shop.store.raw(
      `SELECT changes FROM events WHERE kind = 'spawned' AND attempt_id = '${attempt?.id}'`,
    )
    expect(start?.['changes']).toContain(sha256('wood\n'))
  })

  it('names the files in the prompt', async () => {
    const shop = await open(openFresh)
    const run = await shop.played([...poems, booklet()])
    const prompt = shop.prompts.get((await attemptOf(shop, run, 'booklet'))?.id ?? '')
    expect(prompt).toContain(
      '- .agency/inputs/river/poems/river.txt, from river\n- .agency/inputs/tree/tree.txt, from tree\n',
    )
    expect(shop.prompts.get((await attemptOf(shop, run, 'river'))?.id ?? '')).not.toContain('.agency/inputs')
  })

  it.skipIf(!boxHere.ok)('lays files read-only in the box', async () => {
    const shop = await open(openFresh, { boxed: true })
    const script = [
      'if echo forged > .agency/inputs/tree/tree.txt; then exit 3; fi',
      'if rm -rf .agency/inputs; then exit 4; fi',
      'cat .agency/inputs/tree/tree.txt > booklet.md',
    ].join('\n')
    const run = await shop.played([...poems, booklet(script)])
    expect(await attemptOf(shop, run, 'booklet')).toMatchObject({ boxed: true, inputsSeen: [{}, {}] })
    expect(await readFile(await shop.pathOf(run, 'booklet', 'booklet.md'), 'utf8')).toBe('wood\n')
  })

  it('hands over the files of a brief and of its rest, of both the later version', async () => {
    const shop = await open(openFresh)
    const report = (status: string, outputs: string[]) =>
      `echo '${JSON.stringify({ status, summary: status, outputs, ...(status === 'partial' ? { remaining: 'more' } : {}) })}'`
    const script = `if [ -e a.txt ]; then echo 2 > a.txt; echo b > b.txt; ${report('done', ['a.txt', 'b.txt'])}; exit; fi
echo 1 > a.txt; echo c > c.txt; ${report('partial', ['a.txt', 'c.txt'])}; exit`
    const run = await shop.play([
      brief('first', 'echo seed > seed.txt', ['seed.txt']),
      { ...brief('main', script, [], ['first']), evidence: [{ kind: 'file', path: 'a.txt' }], retryBudget: 2 },
      brief('booklet', 'cat .agency/inputs/main/*.txt > booklet.md', ['booklet.md'], ['main']),
    ])
    await shop.until(async () => ['verified', 'blocked'].includes((await shop.brief(run, 'booklet')).status))
    const rest = (await shop.inspect(run)).briefs.find(({ remainderOf }) => remainderOf !== null)
    expect((await attemptOf(shop, run, rest?.key ?? ''))?.inputsSeen).toMatchObject([
      { key: 'first', path: 'seed.txt' },
    ])
    expect((await attemptOf(shop, run, 'booklet'))?.inputsSeen).toMatchObject([
      { brief: rest?.id, key: 'main', path: 'a.txt', sha256: sha256('2\n') },
      { key: 'main', path: 'c.txt' },
      { brief: rest?.id, key: 'main', path: 'b.txt' },
    ])
    expect(await readFile(await shop.pathOf(run, 'booklet', 'booklet.md'), 'utf8')).toBe('2\nb\nc\n')
  })

  it.each([
    ['changes without naming it', 'echo 2 > a.txt', { 'a.txt': sha256('2\n') }],
    ['renames', 'mv a.txt c.txt', {}],
    ['replaces by a directory', 'rm a.txt; mkdir a.txt; echo x > a.txt/x', {}],
  ])(
    'hands over what is accepted of a brief of which the rest %s a file of the first part',
    async (_, change, first) => {
      const shop = await open(openFresh)
      const report = (status: string, output: string) =>
        `echo '${JSON.stringify({ status, summary: status, outputs: [output], ...(status === 'partial' ? { remaining: 'more' } : {}) })}'`
      const script = `if [ -e seed.txt ]; then ${change}; echo b > b.txt; ${report('done', 'b.txt')}; exit; fi
echo s > seed.txt; echo 1 > a.txt; ${report('partial', 'a.txt')}; exit`
      const evidence = ['seed.txt', 'b.txt'].map((path) => ({ kind: 'file' as const, path }))
      const main: Spec = { ...brief('main', script, []), evidence, retryBudget: 2 }
      const run = await shop.played([main, brief('booklet', 'echo x > booklet.md', ['booklet.md'], ['main'])])
      const attempt = await attemptOf(shop, run, 'booklet')
      expect(attempt).toMatchObject({ outcome: 'ok' })
      const seen = Object.fromEntries(attempt?.inputsSeen.map((each) => [each.path, each.sha256]) ?? [])
      expect(seen).toEqual({ ...first, 'b.txt': sha256('b\n') })
    },
  )

  it('puts back what a brief without a box writes into its inputs, and asks whether its work counts', async () => {
    const shop = await open(openFresh)
    const script = 'cd .agency/inputs/tree; rm tree.txt; echo forged > tree.txt; cd ../../..; echo x > booklet.md'
    const run = await shop.played([...poems, booklet(script)])
    expect(await attemptOf(shop, run, 'booklet')).toMatchObject({
      outcome: 'blocked',
      used: { violations: ['.agency/inputs/tree/tree.txt'] },
    })
    expect(await readFile(await shop.pathOf(run, 'booklet', '.agency/inputs/tree/tree.txt'), 'utf8')).toBe('wood\n')
  })

  it('lays files again for the attempt after a death of the daemon', async () => {
    let isAtBooklet = false
    const before: Shop = await open(openFresh, {
      chaosPoint: (point: ChaosPointName) => {
        if (point !== 'inputs.laid' || !isAtBooklet) return
        before.die()
        // The dead process does nothing more in the workspace.
        throw new Error('killed')
      },
    })
    const gated = brief('gate', 'until [ -e go ]; do sleep 0.02; done; echo x > x', ['x'])
    const run = await before.play([...poems, gated, { ...booklet(), after: ['river', 'tree', 'gate'] }])
    await before.until(async () => (await before.brief(run, 'booklet')).unmetDependencies === 1)
    const stray = await before.pathOf(run, 'booklet', '.agency/inputs/river/poems/stray.txt')
    isAtBooklet = true
    await writeFile(await before.pathOf(run, 'gate', 'go'), '')
    await before.passed('inputs.laid', 4)
    await writeFile(stray, 'left behind')
    const after = await openAgency({
      db: before.store.db,
      clock: before.clock,
      workspaces: before.directories,
      runtimes: [createProgramRuntime()],
      worker: 'test:2',
    })
    await after.engine.start()
    await after.until(async () => (await after.brief(run, 'booklet')).status === 'verified')
    const attempts = (await after.inspect(run)).attempts.slice(-2)
    expect(attempts).toMatchObject([
      { fence: 1, outcome: 'interrupted', inputsSeen: [] },
      { fence: 2, outcome: 'ok', inputsSeen: [{ key: 'river' }, { key: 'tree' }, { key: 'gate' }] },
    ])
    expect(existsSync(stray)).toBe(false)
  })

  // Of the time between the verdict on `river` and the start of `booklet`.
  const faults: [what: string, spoil: (path: string) => Promise<void>, why: string][] = [
    ['was changed', (path) => writeFile(path, 'wine\n'), 'it was changed after its verdict'],
    ['is missing', (path) => unlink(path), 'it no longer exists'],
    ['became a link', (path) => rename(path, `${path}.x`).then(() => symlink(`${path}.x`, path)), notRegular],
    ['became a pipe', (path) => unlink(path).then(() => void spawnSync('mkfifo', [path])), notRegular],
    [
      'is of 2 GB',
      (path) => truncate(path, 2 * 1024 ** 3),
      'with its 2048 MB, the files of other briefs exceed the 1024 MB',
    ],
    ['is in a directory that became a link', (path) => moveAway(dirname(path)), notRegular],
  ]
  it.each(faults)('is refused with a question if a file %s, and nothing is lost', async (_, spoil, why) => {
    const shop = await open(openFresh)
    const gated = brief('gate', 'until [ -e go ]; do sleep 0.02; done; echo x > x', ['x'])
    const run = await shop.play([...poems, gated, { ...booklet(), after: ['river', 'tree', 'gate'] }])
    await shop.until(async () => (await shop.brief(run, 'booklet')).unmetDependencies === 1)
    const path = await shop.pathOf(run, 'river', 'poems/river.txt')
    await spoil(path)
    await writeFile(await shop.pathOf(run, 'gate', 'go'), '')
    await shop.until(async () => (await shop.brief(run, 'booklet')).status === 'blocked')
    expect(await attemptOf(shop, run, 'booklet')).toMatchObject({
      outcome: 'blocked',
      detail: expect.stringContaining(`"poems/river.txt" of river cannot be handed over: ${why}`),
      inputsSeen: [],
    })
    expect(existsSync(await shop.pathOf(run, 'booklet', '.agency/inputs'))).toBe(false)
    const [question] = (await shop.inspect(run)).questions
    expect(question).toMatchObject({ class: 'crash', text: expect.stringContaining('cannot be handed over') })
    // The operator mends the file, and the brief goes on.
    await rm(path, { force: true, recursive: true })
    await rm(dirname(path), { force: true, recursive: true })
    await mkdir(dirname(path))
    await writeFile(path, 'water\n')
    await shop.questions.answer(operator, question!.id, 'retry')
    await shop.until(async () => (await shop.brief(run, 'booklet')).status === 'verified')
    expect(await readFile(await shop.pathOf(run, 'booklet', 'booklet.md'), 'utf8')).toBe('wood\nwater\n')
  })
})

async function moveAway(directory: string): Promise<void> {
  await rename(directory, `${directory}.away`)
  await symlink(`${directory}.away`, directory)
}
