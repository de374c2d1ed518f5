import { notFound, refusal } from '../kernel/errors.ts'
import { nearest } from '../kernel/nearest.ts'
import { slug } from '../kernel/text.ts'
import { type TierName, tierNames } from '../team/contract.ts'
import type { TalentOrigin } from './contract.ts'
import type { Findable, PlacedRow, Pool, PoolEntry, PoolIndex } from './model.ts'
import { stemOf } from './pick.ts'

/** By path, by file name, by file name without its division, by name: the first way that finds somebody counts. */
export function resolveTalent(pool: Pool, name: string): PoolEntry {
  const found = resolveIn(pool.index, name)
  if (found.length > 1)
    throw refusal('conflict', ambiguous(name, found), { hint: 'Give the path.', data: { paths: pathsOf(found) } })
  if (found[0] !== undefined) return found[0]
  const guess = nearest(
    name.slice(0, 100),
    pool.entries.map((each) => stemOf(each.path)),
  )
  throw notFound(
    'personality',
    name.slice(0, 100),
    guess === null ? 'List them with "agency talent list".' : `Did you mean "${guess}"?`,
  )
}

export interface Casting {
  entry: PoolEntry
  /** For the log: that somebody else was asked for. */
  warning: string | null
}

export interface Wanted {
  tier: TierName
  domain?: string | null | undefined
  /** By name, as a plan says it. */
  wanted?: string | null | undefined
  /** The path of somebody who must not do it: nobody judges their own work. */
  not?: string | undefined
}

/** Whoever is wanted if it can be told who that is; otherwise whom the mapping names for tier and domain. */
export function castingOf(pool: Pool, { tier, domain, wanted, not }: Wanted): Casting {
  const asked = wanted?.trim() ?? ''
  const found = asked === '' ? [] : resolveIn(pool.index, asked)
  const others = found.filter((each) => each.path !== not)
  const meant = oneMeant(others)
  if (meant !== undefined)
    return { entry: meant, warning: others.length > 1 ? `${ambiguous(asked, others)}; cast ${meant.path}` : null }
  const entry = defaultTalent(pool, tier, domain ?? '', not)
  if (asked === '') return { entry, warning: null }
  const why =
    found.length === 0
      ? `nobody in the talent pool is called "${asked.slice(0, 100)}"`
      : others.length === 0
        ? `"${asked.slice(0, 100)}" did the work itself`
        : ambiguous(asked, found)
  const where = [tier, domain?.trim().slice(0, 64)].filter(Boolean).join(', ')
  return { entry, warning: `${why}; cast ${stemOf(entry.path)} instead (${where})` }
}

/** Whether somebody can be cast by this name. */
export const isTalent = (pool: Pool, name: string): boolean =>
  oneMeant(resolveIn(pool.index, name.trim())) !== undefined

/** Of several who bear a name: the team's; else ours, because whoever imports a pool has not changed his plans. */
function oneMeant<Entry extends Findable>(found: readonly Entry[]): Entry | undefined {
  if (found.length <= 1) return found[0]
  for (const origin of ['team', 'bundled'] as const) {
    const [first, second] = found.filter((each) => each.from === origin)
    if (first !== undefined && second === undefined) return first
  }
  return undefined
}

/** By name, who may be cast in a tier and for what: what a planner is shown. The tier's own people first. */
export function peopleFor(pool: Pool, tier: TierName): Record<string, string> {
  const all = pool.entries.filter((each) => each.tiers.includes(tier))
  const sorted = [...all].sort((a, b) => a.tiers.length - b.tiers.length).slice(0, maxShown)
  return Object.fromEntries(
    sorted.map((entry) => [
      isMeantByFile(pool, entry) ? stemOf(entry.path) : entry.path.replace(/\.md$/i, ''),
      entry.domains.join(', ') || entry.division,
    ]),
  )
}

/** Every one of them is read, and paid for, by whoever plans. */
const maxShown = 100

const isMeantByFile = (pool: Pool, entry: PoolEntry): boolean =>
  oneMeant(resolveIn(pool.index, stemOf(entry.path)))?.path === entry.path

/** Whom the mapping names for a tier and a domain, or for the tier; where nobody else is there, even who must not. */
export function defaultTalent(pool: Pool, tier: TierName, domain: string, not?: string): PoolEntry {
  const named = [...rowsFor(pool.rows, tier, domain), ...pool.defaults.filter((each) => each.tier === tier)]
  for (const { name, from } of named) {
    const [found] = resolveIn(pool.index, name, from)
    if (found !== undefined && found.path !== not) return found
  }
  const others = pool.entries.filter((each) => each.path !== not)
  const anybody = others.find((each) => each.tiers.includes(tier)) ?? others[0] ?? pool.entries[0]
  if (anybody === undefined)
    throw refusal('not_found', 'the talent pool is empty', { hint: 'Import one: agency talent import <folder>.' })
  return anybody
}

/** The strongest row of each tier and domain, in the order of tiers and then of the mapping. */
export function mapOf(pool: Pool): PlacedRow[] {
  const seen = new Set<string>()
  const rows = pool.rows.filter(({ tier, domain }) => {
    const key = `${tier} ${slug(domain)}`
    return !seen.has(key) && seen.add(key)
  })
  return tierNames.flatMap((tier) => rows.filter((row) => row.tier === tier))
}

/** Those that name the domain; after them those whose every word it contains: `Backend` for `backend services`. */
function rowsFor(rows: readonly PlacedRow[], tier: TierName, domain: string): PlacedRow[] {
  const asked = slug(domain)
  if (asked === '') return []
  const ofTier = rows.filter((row) => row.tier === tier)
  const padded = `-${asked}-`
  const fits = (row: PlacedRow, test: (word: string) => boolean): boolean => row.words.some(test)
  return [
    ...ofTier.filter((row) => fits(row, (word) => word === asked)),
    ...ofTier.filter((row) => fits(row, (word) => word !== asked && padded.includes(`-${word}-`))),
  ]
}

export function indexOf<Entry extends Findable>(entries: readonly Entry[]): PoolIndex<Entry> {
  const ways: ((entry: Entry) => string)[] = [
    (entry) => pathKey(entry.path),
    (entry) => slug(stemOf(entry.path)),
    (entry) => withoutDivision(entry),
    (entry) => `${entry.division}-${withoutDivision(entry)}`,
    (entry) => slug(entry.name),
  ]
  return ways.map((keyOf) => Map.groupBy(entries, keyOf))
}

/** Everybody who is meant; several where it cannot be told. `prefer`: of these, whoever lies there. */
export function resolveIn<Entry extends Findable>(
  index: PoolIndex<Entry>,
  name: string,
  prefer?: TalentOrigin,
): readonly Entry[] {
  const written = slug(stemOf(name))
  // What has a slash is a path, or somebody's full name; never part of a file's name.
  const keys = name.includes('/')
    ? [pathKey(name), '', '', '', slug(name)]
    : [pathKey(name), written, written, written, written]
  for (const [way, map] of index.entries()) {
    const key = keys[way] ?? ''
    const found = key === '' ? [] : (map.get(key) ?? [])
    const own = found.filter((each) => each.from === prefer)
    if (found.length > 0) return own.length > 0 ? own : found
  }
  return []
}

/** `talent/agents/Engineering/sre.md`, `./engineering/sre`: all the same. */
const pathKey = (path: string): string =>
  path
    .trim()
    .toLowerCase()
    .replace(/^\.\//, '')
    .replace(/^(?:talent\/)?agents\//, '')
    .replace(/\.md$/, '')

/** `engineering/engineering-sre.md` is `sre` too. */
function withoutDivision({ path, division }: Findable): string {
  const stem = slug(stemOf(path))
  return stem.startsWith(`${division}-`) ? stem.slice(division.length + 1) : stem
}

const pathsOf = (found: readonly Findable[]): string[] => found.map((each) => each.path)

const ambiguous = (name: string, found: readonly Findable[]): string =>
  `several in the talent pool are called "${name.slice(0, 100)}": ${pathsOf(found).slice(0, 10).join(', ')}${found.length > 10 ? ' …' : ''}`
