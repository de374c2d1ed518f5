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

/** Describes the settings of submodules that can start programs or read files of the machine that fetches them. */
export function oddSubmodules(text: string): string[] {
  return text
    .split(/\r?\n/)
    .flatMap((line) => {
      const [, key = '', raw = ''] = /^\s*(?:\[[^\]]*\]\s*)?(url|path|update)\s*=\s*(.*?)\s*$/i.exec(line) ?? []
      const value = raw.replace(/^"(.*)"$/, '$1')
      const fault = value === '' ? null : submoduleFault(key.toLowerCase(), value)
      return fault === null ? [] : [`${key.toLowerCase()} ${quoted(value)} ${fault}`]
    })
    .slice(0, 20)
}

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
