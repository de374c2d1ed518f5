import type { z } from 'zod'

import { type AgencyError, refusal } from '../kernel/errors.ts'
import { shorten } from '../kernel/text.ts'
import { fromWire, wirePath } from '../operations/wire.ts'
import { checkContent } from './body.ts'

/**
 * Merges path, query and body into one object. A name may occur once, because it is undefined which of two would apply.
 */
export function mergeInput(
  path: Record<string, string>,
  query: URLSearchParams,
  body: Record<string, unknown>,
): Record<string, unknown> {
  const merged = new Map<string, unknown>()
  const parts: Iterable<readonly [string, unknown]>[] = [Object.entries(path), query, Object.entries(body)]
  for (const part of parts) {
    for (const [name, value] of part) {
      if (merged.has(name)) throw refusal('invalid_input', `${shorten(name, 60)}: is given more than once`)
      merged.set(name, value)
    }
  }
  checkContent([...Object.entries(path), ...query])
  return Object.fromEntries(merged)
}

const maxIssues = 20

export function parseInput(schema: z.ZodType, wire: Record<string, unknown>): unknown {
  const input = fromWire(schema, wire)
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  throw invalid(schema, input, parsed.error.issues)
}

function invalid(schema: z.ZodType, input: unknown, issues: readonly z.core.$ZodIssue[]): AgencyError {
  const described = issues.slice(0, maxIssues).map((issue) => ({
    path: shorten(wirePath(schema, issue.path), 200),
    message: shorten(describe(issue, input), 300),
  }))
  const first = described[0]
  const prefix = first === undefined || first.path === '' ? '' : `${first.path}: `
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''
  return refusal('invalid_input', `${prefix}${first?.message ?? 'is invalid'}${more}`, {
    data: { issues: described },
  })
}

function describe(issue: z.core.$ZodIssue, input: unknown): string {
  if (issue.code === 'unrecognized_keys')
    return `unknown field ${issue.keys
      .slice(0, maxIssues)
      .map((key) => `"${shorten(key, 60)}"`)
      .join(', ')}`
  if (valueAt(input, issue.path) === undefined && issue.code !== 'custom') return 'is missing'
  const text = issue.message.replace(/^Invalid input: /, '')
  return text.charAt(0).toLowerCase() + text.slice(1)
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input
  for (const segment of path) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, segment)) return undefined
    value = (value as Record<PropertyKey, unknown>)[segment]
  }
  return value
}
