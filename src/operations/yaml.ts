/**
 * Writes YAML for people and parsers: one key per line, no folded lines, no anchors or aliases.
 * Implemented here because the library takes ten times as long, and loses blanks at the ends of lines.
 */
export function yamlText(value: unknown): string {
  const out: string[] = []
  if (isBranch(value)) writeBranch(out, value, '')
  else out.push(scalar(value, ''), '\n')
  return out.join('')
}

type Branch = readonly unknown[] | Readonly<Record<string, unknown>>

const isBranch = (value: unknown): value is Branch =>
  typeof value === 'object' && value !== null && (Array.isArray(value) ? value.length > 0 : entriesOf(value).length > 0)

const entriesOf = (value: object): [string, unknown][] =>
  Object.entries(value).filter(([, inner]) => inner !== undefined)

/**
 * Writes a list or a map. With `hanging`, its first line continues a line that was already started, as after a hyphen.
 */
function writeBranch(out: string[], branch: Branch, indent: string, hanging = false): void {
  let start = hanging ? '' : indent
  if (Array.isArray(branch)) {
    for (const item of branch as readonly unknown[]) {
      out.push(start, '- ')
      if (isBranch(item)) writeBranch(out, item, `${indent}  `, true)
      else out.push(scalar(item, indent), '\n')
      start = indent
    }
    return
  }
  for (const [key, value] of entriesOf(branch)) {
    out.push(start, plainOrQuoted(key), ':')
    if (isBranch(value)) {
      out.push('\n')
      writeBranch(out, value, `${indent}  `)
    } else out.push(' ', scalar(value, indent), '\n')
    start = indent
  }
}

function scalar(value: unknown, indent: string): string {
  if (typeof value === 'string')
    return value.includes('\n') ? (block(value, indent) ?? quoted(value)) : plainOrQuoted(value)
  if (Array.isArray(value)) return '[]'
  if (typeof value === 'object' && value !== null) return '{}'
  return value === undefined ? 'null' : String(value)
}

/** Returns the lines as a literal block, or null if blanks or signs at their ends would be lost. */
function block(text: string, indent: string): string | null {
  const isEnded = text.endsWith('\n')
  const lines = (isEnded ? text.slice(0, -1) : text).split('\n')
  const isSafe = lines.every((line) => line.trim() === line) && lines[0] !== '' && lines.at(-1) !== ''
  if (!isSafe || unprintable.test(text.replaceAll('\n', ''))) return null
  return [isEnded ? '|' : '|-', ...lines.map((line) => (line === '' ? '' : `${indent}  ${line}`))].join('\n')
}

const plainOrQuoted = (text: string): string => (isPlain(text) ? text : quoted(text))

/** Quotes a text as JSON, which is also valid YAML. */
const quoted = (text: string): string => JSON.stringify(text)

const unprintable = /[\p{C}\u2028\u2029]/u

/**
 * Reports whether a text may be unquoted: it begins with a letter, and no YAML parser, old ones included, reads it as
 * another type.
 */
const isPlain = (text: string): boolean =>
  (/^[\p{L}_/]/u.test(text) || instant.test(text)) &&
  !/: | #|[:\s]$|[^\S ]/.test(text) &&
  !unprintable.test(text) &&
  !reserved.test(text)

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const reserved = /^(true|false|null|yes|no|on|off|y|n)$/i
