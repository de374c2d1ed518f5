import { isGlob, matchesGlob } from '../../../kernel/glob.ts'
import { objectIn, objectOf, readObject, setOrDelete } from '../objects.ts'
import { hashesIn, type Locked, type LockReader, registryOf } from './locked.ts'

const stringOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** package-lock.json: a package for each place in node_modules. */
export const npmLock: LockReader = {
  read: (text) => {
    const content = readObject(text)
    if (content === null) return null
    const packages =
      content['packages'] === undefined ? oldPackages(content) : Object.entries(objectOf(content['packages']))
    const { workspaces } = objectOf(objectOf(content['packages'])[''])
    const globs = listOf(Array.isArray(workspaces) ? workspaces : objectOf(workspaces)['packages']).map(String)
    const isListed = (place: string): boolean => globs.some((glob) => isGlob(glob) && matchesGlob(glob, place))
    return new Map(
      packages
        .filter(([path]) => path !== '')
        .map(([path, value]) => [path, npmPackage(path, objectOf(value), isListed)]),
    )
  },
  putBack: (text, start, keys) => {
    const content = objectIn(text)
    const packages = { ...objectOf(content['packages']) }
    const before = objectOf(objectIn(start)['packages'])
    for (const path of keys) setOrDelete(packages, path, before[path])
    return `${JSON.stringify({ ...content, packages }, null, 2)}\n`
  },
}

/** Older versions of npm wrote a tree of dependencies, which the newer ones read. */
function oldPackages(content: Record<string, unknown>, above = ''): [string, unknown][] {
  return Object.entries(objectOf(content['dependencies'])).flatMap(([name, value]): [string, unknown][] => {
    const entry = objectOf(value)
    const version = stringOf(entry['version']) ?? ''
    const place = /^file:(.*)$/.exec(version)?.[1]
    const path = `${above}node_modules/${name}`
    return [
      [path, place === undefined ? entry : { ...entry, version: '', resolved: place, link: true }],
      ...oldPackages(entry, `${path}/`),
    ]
  })
}

function npmPackage(path: string, entry: Record<string, unknown>, isListed: (place: string) => boolean): Locked {
  const programs = Object.fromEntries(
    Object.entries(objectOf(entry['bin'])).map(([program, file]) => [program, String(file)]),
  )
  // The directory to which a link leads.
  if (!path.includes('node_modules/'))
    return { name: path, version: '', source: null, isOwn: false, hashes: {}, programs }
  const resolved = stringOf(entry['resolved'])
  const isOwn = entry['link'] === true || (resolved !== undefined && !/^https?:/.test(resolved))
  return {
    name: path.split('node_modules/').at(-1) ?? path,
    version: stringOf(entry['version']) ?? '',
    source: isOwn ? (resolved ?? '') : resolved === undefined ? null : registryOf(resolved),
    isOwn,
    hashes: hashesIn(stringOf(entry['integrity'])),
    address: resolved,
    isUnlisted: isOwn && !/^(?!file:)\w[\w+]*:/.test(resolved ?? '') && !isListed(resolved ?? ''),
    programs,
  }
}

const composerLists = ['packages', 'packages-dev']

/** composer.lock: two lists of packages. */
export const composerLock: LockReader = {
  read: (text) =>
    readObject(text) === null
      ? null
      : new Map(composerPackages(text).map(([name, entry]) => [name, composerPackage(name, entry)])),
  putBack: (text, start, keys) => {
    const content = objectIn(text)
    const before = new Map(composerPackages(start))
    for (const list of composerLists)
      content[list] = listOf(content[list]).map((each) => {
        const name = stringOf(objectOf(each)['name']) ?? ''
        return keys.has(name) ? (before.get(name) ?? each) : each
      })
    return `${JSON.stringify(content, null, 4)}\n`
  },
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

const composerPackages = (text: string): [string, Record<string, unknown>][] => {
  const content = objectIn(text)
  return composerLists
    .flatMap((list) => listOf(content[list]))
    .map((each) => [stringOf(objectOf(each)['name']) ?? '', objectOf(each)])
}

function composerPackage(name: string, entry: Record<string, unknown>): Locked {
  const [source, dist] = [objectOf(entry['source']), objectOf(entry['dist'])]
  const version = stringOf(entry['version']) ?? ''
  const isOwn = dist['type'] === 'path'
  const address = stringOf(source['url']) ?? stringOf(dist['url'])
  // A branch moves.
  const isBranch = version.startsWith('dev-') || version.endsWith('-dev')
  const hashes = { reference: stringOf(dist['reference']), shasum: stringOf(dist['shasum']) }
  return {
    name,
    version,
    source: isOwn ? `path ${stringOf(dist['url']) ?? ''}` : (address ?? null),
    isOwn,
    isUnlisted: isOwn,
    hashes: Object.fromEntries(
      Object.entries(isBranch ? {} : hashes).flatMap(([key, hash]) =>
        hash === undefined || hash === '' ? [] : [[key, hash]],
      ),
    ),
  }
}
