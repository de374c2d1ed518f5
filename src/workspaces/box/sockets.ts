import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'

import type { Forward, WorkspacePolicy } from '../port.ts'
import { listenAt } from './listener.ts'
import type { ProxyProcess } from './proxy/process.ts'
import type { Service } from './proxy/services.ts'

export interface SocketOptions {
  /** The parent of the sockets' directories; short, because the path of a socket may have at most 107 bytes. */
  readonly boxes: string
  /** Serves connections to the daemon; null: the box cannot reach it. */
  readonly connect: ((connection: Socket) => void) | null
  /** Serves all other sockets. */
  readonly proxy: ProxyProcess
  readonly network: WorkspacePolicy['network']
  readonly forwards: readonly Forward[]
  readonly refused?: (host: string, why: string) => void
}

/** The connections of one box: sockets in a directory that no other box sees. */
export interface BoxSockets {
  readonly directory: string
  /** Ports in the box, each with the name of its socket in the directory. */
  readonly ports: readonly (readonly [port: number, socket: string])[]
  /** The port of the proxy inside the box; null: there is none. */
  readonly proxyPort: number | null
  close(): Promise<void>
}

/** The port inside the box: its network is its own, so only the box's own forwards can conflict with it. */
const defaultProxyPort = 17_717

/** Connections of one box to the daemon: more than its streams and bodies, which have limits of their own. */
const daemonConnections = 64

export async function openSockets(options: SocketOptions): Promise<BoxSockets> {
  const { boxes, connect, proxy, network, forwards, refused } = options
  const directory = await mkdtemp(join(boxes, 'b'))
  const opened: { close(): void }[] = []
  const open = async (name: string, service: Service): Promise<void> =>
    void opened.push(await proxy.open(join(directory, name), service, refused))
  const openDaemon = (serve: (connection: Socket) => void): Promise<void> => {
    const server = createServer({ allowHalfOpen: true }, serve)
    const listener = listenAt(server, join(directory, 'agency.sock'), daemonConnections)
    opened.push(listener)
    return listener.listening
  }
  const close = async (): Promise<void> => {
    for (const each of opened) each.close()
    await rm(directory, { recursive: true, force: true })
  }
  const ports: [number, string][] = forwards.map(({ port }) => [port, `forward-${port}.sock`])
  const proxyPort = network.allowed ? freePort(forwards) : null
  if (proxyPort !== null) ports.push([proxyPort, 'proxy.sock'])
  const opening = await Promise.allSettled([
    connect === null ? null : openDaemon(connect),
    proxyPort === null ? null : open('proxy.sock', { kind: 'egress', network }),
    ...forwards.map((forward) => open(`forward-${forward.port}.sock`, serviceOf(forward))),
  ])
  const failure = opening.find((each) => each.status === 'rejected')
  if (failure === undefined) return { directory, ports, proxyPort, close }
  await close()
  throw failure.reason
}

/**
 * Returns the target; `host` may include a port of its own, if the server listens on another port than inside the box.
 */
function serviceOf({ port, host = '127.0.0.1', keyed }: Forward): Service {
  if (keyed !== undefined) return { kind: 'door', server: keyed }
  const other = /^(.+):(\d+)$/.exec(host)
  return other === null || host.includes('::')
    ? { kind: 'pipe', host, port }
    : { kind: 'pipe', host: other[1] as string, port: Number(other[2]) }
}

function freePort(forwards: readonly Forward[]): number {
  let port = defaultProxyPort
  while (forwards.some((each) => each.port === port)) port += 1
  return port
}
