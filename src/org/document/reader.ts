import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type YAMLMap } from 'yaml'

import { nearest } from '../../kernel/nearest.ts'
import type { Fault } from './contract.ts'
import type { Place } from './model.ts'

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

export function readSource(text: string): Source {
  const lines = new LineCounter()
  const faults: Fault[] = []
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true })
  for (const error of document.errors) {
    const { line, col } = lines.linePos(error.pos[0])
    faults.push(fault('error', error.message, { line, column: col }, null))
  }
  let aliases = 0
  const source: Source = {
    root: document.contents as Node | null,
    faults,
    placeOf(node) {
      const { line, col } = lines.linePos(node?.range?.[0] ?? 0)
      return { line, column: col }
    },
    resolve(node) {
      if (!isAlias(node)) return (node as Node | null) ?? null
      if (++aliases > maxAliases) {
        if (aliases === maxAliases + 1) complain(source, node, 'too many aliases; write the values out', null)
        return null
      }
      const target = node.resolve(document) as Node | undefined
      if (target !== undefined) return target
      complain(source, node, `the alias *${node.source} has no anchor`, null)
      return null
    },
  }
  return source
}

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
    if (known.includes(key)) values.set(key, source.resolve(pair.value))
    else if (ignored.includes(key))
      complain(source, pair.key as Node, `${key} is runtime state; ignored`, key, 'warning')
    else {
      const guess = nearest(key, known)
      complain(
        source,
        pair.key as Node,
        `${what} has no "${key}"${guess === null ? '' : `; did you mean "${guess}"?`}`,
        key,
      )
    }
  }
  return values
}

export function readList(source: Source, node: unknown, what: string): (Node | null)[] {
  const resolved = source.resolve(node)
  if (resolved === null || (isScalar(resolved) && resolved.value === null)) return []
  if (isSeq(resolved)) return resolved.items.map((item) => source.resolve(item))
  complain(source, resolved, `${what} must be a list`, null)
  return []
}

/** Of a scalar: `undefined` when it is not there, a fault and `undefined` when it is of another type. */
export function readScalar<T>(
  source: Source,
  node: Node | null | undefined,
  what: string,
  expected: string,
  accept: (value: unknown) => T | undefined,
): T | undefined {
  if (node === undefined) return undefined
  const value = isScalar(node) ? node.value : undefined
  const accepted = node === null ? accept(null) : isScalar(node) ? accept(value) : undefined
  if (accepted !== undefined) return accepted
  complain(source, node, `${what} must be ${expected}`, what)
  return undefined
}

/** YAML reads `name: 7` as a number; a name is text all the same. */
export const asText =
  (max: number) =>
  (value: unknown): string | undefined => {
    const text =
      typeof value === 'string'
        ? value
        : typeof value === 'number' || typeof value === 'boolean'
          ? String(value)
          : undefined
    return text !== undefined && text.trim() !== '' && text.length <= max && !/[\p{Cc}\p{Cf}]/u.test(text)
      ? text.trim()
      : undefined
  }

export const asAnyText =
  (max: number) =>
  (value: unknown): string | undefined =>
    value === null
      ? ''
      : typeof value === 'object'
        ? undefined
        : String(value).length <= max
          ? String(value)
          : undefined

export const asId = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 && value < 2 ** 40 ? value : undefined

export const orNull =
  <T>(accept: (value: unknown) => T | undefined) =>
  (value: unknown): T | null | undefined =>
    value === null ? null : accept(value)

export const oneOf =
  <T extends string>(...values: readonly T[]) =>
  (value: unknown): T | undefined =>
    values.find((each) => each === value)
