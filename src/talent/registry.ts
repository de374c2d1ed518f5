import type { Node } from 'yaml'

import {
  asText,
  isEmpty,
  type NodeSource,
  oneOf,
  parseNodes,
  readList,
  readMap,
  readScalar,
} from '../documents/nodes.ts'
import { addFault } from '../documents/source.ts'
import { RoleName, Title } from '../org/references.contract.ts'
import { slug } from '../kernel/text.ts'
import { type TierName, tierNames } from '../team/contract.ts'

/** The personality for a domain in a tier. */
export interface RegistryRow {
  tier: TierName
  domain: string
  /** Other names of the domain. */
  aliases: readonly string[]
  name: string
}

export interface Registry {
  rows: readonly RegistryRow[]
  /** By tier, for domains without a row. */
  defaults: Readonly<Partial<Record<TierName, string>>>
}

export const noRegistry: Registry = { rows: [], defaults: {} }

/**
 * Returns all faults at once, as `line:column: message`: half a registry would cast the wrong personalities silently.
 */
export function parseRegistry(text: string): { registry: Registry; faults: string[] } {
  const source = parseNodes(text, 'registry')
  const registry = source.faults.length > 0 || isEmpty(source.root) ? noRegistry : readRegistry(source)
  return {
    registry,
    faults: source.faults.map(({ line, column, message }) => `${line ?? 1}:${column ?? 1}: ${message}`),
  }
}

function readRegistry(source: NodeSource): Registry {
  const root = readMap(source, source.root, 'the registry', ['defaults', 'roles'])
  if (root === null) return noRegistry
  const given = root.get('defaults') ?? null
  const defaults = isEmpty(given) ? null : readMap(source, given, 'defaults', tierNames)
  const rows = readList(source, root.get('roles') ?? null, 'roles').flatMap((node) => readRow(source, node) ?? [])
  refuseTwice(source, root.get('roles') ?? null, rows)
  return {
    rows,
    defaults: Object.fromEntries(
      [...(defaults ?? [])].flatMap(([tier, node]) => {
        const name = readScalar(source, node, tier, aName, asText(Title))
        return name === undefined ? [] : [[tier, name]]
      }),
    ),
  }
}

const aName = 'the name of a personality'
const aDomain = 'a text of 1 to 64 characters'

function readRow(source: NodeSource, node: Node | null): RegistryRow | null {
  const values = readMap(source, node, 'a role', ['tier', 'domain', 'name', 'aliases'])
  if (values === null) return null
  for (const key of ['tier', 'domain', 'name'])
    if (!values.has(key)) addFault(source, node, `a role needs a ${key}`, key)
  const tier = readScalar(source, values.get('tier'), 'tier', tierNames.join(', '), oneOf(...tierNames))
  const domain = readScalar(source, values.get('domain'), 'domain', aDomain, asText(RoleName))
  const name = readScalar(source, values.get('name'), 'name', aName, asText(Title))
  const aliases = readList(source, values.get('aliases') ?? null, 'aliases').flatMap(
    (item) => readScalar(source, item, 'aliases', aDomain, asText(RoleName)) ?? [],
  )
  return tier === undefined || domain === undefined || name === undefined ? null : { tier, domain, aliases, name }
}

function refuseTwice(source: NodeSource, node: Node | null, rows: readonly RegistryRow[]): void {
  const seen = new Set<string>()
  for (const { tier, domain, aliases } of rows)
    for (const word of [domain, ...aliases]) {
      const key = `${tier} ${slug(word)}`
      if (seen.has(key)) addFault(source, node, `${tier} has two roles for the domain "${word}"`, word)
      seen.add(key)
    }
}
