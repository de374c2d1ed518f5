import { lookup } from 'node:dns/promises'
import { createServer, type IncomingMessage, request as sendRequest, type ServerResponse } from 'node:http'
import { connect, isIP, type Server } from 'node:net'
import type { Duplex } from 'node:stream'

import { createQueue } from '../../kernel/queue.ts'
import type { WorkspacePolicy } from '../port.ts'
import { isLocalAddress, isMetadataAddress } from './addresses.ts'
import { matchesHost, plainHost, readTarget, type Target } from './hosts.ts'
import { inSlices, limitRequests } from './limit-requests.ts'
import { maxConnections } from './listener.ts'
import { pipeTo } from './pipe.ts'
import { answer, relay, requestHeaders } from './relay.ts'
import { createTurns, releaseConnection, slicedConnection, type TakeTurn } from './sliced-connection.ts'

export interface Egress {
  readonly network: WorkspacePolicy['network']
  /** Called with each host that was refused, and the rule. */
  readonly refused?: (host: string, why: string) => void
  readonly resolve?: (host: string) => Promise<readonly string[]>
  readonly isForbidden?: (address: string) => boolean
}

type EgressDecision = { ok: true; address: string } | { ok: false; status: 400 | 403 | 502; why: string }

/**
 * Creates an HTTP proxy (CONNECT and absolute URLs) that permits the hosts of the policy, and never an address of this
 * machine.
 */
export function createEgress({
  network,
  refused,
  resolve = resolveHost,
  isForbidden = isLocalAddress,
}: Egress): Server {
  const lookUp = queued(resolve)
  const takeTurn = createTurns()
  const decide = async (target: Target | null): Promise<EgressDecision> => {
    if (target === null) return { ok: false, status: 400, why: 'the address is invalid' }
    const decision = await decideHost(target.host, network, lookUp, isForbidden)
    if (!decision.ok && decision.status === 403) refused?.(target.host, decision.why)
    return decision
  }
  const http = createServer(
    limitRequests((request, response) => {
      forwardRequest(request, response, decide, takeTurn).catch(() =>
        answer(response, 502, 'the request cannot be forwarded'),
      )
    }),
  )
  http.on('connect', (request: IncomingMessage, sliced: Duplex, head: Buffer) => {
    const { connection, unread } = releaseConnection(sliced)
    tunnel(request, connection, Buffer.concat([head, unread]), decide).catch(() => connection.destroy())
  })
  http.on('clientError', (_error, socket) => socket.destroy())
  // A model may be silent for days; the proxy ends with its box.
  http.requestTimeout = 0
  return inSlices(http)
}

async function decideHost(
  host: string,
  { allow, block, private: local = [] }: WorkspacePolicy['network'],
  resolve: (host: string) => Promise<readonly string[]>,
  isForbidden: (address: string) => boolean,
): Promise<EgressDecision> {
  const blocked = block.find((rule) => matchesHost(host, rule))
  if (blocked !== undefined) return { ok: false, status: 403, why: `blocked by "${blocked}"` }
  if (allow.length > 0 && !allow.some((rule) => matchesHost(host, rule)))
    return { ok: false, status: 403, why: 'it is not an allowed host' }
  const found = await resolve(host).catch(() => [])
  if (found.length === 0) return { ok: false, status: 502, why: 'the host does not exist' }
  // The checked address is the one that is connected to: a name that resolves differently in between gains nothing.
  const isPermitted = (each: string): boolean =>
    isMetadataAddress(each)
      ? local.some((rule) => plainHost(rule) === each)
      : local.some((rule) => matchesHost(host, rule)) || !isForbidden(each)
  const address = found.find(isPermitted)
  if (address === undefined) return { ok: false, status: 403, why: 'it is an address of this machine or its network' }
  const blockedAddress = block.find((rule) => matchesHost(address, rule))
  if (blockedAddress !== undefined) return { ok: false, status: 403, why: `blocked by "${blockedAddress}"` }
  return { ok: true, address }
}

/** Names that one box has looked up at the same time; the threads of the process are enough for 16 such boxes. */
const lookupsAtOnce = 4

/**
 * Lets the names of one box wait for each other. A lookup takes a thread, for many seconds if the server of the name does
 * not answer, and the names of all other boxes would wait for a thread.
 */
function queued(resolve: (host: string) => Promise<readonly string[]>): (host: string) => Promise<readonly string[]> {
  const queue = createQueue({ atOnce: lookupsAtOnce, maxWaiting: maxConnections })
  return async (host) => {
    if (isIP(host) !== 0) return resolve(host)
    const end = await queue.take()
    if (end === null) return []
    try {
      return await resolve(host)
    } finally {
      end()
    }
  }
}

async function resolveHost(host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host]
  return (await lookup(host, { all: true, verbatim: false })).map(({ address }) => address)
}

const refusalText = (host: string, why: string): string => `agency: the box cannot connect to ${host}: ${why}\n`

async function tunnel(
  { url = '' }: IncomingMessage,
  inner: Duplex,
  head: Buffer,
  decide: (target: Target | null) => Promise<EgressDecision>,
): Promise<void> {
  inner.on('error', () => inner.destroy())
  const target = readTarget(url, 443)
  const decision = await decide(target)
  // Its end would not be seen any more, and the connection to the target would stay open for ever.
  if (inner.destroyed) return
  if (!decision.ok || target === null) {
    const { status, why } = decision.ok ? { status: 400, why: '' } : decision
    const text = refusalText(target?.host ?? url.slice(0, 100), why)
    inner.end(`HTTP/1.1 ${status} ${reasons[status]}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
    return
  }
  const unreachable = (): void => void inner.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n')
  const outer = pipeTo(inner, { host: decision.address, port: target.port }, unreachable)
  if (head.length > 0) outer.write(head)
  outer.once('connect', () => inner.write('HTTP/1.1 200 Connection established\r\n\r\n'))
}

const reasons: Record<number, string> = { 400: 'Bad Request', 403: 'Forbidden', 502: 'Bad Gateway' }

async function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  decide: (target: Target | null) => Promise<EgressDecision>,
  takeTurn: TakeTurn,
): Promise<void> {
  request.on('error', () => response.destroy())
  const url = absoluteUrl(request.url)
  const target = url === null ? null : readTarget(url.host, 80)
  const decision = await decide(target)
  if (response.destroyed) return
  if (!decision.ok || url === null || target === null) {
    const { status, why } = decision.ok ? { status: 400, why: '' } : decision
    request.resume()
    response.writeHead(status, { 'content-type': 'text/plain' }).end(refusalText(target?.host ?? 'this address', why))
    return
  }
  const sent = sendRequest({
    createConnection: () => connectInSlices(decision.address, target.port, takeTurn),
    method: request.method,
    path: url.pathname + url.search,
    headers: { ...requestHeaders(request), host: url.host },
    setHost: false,
  })
  relay(request, response, sent)
}

/** Connects to a server whose answer is parsed in slices: it can consist of chunks of one byte, and others would wait. */
function connectInSlices(host: string, port: number, takeTurn: TakeTurn): Duplex {
  const connection = connect({ host, port })
  const sliced = slicedConnection(connection, takeTurn)
  connection.once('error', (error) => sliced.destroy(error))
  return sliced
}

function absoluteUrl(text = ''): URL | null {
  const url = URL.parse(text)
  return url?.protocol === 'http:' && url.username === '' && url.password === '' ? url : null
}
