import type { Evidence } from '../../work/evidence/contract.ts'
import { partedFile } from './parts.ts'
import { testedWords } from './tested-files.ts'

/** Reads a file of the commit that the work began with; null: it has no such file. */
export type ReadStart = (path: string) => Promise<string | null>

/** The files and directories that commands name, as paths of the repository. */
export interface NamedFiles {
  /** Words that may be files, and whether a command compares something with them. */
  readonly words: ReadonlyMap<string, boolean>
  /** Directories in which commands run. */
  readonly directories: ReadonlySet<string>
  /** Files, directories and globs that a test runner is told to run. */
  readonly tested: ReadonlySet<string>
}

interface Found {
  readonly words: Map<string, boolean>
  readonly directories: Set<string>
  readonly tested: Set<string>
}

/** A file that a command names may name others, which name others. */
const maxDepth = 3

/**
 * Finds the words of commands that may be files: those of the commands of evidence, whose schemas count too, of the
 * scripts and makefiles that they run, and of the shell scripts that those name. Everything is read from the start: the work may name others.
 */
export async function wordsOfCommands(evidence: readonly Evidence[], readStart: ReadStart): Promise<NamedFiles> {
  const found: Found = { words: new Map(), directories: new Set(), tested: new Set() }
  const commands = evidence.flatMap((each) =>
    each.kind === 'command' ? [each.run] : each.kind === 'http' ? [each.start] : [],
  )
  for (const each of evidence)
    if (each.kind === 'schema' && each.schemaPath !== undefined) found.words.set(each.schemaPath, true)
  for (const command of commands) await collectWords(command, '', readStart, found, 0)
  return found
}

async function collectWords(
  text: string,
  directory: string,
  readStart: ReadStart,
  found: Found,
  depth: number,
): Promise<void> {
  const words = wordsIn(text)
  const compares = words.some((word) => word === 'diff' || word === 'cmp')
  const directories = [
    directory,
    ...words.flatMap((word, index) => (isInto(words[index - 1]) ? [join(directory, word)] : [])),
  ]
  for (const place of directories) {
    found.directories.add(place)
    for (const word of testedWords(text)) found.tested.add(join(place, word))
  }
  for (const place of directories)
    for (const word of words) {
      const path = join(place, word)
      if (path === '' || found.words.get(path) === true || found.words.get(path) === compares) continue
      found.words.set(path, compares)
      if (depth < maxDepth && isScript(path)) {
        const script = await readStart(path)
        if (script !== null) await collectWords(script, place, readStart, found, depth + 1)
      } else if (isSource.test(path) && isCalledCheck(path)) {
        for (const data of dataIn((await readStart(path)) ?? '')) found.words.set(join(place, data), true)
      }
    }
  if (depth >= maxDepth) return
  const has = (names: readonly string[]): boolean => names.some((name) => words.includes(name))
  for (const place of directories) {
    if (has(['npm', 'yarn', 'pnpm', 'bun'])) {
      for (const script of await scriptsNamed(words, join(place, 'package.json'), readStart))
        await collectWords(script, place, readStart, found, depth + 1)
      for (const directory of await runnersBelow(join(place, 'package.json'), found, readStart))
        found.tested.add(`${join(place, directory)}/**`)
    }
    if (has(['make', 'just']))
      for (const name of ['Makefile', 'justfile']) {
        const recipes = await readStart(join(place, name))
        if (recipes !== null) await collectWords(recipes, place, readStart, found, depth + 1)
      }
  }
}

const wordsIn = (text: string): string[] =>
  text.split(/[\s;&|()<>"'`=$,:]+/).filter((word) => word !== '' && !word.startsWith('-'))

const isInto = (word: string | undefined): boolean => word === 'cd'

const isScript = (path: string): boolean => /\.(?:sh|bash)$/.test(path)

async function scriptsNamed(words: readonly string[], path: string, readStart: ReadStart): Promise<string[]> {
  const text = await readStart(path)
  if (text === null) return []
  const parts = [...(partedFile(path)?.partsOf(text) ?? [])]
  const isCalled = (name: string): boolean => words.includes(name) || (name === 'test' && words.includes('t'))
  return parts.flatMap(([name, command]) =>
    name.startsWith('scripts.') && isCalled(name.slice('scripts.'.length).replace(/^(?:pre|post)/, ''))
      ? [command]
      : [],
  )
}

/** Finds the directories of packages that belong to the repository itself and that a command starts by name. */
async function runnersBelow(path: string, found: Found, readStart: ReadStart): Promise<string[]> {
  const parts = [...(partedFile(path)?.partsOf((await readStart(path)) ?? '{}') ?? [])]
  const prefix = path.slice(0, -'package.json'.length)
  return parts.flatMap(([name, source]) => {
    const called = /^\w*[dD]ependencies\.(.+)$/.exec(name)?.[1]
    const directory = /^(?:file|link):(?:\.\/)?([^.][^:]*)$/.exec(source)?.[1]
    return called !== undefined && directory !== undefined && found.words.has(`${prefix}${called}`) ? [directory] : []
  })
}

/** Files of data that the text of a check names: their content decides what it finds. */
const dataIn = (text: string): string[] => wordsIn(text).filter((word) => isData.test(word) && !isSettings.test(word))

const isData = /^[\w./-]+\.(?:json|ya?ml|csv|tsv|xml|txt)$/
const isSettings = /(?:^|\/)(?:package(?:-lock)?|tsconfig)\.json$/

const join = (directory: string, word: string): string =>
  [directory, word.replace(/^(?:\.\/)+/, '')].filter((part) => part !== '' && part !== '.').join('/')

/**
 * Reports whether evidence rests on a file that its commands name: one that is called a check, or, unless the brief asks
 * for it by name, a shell script or a file with which something is compared. Any other file is the work itself.
 */
export function isNamedWitness(path: string, named: NamedFiles, asked: string): boolean {
  const isCompared = named.words.get(path)
  if (isCompared === undefined) return false
  if (isCalledCheck(path)) return true
  const name = path.split('/').at(-1) ?? ''
  return (isScript(name) || (isCompared && !isSource.test(name))) && !asked.includes(name)
}

const isSource =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kts?|c|cc|cpp|h|hpp|cs|php|swift|scala|exs?|lua|pl|vue|svelte|html|css)$/

const isCalledCheck = (path: string): boolean =>
  path
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .some((word) => checkWords.has(word))

const checkWords = new Set(
  `test tests tester testing selftest runtests runtest unittest spec specs check checks checker verify verifier
  verification validate validator validation accept acceptance expect expected expectation expectations golden fixture
  fixtures snapshot snapshots lint smoke e2e assert asserts suite proof prove judge oracle criteria conformance
  regression harness audit ci grade grader eval qa benchmark`.split(/\s+/),
)
