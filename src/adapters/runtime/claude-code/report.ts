import { isRecord } from './rule.ts'

/** Longer than any report may be; more is not looked through. */
const maxText = 512 * 1024
const maxLooks = 2_000

/** The report that a final message ends with, in a fence of code or without one. */
export function reportIn(message: string): Record<string, unknown> | null {
  const text = message
    .slice(-maxText)
    .trimEnd()
    .replace(/\n?```$/, '')
    .trimEnd()
  if (!text.endsWith('}')) return null
  // From the end: what stands before may hold braces of its own.
  for (let at = text.lastIndexOf('{'), looks = 0; at >= 0 && looks < maxLooks; looks += 1) {
    const found = parsed(text.slice(at))
    if (found !== null) return 'status' in found && 'summary' in found ? found : null
    at = at === 0 ? -1 : text.lastIndexOf('{', at - 1)
  }
  return null
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}
