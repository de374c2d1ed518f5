import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

import { shorten } from '../../kernel/text.ts'

export interface Posting {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
}

/** Limits for the body of an error answer: enough to see the reason. */
const maxAnswerBytes = 1_000
const answerMs = 1_000

/**
 * Sends one request on a connection of its own; resolves when the answer is 2xx. Redirects are not followed: one could
 * send a token to another host. The body of a success is not read, that of an error only at its beginning.
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
  const text = await readBeginning(response)
  throw new Error(text === '' ? name : `${name}: ${shorten(text, 300)}`)
}

function answerOf({ url, headers, body, signal }: Posting): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const address = URL.parse(url)
  const request = { 'http:': requestHttp, 'https:': requestHttps }[address?.protocol ?? '']
  if (address === null || request === undefined) throw new Error('the address is not an http or https address')
  const content = Buffer.from(body)
  const sent = request(address, {
    method: 'POST',
    agent: false,
    headers: { 'user-agent': 'agency', 'content-length': String(content.length), ...headers },
    signal,
  })
  sent.once('response', resolve)
  // `on` and not `once`: a server that answers early and closes the connection fails the rest of the request too.
  sent.on('error', (error: NodeJS.ErrnoException) => reject(new Error(reasonOf(error), { cause: error })))
  sent.end(content)
  return promise
}

const reasonOf = (error: NodeJS.ErrnoException): string =>
  error.code === 'ECONNRESET' ? 'the connection was closed without an answer' : `cannot be reached: ${described(error)}`

/** If several addresses all fail, they are reported as one error without a message. */
const described = (error: NodeJS.ErrnoException): string => error.message || (error.code ?? error.name)

async function readBeginning(response: IncomingMessage): Promise<string> {
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
    // The status is known; the body only explains it.
  } finally {
    clearTimeout(timer)
  }
  return Buffer.concat(chunks).subarray(0, maxAnswerBytes).toString('utf8').trim()
}
