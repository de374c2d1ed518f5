import { parseDocument } from 'yaml'

import { capabilities, type Capability, type TierName, tierNames } from '../team/contract.ts'

/** The front matter and body of a personality's file; absent fields are undefined. */
export interface FrontMatter {
  name: string | undefined
  division: string | undefined
  tiers: TierName[] | undefined
  domains: string[] | undefined
  capability: Capability | undefined
  body: string
  hasFrontMatter: boolean
  /** Fields with unusable values; they count as absent. */
  faults: string[]
}

/** Parses a personality, or returns the reason why the file is unusable. Fields of other tools are ignored. */
export function parsePersonality(text: string): FrontMatter | { reason: string } {
  const parted = part(text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n'))
  if ('reason' in parted) return parted
  const { front, body } = parted
  const fields = front === null ? new Map<string, unknown>() : readFields(front)
  if (fields === null) return { reason: 'its front matter is not YAML' }
  if (body === '') return { reason: front === null ? 'it is empty' : 'there is no text below its front matter' }
  const faults: string[] = []
  const read = <T>(key: string, make: (value: unknown) => T | undefined, expected: string): T | undefined => {
    const value = fields.get(key)
    if (value === undefined || value === null || value === '') return undefined
    const made = make(value)
    if (made === undefined) faults.push(`${key} must be ${expected}; it is inferred`)
    return made
  }
  return {
    name: read('name', shortText, 'a text of 1 to 100 characters'),
    division: read('division', shortText, 'a text of 1 to 100 characters'),
    tiers: read('tiers', tiersOf, `a list of ${tierNames.join(', ')}`),
    domains: read('domains', textsOf, 'a list of texts'),
    capability: read('capability', (value) => capabilities.find((each) => each === value), capabilities.join(' or ')),
    body,
    hasFrontMatter: front !== null,
    faults,
  }
}

/** No personality needs more front matter; parsing more would only delay other work. */
const maxFrontMatter = 8_192

/** Splits off the front matter: the text between two lines of three hyphens, if the first line is one. */
function part(text: string): { front: string | null; body: string } | { reason: string } {
  const [first = ''] = text.split('\n', 1)
  if (first.trimEnd() !== '---') return { front: null, body: text.trim() }
  const end = /^---[ \t]*$/m.exec(text.slice(first.length + 1))
  if (end === null) return { reason: 'its front matter has no end' }
  if (end.index > maxFrontMatter) return { reason: `its front matter is larger than ${maxFrontMatter / 1024} KB` }
  const rest = text.slice(first.length + 1)
  return { front: rest.slice(0, end.index), body: rest.slice(end.index + end[0].length).trim() }
}

/**
 * Reads valid YAML as such, and text that only resembles it line by line: people write `description: Use it when: …`,
 * and other tools accept that. Returns null where neither works.
 */
function readFields(text: string): Map<string, unknown> | null {
  // Each of these characters may be a fault, and reporting a thousand faults takes longer than reading a thousand
  // pages.
  if ((text.match(/[[\]{}:&*!?"'|-]/g)?.length ?? 0) > 1_000 || isNested(text)) return readLines(text)
  let value: unknown
  try {
    const document = parseDocument(text, { logLevel: 'error', prettyErrors: false, uniqueKeys: false })
    if (document.errors.length > 0) return readLines(text)
    value = document.toJS({ maxAliasCount: 0 })
  } catch {
    // Aliases, which front matter does not need, or brackets nested too deeply to be parsed.
    return readLines(text)
  }
  if (value === null) return new Map()
  if (typeof value !== 'object' || Array.isArray(value)) return null
  return new Map(Object.entries(value).map(([name, field]) => [name.toLowerCase(), field]))
}

/** Lists of front matter are flat, and the time to parse nested ones grows with the square of their depth. */
function isNested(text: string): boolean {
  let depth = 0
  for (const sign of text.match(/[[\]{}]/g) ?? []) {
    depth = sign === '[' || sign === '{' ? depth + 1 : Math.max(0, depth - 1)
    if (depth > 8) return true
  }
  return /(?:^|\n)[ \t]*(?:[-?][ \t]+){4}/.test(text)
}

function readLines(text: string): Map<string, unknown> | null {
  const fields = new Map<string, unknown>()
  for (const line of text.split(/\r?\n/)) {
    const [, name, value] = /^([A-Za-z][\w-]{0,60})[ \t]*:[ \t]+(.*)$/.exec(line) ?? []
    if (name !== undefined && value !== undefined && !fields.has(name.toLowerCase()))
      fields.set(name.toLowerCase(), unquote(value.trim()))
  }
  return fields.size === 0 ? null : fields
}

const unquote = (value: string): string => /^(["'])(.*)\1$/.exec(value)?.[2] ?? value

/** Accepts texts without characters that would break a line, a path or a terminal. */
function shortText(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const text = String(value).replace(/\s+/g, ' ').trim()
  return text.length >= 1 && text.length <= 100 && /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(text) ? text : undefined
}

function textsOf(value: unknown): string[] | undefined {
  const items = listOf(value)
  const texts = items.flatMap((item) => shortText(item) ?? [])
  return texts.length === items.length && texts.length <= 50 ? [...new Set(texts)] : undefined
}

function tiersOf(value: unknown): TierName[] | undefined {
  // A map of YAML may have a field `toString`, so it is not made a text.
  const items = listOf(value).map((item) => (typeof item === 'string' ? item.toLowerCase() : ''))
  const tiers = tierNames.filter((tier) => items.includes(tier))
  return tiers.length > 0 && items.every((item) => tierNames.some((tier) => tier === item)) ? tiers : undefined
}

/**
 * Accepts a list, or the forms that people write for one: `t3, t4`, or `[t3, t4]` in a line that was not read as YAML.
 */
const listOf = (value: unknown): unknown[] =>
  Array.isArray(value)
    ? value
    : typeof value === 'string'
      ? value
          .replace(/^\[(.*)\]$/, '$1')
          .split(',')
          .map((item) => item.trim())
          .filter((item) => item !== '')
      : [value]
