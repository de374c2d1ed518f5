import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** How the other side of a notifier can behave. */
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
  /** Who came where a redirect points to. */
  readonly elsewhere: string[]
  /** From now on. */
  behave(behaviour: Behaviour): void
}

const chunk = Buffer.alloc(64 * 1_024, 'x')

/** A web server that behaves so. */
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
  /** Whole mails, headers and all. */
  readonly mails: string[]
  /** What was said to it, line by line, without the mails. */
  readonly lines: string[]
}

/** As much of a mail server as a sender needs. */
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

function converse(socket: Socket, behaviour: Behaviour, heard: { mails: string[]; lines: string[] }): void {
  const say = (text: string): void => void socket.write(`${text}\r\n`)
  let rest = ''
  let mail: string[] | null = null
  let secrets = 0
  say('220 loopback ESMTP')
  socket.setEncoding('utf8').on('data', (text: string) => {
    const all = (rest + text).split('\r\n')
    rest = all.pop() ?? ''
    for (const line of all) answer(line)
  })
  function answer(line: string): void {
    if (mail !== null) {
      if (line !== '.') return void mail.push(line.startsWith('..') ? line.slice(1) : line)
      heard.mails.push(mail.join('\n'))
      mail = null
      say('250 taken')
      return behaviour === 'takes it and never stops talking' ? flood(socket) : undefined
    }
    heard.lines.push(line)
    if (secrets > 0 && --secrets === 0)
      return say(behaviour.startsWith('fails and repeats') ? `535 5.7.8 no entry with ${decoded(line)}` : '235 welcome')
    const verb = line.split(' ')[0]?.toUpperCase()
    if (verb === 'EHLO') return say('250-loopback\r\n250 AUTH PLAIN')
    if (verb === 'AUTH') {
      const given = line.split(' ')[2]
      if (given === undefined) {
        secrets = 1
        return say('334 ')
      }
      return say(
        behaviour.startsWith('fails and repeats') ? `535 5.7.8 no entry with ${decoded(given)}` : '235 welcome',
      )
    }
    if (verb === 'RCPT' && behaviour === 'fails') return say('554 5.7.1 out of order')
    if (verb === 'DATA') {
      mail = []
      return say('354 go on')
    }
    if (verb === 'STARTTLS') return say('502 5.5.1 not here')
    if (verb === 'QUIT') return void socket.end('221 bye\r\n')
    say('250 well')
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
