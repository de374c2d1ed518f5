import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

import { shorten } from '../../kernel/text.ts'

export interface Posting {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
}

/** Enough to see why it was refused, and worth waiting for. */
const maxAnswerBytes = 1_000
const answerMs = 1_000

/**
 * One request on a connection of its own; resolves when the answer is 2xx. Nothing is followed: a redirect could lead a
 * token to another host. What a taker answers is not read, of a refusal only the beginning.
 */
export async function post(posting: Posting): Promise<void> {
  const response = await answerOf(posting)
  const { statusCode: status = 0, statusMessage = '' } = response
  if (status >= 200 && status < 300) return void response.destroy()
  const name = `answered ${`${status} ${statusMessage}`.trim()}`
  if (status >= 300 && status < 400) {
    response.destroy()
    throw new Error(`${name}: redirects are not followed, give the final address`)
  }
  const said = await beginningOf(response)
  throw new Error(said === '' ? name : `${name}: ${shorten(said, 300)}`)
}

function answerOf({ url, headers, body, signal }: Posting): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const address = URL.parse(url)
  const request = { 'http:': requestHttp, 'https:': requestHttps }[address?.protocol ?? '']
  if (address === null || request === undefined) throw new Error('the address is not an http or https one')
  const content = Buffer.from(body)
  const sent = request(address, {
    method: 'POST',
    agent: false,
    headers: { 'user-agent': 'agency', 'content-length': String(content.length), ...headers },
    signal,
  })
  sent.once('response', resolve)
  // Not once: a server that answers early and hangs up fails the rest of the request too.
  sent.on('error', (error: NodeJS.ErrnoException) => reject(new Error(reasonOf(error), { cause: error })))
  sent.end(content)
  return promise
}

const reasonOf = (error: NodeJS.ErrnoException): string =>
  error.code === 'ECONNRESET' ? 'the connection was closed without an answer' : `cannot be reached: ${described(error)}`

/** Several addresses that all fail come as one error without a message. */
const described = (error: NodeJS.ErrnoException): string => error.message || (error.code ?? error.name)

async function beginningOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  const timer = setTimeout(() => response.destroy(), answerMs)
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes >= maxAnswerBytes) break
    }
  } catch {
    // The status has been said; the rest was only to explain it.
  } finally {
    clearTimeout(timer)
  }
  return Buffer.concat(chunks).subarray(0, maxAnswerBytes).toString('utf8').trim()
}
