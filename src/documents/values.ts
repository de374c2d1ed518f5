import { isAlias, isMap, isScalar, isSeq, type Node } from 'yaml'

import { shorten, snakeCase } from '../kernel/text.ts'
import type { Fault } from './contract.ts'
import { maxFaults, type SourceLocation } from './faults.ts'
import { addFault, isStorable, parseSource } from './source.ts'

/** A source that is read as one value, for a schema to check. */
export interface ValueSource {
  /** Null where there are faults. */
  readonly value: unknown
  /** All of them errors: a value is read completely or not at all. */
  readonly faults: readonly Fault[]
  /**
   * The location of the value at the path, or of the nearest value around it; with `key`, of that key in it. Names may be
   * written as in TypeScript.
   */
  locationOf(path: readonly PropertyKey[], key?: string): SourceLocation
}

const maxDepth = 60
/** Aliases may save typing, but must not expand to more than a person could have typed. */
const maxNodes = 2_000_000

export function parseValue(text: string, noun: string): ValueSource {
  const source = parseSource(text, noun)
  const faults = source.faults.slice(0, maxFaults).map((fault): Fault => ({ ...fault, severity: 'error' }))
  const { root } = source
  const targets = new Map<Node, Node>()
  const report: Report = (node, message) => addFault({ ...source, faults }, node, message, null)
  const value = faults.length > 0 ? null : createReader(targets, report, noun)(root)
  return {
    value,
    faults,
    locationOf: (path, key) => source.locationOf(find(root, path, targets, key)),
  }
}

interface Read {
  readonly value: unknown
  /** The number of nodes with all aliases expanded. */
  readonly nodes: number
}

type Report = (node: Node | null, message: string) => void

/** Reads each node once, however many aliases refer to it; `targets` receives the node behind each alias. */
function createReader(targets: Map<Node, Node>, report: Report, noun: string): (root: Node | null) => unknown {
  const tooLarge = `aliases make this ${noun} far larger than its text; write the values out`
  const anchors = new Map<string, Node>()
  const known = new Map<Node, Read | 'reading'>()
  let total = 0

  const read = (node: Node | null, depth: number): Read => {
    if (node === null) return nothing
    if (depth > maxDepth) return refused(node, `nested deeper than ${maxDepth} levels`)
    if (isAlias(node)) return readAlias(node)
    const { anchor } = node as { anchor?: string }
    if (anchor !== undefined) anchors.set(anchor, node)
    known.set(node, 'reading')
    const found = isMap(node)
      ? readMap(node, depth)
      : isSeq(node)
        ? readList(node.items as (Node | null)[], depth)
        : readScalar(node)
    known.set(node, found)
    return found
  }

  const readAlias = (node: Node & { source: string }): Read => {
    const name = shorten(node.source, 60)
    const target = anchors.get(node.source)
    const found = target === undefined ? undefined : known.get(target)
    if (target === undefined || found === undefined) return refused(node, `the alias *${name} has no anchor before it`)
    if (found === 'reading') return refused(node, `the alias *${name} is inside its own anchor`)
    targets.set(node, target)
    total += found.nodes
    return total > maxNodes ? refused(node, tooLarge) : found
  }

  const readMap = (node: Node & { items: { key: unknown; value: unknown }[] }, depth: number): Read => {
    const value: Record<string, unknown> = {}
    let nodes = 1
    for (const pair of node.items) {
      const key = pair.key as Node | null
      const name = keyOf(key)
      if (name === null) report(key ?? node, 'a key must be a plain word')
      else if (Object.hasOwn(value, name)) report(key, `duplicate key "${shorten(name, 60)}"`)
      else {
        const inner = read(pair.value as Node | null, depth + 1)
        nodes += inner.nodes
        // Assignment to `__proto__` would set the prototype.
        Object.defineProperty(value, name, { value: inner.value, enumerable: true, writable: true, configurable: true })
      }
    }
    return counted(node, value, nodes)
  }

  const readList = (items: readonly (Node | null)[], depth: number): Read => {
    const inner = items.map((item) => read(item, depth + 1))
    const nodes = inner.reduce((sum, each) => sum + each.nodes, 1)
    return counted(
      items[0] ?? null,
      inner.map((each) => each.value),
      nodes,
    )
  }

  const readScalar = (node: Node): Read => {
    const value: unknown = isScalar(node) ? node.value : undefined
    if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return { value, nodes: 1 }
    if (typeof value !== 'string') return refused(node, 'the value is not a text, number, true, false, list or map')
    return isStorable(value)
      ? { value, nodes: 1 }
      : refused(node, 'the text contains a character that cannot be stored')
  }

  const counted = (node: Node | null, value: unknown, nodes: number): Read =>
    nodes > maxNodes ? refused(node, tooLarge) : { value, nodes }

  const refused = (node: Node | null, message: string): Read => {
    report(node, message)
    return nothing
  }

  return (root) => read(root, 0).value
}

const nothing: Read = { value: null, nodes: 1 }

const keyOf = (key: unknown): string | null => {
  if (!isScalar(key) || typeof key.value === 'object') return null
  const name = typeof key.value === 'string' ? key.value : (key.source ?? String(key.value))
  return isStorable(name) ? name : null
}

function find(
  root: Node | null,
  path: readonly PropertyKey[],
  targets: ReadonlyMap<Node, Node>,
  key: string | undefined,
): Node | null {
  let node = root
  for (const segment of path) {
    const next = stepInto(node, segment, targets)
    if (next === null) return node
    node = next.value ?? next.key
  }
  return key === undefined ? node : (stepInto(node, key, targets)?.key ?? node)
}

function stepInto(
  from: Node | null,
  segment: PropertyKey,
  targets: ReadonlyMap<Node, Node>,
): { key: Node; value: Node | null } | null {
  const node = from === null ? null : (targets.get(from) ?? from)
  if (isSeq(node)) {
    const item = node.items[Number(segment)] as Node | undefined
    return item === undefined ? null : { key: item, value: item }
  }
  if (!isMap(node)) return null
  const names = [String(segment), snakeCase(String(segment)), ...(segment === 'key' ? ['id'] : [])]
  const pair = node.items.find(({ key }) => names.includes(keyOf(key) ?? ''))
  return pair === undefined ? null : { key: pair.key as Node, value: pair.value as Node | null }
}
