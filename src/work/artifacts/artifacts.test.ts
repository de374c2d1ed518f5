import { createHash } from 'node:crypto'
import { chmodSync, existsSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

import { agentOf, startAgency, type TestAgency } from '../../../test/support/agency.ts'
import { changeRun } from '../../../test/support/change-run.ts'
import { writes } from '../../../test/support/proofs.ts'
import { startServer } from '../../../test/support/server.ts'
import { describeStores, freshFolder, freshSqlite, type OpenFresh, testChainKey } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import { createKeptFiles } from '../../daemon/kept-files.ts'
import { noLog } from '../../kernel/log.ts'
import { createAttemptToken } from '../../server/credentials.ts'
import { findStanding } from '../attempts/store.ts'
import { createDirectoryWorkspaces } from '../../workspaces/directory.ts'
import { recordChecks } from '../evidence/record.ts'
import type { Run } from '../runs/contract.ts'
import type { Artifact } from './contract.ts'
import { maxKeptBytes } from './kept-files.ts'
import { artifactRoutes } from './routes.ts'

/** Starts a product whose briefs work in real directories and whose copies have a folder of their own. */
async function start(openFresh: OpenFresh) {
  const root = freshFolder()
  const copies = freshFolder()
  const agency = await startAgency(openFresh, {
    workspaces: createDirectoryWorkspaces({ root }),
    kept: createKeptFiles(copies, noLog),
  })
  const produce = async (steps: readonly StepInput[], more: object = {}) => {
    const run = await agency.settled(await agency.run({ play: [steps], evidence: [{ kind: 'artifact' }], ...more }))
    const { artifacts } = await agency.artifacts.list(run.id)
    const brief = await agency.brief(run)
    return { run, artifacts, workspace: join(root, run.id, brief.id) }
  }
  const copyOf = (hash: string): string => join(copies, hash.slice(0, 2), hash)
  return { agency, produce, copyOf }
}

const only = <Item>(items: readonly Item[]): Item => {
  expect(items).toHaveLength(1)
  return items[0] as Item
}

const show = (agency: TestAgency, id: string, lines?: number) => agency.artifacts.show(id, { from: 0, lines })

describeStores('an artifact', (openFresh) => {
  it('can be read as it was checked, after its workspace has changed and is gone', async () => {
    const { agency, produce } = await start(openFresh)
    const { artifacts, workspace } = await produce(writes('poem.md', 'one\ntwo\nthree\n'))
    const artifact = only(artifacts)
    expect(artifact).toMatchObject({ name: 'poem.md', version: 1, isDocument: false, isAccepted: true })
    writeFileSync(join(workspace, 'poem.md'), 'something else')
    expect(await show(agency, artifact.id, 2)).toMatchObject({
      foundIn: 'kept',
      problem: null,
      kind: 'text',
      briefKey: 'main',
      part: { content: 'one\ntwo\n', next: 8, bytes: 14 },
    })
    rmSync(workspace, { recursive: true })
    expect((await agency.artifacts.show(artifact.id, { from: 8 })).part).toMatchObject({
      content: 'three\n',
      next: null,
    })
  })

  it('of an attempt that a verifier refused is accepted only if a later attempt has delivered it again', async () => {
    const { agency } = await start(openFresh)
    const writing = (files: Readonly<Record<string, string>>): StepInput[] => [
      ...Object.entries(files).map(([path, text]) => ({ write: { path, text } })),
      { report: { summary: 'wrote', outputs: Object.keys(files) } },
    ]
    const judged = (files: Readonly<Record<string, string>>, verdict: object): StepInput[] => {
      const checked = Object.entries(files).map(([path, quote]) => ({ path, quote }))
      return [{ report: { summary: 'looked', verdict: { checked, notes: 'looked', ...verdict } } }]
    }
    const first = { 'kept.txt': 'same', 'refused.txt': 'bad', 'mended.txt': 'bad' }
    const second = { 'kept.txt': 'same', 'mended.txt': 'good' }
    const run = await agency.settled(
      await agency.run({
        verify: 'all',
        evidence: [{ kind: 'artifact' }],
        runtimeOptions: {
          scenario: {
            attempts: [writing(first), writing(second)],
            verify: [judged(first, { verdict: 'fail', issues: ['bad'] }), judged(second, { verdict: 'pass' })],
          },
        },
      }),
    )
    expect(run.status).toBe('done')
    const { artifacts } = await agency.artifacts.list(run.id)
    expect(artifacts.map(({ name, version, isAccepted }) => [name, version, isAccepted])).toEqual([
      ['kept.txt', 1, true],
      ['mended.txt', 2, true],
      ['mended.txt', 1, false],
      ['refused.txt', 1, false],
    ])
  })

  it('is read in its workspace if its copy is damaged, and not at all if that was changed too', async () => {
    const { agency, produce, copyOf } = await start(openFresh)
    const { artifacts, workspace } = await produce(writes('poem.md', 'a poem\n'))
    const artifact = only(artifacts)
    chmodSync(copyOf(artifact.sha256), 0o600)
    writeFileSync(copyOf(artifact.sha256), 'a p0em\n')
    expect(await show(agency, artifact.id)).toMatchObject({ foundIn: 'workspace', part: { content: 'a poem\n' } })
    writeFileSync(join(workspace, 'poem.md'), 'b poem\n')
    expect(await show(agency, artifact.id)).toMatchObject({
      foundIn: null,
      kind: null,
      part: null,
      problem: 'the copy that was kept is damaged, and it was changed in its workspace since',
    })
    rmSync(join(workspace, 'poem.md'))
    expect((await show(agency, artifact.id)).problem).toMatch(/its workspace no longer has it$/)
    await expect(agency.artifacts.file(artifact.id)).rejects.toThrow('version 1 of "poem.md" cannot be read')
  })

  it('is read in its workspace if it is too large to be kept', async () => {
    const { agency, produce, copyOf } = await start(openFresh)
    const { artifacts, run, workspace } = await produce([
      { write: { path: 'large.txt', text: 'x'.repeat(1_000) } },
      { report: { summary: 'two', outputs: ['large.txt'] } },
    ])
    expect(existsSync(copyOf(only(artifacts).sha256))).toBe(true)
    const large = await add(agency, run, workspace, 'big.bin', maxKeptBytes + 1)
    expect(await show(agency, large.id)).toMatchObject({ foundIn: 'workspace', kind: 'binary' })
    truncateSync(join(workspace, 'big.bin'), 7)
    expect((await show(agency, large.id)).problem).toBe(
      'no copy of a file over 64 MB is kept, and it was changed in its workspace since',
    )
  })

  it('is downloaded as a file of an untrusted author, byte by byte', async () => {
    const { agency, produce } = await start(openFresh)
    const name = '<b>"a"\u202egpj.\n;html'
    const { artifacts } = await produce([
      { write: { path: name, text: '<script>alert(1)</script>' } },
      { write: { path: 'a.svg', text: '<svg onload="alert(1)"/>' } },
      { report: { summary: 'pages', outputs: [name, 'a.svg'] } },
    ])
    const { send } = await serve(agency)
    for (const { id, bytes, name: path } of artifacts) {
      const { status, headers, text } = await send('GET', `/api/artifacts/${id}/file`)
      expect(status).toBe(200)
      expect(text).toBe(path === name ? '<script>alert(1)</script>' : '<svg onload="alert(1)"/>')
      expect(headers).toMatchObject({
        'content-type': 'application/octet-stream',
        'content-length': String(bytes),
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringMatching(/^default-src 'none'; sandbox;/) as string,
        'cache-control': 'no-store',
        'content-disposition':
          path === name
            ? `attachment; filename="_b__a__gpj.__html"; filename*=UTF-8''_b__a__gpj.__html`
            : `attachment; filename="a.svg"; filename*=UTF-8''a.svg`,
      })
    }
  })

  it('is not downloaded by an agent, nor by a browser without the secret of its page', async () => {
    const { agency, produce } = await start(openFresh)
    const { artifacts } = await produce(writes('a.txt', 'a'))
    const busy = await agency.run({ runtimeOptions: { scenario: { steps: [{ hang: {} }] } } })
    const attempt = await agency.until(async () =>
      (await agency.inspect(busy)).attempts.find(({ status }) => status === 'running'),
    )
    const { send } = await serve(agency)
    const path = `/api/artifacts/${only(artifacts).id}/file`
    const token = createAttemptToken(testChainKey, attempt.id, attempt.fence)
    expect(agentOf(attempt).attemptId).toBe(attempt.id)
    expect((await send('GET', path, { token })).status).toBe(403)
    expect((await send('GET', path.replace('/file', ''), { token })).status).toBe(403)
    expect((await send('GET', path, { token: null, headers: { cookie: 'agency_session=x' } })).status).toBe(401)
    expect((await send('GET', '/api/artifacts/art_none/file')).status).toBe(404)
    await agency.runs.cancel(operator, busy.id, undefined)
  })
})

it('sends an artifact of 200 MB in parts, none of which is larger than a megabyte', async () => {
  const { agency, produce } = await start(freshSqlite)
  const { run, workspace } = await produce(writes('a.txt', 'a'))
  const bytes = 200 * 1024 ** 2
  const large = await add(agency, run, workspace, 'big.bin', bytes)
  const { content, ...file } = await agency.artifacts.file(large.id)
  expect(file).toEqual({ name: 'big.bin', bytes, sha256: large.sha256 })
  const hash = createHash('sha256')
  let longest = 0
  for await (const part of content) {
    hash.update(part)
    longest = Math.max(longest, part.length)
  }
  expect(hash.digest('hex')).toBe(large.sha256)
  expect(longest).toBeLessThanOrEqual(1024 ** 2)
})

it('ends the reading of a file that is changed meanwhile', async () => {
  const { agency, produce } = await start(freshSqlite)
  const { run, workspace } = await produce(writes('a.txt', 'a'))
  const large = await add(agency, run, workspace, 'big.bin', maxKeptBytes + 1)
  const { content } = await agency.artifacts.file(large.id)
  const parts = content[Symbol.asyncIterator]()
  await parts.next()
  truncateSync(join(workspace, 'big.bin'), 1_000_000)
  const rest = async () => {
    for (;;) if ((await parts.next()).done === true) return
  }
  await expect(rest()).rejects.toThrow('"big.bin" was changed while it was read')
})

/** Adds a file of zeros to a workspace and records it as an output of the run's only attempt. */
async function add(agency: TestAgency, run: Run, workspace: string, path: string, bytes: number): Promise<Artifact> {
  writeFileSync(join(workspace, path), '')
  truncateSync(join(workspace, path), bytes)
  const hash = createHash('sha256')
  const zeros = Buffer.alloc(1024 ** 2)
  for (let left = bytes; left > 0; left -= zeros.length) hash.update(zeros.subarray(0, left))
  const { attempts, briefs } = await agency.inspect(run)
  const outputs = [{ path, bytes, sha256: hash.digest('hex') }]
  await changeRun(agency, run, (scope) => recordChecks(scope, only(attempts), only(briefs), { findings: [], outputs }))
  return (await agency.inspect(run)).artifacts.find(({ name }) => name === path) as Artifact
}

const serve = (agency: TestAgency) =>
  startServer({
    db: agency.db,
    routes: artifactRoutes(agency.artifacts),
    findAttempt: (id) => agency.db.read((tx) => findStanding(tx, id)),
  })
