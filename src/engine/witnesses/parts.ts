import { cargoLock, gemLock, goSum, poetryLock, uvLock, yarnLock } from './lockfiles/blocks.ts'
import { composerLock, npmLock } from './lockfiles/json.ts'
import { isOwnSource, type Locked, type LockReader, replacedIn } from './lockfiles/locked.ts'
import { pnpmLock } from './lockfiles/pnpm.ts'
import { objectIn, objectOf, setOrDelete } from './objects.ts'
import { type Section, splitSections } from './sections.ts'

/**
 * The parts of a file that decide what checks do, by name. Such a file has other parts, such as dependencies, which an
 * honest change adds to; only these parts are compared and put back.
 */
export type Parts = ReadonlyMap<string, string>

export interface PartedFile {
  partsOf(text: string): Parts
  /** Returns the text of the work with the parts of the start; parts that the start lacks stay, unless they run by themselves. */
  putBack(text: string, start: string): string
  /** Reports whether a part that the start lacks takes effect although no command names it. */
  runsByItself(name: string, start: Parts): boolean
  /** Names a part, for people. */
  describe(name: string): string
  /** Lists the differences that matter, if not every difference of a part does. */
  differences?(before: Parts, after: Parts): string[]
}

/** Returns how the parts of a file are read; null: the file counts as a whole. */
export function partedFile(path: string): PartedFile | null {
  const name = path.split('/').at(-1) ?? ''
  if (name === 'package.json') return packageFile
  if (name === 'composer.json') return composerFile
  const reader = lockReaders[name]
  if (reader !== undefined) return lockedFile(reader)
  if (/^requirements.*\.txt$/.test(name)) return requirementsFile
  const sections = sectionsOfFile[name]
  return sections === undefined ? null : sectionFile(sections, name === 'go.mod' ? /^\w/ : /^\[/)
}

const runnerKeys = ['jest', 'mocha', 'ava', 'tap', 'vitest', 'c8', 'nyc', 'babel', 'playwright', 'wireit', 'imports']
const dependencyKeys = ['dependencies', 'devDependencies', 'optionalDependencies', 'overrides', 'resolutions']

/** The script that `npm init` writes is no test: it fails whatever the work is. */
const placeholder = 'no test specified'

const packageFile: PartedFile = {
  partsOf: (text) => {
    const content = objectIn(text)
    const parts = new Map<string, string>()
    for (const [script, command] of Object.entries(objectOf(content['scripts'])))
      if (typeof command === 'string' && !command.includes(placeholder)) parts.set(`scripts.${script}`, command)
    for (const key of runnerKeys) if (content[key] !== undefined) parts.set(key, JSON.stringify(content[key]))
    // A package that is taken out of the list is no longer tested with the others.
    const { workspaces } = content
    const listed: unknown = Array.isArray(workspaces) ? workspaces : objectOf(workspaces)['packages']
    for (const place of Array.isArray(listed) ? listed : []) parts.set(`workspaces.${String(place)}`, 'listed')
    for (const key of dependencyKeys)
      for (const [name, source] of Object.entries(objectOf(content[key])))
        if (typeof source === 'string' && isOwnSource(source)) parts.set(`${key}.${name}`, source)
    return parts
  },
  putBack: (text, start) => {
    const [content, before] = [objectIn(text), objectIn(start)]
    const [parts, known] = [packageFile.partsOf(text), packageFile.partsOf(start)]
    const names = [...known.keys(), ...[...parts.keys()].filter((name) => packageFile.runsByItself(name, known))]
    for (const name of names) {
      const [key = '', inner] = splitName(name)
      if (inner === undefined || key === 'workspaces') setOrDelete(content, key, before[key])
      else {
        const group = { ...objectOf(content[key]) }
        setOrDelete(group, inner, objectOf(before[key])[inner])
        content[key] = group
      }
    }
    return `${JSON.stringify(content, null, 2)}\n`
  },
  runsByItself: (name, start) => {
    const script = /^scripts\.(.*)$/.exec(name)?.[1]
    if (script === undefined) return !name.startsWith('workspaces.')
    if (lifecycle.has(script)) return true
    const hooked = /^(?:pre|post)(.+)$/.exec(script)?.[1]
    return hooked !== undefined && start.has(`scripts.${hooked}`)
  },
  describe: (name) => {
    const [key = '', inner] = splitName(name)
    if (inner === undefined) return `"${key}"`
    if (key === 'workspaces') return `the workspace "${inner}"`
    return key === 'scripts' ? `the script "${inner}"` : `the source of ${inner}`
  },
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

/** The manifest of Composer: its scripts, and the places from which it takes packages before the registry. */
const composerFile: PartedFile = {
  partsOf: (text) => {
    const { scripts, repositories } = objectIn(text)
    const parts = new Map<string, string>()
    for (const [script, commands] of Object.entries(objectOf(scripts)))
      parts.set(`scripts.${script}`, [commands].flat().join('\n'))
    if (repositories !== undefined) parts.set('repositories', JSON.stringify(repositories))
    return parts
  },
  putBack: (text, start) => {
    const [content, before] = [objectIn(text), objectIn(start)]
    const known = composerFile.partsOf(start)
    const scripts = Object.entries(objectOf(content['scripts'])).filter(
      ([script]) => !known.has(`scripts.${script}`) && !composerFile.runsByItself(`scripts.${script}`, known),
    )
    setOrDelete(content, 'repositories', before['repositories'])
    content['scripts'] = { ...Object.fromEntries(scripts), ...objectOf(before['scripts']) }
    return `${JSON.stringify(content, null, 2)}\n`
  },
  runsByItself: (name) => name === 'repositories' || /^scripts\.(?:pre|post)-/.test(name),
  describe: (name) => packageFile.describe(name),
}

/** A lockfile: a package that was installed at the start must stay the same package, or get another version. */
const lockedFile = ({ read, putBack }: LockReader): PartedFile => {
  const replaced = (before: Parts, after: Parts): string[] => replacedIn(lockedIn(before), lockedIn(after))
  const partsOf = (text: string): Parts =>
    new Map([...read(text)].map(([key, locked]) => [key, JSON.stringify(locked)]))
  return {
    partsOf,
    putBack: (text, start) => putBack(text, start, new Set(replaced(partsOf(start), partsOf(text)))),
    runsByItself: () => false,
    describe: (key) => `the package ${key}`,
    differences: (before, after) => {
      const names = replaced(before, after).map((key) => lockedIn(after).get(key)?.name ?? key)
      return [...new Set(names)].map((name) =>
        name === '' ? 'an entry cannot be read' : `the package ${name} was replaced`,
      )
    },
  }
}

const lockedIn = (parts: Parts): ReadonlyMap<string, Locked> =>
  new Map([...parts].map(([key, text]) => [key, JSON.parse(text) as Locked]))

const lockReaders: Readonly<Record<string, LockReader>> = {
  'package-lock.json': npmLock,
  'npm-shrinkwrap.json': npmLock,
  'yarn.lock': yarnLock,
  'pnpm-lock.yaml': pnpmLock,
  'Cargo.lock': cargoLock,
  'poetry.lock': poetryLock,
  'uv.lock': uvLock,
  'go.sum': goSum,
  'Gemfile.lock': gemLock,
  'composer.lock': composerLock,
}

/** Lines that name a file, an address or an option; a plain requirement names a package of the registry. */
const isOwnRequirement = (line: string): boolean => /^-|^[./~]|\.(?:whl|zip|tar\.\w+)\b|\s@\s|:\/\/|^file:/.test(line)

const requirementsFile: PartedFile = {
  partsOf: (text) =>
    new Map(
      requirementsIn(text)
        .filter(isOwnRequirement)
        .map((line) => [line, line]),
    ),
  putBack: (text, start) =>
    [
      ...requirementsIn(text).filter((line) => !isOwnRequirement(line)),
      ...requirementsIn(start).filter(isOwnRequirement),
      '',
    ].join('\n'),
  runsByItself: () => true,
  describe: (line) => `the line "${line}"`,
}

const requirementsIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '')

const splitName = (name: string): [string, string?] => {
  const dot = name.indexOf('.')
  return dot < 0 ? [name] : [name.slice(0, dot), name.slice(dot + 1)]
}

/** Sections with the settings of test runners and linters, and those that replace packages. */
const sectionsOfFile: Readonly<Record<string, RegExp>> = {
  'pyproject.toml':
    /^\[+tool\.(pytest|tox|nox|coverage|hatch\.envs|poe|pdm\.scripts|taskipy|ruff|mypy|flake8|uv\.sources)/,
  'setup.cfg': /^\[(tool:pytest|aliases|coverage|flake8|mypy|tox)/,
  'Cargo.toml': /^\[+(test|bench|patch|replace|profile\.test)/,
  'go.mod': /^replace\b/,
}

/** A file of sections, each with a heading such as `[tool.pytest]`; in go.mod, a line or a block is a section. */
const sectionFile = (wanted: RegExp, begins: RegExp): PartedFile => {
  const sectionsIn = (text: string): Section[] => splitSections(text, begins)
  const isWanted = ({ heading }: Section): boolean => wanted.test(heading)
  return {
    partsOf: (text) => {
      const parts = new Map<string, string>()
      for (const { heading, lines } of sectionsIn(text).filter(isWanted))
        parts.set(heading, `${parts.get(heading) ?? ''}${lines.join('\n').trim()}`)
      return parts
    },
    putBack: (text, start) =>
      [...sectionsIn(text).filter((section) => !isWanted(section)), ...sectionsIn(start).filter(isWanted)]
        .map(({ lines }) => lines.join('\n'))
        .join('\n'),
    runsByItself: () => true,
    describe: (name) => name,
  }
}
