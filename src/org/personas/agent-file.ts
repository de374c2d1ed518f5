import { parse } from 'yaml'

/** A personality in the format of other tools: front matter with a name, and a text. */
export interface AgentText {
  name: string
  description: string
  role: string
  body: string
}

/** Returns null for a text without front matter. Missing fields are empty. */
export function parseAgentFile(text: string): AgentText | null {
  const found = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n?---[ \t]*(?:\r?\n([\s\S]*))?$/.exec(text)
  if (found === null) return null
  const fields = readFields(found[1] ?? '')
  return {
    name: fields.get('name') ?? '',
    description: fields.get('description') ?? '',
    role: fields.get('role') ?? '',
    body: (found[2] ?? '').replaceAll('\r\n', '\n').trim(),
  }
}

/**
 * Reads valid YAML as such, and text that only resembles it line by line: people write `description: Use it when: …`.
 */
function readFields(text: string): Map<string, string> {
  try {
    const value: unknown = parse(text, { maxAliasCount: 0, logLevel: 'error' })
    if (value !== null && typeof value === 'object' && !Array.isArray(value))
      return new Map(
        Object.entries(value).flatMap(([name, field]): [string, string][] =>
          typeof field === 'string' || typeof field === 'number' ? [[name.toLowerCase(), tidy(String(field))]] : [],
        ),
      )
  } catch {
    // Continues with the lines below.
  }
  const fields = new Map<string, string>()
  for (const line of text.split(/\r?\n/)) {
    const [, name, value] = /^([A-Za-z][\w-]*)[ \t]*:[ \t]*(.*)$/.exec(line) ?? []
    if (name !== undefined && value !== undefined && !fields.has(name.toLowerCase()))
      fields.set(name.toLowerCase(), tidy(unquote(value)))
  }
  return fields
}

const unquote = (value: string): string => /^(["'])(.*)\1$/.exec(value.trim())?.[2] ?? value

const tidy = (value: string): string => value.replace(/\s+/g, ' ').trim()
