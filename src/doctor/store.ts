import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

import { type HomePaths, readSecret } from '../daemon/home.ts'
import { column, columns, integer, optional, text } from '../db/columns.ts'
import { migrationNumbers } from '../db/migrate.ts'
import { openStore, type StoreLocation } from '../db/open.ts'
import type { Db } from '../db/port.ts'
import { sqlOf } from '../db/tx.ts'
import { auditEvents } from '../events/audit.ts'
import { replayEvents } from '../events/replay.ts'
import type { Clock } from '../kernel/clock.ts'
import { AgencyError, refusal } from '../kernel/errors.ts'
import { eventTables } from '../tables.ts'
import { fail, type Finding, ok, reasonOf, warn } from './finding.ts'
import { examineNotify } from './notify.ts'

export interface StoreWishes {
  audit: boolean
  /** True: everything; a text: the run of that id or beginning. */
  replay: boolean | string
}

const atMost = 20

/** Opens the store for looking only, whoever owns it, and says in which way it is broken if it is. */
export async function examineStore(
  { paths, clock, notifiers }: { paths: HomePaths; clock: Clock; notifiers: readonly string[] | null },
  databaseUrl: string | null,
  wishes: StoreWishes,
): Promise<Finding[]> {
  const place: StoreLocation =
    databaseUrl === null ? { kind: 'sqlite', path: paths.store } : { kind: 'postgres', url: databaseUrl }
  if (place.kind === 'sqlite') {
    const broken = examineFile(place.path)
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
    db = await openStore(place, { clock, chainKey: key ?? new Uint8Array(32), readOnly: true })
  } catch (error) {
    return [...findings, fail('store', reasonOf(error), error instanceof AgencyError ? error.hint : undefined)]
  }
  try {
    findings.push(...(await examineRows(db, place, { clock, notifiers })))
    if (wishes.audit) findings.push(key === null ? noKey(paths.chainKey) : await audit(db))
    if (wishes.replay !== false) findings.push(await replay(db, wishes.replay))
  } catch (error) {
    // A run that does not exist is the asker's mistake, not the store's.
    if (error instanceof AgencyError && error.code === 'not_found') throw error
    findings.push(fail('store', `it cannot be read: ${reasonOf(error)}`, restore))
  } finally {
    await db.close()
  }
  return findings
}

const restore = 'Stop the daemon, copy the file away, and restore a backup.'

/** What can be said of the file before anybody trusts it: null when it looks whole. */
function examineFile(path: string): Finding | null {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return ok('store', `${path} (not there yet; made at the first start)`)
  if (!found.isFile()) return fail('store', `${path} is not a file`, 'Move it away.')
  if (found.size === 0) return ok('store', `${path} (empty; filled at the next start)`)
  try {
    const header = readHeader(path)
    if (header.toString('latin1', 0, 16) !== 'SQLite format 3\0')
      return fail(
        'store',
        `${path} is not a SQLite file`,
        `Move it away, or ${restore.charAt(0).toLowerCase()}${restore.slice(1)}`,
      )
    const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
    const pages = header.readUInt32BE(28)
    // Only when nothing waits in the log: until then the header may be ahead of the file, and rightly so.
    const waiting = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
    if (waiting === 0 && found.size < pages * pageSize)
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
  place: StoreLocation,
  { clock, notifiers }: { clock: Clock; notifiers: readonly string[] | null },
): Promise<Finding[]> {
  return db.read(async (tx) => {
    const sql = sqlOf(tx)
    const schema =
      (await column('newest', optional(integer)).one(sql, 'SELECT MAX(number) AS newest FROM migrations')) ?? 0
    const newest = migrationNumbers().at(-1) ?? 0
    const where = place.kind === 'sqlite' ? place.path : 'PostgreSQL'
    const older = schema < newest ? `, brought to ${newest} at the next start` : ''
    const findings = [ok('store', `${where}, schema ${schema}${older}`)]
    if (schema >= notifySince) findings.push(await examineNotify(tx, clock, notifiers))
    const dead = await columns({ kind: text, count: integer }).all(
      sql,
      "SELECT kind, COUNT(*) AS count FROM jobs WHERE status = 'dead' GROUP BY kind ORDER BY kind",
    )
    if (dead.length === 0) return [...findings, ok('jobs', 'none given up')]
    const list = dead.map(({ kind, count }) => `${kind} (${count})`).join(', ')
    return [
      ...findings,
      warn('jobs', `given up after too many failures: ${list}`, 'The daemon’s log says why each failed.'),
    ]
  })
}

/** The schema that brought the table; an older store is looked at too. */
const notifySince = 3

async function audit(db: Db): Promise<Finding> {
  const { events, streams, findings } = await auditEvents(db)
  if (findings.length === 0) return ok('audit', `chain intact: ${events} events in ${streams} streams`)
  return fail(
    'audit',
    `chain broken: ${listed(findings)}`,
    'Somebody changed the store behind Agency’s back: compare with a backup.',
  )
}

async function replay(db: Db, wish: boolean | string): Promise<Finding> {
  const stream = typeof wish === 'string' ? `run:${await resolveRun(db, wish)}` : undefined
  const { rows, events, differences } = await replayEvents(db, eventTables, stream)
  if (differences.length === 0) return ok('replay', `0 differences (${rows} rows rebuilt from ${events} events)`)
  const many = differences.length === 1 ? '1 difference' : `${differences.length} differences`
  return fail('replay', `${many}: ${listed(differences)}`, 'Rows were changed without an event: compare with a backup.')
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
  if (found === undefined) throw refusal('not_found', `no run "${wanted}"`, { hint: 'agency runs lists them.' })
  throw refusal('not_found', `"${wanted}" is the beginning of more than one run`, { hint: 'Give more of its id.' })
}

const noKey = (path: string): Finding =>
  fail(
    'audit',
    `${path} is missing: without the key that sealed the events they cannot be checked`,
    'Restore it from a copy.',
  )

const listed = (all: readonly string[]): string =>
  all.slice(0, atMost).join('; ') + (all.length > atMost ? `; and ${all.length - atMost} more` : '')
