import { splitSections, type Section } from '../sections.ts'
import {
  addLocked,
  hashesIn,
  hashOf,
  isOwnSource,
  type Locked,
  type LockReader,
  registryOf,
  unreadable,
} from './locked.ts'

interface Entry {
  readonly keys: readonly string[]
  readonly locked: Locked
}

/** A lockfile of blocks, one for each package. */
const blockReader = (begins: RegExp, entryOf: (section: Section) => Entry | null): LockReader => ({
  read: (text) => {
    const entries = new Map<string, Locked>()
    for (const section of splitSections(text, begins)) {
      const { keys, locked } = entryOf(section) ?? nothing
      if (locked === null) continue
      const text = JSON.stringify(locked)
      const entry = keys.length * text.length > mostRepeated ? unreadable(locked.name, text) : locked
      for (const key of keys) addLocked(entries, key, entry)
    }
    return entries
  },
  putBack: (text, start, replaced) => {
    const byKey = new Map<string, Section>()
    const byName = new Map<string, Section>()
    for (const section of splitSections(start, begins)) {
      const { keys, locked } = entryOf(section) ?? nothing
      for (const key of keys) if (!byKey.has(key)) byKey.set(key, section)
      if (locked !== null && !byName.has(locked.name)) byName.set(locked.name, section)
    }
    const sections = splitSections(text, begins).flatMap((section): (readonly string[])[] => {
      const { keys, locked } = entryOf(section) ?? nothing
      if (!keys.some((key) => replaced.has(key))) return [section.lines]
      const known = keys.find((key) => byKey.has(key))
      const was = known === undefined ? byName.get(locked?.name ?? '') : byKey.get(known)
      // The heading may list further ranges that the same version meets.
      return was === undefined ? [] : [[section.lines[0] ?? '', ...was.lines.slice(1)]]
    })
    return sections.map((lines) => lines.join('\n')).join('\n')
  },
})

/** An entry is kept once for each of its keys: one of a hostile file could take gigabytes. */
const mostRepeated = 1_000_000

const nothing: { readonly keys: readonly string[]; readonly locked: null } = { keys: [], locked: null }

/** Returns the values of a field in a block. */
const valuesOf = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map((found) => found[1] ?? '')

/** yarn.lock of all versions: each block lists the ranges that it meets. */
export const yarnLock = blockReader(/^[^\s#:]/, ({ heading, lines }) => {
  const keys = heading
    .replace(/^\?\s*/, '')
    .replace(/:\s*$/, '')
    .replaceAll('"', '')
    .split(/,\s*/)
  const [, name, range = ''] = /^(@?[^@]+)@(.*)$/.exec(keys[0] ?? '') ?? []
  if (name === undefined) return null
  const body = lines.slice(1).join('\n').trimEnd()
  const field = (called: string): string[] => valuesOf(body, new RegExp(`^ {2}"?${called}"?:? "?([^"\\n]*)"?$`, 'gm'))
  const [versions, resolved, resolutions] = [field('version'), field('resolved'), field('resolution')]
  const [version] = versions
  if (version === undefined || [versions, resolved, resolutions].some((each) => each.length > 1))
    return { keys, locked: unreadable(name, body) }
  const [resolution] = resolutions
  if (resolution !== undefined) return { keys, locked: modernYarn(name, version, resolution, field('checksum')[0]) }
  const [address = '', sha1] = (resolved[0] ?? '').split('#')
  const isOwn = (isOwnSource(range) && !range.startsWith('npm:')) || (address !== '' && !/^https?:/.test(address))
  const hashes = { ...hashesIn(field('integrity')[0]), ...(sha1 === undefined ? {} : { sha1: `sha1-${sha1}` }) }
  const source = isOwn ? `${range} ${resolved[0] ?? ''}` : address === '' ? null : registryOf(address)
  const isUnlisted = isOwn && isLocal(`${range} ${address}`)
  return {
    keys,
    locked: { name, version, source, isOwn, hashes, address: address === '' ? undefined : address, isUnlisted },
  }
})

const isLocal = (text: string): boolean => /(?:^|\s)(?:file:|link:|portal:|[./~])/.test(text)

function modernYarn(name: string, version: string, resolution: string, checksum: string | undefined): Locked {
  const [, resolved = '', protocol = '', rest = ''] = /^(@?[^@]+)@(\w+):(.*)$/.exec(resolution) ?? []
  // Yarn itself patches some packages.
  const isRegistry =
    protocol === 'npm' || (protocol === 'patch' && /#(?:~|optional!)+builtin<[\w/.-]+>(?:::|$)/.test(rest))
  // Another version of yarn writes other checksums, with another number before the slash.
  const [format = '', hash] = (checksum ?? '').split('/')
  const hashes = checksum === undefined ? {} : hash === undefined ? { plain: format } : { [format]: hash }
  return {
    name,
    version,
    source: isRegistry ? `${protocol}:${resolved}` : resolution,
    isOwn: !isRegistry,
    hashes,
    address: resolution,
    isUnlisted: !isRegistry && ['file', 'link', 'portal', 'patch'].includes(protocol),
  }
}

/** Cargo.lock, poetry.lock and uv.lock: each `[[package]]` has its fields. */
const tomlLock = (sourceOf: (text: string) => { source: string | null; isOwn: boolean }): LockReader =>
  blockReader(/^\[\[package\]\]|^\[(?!\[?package\.)/, ({ heading, lines }) => {
    if (heading !== '[[package]]')
      return /^\[+\s*["']?package/.test(heading) ? { keys: [heading], locked: unreadable('', heading) } : null
    const body = lines.join('\n').trimEnd()
    const field = (called: string): string[] => valuesOf(body, new RegExp(`^${called} = "([^"\\n]*)"$`, 'gm'))
    const [[name], [version]] = [field('name'), field('version')]
    if (name === undefined) return { keys: [body], locked: unreadable('', body) }
    const files = [...body.matchAll(/(?:file|url) = "(?:[^"\n]*\/)?([^"/\n]+)", hash = "([^"\n]+)"/g)]
    const hashes = Object.fromEntries(files.map(([, file = '', hash = '']) => [file, hash]))
    for (const checksum of field('checksum')) hashes['checksum'] = checksum
    const { source, isOwn } = sourceOf(body)
    const isUnlisted = isOwn && /^(?:path|directory|type = "(?:file|directory)")/m.test(source ?? '')
    // A package of the project itself may have no version.
    return {
      keys: [`${name} ${version ?? ''}`],
      locked: { name, version: version ?? '', source, isOwn, hashes, isUnlisted },
    }
  })

export const cargoLock = tomlLock((text) => {
  const source = /^source = "(.*)"$/m.exec(text)?.[1] ?? null
  return { source, isOwn: source === null || !/^(?:registry|sparse)\+/.test(source) }
})

export const poetryLock = tomlLock((text) => {
  const fields = /^\[package\.source\]\n((?:[^[\n].*\n?)*)/m.exec(text)?.[1]?.trim()
  return { source: fields ?? null, isOwn: fields !== undefined && !/^type = "legacy"$/m.test(fields) }
})

export const uvLock = tomlLock((text) => {
  const [, kind, place] = /^source = \{ (\w+) = "([^"]*)"/m.exec(text) ?? []
  return kind === 'registry'
    ? { source: place ?? null, isOwn: false }
    : { source: `${kind ?? 'unknown'} ${place ?? ''}`, isOwn: true }
})

/** go.sum: a line for each module and version. */
export const goSum: LockReader = {
  read: (text) => {
    const entries = new Map<string, Locked>()
    for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
      const [, name, version, hash = ''] = /^(\S+) (\S+) (\w+:\S+)$/.exec(line) ?? []
      if (name === undefined || version === undefined) addLocked(entries, line, unreadable('', line))
      else addLocked(entries, `${name} ${version}`, { name, version, source: null, isOwn: false, hashes: { hash } })
    }
    return entries
  },
  putBack: (text, start, keys) => {
    const isKept = (line: string): boolean => !keys.has(line) && !keys.has(line.split(' ').slice(0, 2).join(' '))
    const back = start.split('\n').filter((line) => line !== '' && !isKept(line))
    return [...text.split('\n').filter((line) => line !== '' && isKept(line)), ...back, ''].join('\n')
  },
}

/** Gemfile.lock: sections of packages from the same place. */
export const gemLock: LockReader = {
  read: (text) => {
    const entries = new Map<string, Locked>()
    const sections = splitSections(text, /^\S/)
    const checksums = new Map<string, string>()
    for (const { lines } of sections.filter(({ heading }) => heading === 'CHECKSUMS'))
      for (const line of lines) {
        const [, key, hash = ''] = /^ {2}(\S+ \([^)]+\)) (\S+)$/.exec(line) ?? []
        if (key !== undefined) checksums.set(key, hash)
      }
    for (const { heading, lines } of sections) {
      const place = lines.filter((line) => /^ {2}(?:remote|revision): /.test(line)).map((line) => line.trim())
      const source = sourceOf(heading, place)
      for (const line of place.length === 0 ? [] : lines) {
        const [, key, name = '', version = ''] = /^ {4}((\S+) \(([^)]+)\))$/.exec(line) ?? []
        if (key === undefined) continue
        const hash = checksums.get(key)
        const locked = { name, version, source, isOwn: heading !== 'GEM' }
        addLocked(entries, key, { ...locked, hashes: hash === undefined ? {} : { sha256: hash } })
      }
    }
    return entries
  },
  putBack: (_, start) => start,
}

/** All packages of a section have its source, so a long one is shortened: together they would need gigabytes. */
function sourceOf(heading: string, place: readonly string[]): string {
  const text = `${heading} ${place.join(' ')}`
  return text.length > 2_000 ? `${text.slice(0, 200)} ${hashOf(text)}` : text
}
