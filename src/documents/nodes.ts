import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type YAMLMap } from 'yaml'

import { refusal } from '../kernel/errors.ts'
import { nearest } from '../kernel/nearest.ts'
import { shorten } from '../kernel/text.ts'
import type { Fault } from '../org/document/contract.ts'
import type { Place } from '../org/document/model.ts'

/** YAML with the place of everything, and faults collected instead of thrown: a person mends them all in one go. */
export interface Source {
  readonly root: Node | null
  readonly faults: Fault[]
  placeOf(node: Node | null | undefined): Place
  resolve(node: unknown): Node | null
}

/** An alias that stands for much, standing often, is a bomb; a real document needs none. */
const maxAliases = 50
const maxFaults = 200
/** Nobody draws such a chart; reading on would only keep everybody else waiting. */
export const maxItems = 10_000

export function readSource(text: string): Source {
  refuseHuge(text)
  const lines = new LineCounter()
  const faults: Fault[] = []
  // Its own check for keys that stand twice compares each with each; `readMap` looks them up.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false })
  for (const [list, severity] of [
    [document.errors, 'error'],
    [document.warnings, 'warning'],
  ] as const)
    for (const { code, message, pos } of list.slice(0, maxFaults)) {
      const { line, col } = lines.linePos(pos[0])
      faults.push(fault(severity, sayings[code] ?? oneLine(message), { line, column: col }, null))
    }
  let aliases = 0
  const source: Source = {
    root: document.contents as Node | null,
    faults,
    placeOf(node) {
      const { line, col } = lines.linePos(node?.range?.[0] ?? 0)
      return { line: Math.max(line, 1), column: Math.max(col, 1) }
    },
    resolve(node) {
      if (!isAlias(node)) return (node as Node | null) ?? null
      if (++aliases > maxAliases) {
        if (aliases === maxAliases + 1) complain(source, node, 'too many aliases; write the values out', null)
        return null
      }
      const target = node.resolve(document) as Node | undefined
      if (target !== undefined) return target
      complain(source, node, `the alias *${shorten(node.source, 60)} has no anchor`, null)
      return null
    },
  }
  return source
}

const maxBytes = 4_000_000
/** Reading takes its time per line and per item, not per byte: this many are a few seconds. */
const maxSigns = 300_000
const maxBrackets = 50_000

function refuseHuge(text: string): void {
  if (Buffer.byteLength(text) > maxBytes) throw tooLarge(`is larger than ${maxBytes / 1_000_000} MB`)
  let signs = 0
  let brackets = 0
  for (let index = 0; index < text.length; index++) {
    const sign = text.charCodeAt(index)
    if (sign === 0x5b || sign === 0x7b) brackets++
    else if (sign === 0x0a || sign === 0x2c || sign === 0x3a) signs++
  }
  if (signs > maxSigns || brackets > maxBrackets) throw tooLarge('has far more lines and items than any organisation')
}

const tooLarge = (why: string) =>
  refusal('too_large', `the document ${why}; it was not read`, { hint: 'One document describes one organisation.' })

const sayings: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'a second document begins here; each organisation has a document of its own',
}

const oneLine = (text: string): string => shorten(text.replace(/\s+/g, ' ').trim(), 300)

export const fault = (
  severity: Fault['severity'],
  message: string,
  place: Place | null,
  subject: string | null,
): Fault => ({
  severity,
  message,
  line: place?.line ?? null,
  column: place?.column ?? null,
  subject,
})

export function complain(
  source: Source,
  node: Node | null | undefined,
  message: string,
  subject: string | null,
  severity: Fault['severity'] = 'error',
): void {
  if (source.faults.length < maxFaults) source.faults.push(fault(severity, message, source.placeOf(node), subject))
}

/** A map's values by key. Unknown keys are faults with the nearest known one; runtime keys are only warned about. */
export function readMap(
  source: Source,
  node: unknown,
  what: string,
  known: readonly string[],
  ignored: readonly string[] = [],
): Map<string, Node | null> | null {
  const resolved = source.resolve(node)
  if (!isMap(resolved)) {
    complain(source, resolved ?? (node as Node | null), `${what} must be a list of "key: value"`, null)
    return null
  }
  const values = new Map<string, Node | null>()
  for (const pair of (resolved as YAMLMap).items) {
    const key = isScalar(pair.key) ? String(pair.key.value) : ''
    const said = shorten(key, 60)
    if (values.has(key)) complain(source, pair.key as Node, `"${said}" stands twice in ${what}`, said)
    else if (known.includes(key)) values.set(key, source.resolve(pair.value))
    else if (ignored.includes(key))
      complain(source, pair.key as Node, `${key} is runtime state; ignored`, key, 'warning')
    else complain(source, pair.key as Node, `${what} has no "${said}"${guessed(key, known)}`, said)
    if (source.faults.length >= maxFaults) return null
  }
  return values
}

export const guessed = (typed: string, known: Iterable<string>): string => {
  const guess = typed.length > 200 ? null : nearest(typed, known)
  return guess === null ? '' : `; did you mean "${guess}"?`
}

export function readList(source: Source, node: unknown, what: string): (Node | null)[] {
  const resolved = source.resolve(node)
  if (resolved === null || (isScalar(resolved) && resolved.value === null)) return []
  if (!isSeq(resolved)) {
    complain(source, resolved, `${what} must be a list`, null)
    return []
  }
  if (resolved.items.length <= maxItems) return resolved.items.map((item) => source.resolve(item))
  complain(source, resolved, `${what} may have ${maxItems} items at most`, null)
  return []
}

/** Whether it is there and says nothing, as in `lead:` or `lead: null`. */
export const isNothing = (node: Node | null): boolean => node === null || (isScalar(node) && node.value === null)

/** What a scalar must be: given its value, and as it is written, since YAML reads `name: 007` as a number. */
export type Accept<T> = (value: unknown, written: string | undefined) => T | undefined

/** `undefined` when it is not there; a fault and `undefined` when it is of another type. */
export function readScalar<T>(
  source: Source,
  node: Node | null | undefined,
  what: string,
  expected: string,
  accept: Accept<T>,
): T | undefined {
  if (node === undefined) return undefined
  const accepted =
    node === null ? accept(null, undefined) : isScalar(node) ? accept(node.value, node.source) : undefined
  if (accepted !== undefined) return accepted
  complain(source, node, `${what} must be ${expected}`, what)
  return undefined
}

const textOf = (value: unknown, written: string | undefined): string | undefined =>
  typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
      ? (written ?? String(value))
      : undefined

/** A text that the operations would take for the same field. */
export const asText =
  (schema: { safeParse(value: unknown): { success: boolean; data?: string } }): Accept<string> =>
  (value, written) => {
    const text = textOf(value, written)
    return text === undefined || !isStorable(text) ? undefined : schema.safeParse(text).data
  }

/** Of several lines, and possibly of none. */
export const asAnyText =
  (max: number): Accept<string> =>
  (value, written) => {
    const text = value === null ? '' : textOf(value, written)
    return text !== undefined && text.length <= max && isStorable(text) ? text : undefined
  }

/** No store keeps these as they are. */
const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

export const asId: Accept<number> = (value) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 && value < 2 ** 40 ? value : undefined

export const orNull =
  <T>(accept: Accept<T>): Accept<T | null> =>
  (value, written) =>
    value === null ? null : accept(value, written)

export const oneOf =
  <T extends string>(...values: readonly T[]): Accept<T> =>
  (value) =>
    values.find((each) => each === value)
