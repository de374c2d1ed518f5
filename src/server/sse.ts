import type { Clock } from '../kernel/clock.ts'
import type { Streamed, StreamItem } from '../operations/bind.ts'

const heartbeatMs = 15_000

export interface EventStreamOptions {
  clock: Clock
  /** Aborted when the reader goes or the server stops. */
  signal: AbortSignal
  onError: (error: unknown) => void
}

/** Nothing is read ahead of the client: a slow one costs a page, not a growing queue. */
export function eventStreamResponse(items: Streamed, { clock, signal, onError }: EventStreamOptions): Response {
  const reader = createReader(items, clock)
  const encoder = new TextEncoder()
  let opened = false
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(stream) {
        const send = (text: string): void => stream.enqueue(encoder.encode(text))
        if (!opened) {
          opened = true
          return send('retry: 1000\n\n')
        }
        try {
          const result = await reader.next()
          if (result === 'heartbeat') return send(': still here\n\n')
          if (result.done !== true) return send(result.value.map(itemText).join(''))
          // Its own end, not one that was asked for: tells a browser not to come back for more.
          if (!signal.aborted) send('event: end\ndata: {}\n\n')
        } catch (error) {
          onError(error)
        }
        stream.close()
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' },
  })
}

type Result = IteratorResult<readonly StreamItem[]>

/** One step at a time, with a heartbeat while it takes long. One handler per step: a quiet stream grows nothing. */
function createReader(items: Streamed, clock: Clock): { next(): Promise<Result | 'heartbeat'> } {
  const iterator = items[Symbol.asyncIterator]()
  let asked = false
  let answer: { result: Result } | { error: unknown } | null = null
  let wake = (): void => {}
  function ask(): void {
    asked = true
    iterator
      .next()
      .then((result) => (answer = { result }))
      .catch((error: unknown) => (answer = { error }))
      .finally(() => wake())
  }
  return {
    async next() {
      if (!asked) ask()
      await new Promise<void>((resolve) => {
        if (answer !== null) return resolve()
        const cancel = clock.after(heartbeatMs, resolve)
        wake = () => {
          cancel()
          resolve()
        }
      })
      const given = answer as { result: Result } | { error: unknown } | null
      if (given === null) return 'heartbeat'
      asked = false
      answer = null
      if ('error' in given) throw given.error
      return given.result
    },
  }
}

const itemText = ({ id, kind, data }: StreamItem): string =>
  `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`
