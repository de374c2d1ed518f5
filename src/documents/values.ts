import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'

import { shorten, snakeCase } from '../kernel/text.ts'

export interface Place {
  readonly line: number
  readonly column: number
}

/** A complaint about a place in the text. */
export interface Complaint {
  readonly message: string
  readonly place: Place
}

/** YAML as a value, and where each part of it stands. */
export interface PlanSource {
  readonly value: unknown
  readonly complaints: readonly Complaint[]
  /** Of what stands at the path, or of the nearest thing around it; names may be as in TypeScript. */
  placeOf(path: readonly PropertyKey[], key?: string): Place
}

export const maxPlanBytes = 4_000_000
const maxDepth = 60
/** Aliases may save typing, not build what nobody could have typed. */
const maxNodes = 2_000_000
const maxComplaints = 200

/** `noun`: what the text is, for whoever reads a complaint. */
export function readSource(text: string, noun = 'plan'): PlanSource {
  const lines = new LineCounter()
  // Its own check for keys that stand twice compares each with each.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false })
  const complaints: Complaint[] = []
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const complain = (node: Node | null, message: string): void => {
    if (complaints.length < maxComplaints) complaints.push({ message, place: placeAt(node?.range?.[0] ?? 0) })
  }
  for (const { code, message, pos } of [...document.errors, ...document.warnings].slice(0, maxComplaints))
    complaints.push({
      message: code === 'MULTIPLE_DOCS' ? secondDocument(noun) : oneLine(message),
      place: placeAt(pos[0]),
    })
  const root = document.contents as Node | null
  const targets = new Map<Node, Node>()
  const value = complaints.length > 0 ? null : createReader(targets, complain, noun)(root)
  return {
    value,
    complaints,
    placeOf: (path, key) => placeAt(find(root, path, targets, key)?.range?.[0] ?? 0),
  }
}

const secondDocument = (noun: string): string => `a second document begins here; a file holds one ${noun}`

const oneLine = (text: string): string =>
  text.startsWith('Maximum call stack') ? 'nested far too deeply' : shorten(text.replace(/\s+/g, ' ').trim(), 300)

interface Read {
  readonly value: unknown
  /** How many nodes it stands for, aliases written out. */
  readonly nodes: number
}

type Complain = (node: Node | null, message: string) => void

/** Reads each node once, whatever stands for it; `targets` learns what each alias stands for. */
function createReader(targets: Map<Node, Node>, complain: Complain, noun: string): (root: Node | null) => unknown {
  const tooLarge = `aliases make this ${noun} far larger than it is; write it out`
  const anchors = new Map<string, Node>()
  const known = new Map<Node, Read | 'being read'>()
  let total = 0

  const read = (node: Node | null, depth: number): Read => {
    if (node === null) return nothing
    if (depth > maxDepth) return refused(node, `nested deeper than ${maxDepth} levels`)
    if (isAlias(node)) return readAlias(node)
    const { anchor } = node as { anchor?: string }
    if (anchor !== undefined) anchors.set(anchor, node)
    known.set(node, 'being read')
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
    if (found === 'being read') return refused(node, `the alias *${name} stands inside what it stands for`)
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
      if (name === null) complain(key ?? node, 'a key must be a plain word')
      else if (Object.hasOwn(value, name)) complain(key, `"${shorten(name, 60)}" stands twice`)
      else {
        const inner = read(pair.value as Node | null, depth + 1)
        nodes += inner.nodes
        // Plain assignment to `__proto__` would set the prototype.
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
    if (typeof value !== 'string') return refused(node, 'neither text, number, true, false, list nor map')
    return isStorable(value) ? { value, nodes: 1 } : refused(node, 'a text holds a character that no store keeps')
  }

  const counted = (node: Node | null, value: unknown, nodes: number): Read =>
    nodes > maxNodes ? refused(node, tooLarge) : { value, nodes }

  const refused = (node: Node | null, message: string): Read => {
    complain(node, message)
    return nothing
  }

  return (root) => read(root, 0).value
}

const nothing: Read = { value: null, nodes: 1 }

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

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
