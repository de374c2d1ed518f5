import { posix } from 'node:path'

import { isGlob, matchesGlob } from '../../kernel/glob.ts'
import type { Evidence } from '../../work/evidence/contract.ts'
import { comparesIn, examinedIn, type Use } from './compared-files.ts'
import {
  isAskedAbout,
  isCalledCheck,
  isData,
  isMade,
  isOrdered,
  isRecipeName,
  isShellName,
  isShellText,
  isSource,
} from './names.ts'
import { partedFile } from './parts.ts'
import { programsIn } from './programs.ts'
import { testedWords } from './tested-files.ts'

/** The commit that the work began with: the work may name other files. */
export interface Start {
  /** Reads a file; null: there is none. */
  read(path: string): Promise<string | null>
  paths(): Promise<readonly string[]>
}

/** The files and directories that commands name, as paths of the repository. */
export interface NamedFiles {
  /** Words that may be files, and how commands use them. */
  readonly words: ReadonlyMap<string, Use>
  /** Shell scripts among them, by any name. */
  readonly scripts: ReadonlySet<string>
  /** Directories in which commands run. */
  readonly directories: ReadonlySet<string>
  /** Files, directories and globs that a test runner is given. */
  readonly tested: ReadonlySet<string>
  /** Programs that commands start. */
  readonly programs: ReadonlySet<string>
}

interface Search {
  readonly words: Map<string, Use>
  readonly scripts: Set<string>
  readonly directories: Set<string>
  readonly tested: Set<string>
  readonly programs: Set<string>
  read(path: string): Promise<string | null>
  exists(path: string): Promise<boolean>
  matching(glob: string): Promise<string[]>
}

/** The place of a text with commands. */
interface Place {
  /** The directory in which it runs. */
  readonly directory: string
  /** The directory of its file. */
  readonly home: string
  readonly depth: number
}

/** The strongest use of a file counts. */
const weights: Readonly<Record<Use, number>> = { examined: 0, read: 1, compared: 2 }

/** A file that a command names may name others, which name others. */
const maxDepth = 3

/**
 * Finds the words of commands that may be files: those of the commands of evidence, whose schemas count too, of the
 * scripts and makefiles that they run, and of the shell scripts and checks that those name.
 */
export async function wordsOfCommands(evidence: readonly Evidence[], start: Start): Promise<NamedFiles> {
  let paths: Promise<ReadonlySet<string>> | null = null
  const all = (): Promise<ReadonlySet<string>> => (paths ??= start.paths().then((each) => new Set(each)))
  const search: Search = {
    words: new Map(),
    scripts: new Set(),
    directories: new Set(),
    tested: new Set(),
    programs: new Set(),
    read: start.read,
    exists: async (path) => (await all()).has(path),
    matching: async (glob) =>
      /[*?[{]/.test(glob)
        ? [...(await all())].filter((path) => matchesGlob(glob, path) && !isSource(path))
        : (await all()).has(glob)
          ? [glob]
          : [],
  }
  const commands = evidence.flatMap((each) =>
    each.kind === 'command' ? [each.run] : each.kind === 'http' ? [each.start] : [],
  )
  for (const each of evidence)
    if (each.kind === 'schema' && each.schemaPath !== undefined) search.words.set(each.schemaPath, 'compared')
  for (const command of commands) await followCommands(command, { directory: '', home: '', depth: 0 }, search)
  return search
}

/** `isRecipe`: only some of the commands run, and not all files are read by those. */
async function followCommands(
  text: string,
  { directory, home, depth }: Place,
  search: Search,
  isRecipe = false,
): Promise<void> {
  const tokens = tokensIn(text)
  for (const program of programsIn(text)) search.programs.add(program)
  const compares = comparesIn(text, tokens)
  const examined = examinedIn(text)
  const directories = new Set([
    directory,
    ...tokens.flatMap((token, at) => (isInto(tokens[at - 1]) ? [join(directory, token)] : [])),
  ])
  for (const place of directories) {
    search.directories.add(place)
    for (const word of testedWords(text)) search.tested.add(join(place, word))
  }
  // A script finds its neighbours by its own name.
  if (/dirname|BASH_SOURCE|\$0|%\/\*/.test(text)) directories.add(home)
  for (const place of directories)
    for (const [at, token] of tokens.entries()) {
      const path = join(place, token)
      const known = search.words.get(path)
      const isExamined = isRecipe || examined.has(token) || isMade(path)
      const use = compares ? 'compared' : isExamined ? 'examined' : 'read'
      if (token.startsWith('-') || path === '' || (known !== undefined && weights[known] >= weights[use])) continue
      search.words.set(path, use)
      const isStarted = token.startsWith('./') || token.startsWith('../') || shells.has(tokens[at - 1] ?? '')
      await followFile(path, isStarted, { directory: place, home, depth }, search)
    }
  if (depth >= maxDepth) return
  for (const place of directories) {
    await followPackages(tokens, { directory: place, home: place, depth: depth + 1 }, search)
    for (const [tool, names] of Object.entries(recipesOf))
      if (tokens.includes(tool)) for (const name of names) await followRecipes(join(place, name), place, depth, search)
  }
}

/** Follows the words of a file that a command names, if it is one that runs others. */
async function followFile(
  path: string,
  isStarted: boolean,
  { directory, depth }: Place,
  search: Search,
): Promise<void> {
  const isCheck = isCalledCheck(path)
  if (isData(path) || (isSource(path) && !isCheck) || !(await search.exists(path))) return
  if (isRecipeName(path)) return depth < maxDepth ? followRecipes(path, directory, depth, search) : undefined
  const text = (await search.read(path)) ?? ''
  const within = { directory, home: parentOf(path), depth: depth + 1 }
  const isShell = isShellName(path) || (!isSource(path) && isShellText(text, isStarted))
  // A program in another language is source code.
  if (!isShell && text.startsWith('#!') && search.words.get(path) === 'read') search.words.set(path, 'examined')
  if (isShell) search.scripts.add(path)
  if (isShell && depth < maxDepth) await followCommands(text, within, search)
  else if (isCheck) await followCode(text, within, search)
}

/** Follows a check that is no shell script: its data decide its result, and it may start scripts. */
async function followCode(text: string, { directory, home, depth }: Place, search: Search): Promise<void> {
  const words = new Set(tokensIn(text).filter((token) => !token.startsWith('-')))
  for (const word of words) {
    if (isData(word)) search.words.set(join(directory, word), 'compared')
    for (const place of new Set([directory, home])) {
      const path = join(place, word)
      if (depth > maxDepth || search.words.has(path) || isData(path) || isSource(path) || !(await search.exists(path)))
        continue
      search.words.set(path, 'examined')
      await followFile(path, false, { directory, home, depth }, search)
    }
  }
}

async function followRecipes(path: string, directory: string, depth: number, search: Search): Promise<void> {
  if (!(await search.exists(path))) return
  const place = { directory, home: parentOf(path), depth: depth + 1 }
  const text = (await search.read(path)) ?? ''
  if (/Rakefile$|\.py$/.test(path)) return followCode(text, place, search)
  await followCommands(text, place, search, true)
  for (const included of await includedIn(text, [directory, place.home], search)) {
    search.scripts.add(included)
    if (search.words.has(included) && isRecipeName(included)) continue
    search.words.set(included, 'compared')
    if (depth < maxDepth) await followRecipes(included, directory, depth + 1, search)
  }
}

/** Finds the files that a makefile or a justfile includes, also by a glob; a part behind a variable may be anywhere. */
async function includedIn(text: string, places: readonly string[], search: Search): Promise<string[]> {
  const lines = text.replace(/\\\n/g, ' ').matchAll(/^[ ]*(?:-?include|sinclude|import\??|mod\??)[ \t]+(.+)$/gm)
  const words = [...lines].flatMap(([, list = '']) => list.replace(/#.*$/, '').split(/[\s"']+/))
  const found = new Set<string>()
  for (const word of words.filter((each) => each !== '')) {
    const plain = word.replace(/\$\([^)]{0,200}\)|\$\{[^}]{0,200}\}|\$\w/g, '*')
    for (const path of places.map((place) => join(place, plain)))
      if (isGlob(path) && path.replace(/[*/]/g, '') !== '')
        for (const each of await search.matching(path)) found.add(each)
  }
  return [...found]
}

/** The files that a tool reads by itself to find its commands. */
const recipesOf: Readonly<Record<string, readonly string[]>> = {
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  gmake: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', '.justfile', 'Justfile'],
  task: ['Taskfile.yml', 'Taskfile.yaml'],
  tox: ['tox.ini'],
  nox: ['noxfile.py'],
  rake: ['Rakefile'],
}

async function followPackages(tokens: readonly string[], place: Place, search: Search): Promise<void> {
  const has = (names: readonly string[]): boolean => names.some((name) => tokens.includes(name))
  const { directory } = place
  if (has(['npm', 'yarn', 'pnpm', 'bun'])) {
    const manifest = join(directory, 'package.json')
    for (const script of await scriptsNamed(tokens, manifest, search)) await followCommands(script, place, search)
    for (const below of await runnersBelow(manifest, search)) search.tested.add(`${join(directory, below)}/**`)
  }
  if (has(['composer']))
    for (const script of await scriptsNamed(tokens, join(directory, 'composer.json'), search))
      await followCommands(script, place, search)
}

async function scriptsNamed(tokens: readonly string[], path: string, search: Search): Promise<string[]> {
  const text = await search.read(path)
  if (text === null) return []
  const parts = [...(partedFile(path)?.partsOf(text) ?? [])]
  const isCalled = (name: string): boolean => tokens.includes(name) || (name === 'test' && tokens.includes('t'))
  return parts.flatMap(([name, command]) =>
    name.startsWith('scripts.') && isCalled(name.slice('scripts.'.length).replace(/^(?:pre|post)/, ''))
      ? [command]
      : [],
  )
}

/** Finds the directories of packages that belong to the repository itself and that a command starts by name. */
async function runnersBelow(path: string, search: Search): Promise<string[]> {
  const parts = [...(partedFile(path)?.partsOf((await search.read(path)) ?? '{}') ?? [])]
  const prefix = path.slice(0, -'package.json'.length)
  return parts.flatMap(([name, source]) => {
    const called = /^\w*[dD]ependencies\.(.+)$/.exec(name)?.[1]
    const directory = /^(?:file|link):(?:\.\/)?([^.][^:]*)$/.exec(source)?.[1]
    return called !== undefined && directory !== undefined && search.words.has(`${prefix}${called}`) ? [directory] : []
  })
}

const tokensIn = (text: string): string[] =>
  text
    .split(/[\s;&|()<>"'`=$,:[\]]+/)
    .map((token) => token.replace(/^[@{]+(?:\w+\})?/, ''))
    .filter((token) => token !== '')

const isInto = (token: string | undefined): boolean => token !== undefined && intoWords.has(token)
const intoWords = new Set(['cd', 'pushd', '-C', '--prefix', '--cwd', '--dir', '--directory'])
const shells = new Set(['sh', 'bash', 'dash', 'ksh', 'zsh', 'source', '.', 'exec'])

/** A path that follows a variable begins with a slash: the variable mostly stands for the top or for the script's place. */
const join = (directory: string, word: string): string => {
  const path = posix.normalize(posix.join(directory, word.replace(/^\/+/, ''))).replace(/\/$/, '')
  return path === '.' ? '' : path
}

const parentOf = (path: string): string => path.split('/').slice(0, -1).join('/')

/**
 * Reports whether evidence rests on a file that its commands name: one that is called a check; unless the
 * brief orders its change, a shell script or a file that is no source code and that a command compares with something;
 * unless the brief speaks of it, one that a command reads. Any other file is the work itself.
 */
export function isNamedWitness(path: string, named: NamedFiles, asked: string): boolean {
  const use = named.words.get(path)
  if (use === undefined) return false
  if (isCalledCheck(path)) return true
  const isScript = isShellName(path) || named.scripts.has(path)
  if (isSource(path) && !isScript) return false
  if (isScript || use === 'compared') return !isOrdered(path, asked)
  return use === 'read' && !isAskedAbout(path, asked)
}
