import type { Clock } from '../kernel/clock.ts'
import type { Streamed, StreamItem } from '../operations/bind.ts'

const heartbeatMs = 15_000

export interface EventStreamOptions {
  clock: Clock
  /** Aborted when the reader disconnects or the server stops. */
  signal: AbortSignal
  onError: (error: unknown) => void
}

/** Returns a stream of events. Nothing is read ahead of the client: a slow one costs a page, not a growing queue. */
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
          // The stream ended by itself and was not aborted: the event asks the browser not to reconnect.
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

/**
 * Reads one page at a time, with a heartbeat while it takes long. It registers one handler per page, so that a quiet
 * stream does not accumulate any.
 */
function createReader(items: Streamed, clock: Clock): { next(): Promise<Result | 'heartbeat'> } {
  const iterator = items[Symbol.asyncIterator]()
  let isReading = false
  let answer: { result: Result } | { error: unknown } | null = null
  let wake = (): void => {}
  function read(): void {
    isReading = true
    iterator
      .next()
      .then((result) => (answer = { result }))
      .catch((error: unknown) => (answer = { error }))
      .finally(() => wake())
  }
  return {
    async next() {
      if (!isReading) read()
      await new Promise<void>((resolve) => {
        if (answer !== null) return resolve()
        const cancel = clock.after(heartbeatMs, resolve)
        wake = () => {
          cancel()
          resolve()
        }
      })
      const settled = answer as { result: Result } | { error: unknown } | null
      if (settled === null) return 'heartbeat'
      isReading = false
      answer = null
      if ('error' in settled) throw settled.error
      return settled.result
    },
  }
}

const itemText = ({ id, kind, data }: StreamItem): string =>
  `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`
