import { rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { createInterface } from 'node:readline'

import { createEgress } from '../egress.ts'
import { listenAt, type Listener } from '../listener.ts'
import { pipeTo } from '../pipe.ts'
import { createDoor } from './door.ts'
import type { Order, Report, Service } from './services.ts'

/**
 * The proxy of all boxes, apart from the daemon: no server that an agent asks can end the daemon. It takes orders from
 * its standard input, and ends with it.
 */
const listeners = new Map<number, Listener>()

const report = (each: Report): void => void process.stdout.write(`${JSON.stringify(each)}\n`)

function obey(order: Order): void {
  if ('close' in order) {
    listeners.get(order.close)?.close()
    listeners.delete(order.close)
    return
  }
  const { open: id, path, service } = order
  // A killed predecessor has left its socket.
  rmSync(path, { force: true })
  const listener = listenAt(serverOf(service, id), path)
  listeners.set(id, listener)
  listener.listening.then(
    () => report({ opened: id }),
    (error: Error) => report({ failed: id, error: error.message }),
  )
}

function serverOf(service: Service, id: number): Server {
  if (service.kind === 'door') return createDoor(service.server)
  if (service.kind === 'egress')
    return createEgress({
      network: service.network,
      refused: once((host, why) => report({ refused: id, host: host.slice(0, 300), why })),
    })
  const { host, port } = service
  return createServer({ allowHalfOpen: true }, (inner) => void pipeTo(inner, { host, port }))
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

/** If memory runs out, the kernel ends this process before the daemon. */
function preferForEnd(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '500')
  } catch {
    // This system has none.
  }
}

preferForEnd()
process.stdout.on('error', () => process.exit(0))
createInterface({ input: process.stdin })
  .on('line', (line) => obey(JSON.parse(line) as Order))
  .on('close', () => process.exit(0))
