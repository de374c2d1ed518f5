import { readFileSync } from 'node:fs'

import { checkSocketDirectory, type HomePaths } from '../daemon/home.ts'
import { refusal } from '../kernel/errors.ts'
import type { DaemonAddress } from '../client/send.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Returns the daemon's socket. Where the home is too long for a socket path, the daemon's own file names its choice. */
export function socketOf(env: Environment, paths: HomePaths): string {
  if (env['AGENCY_SOCKET']) return env['AGENCY_SOCKET']
  if (paths.socket.startsWith(`${paths.home}/`)) return paths.socket
  const chosen = readDaemonFile(paths)?.socket
  const located = chosen === undefined ? paths : { ...paths, socket: chosen }
  checkSocketDirectory(located)
  return located.socket
}

export interface DaemonFile {
  pid: number
  version: string
  address: string
  dashboard: string
  socket: string
  started_at: string
}

/** Reads the file that a daemon writes once it is ready; a killed daemon leaves it behind, so it proves nothing. */
export function readDaemonFile(paths: HomePaths): DaemonFile | null {
  try {
    const file = JSON.parse(readFileSync(paths.daemonFile, 'utf8')) as Partial<DaemonFile>
    return typeof file.pid === 'number' && typeof file.socket === 'string' ? (file as DaemonFile) : null
  } catch {
    return null
  }
}

/** Returns the dashboard of the daemon that has just answered; null where another socket than that of this home was given. */
export const dashboardOf = (env: Environment, paths: HomePaths): string | null =>
  env['AGENCY_SOCKET'] ? null : (readDaemonFile(paths)?.dashboard ?? null)

export function tokenOf(env: Environment, paths: HomePaths): string {
  if (env['AGENCY_TOKEN']) return env['AGENCY_TOKEN']
  try {
    return readFileSync(paths.operatorToken, 'utf8').trim()
  } catch (error) {
    // Without a home there is no daemon either; the request itself reports that with a better message.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw refusal('unauthenticated', `${paths.operatorToken} cannot be read`, {
      hint: 'Only the account that started the daemon may use it.',
      cause: error,
    })
  }
}

export const daemonAddress = ({ env, paths }: { env: Environment; paths: HomePaths }): DaemonAddress => ({
  socket: socketOf(env, paths),
  token: tokenOf(env, paths),
})
