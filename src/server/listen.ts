import { chmod, lstat, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'

import { type AgencyError, refusal } from '../kernel/errors.ts'

export const defaultPort = 7717
const loopback = '127.0.0.1'

/** A port that was asked for must be free; the usual one may be taken, then any other will do. Returns which it is. */
export async function listenOnPort(server: Server, asked: number | undefined): Promise<number> {
  try {
    await listening(server, () => server.listen(asked ?? defaultPort, loopback))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (asked !== undefined) throw unavailable(asked, code)
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error
    await listening(server, () => server.listen(0, loopback))
  }
  return (server.address() as AddressInfo).port
}

/** For the owner alone. A file that a dead daemon left is removed; one that answers is another's. */
export async function listenOnSocket(server: Server, path: string): Promise<void> {
  await removeStaleSocket(path)
  await listening(server, () => server.listen(path))
  await chmod(path, 0o600)
}

async function removeStaleSocket(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined)
  if (found === undefined) return
  if (!found.isSocket()) throw refusal('conflict', `${path} is in the way: it is not a socket`)
  if (await isAnswered(path))
    throw refusal('home_owned', `another daemon answers at ${path}`, { hint: 'Stop it with "agency down".' })
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
    server.once('error', reject)
    server.once('listening', () => {
      server.off('error', reject)
      resolve()
    })
    start()
  })
}

function unavailable(port: number, code: string | undefined): AgencyError {
  const why = code === 'EADDRINUSE' ? 'another program listens there' : `the system says ${code}`
  return refusal('port_taken', `port ${port} cannot be used: ${why}`, {
    hint: 'Choose another with --port, AGENCY_PORT or port in config.yaml; without any, a free one is found.',
    data: { port },
  })
}
