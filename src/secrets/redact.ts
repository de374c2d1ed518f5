import { createEncodedValues } from './encodings.ts'
import { assignedSecrets, isAssignedSecret } from './passwords.ts'
import { withoutTokens } from './tokens.ts'

/**
 * Secrets that their surroundings give away, each with a substring that every match contains: searching for that first is
 * twenty times as fast, and few texts contain it. The tokens of providers are in `tokens.ts`.
 */
const secrets: readonly (readonly [substring: string, pattern: RegExp])[] = [
  ['sk-', /\bsk-[A-Za-z0-9_-]{8,}/g],
  ['', /\bBearer\s+[^\s"']+/gi],
  ['', /\bBasic [A-Za-z0-9+/]{0,200}[0-9=][A-Za-z0-9+/=]{8,}/gi],
  ['://', /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@]*:[^\s/@]+@/gi],
  [
    '-----BEGIN',
    /-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)/g,
  ],
]

/** No pattern matches a shorter text: `Bearer x`, `a://b:c@`, `pwd=a1b2`; nor is a shorter secret remembered. */
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
    known.set(value, { forms: [...new Set([value, encodeURIComponent(value.toWellFormed())])], times })
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

/**
 * Replaces everything in a text that looks like a secret, or is known to be one, before the text is logged or stored.
 */
export function redact(text: string): string {
  if (text.length < shortestSecret) return text
  const narrow = narrowed(text)
  if (narrow !== text) {
    const clean = redact(narrow)
    if (clean !== narrow) return clean
  }
  let rest = withoutTokens(withoutKnownSecrets(text))
  for (const [substring, pattern] of secrets) if (rest.includes(substring)) rest = rest.replace(pattern, '[redacted]')
  return withoutPasswords(rest)
}

/**
 * Removes the zero bytes of UTF-16 that was read as UTF-8, also if they were replaced already: between the letters of a
 * secret they would hide it.
 */
export const narrowed = (text: string): string =>
  text.includes('\0') || text.includes('\uFFFD') ? text.replace(/[\0\uFFFD]/g, '') : text

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
    if (!insideKey) {
      insideKey = endsInsideKey(piece)
      return redact(piece)
    }
    const ends = keyEnd.exec(piece)
    if (ends === null && isKeyLine(piece)) return ''
    insideKey = false
    return redact(ends === null ? piece : piece.slice(ends.index + ends[0].length))
  }
}

function endsInsideKey(piece: string): boolean {
  const begin = piece.lastIndexOf('-----BEGIN ')
  return begin >= 0 && !piece.includes('-----END ', begin) && keyBegin.test(piece.slice(begin))
}

const keyBegin = /^-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----/
const keyEnd = /-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/

/**
 * Matches base64, or a header such as `Proc-Type: 4,ENCRYPTED`; the printing program may add a line number, quotes or a
 * sign.
 */
function isKeyLine(piece: string): boolean {
  const line = piece
    .trim()
    .replace(/^[\d:|>+"'`\s-]{1,24}/, '')
    .replace(/["'`,\\]{1,4}$/, '')
  return /^[A-Za-z0-9+/=\\]*$/.test(line) || /^[A-Z][A-Za-z-]{1,30}: [\w,.: -]{1,100}$/.test(line)
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
