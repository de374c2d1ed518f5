import { lookup } from 'node:dns/promises'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'

import type { WorkspacePolicy } from '../port.ts'
import { isLocalAddress } from './addresses.ts'
import { matchesHost, readTarget, type Target } from './hosts.ts'
import { pipeTo } from './pipe.ts'

export interface Egress {
  readonly network: WorkspacePolicy['network']
  /** Whoever was not let through, and by which rule. */
  readonly refused?: (host: string, why: string) => void
  readonly resolve?: (host: string) => Promise<readonly string[]>
  readonly isForbidden?: (address: string) => boolean
}

type EgressDecision = { ok: true; address: string } | { ok: false; status: 400 | 403 | 502; why: string }

/** An HTTP proxy (CONNECT and absolute addresses) that lets out what the policy allows, and never to this machine. */
export function createEgress({
  network,
  refused,
  resolve = resolveHost,
  isForbidden = isLocalAddress,
}: Egress): Server {
  const pass = async (target: Target | null): Promise<EgressDecision> => {
    if (target === null) return { ok: false, status: 400, why: 'the address cannot be read' }
    const passage = await decide(target.host, network, resolve, isForbidden)
    if (!passage.ok && passage.status === 403) refused?.(target.host, passage.why)
    return passage
  }
  const server = createServer((asked, answer) => void forwardRequest(asked, answer, pass))
  server.on('connect', (asked: IncomingMessage, inner: Duplex, head: Buffer) => void tunnel(asked, inner, head, pass))
  server.on('clientError', (_error, socket) => socket.destroy())
  // Whole days of silence are a model's right; the process ends with its box.
  server.requestTimeout = 0
  return server
}

async function decide(
  host: string,
  { allow, block, private: ours = [] }: WorkspacePolicy['network'],
  resolve: (host: string) => Promise<readonly string[]>,
  isForbidden: (address: string) => boolean,
): Promise<EgressDecision> {
  const blocked = block.find((rule) => matchesHost(host, rule))
  if (blocked !== undefined) return { ok: false, status: 403, why: `blocked by "${blocked}"` }
  if (allow.length > 0 && !allow.some((rule) => matchesHost(host, rule)))
    return { ok: false, status: 403, why: 'not on the list of allowed hosts' }
  const found = await resolve(host).catch(() => [])
  if (found.length === 0) return { ok: false, status: 502, why: 'no such host' }
  // What was looked at is what is connected to: a name that changes its mind in between gains nothing.
  const address = found.find((each) => ours.some((rule) => matchesHost(host, rule)) || !isForbidden(each))
  if (address === undefined) return { ok: false, status: 403, why: 'an address of this machine or its network' }
  const blockedAddress = block.find((rule) => matchesHost(address, rule))
  if (blockedAddress !== undefined) return { ok: false, status: 403, why: `blocked by "${blockedAddress}"` }
  return { ok: true, address }
}

async function resolveHost(host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host]
  return (await lookup(host, { all: true, verbatim: false })).map(({ address }) => address)
}

const refusalText = (host: string, why: string): string => `agency: no way from the box to ${host}: ${why}\n`

async function tunnel(
  { url = '' }: IncomingMessage,
  inner: Duplex,
  head: Buffer,
  pass: (target: Target | null) => Promise<EgressDecision>,
): Promise<void> {
  inner.on('error', () => inner.destroy())
  const target = readTarget(url, 443)
  const passage = await pass(target)
  if (!passage.ok || target === null) {
    const { status, why } = passage.ok ? { status: 400, why: '' } : passage
    const text = refusalText(target?.host ?? url.slice(0, 100), why)
    inner.end(`HTTP/1.1 ${status} ${reasons[status]}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
    return
  }
  const nobody = (): void => void inner.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n')
  const outer = pipeTo(inner, { host: passage.address, port: target.port }, nobody)
  if (head.length > 0) outer.write(head)
  outer.once('connect', () => inner.write('HTTP/1.1 200 Connection established\r\n\r\n'))
}

const reasons: Record<number, string> = { 400: 'Bad Request', 403: 'Forbidden', 502: 'Bad Gateway' }

async function forwardRequest(
  asked: IncomingMessage,
  answer: ServerResponse,
  pass: (target: Target | null) => Promise<EgressDecision>,
): Promise<void> {
  const url = absoluteUrl(asked.url)
  const target = url === null ? null : readTarget(url.host, 80)
  const passage = await pass(target)
  if (!passage.ok || url === null || target === null) {
    const { status, why } = passage.ok ? { status: 400, why: '' } : passage
    asked.resume()
    answer.writeHead(status, { 'content-type': 'text/plain' }).end(refusalText(target?.host ?? 'there', why))
    return
  }
  const sent = request({
    host: passage.address,
    port: target.port,
    method: asked.method,
    path: url.pathname + url.search,
    headers: { ...endToEnd(asked.headers), host: url.host },
    agent: false,
    setHost: false,
  })
  sent.once('response', (response) => {
    answer.writeHead(response.statusCode ?? 502, endToEnd(response.headers))
    response.on('error', () => answer.destroy()).pipe(answer)
  })
  sent.once('error', () => {
    if (answer.headersSent) answer.destroy()
    else answer.writeHead(502).end()
  })
  answer.once('close', () => sent.destroy())
  asked.pipe(sent)
}

function absoluteUrl(text = ''): URL | null {
  const url = URL.parse(text)
  return url?.protocol === 'http:' && url.username === '' && url.password === '' ? url : null
}

/** A proxy's own headers go no further, nor do those that speak of one connection. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

const endToEnd = <T extends Record<string, unknown>>(headers: T): T =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name))) as T
