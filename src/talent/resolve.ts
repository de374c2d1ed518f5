import { notFound, refusal } from '../kernel/errors.ts'
import { nearest } from '../kernel/nearest.ts'
import { slug } from '../kernel/text.ts'
import { type TierName, tierNames } from '../team/contract.ts'
import type { TalentOrigin } from './contract.ts'
import type { Findable, PoolRow, Pool, PoolEntry, PoolIndex } from './model.ts'
import { stemOf } from './pick.ts'

/**
 * Finds a personality by path, file name, file name without its division, or name; the first kind that matches counts.
 */
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
  /** Explains in the log why the requested personality was not cast. */
  warning: string | null
}

export interface CastRequest {
  tier: TierName
  domain?: string | null | undefined
  /** The name that the plan requests. */
  wanted?: string | null | undefined
  /** The path of the entry that must not be cast: a verifier must not be the author of the work. */
  not?: string | undefined
}

/**
 * Returns the requested personality if the name is unambiguous; otherwise the one that the registry names for tier and
 * domain.
 */
export function chooseEntry(pool: Pool, { tier, domain, wanted, not }: CastRequest): Casting {
  const asked = wanted?.trim() ?? ''
  const found = asked === '' ? [] : resolveIn(pool.index, asked)
  const others = found.filter((each) => each.path !== not)
  const meant = unambiguous(others)
  if (meant !== undefined)
    return { entry: meant, warning: others.length > 1 ? `${ambiguous(asked, others)}; cast ${meant.path}` : null }
  const entry = defaultTalent(pool, tier, domain ?? '', not)
  if (asked === '') return { entry, warning: null }
  const why =
    found.length === 0
      ? `the talent pool has no "${asked.slice(0, 100)}"`
      : others.length === 0
        ? `"${asked.slice(0, 100)}" did the work itself`
        : ambiguous(asked, found)
  const where = [tier, domain?.trim().slice(0, 64)].filter(Boolean).join(', ')
  return { entry, warning: `${why}; cast ${stemOf(entry.path)} instead (${where})` }
}

/** Reports whether a personality can be cast by this name. */
export const isTalent = (pool: Pool, name: string): boolean =>
  unambiguous(resolveIn(pool.index, name.trim())) !== undefined

/**
 * Chooses among entries with one name: the team's; else the bundled one, because importing a pool must not change
 * existing plans.
 */
function unambiguous<Entry extends Findable>(found: readonly Entry[]): Entry | undefined {
  if (found.length <= 1) return found[0]
  for (const origin of ['team', 'bundled'] as const) {
    const [first, second] = found.filter((each) => each.from === origin)
    if (first !== undefined && second === undefined) return first
  }
  return undefined
}

/**
 * Returns the personalities for a tier with their domains, by name, as a planner sees them. Specialists of the tier
 * come first.
 */
export function candidatesFor(pool: Pool, tier: TierName): Record<string, string> {
  const all = pool.entries.filter((each) => each.tiers.includes(tier))
  const sorted = [...all].sort((a, b) => a.tiers.length - b.tiers.length).slice(0, maxCandidates)
  return Object.fromEntries(
    sorted.map((entry) => [
      isFoundByFileName(pool, entry) ? stemOf(entry.path) : entry.path.replace(/\.md$/i, ''),
      entry.domains.join(', ') || entry.division,
    ]),
  )
}

/** The planner reads every entry, and each one costs tokens. */
const maxCandidates = 100

const isFoundByFileName = (pool: Pool, entry: PoolEntry): boolean =>
  unambiguous(resolveIn(pool.index, stemOf(entry.path)))?.path === entry.path

/**
 * Returns the personality that the registry names for a tier and a domain, or for the tier; where there is no other,
 * even the excluded one.
 */
export function defaultTalent(pool: Pool, tier: TierName, domain: string, not?: string): PoolEntry {
  const named = [...rowsFor(pool.rows, tier, domain), ...pool.defaults.filter((each) => each.tier === tier)]
  for (const { name, from } of named) {
    const [found] = resolveIn(pool.index, name, from)
    if (found !== undefined && found.path !== not) return found
  }
  const others = pool.entries.filter((each) => each.path !== not)
  const fallback = others.find((each) => each.tiers.includes(tier)) ?? others[0] ?? pool.entries[0]
  if (fallback === undefined)
    throw refusal('not_found', 'the talent pool is empty', { hint: 'Import one: agency talent import <folder>.' })
  return fallback
}

/** Returns the strongest row of each tier and domain, ordered by tier and then as in the registry. */
export function mapOf(pool: Pool): PoolRow[] {
  const seen = new Set<string>()
  const rows = pool.rows.filter(({ tier, domain }) => {
    const key = `${tier} ${slug(domain)}`
    return !seen.has(key) && seen.add(key)
  })
  return tierNames.flatMap((tier) => rows.filter((row) => row.tier === tier))
}

/** Returns the rows with exactly this domain, then those whose words it contains: `Backend` for `backend services`. */
function rowsFor(rows: readonly PoolRow[], tier: TierName, domain: string): PoolRow[] {
  const asked = slug(domain)
  if (asked === '') return []
  const ofTier = rows.filter((row) => row.tier === tier)
  const padded = `-${asked}-`
  const fits = (row: PoolRow, test: (word: string) => boolean): boolean => row.words.some(test)
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

/**
 * Returns all matches of the first kind that has any; several where the name is ambiguous. Entries from `prefer` take
 * precedence.
 */
export function resolveIn<Entry extends Findable>(
  index: PoolIndex<Entry>,
  name: string,
  prefer?: TalentOrigin,
): readonly Entry[] {
  const written = slug(stemOf(name))
  // A name with a slash is a path or a full name, never part of a file name.
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

/** `talent/agents/Engineering/sre.md` and `./engineering/sre` have the same key. */
const pathKey = (path: string): string =>
  path
    .trim()
    .toLowerCase()
    .replace(/^\.\//, '')
    .replace(/^(?:talent\/)?agents\//, '')
    .replace(/\.md$/, '')

/** `engineering/engineering-sre.md` is also known as `sre`. */
function withoutDivision({ path, division }: Findable): string {
  const stem = slug(stemOf(path))
  return stem.startsWith(`${division}-`) ? stem.slice(division.length + 1) : stem
}

const pathsOf = (found: readonly Findable[]): string[] => found.map((each) => each.path)

const ambiguous = (name: string, found: readonly Findable[]): string =>
  `the talent pool has several "${name.slice(0, 100)}": ${pathsOf(found).slice(0, 10).join(', ')}${found.length > 10 ? ' …' : ''}`
