import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type NetConnectOpts, type Server, type Socket } from 'node:net'
import { join } from 'node:path'

import type { Forward, WorkspacePolicy } from '../port.ts'
import { createEgress } from './egress.ts'
import { pipeTo } from './pipe.ts'

export interface SocketOptions {
  /** The parent of the sockets' directories; short, because the path of a socket may have at most 107 bytes. */
  readonly boxes: string
  /** The daemon's own socket; the daemon still requires the attempt's token. */
  readonly socket: string | null
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

/** Open connections of one box: more would use up the daemon's file descriptors. */
const maxConnections = 256

export async function openSockets({ boxes, socket, network, forwards, refused }: SocketOptions): Promise<BoxSockets> {
  const directory = await mkdtemp(join(boxes, 'b'))
  const opened: OpenSocket[] = []
  const open = (name: string, server: Server): Promise<unknown> => {
    const each = createSocket(server, join(directory, name))
    opened.push(each)
    return each.listening
  }
  const close = async (): Promise<void> => {
    for (const each of opened) each.close()
    await rm(directory, { recursive: true, force: true })
  }
  const ports: [number, string][] = forwards.map(({ port }) => [port, `forward-${port}.sock`])
  const proxyPort = network.allowed ? freePort(forwards) : null
  if (proxyPort !== null) ports.push([proxyPort, 'proxy.sock'])
  try {
    await Promise.all([
      socket === null ? null : open('agency.sock', forwardTo({ path: socket })),
      proxyPort === null
        ? null
        : open('proxy.sock', createEgress({ network, ...(refused && { refused: once(refused) }) })),
      ...forwards.map(({ port, host }) => open(`forward-${port}.sock`, forwardTo(targetOf(port, host)))),
    ])
  } catch (error) {
    await close()
    throw error
  }
  return { directory, ports, proxyPort, close }
}

interface OpenSocket {
  readonly listening: Promise<unknown>
  close(): void
}

function createSocket(server: Server, path: string): OpenSocket {
  const sockets = new Set<Socket>()
  server.maxConnections = maxConnections
  server.on('connection', (each: Socket) => {
    sockets.add(each)
    each.once('close', () => sockets.delete(each))
  })
  const listening = new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => resolve())
  })
  return {
    listening,
    close: () => {
      server.close()
      for (const each of sockets) each.destroy()
    },
  }
}

const forwardTo = (target: NetConnectOpts): Server =>
  createServer({ allowHalfOpen: true }, (inner) => void pipeTo(inner, target))

/**
 * Returns the target; `host` may include a port of its own, if the server listens on another port than inside the box.
 */
function targetOf(port: number, host = '127.0.0.1'): NetConnectOpts {
  const other = /^(.+):(\d+)$/.exec(host)
  return other === null || host.includes('::') ? { host, port } : { host: other[1] as string, port: Number(other[2]) }
}

/**
 * Reports each refused host once: an agent gets an answer to every request, but the log gets one line per host, at most
 * 100.
 */
function once(refused: (host: string, why: string) => void): (host: string, why: string) => void {
  const reported = new Set<string>()
  return (host, why) => {
    if (reported.has(host) || reported.size >= 100) return
    reported.add(host)
    refused(host, why)
  }
}

function freePort(forwards: readonly Forward[]): number {
  let port = defaultProxyPort
  while (forwards.some((each) => each.port === port)) port += 1
  return port
}
