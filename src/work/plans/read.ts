import type { z } from 'zod'

import type { Fault } from '../../documents/contract.ts'
import {
  createFault,
  didYouMean,
  firstLine,
  maxFaults,
  type SourceLocation,
  sortFaults,
} from '../../documents/faults.ts'
import { type Finding, findingsOf, valueAt } from '../../documents/issues.ts'
import { parseValue, type ValueSource } from '../../documents/values.ts'
import { nearest } from '../../kernel/nearest.ts'
import { shorten, snakeCase } from '../../kernel/text.ts'
import { fromWire } from '../../operations/wire.ts'
import { BriefSpec } from '../briefs/contract.ts'
import { PlanDocument } from './contract.ts'
import { circlesOf, type Ordered } from './graph.ts'

export interface ReadPlan {
  /** Null when the text cannot be read as a plan. */
  readonly plan: PlanDocument | null
  readonly faults: readonly Fault[]
  /** The locations of each brief's persona, verifier and runtime. */
  readonly briefLocations: readonly BriefLocations[]
  /** The locations of the runtime that the plan sets for all briefs. */
  readonly runtimeLocations: RuntimeLocations
}

export interface RuntimeLocations {
  readonly runtime: SourceLocation
  readonly runtimeOptions: SourceLocation
}

export interface BriefLocations extends RuntimeLocations {
  readonly persona: SourceLocation
  readonly verifier: SourceLocation
}

export function readPlan(text: string): ReadPlan {
  const source = parseValue(text, 'plan')
  if (source.faults.length > 0) return broken(source.faults)
  const value = source.value
  if (value === null) return broken([createFault('the plan is empty', source.locationOf([]), null)])
  if (!isObject(value))
    return broken([createFault('a plan must be a list of "key: value"', source.locationOf([]), null)])
  const ambiguous = (Array.isArray(value['briefs']) ? value['briefs'] : []).flatMap((brief, index) =>
    isObject(brief) && 'id' in brief && 'key' in brief
      ? [createFault('a brief has either an id or a key, not both', source.locationOf(['briefs', index]), null)]
      : [],
  )
  if (ambiguous.length > 0) return broken(ambiguous.slice(0, maxFaults))
  const input = fromWire(PlanDocument, normalisePlan(value))
  const parsed = PlanDocument.safeParse(input)
  const issues = parsed.success ? [] : parsed.error.issues.slice(0, maxFaults)
  const faults = [
    ...issues.flatMap((issue) => findingsOf(issue, input, source)).map((finding) => faultOf(finding, input)),
    ...orderFaults(orderOf(input), source),
  ]
  if (!parsed.success) return broken(sortFaults(faults))
  const plan = parsed.data
  if (plan.briefs.length === 0) faults.push(createFault('the plan has no briefs', source.locationOf([]), null))
  return {
    plan,
    faults: sortFaults(faults),
    briefLocations: plan.briefs.map((_, index) => locationsAt(source, ['briefs', index])),
    runtimeLocations: locationsAt(source, []),
  }
}

const broken = (faults: readonly Fault[]): ReadPlan => ({
  plan: null,
  faults,
  briefLocations: [],
  runtimeLocations: { runtime: firstLine, runtimeOptions: firstLine },
})

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Converts the forms that people write to those of the operation: `id` to `key`, a name to a list, and drops empty keys. */
function normalisePlan(value: Record<string, unknown>): Record<string, unknown> {
  const { briefs, ...rest } = value
  const plan = dropEmptyKeys(rest, PlanDocument.shape)
  if (briefs === undefined) return plan
  return { ...plan, briefs: Array.isArray(briefs) ? briefs.map(normaliseBrief) : briefs }
}

function normaliseBrief(value: unknown): unknown {
  if (!isObject(value)) return value
  const { id, after, ...rest } = value
  const brief = dropEmptyKeys(rest, BriefSpec.shape)
  if (id !== undefined) brief['key'] = id
  if (typeof brief['key'] === 'number') brief['key'] = String(brief['key'])
  if (after === undefined || after === null) return brief
  return { ...brief, after: (Array.isArray(after) ? (after as unknown[]) : [after]).map(asName) }
}

/** YAML reads `after: 1` as a number. */
const asName = (name: unknown): unknown => (typeof name === 'number' ? String(name) : name)

/** Drops keys without a value, such as `context:`, except where null has a meaning. */
function dropEmptyKeys(value: Record<string, unknown>, shape: Record<string, z.ZodType>): Record<string, unknown> {
  const nullable = new Set(
    Object.keys(shape)
      .filter((name) => shape[name]?.safeParse(null).success)
      .map(snakeCase),
  )
  return Object.fromEntries(Object.entries(value).filter(([key, item]) => item !== null || nullable.has(key)))
}

function faultOf(finding: Finding, input: unknown): Fault {
  const { path, location } = finding
  const [first, index, ...inside] = path
  const brief = first === 'briefs' && typeof index === 'number' ? keyAt(input, index) : null
  const owner = first === 'briefs' && typeof index === 'number' ? briefLabel(brief, index) : ''
  const field = (owner === '' ? path : inside).map((part) => snakeCase(String(part))).join('.')
  if (finding.kind === 'wrong_value') {
    const message = `${owner}${field}${field === '' ? '' : ' '}${finding.message}`
    return createFault(shorten(message, 400), location, brief)
  }
  const { key, spelling } = finding
  const label = field === '' ? (owner === '' ? 'the plan' : owner.slice(0, -2)) : `${owner}${field}`
  const shape = owner === '' ? PlanDocument.shape : { ...BriefSpec.shape, id: null }
  const guess = field === '' && key.length <= 60 ? didYouMean(key, Object.keys(shape).map(snakeCase)) : ''
  const hint = spelling === null ? guess : `; write "${spelling}"`
  return createFault(`${label} has no "${shorten(key, 60)}"${hint}`, location, brief)
}

const briefLabel = (key: string | null, index: number): string =>
  key === null ? `brief ${index + 1}: ` : `brief "${shorten(key, 64)}": `

function keyAt(input: unknown, index: number): string | null {
  const key = valueAt(input, ['briefs', index, 'key'])
  return typeof key === 'string' ? key : null
}

interface IndexedBrief extends Ordered {
  /** The index in the file. */
  readonly index: number
}

/** Returns the keys and dependencies of all briefs that state them properly, independent of their other faults. */
function orderOf(input: unknown): IndexedBrief[] {
  const briefs = valueAt(input, ['briefs'])
  return (Array.isArray(briefs) ? (briefs as unknown[]) : []).flatMap((brief, index) => {
    if (!isObject(brief) || typeof brief['key'] !== 'string') return []
    const after = Array.isArray(brief['after']) ? (brief['after'] as unknown[]) : []
    return [{ index, key: brief['key'], after: after.map((each) => (typeof each === 'string' ? each : '')) }]
  })
}

/** Returns the faults between briefs: duplicate keys, unknown dependencies, circles. */
function orderFaults(briefs: readonly IndexedBrief[], source: ValueSource): Fault[] {
  const faults: Fault[] = []
  const first = new Map<string, number>()
  for (const { index, key } of briefs) {
    const earlier = first.get(key)
    if (earlier === undefined) first.set(key, index)
    else {
      const { line } = source.locationOf(['briefs', earlier, 'key'])
      const location = source.locationOf(['briefs', index, 'key'])
      const message = `two briefs are called "${shorten(key, 64)}"; the other is on line ${line}`
      faults.push(createFault(message, location, key))
    }
  }
  // A suggestion compares with every key of the plan, so only the first ten get one.
  let guesses = 0
  for (const { index, key, after } of briefs) {
    const named = new Set<string>()
    for (const [position, other] of after.entries()) {
      const wrong =
        named.has(other) && other !== '' ? `names "${other}" twice in "after"` : wrongDependency(key, other, first)
      named.add(other)
      if (wrong === null) continue
      const known = first.has(other) || (guesses += 1) > 10 ? null : nearest(shorten(other, 64), first.keys())
      const guess = known === null ? '' : `; did you mean "${known}"?`
      const location = source.locationOf(['briefs', index, 'after', position])
      faults.push(createFault(`brief "${key}" ${wrong}${guess}`, location, key))
    }
  }
  if (faults.length > 0) return faults
  return circlesOf(briefs).map((circle) => {
    const start = circle[0] as string
    const location = source.locationOf(['briefs', first.get(start) as number, 'after'])
    const shown = circle.length > 12 ? [...circle.slice(0, 12), `… ${circle.length - 12} more`] : circle
    return createFault(`these briefs wait for each other: ${[...shown, start].join(' → ')}`, location, start)
  })
}

function wrongDependency(key: string, other: string, known: ReadonlyMap<string, number>): string | null {
  if (other === key) return 'waits for itself'
  // An empty name stands for a dependency that is not a text; the schema has a fault for it.
  return other === '' || known.has(other) ? null : `waits for "${shorten(other, 64)}", which is not in the plan`
}

const locationsAt = (source: ValueSource, path: readonly PropertyKey[]): BriefLocations => ({
  persona: source.locationOf([...path, 'persona']),
  verifier: source.locationOf([...path, 'verifier']),
  runtime: source.locationOf([...path, 'runtime']),
  runtimeOptions: source.locationOf([...path, 'runtimeOptions']),
})
