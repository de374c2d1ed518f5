import { readFileSync, renameSync, writeFileSync } from 'node:fs'

import { AgencyError } from '../kernel/errors.ts'
import type { Listening, Server } from '../server/server.ts'
import type { Sessions } from '../sessions/service.ts'
import type { HomePaths } from './home.ts'

export interface Listened extends Listening {
  /** The usual port of the home, which another program has; null: the daemon has its usual port. */
  readonly lostPort: number | null
}

/** More are not tried before the default port. */
const maxPorts = 5

/**
 * Listens, and ends the sessions of every other port. A port that another program has taken has received the secrets of
 * tabs that were still open, so these secrets are worth nothing from now on.
 *
 * Without a configured port, the ports of earlier starts are tried first, so that open tabs and sent links stay valid.
 * The first one stays the usual port also while another program has it.
 */
export async function listenOnUsualPort(
  server: Pick<Server, 'listen'>,
  sessions: Pick<Sessions, 'revokeOtherPorts' | 'revokeAll'>,
  paths: Pick<HomePaths, 'socket' | 'ports'>,
  configured: number | undefined,
): Promise<Listened> {
  const usual = configured === undefined ? readPorts(paths.ports) : []
  try {
    const listening = await server.listen({ socket: paths.socket, port: configured, usual })
    await sessions.revokeOtherPorts(listening.port)
    const { port } = listening
    if (configured === undefined && !usual.includes(port))
      writePorts(paths.ports, [...usual.slice(0, maxPorts - 1), port])
    const [first = port] = usual
    return { ...listening, lostPort: first === port ? null : first }
  } catch (error) {
    if (error instanceof AgencyError && error.code === 'port_taken') await sessions.revokeAll()
    throw error
  }
}

/** A file that cannot be read costs only the memory of the ports. */
function readPorts(path: string): number[] {
  try {
    const found: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return Array.isArray(found) ? found.filter(isPort).slice(0, maxPorts) : []
  } catch {
    return []
  }
}

const isPort = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536

function writePorts(path: string, ports: readonly number[]): void {
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(ports)}\n`, { mode: 0o600 })
  renameSync(draft, path)
}

export const lostPortText = ({ port, lostPort }: { port: number; lostPort: number | null }): string =>
  `another program has port ${lostPort}, the usual one of this home, so the dashboard is on port ${port}; the next start tries ${lostPort} first`
