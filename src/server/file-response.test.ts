import { request as httpRequest } from 'node:http'
import { expect, it } from 'vitest'
import { z } from 'zod'

import { startServer } from '../../test/support/server.ts'
import { freshSqlite } from '../../test/support/store.ts'
import { bind } from '../operations/bind.ts'
import { type FileAnswer, operation } from '../operations/contract.ts'
import { dispositionOf } from './file-response.ts'

it.each([
  ['poems/river.txt', `filename="river.txt"; filename*=UTF-8''river.txt`],
  ['a\\b.txt', `filename="b.txt"; filename*=UTF-8''b.txt`],
  ['<b>"x".html', `filename="_b__x_.html"; filename*=UTF-8''_b__x_.html`],
  ['a\r\nSet-Cookie: x=y', `filename="a__Set-Cookie_ x=y"; filename*=UTF-8''a__Set-Cookie_%20x%3Dy`],
  ['invoice\u202egnp.exe', `filename="invoice_gnp.exe"; filename*=UTF-8''invoice_gnp.exe`],
  ["für (alle)'s.md", `filename="f_r (alle)'s.md"; filename*=UTF-8''f%C3%BCr%20%28alle%29%27s.md`],
  ['..', `filename="file"; filename*=UTF-8''file`],
  ['\ud800.txt', `filename="_.txt"; filename*=UTF-8''%EF%BF%BD.txt`],
])('names the file of %j without misleading characters', (path, expected) => {
  expect(dispositionOf(path)).toBe(`attachment; ${expected}`)
})

const bytes = 200 * 1024 ** 2
const part = Buffer.alloc(256 * 1024)

/** Serves a file of 200 MB and tells how much of it was read, and whether its reading was ended. */
async function serve() {
  const seen = { read: 0, ended: false }
  async function* content(): AsyncGenerator<Buffer> {
    try {
      while (seen.read < bytes) {
        seen.read += part.length
        yield part
      }
    } finally {
      seen.ended = true
    }
  }
  const file = operation({
    name: 'test.file',
    summary: 'Send a file',
    method: 'GET',
    path: '/test-file',
    input: z.strictObject({}),
    output: z.custom<FileAnswer>(),
    file: true,
    allow: ['operator'],
  })
  const handler = async (): Promise<FileAnswer> => ({ name: 'big.bin', bytes, sha256: 'abc', content: content() })
  const { db } = await freshSqlite()
  const server = await startServer({ db, routes: bind({ file }, { file: handler }) })
  const open = (onPart: (length: number) => void, destroyAfter = Infinity): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${server.operatorToken}` }
      const options = { port: server.port, host: '127.0.0.1', path: '/api/test-file', headers, agent: false }
      httpRequest(options, (response) => {
        let received = 0
        response.on('data', (chunk: Buffer) => {
          received += chunk.length
          onPart(received)
          if (received >= destroyAfter) return response.destroy()
          response.pause()
          return setImmediate(() => response.resume())
        })
        response.on('close', () => resolve(received)).on('error', () => {})
      })
        .on('error', reject)
        .end()
    })
  return { seen, open, send: server.send }
}

it('reads a file no faster than its client', async () => {
  const { seen, open } = await serve()
  let ahead = 0
  expect(await open((received) => (ahead = Math.max(ahead, seen.read - received)))).toBe(bytes)
  expect(ahead).toBeLessThan(bytes / 4)
})

it('ends the reading when its client has gone', async () => {
  const { seen, open } = await serve()
  await open(() => {}, 1)
  await expect.poll(() => seen.ended).toBe(true)
  expect(seen.read).toBeLessThan(bytes / 4)
})

it('reads nothing for a request of the head alone', async () => {
  const { seen, send } = await serve()
  expect((await send('HEAD', '/api/test-file')).headers['content-length']).toBe(String(bytes))
  expect(seen.read).toBe(0)
})
