import type { Fault } from '../documents/contract.ts'
import { createFault, didYouMean, firstLine, type SourceLocation, sortFaults } from '../documents/faults.ts'
import { type Finding, findingsOf, type Issue, valueAt } from '../documents/issues.ts'
import { parseValue, type ValueSource } from '../documents/values.ts'
import { shorten, snakeCase } from '../kernel/text.ts'
import { fromWire } from '../operations/wire.ts'
import { Team } from './contract.ts'

export interface ReadTeam {
  /** Null when anything is wrong with the file. */
  readonly team: Team | null
  readonly faults: readonly Fault[]
  /** The locations of the values of the file, by `keyOf` their paths. */
  readonly locations: Readonly<Record<string, SourceLocation>>
}

/** More values than any team has; the others have the location of the value around them. */
const maxLocations = 2_000

/** Returns the location of a value, or the location where it would be. */
export function locationIn({ locations }: Pick<ReadTeam, 'locations'>, path: readonly PropertyKey[]): SourceLocation {
  for (let length = path.length; length > 0; length--) {
    const found = locations[keyOf(path.slice(0, length))]
    if (found !== undefined) return found
  }
  return locations[keyOf([])] ?? firstLine
}

const keyOf = (path: readonly PropertyKey[]): string => JSON.stringify(path.map((part) => snakeCase(String(part))))

function locationsOf({ value, locationOf }: ValueSource): Record<string, SourceLocation> {
  const locations: Record<string, SourceLocation> = {}
  let count = 0
  const open: { value: unknown; path: readonly PropertyKey[] }[] = [{ value, path: [] }]
  for (let next = open.shift(); next !== undefined && count < maxLocations; next = open.shift()) {
    const { value: item, path } = next
    locations[keyOf(path)] = locationOf(path)
    count += 1
    if (isMap(item)) for (const [key, inner] of Object.entries(item)) open.push({ value: inner, path: [...path, key] })
  }
  return locations
}

/** Reads a team file. An empty file is a valid team: every key has its default. */
export function readTeam(text: string): ReadTeam {
  const source = parseValue(text, 'team')
  const locations = locationsOf(source)
  const broken = (faults: readonly Fault[]): ReadTeam => ({ team: null, faults: sortFaults(faults), locations })
  if (source.faults.length > 0) return broken(source.faults)
  const value = source.value ?? {}
  if (typeof value !== 'object' || Array.isArray(value))
    return broken([teamFault([], 'a team must be a list of "key: value"', source.locationOf([]))])
  const input = dropEmptyKeys(fromWire(Team, value))
  const parsed = Team.safeParse(input)
  if (parsed.success) return { team: parsed.data, faults: [], locations }
  return broken(
    parsed.error.issues
      .flatMap((issue) => issuesOfIntendedShape(issue, input))
      .flatMap((issue) => findingsOf(issue, input, source))
      .map(faultOf),
  )
}

export const teamFault = (path: readonly PropertyKey[], message: string, location: SourceLocation): Fault =>
  faultAt(dotted(path), message, location)

const faultAt = (path: string, message: string, location: SourceLocation): Fault =>
  createFault(shorten(path === '' ? message : `${path}: ${message}`, 500), location, path === '' ? null : path)

const dotted = (path: readonly PropertyKey[]): string => path.map((part) => snakeCase(String(part))).join('.')

/** Drops keys without a value, such as `limits:`, where null is not allowed: they count as absent. */
function dropEmptyKeys(input: unknown): unknown {
  const { error } = Team.safeParse(input)
  const copy = structuredClone(input)
  for (const issue of error?.issues ?? []) {
    const parent = valueAt(copy, issue.path.slice(0, -1))
    const key = issue.path.at(-1)
    if (isMap(parent) && key !== undefined && parent[key] === null) delete parent[key]
  }
  return copy
}

const isMap = (value: unknown): value is Record<PropertyKey, unknown> => typeof value === 'object' && value !== null

/** Returns the issues of the one shape that the value was meant to have, where it may have one of several. */
function issuesOfIntendedShape(issue: Issue, input: unknown): Issue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue]
  const isList = Array.isArray(valueAt(input, issue.path))
  const intended = issue.errors.find((errors) =>
    errors.some(({ path }) => path.length > 0 && isList === (typeof path[0] === 'number')),
  )
  return (intended ?? issue.errors[0] ?? []).flatMap((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }))
}

function faultOf(finding: Finding): Fault {
  const { path, location } = finding
  if (finding.kind === 'wrong_value') return teamFault(path, finding.message, location)
  const { key, spelling } = finding
  const shown = shorten(key, 60)
  // Any known name would be close to a name of two letters.
  const guess = key.length > 2 ? didYouMean(shown, knownKeysAt(path)) : ''
  const hint = spelling === null ? guess : `; did you mean "${spelling}"?`
  return faultAt([dotted(path), shown].filter(Boolean).join('.'), `unknown key${hint}`, location)
}

/** Returns the keys that are allowed at a path, as they are written in the file. */
function knownKeysAt(path: readonly PropertyKey[]): string[] {
  let schema: unknown = Team
  for (const part of path) schema = shapeOf(schema)?.[String(part)]
  return Object.keys(shapeOf(schema) ?? {}).map(snakeCase)
}

function shapeOf(schema: unknown): Record<string, unknown> | undefined {
  const { shape, def } = (schema ?? {}) as { shape?: Record<string, unknown>; def?: { innerType?: unknown } }
  return shape ?? (def?.innerType === undefined ? undefined : shapeOf(def.innerType))
}
