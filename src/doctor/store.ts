import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import { type HomePaths, readSecret } from '../daemon/home.ts'
import { findObstacle, placeOf } from '../daemon/registration.ts'
import { column, integer, optional, text } from '../db/columns.ts'
import { migrationNumbers } from '../db/migrate.ts'
import { openStore, type StoreLocation } from '../db/open.ts'
import type { Db, ReadTx } from '../db/port.ts'
import { sqlOf } from '../db/tx.ts'
import { listOtherWorkers } from '../engine/workers-store.ts'
import { auditEvents } from '../events/audit.ts'
import { replayEvents } from '../events/replay.ts'
import type { Clock } from '../kernel/clock.ts'
import { AgencyError, refusal } from '../kernel/errors.ts'
import { eventTables } from '../tables.ts'
import { fail, type Finding, ok, reasonOf } from './finding.ts'
import { examineGovernance } from './governance.ts'
import { examineJobs } from './jobs.ts'
import { examineNotify } from './notify.ts'

export interface StoreOptions {
  audit: boolean
  /** True: all streams; a text: the run of that id or prefix. */
  replay: boolean | string
}

const atMost = 20

/** Opens the store read-only, whichever process owns it, and reports its faults. */
export async function examineStore(
  { paths, clock, notifiers }: { paths: HomePaths; clock: Clock; notifiers: readonly string[] | null },
  databaseUrl: string | null,
  options: StoreOptions,
): Promise<Finding[]> {
  const location: StoreLocation =
    databaseUrl === null ? { kind: 'sqlite', path: paths.store } : { kind: 'postgres', url: databaseUrl }
  if (location.kind === 'sqlite') {
    const broken = examineFile(location.path)
    if (broken !== null) return [broken]
  }
  let key: Uint8Array | null = null
  const findings: Finding[] = []
  try {
    key = readSecret(paths.chainKey)
  } catch (error) {
    findings.push(fail('chain key', reasonOf(error)))
  }
  let db: Db
  try {
    db = await openStore(location, { clock, chainKey: key ?? new Uint8Array(32), readOnly: true })
  } catch (error) {
    return [...findings, fail('store', reasonOf(error), error instanceof AgencyError ? error.hint : undefined)]
  }
  try {
    findings.push(...(await examineRows(db, location, { clock, notifiers })))
    if (db.isShared && key !== null) findings.push(...(await examineOwner(db, paths, key)))
    if (options.audit) findings.push(key === null ? noKey(paths.chainKey) : await audit(db))
    if (options.replay !== false) findings.push(await replay(db, options.replay))
  } catch (error) {
    // An unknown run is a mistake in the command, not a fault of the store.
    if (error instanceof AgencyError && error.code === 'not_found') throw error
    findings.push(fail('store', `the store cannot be read: ${reasonOf(error)}`, restore))
  } finally {
    await db.close()
  }
  return findings
}

const restore = 'Stop the daemon, keep a copy of the file, and restore a backup.'

/** Examines the file before it is opened as a store; returns null when it looks complete. */
function examineFile(path: string): Finding | null {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return ok('store', `${path} (does not exist yet; created at the first start)`)
  if (!found.isFile()) return fail('store', `${path} is not a file`, 'Move it to another place.')
  if (found.size === 0) return ok('store', `${path} (empty; filled at the next start)`)
  try {
    const header = readHeader(path)
    if (header.toString('latin1', 0, 16) !== 'SQLite format 3\0')
      return fail(
        'store',
        `${path} is not a SQLite file`,
        `Move it to another place, or ${restore.charAt(0).toLowerCase()}${restore.slice(1)}`,
      )
    const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
    const pages = header.readUInt32BE(28)
    // Checked only when the log is empty: until then the header may legitimately be ahead of the file.
    const logBytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
    if (logBytes === 0 && found.size < pages * pageSize)
      return fail('store', `${path} is truncated: ${found.size} of ${pages * pageSize} bytes`, restore)
    return quickCheck(path)
  } catch (error) {
    return fail('store', `${path} cannot be read: ${reasonOf(error)}`, restore)
  }
}

function readHeader(path: string): Buffer {
  const header = Buffer.alloc(100)
  const file = openSync(path, 'r')
  readSync(file, header, 0, 100, 0)
  closeSync(file)
  return header
}

function quickCheck(path: string): Finding | null {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    database.exec('PRAGMA busy_timeout = 5000')
    const rows = database.prepare('PRAGMA quick_check(5)').all() as { quick_check: string }[]
    const problems = rows.map((row) => row.quick_check).filter((text) => text !== 'ok')
    if (problems.length > 0) return fail('store', `${path} is damaged: ${problems.join('; ')}`, restore)
    const migrated = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migrations'").get()
    return migrated === undefined ? ok('store', `${path} (no schema yet; filled at the next start)`) : null
  } finally {
    database.close()
  }
}

async function examineRows(
  db: Db,
  location: StoreLocation,
  { clock, notifiers }: { clock: Clock; notifiers: readonly string[] | null },
): Promise<Finding[]> {
  return db.read(async (tx) => {
    const schema = await findSchema(tx)
    const newest = migrationNumbers().at(-1) ?? 0
    const name = location.kind === 'sqlite' ? location.path : 'PostgreSQL'
    const older = schema < newest ? `, migrated to ${newest} at the next start` : ''
    const findings = [ok('store', `${name}, schema ${schema}${older}`)]
    if (schema >= notifySince) findings.push(await examineNotify(tx, clock, notifiers))
    if (schema >= settingsSince) findings.push(...(await examineGovernance(tx)))
    return [...findings, ...(await examineJobs(tx, schema))]
  })
}

/** The schemas that added these tables and columns; an older store can be examined too. */
const settingsSince = 2
const notifySince = 3
const homesSince = 13

/** Examines whether the daemon of this home may use a database that others can reach. */
const examineOwner = (db: Db, paths: HomePaths, key: Uint8Array): Promise<Finding[]> =>
  db.read(async (tx) => {
    if ((await findSchema(tx)) < homesSince) return []
    const id = readSecret(join(paths.home, 'worker.id'))?.toString('utf8') ?? ''
    const mine = { ...placeOf(paths, key), id, pid: 0 }
    // Every worker of this schema has a fingerprint, so none has to be recognised by its process.
    const others = await listOtherWorkers(tx, mine, () => false)
    const obstacle = await findObstacle(tx, others, mine)
    if (obstacle !== null) return [fail('database', obstacle.message, obstacle.hint)]
    return [ok('database', 'no daemon of another home uses it')]
  })

const findSchema = async (tx: ReadTx): Promise<number> =>
  (await column('newest', optional(integer)).one(sqlOf(tx), 'SELECT MAX(number) AS newest FROM migrations')) ?? 0

async function audit(db: Db): Promise<Finding> {
  const { events, streams, findings } = await auditEvents(db)
  if (findings.length === 0) return ok('audit', `chain intact: ${events} events in ${streams} streams`)
  return fail(
    'audit',
    `chain broken: ${listed(findings)}`,
    'The store was changed by another program than Agency: compare it with a backup.',
  )
}

async function replay(db: Db, option: boolean | string): Promise<Finding> {
  const stream = typeof option === 'string' ? `run:${await resolveRun(db, option)}` : undefined
  const { rows, events, differences } = await replayEvents(db, eventTables, stream)
  if (differences.length === 0) return ok('replay', `0 differences (${rows} rows rebuilt from ${events} events)`)
  const many = differences.length === 1 ? '1 difference' : `${differences.length} differences`
  return fail(
    'replay',
    `${many}: ${listed(differences)}`,
    'Rows were changed without an event: compare the store with a backup.',
  )
}

async function resolveRun(db: Db, wanted: string): Promise<string> {
  const prefix = wanted.startsWith('run_') ? wanted : `run_${wanted}`
  const [found, second] = await db.read((tx) =>
    column('id', text).all(sqlOf(tx), 'SELECT id FROM runs WHERE substr(id, 1, ?) = ? ORDER BY id LIMIT 2', [
      prefix.length,
      prefix,
    ]),
  )
  if (found !== undefined && second === undefined) return found
  if (found === undefined) throw refusal('not_found', `no run "${wanted}"`, { hint: 'Run "agency runs" to list runs.' })
  throw refusal('not_found', `"${wanted}" is the prefix of more than one run`, {
    hint: 'Give more characters of the id.',
  })
}

const noKey = (path: string): Finding =>
  fail(
    'audit',
    `${path} is missing: the events cannot be checked without the key that sealed them`,
    'Restore it from a backup.',
  )

const listed = (all: readonly string[]): string =>
  all.slice(0, atMost).join('; ') + (all.length > atMost ? `; and ${all.length - atMost} more` : '')
