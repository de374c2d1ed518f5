import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'

import { makeLaunch } from '../contract-suite.ts'
import type { AgentEnded } from '../port.ts'
import { fetchResponse } from './fetch-response.ts'
import { createLlmRuntime } from './runtime.ts'

const key = 'dummy-key-of-answers'
const mb = 1024 * 1024

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Serves a response without end; `gone` resolves to the bytes sent when the caller disconnected. */
async function serveEndlessly(status: number, type: string, first: string, piece: string) {
  const gone = Promise.withResolvers<number>()
  let asked = 0
  const url = await serve((_, response) => {
    asked += 1
    let sent = 0
    response.on('close', () => gone.resolve(sent))
    response.writeHead(status, { 'content-type': type }).write(first)
    const more = () => {
      while (!response.destroyed) {
        sent += piece.length
        if (!response.write(piece)) return void response.once('drain', more)
      }
    }
    more()
  })
  return { url, gone: gone.promise, asked: () => asked }
}

async function endOf(kind: 'anthropic' | 'openai-compatible', baseUrl: string): Promise<AgentEnded> {
  const runtime = createLlmRuntime({
    providers: { tested: { kind, baseUrl, apiKeyEnv: 'K' } },
    environment: { K: key },
    defaultMode: 'cautious',
    retries: { backoffMs: [1, 1] },
  })
  const handle = await runtime.launch(await makeLaunch({ options: { provider: 'tested', model: 'some-model' } }))
  let last: unknown
  for await (const event of handle.events) last = event
  return last as AgentEnded
}

const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`
const word = 'word '.repeat(2_000)

it.each([
  [
    'anthropic',
    event({
      type: 'message_start',
      message: { id: 'm', model: 'm', role: 'assistant', content: [], usage: { input_tokens: 1, output_tokens: 1 } },
    }) + event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: word } }),
  ],
  ['openai-compatible', '', event({ id: 'c', choices: [{ index: 0, delta: { role: 'assistant', content: word } }] })],
  // Even a single event has no end.
  ['openai-compatible', 'data: ', word],
] as const)('gives up an answer without end, and does not retry (%s)', async (kind, first, piece) => {
  const model = await serveEndlessly(200, 'text/event-stream', first, piece)
  const ended = await endOf(kind, model.url)
  expect(ended.detail).toMatch(/^tested \(127\.0\.0\.1:\d+\) sent more than 16 MB in one answer without ending it$/)
  // Bytes in transit on the connection were sent but never read.
  expect(await model.gone).toBeLessThan(32 * mb)
  expect(model.asked()).toBe(1)
})

it('reads only the beginning of an error without end', async () => {
  const model = await serveEndlessly(400, 'text/plain', 'no: ', 'x'.repeat(16 * 1024))
  const response = await fetchResponse(model.url)
  expect(response.status).toBe(400)
  const text = await response.text()
  expect(text).toHaveLength(64 * 1024)
  expect(text).toMatch(/^no: x+$/)
  expect(await model.gone).toBeLessThan(16 * mb)
})

it('returns an error response unchanged', async () => {
  const url = await serve((_, response) => void response.writeHead(418, { 'retry-after': '7' }).end('short'))
  const response = await fetchResponse(url)
  expect([response.status, response.headers.get('retry-after'), await response.text()]).toEqual([418, '7', 'short'])
})

it.each([301, 302, 307, 308])('sends the key only to its base_url, also after a %i', async (status) => {
  const seen: unknown[] = []
  const other = await serve((request, response) => {
    seen.push(request.headers)
    response.end()
  })
  const location = `${other}/v1/messages?secret=x`
  const url = await serve((_, response) => void response.writeHead(status, { location }).end())
  const ended = await endOf('anthropic', url)
  expect(seen).toEqual([])
  expect(ended.detail).toMatch(/^tested \(127\.0\.0\.1:\d+\) redirects to /)
  expect(ended.detail).toContain(
    `${other}/v1/messages, and the key is not sent to another address: set base_url under llm.providers`,
  )
})
