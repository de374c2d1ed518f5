import type { RuntimeEvent } from './port.ts'

/** Back-pressure: called when too many events are unread, and when there is room again. */
export interface Flow {
  pause(): void
  resume(): void
}

export interface EventQueue {
  readonly events: AsyncIterable<RuntimeEvent>
  /** Ignores every event after `ended`, so there is exactly one. */
  push(event: RuntimeEvent): void
  /** Stops pausing: the few events still to come must not wait for a reader. */
  open(): void
}

const highWater = 512
const lowWater = 128

/** The events of one agent, for one reader, in order. */
export function createEventQueue(flow: Flow = { pause: () => {}, resume: () => {} }): EventQueue {
  let queued: RuntimeEvent[] = []
  let next = 0
  let ended = false
  let abandoned = false
  let isPaused = false
  let isOpen = false
  const readers: ((result: IteratorResult<RuntimeEvent>) => void)[] = []

  const resume = () => {
    if (!isPaused) return
    isPaused = false
    flow.resume()
  }
  const take = (): RuntimeEvent | undefined => {
    const event = queued[next]
    if (event === undefined) return undefined
    next += 1
    // Emptied in blocks: `shift` would move all remaining events at every step.
    if (next === queued.length || next === 1_024) {
      queued = queued.slice(next)
      next = 0
    }
    if (queued.length - next <= lowWater) resume()
    return event
  }
  const iterator: AsyncIterator<RuntimeEvent> = {
    next: () => {
      const event = take()
      if (event !== undefined) return Promise.resolve({ done: false, value: event })
      if (ended || abandoned) return Promise.resolve({ done: true, value: undefined })
      return new Promise((resolve) => readers.push(resolve))
    },
    return: () => {
      abandoned = true
      queued = []
      next = 0
      for (const reader of readers.splice(0)) reader({ done: true, value: undefined })
      resume()
      return Promise.resolve({ done: true, value: undefined })
    },
  }
  return {
    events: { [Symbol.asyncIterator]: () => iterator },
    open: () => {
      isOpen = true
      resume()
    },
    push: (event) => {
      if (ended) return
      ended = event.kind === 'ended'
      if (abandoned) return
      const reader = readers.shift()
      if (reader !== undefined) reader({ done: false, value: event })
      else queued.push(event)
      if (ended) for (const waiting of readers.splice(0)) waiting({ done: true, value: undefined })
      if (isOpen || isPaused || queued.length - next < highWater) return
      isPaused = true
      flow.pause()
    },
  }
}
