import { posix } from 'node:path'

import { addLocked, hashesIn, isOwnSource, type Locked, type LockReader, unreadable } from './locked.ts'

/** pnpm-lock.yaml, as pnpm writes it: a line for each key, two spaces for each level. */
export const pnpmLock: LockReader = {
  read: (text) => {
    const entries = new Map<string, Locked>()
    const tree = treeOf(text)
    const importers = new Set(childrenOf(tree.get('importers')).map(([importer]) => importer))
    const add = (importer: string, groups: Tree): void => {
      for (const group of dependencyGroups)
        for (const [name, node] of childrenOf(groups.get(group)))
          addLocked(entries, `${importer} ${name}`, dependency(importer, name, node, importers))
    }
    add('.', tree)
    for (const [importer, node] of childrenOf(tree.get('importers'))) add(importer, node.children)
    for (const part of ['packages', 'snapshots'])
      for (const [key, node] of childrenOf(tree.get(part))) {
        if (part === 'packages') addLocked(entries, key, packageAt(key, node))
        add(`${part} ${key}`, node.children)
      }
    for (const [key, node] of childrenOf(tree.get('patchedDependencies')))
      addLocked(entries, `patch ${key}`, {
        name: nameIn(key),
        version: '',
        source: textOf(node),
        isOwn: true,
        hashes: {},
      })
    return entries
  },
  putBack: (_, start) => start,
}

const dependencyGroups = ['dependencies', 'devDependencies', 'optionalDependencies']

/** A dependency leads to a version, to another package, or to a directory, which is relative to its importer. */
function dependency(importer: string, name: string, node: Node, importers: ReadonlySet<string>): Locked {
  const value = node.children.get('version')?.value ?? node.value
  if (value === '' || /^[{[&*|>]/.test(value)) return unreadable(name, textOf(node))
  const [target = ''] = value.split('(')
  const [, other, range = target] = /^\/?((?:@[^/@]+\/)?[a-z][^@:/]*)@(.+)$/i.exec(target) ?? []
  const link = /^link:(.*)$/.exec(range)?.[1]
  const isOwn = isOwnSource(range) || isOwnSource(target)
  const source =
    link === undefined ? (isOwn ? range : (other ?? name)) : posix.join(importer.includes(' ') ? '.' : importer, link)
  const isUnlisted = link === undefined ? range.startsWith('file:') : !importers.has(source)
  return { name, version: range, source, isOwn, hashes: {}, isUnlisted }
}

function packageAt(key: string, node: Node): Locked {
  const resolution = node.children.get('resolution')
  const fields = resolution === undefined ? new Map<string, string>() : fieldsOf(resolution)
  const name = node.children.get('name')?.value ?? nameIn(key)
  const integrity = fields.get('integrity')
  const place = ['directory', 'repo', 'path', 'commit', 'tarball'].flatMap((field) => fields.get(field) ?? [])
  if (resolution === undefined || fields.size === 0) return unreadable(name, textOf(node))
  const isOwn =
    integrity === undefined ||
    ['directory', 'repo'].some((field) => fields.has(field)) ||
    (fields.get('tarball') ?? '').startsWith('file:')
  const source = isOwn ? place.join(' ') : nameIn(key)
  return { name, version: key, source, isOwn, hashes: hashesIn(integrity), address: fields.get('tarball') }
}

/** Returns the name in `a@1.0.0`, `/@s/a@1.0.0(b@2.0.0)` and `/a/1.0.0`. */
const nameIn = (key: string): string => /^\/?((?:@[^/@]+\/)?[^@/]+)/.exec(key)?.[1] ?? key

const fieldsOf = (node: Node): Map<string, string> =>
  node.value.startsWith('{')
    ? new Map(
        [...node.value.matchAll(/\b(\w+): ([^,}]+)/g)].map(([, field = '', value = '']) => [field, unquoted(value)]),
      )
    : new Map([...node.children].map(([field, { value }]) => [field, value]))

type Tree = Map<string, Node>
interface Node {
  readonly value: string
  readonly children: Tree
}

const childrenOf = (node: Node | undefined): [string, Node][] => [...(node?.children ?? [])]

const textOf = ({ value, children }: Node): string =>
  `${value} ${[...children].map(([key, node]) => `${key}: ${textOf(node)}`).join(', ')}`

function treeOf(text: string): Tree {
  const top: Tree = new Map()
  const levels: Tree[] = [top]
  for (const line of text.split('\n')) {
    const [, space = '', key, value = ''] = /^( *)('(?:[^']|'')*'|"[^"]*"|[^\s'"#-].*?):(?: +(.*))?$/.exec(line) ?? []
    const level = space.length / 2
    const parent = levels[level]
    if (key === undefined || parent === undefined) continue
    const node: Node = { value: unquoted(value), children: new Map() }
    // Two values for one key are read by no tool in the same way.
    const other = parent.get(unquoted(key))
    parent.set(
      unquoted(key),
      other === undefined || other.value === '' ? node : { ...node, value: `{ ${other.value} ${value}` },
    )
    levels.splice(level + 1, levels.length, node.children)
  }
  return top
}

const unquoted = (text: string): string =>
  text.trim().replace(/^'(.*)'$|^"(.*)"$/, (_, one, other) => String(one ?? other))
