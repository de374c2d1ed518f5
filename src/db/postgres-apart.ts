import pg from 'pg'

import type { Clock } from '../kernel/clock.ts'
import type { Commit } from './port.ts'

/** The connection of a process that no transaction of its work occupies: it hears of commits and carries heartbeats. */
export interface ApartConnection {
  /** Runs work alone on the connection, which is opened again if it was lost. */
  run<T>(work: (client: pg.Client) => Promise<T>): Promise<T>
  close(): Promise<void>
}

const channel = 'agency_events'

/** Longer than any answer to a heartbeat takes, and shorter than the silence after which a process gives up its work. */
const silenceMs = 10_000

/**
 * Listens for commits of other processes. The connection is opened again when it breaks, and one call makes up for the
 * notifications missed meanwhile; those that the network loses without an error are found by a sweep.
 */
export async function openApart(
  { config, clock, sender }: { config: pg.ClientConfig; clock: Clock; sender: string },
  heard: (commit: Commit) => void,
): Promise<ApartConnection> {
  let client: pg.Client | null = null
  let connecting: Promise<pg.Client> | null = null
  let last: Promise<unknown> = Promise.resolve()
  let closed = false
  let cancelRetry = (): void => {}
  const collect = collector(heard)

  const connect = (): Promise<pg.Client> =>
    (connecting ??= open().finally(() => {
      connecting = null
    }))

  async function open(): Promise<pg.Client> {
    cancelRetry()
    const next = new pg.Client({
      ...config,
      connectionTimeoutMillis: silenceMs,
      query_timeout: silenceMs,
    })
    next.on('notification', ({ payload = '' }) => {
      const [from, what] = payload.split(' ')
      if (from !== sender) collect(commitOf(what))
    })
    next.on('error', () => drop(next))
    next.on('end', () => drop(next))
    try {
      await next.connect()
      await next.query(`LISTEN ${channel}`)
    } catch (error) {
      void next.end().catch(() => {})
      if (!closed) retryLater()
      throw error
    }
    client = next
    return next
  }

  function drop(lost: pg.Client): void {
    if (client !== lost) return
    client = null
    void lost.end().catch(() => {})
    if (!closed) retryLater()
  }

  function retryLater(): void {
    cancelRetry()
    cancelRetry = clock.after(1_000, () => void reconnect().catch(() => {}))
  }

  async function reconnect(): Promise<pg.Client> {
    const found = await connect()
    collect(commitOf(undefined))
    return found
  }

  await connect().catch(() => {})
  return {
    run<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
      const ran = last.then(async () => {
        const used = client ?? (await reconnect())
        try {
          return await work(used)
        } catch (error) {
          // The session may be in any state, or the answer may still come.
          drop(used)
          throw error
        }
      })
      last = ran.catch(() => {})
      return ran
    },
    async close() {
      closed = true
      cancelRetry()
      await connecting?.catch(() => {})
      await client?.end().catch(() => {})
    },
  }
}

/** Returns the statement by which a transaction tells other processes about its commit. */
export const notifyText = `pg_notify('${channel}', ?)`

type Told = Omit<Commit, 'isForeign'>

/** Encodes a commit for other processes: a letter for each part that may concern them. */
export const payloadOf = (sender: string, { mayBeReady, jobs, agents }: Told): string =>
  `${sender} ${mayBeReady ? 'r' : ''}${jobs ? 'j' : ''}${agents ? 'a' : ''}`

/** Decodes it; without letters, as an earlier version sends it or after missed notifications, anything may concern us. */
function commitOf(what: string | undefined): Commit {
  const has = (letter: string): boolean => what?.includes(letter) ?? true
  return { mayBeReady: has('r'), jobs: has('j'), agents: has('a'), isForeign: true }
}

/** Announces the commits that arrive together as one. */
function collector(heard: (commit: Commit) => void): (commit: Commit) => void {
  let collected: Commit | null = null
  return (commit) => {
    if (collected !== null) {
      collected = {
        mayBeReady: collected.mayBeReady || commit.mayBeReady,
        jobs: collected.jobs || commit.jobs,
        agents: collected.agents || commit.agents,
        isForeign: true,
      }
      return
    }
    collected = commit
    setImmediate(() => {
      const all = collected as Commit
      collected = null
      heard(all)
    })
  }
}
