import { chmod, lstat, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'

import { type AgencyError, refusal } from '../kernel/errors.ts'

export const defaultPort = 7717
const loopback = '127.0.0.1'

/**
 * Listens on the requested port, which must be free, or else on the first free one of the usual ports, the default port
 * and any other. Returns the port.
 */
export async function listenOnPort(
  server: Server,
  requested: number | undefined,
  usual: readonly number[] = [],
): Promise<number> {
  if (requested !== undefined) {
    const code = await tryPort(server, requested)
    if (code !== null) throw unavailable(requested, code)
    return portOf(server)
  }
  for (const port of [...usual, defaultPort, 0]) {
    const code = await tryPort(server, port)
    if (code === null) return portOf(server)
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw unavailable(port, code)
  }
  throw unavailable(0, undefined)
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port

/** Returns null once the server listens, or the code of the error. */
async function tryPort(server: Server, port: number): Promise<string | null> {
  try {
    await listening(server, () => server.listen(port, loopback))
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown'
  }
}

/**
 * Listens on a unix socket for the owner only. A socket left by a dead daemon is removed; one that answers belongs to
 * another daemon.
 */
export async function listenOnSocket(server: Server, path: string): Promise<void> {
  await removeStaleSocket(path)
  await listening(server, () => server.listen(path))
  await chmod(path, 0o600)
}

async function removeStaleSocket(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined)
  if (found === undefined) return
  if (!found.isSocket())
    throw refusal('conflict', `the socket ${path} cannot be created: a file that is not a socket exists there`)
  if (await isAnswered(path))
    throw refusal('home_owned', `another daemon listens on ${path}`, { hint: 'Run "agency down" to stop it.' })
  await rm(path, { force: true })
}

const isAnswered = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

function listening(server: Server, start: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const onListening = (): void => {
      server.off('error', onError)
      resolve()
    }
    const onError = (error: Error): void => {
      server.off('listening', onListening)
      reject(error)
    }
    server.once('error', onError).once('listening', onListening)
    start()
  })
}

function unavailable(port: number, code: string | undefined): AgencyError {
  const reason = code === 'EADDRINUSE' ? 'another program listens on it' : `the system reports ${code}`
  return refusal('port_taken', `port ${port} cannot be used: ${reason}`, {
    hint: 'Choose another with --port, AGENCY_PORT or port in config.yaml, or set none to use a free one.',
    data: { port },
  })
}
