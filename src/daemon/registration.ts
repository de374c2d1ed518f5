import { createHmac } from 'node:crypto'
import { realpathSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

import type { Db, ReadTx } from '../db/port.ts'
import {
  isAlive,
  isSealedByOther,
  type KnownWorker,
  listOtherWorkers,
  registerWorker,
  retireWorker,
  type WorkerIdentity,
} from '../engine/workers-store.ts'
import { type AgencyError, refusal } from '../kernel/errors.ts'
import { randomToken } from '../kernel/ids.ts'
import type { Log } from '../kernel/log.ts'
import { isRunning } from '../processes/is-running.ts'
import { type HomePaths, readOrCreateSecret } from './home.ts'

/** Returns the identity of the daemon of a home; its id is created with the first one. */
export const identityOf = (paths: HomePaths, chainKey: Uint8Array): WorkerIdentity => ({
  ...placeOf(paths, chainKey),
  id: readOrCreateSecret(join(paths.home, 'worker.id'), () => `wrk_${randomToken().slice(0, 12)}`).toString('utf8'),
  pid: process.pid,
})

/** Returns the part of the identity that all daemons of a home share. A copy of the home has another inode. */
export function placeOf(paths: HomePaths, chainKey: Uint8Array): Pick<WorkerIdentity, 'host' | 'home' | 'fingerprint'> {
  const host = hostname()
  const home = realpathSync(paths.home)
  const parts = [host, home, realpathSync(paths.workspaces), statSync(home).ino]
  return { host, home, fingerprint: createHmac('sha256', chainKey).update(parts.join('\n')).digest('base64url') }
}

/**
 * Registers the daemon in its store and returns `<id>:<boot>`. A shared store is refused if it belongs to another home
 * or if the daemon of another home uses it: workspaces, mirrors and keys are in the home, so each would spoil the work
 * of the other. Of two that start at the same moment, the one that locks the stream first wins.
 */
export async function registerDaemon(db: Db, identity: WorkerIdentity, log: Log): Promise<string> {
  const { worker, before } = await db.write(['system'], async (tx) => {
    const others = db.isShared ? await refuseForeign(tx, identity) : []
    return { worker: await registerWorker(tx, identity), before: others[0] }
  })
  if (before !== undefined)
    log.warn('the database was used by the daemon of another home before, which has ended', {
      home: before.home,
      host: before.host,
      heartbeat: before.heartbeatAt,
    })
  return worker
}

/** Lets the next daemon start at once; without this record it waits for the end of the heartbeats. */
export async function retireDaemon(db: Db, worker: string, log: Log): Promise<void> {
  await db
    .write([], (tx) => retireWorker(tx, worker))
    .catch((error: unknown) => {
      log.warn('the end of this daemon could not be recorded', { error: String(error) })
    })
}

/**
 * Throws if the daemon of this home cannot use a shared store, else returns the workers of other homes. It is asked
 * before a migration too: a daemon of an older version that uses the store would find tables that it does not know.
 */
export async function refuseForeign(tx: ReadTx, identity: WorkerIdentity): Promise<KnownWorker[]> {
  const others = await listOtherWorkers(tx, identity, isRunning)
  const refused = await findObstacle(tx, others, identity)
  if (refused !== null) throw refused
  return others
}

/** Returns the reason why the daemon of this home cannot use a shared store; null: it can. */
export async function findObstacle(
  tx: ReadTx,
  others: readonly KnownWorker[],
  mine: Pick<WorkerIdentity, 'id'>,
): Promise<AgencyError | null> {
  const alive = others.find((each) => isAlive(tx, each))
  if (alive !== undefined)
    return refusal('store_unusable', `the database is in use by ${describe(alive, mine)}`, {
      hint: 'Run "agency down" there, or set DATABASE_URL to another database; the other daemon counts as ended a minute after its last heartbeat.',
    })
  if (!(await isSealedByOther(tx))) return null
  const [last] = others
  const owner = last === undefined ? 'another home' : describe(last, mine)
  return refusal('store_unusable', `the database belongs to ${owner}: its events are sealed with another chain.key`, {
    hint: 'Set DATABASE_URL to another database, or put the chain.key of that home into this one to continue its work here.',
  })
}

function describe(worker: KnownWorker, mine: Pick<WorkerIdentity, 'id'>): string {
  const unnamed = worker.id === mine.id ? 'the home that this one is a copy of' : 'another home'
  const last = worker.stoppedAt === null ? `last heartbeat ${worker.heartbeatAt}` : `stopped ${worker.stoppedAt}`
  return `the daemon of ${worker.home === '' ? unnamed : worker.home} on ${worker.host} (pid ${worker.pid}, started ${worker.startedAt}, ${last})`
}
