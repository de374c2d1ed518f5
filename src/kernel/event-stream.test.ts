import fc from 'fast-check'
import { expect, it } from 'vitest'

import { createStreamReader, type StreamMessage } from './event-stream.ts'

function read(text: string, cuts: number[] = []): StreamMessage[] {
  const bytes = Buffer.from(text)
  const messages: StreamMessage[] = []
  const push = createStreamReader((message) => messages.push(message))
  let from = 0
  for (const cut of [...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length]) {
    push(bytes.subarray(from, cut))
    from = cut
  }
  return messages
}

it('puts messages together, wherever the stream is cut', () => {
  const text =
    ': hello\n\nid: 1\nevent: event\ndata: {"a":"ü😀"}\n\nid: 2\r\ndata:x\r\ndata: y\r\n\r\n:\n\nid: 3\n\ndata\n\n'
  const whole = [
    { id: '1', event: 'event', data: '{"a":"ü😀"}' },
    { id: '2', event: 'message', data: 'x\ny' },
    { id: '3', event: 'message', data: '' },
  ]
  expect(read(text)).toEqual(whole)
  fc.assert(fc.property(fc.array(fc.nat(120)), (cuts) => void expect(read(text, cuts)).toEqual(whole)))
})

it('gives nothing for a message that has not ended', () => {
  expect(read('id: 1\ndata: half')).toEqual([])
  expect(read('id: 1\ndata: half\n')).toEqual([])
})
