import { shorten } from '../../kernel/text.ts'
import { redact } from '../../secrets/redact.ts'

/**
 * Describes where a link leads if that is outside the tree: whoever opens or publishes the merged files would follow it
 * to files of their own machine. Null: it stays inside.
 */
export function leadsOut(path: string, target: string): string | null {
  if (target.startsWith('/') || /^[A-Za-z]:[\\/]/.test(target))
    return `leads to ${quoted(target)}, outside the repository`
  const parts = path.split('/').slice(0, -1)
  let hasName = false
  for (const part of target.split(/[\\/]/)) {
    if (part === '' || part === '.') continue
    if (part !== '..') {
      hasName = true
      parts.push(part)
      continue
    }
    // A directory on the way may be a link itself, and its parent then lies elsewhere.
    if (parts.length === 0 || hasName) return `leads to ${quoted(target)}, which may be outside the repository`
    parts.pop()
  }
  return parts[0]?.toLowerCase() === '.git'
    ? `leads to ${quoted(target)}, into the repository of whoever opens it`
    : null
}

/**
 * Describes the settings of submodules that can start programs or read files of the machine that fetches them; null: the
 * file is too long to be read.
 */
export function oddSubmodules(text: string | null): string[] {
  if (text === null || text.length > maxSettings) return ['the settings are too long to be looked at']
  // A line goes on after a backslash, except in a comment: both readings are looked at.
  const lines = [text, text.replace(/\\\r?\n/g, '')].flatMap((each) => each.split(/\r?\n/))
  const odd = new Set<string>()
  for (const line of lines) {
    const [, key = '', raw = ''] = setting.exec(line) ?? []
    const value = plainValue(raw)
    const fault = value === '' ? null : submoduleFault(key.toLowerCase(), value)
    if (fault !== null) odd.add(`${key.toLowerCase()} ${quoted(value)} ${fault}`)
    if (odd.size >= maxOdd) break
  }
  return [...odd]
}

/** A thousand submodules have settings of about 100 KB. */
const maxSettings = 256 * 1024
const maxOdd = 20

/** A setting, which may follow the name of its section in the same line; the name is quoted, and may contain brackets. */
const setting = /^\s*(?:\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\]\s*)?(url|path|update)\s*=(.*)$/i

/** Returns a value as git reads it: quotes may stand anywhere in it, and a comment ends it. */
function plainValue(raw: string): string {
  const parts = raw.match(/"(?:[^"\\]|\\.)*"?|\\.|[#;].*|[^"\\#;]+/g) ?? []
  const value = parts
    .filter((part) => !/^[#;]/.test(part))
    .map((part) => (part.startsWith('"') ? unquoted(part) : part))
  return value
    .join('')
    .replace(/\\(["\\])/g, '$1')
    .trim()
}

const unquoted = (part: string): string => part.replace(/^"|"$/g, '')

function submoduleFault(key: string, value: string): string | null {
  if (key === 'update') return value.startsWith('!') ? 'runs a command' : null
  if (value.startsWith('-')) return 'is read by git as an option'
  if (key === 'path')
    return /(?:^|[\\/])(?:\.\.|\.git)(?:[\\/]|$)|^[\\/]/i.test(value) ? 'leads out of its directory' : null
  if (/^(?:ext|fd)::/i.test(value)) return 'runs a program'
  if (/^[a-z0-9+.-]+::/i.test(value)) return 'runs a helper program of git'
  if (/^file:|^[\\/]|^~/i.test(value)) return 'reads files of the machine that fetches it'
  if (/^(?:https?|ssh|git):\/\/-|^[^/@]*@?-/.test(value)) return 'begins with an option'
  return /[\n\r\0`]|\$\(/.test(value) ? 'contains a command' : null
}

/** Names and targets are an agent's text. */
const quoted = (text: string): string => `"${shorten(redact(text.replace(/\p{Cc}/gu, '?')), 120)}"`
