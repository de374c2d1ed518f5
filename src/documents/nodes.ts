import { isAlias, isMap, isScalar, isSeq, type Node, type YAMLMap } from 'yaml'

import { refusal } from '../kernel/errors.ts'
import { shorten } from '../kernel/text.ts'
import { didYouMean, maxFaults } from './faults.ts'
import { addFault, isStorable, parseSource, type Source } from './source.ts'

/** A source that is read node by node: each reader below checks one node and records its faults. */
export interface NodeSource extends Source {
  /** Follows an alias to its anchor; null where it has none, and from the 51st alias on. */
  resolve(node: unknown): Node | null
}

/** A large value behind many aliases exhausts the memory; a real document needs no alias. */
const maxAliases = 50
/** No chart has as many; reading more would only delay every other request. */
export const maxItems = 10_000

export function parseNodes(text: string, noun: string): NodeSource {
  refuseHuge(text, noun)
  const parsed = parseSource(text, noun)
  let aliases = 0
  const source: NodeSource = {
    ...parsed,
    resolve(node) {
      if (!isAlias(node)) return (node as Node | null) ?? null
      if (++aliases > maxAliases) {
        if (aliases === maxAliases + 1) addFault(source, node, 'too many aliases; write the values out', null)
        return null
      }
      const target = node.resolve(parsed.document) as Node | undefined
      if (target !== undefined) return target
      addFault(source, node, `the alias *${shorten(node.source, 60)} has no anchor`, null)
      return null
    },
  }
  return source
}

const maxBytes = 4_000_000
/** The time to parse grows with lines and items, not with bytes: these numbers take a few seconds. */
const maxSeparators = 300_000
const maxBrackets = 50_000

function refuseHuge(text: string, noun: string): void {
  const tooLarge = (reason: string) =>
    refusal('too_large', `the document ${reason}; it was not read`, { hint: `One document describes one ${noun}.` })
  if (Buffer.byteLength(text) > maxBytes) throw tooLarge(`is larger than ${maxBytes / 1_000_000} MB`)
  let separators = 0
  let brackets = 0
  for (let index = 0; index < text.length; index++) {
    const character = text.charCodeAt(index)
    if (character === 0x5b || character === 0x7b) brackets++
    else if (character === 0x0a || character === 0x2c || character === 0x3a) separators++
  }
  if (separators > maxSeparators || brackets > maxBrackets)
    throw tooLarge(`has far more lines and items than any ${noun}`)
}

/** Reads a map's values by key. An unknown key is a fault that suggests the nearest known one; an ignored key is a warning. */
export function readMap(
  source: NodeSource,
  node: unknown,
  label: string,
  known: readonly string[],
  ignored: readonly string[] = [],
): Map<string, Node | null> | null {
  const resolved = source.resolve(node)
  if (!isMap(resolved)) {
    addFault(source, resolved ?? (node as Node | null), `${label} must be a list of "key: value"`, null)
    return null
  }
  const values = new Map<string, Node | null>()
  for (const pair of (resolved as YAMLMap).items) {
    const key = isScalar(pair.key) ? String(pair.key.value) : ''
    const name = shorten(key, 60)
    if (values.has(key)) addFault(source, pair.key as Node, `duplicate key "${name}" in ${label}`, name)
    else if (known.includes(key)) values.set(key, source.resolve(pair.value))
    else if (ignored.includes(key))
      addFault(source, pair.key as Node, `${key} is runtime state; ignored`, key, 'warning')
    else addFault(source, pair.key as Node, `${label} has no "${name}"${didYouMean(key, known)}`, name)
    if (source.faults.length >= maxFaults) return null
  }
  return values
}

export function readList(source: NodeSource, node: unknown, label: string): (Node | null)[] {
  const resolved = source.resolve(node)
  if (isEmpty(resolved)) return []
  if (!isSeq(resolved)) {
    addFault(source, resolved, `${label} must be a list`, null)
    return []
  }
  if (resolved.items.length <= maxItems) return resolved.items.map((item) => source.resolve(item))
  addFault(source, resolved, `${label} may have ${maxItems} items at most`, null)
  return []
}

/** Reports whether a key is present without a value, as in `lead:` or `lead: null`. */
export const isEmpty = (node: Node | null): boolean => node === null || (isScalar(node) && node.value === null)

/** Converts a scalar, or returns undefined. Gets the source text too, since YAML reads `name: 007` as a number. */
export type Accept<T> = (value: unknown, written: string | undefined) => T | undefined

/** Returns undefined for an absent scalar; records a fault and returns undefined for one of another type. */
export function readScalar<T>(
  source: NodeSource,
  node: Node | null | undefined,
  label: string,
  expected: string,
  accept: Accept<T>,
): T | undefined {
  if (node === undefined) return undefined
  const accepted =
    node === null ? accept(null, undefined) : isScalar(node) ? accept(node.value, node.source) : undefined
  if (accepted !== undefined) return accepted
  addFault(source, node, `${label} must be ${expected}`, label)
  return undefined
}

const textOf = (value: unknown, written: string | undefined): string | undefined =>
  typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
      ? (written ?? String(value))
      : undefined

/** Accepts the texts that the operations accept for the same field. */
export const asText =
  (schema: { safeParse(value: unknown): { success: boolean; data?: string } }): Accept<string> =>
  (value, written) => {
    const text = textOf(value, written)
    return text === undefined || !isStorable(text) ? undefined : schema.safeParse(text).data
  }

/** Accepts a text of any number of lines, including none. */
export const asAnyText =
  (max: number): Accept<string> =>
  (value, written) => {
    const text = value === null ? '' : textOf(value, written)
    return text !== undefined && text.length <= max && isStorable(text) ? text : undefined
  }

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
