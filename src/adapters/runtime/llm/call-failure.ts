import { shorten } from '../../../kernel/text.ts'
import { withoutKnownSecrets } from '../../../secrets/redact.ts'
import { hostOf, type Provider } from './providers.ts'

/** Why a call of a model came to nothing, and what that means for the attempt. */
export type Trouble =
  /** The provider takes no more calls for now. */
  | { readonly kind: 'limited'; readonly seconds: number | null; readonly reason: string }
  /** It may be over the next moment. */
  | { readonly kind: 'passing'; readonly detail: string }
  /** Asking again would bring the same. */
  | { readonly kind: 'final'; readonly detail: string }

/** What was sent instead of an answer. */
export class NotAnAnswer extends Error {
  readonly contentType: string
  constructor(contentType: string) {
    super(`not an answer: ${contentType}`)
    this.contentType = contentType
  }
}

/** It would have us ask somebody else, and give our key to them. */
export class SentElsewhere extends Error {
  readonly place: string
  constructor(place: string) {
    super(`sent elsewhere: ${place}`)
    this.place = place
  }
}

/** An answer that does not end: asked again, it would not either. */
export class TooMuch extends Error {}

/** A stream that ended, or fell silent, before its answer did. */
export class BrokenOff extends Error {}

/** Errors come from fetch, from the library and from providers; only what they have in common is looked at. */
export function troubleOf(error: unknown, provider: Provider, nowMs: number): Trouble {
  const who = `${provider.name} (${hostOf(provider)})`
  if (error instanceof NotAnAnswer)
    return final(`${who} answered with ${error.contentType} instead of a stream: check its base_url`)
  if (error instanceof SentElsewhere)
    return final(
      `${who} redirects to ${plain(error.place)}, and the key is not sent to another address: set base_url under llm.providers in config.yaml to the final address`,
    )
  const endless = tooMuchIn(error)
  if (endless !== null) return final(`${who} ${endless.message}`)
  if (error instanceof BrokenOff) return passing(`${who} ${error.message}`)
  const { statusCode: status, message, name, type = '', responseHeaders = {}, responseBody = '' } = asFailure(error)
  const said = plain(message)
  if (isLimit(status, type, `${responseBody} ${said}`))
    return { kind: 'limited', seconds: secondsIn(responseHeaders, nowMs), reason: `${who}: ${said}` }
  if (status === 401 || status === 403) return final(`${who} ${withoutAccess(provider)} (${status}: ${said})`)
  if (status === 404) return final(`${who} has no such model, or not at this address (404: ${said})`)
  if (status !== undefined && status >= 400 && status < 500 && status !== 408)
    return final(`${who} rejected the call (${status}: ${said})`)
  if (status !== undefined && status >= 400) return passing(`${who} answered ${status}: ${said}`)
  if (/JSONParse|TypeValidation|InvalidResponse/.test(name))
    return final(`${who} answered with data that violates its protocol: ${said}`)
  return passing(`${who} ${connectionTrouble(error, said)}`)
}

const passing = (detail: string): Trouble => ({ kind: 'passing', detail })
const final = (detail: string): Trouble => ({ kind: 'final', detail })

interface Failure {
  readonly statusCode?: number
  readonly message: string
  readonly name: string
  readonly type?: string
  readonly responseHeaders?: Readonly<Record<string, string>>
  readonly responseBody?: string
}

const asFailure = (error: unknown): Failure =>
  error instanceof Error ? (error as Failure) : { name: '', message: String(error) }

/** In a stream that has begun, only the type says it; a bill that is not paid comes with any status. */
const isLimit = (status: number | undefined, type: string, said: string): boolean =>
  [429, 529, 402].includes(status ?? 0) ||
  /^(rate_limit|overloaded|insufficient_quota)/.test(type) ||
  ((status ?? 400) < 500 && /\b(insufficient_quota|credit balance is too low)\b/.test(said))

function secondsIn(headers: Readonly<Record<string, string>>, nowMs: number): number | null {
  const said = headers['retry-after'] ?? ''
  const seconds = said.trim() === '' ? Number.NaN : Number(said)
  if (Number.isFinite(seconds)) return seconds > 0 ? Math.ceil(seconds) : null
  const until = Date.parse(said)
  return Number.isFinite(until) && until > nowMs ? Math.ceil((until - nowMs) / 1_000) : null
}

const withoutAccess = ({ keyName }: Provider): string =>
  keyName === null
    ? 'requires a key: name its variable in api_key_env under llm.providers in config.yaml'
    : `rejects the key in ${keyName}: set another key in the daemon's environment`

function connectionTrouble(error: unknown, said: string): string {
  const code = codeOf(error)
  if (/terminated|other side closed|socket hang up/i.test(said) || code === 'UND_ERR_SOCKET' || code === 'ECONNRESET')
    return 'ended the stream in the middle of its answer'
  return code === null ? `could not be called: ${said}` : `cannot be reached (${code})`
}

/** In the middle of a stream, the library wraps what it meets. */
function tooMuchIn(error: unknown, depth = 0): TooMuch | null {
  if (error instanceof TooMuch) return error
  return error instanceof Error && depth < 5 ? tooMuchIn(error.cause, depth + 1) : null
}

/** The reason lies where nobody shows it: `fetch failed` says nothing. */
function codeOf(error: unknown, depth = 0): string | null {
  if (!(error instanceof Error) || depth > 5) return null
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown[] }
  return typeof code === 'string' ? code : (codeOf(cause, depth + 1) ?? codeOf(errors?.[0], depth + 1))
}

const plain = (message: string): string =>
  shorten(
    withoutKnownSecrets(message.replace(/<[^>]*>/g, ' '))
      .replace(/\s+/g, ' ')
      .trim(),
    300,
  )
