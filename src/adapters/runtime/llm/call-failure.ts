import { shorten } from '../../../kernel/text.ts'
import { withoutKnownSecrets } from '../../../secrets/redact.ts'
import { hostOf, type Provider } from './providers.ts'

/** The reason why a model call failed, and its consequence for the attempt. */
export type CallFailure =
  /** The provider rejects calls for now. */
  | { readonly kind: 'limited'; readonly seconds: number | null; readonly reason: string }
  /** A retry may succeed. */
  | { readonly kind: 'transient'; readonly detail: string }
  /** A retry would fail in the same way. */
  | { readonly kind: 'final'; readonly detail: string }

/** The response is not an event stream. */
export class UnexpectedContent extends Error {
  readonly contentType: string
  constructor(contentType: string) {
    super(`unexpected content: ${contentType}`)
    this.contentType = contentType
  }
}

/** The response redirects to another address, which would get the key. */
export class Redirected extends Error {
  readonly address: string
  constructor(address: string) {
    super(`redirected: ${address}`)
    this.address = address
  }
}

/** An answer that does not end: a retry would not end either. */
export class ResponseTooLarge extends Error {}

/** A stream that ended, or sent nothing for too long, before its answer was complete. */
export class StreamInterrupted extends Error {}

/** Classifies an error. Errors come from fetch, from the library and from providers; only their common fields are read. */
export function classifyFailure(error: unknown, provider: Provider, nowMs: number): CallFailure {
  const name = `${provider.name} (${hostOf(provider)})`
  if (error instanceof UnexpectedContent)
    return final(`${name} answered with ${error.contentType} instead of a stream: check its base_url`)
  if (error instanceof Redirected)
    return final(
      `${name} redirects to ${plain(error.address)}, and the key is not sent to another address: set base_url under llm.providers in config.yaml to the final address`,
    )
  const tooLarge = tooLargeIn(error)
  if (tooLarge !== null) return final(`${name} ${tooLarge.message}`)
  if (error instanceof StreamInterrupted) return transient(`${name} ${error.message}`)
  const {
    statusCode: status,
    message,
    name: errorName,
    type = '',
    responseHeaders = {},
    responseBody = '',
  } = errorFields(error)
  const text = plain(message)
  if (isLimit(status, type, `${responseBody} ${text}`))
    return { kind: 'limited', seconds: secondsIn(responseHeaders, nowMs), reason: `${name}: ${text}` }
  if (status === 401 || status === 403) return final(`${name} ${accessText(provider)} (${status}: ${text})`)
  if (status === 404) return final(`${name} has no such model, or not at this address (404: ${text})`)
  if (status !== undefined && status >= 400 && status < 500 && status !== 408)
    return final(`${name} rejected the call (${status}: ${text})`)
  if (status !== undefined && status >= 400) return transient(`${name} answered ${status}: ${text}`)
  if (/JSONParse|TypeValidation|InvalidResponse/.test(errorName))
    return final(`${name} answered with data that violates its protocol: ${text}`)
  return transient(`${name} ${connectionText(error, text)}`)
}

const transient = (detail: string): CallFailure => ({ kind: 'transient', detail })
const final = (detail: string): CallFailure => ({ kind: 'final', detail })

interface ErrorFields {
  readonly statusCode?: number
  readonly message: string
  readonly name: string
  readonly type?: string
  readonly responseHeaders?: Readonly<Record<string, string>>
  readonly responseBody?: string
}

const errorFields = (error: unknown): ErrorFields =>
  error instanceof Error ? (error as ErrorFields) : { name: '', message: String(error) }

/** Within a stream only the type identifies a limit; an unpaid bill comes with any status. */
const isLimit = (status: number | undefined, type: string, text: string): boolean =>
  [429, 529, 402].includes(status ?? 0) ||
  /^(rate_limit|overloaded|insufficient_quota)/.test(type) ||
  ((status ?? 400) < 500 && /\b(insufficient_quota|credit balance is too low)\b/.test(text))

function secondsIn(headers: Readonly<Record<string, string>>, nowMs: number): number | null {
  const value = headers['retry-after'] ?? ''
  const seconds = value.trim() === '' ? Number.NaN : Number(value)
  if (Number.isFinite(seconds)) return seconds > 0 ? Math.ceil(seconds) : null
  const until = Date.parse(value)
  return Number.isFinite(until) && until > nowMs ? Math.ceil((until - nowMs) / 1_000) : null
}

const accessText = ({ keyName }: Provider): string =>
  keyName === null
    ? 'requires a key: name its variable in api_key_env under llm.providers in config.yaml'
    : `rejects the key in ${keyName}: set another key in the daemon's environment`

function connectionText(error: unknown, text: string): string {
  const code = codeOf(error)
  if (/terminated|other side closed|socket hang up/i.test(text) || code === 'UND_ERR_SOCKET' || code === 'ECONNRESET')
    return 'ended the stream in the middle of its answer'
  return code === null ? `could not be called: ${text}` : `cannot be reached (${code})`
}

/** In the middle of a stream, the library wraps errors. */
function tooLargeIn(error: unknown, depth = 0): ResponseTooLarge | null {
  if (error instanceof ResponseTooLarge) return error
  return error instanceof Error && depth < 5 ? tooLargeIn(error.cause, depth + 1) : null
}

/** Finds the error code among the causes: the message `fetch failed` alone is useless. */
function codeOf(error: unknown, depth = 0): string | null {
  if (!(error instanceof Error) || depth > 5) return null
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown[] }
  return typeof code === 'string' ? code : (codeOf(cause, depth + 1) ?? codeOf(errors?.[0], depth + 1))
}

const plain = (message: string): string =>
  shorten(
    withoutKnownSecrets(message.replace(/<[^<>]*>/g, ' '))
      .replace(/\s+/g, ' ')
      .trim(),
    300,
  )
