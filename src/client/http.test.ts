import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { ConnectionLost, createResponseReader, type HttpHead } from './http.ts'

/** Feeds an answer in the given pieces; null as body means it did not end. */
function read(answer: Buffer, cuts: number[] = [], closes = false): { head: HttpHead | null; body: string | null } {
  let head: HttpHead | null = null
  let ended = false
  const parts: Buffer[] = []
  const reader = createResponseReader({
    onHead: (received) => (head = received),
    onBody: (part) => parts.push(Buffer.from(part)),
    onEnd: () => (ended = true),
  })
  let from = 0
  for (const cut of [...cuts.filter((cut) => cut < answer.length).sort((a, b) => a - b), answer.length]) {
    reader.push(Buffer.from(answer.subarray(from, cut)))
    from = cut
  }
  if (closes) reader.close()
  return { head, body: ended ? Buffer.concat(parts).toString('utf8') : null }
}

const chunked = (parts: Buffer[]): Buffer =>
  Buffer.concat([
    Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'),
    ...parts
      .filter((part) => part.length > 0)
      .map((part) => Buffer.concat([Buffer.from(`${part.length.toString(16)};ext=1\r\n`), part, Buffer.from('\r\n')])),
    Buffer.from('0\r\nTrailer: x\r\n\r\n'),
  ])

describe('an answer', () => {
  it('is the same wherever its bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 6 }),
        fc.array(fc.nat(400)),
        fc.boolean(),
        (texts, cuts, inChunks) => {
          const whole = Buffer.from(texts.join(''))
          const answer = inChunks
            ? chunked(texts.map((text) => Buffer.from(text)))
            : Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${whole.length}\r\n\r\n`), whole])
          expect(read(answer, cuts).body).toBe(whole.toString('utf8'))
        },
      ),
    )
  })

  it('is not complete before its last byte', () => {
    const answer = chunked([Buffer.from('hello'), Buffer.from('world')])
    for (let length = 0; length < answer.length; length++)
      expect(read(answer.subarray(0, length), [], true).body).toBeNull()
    expect(read(answer).body).toBe('helloworld')
  })

  it('without a length ends with the connection', () => {
    const answer = Buffer.from('HTTP/1.1 200 OK\r\n\r\nall of it')
    expect(read(answer).body).toBeNull()
    expect(read(answer, [], true).body).toBe('all of it')
  })

  it('may be announced by a 100 and have no body', () => {
    const { head, body } = read(
      Buffer.from('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\nX-A: b: c\r\n\r\n'),
    )
    expect(head?.status).toBe(204)
    expect(head?.headers.get('x-a')).toBe('b: c')
    expect(body).toBe('')
  })

  it.each(['SSH-2.0-OpenSSH_9\r\n\r\n', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'])(
    'that is not HTTP is refused: %j',
    (text) => {
      expect(() => read(Buffer.from(text))).toThrow(ConnectionLost)
    },
  )
})
