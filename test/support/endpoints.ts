import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Behaviour of the server that a notifier sends to. */
export type Behaviour =
  | 'takes it'
  | 'hangs'
  | 'fails'
  | 'fails and repeats what it was sent'
  | 'fails and never stops talking'
  | 'takes it and never stops talking'
  | 'points elsewhere'
  | 'hangs up'
  | 'is not there'

export interface HttpRequest {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

export interface HttpEndpoint {
  readonly origin: string
  readonly requests: HttpRequest[]
  /** Paths of requests that followed the redirect. */
  readonly elsewhere: string[]
  /** Changes the behaviour for later requests. */
  behave(behaviour: Behaviour): void
}

const chunk = Buffer.alloc(64 * 1_024, 'x')

/** Starts a web server with this behaviour. */
export async function httpEndpoint(first: Behaviour): Promise<HttpEndpoint> {
  let behaviour = first
  const requests: HttpRequest[] = []
  const elsewhere: string[] = []
  const server = createHttpServer((request, response) => {
    if (request.url?.startsWith('/elsewhere')) {
      elsewhere.push(request.url)
      return void response.end()
    }
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      requests.push({ path: request.url ?? '', headers: request.headers, body })
      if (behaviour === 'hangs') return
      if (behaviour === 'hangs up') return void request.socket.destroy()
      if (behaviour === 'points elsewhere') return void response.writeHead(307, { location: '/elsewhere' }).end()
      response.statusCode = behaviour.startsWith('fails') ? 500 : 200
      if (behaviour.endsWith('never stops talking')) return flood(response)
      if (behaviour === 'fails and repeats what it was sent')
        return void response.end(`${request.url} ${JSON.stringify(request.headers)} ${body}`)
      response.end(behaviour === 'fails' ? 'out of order' : 'ok')
    })
  })
  const origin = `http://127.0.0.1:${await listen(server)}`
  if (behaviour === 'is not there') await close(server)
  return { origin, requests, elsewhere, behave: (next) => void (behaviour = next) }
}

function flood(stream: {
  write(chunk: Buffer): boolean
  once(name: 'drain', then: () => void): unknown
  destroyed: boolean
}): void {
  while (!stream.destroyed) {
    if (!stream.write(chunk)) return void stream.once('drain', () => flood(stream))
  }
}

export interface SmtpEndpoint {
  readonly port: number
  /** Received mails with their headers. */
  readonly mails: string[]
  /** Received command lines, without the mails. */
  readonly lines: string[]
}

/** Starts a mail server with the commands that a sender needs. */
export async function smtpEndpoint(behaviour: Behaviour): Promise<SmtpEndpoint> {
  const mails: string[] = []
  const lines: string[] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    if (behaviour === 'hangs') return
    if (behaviour === 'hangs up') return void socket.destroy()
    if (behaviour === 'fails and never stops talking') return flood(socket)
    converse(socket, behaviour, { mails, lines })
  })
  const port = await listen(server)
  if (behaviour === 'is not there') await close(server)
  return { port, mails, lines }
}

function converse(socket: Socket, behaviour: Behaviour, received: { mails: string[]; lines: string[] }): void {
  const reply = (text: string): void => void socket.write(`${text}\r\n`)
  let rest = ''
  let mail: string[] | null = null
  let secrets = 0
  reply('220 loopback ESMTP')
  socket.setEncoding('utf8').on('data', (text: string) => {
    const all = (rest + text).split('\r\n')
    rest = all.pop() ?? ''
    for (const line of all) answer(line)
  })
  function answer(line: string): void {
    if (mail !== null) {
      if (line !== '.') return void mail.push(line.startsWith('..') ? line.slice(1) : line)
      received.mails.push(mail.join('\n'))
      mail = null
      reply('250 taken')
      return behaviour === 'takes it and never stops talking' ? flood(socket) : undefined
    }
    received.lines.push(line)
    if (secrets > 0 && --secrets === 0)
      return reply(
        behaviour.startsWith('fails and repeats') ? `535 5.7.8 no entry with ${decoded(line)}` : '235 welcome',
      )
    const verb = line.split(' ')[0]?.toUpperCase()
    if (verb === 'EHLO') return reply('250-loopback\r\n250 AUTH PLAIN')
    if (verb === 'AUTH') {
      const given = line.split(' ')[2]
      if (given === undefined) {
        secrets = 1
        return reply('334 ')
      }
      return reply(
        behaviour.startsWith('fails and repeats') ? `535 5.7.8 no entry with ${decoded(given)}` : '235 welcome',
      )
    }
    if (verb === 'RCPT' && behaviour === 'fails') return reply('554 5.7.1 out of order')
    if (verb === 'DATA') {
      mail = []
      return reply('354 send the mail')
    }
    if (verb === 'STARTTLS') return reply('502 5.5.1 not here')
    if (verb === 'QUIT') return void socket.end('221 bye\r\n')
    reply('250 well')
  }
}

const decoded = (text: string): string => Buffer.from(text, 'base64').toString('utf8').replaceAll('\0', ' ')

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await close(server)
  })
  return (server.address() as AddressInfo).port
}

const close = (server: Server): Promise<void> => new Promise((resolve) => void server.close(() => resolve()))
