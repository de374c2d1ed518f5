import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type NetConnectOpts, type Server, type Socket } from 'node:net'
import { join } from 'node:path'

import type { Forward, WorkspacePolicy } from '../port.ts'
import { createEgress } from './egress.ts'
import { pipeTo } from './pipe.ts'

export interface SocketOptions {
  /** Where the directories of launches lie; short, because a socket's name may have 107 bytes. */
  readonly boxes: string
  /** The daemon's own; it still demands the attempt's token. */
  readonly socket: string | null
  readonly network: WorkspacePolicy['network']
  readonly forwards: readonly Forward[]
  readonly refused?: (host: string, why: string) => void
}

/** Ways out of one box: sockets in a directory that no other box sees. */
export interface BoxSockets {
  readonly directory: string
  /** Ports in the box, and the socket of the directory behind each. */
  readonly ports: readonly (readonly [port: number, socket: string])[]
  /** Where the proxy is, seen from inside; null: there is none. */
  readonly proxyPort: number | null
  close(): Promise<void>
}

/** As seen from inside: the box's network is its own, so only what it is itself asked to lead on can be in the way. */
const usualProxyPort = 17_717

/** What one box may hold open at once: more would use up the daemon's own. */
const mostConnections = 256

export async function openSockets({ boxes, socket, network, forwards, refused }: SocketOptions): Promise<BoxSockets> {
  const directory = await mkdtemp(join(boxes, 'b'))
  const doors: OpenSocket[] = []
  const open = (name: string, server: Server): Promise<unknown> => {
    const door = createSocket(server, join(directory, name))
    doors.push(door)
    return door.opened
  }
  const close = async (): Promise<void> => {
    for (const door of doors) door.close()
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
  readonly opened: Promise<unknown>
  close(): void
}

function createSocket(server: Server, path: string): OpenSocket {
  const sockets = new Set<Socket>()
  server.maxConnections = mostConnections
  server.on('connection', (each: Socket) => {
    sockets.add(each)
    each.once('close', () => sockets.delete(each))
  })
  const opened = new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => resolve())
  })
  return {
    opened,
    close: () => {
      server.close()
      for (const each of sockets) each.destroy()
    },
  }
}

const forwardTo = (target: NetConnectOpts): Server =>
  createServer({ allowHalfOpen: true }, (inner) => void pipeTo(inner, target))

/** `host` may carry a port of its own: the server then is elsewhere than the box believes. */
function targetOf(port: number, host = '127.0.0.1'): NetConnectOpts {
  const other = /^(.+):(\d+)$/.exec(host)
  return other === null || host.includes('::') ? { host, port } : { host: other[1] as string, port: Number(other[2]) }
}

/** An agent that asks for the same a thousand times is told so each time; the log is told once. */
function once(refused: (host: string, why: string) => void): (host: string, why: string) => void {
  const told = new Set<string>()
  return (host, why) => {
    if (told.has(host) || told.size >= 100) return
    told.add(host)
    refused(host, why)
  }
}

function freePort(forwards: readonly Forward[]): number {
  let port = usualProxyPort
  while (forwards.some((each) => each.port === port)) port += 1
  return port
}
