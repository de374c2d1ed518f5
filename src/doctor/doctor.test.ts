import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import { describe, expect, it } from 'vitest'

import { freshDatabase, postgresMissing } from '../../test/support/postgres.ts'
import { freshFolder, rawSql } from '../../test/support/store.ts'
import { type HomePaths, homePaths, prepareHome, readOrCreateSecret } from '../daemon/home.ts'
import { openStore, type StoreLocation } from '../db/open.ts'
import { ownHome } from '../db/owner.ts'
import { version } from '../entries.ts'
import { systemClock } from '../kernel/clock.ts'
import { type AgencyError, refusal } from '../kernel/errors.ts'
import { systemIds } from '../kernel/ids.ts'
import type { NotificationRecord } from '../notify/contract.ts'
import { recordOutcome } from '../notify/outcome.ts'
import { seedOrganisation } from '../org/seed.ts'
import { type DoctorDeps, examine } from './doctor.ts'
import type { Finding } from './finding.ts'

/** Creates a home like the one that a stopped daemon leaves. */
async function installed(place?: StoreLocation): Promise<HomePaths> {
  const paths = homePaths({ AGENCY_HOME: join(freshFolder(), 'home') })
  prepareHome(paths)
  const chainKey = readOrCreateSecret(paths.chainKey, () => randomBytes(32))
  const db = await openStore(place ?? { kind: 'sqlite', path: paths.store }, { clock: systemClock, chainKey })
  await seedOrganisation(db)
  await db.close()
  return paths
}

const noOptions = { audit: false, replay: false as boolean | string }
const examined = (paths: HomePaths, more: Partial<DoctorDeps> = {}, wanted = noOptions): Promise<Finding[]> =>
  examine({ paths, env: { PATH: '' }, clock: systemClock, probe: async () => null, ...more }, wanted)
const find = (findings: Finding[], name: string): Finding | undefined => findings.find((each) => each.name === name)
const failures = (findings: Finding[]): string[] =>
  findings.filter(({ status }) => status === 'fail').map(({ name }) => name)
const everything = { audit: true, replay: true }
const damage = (paths: HomePaths, sql: string): Promise<unknown> => rawSql({ kind: 'sqlite', path: paths.store }, sql)

describe('the doctor', () => {
  it('finds no fault where no home exists yet, and creates nothing', async () => {
    const folder = freshFolder()
    const paths = homePaths({ AGENCY_HOME: join(folder, 'home') })
    const findings = await examined(paths, {}, everything)
    expect(failures(findings)).toEqual([])
    expect(find(findings, 'store')?.detail).toContain('created at the first start')
    expect(() => readFileSync(paths.store)).toThrow('ENOENT')
  })

  it('finds an intact installation: chain intact, no differences', async () => {
    const findings = await examined(await installed(), {}, everything)
    expect(failures(findings)).toEqual([])
    expect(find(findings, 'audit')?.detail).toBe('chain intact: 2 events in 2 streams')
    expect(find(findings, 'replay')?.detail).toMatch(/^0 differences \(\d+ rows rebuilt from 2 events\)$/)
    expect(find(findings, 'store')?.detail).toMatch(/, schema \d+$/)
  })

  it('gives the next step for every fault', async () => {
    const findings = await examined(await installed())
    const withoutNext = findings.filter(({ status, next }) => status !== 'ok' && next?.endsWith('.') !== true)
    expect(findings.some(({ status }) => status !== 'ok')).toBe(true)
    expect(withoutNext).toEqual([])
  })

  it('warns of an organisation that is only advised', async () => {
    const paths = await installed()
    expect(find(await examined(paths), 'governance')).toBeUndefined()
    await damage(paths, "INSERT INTO organisation_settings SELECT id, 'governance', 'advise' FROM organisations")
    expect(find(await examined(paths), 'governance')).toMatchObject({
      status: 'warn',
      next: expect.stringContaining('governance enforce'),
    })
  })

  it('only searches for programs: an empty PATH has none', async () => {
    const findings = await examined(await installed())
    expect(['git', 'sandbox', 'tmux', 'coding agents'].map((name) => find(findings, name)?.status)).toEqual(
      Array.from({ length: 4 }, () => 'warn'),
    )
  })

  it('checks the team of a tiered run', async () => {
    const paths = await installed()
    const team = async (text: string, path = ''): Promise<Finding | undefined> => {
      writeFileSync(paths.team, text)
      return find(await examined(paths, { env: { PATH: path } }), 'team')
    }
    const bin = freshFolder()
    writeFileSync(join(bin, 'claude'), '', { mode: 0o755 })
    const models = ['reasoning-heavy', 'capable', 'fast-cheap'].map((name) => `  ${name}: { provider: a, model: b }\n`)
    const file = `capabilities:\n${models.join('')}`
    expect(await team(file, bin)).toMatchObject({ status: 'ok', detail: paths.team })
    expect(await team(file)).toMatchObject({ status: 'warn', detail: 'T4/T5 runtime: standard (fallback)' })
    expect(await team('', bin)).toMatchObject({ status: 'warn', detail: expect.stringContaining('T1/T2/T3 runtime') })
    expect(await team('')).toMatchObject({ status: 'warn', detail: expect.stringMatching(/^no runtime is available/) })
    const mandatory = 'visibility: { inspection_gates: { t1_plan: false } }'
    expect(await team(mandatory, bin)).toMatchObject({
      status: 'fail',
      detail: `${paths.team}:1:44: visibility.inspection_gates.t1_plan: t1_plan gate is mandatory`,
    })
  })

  it('never starts a coding agent that it finds', async () => {
    const folder = freshFolder()
    writeFileSync(join(folder, 'claude'), `#!/bin/sh\ntouch ${folder}/started\n`, { mode: 0o755 })
    writeFileSync(join(folder, 'codex'), 'not executable', { mode: 0o644 })
    const paths = await installed()
    const without = await examined(paths, { env: { PATH: folder } })
    expect(find(without, 'coding agents')).toMatchObject({
      status: 'warn',
      detail: expect.stringContaining('claude; Claude Code has no key') as string,
    })
    const findings = await examined(paths, { env: { PATH: folder, CLAUDE_CODE_OAUTH_TOKEN: 'dummy' } })
    expect(find(findings, 'coding agents')).toMatchObject({ status: 'ok', detail: 'claude' })
    expect(find(findings, 'agent keys')).toMatchObject({
      status: 'warn',
      detail: expect.stringContaining('can read CLAUDE_CODE_OAUTH_TOKEN') as string,
    })
    const withKey = await examined(paths, { env: { PATH: folder, ANTHROPIC_API_KEY: 'dummy' } })
    expect(find(withKey, 'agent keys')).toBeUndefined()
    expect(() => readFileSync(join(folder, 'started'))).toThrow('ENOENT')
  })
})

describe.each(['sqlite', 'postgres'] as const)('jobs on %s', (kind) => {
  const missing = kind === 'postgres' && postgresMissing() !== null
  it.skipIf(missing)('that were given up are named with the reason and the command that tries them again', async () => {
    const place: StoreLocation | undefined = kind === 'postgres' ? { kind, url: await freshDatabase() } : undefined
    const paths = await installed(place)
    const at: StoreLocation = place ?? { kind: 'sqlite', path: paths.store }
    const env = { PATH: '', ...(at.kind === 'postgres' ? { DATABASE_URL: at.url } : {}) }
    const jobsFound = async (): Promise<Finding[]> =>
      (await examined(paths, { env })).filter(({ name }) => name === 'jobs')
    expect(await jobsFound()).toEqual([{ name: 'jobs', status: 'ok', detail: 'no job was given up' }])
    const insert = (id: string, jobKind: string, status: string, error: string): Promise<unknown> =>
      rawSql(
        at,
        `INSERT INTO jobs (id, kind, payload, due_at, tries, max_tries, status, error, created_at, lane)
VALUES ('${id}', '${jobKind}', '"run_a"', '2030-01-01T00:00:00.000Z', 11, 11, '${status}', '${error}', '2030-01-01T00:00:00.000Z', 'repository:/shop')`,
      )
    await insert('job_a', 'land', 'dead', 'locked\nby ghp_0123456789abcdefghijklmnopqrstuvwxyzAB')
    await insert('job_b', 'teleport', 'waiting', '')
    expect(await jobsFound()).toEqual([
      {
        name: 'jobs',
        status: 'warn',
        detail:
          'land: landing of run_a into /shop was given up after 11 tries at 2030-01-01T00:00:00.000Z: locked by [redacted]',
        next: 'Remove the cause, then run "agency jobs retry job_a".',
      },
      {
        name: 'jobs',
        status: 'warn',
        detail: '1 job of kind "teleport" waiting: this version does not know the kind',
        next: 'Use the version of Agency that added it; until then they stay as they are.',
      },
    ])
    for (let index = 0; index < 12; index++) await insert(`job_c${index}`, 'land', 'dead', 'no')
    expect((await jobsFound())[10]).toMatchObject({ detail: '3 more were given up' })
  })
})

describe('models', () => {
  it('are those of providers with a key or without need of one; a key is never shown', async () => {
    const paths = await installed()
    expect(find(await examined(paths), 'models')).toMatchObject({
      status: 'ok',
      detail: 'no provider: none of ANTHROPIC_API_KEY, OPENAI_API_KEY is set here; only the runtime llm needs one',
    })
    writeFileSync(
      paths.config,
      'llm: {providers: {local: {kind: ollama}, corp: {kind: anthropic, api_key_env: CORP}}}\n',
    )
    const findings = await examined(paths, { env: { OPENAI_API_KEY: 'sk-dummy-0000' } })
    expect(find(findings, 'models')).toEqual({
      name: 'models',
      status: 'ok',
      detail: 'openai (OPENAI_API_KEY), local (127.0.0.1:11434)',
    })
  })
})

describe('a store', () => {
  it('that is truncated is reported as such', async () => {
    const paths = await installed()
    truncateSync(paths.store, 8_192)
    expect(find(await examined(paths, {}, everything), 'store')).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('is truncated: 8192 of') as string,
    })
  })

  it('that is truncated within its header is reported not to be a store', async () => {
    const paths = await installed()
    truncateSync(paths.store, 10)
    expect(find(await examined(paths), 'store')?.detail).toContain('is not a SQLite file')
  })

  it('that is another file or a directory is reported as such', async () => {
    const paths = await installed()
    writeFileSync(paths.store, 'Dear diary, '.repeat(1_000))
    expect(find(await examined(paths), 'store')).toMatchObject({
      status: 'fail',
      detail: `${paths.store} is not a SQLite file`,
    })
    rmSync(paths.store)
    mkdirSync(paths.store)
    expect(find(await examined(paths), 'store')).toMatchObject({
      status: 'fail',
      detail: `${paths.store} is not a file`,
    })
  })

  it('with overwritten pages is damaged', async () => {
    const paths = await installed()
    const bytes = readFileSync(paths.store)
    bytes.fill(0xee, 3 * 4_096, 9 * 4_096)
    writeFileSync(paths.store, bytes)
    const found = find(await examined(paths, {}, everything), 'store')
    expect(found?.status).toBe('fail')
    expect(found?.detail).toMatch(/damaged|malformed/)
  })

  it('of a newer Agency is refused with both schema numbers', async () => {
    const paths = await installed()
    await damage(paths, "INSERT INTO migrations (number, applied_at) VALUES (9999, 'x')")
    const found = find(await examined(paths), 'store')
    expect(found).toMatchObject({ status: 'fail' })
    expect(found?.detail).toMatch(/schema 9999; this version of Agency supports schemas up to \d+/)
  })

  it('that is empty is reported as such', async () => {
    const paths = await installed()
    writeFileSync(paths.store, '')
    for (const suffix of ['-wal', '-shm']) rmSync(`${paths.store}${suffix}`, { force: true })
    expect(find(await examined(paths, {}, everything), 'store')).toMatchObject({
      status: 'ok',
      detail: expect.stringContaining('empty') as string,
    })
  })

  it('may be examined while a daemon writes to it', async () => {
    const paths = await installed()
    const writer = new DatabaseSync(paths.store)
    writer.exec("BEGIN IMMEDIATE; UPDATE personas SET name = 'not yet' WHERE id = 1")
    expect(failures(await examined(paths, {}, everything))).toEqual([])
    writer.exec('ROLLBACK')
    writer.close()
  })
})

describe('an audit', () => {
  it('names the event that was altered', async () => {
    const paths = await installed()
    await damage(
      paths,
      "DROP TRIGGER events_are_final; UPDATE events SET message = 'forged' WHERE stream = 'system' AND seq = 1",
    )
    const found = find(await examined(paths, {}, { audit: true, replay: false }), 'audit')
    expect(found).toMatchObject({ status: 'fail', detail: 'chain broken: system 1: altered' })
  })

  it('names the event that was removed', async () => {
    const paths = await installed()
    await damage(paths, "DROP TRIGGER events_stay; DELETE FROM events WHERE stream = 'system'")
    expect(find(await examined(paths, {}, everything), 'audit')?.detail).toMatch(/^chain broken: system 1: truncated/)
  })

  it('reports that the key is missing', async () => {
    const paths = await installed()
    rmSync(paths.chainKey)
    expect(find(await examined(paths, {}, everything), 'audit')).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('chain.key is missing') as string,
    })
  })
})

describe('a replay', () => {
  it('names the column that was changed without an event', async () => {
    const paths = await installed()
    await damage(paths, "UPDATE personas SET name = 'Mallory' WHERE id = 1")
    const found = find(await examined(paths, {}, { audit: false, replay: true }), 'replay')
    expect(found?.status).toBe('fail')
    expect(found?.detail).toBe('1 difference: personas 1: name is "Mallory" in the store, "Operator" in the events')
  })

  it('of an unknown run is refused', async () => {
    await expect(examined(await installed(), {}, { audit: false, replay: 'run_nope' })).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})

describe('a home', () => {
  it('that other users can read gets a warning, and so do its secrets', async () => {
    const paths = await installed()
    chmodSync(paths.home, 0o755)
    chmodSync(paths.chainKey, 0o644)
    const findings = await examined(paths)
    expect(find(findings, 'home')).toMatchObject({ status: 'warn', next: `Run "chmod 700 ${paths.home}".` })
    expect(find(findings, 'secrets')).toMatchObject({ status: 'warn' })
  })

  it('shows the disk use of checkouts and setups', async () => {
    const paths = await installed()
    const cache = join(paths.workspaces, '.setup', 'shop.git', 'cache')
    mkdirSync(cache, { recursive: true })
    writeFileSync(join(cache, 'package.tgz'), Buffer.alloc(3_000_000, 1))
    expect(find(await examined(paths), 'checkouts')).toEqual({
      name: 'checkouts',
      status: 'ok',
      detail: '0 MB in fresh checkouts, 3 MB in packages and results of setups',
    })
  })

  it('that is a file is a failure, and the rest is still examined', async () => {
    const file = join(freshFolder(), 'home')
    writeFileSync(file, '')
    const findings = await examined(homePaths({ AGENCY_HOME: file }))
    expect(find(findings, 'home')).toMatchObject({ status: 'fail', detail: `${file} is not a directory` })
    expect(find(findings, 'port')).toBeDefined()
  })
})

describe('a daemon', () => {
  it('that responds is reported, also one of another version', async () => {
    const answers = (difference: AgencyError | null) => async () => ({
      pid: 42,
      version,
      address: 'http://127.0.0.1:1',
      difference,
    })
    const other = refusal('unsupported', 'the daemon is version 9.9', { hint: 'Restart it.' })
    const paths = await installed()
    expect(find(await examined(paths, { probe: answers(null) }), 'daemon')).toMatchObject({
      status: 'ok',
      detail: `${version}, pid 42`,
    })
    expect(find(await examined(paths, { probe: answers(other) }), 'daemon')).toMatchObject({
      status: 'warn',
      detail: 'pid 42; the daemon is version 9.9',
      next: 'Restart it.',
    })
  })

  it('that owns the home and does not listen is a failure', async () => {
    const paths = await installed()
    const owner = ownHome(paths.home)
    expect(find(await examined(paths), 'daemon')).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('a daemon owns') as string,
    })
    owner.release()
    expect(find(await examined(paths), 'daemon')).toMatchObject({ status: 'ok' })
  })

  it('has a finding for its configured port, taken or free', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const paths = await installed()
    const env = { PATH: '', AGENCY_PORT: String(port) }
    expect(find(await examined(paths, { env }), 'port')).toMatchObject({
      status: 'fail',
      detail: `127.0.0.1:${port} is taken`,
    })
    await new Promise((resolve) => server.close(resolve))
    expect(find(await examined(paths, { env }), 'port')).toMatchObject({ status: 'ok' })
  })
})

describe('a configuration', () => {
  it('that is invalid is a failure, and the store is still examined', async () => {
    const paths = await installed()
    writeFileSync(paths.config, 'slots: many')
    const findings = await examined(paths)
    expect(failures(findings)).toEqual(['config'])
    expect(find(findings, 'store')?.status).toBe('ok')
  })
})

describe('a notifier', () => {
  const deliver = async (
    paths: HomePaths,
    deliveries: { adapter: string; ok: boolean; error?: string }[],
  ): Promise<void> => {
    const chainKey = readOrCreateSecret(paths.chainKey, () => randomBytes(32))
    const db = await openStore({ kind: 'sqlite', path: paths.store }, { clock: systemClock, chainKey })
    const row = { ...aNotification, id: systemIds.next('notification'), createdAt: systemClock.at() }
    await db.write(['system'], (tx) =>
      recordOutcome(
        tx,
        { ...row, object: row.id },
        { deliveries: deliveries.map((each) => ({ ...each, at: tx.at })), status: 'sent' },
        true,
      ),
    )
    await db.close()
  }

  it('that failed is reported with its reason until it works again', async () => {
    const paths = await installed()
    expect(find(await examined(paths), 'notify')?.status).toBe('ok')
    writeFileSync(paths.config, 'notify: [{adapter: terminal}, {adapter: webhook, url: "http://127.0.0.1:1"}]')
    const taken = { adapter: 'terminal', ok: true }
    await deliver(paths, [taken, { adapter: 'webhook', ok: false, error: 'answered 500 Internal Server Error' }])
    const found = find(await examined(paths, {}, everything), 'notify')
    expect(found?.status).toBe('warn')
    expect(found?.detail).toMatch(/^webhook: answered 500 Internal Server Error \(2/)
    writeFileSync(paths.config, 'notify: []')
    expect(find(await examined(paths), 'notify')?.status).toBe('ok')
    writeFileSync(paths.config, 'notify: 3')
    expect(find(await examined(paths), 'notify')?.status).toBe('warn')
    await deliver(paths, [{ adapter: 'webhook', ok: true }])
    expect(find(await examined(paths), 'notify')).toMatchObject({ status: 'ok', detail: 'the last messages arrived' })
  })
})

const aNotification = {
  runId: null,
  organisationId: null,
  audience: 'operator',
  kind: 'run_done',
  title: 'Done',
  summary: '',
  actions: [],
  link: null,
  state: 'done',
  status: 'waiting',
  deliveries: [],
  updatedAt: '2030-01-01T00:00:00.000Z',
} satisfies Partial<NotificationRecord>

describe('PostgreSQL', () => {
  it('that does not respond is a failure, reported without the password', async () => {
    const env = { PATH: '', DATABASE_URL: 'postgres://ada:hunter2@127.0.0.1:1/agency' }
    const found = find(await examined(await installed(), { env }), 'store')
    expect(found?.status).toBe('fail')
    expect(JSON.stringify(found)).not.toContain('hunter2')
  })

  it.skipIf(postgresMissing() !== null)('is audited and replayed like any store', async () => {
    const url = await freshDatabase()
    const paths = await installed({ kind: 'postgres', url })
    const findings = await examined(paths, { env: { PATH: '', DATABASE_URL: url } }, everything)
    expect(failures(findings)).toEqual([])
    expect(find(findings, 'audit')?.detail).toBe('chain intact: 2 events in 2 streams')
    expect(find(findings, 'replay')?.detail).toMatch(/^0 differences/)
    expect(find(findings, 'store')?.detail).toMatch(/^PostgreSQL, schema/)
  })
})
