import { isRecord } from './rule.ts'

/** Longer than any report may be; text before it is not searched. */
const maxText = 512 * 1024
const maxTries = 2_000

/** Returns the report at the end of a final message, inside a code fence or not. */
export function reportIn(message: string): Record<string, unknown> | null {
  const text = message
    .slice(-maxText)
    .trimEnd()
    .replace(/\n?```$/, '')
    .trimEnd()
  if (!text.endsWith('}')) return null
  // From the end: the text before the report may contain braces too.
  for (let at = text.lastIndexOf('{'), tries = 0; at >= 0 && tries < maxTries; tries += 1) {
    const found = parseObject(text.slice(at))
    if (found !== null) return 'status' in found && 'summary' in found ? found : null
    at = at === 0 ? -1 : text.lastIndexOf('{', at - 1)
  }
  return null
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}
