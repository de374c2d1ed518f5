import { createHash } from 'node:crypto'

/** A package of a lockfile. */
export interface Locked {
  readonly name: string
  /** null: the entry is not written as its tool writes it. */
  readonly version: string | null
  /** The registry, directory or repository that it comes from; null if the lockfile does not say. */
  readonly source: string | null
  /** Whether it comes from a directory, an archive or a repository instead of a registry. */
  readonly isOwn: boolean
  /** Hashes of its content, by algorithm or by file. */
  readonly hashes: Readonly<Record<string, string>>
  readonly address?: string | undefined
  /** Whether it comes from the commit itself although the lockfile lists no such workspace. */
  readonly isUnlisted?: boolean
  /** The programs that it brings, with their files. */
  readonly programs?: Readonly<Record<string, string>>
}

/** Reads and repairs the lockfiles of one tool. */
export interface LockReader {
  /** Returns the packages; null: the text cannot be read. */
  read(text: string): ReadonlyMap<string, Locked> | null
  /** Returns the text of the work with the entries of the start at these keys. */
  putBack(text: string, start: string, keys: ReadonlySet<string>): string
}

/**
 * Returns the keys of packages that have another content than at the start, under the same name and version, or come
 * from elsewhere, or that the start lacks and the commit itself brings. A newer version from the same registry is none, and
 * neither is another package that the start lacks.
 */
export function replacedIn(before: ReadonlyMap<string, Locked>, after: ReadonlyMap<string, Locked>): string[] {
  const byName = Map.groupBy(before.values(), ({ name }) => name)
  return [...after].flatMap(([key, now]) => {
    const then = before.get(key)
    if (then !== undefined) return isEqual(now, then) || !isReplaced(now, then) ? [] : [key]
    const known = byName.get(now.name) ?? []
    const isOdd = known.length > 0 ? known.every((each) => isReplaced(now, each)) : now.isUnlisted === true
    return isOdd || now.version === null ? [key] : []
  })
}

/** Returns the programs of an entry that the start lacks, or has with another file. */
export const newPrograms = (now: Locked, then: Locked | undefined): string[] =>
  Object.entries(now.programs ?? {}).flatMap(([program, file]) => (then?.programs?.[program] === file ? [] : [program]))

function isReplaced(now: Locked, then: Locked): boolean {
  if (now.isOwn) return !then.isOwn || now.source !== then.source
  if (now.version === null || then.version === null) return true
  if (now.version !== then.version) return differs(now.source, then.source)
  const common = Object.keys(now.hashes).filter((each) => then.hashes[each] !== undefined)
  // The same hash is the same content, wherever it comes from.
  if (common.length > 0) return common.some((each) => now.hashes[each] !== then.hashes[each])
  const haveHashes = [now, then].every(({ hashes }) => Object.keys(hashes).length > 0)
  return (
    differs(now.source, then.source) || differs(now.address, then.address) || (haveHashes && now.address === undefined)
  )
}

const differs = (one: string | null | undefined, other: string | null | undefined): boolean =>
  (one ?? undefined) !== undefined && (other ?? undefined) !== undefined && one !== other

const isEqual = (one: Locked, other: Locked): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Returns an entry that is not written as its tool writes it: any change of it counts. */
export const unreadable = (name: string, text: string): Locked => ({
  name,
  version: null,
  source: null,
  isOwn: false,
  hashes: { text: hashOf(text) },
})

/** Its length does not depend on the text, so that many entries may have the same long one, or one within another. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Lockfiles of the largest projects have a third of it; all of them are read while others wait. */
const mostEntries = 100_000

/** A lockfile that no tool has written. */
export class TooManyEntries extends Error {}

const added = new WeakMap<Map<string, Locked>, number>()

/** Adds an entry; two at one key are read by no tool in the same way. */
export function addLocked(entries: Map<string, Locked>, key: string, locked: Locked): void {
  const count = (added.get(entries) ?? 0) + 1
  if (count > mostEntries) throw new TooManyEntries()
  added.set(entries, count)
  const other = entries.get(key)
  const isSame = other === undefined || isEqual(other, locked)
  entries.set(key, isSame ? locked : unreadable(locked.name, JSON.stringify([other, locked])))
}

/** Returns the registry and the package of an address, without its version. */
export function registryOf(address: string): string {
  const [place = '', file] = address
    .replace(/^https?:\/\/registry\.yarnpkg\.com\//, 'https://registry.npmjs.org/')
    .split('/-/')
  return file === undefined ? (/^\w+:\/\/[^/]*/.exec(place)?.[0] ?? place) : place
}

/** Returns the hashes of an integrity by algorithm: a tool may replace one by a stronger one. */
export const hashesIn = (integrity: string | undefined): Record<string, string> =>
  Object.fromEntries(
    (integrity ?? '').split(/\s+/).flatMap((each) => (each === '' ? [] : [[each.split('-')[0] ?? '', each]])),
  )

/** Reports whether a range names a directory, an archive or a repository; an alias names another package. */
export const isOwnSource = (source: string): boolean =>
  /^(?:file|link|portal|git|git\+\w+|https?|npm|github):|^[./~]|\.git$/.test(source)
