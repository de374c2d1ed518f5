import { isOwnSource } from './lockfiles/locked.ts'
import { objectIn, objectOf, readObject, setOrDelete } from './objects.ts'
import type { IsUsed, PartedFile, Parts } from './parted.ts'

/** Settings of test runners, linters and formatters. */
const runnerKeys = `jest mocha ava tap vitest c8 nyc babel playwright wireit imports eslintConfig eslintIgnore prettier
  stylelint xo standard jasmine cypress nx lage tsd web-test-runner`.split(/\s+/)
const dependencyKeys = ['dependencies', 'devDependencies', 'optionalDependencies', 'overrides', 'resolutions']

/** The script that `npm init` writes is no test: it fails whatever the work is. */
const placeholder = 'no test specified'

/** package.json: scripts, settings of runners, workspaces, packages from the commit, and programs that checks use. */
export const packageFile = (isUsed: IsUsed): PartedFile => {
  const partsOf = (text: string): Parts | null => {
    const content = readObject(text)
    return content === null ? null : partsOfPackage(content, isUsed)
  }
  return {
    partsOf,
    putBack: (text, start) => {
      const [content, before] = [objectIn(text), withBins(objectIn(start))]
      const [parts, known] = [partsOf(text) ?? none, partsOf(start) ?? none]
      const names = [...known.keys(), ...[...parts.keys()].filter((name) => runsByItself(name, known))]
      if (names.some((name) => name.startsWith('bin.'))) Object.assign(content, withBins(content))
      for (const name of names) {
        const [key = '', inner] = splitName(name)
        if (inner === undefined || key === 'workspaces' || key === 'directories') setOrDelete(content, key, before[key])
        else {
          const group = { ...objectOf(content[key]) }
          setOrDelete(group, inner, objectOf(before[key])[inner])
          content[key] = group
        }
      }
      return `${JSON.stringify(content, null, 2)}\n`
    },
    runsByItself,
    // Settings and sources count in the package itself; npm installs the packages of the repository together.
    reachesOut: (name) => name.startsWith('scripts.') || name.startsWith('bin.'),
    describe: describePart,
  }
}

const none: Parts = new Map()

function partsOfPackage(content: Record<string, unknown>, isUsed: IsUsed): Parts {
  const parts = new Map<string, string>()
  for (const [script, command] of Object.entries(objectOf(content['scripts'])))
    if (typeof command === 'string' && !command.includes(placeholder)) parts.set(`scripts.${script}`, command)
  for (const key of runnerKeys) if (content[key] !== undefined) parts.set(key, JSON.stringify(content[key]))
  const { overrides, patchedDependencies } = objectOf(content['pnpm'])
  if (overrides !== undefined || patchedDependencies !== undefined)
    parts.set('pnpm', JSON.stringify([overrides, patchedDependencies]))
  // A package that is taken out of the list is no longer tested with the others.
  const { workspaces } = content
  const listed: unknown = Array.isArray(workspaces) ? workspaces : objectOf(workspaces)['packages']
  for (const place of Array.isArray(listed) ? listed : []) parts.set(`workspaces.${String(place)}`, 'listed')
  for (const key of dependencyKeys)
    for (const [name, source] of Object.entries(objectOf(content[key])))
      if (typeof source === 'string' && isOwnSource(source)) parts.set(`${key}.${name}`, source)
  for (const [program, file] of Object.entries(objectOf(withBins(content)['bin'])))
    if (isUsed(program)) parts.set(`bin.${program}`, String(file))
  // Every file of the directory is a program.
  const { bin } = objectOf(content['directories'])
  if (bin !== undefined) parts.set('directories.bin', JSON.stringify(bin))
  return parts
}

/** Returns a manifest whose `bin` is an object: a text is the program with the name of the package. */
function withBins(content: Record<string, unknown>): Record<string, unknown> {
  const { bin, name } = content
  if (typeof bin !== 'string' || typeof name !== 'string') return content
  return { ...content, bin: { [name.replace(/^@[^/]*\//, '')]: bin } }
}

function runsByItself(name: string, start: Parts): boolean {
  const script = /^scripts\.(.*)$/.exec(name)?.[1]
  if (script === undefined) return !name.startsWith('workspaces.')
  if (lifecycle.has(script)) return true
  const hooked = /^(?:pre|post)(.+)$/.exec(script)?.[1]
  return hooked !== undefined && start.has(`scripts.${hooked}`)
}

function describePart(name: string): string {
  const [key = '', inner] = splitName(name)
  if (inner === undefined) return `"${key}"`
  if (key === 'workspaces') return `the workspace "${inner}"`
  if (key === 'bin') return `the program "${inner}", which checks use,`
  if (key === 'directories') return 'the directory of programs'
  return key === 'scripts' ? `the script "${inner}"` : `the source of ${inner}`
}

/** Scripts that npm runs while it installs. */
const lifecycle = new Set([
  'preinstall',
  'install',
  'postinstall',
  'prepublish',
  'preprepare',
  'prepare',
  'postprepare',
])

/** The manifest of Composer: its scripts, the places of packages before the registry, and files that are loaded always. */
export const composerFile: PartedFile = {
  partsOf: (text) => {
    const content = readObject(text)
    if (content === null) return null
    const parts = new Map<string, string>()
    for (const [script, commands] of Object.entries(objectOf(content['scripts'])))
      parts.set(`scripts.${script}`, [commands].flat().join('\n'))
    if (content['repositories'] !== undefined) parts.set('repositories', JSON.stringify(content['repositories']))
    const { files } = objectOf(content['autoload-dev'])
    if (files !== undefined) parts.set('autoload-dev', JSON.stringify(files))
    return parts
  },
  putBack: (text, start) => {
    const [content, before] = [objectIn(text), objectIn(start)]
    const known = composerFile.partsOf(start) ?? none
    const scripts = Object.entries(objectOf(content['scripts'])).filter(
      ([script]) => !known.has(`scripts.${script}`) && !composerFile.runsByItself(`scripts.${script}`, known),
    )
    setOrDelete(content, 'repositories', before['repositories'])
    content['scripts'] = { ...Object.fromEntries(scripts), ...objectOf(before['scripts']) }
    setOrDelete(content, 'autoload-dev', before['autoload-dev'])
    return `${JSON.stringify(content, null, 2)}\n`
  },
  runsByItself: (name) => !name.startsWith('scripts.') || /^scripts\.(?:pre|post)-/.test(name),
  describe: describePart,
}

const splitName = (name: string): [string, string?] => {
  const dot = name.indexOf('.')
  return dot < 0 ? [name] : [name.slice(0, dot), name.slice(dot + 1)]
}
