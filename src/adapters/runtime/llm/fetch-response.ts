import { NotAnAnswer, SentElsewhere, TooMuch } from './call-failure.ts'

/** More than any model writes in one answer, with all that is sent around each word of it. */
const maxAnswerMb = 16
/** What is wrong is said in one line of it. */
const maxErrorBytes = 64 * 1024

/**
 * What a provider sends, as far as it is an answer: no page of some proxy, though it comes with a status that says that
 * all is well, nothing from anybody else, and not without end.
 */
export const fetchAnswer: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'manual' })
  const place = response.headers.get('location')
  if (place !== null && response.status >= 300 && response.status < 400) {
    await response.body?.cancel()
    throw new SentElsewhere(placeOf(place, response.url))
  }
  if (!response.ok) return withBody(response, cutAfter(maxErrorBytes))
  const type = response.headers.get('content-type') ?? 'no content type'
  if (type.startsWith('text/event-stream')) return withBody(response, refusedAfter(maxAnswerMb))
  await response.body?.cancel()
  throw new NotAnAnswer(type.split(';')[0] ?? type)
}

/** Without what follows its path: that may be meant for nobody else. */
function placeOf(location: string, base: string): string {
  if (!URL.canParse(location, base)) return 'an invalid address'
  const { origin, pathname } = new URL(location, base)
  return origin + pathname
}

type Bytes = TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>

const withBody = (response: Response, through: Bytes): Response =>
  response.body === null ? response : new Response(response.body.pipeThrough(through), response)

/** Its sender is let go, too: both ways of ending close the connection. */
function cutAfter(max: number): Bytes {
  let left = max
  return new TransformStream({
    transform: (chunk, controller) => {
      controller.enqueue(chunk.subarray(0, left))
      left -= chunk.byteLength
      if (left <= 0) controller.terminate()
    },
  })
}

function refusedAfter(mb: number): Bytes {
  let left = mb * 1024 * 1024
  return new TransformStream({
    transform: (chunk, controller) => {
      left -= chunk.byteLength
      if (left >= 0) controller.enqueue(chunk)
      else controller.error(new TooMuch(`sent more than ${mb} MB in one answer without ending it`))
    },
  })
}
