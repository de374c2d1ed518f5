import type { z } from 'zod'

import { nearest } from '../kernel/nearest.ts'
import { shorten, snakeCase } from '../kernel/text.ts'
import { fromWire } from '../operations/wire.ts'
import type { Fault } from '../org/document/contract.ts'
import { type Place, readSource } from '../documents/values.ts'
import { Team } from './contract.ts'

export interface ReadTeam {
  /** Null when anything is wrong with it. */
  readonly team: Team | null
  readonly faults: readonly Fault[]
  /** Where something stands, or would stand, by its path in the names of the file. */
  placeOf(path: readonly PropertyKey[]): Place
}

const maxFaults = 200

/** An empty file is a team too: everything as it is by default. */
export function readTeam(text: string): ReadTeam {
  const source = readSource(text, 'team')
  const placeOf = (path: readonly PropertyKey[]): Place => source.placeOf(path)
  const broken = (faults: readonly Fault[]): ReadTeam => ({ team: null, faults: sorted(faults), placeOf })
  if (source.complaints.length > 0)
    return broken(source.complaints.map(({ message, place }) => teamFault([], message, place)))
  const value = source.value ?? {}
  if (typeof value !== 'object' || Array.isArray(value))
    return broken([teamFault([], 'a team must be a list of "key: value"', source.placeOf([]))])
  const input = withoutNothing(fromWire(Team, value))
  const parsed = Team.safeParse(input)
  if (parsed.success) return { team: parsed.data, faults: [], placeOf }
  return broken(
    parsed.error.issues.flatMap((issue) => innermost(issue, input)).flatMap((issue) => told(issue, input, source)),
  )
}

export const teamFault = (path: readonly PropertyKey[], message: string, place: Place): Fault =>
  faultAt(written(path), message, place)

const faultAt = (where: string, message: string, { line, column }: Place): Fault => ({
  severity: 'error',
  message: shorten(where === '' ? message : `${where}: ${message}`, 500),
  line,
  column,
  subject: where === '' ? null : where,
})

const written = (path: readonly PropertyKey[]): string => path.map((part) => snakeCase(String(part))).join('.')

const sorted = (faults: readonly Fault[]): Fault[] =>
  faults.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)).slice(0, maxFaults)

/** `limits:` with nothing behind it says nothing: what is null and may not be is left out. */
function withoutNothing(input: unknown): unknown {
  const { error } = Team.safeParse(input)
  const copy = structuredClone(input)
  for (const issue of error?.issues ?? []) {
    const parent = valueAt(copy, issue.path.slice(0, -1))
    const key = issue.path.at(-1)
    if (isMap(parent) && key !== undefined && parent[key] === null) delete parent[key]
  }
  return copy
}

type Issue = z.core.$ZodIssue

/** Of two shapes that something may have, what is wrong by the one that it was meant to have. */
function innermost(issue: Issue, input: unknown): Issue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue]
  const isList = Array.isArray(valueAt(input, issue.path))
  const meant = issue.errors.find((errors) => errors.some(({ path }) => path.length > 0 && isList === isIndex(path[0])))
  return (meant ?? issue.errors[0] ?? []).flatMap((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }))
}

const isIndex = (part: PropertyKey | undefined): boolean => typeof part === 'number'

/** One fault for each unknown key, at the key; otherwise one at the value. */
function told(issue: Issue, input: unknown, source: ReturnType<typeof readSource>): Fault[] {
  const { path } = issue
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, maxFaults).map((unknown) => {
      // Of a key under its name in the code, the wire says how to write it.
      const [key, instead] = unknown.split(' (write ') as [string, string | undefined]
      // Everything is near to a name of two letters.
      const guess = instead?.slice(0, -1) ?? (key.length > 2 ? nearest(shorten(key, 60), knownAt(path)) : null)
      const message = `no such key${guess === null ? '' : `; did you mean "${guess}"?`}`
      return faultAt([written(path), shorten(key, 60)].filter(Boolean).join('.'), message, source.placeOf(path, key))
    })
  const isMissing = issue.code === 'invalid_type' && (valueAt(input, path) ?? null) === null
  const message = isMissing ? 'is missing' : lower(issue.message.replace(/^Invalid (input|option): /, ''))
  return [teamFault(path, message, source.placeOf(path))]
}

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

/** The keys that may stand at a place, as they are written. */
function knownAt(path: readonly PropertyKey[]): string[] {
  let schema: unknown = Team
  for (const part of path) schema = shapeOf(schema)?.[String(part)]
  return Object.keys(shapeOf(schema) ?? {}).map(snakeCase)
}

function shapeOf(schema: unknown): Record<string, unknown> | undefined {
  const { shape, def } = (schema ?? {}) as { shape?: Record<string, unknown>; def?: { innerType?: unknown } }
  return shape ?? (def?.innerType === undefined ? undefined : shapeOf(def.innerType))
}

const isMap = (value: unknown): value is Record<PropertyKey, unknown> => typeof value === 'object' && value !== null

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value
  for (const part of path) found = isMap(found) && Object.hasOwn(found, part) ? found[part] : undefined
  return found
}
