import { realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { AgencyError } from '../kernel/errors.ts'
import { slug } from '../kernel/text.ts'
import { type TierName, tierDuties, tierNames } from '../team/contract.ts'
import type { TalentOrigin } from './contract.ts'
import type { FrontMatter } from './front-matter.ts'
import { findMarkdown, maxPoolBytes, readMarkdown } from './markdown-files.ts'
import type { PoolRow, Pool, PoolEntry } from './model.ts'
import { type ParsedFiles, parsedRegistry, readParsed } from './parsed.ts'
import { divisionOf, isSkippedFolder, reasonToSkip, stemOf } from './pick.ts'
import { createPoolReader, type PoolReader, readRegistryText } from './reader.ts'
import { noRegistry, parseRegistry, type Registry } from './registry.ts'
import { indexOf, resolveIn } from './resolve.ts'

/** The location of personalities: a folder of divisions, and the registry beside it. Both are optional. */
export interface PoolLocation {
  from: TalentOrigin
  agents: string
  registry: string
  /** For files that ship with Agency: the file with results of parsing them, if they were parsed in advance. */
  parsed?: string
}

/**
 * Loads all locations, the weakest first: a file of a later location replaces the file with the same path of an earlier
 * one.
 */
export async function loadPool(
  locations: readonly PoolLocation[],
  reader: PoolReader = createPoolReader(),
): Promise<Pool> {
  const warnings: string[] = []
  const drafts = new Map<string, Draft>()
  const layers: (Registry & { from: TalentOrigin })[] = []
  for (const location of locations) {
    const own = location.parsed === undefined ? undefined : await readParsed(location.parsed)
    for (const draft of await readLocation(location, reader, own, warnings)) drafts.set(draft.path.toLowerCase(), draft)
    layers.unshift({ from: location.from, ...(await readRegistry(location.registry, own, warnings)) })
  }
  const sorted = [...drafts.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
  const rows = layers.flatMap(({ from, rows: own }) =>
    own.map((row): PoolRow => ({ ...row, from, words: [row.domain, ...row.aliases].map(slug).filter(Boolean) })),
  )
  const defaults = layers.flatMap(({ from, defaults: own }) =>
    tierNames.flatMap((tier) => (own[tier] === undefined ? [] : [{ tier, name: own[tier], from }])),
  )
  const { duties, missing } = dutiesOf(sorted, rows, defaults)
  const entries = sorted.map((draft) => entryOf(draft, duties.get(draft.path)))
  return { entries, rows, defaults, warnings: [...warnings, ...missing], index: indexOf(entries) }
}

/** A file as it was read; absent fields are inferred once all files are known. */
interface Draft {
  path: string
  from: TalentOrigin
  file: string
  name: string
  division: string
  frontMatter: FrontMatter
}

interface Duties {
  tiers: Set<TierName>
  domains: Set<string>
}

/**
 * Returns the tiers and domains that the registry gives to files that state none, and the names in it that match no
 * file.
 */
function dutiesOf(
  drafts: readonly Draft[],
  rows: readonly PoolRow[],
  defaults: Pool['defaults'],
): { duties: Map<string, Duties>; missing: string[] } {
  const index = indexOf(drafts)
  const duties = new Map<string, Duties>()
  const missing: string[] = []
  for (const { tier, domain, name, from } of [...rows, ...defaults.map((each) => ({ domain: null, ...each }))]) {
    const [found] = resolveIn(index, name, from)
    if (found === undefined) {
      missing.push(`role_registry.yaml (${from}): ${tier} ${domain ?? 'default'}: there is no personality "${name}"`)
      continue
    }
    const duty = duties.get(found.path) ?? { tiers: new Set(), domains: new Set() }
    duty.tiers.add(tier)
    if (domain !== null) duty.domains.add(domain.toLowerCase())
    duties.set(found.path, duty)
  }
  return { duties, missing }
}

function entryOf({ frontMatter, ...draft }: Draft, duty: Duties | undefined): PoolEntry {
  const known = frontMatter.tiers ?? (duty === undefined ? undefined : tierNames.filter((tier) => duty.tiers.has(tier)))
  const first = known?.[0]
  return {
    ...draft,
    tiers: known ?? [...tierNames],
    domains: frontMatter.domains ?? [...(duty?.domains ?? [])],
    capability: frontMatter.capability ?? (first === undefined ? 'capable' : tierDuties[first].capability),
    text: frontMatter.body,
  }
}

async function readLocation(
  { agents, from }: PoolLocation,
  reader: PoolReader,
  own: ParsedFiles | undefined,
  warnings: string[],
): Promise<Draft[]> {
  let root: string
  let found
  try {
    // The folder itself may be a link to a checkout; links inside it are not followed.
    root = await realpath(agents)
    found = await findMarkdown(root, isSkippedFolder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    warnings.push(error instanceof AgencyError ? error.message : `${agents}: ${(error as Error).message}`)
    return []
  }
  const drafts: Draft[] = []
  let bytes = 0
  const warn = (path: string, reason: string): void => void warnings.push(`${path} (${from}): ${reason}`)
  for (const { path, reason } of found.skipped) warn(path, reason)
  const files = await reader.read(root, found.paths, own)
  for (const [index, path] of found.paths.entries()) {
    const read = files[index] as (typeof files)[number]
    if ('reason' in read) {
      warn(path, read.reason)
      continue
    }
    bytes += read.bytes
    if (bytes > maxPoolBytes) {
      warnings.push(`${agents}: more than ${maxPoolBytes / 1024 / 1024} MB; the files from ${path} on are not used`)
      return drafts
    }
    const drafted = draftOf(path, read.personality)
    if ('reason' in drafted) {
      if (!drafted.isExpected) warn(path, drafted.reason)
      continue
    }
    for (const fault of drafted.frontMatter.faults) warn(path, fault)
    drafts.push({ ...drafted, path, from, file: join(root, path) })
  }
  return drafts
}

/**
 * Returns the personality, or the reason why there is none; `isExpected` marks files in which a reader would not look
 * for one.
 */
export function draftOf(
  path: string,
  frontMatter: FrontMatter | { reason: string },
): Pick<Draft, 'name' | 'division' | 'frontMatter'> | { reason: string; isExpected: boolean } {
  if ('reason' in frontMatter) return { ...frontMatter, isExpected: false }
  const leave = reasonToSkip(path, frontMatter.hasFrontMatter)
  if (leave !== null) return { reason: leave, isExpected: true }
  const stem = stemOf(path)
  if (slug(stem) === '')
    return { reason: 'its file name needs letters from a to z, by which it is found', isExpected: false }
  const name = frontMatter.name !== undefined && slug(frontMatter.name) !== '' ? frontMatter.name : stem
  return { name, division: slug(frontMatter.division ?? '') || divisionOf(path), frontMatter }
}

async function readRegistry(path: string, own: ParsedFiles | undefined, warnings: string[]): Promise<Registry> {
  if (path === '' || !(await exists(path))) return noRegistry
  const read = await readMarkdown(path)
  if ('reason' in read) {
    warnings.push(`${path}: ${read.reason}; the file is not used`)
    return noRegistry
  }
  const { registry, faults } =
    own === undefined ? await readRegistryText(read.text) : (parsedRegistry(own, read.text) ?? parseRegistry(read.text))
  for (const fault of faults) warnings.push(`${path}:${fault}; the file is not used`)
  return faults.length > 0 ? noRegistry : registry
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code !== 'ENOENT' && code !== 'ENOTDIR'
  }
}
