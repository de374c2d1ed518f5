import { assignedSecrets } from './passwords.ts'

/**
 * Each with a substring that every match contains: searching for that first is twenty times as fast, and few texts
 * contain it.
 */
const secrets: readonly (readonly [substring: string, pattern: RegExp])[] = [
  ['_', /\b(?:agt|ses|opr|lnk)_[A-Za-z0-9_.-]{16,}/g],
  ['sk-', /\bsk-[A-Za-z0-9_-]{8,}/g],
  ['_', /\bgh[pousr]_[A-Za-z0-9]{20,}/g],
  ['', /\bBearer\s+[^\s"']+/gi],
  ['://', /\b[a-z]+:\/\/[^\s/:@]+:[^\s/@]+@/gi],
  [
    '-----BEGIN',
    /-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)/g,
  ],
]

/** No pattern matches a shorter text: `Bearer x`, `a://b:c@`, `pwd=a1b2`; nor is a shorter secret remembered. */
const shortestSecret = 8

/** Secrets known to this process: the keys that it gives to agents to pay with need not look like a secret. */
const known = new Set<string>()

/**
 * Adds values that are redacted from every text from now on. Values under 8 characters are ignored: they would match
 * ordinary text.
 */
export function rememberSecrets(values: readonly string[]): void {
  for (const value of values) if (value.length >= shortestSecret) known.add(value)
}

/**
 * Replaces everything in a text that looks like a secret, or is known to be one, before the text is logged or stored.
 */
export function redact(text: string): string {
  if (text.length < shortestSecret) return text
  let rest = withoutKnownSecrets(text)
  for (const [substring, pattern] of secrets) if (rest.includes(substring)) rest = rest.replace(pattern, '[redacted]')
  return withoutPasswords(rest)
}

export function withoutKnownSecrets(text: string): string {
  let rest = text
  for (const secret of known) if (rest.includes(secret)) rest = rest.replaceAll(secret, '[redacted]')
  return rest
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
 * Redacts every string in a value, at any depth; property names stay. A value without secrets is returned as it is,
 * which almost all are.
 */
export function redactDeeply<T>(value: T): T {
  if (typeof value === 'string') return redact(value) as T
  if (typeof value !== 'object' || value === null) return value
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  let isChanged = false
  for (const entry of entries) {
    const clean: unknown = redactDeeply(entry[1])
    if (clean === entry[1]) continue
    entry[1] = clean
    isChanged = true
  }
  if (!isChanged) return value
  return (Array.isArray(value) ? entries.map(([, item]) => item as unknown) : Object.fromEntries(entries)) as T
}
