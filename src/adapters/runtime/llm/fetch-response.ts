import { Redirected, ResponseTooLarge, UnexpectedContent } from './call-failure.ts'

/** More than any model writes in one answer, including the protocol around each word. */
const maxAnswerMb = 16
/** Enough for an error message, which is one line. */
const maxErrorBytes = 64 * 1024

/**
 * Fetches a provider's answer. Rejects the page of a proxy, even with a success status, a redirect to another server, and
 * an answer without end.
 */
export const fetchResponse: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'manual' })
  const location = response.headers.get('location')
  if (location !== null && response.status >= 300 && response.status < 400) {
    await response.body?.cancel()
    throw new Redirected(addressOf(location, response.url))
  }
  if (!response.ok) return withBody(response, cutAfter(maxErrorBytes))
  const type = response.headers.get('content-type') ?? 'no content type'
  if (type.startsWith('text/event-stream')) return withBody(response, failAfter(maxAnswerMb))
  await response.body?.cancel()
  throw new UnexpectedContent(type.split(';')[0] ?? type)
}

/** Returns the address without its query, which may be secret. */
function addressOf(location: string, base: string): string {
  if (!URL.canParse(location, base)) return 'an invalid address'
  const { origin, pathname } = new URL(location, base)
  return origin + pathname
}

type Bytes = TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>

const withBody = (response: Response, through: Bytes): Response =>
  response.body === null ? response : new Response(response.body.pipeThrough(through), response)

/** Closes the connection to the sender too, as `failAfter` does. */
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

function failAfter(mb: number): Bytes {
  let left = mb * 1024 * 1024
  return new TransformStream({
    transform: (chunk, controller) => {
      left -= chunk.byteLength
      if (left >= 0) controller.enqueue(chunk)
      else controller.error(new ResponseTooLarge(`sent more than ${mb} MB in one answer without ending it`))
    },
  })
}
