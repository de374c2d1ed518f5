import { createEncodedValues } from './encodings.ts'
import { assignedSecrets, isAssignedSecret } from './passwords.ts'
import { withoutPrivateKeys, endsInsideKey, keyEnd, isKeyLine } from './private-keys.ts'
import { withoutTokens } from './tokens.ts'

/**
 * Secrets that their surroundings give away, each with a substring that every match contains: searching for that first is
 * twenty times as fast, and few texts contain it. The tokens of providers are in `tokens.ts`.
 */
const secrets: readonly (readonly [substring: string, pattern: RegExp])[] = [
  // A run with a digit, or a long one: names of classes and packages begin like this too.
  ['sk-', /\bsk-(?:[A-Za-z0-9]{1,12}-){0,3}(?=[A-Za-z_]{0,40}\d|[A-Za-z]{16})[A-Za-z0-9_]{8,}[A-Za-z0-9_-]*/g],
  ['', /\bBasic [A-Za-z0-9+/]{0,200}[0-9=][A-Za-z0-9+/=]{8,}/gi],
  // A password, which is neither a reference nor a port that something else follows, or a token instead of a name.
  [
    '://',
    /\b[a-z][a-z0-9+.-]{0,30}:\/\/(?:[^\s/:@]*:(?!\$\{|\$[A-Z_]+@|[<{]|\*{3}|\d{1,5}[?,#;&)\]])[^\s/@]+|(?=[A-Za-z_-]{0,60}\d)[\w-]{20,200})@/gi,
  ],
]

/** No pattern matches a shorter text: `a://b:c@`, `pwd=a1b2`; nor is a shorter secret remembered. */
const shortestSecret = 8

/**
 * Secrets known to this process, and how often each was remembered: the keys that it gives to agents to pay with need not
 * look like a secret.
 */
const known = new Map<string, { readonly forms: readonly string[]; times: number }>()
const encoded = createEncodedValues()

/**
 * Adds values that are redacted from every text from now on, also encoded, until the returned function is called. Values
 * under 8 characters are ignored: they would match ordinary text.
 */
export function rememberSecrets(values: readonly string[]): () => void {
  const kept = values.filter((value) => value.length >= shortestSecret)
  for (const value of kept) {
    const times = (known.get(value)?.times ?? 0) + 1
    known.set(value, { forms: formsOf(value), times })
    encoded.add(value)
  }
  return () => {
    for (const value of kept.splice(0)) {
      const remembered = known.get(value)
      if (remembered === undefined) continue
      remembered.times -= 1
      if (remembered.times > 0) continue
      known.delete(value)
      encoded.delete(value)
    }
  }
}

/** Returns the values that are remembered, for a scan in another thread. */
export const knownSecrets = (): string[] => [...known.keys()]

/** Returns a value as texts contain it: plain, in an address, and within JSON. */
function formsOf(value: string): string[] {
  const address = encodeURIComponent(value.toWellFormed())
  const json = JSON.stringify(value).slice(1, -1)
  const lower = address.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase())
  return [...new Set([value, address, lower, json, json.replaceAll('/', '\\/')])]
}

/**
 * Replaces everything in a text that looks like a secret, or is known to be one, before the text is logged or stored.
 */
export function redact(text: string): string {
  if (text.length < shortestSecret) return text
  const clean = redactVisible(text)
  const narrow = narrowed(clean)
  if (narrow === clean) return clean
  const narrowClean = redactVisible(narrow)
  return narrowClean === narrow ? clean : narrowClean
}

function redactVisible(text: string): string {
  let rest = withoutPrivateKeys(withoutTokens(withoutKnownSecrets(text)))
  for (const [substring, pattern] of secrets) if (rest.includes(substring)) rest = rest.replace(pattern, '[redacted]')
  return withoutPasswords(rest.replace(bearer, withoutBearer))
}

const bearer = /\bBearer\s+([^\s"'`]+)/gi

/** In a header every value counts; in prose only one that no word looks like: "Bearer authentication" is no secret. */
function withoutBearer(match: string, value: string, at: number, text: string): string {
  const isHeader = /\bauthorization["'`]?\s{0,4}[:=]\s{0,4}["'`]?$/i.test(text.slice(Math.max(0, at - 40), at))
  if (isHeader) return /^[<${[(*…]/.test(value) ? match : '[redacted]'
  return /^(?=[A-Za-z._~+/=-]{0,60}\d)[\w.~+/=-]{6,}|^[\w.~+/=-]{24,}/.test(value) ? '[redacted]' : match
}

/**
 * Removes characters that nobody sees, because between the letters of a secret they would hide it: colours of a terminal,
 * letters without a width, and the zero bytes of UTF-16 that was read as UTF-8, also if they were replaced already.
 */
export const narrowed = (text: string): string => (unseen.test(text) ? text.replace(everyUnseen, '') : text)

// oxlint-disable-next-line no-control-regex -- Colours begin with a control character.
const unseen = /[\0\x1B\u00AD\u200B-\u200D\u2060\uFEFF\uFFFD]/
// oxlint-disable-next-line no-control-regex -- As above.
const everyUnseen = /\x1B\[[\d;?]{0,40}[A-Za-z]|[\0\u00AD\u200B-\u200D\u2060\uFEFF\uFFFD]/g

export function withoutKnownSecrets(text: string): string {
  if (known.size === 0) return text
  let rest = text
  for (const { forms } of known.values())
    for (const form of forms) if (rest.includes(form)) rest = rest.replaceAll(form, '[redacted]')
  return encoded.redact(rest)
}

function withoutPasswords(text: string): string {
  let kept = ''
  let from = 0
  for (const { start, end } of assignedSecrets(text)) {
    kept += `${text.slice(from, start)}[redacted]`
    from = end
  }
  return from === 0 ? text : kept + text.slice(from)
}

/**
 * Returns a redactor for text that arrives line by line: a private key is one secret of many lines. A line that cannot
 * belong to the key ends it, so that the output of a program that merely mentions keys is not suppressed.
 */
export function createRedactor(): (piece: string) => string {
  let insideKey = false
  return (piece) => {
    const seen = narrowed(piece)
    if (!insideKey) {
      insideKey = endsInsideKey(seen)
      return insideKey ? redact(seen).trimEnd() : redact(piece)
    }
    const ends = keyEnd.exec(seen)
    if (ends === null && isKeyLine(seen)) return ''
    insideKey = false
    return redact(ends === null ? piece : seen.slice(ends.index + ends[0].length))
  }
}

/**
 * Redacts every string in a value, at any depth, and property names; a value under the name of a password counts as one.
 * A value without secrets is returned as it is, which almost all are.
 */
export function redactDeeply<T>(value: T): T {
  if (typeof value === 'string') return redact(value) as T
  if (typeof value !== 'object' || value === null) return value
  return (Array.isArray(value) ? redactItems(value) : redactFields(value)) as T
}

function redactItems(items: readonly unknown[]): readonly unknown[] {
  const clean = items.map(redactDeeply)
  return clean.some((item, index) => item !== items[index]) ? clean : items
}

function redactFields(value: object): object {
  let isChanged = false
  const clean = Object.entries(value).map(([name, item]: [string, unknown]): [string, unknown] => {
    const kept: [string, unknown] = [redact(name), isAssigned(name, item) ? '[redacted]' : redactDeeply(item)]
    if (kept[0] !== name || kept[1] !== item) isChanged = true
    return kept
  })
  return isChanged ? Object.fromEntries(clean) : value
}

const isAssigned = (name: string, item: unknown): boolean =>
  typeof item === 'string' && item !== '[redacted]' && isAssignedSecret(name, item)
