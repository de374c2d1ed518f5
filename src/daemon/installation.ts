import { randomBytes } from 'node:crypto'
import { join } from 'node:path'

import type { Configuration } from '../config/contract.ts'
import { openStore, type StoreLocation } from '../db/open.ts'
import type { Db, ReadTx } from '../db/port.ts'
import type { Clock } from '../kernel/clock.ts'
import { randomToken } from '../kernel/ids.ts'
import type { Log } from '../kernel/log.ts'
import { rememberSecrets } from '../secrets/redact.ts'
import { type HomePaths, readOrCreateSecret } from './home.ts'
import { createLog } from './log.ts'
import { identityOf, refuseForeign, registerDaemon, retireDaemon } from './registration.ts'

/** Steps that release what was opened so far, in the order of opening. */
export type Undo = (() => Promise<void> | void)[]

/** The log, the secrets and the store of a home, for the daemon that owns it. */
export interface Installation {
  readonly log: Log
  readonly chainKey: Uint8Array
  readonly operatorToken: string
  readonly location: StoreLocation
  readonly db: Db
  /** `<id>:<boot>` of this daemon in its store. */
  readonly worker: string
}

/** Opens the log, the secrets and the store, and registers the daemon as the one that uses it. */
export async function openInstallation(
  paths: HomePaths,
  values: Configuration,
  clock: Clock,
  undo: Undo,
): Promise<Installation> {
  const log = createLog({ path: join(paths.logs, 'daemon.log'), level: values.logLevel, clock })
  undo.push(() => log.close())
  const chainKey = readOrCreateSecret(paths.chainKey, () => randomBytes(32))
  const operatorToken = readOrCreateSecret(paths.operatorToken, () => `opr_${randomToken()}`)
    .toString('utf8')
    .trim()
  const location = storeLocation(paths, values)
  rememberSecrets([operatorToken, ...passwordsOf(location)])
  const identity = identityOf(paths, chainKey)
  const beforeMigration = async (tx: ReadTx): Promise<void> => void (await refuseForeign(tx, identity))
  const db = await openStore(location, { clock, chainKey, beforeMigration })
  undo.push(() => db.close())
  // Before anything is written: a store that another daemon uses stays as it is.
  const worker = await registerDaemon(db, identity, log)
  undo.push(() => retireDaemon(db, worker, log))
  return { log, chainKey, operatorToken, location, db, worker }
}

/** Describes a store for people, without the credentials of its URL. */
export function aboutStore(location: StoreLocation): { kind: StoreLocation['kind']; place: string } {
  if (location.kind === 'sqlite') return { kind: 'sqlite', place: location.path }
  const { host, pathname } = new URL(location.url)
  return { kind: 'postgres', place: `${host}${pathname}` }
}

/** Returns the password in the address of a store, as it is and as it is encoded there. */
function passwordsOf(location: StoreLocation): string[] {
  if (location.kind === 'sqlite') return []
  const { password } = new URL(location.url)
  // An encoding that is not valid is the store's to refuse.
  return password.replace(/%[0-9A-Fa-f]{2}/g, '').includes('%') ? [password] : [password, decodeURIComponent(password)]
}

const storeLocation = (paths: HomePaths, values: Configuration): StoreLocation =>
  values.databaseUrl === null ? { kind: 'sqlite', path: paths.store } : { kind: 'postgres', url: values.databaseUrl }
