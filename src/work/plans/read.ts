import type { z } from 'zod'

import { nearest } from '../../kernel/nearest.ts'
import { shorten, snakeCase } from '../../kernel/text.ts'
import { fromWire } from '../../operations/wire.ts'
import type { Fault } from '../../org/document/contract.ts'
import { BriefSpec } from '../briefs/contract.ts'
import { PlanDocument } from './contract.ts'
import { type Place, type PlanSource, readSource } from '../../documents/values.ts'
import { circlesOf, type Ordered } from './graph.ts'

export interface ReadPlan {
  /** Null when there is nothing to work with. */
  readonly plan: PlanDocument | null
  readonly faults: readonly Fault[]
  /** Where each brief speaks of people and programs. */
  readonly places: readonly BriefPlaces[]
  /** Where the plan speaks of a program for all of them. */
  readonly program: ProgramPlaces
}

export interface ProgramPlaces {
  readonly runtime: Place
  readonly runtimeOptions: Place
}

export interface BriefPlaces extends ProgramPlaces {
  readonly persona: Place
  readonly verifier: Place
}

const maxFaults = 200

export function readPlan(text: string): ReadPlan {
  const source = readSource(text)
  if (source.complaints.length > 0)
    return broken(source.complaints.map(({ message, place }) => fault(message, place, null)))
  const value = source.value
  if (value === null) return broken([fault('the plan is empty', source.placeOf([]), null)])
  if (!isObject(value)) return broken([fault('a plan must be a list of "key: value"', source.placeOf([]), null)])
  const ambiguous = (Array.isArray(value['briefs']) ? value['briefs'] : []).flatMap((brief, index) =>
    isObject(brief) && 'id' in brief && 'key' in brief
      ? [fault('a brief has either an id or a key, not both', source.placeOf(['briefs', index]), null)]
      : [],
  )
  if (ambiguous.length > 0) return broken(ambiguous.slice(0, maxFaults))
  const input = fromWire(PlanDocument, asWritten(value))
  const parsed = PlanDocument.safeParse(input)
  const issues = parsed.success ? [] : parsed.error.issues.slice(0, maxFaults)
  const faults = [...issues.flatMap((issue) => told(issue, input, source)), ...misorders(orderOf(input), source)]
  if (!parsed.success) return broken(sorted(faults))
  const plan = parsed.data
  if (plan.briefs.length === 0) faults.push(fault('the plan has no briefs', source.placeOf([]), null))
  return {
    plan,
    faults: sorted(faults),
    places: plan.briefs.map((_, index) => placesOf(source, ['briefs', index])),
    program: placesOf(source, []),
  }
}

const sorted = (faults: readonly Fault[]): Fault[] =>
  faults.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)).slice(0, maxFaults)

const broken = (faults: readonly Fault[]): ReadPlan => ({
  plan: null,
  faults,
  places: [],
  program: { runtime: start, runtimeOptions: start },
})

const start: Place = { line: 1, column: 1 }

export const fault = (message: string, place: Place, subject: string | null): Fault => ({
  severity: 'error',
  message,
  line: place.line,
  column: place.column,
  subject,
})

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What a person writes, as the operation wants it: `id` for `key`, one name for a list of one, nothing for nothing. */
function asWritten(value: Record<string, unknown>): Record<string, unknown> {
  const { briefs, ...rest } = value
  const plan = dropNothing(rest, PlanDocument.shape)
  if (briefs === undefined) return plan
  return { ...plan, briefs: Array.isArray(briefs) ? briefs.map(asBrief) : briefs }
}

function asBrief(value: unknown): unknown {
  if (!isObject(value)) return value
  const { id, after, ...rest } = value
  const brief = dropNothing(rest, BriefSpec.shape)
  if (id !== undefined) brief['key'] = id
  if (typeof brief['key'] === 'number') brief['key'] = String(brief['key'])
  if (after === undefined || after === null) return brief
  return { ...brief, after: (Array.isArray(after) ? (after as unknown[]) : [after]).map(asName) }
}

/** YAML reads `after: 1` as a number. */
const asName = (name: unknown): unknown => (typeof name === 'number' ? String(name) : name)

/** `context:` with nothing behind it says nothing, unless nothing means something there. */
function dropNothing(value: Record<string, unknown>, shape: Record<string, z.ZodType>): Record<string, unknown> {
  const nullable = Object.keys(shape).filter((name) => shape[name]?.safeParse(null).success)
  const meant = new Set(nullable.map(snakeCase))
  return Object.fromEntries(Object.entries(value).filter(([key, item]) => item !== null || meant.has(key)))
}

/** One fault for each unknown key, at the key; otherwise one at the value. */
function told(issue: z.core.$ZodIssue, input: unknown, source: PlanSource): Fault[] {
  const [first, index, ...inside] = issue.path
  const brief = first === 'briefs' && typeof index === 'number' ? keyAt(input, index) : null
  const where = first === 'briefs' && typeof index === 'number' ? named(brief, index) : ''
  const field = (where === '' ? issue.path : inside).map((part) => snakeCase(String(part))).join('.')
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((unknown) => {
      const what = field === '' ? (where === '' ? 'the plan' : where.slice(0, -2)) : `${where}${field}`
      // Of a field under its name in the code, the wire says how to write it.
      const [key, instead] = unknown.split(' (write ') as [string, string | undefined]
      const shape = where === '' ? PlanDocument.shape : { ...BriefSpec.shape, id: null }
      const hint = instead === undefined ? guessed(key, shape, field === '') : `; write "${instead.slice(0, -1)}"`
      return fault(`${what} has no "${shorten(key, 60)}"${hint}`, source.placeOf(issue.path, key), brief)
    })
  const missing = issue.code === 'invalid_type' && valueAt(input, issue.path) === undefined
  const message = missing ? 'is missing' : lower(issue.message.replace(/^Invalid input: /, ''))
  return [
    fault(shorten(`${where}${field}${field === '' ? '' : ' '}${message}`, 400), source.placeOf(issue.path), brief),
  ]
}

const guessed = (key: string, shape: object, hasShape: boolean): string => {
  if (!hasShape || key.length > 60) return ''
  const guess = nearest(key, Object.keys(shape).map(snakeCase))
  return guess === null ? '' : `; did you mean "${guess}"?`
}

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

const named = (key: string | null, index: number): string =>
  key === null ? `brief ${index + 1}: ` : `brief "${shorten(key, 64)}": `

function keyAt(input: unknown, index: number): string | null {
  const key = valueAt(input, ['briefs', index, 'key'])
  return typeof key === 'string' ? key : null
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input
  for (const segment of path) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, segment)) return undefined
    value = (value as Record<PropertyKey, unknown>)[segment]
  }
  return value
}

interface Placed extends Ordered {
  /** Its place in the file. */
  readonly index: number
}

/** As far as the briefs say it properly, whatever else may be wrong with them. */
function orderOf(input: unknown): Placed[] {
  const briefs = valueAt(input, ['briefs'])
  return (Array.isArray(briefs) ? (briefs as unknown[]) : []).flatMap((brief, index) => {
    if (!isObject(brief) || typeof brief['key'] !== 'string') return []
    const after = Array.isArray(brief['after']) ? (brief['after'] as unknown[]) : []
    return [{ index, key: brief['key'], after: after.map((each) => (typeof each === 'string' ? each : '')) }]
  })
}

/** What is wrong between the briefs: names twice, names that nobody has, circles. */
function misorders(briefs: readonly Placed[], source: PlanSource): Fault[] {
  const faults: Fault[] = []
  const first = new Map<string, number>()
  for (const { index, key } of briefs) {
    const earlier = first.get(key)
    if (earlier === undefined) first.set(key, index)
    else {
      const { line } = source.placeOf(['briefs', earlier, 'key'])
      const place = source.placeOf(['briefs', index, 'key'])
      faults.push(fault(`two briefs are called "${shorten(key, 64)}"; the other is on line ${line}`, place, key))
    }
  }
  // Guessing compares with every key there is.
  let guesses = 0
  for (const { index, key, after } of briefs) {
    const named = new Set<string>()
    for (const [position, other] of after.entries()) {
      const wrong =
        named.has(other) && other !== '' ? `names "${other}" twice in "after"` : wrongWait(key, other, first)
      named.add(other)
      if (wrong === null) continue
      const known = first.has(other) || (guesses += 1) > 10 ? null : nearest(shorten(other, 64), first.keys())
      const guess = known === null ? '' : `; did you mean "${known}"?`
      faults.push(fault(`brief "${key}" ${wrong}${guess}`, source.placeOf(['briefs', index, 'after', position]), key))
    }
  }
  if (faults.length > 0) return faults
  return circlesOf(briefs).map((circle) => {
    const start = circle[0] as string
    const place = source.placeOf(['briefs', first.get(start) as number, 'after'])
    const shown = circle.length > 12 ? [...circle.slice(0, 12), `… ${circle.length - 12} more`] : circle
    return fault(`these briefs wait for each other: ${[...shown, start].join(' → ')}`, place, start)
  })
}

function wrongWait(key: string, other: string, known: ReadonlyMap<string, number>): string | null {
  if (other === key) return 'waits for itself'
  // What is no name at all has been complained of.
  return other === '' || known.has(other) ? null : `waits for "${shorten(other, 64)}", which is not in the plan`
}

const placesOf = (source: PlanSource, path: readonly PropertyKey[]): BriefPlaces => ({
  persona: source.placeOf([...path, 'persona']),
  verifier: source.placeOf([...path, 'verifier']),
  runtime: source.placeOf([...path, 'runtime']),
  runtimeOptions: source.placeOf([...path, 'runtimeOptions']),
})
