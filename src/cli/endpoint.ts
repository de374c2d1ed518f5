import { readFileSync } from 'node:fs'

import { checkSocketDirectory, type HomePaths } from '../daemon/home.ts'
import { refusal } from '../kernel/errors.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Where the daemon listens. With a home too long for a socket, the daemon's own file says which directory it chose. */
export function socketOf(env: Environment, paths: HomePaths): string {
  if (env['AGENCY_SOCKET']) return env['AGENCY_SOCKET']
  if (paths.socket.startsWith(`${paths.home}/`)) return paths.socket
  const chosen = readDaemonFile(paths)?.socket
  const place = chosen === undefined ? paths : { ...paths, socket: chosen }
  checkSocketDirectory(place)
  return place.socket
}

export interface DaemonFile {
  pid: number
  version: string
  address: string
  socket: string
  started_at: string
}

/** Written by a daemon once it is ready; one that was killed leaves it behind, so it proves nothing. */
export function readDaemonFile(paths: HomePaths): DaemonFile | null {
  try {
    const file = JSON.parse(readFileSync(paths.daemonFile, 'utf8')) as Partial<DaemonFile>
    return typeof file.pid === 'number' && typeof file.socket === 'string' ? (file as DaemonFile) : null
  } catch {
    return null
  }
}

export function tokenOf(env: Environment, paths: HomePaths): string {
  if (env['AGENCY_TOKEN']) return env['AGENCY_TOKEN']
  try {
    return readFileSync(paths.operatorToken, 'utf8').trim()
  } catch (error) {
    // No home yet, so no daemon either: the request finds that out and says it better.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw refusal('unauthenticated', `${paths.operatorToken} cannot be read`, {
      hint: 'Only the account that started the daemon may use it.',
      cause: error,
    })
  }
}
