import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { DatabaseSync } from 'node:sqlite'

import type { Configuration } from '../config/contract.ts'
import type { HomePaths } from '../daemon/home.ts'
import { version } from '../entries.ts'
import { fail, type Finding, ok, reasonOf, warn } from './finding.ts'

/** Asks the daemon; null when nothing listens. Rejects when something listens and does not answer as a daemon does. */
export type DaemonProbe = () => Promise<{ pid: number; address: string; version: string } | null>

const defaultPort = 7717

export async function examineDaemon(
  { paths, probe }: { paths: HomePaths; probe: DaemonProbe },
  configuration: Configuration | null,
): Promise<Finding[]> {
  const isOwned = ownerHolds(paths.owner)
  try {
    const found = await probe()
    if (found !== null) return [examineVersion(found), ok('socket', paths.socket), ok('port', found.address)]
  } catch (error) {
    return [fail('daemon', `something holds ${paths.socket} but does not answer: ${reasonOf(error)}`, nextLook(paths))]
  }
  if (isOwned)
    return [fail('daemon', `a daemon owns ${paths.home} but does not listen on ${paths.socket}`, nextLook(paths))]
  return [ok('daemon', 'not running; any command that needs it starts it'), await examinePort(configuration)]
}

function examineVersion(found: { pid: number; version: string }): Finding {
  const detail = `${found.version}, pid ${found.pid}`
  if (found.version === version) return ok('daemon', detail)
  return warn('daemon', `${detail}; this is ${version}`, 'Run "agency down": the next command starts the new one.')
}

const nextLook = (paths: HomePaths): string =>
  `It may be starting or stopping: look again. Its log is in ${paths.logs}, its process in ${paths.home}/owner.pid.`

/** A daemon locks this file for as long as it lives. Looking takes a shared lock for an instant and no more. */
export function ownerHolds(path: string): boolean {
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
  if (configured === null) return warn('port', detail, 'Nothing to do: the daemon takes a free one.')
  return fail('port', detail, 'Set another port (config.yaml, AGENCY_PORT or --port), or none.')
}

const tryToListen = (port: number, host: string): Promise<string | null> =>
  new Promise((resolve) => {
    const server = createServer()
    server.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(null)))
  })
