import { assignedSecrets } from './passwords.ts'

/** Each with a text that it always contains: looking for that first is twenty times as fast, and few texts hold one. */
const secrets: readonly (readonly [mark: string, pattern: RegExp])[] = [
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

/** Of this process: what it hands to agents to pay with need not look like a secret. */
const known = new Set<string>()

/** From now on these are taken out of every text, wherever they turn up. Short ones would tear up texts that mean no harm. */
export function rememberSecrets(values: readonly string[]): void {
  for (const value of values) if (value.length >= 8) known.add(value)
}

/** Takes what looks like a secret, or is known to be one, out of a text before it is logged or stored. */
export function redact(text: string): string {
  let rest = withoutKnownSecrets(text)
  for (const [mark, pattern] of secrets) if (rest.includes(mark)) rest = rest.replace(pattern, '[redacted]')
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
 * For a text that comes line by line: a private key is one secret over many lines. Whatever cannot belong to it ends
 * it, so that a program that only speaks of keys does not silence itself.
 */
export function createRedactor(): (piece: string) => string {
  let isInKey = false
  return (piece) => {
    if (!isInKey) {
      isInKey = leavesKeyOpen(piece)
      return redact(piece)
    }
    const ends = endOfKey.exec(piece)
    if (ends === null && couldBeOfKey(piece)) return ''
    isInKey = false
    return redact(ends === null ? piece : piece.slice(ends.index + ends[0].length))
  }
}

function leavesKeyOpen(piece: string): boolean {
  const begin = piece.lastIndexOf('-----BEGIN ')
  return begin >= 0 && !piece.includes('-----END ', begin) && beginOfKey.test(piece.slice(begin))
}

const beginOfKey = /^-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----/
const endOfKey = /-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/

/** Base64, or a header such as `Proc-Type: 4,ENCRYPTED`; whoever prints it may put a number, a quote or a sign around it. */
function couldBeOfKey(piece: string): boolean {
  const line = piece
    .trim()
    .replace(/^[\d:|>+"'`\s-]{1,24}/, '')
    .replace(/["'`,\\]{1,4}$/, '')
  return /^[A-Za-z0-9+/=\\]*$/.test(line) || /^[A-Z][A-Za-z-]{1,30}: [\w,.: -]{1,100}$/.test(line)
}

/** In every text of a value, however deep; names stay. */
export function redactDeeply<T>(value: T): T {
  if (typeof value === 'string') return redact(value) as T
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(redactDeeply) as T
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, redactDeeply(item)])) as T
}
