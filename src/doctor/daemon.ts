import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { DatabaseSync } from 'node:sqlite'

import type { Configuration } from '../config/contract.ts'
import type { HomePaths } from '../daemon/home.ts'
import type { AgencyError } from '../kernel/errors.ts'
import { fail, type Finding, ok, reasonOf, warn } from './finding.ts'

/**
 * Asks the daemon for its status; resolves to null when nothing listens. Rejects when a process listens that does not
 * respond like a daemon.
 */
export type DaemonProbe = () => Promise<ProbedDaemon | null>

export interface ProbedDaemon {
  pid: number
  address: string
  version: string
  /** Names the version of the daemon and that of this command where they are not the same. */
  difference: AgencyError | null
}

const defaultPort = 7717

export async function examineDaemon(
  { paths, probe }: { paths: HomePaths; probe: DaemonProbe },
  configuration: Configuration | null,
): Promise<Finding[]> {
  const isOwned = isLocked(paths.owner)
  try {
    const found = await probe()
    if (found !== null) return [examineVersion(found), ok('socket', paths.socket), ok('port', found.address)]
  } catch (error) {
    return [
      fail('daemon', `a process listens on ${paths.socket} but does not respond: ${reasonOf(error)}`, nextStep(paths)),
    ]
  }
  if (isOwned)
    return [fail('daemon', `a daemon owns ${paths.home} but does not listen on ${paths.socket}`, nextStep(paths))]
  return [ok('daemon', 'not running; commands start it when they need it'), await examinePort(configuration)]
}

function examineVersion({ version, pid, difference }: ProbedDaemon): Finding {
  if (difference === null) return ok('daemon', `${version}, pid ${pid}`)
  return warn('daemon', `pid ${pid}; ${difference.message}`, difference.hint ?? '')
}

const nextStep = (paths: HomePaths): string =>
  `It may be starting or stopping: run this command again. Its log is in ${paths.logs}, its pid in ${paths.home}/owner.pid.`

/**
 * Reports whether a daemon has locked this file, as it does while it runs. The check takes a shared lock for an instant
 * only.
 */
export function isLocked(path: string): boolean {
  if (!existsSync(path)) return false
  try {
    const database = new DatabaseSync(path, { readOnly: true })
    try {
      database.prepare('SELECT count(*) FROM sqlite_master').get()
      return false
    } finally {
      database.close()
    }
  } catch (error) {
    return /locked|busy/i.test(reasonOf(error))
  }
}

async function examinePort(configuration: Configuration | null): Promise<Finding> {
  const host = '127.0.0.1'
  const configured = configuration?.port ?? null
  const port = configured ?? defaultPort
  const refused = await tryToListen(port, host)
  if (refused === null) return ok('port', `${host}:${port} is free`)
  const detail = `${host}:${port} ${refused === 'EADDRINUSE' ? 'is taken' : `cannot be used (${refused})`}`
  if (configured === null) return warn('port', detail, 'No action is needed: the daemon uses a free port.')
  return fail('port', detail, 'Set another port (config.yaml, AGENCY_PORT or --port), or none to use a free one.')
}

const tryToListen = (port: number, host: string): Promise<string | null> =>
  new Promise((resolve) => {
    const server = createServer()
    server.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(null)))
  })
