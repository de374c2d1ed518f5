import type { z } from 'zod'

import { maxFaults, type SourceLocation } from './faults.ts'
import type { ValueSource } from './values.ts'

export type Issue = z.core.$ZodIssue

/** One fact of a schema's issue, with its location in the document. The caller phrases it in the words of its format. */
export type Finding = UnknownKey | WrongValue

export interface UnknownKey {
  readonly kind: 'unknown_key'
  readonly path: readonly PropertyKey[]
  readonly key: string
  /** The spelling in documents, where the key is written as in TypeScript. */
  readonly spelling: string | null
  readonly location: SourceLocation
}

export interface WrongValue {
  readonly kind: 'wrong_value'
  readonly path: readonly PropertyKey[]
  /** A predicate such as `is missing` or `expected string, received number`. */
  readonly message: string
  readonly location: SourceLocation
}

/** Returns one finding for each unknown key, located at the key; otherwise one located at the value. */
export function findingsOf(issue: Issue, input: unknown, source: ValueSource): Finding[] {
  const { path } = issue
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, maxFaults).map((unknown) => {
      // `fromWire` marks a key that is written as in TypeScript: `retryBudget (write retry_budget)`.
      const [key, spelling] = unknown.split(' (write ') as [string, string | undefined]
      const location = source.locationOf(path, key)
      return { kind: 'unknown_key', path, key, spelling: spelling?.slice(0, -1) ?? null, location }
    })
  const isMissing = issue.code === 'invalid_type' && (valueAt(input, path) ?? null) === null
  const message = isMissing ? 'is missing' : lower(issue.message.replace(/^Invalid (input|option): /, ''))
  return [{ kind: 'wrong_value', path, message, location: source.locationOf(path) }]
}

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

/** Returns the value at a path, or undefined. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value
  for (const part of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return undefined
    found = (found as Record<PropertyKey, unknown>)[part]
  }
  return found
}
