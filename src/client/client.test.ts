import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import { freshFolder } from '../../test/support/store.ts'
import { AgencyError } from '../kernel/errors.ts'
import { get, patch, post, put, remove } from '../operations/endpoint.ts'
import { ApiError } from '../operations/problem.ts'
import { type Client, type ClientOptions, createClient } from './client.ts'
import type { StreamMessage } from '../kernel/event-stream.ts'
import { createVersions } from './versions.ts'

type Answer = (request: IncomingMessage & { text: string }, response: ServerResponse) => void

/** Starts a real HTTP server on a real unix socket; closing it stands for the daemon's death. */
async function listen(socket: string, answer: Answer): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (part: Buffer) => (text += part.toString()))
    request.on('end', () => answer(Object.assign(request, { text }), response))
  })
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  const close = async (): Promise<void> => {
    if (!server.listening) return
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  onTestFinished(close)
  return close
}

const freshSocket = (): string => join(freshFolder(), 's.sock')

function clientOn(socket: string, more: Partial<ClientOptions> = {}): { client: Client; notices: string[] } {
  const notices: string[] = []
  const client = createClient({
    socket: () => socket,
    token: () => 'opr_secret',
    whenDown: () => Promise.reject(new Error('down')),
    notify: (line) => notices.push(line),
    versions: createVersions({ own: '1.0.0', recorded: () => null, complete: async (_, answer) => ({ answer }) }),
    ...more,
  })
  return { client, notices }
}

const json = (response: ServerResponse, status: number, value: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

describe('a request', () => {
  it('carries the token, the query and the body, and returns JSON', async () => {
    const socket = freshSocket()
    const seen: unknown[] = []
    await listen(socket, (request, response) => {
      seen.push([request.method, request.url, request.headers.authorization, request.text])
      json(response, 200, { text: 'ü😀'.repeat(50_000) })
    })
    const { client } = clientOn(socket)
    expect(
      (await client.call<{ text: string }>(get('/runs'), { status: 'a b', limit: undefined, latest: true })).text,
    ).toHaveLength(150_000)
    await client.call(post('/runs'), { goal: 'ü' })
    expect(seen).toEqual([
      ['GET', '/api/runs?status=a%20b&latest=true', 'Bearer opr_secret', ''],
      ['POST', '/api/runs', 'Bearer opr_secret', '{"goal":"ü"}'],
    ])
  })

  it('throws the problem that the daemon reports', async () => {
    const socket = freshSocket()
    await listen(socket, (_, response) =>
      json(response, 404, { code: 'not_found', message: 'no run "x"', hint: 'agency runs lists them', exit: 3 }),
    )
    const refused = await clientOn(socket)
      .client.call(get('/runs/:run_id'), { run_id: 'x' })
      .catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(ApiError)
    expect((refused as ApiError).problem).toMatchObject({
      code: 'not_found',
      exit: 3,
      hint: 'agency runs lists them',
    })
  })

  it('throws one line when the answer does not come from Agency', async () => {
    const socket = freshSocket()
    await listen(socket, (_, response) => response.writeHead(502).end('<html>\nBad gateway'))
    await expect(clientOn(socket).client.call(get('/x'))).rejects.toThrow(/^the daemon answered 502: <html>$/)
  })

  it('has a fresh idempotency key for each change, and none for a GET', async () => {
    const socket = freshSocket()
    const keys: unknown[] = []
    await listen(socket, (request, response) => {
      keys.push(request.headers['idempotency-key'])
      json(response, 200, {})
    })
    const { client } = clientOn(socket)
    await client.call(post('/a'))
    await client.call(post('/a'))
    await client.call(get('/a'))
    for (const endpoint of [put('/a'), patch('/a'), remove('/a')]) await client.call(endpoint)
    expect(keys[0]).toMatch(/^\w{20,}$/)
    expect(keys[1]).toMatch(/^\w{20,}$/)
    expect(keys[0]).not.toBe(keys[1])
    expect(keys[2]).toBeUndefined()
    expect(new Set(keys).size).toBe(6)
  })

  it('puts its input into the query or the body, depending on the method', async () => {
    const socket = freshSocket()
    const seen: unknown[] = []
    await listen(socket, (request, response) => {
      seen.push([request.method, request.url, request.text])
      json(response, 200, {})
    })
    const { client } = clientOn(socket)
    await client.call(remove('/a'), { unassign: true, preview: undefined })
    await client.call(put('/a'), { text: 'b' })
    expect(seen).toEqual([
      ['DELETE', '/api/a?unassign=true', ''],
      ['PUT', '/api/a', '{"text":"b"}'],
    ])
  })

  it('returns YAML as the daemon rendered it, when asked for', async () => {
    const socket = freshSocket()
    await listen(socket, (request, response) => {
      response.writeHead(200, { 'content-type': 'application/yaml' })
      response.end(`accepts: ${request.headers.accept}\n`)
    })
    expect(await clientOn(socket).client.yaml(get('/orgs'))).toBe('accepts: application/yaml\n')
  })

  it('reports the warnings that the daemon sends with its answer', async () => {
    const socket = freshSocket()
    await listen(socket, (_, response) => {
      response.setHeader('agency-warning', ['not yours, really', 'Ärger'].map(encodeURIComponent).join(','))
      json(response, 200, {})
    })
    const { client, notices } = clientOn(socket)
    await client.call(post('/a'))
    expect(notices).toEqual(['warning: not yours, really', 'warning: Ärger'])
  })

  it('is repeated once under the same key, with a notice, when the connection is lost after sending', async () => {
    const socket = freshSocket()
    const keys: unknown[] = []
    await listen(socket, (request, response) => {
      keys.push(request.headers['idempotency-key'])
      if (keys.length === 1) request.socket.destroy()
      else json(response, 200, { id: 'run_1' })
    })
    const { client, notices } = clientOn(socket)
    expect(await client.call(post('/runs'), { goal: 'x' })).toEqual({ id: 'run_1' })
    expect(keys).toHaveLength(2)
    expect(keys[0]).toBe(keys[1])
    expect(notices).toEqual(['agency: the connection was lost after sending; repeating the request under the same key'])
  })

  it('is not repeated a second time', async () => {
    const socket = freshSocket()
    let count = 0
    await listen(socket, (request) => {
      count++
      request.socket.destroy()
    })
    const failure = await clientOn(socket)
      .client.call(post('/runs'))
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(AgencyError)
    expect((failure as AgencyError).message).toContain('the daemon went away')
    expect(count).toBe(2)
  })

  it('is repeated when only half of the answer arrived', async () => {
    const socket = freshSocket()
    let count = 0
    await listen(socket, (_, response) => {
      if (++count > 1) return json(response, 200, { whole: true })
      response.writeHead(200, { 'content-length': '100' })
      response.write('{"half":', () => response.socket?.destroy())
    })
    expect(await clientOn(socket).client.call(post('/runs'))).toEqual({ whole: true })
  })

  it('starts the daemon when none is running, then succeeds', async () => {
    const socket = freshSocket()
    let starts = 0
    const { client } = clientOn(socket, {
      whenDown: async () => {
        starts++
        await listen(socket, (_, response) => json(response, 200, { up: true }))
      },
    })
    expect(await client.call(get('/status'))).toEqual({ up: true })
    expect(starts).toBe(1)
  })

  it('reaches the next daemon when this one dies during the request', async () => {
    const socket = freshSocket()
    const keys: unknown[] = []
    const close = await listen(socket, (request) => {
      keys.push(request.headers['idempotency-key'])
      void close()
    })
    const { client } = clientOn(socket, {
      whenDown: async () => {
        await listen(socket, (request, response) => {
          keys.push(request.headers['idempotency-key'])
          json(response, 200, { life: 2 })
        })
      },
    })
    expect(await client.call(post('/runs'))).toEqual({ life: 2 })
    expect(new Set(keys).size).toBe(1)
  })
})

describe('a stream', () => {
  const message = (id: number): string => `id: ${id}\nevent: event\ndata: {"seq":${id}}\n\n`

  it('continues after the last message it saw when the daemon is replaced', async () => {
    const socket = freshSocket()
    const resumed: unknown[] = []
    const stream =
      (ids: number[], then: (response: ServerResponse) => void): Answer =>
      (request, response) => {
        resumed.push(request.headers['last-event-id'])
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(`: hello\n\n${ids.map(message).join('')}`, () => then(response))
      }
    const close = await listen(
      socket,
      stream([1, 2], (response) => response.write('id: 3\ndata: {"seq', () => void close())),
    )
    const { client, notices } = clientOn(socket)
    const seen: (string | number)[] = []
    for await (const each of client.follow(get('/runs/:run_id/events'), { run_id: 'run_1', level: 'normal' })) {
      seen.push(each === 'open' ? 'open' : (JSON.parse((each as StreamMessage).data) as { seq: number }).seq)
      if (seen.at(-1) === 2)
        await close().then(() =>
          listen(
            socket,
            stream([3, 4], () => {}),
          ),
        )
      if (seen.at(-1) === 4) break
    }
    expect(seen).toEqual(['open', 1, 2, 'open', 3, 4])
    expect(resumed).toEqual([undefined, '2'])
    expect(notices).toEqual(['agency: the connection was lost; waiting for the daemon'])
  })

  it('ends when it is aborted', async () => {
    const socket = freshSocket()
    await listen(socket, (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(message(1))
    })
    const stop = new AbortController()
    const seen: unknown[] = []
    for await (const each of clientOn(socket).client.follow(get('/events'), {}, { signal: stop.signal })) {
      seen.push(each)
      if (each !== 'open') stop.abort()
    }
    expect(seen).toHaveLength(2)
  })

  it('is refused like any request', async () => {
    const socket = freshSocket()
    await listen(socket, (_, response) => json(response, 401, { code: 'unauthenticated', message: 'expired', exit: 1 }))
    const follow = async (): Promise<void> => {
      for await (const _ of clientOn(socket).client.follow(get('/events'), {}));
    }
    await expect(follow()).rejects.toThrow('expired')
  })
})
