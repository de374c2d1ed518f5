import { createServer, request } from 'node:http'
import type { AddressInfo, Server } from 'node:net'

import { createEgress } from '../../../src/workspaces/box/egress.ts'

/** Prints the status with which a proxy answers a request to each address of this machine. */
const [which, ...addresses] = process.argv.slice(2)

const listening = (server: Server): Promise<number> =>
  new Promise((resolve) => void server.listen(0, () => resolve((server.address() as AddressInfo).port)))

const port = await listening(createServer((_, response) => response.end('reached')))
const network = { allowed: true, allow: [], block: [] }
const proxy = await listening(createEgress({ network, ...(which === 'all' ? { isForbidden: () => false } : {}) }))

const statusOf = (address: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: proxy, path: `http://${address}:${port}/`, headers: { host: 'x' } }
    request(options, ({ statusCode }) => resolve(statusCode ?? 0))
      .once('error', reject)
      .end()
  })

console.log((await Promise.all(addresses.map(statusOf))).join(' '))
process.exit(0)
