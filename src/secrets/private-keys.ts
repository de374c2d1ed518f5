const marker = '-----BEGIN '
export const keyBegin = /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/
const begin = new RegExp(keyBegin, 'g')
export const keyEnd = /-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/

/**
 * Replaces private keys, also truncated ones and those on one line. A text that only mentions the first line of a key is
 * kept: it may be the task of an agent.
 */
export function withoutPrivateKeys(text: string): string {
  if (!text.includes(marker)) return text
  let kept = ''
  let from = 0
  begin.lastIndex = 0
  for (let match = begin.exec(text); match !== null; match = begin.exec(text)) {
    const end = endOfKey(text, match.index + match[0].length)
    if (end === null) continue
    kept += `${text.slice(from, match.index)}[redacted]`
    from = end
    begin.lastIndex = end
  }
  return from === 0 ? text : kept + text.slice(from)
}

/** A line ends with a newline or, in JSON and in code, with an escape; a key may be quoted several times. */
const lineEnd = /\r?\n|\\{1,4}[nr]|(?=-----BEGIN )/g
const longestLine = 20_000

/** Returns the position after the key material that follows; null: none does. */
function endOfKey(text: string, start: number): number | null {
  let end: number | null = null
  for (let at = start; !text.startsWith(marker, at);) {
    lineEnd.lastIndex = at
    const next = lineEnd.exec(text)
    const line = text.slice(at, Math.min(next?.index ?? text.length, at + longestLine))
    const last = keyEnd.exec(line)
    if (last !== null && isMaterial(line.slice(0, last.index))) return at + last.index + last[0].length
    if (!isKeyLine(line)) return end ?? endOfRun(line, at)
    if (isLongMaterial.test(line) || (end !== null && line.trim() !== '')) end = at + line.length
    // Only lines of a key follow up to the end.
    if (next === null) return start + text.slice(start).trimEnd().length
    at = next.index + next[0].length
  }
  return end
}

const isMaterial = (line: string): boolean => /^[A-Za-z0-9+/=\\\s"'`,:|>-]*$/.test(line)
const isLongMaterial = /[A-Za-z0-9+/=]{16}/

/** Material at the beginning of a line, before other text: a truncated key on one line. */
function endOfRun(line: string, at: number): number | null {
  const [run] = /^[\s"'`,:|>]{0,24}(?:[A-Za-z0-9+/=]{16,} ?)+/.exec(line) ?? []
  return run === undefined ? null : at + run.length
}

/** Reports whether a key has begun in a piece of output, so that the next piece may continue it. */
export function endsInsideKey(piece: string): boolean {
  const start = piece.lastIndexOf(marker)
  if (start < 0 || piece.includes('-----END ', start)) return false
  begin.lastIndex = start
  const match = begin.exec(piece)
  return (
    match !== null &&
    piece
      .slice(match.index + match[0].length)
      .split('\n')
      .every(isKeyLine)
  )
}

/**
 * Matches base64, or a header such as `Proc-Type: 4,ENCRYPTED`; the printing program may add a line number, quotes or a
 * sign.
 */
export function isKeyLine(piece: string): boolean {
  const line = piece
    .trim()
    .replace(/^[\d:|>+"'`\s-]{1,24}/, '')
    .replace(/["'`,\\]{1,4}$/, '')
  return (
    /^[A-Za-z0-9+/=\\]*$/.test(line) ||
    /^[A-Z][A-Za-z-]{1,30}: [\w,.: -]{1,100}$/.test(line) ||
    /^(?:[A-Za-z0-9+/=]{16,100} ){1,400}[A-Za-z0-9+/=]*$/.test(line)
  )
}
