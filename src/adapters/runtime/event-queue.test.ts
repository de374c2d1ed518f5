import { expect, it } from 'vitest'

import { createEventQueue } from './event-queue.ts'
import type { RuntimeEvent } from './port.ts'

const text = (number: number): RuntimeEvent => ({ kind: 'text', text: String(number) })
const ended: RuntimeEvent = { kind: 'ended', exitCode: 0, signal: null }

function createObserved() {
  const flow: string[] = []
  return { flow, queue: createEventQueue({ pause: () => flow.push('pause'), resume: () => flow.push('resume') }) }
}

it('keeps the order, with the reader or the writer first', async () => {
  const { queue } = createObserved()
  const read: RuntimeEvent[] = []
  const reading = (async () => {
    for await (const event of queue.events) read.push(event)
  })()
  const pushed: RuntimeEvent[] = []
  for (let number = 0; number < 5_000; number += 1) {
    pushed.push(text(number))
    queue.push(text(number))
    if (number % 700 === 0) await Promise.resolve()
  }
  queue.push(ended)
  queue.push(text(-1))
  queue.push(ended)
  await reading
  expect(read).toEqual([...pushed, ended])
})

it('pauses the writer without a reader, and resumes it when there is room', async () => {
  const { flow, queue } = createObserved()
  for (let number = 0; number < 600; number += 1) queue.push(text(number))
  expect(flow).toEqual(['pause'])
  const events = queue.events[Symbol.asyncIterator]()
  for (let number = 0; number < 400; number += 1) await events.next()
  expect(flow).toEqual(['pause'])
  for (let number = 0; number < 100; number += 1) await events.next()
  expect(flow).toEqual(['pause', 'resume'])
})

it('resumes the writer once the reader has stopped', async () => {
  const { flow, queue } = createObserved()
  for (let number = 0; number < 600; number += 1) queue.push(text(number))
  for await (const _ of queue.events) break
  for (let number = 0; number < 2_000; number += 1) queue.push(text(number))
  expect(flow).toEqual(['pause', 'resume'])
})
